"""The length of messages: worked examples, the definition, and laws of codes."""

import itertools
import math
from fractions import Fraction

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fivefold.learners.mml import MMLGraph, MMLTree
from fivefold.learners.mml._kernels import LeafCode, cut_bits, leaf_bits
from fivefold.learners.mml.message import end_bits, join_bits

from . import mml_reference as reference
from .classic_cases import DECLARED, frame_of, lenses, tables
from .mml_fitted import disjunctions, nodes_of, table_of, uneven_weights

OPTIONS = st.fixed_dictionaries(
    {
        "alpha": st.sampled_from([1.0, 0.3, 0.05, 2.5]),
        "root": st.sampled_from(["n", "n+1"]),
        "cut_code": st.sampled_from(["hierarchical", "uniform"]),
    }
)


# Worked examples: two classes, two binary attributes. Where no search ends in the tree or graph of an example, the
# numbers are those of the reference, to whose messages the estimators are held below.


def two_columns(first, second, y):
    return MMLTree().fit(pl.DataFrame({"a": first, "b": second}), y)


def test_one_leaf_of_ten_and_ten():
    useless = [[True, False] * 10, [True, True, False, False] * 5]
    model = two_columns(*useless, ["u"] * 10 + ["v"] * 10)
    assert model.nodes_.kind.size == 1
    assert model.message_length_ == pytest.approx(22.8876, abs=1e-4)
    assert model.message_.structure == pytest.approx(1.0)


@pytest.mark.parametrize(("alpha", "bits"), [(1.0, 10.9189), (0.5, 9.0095), (0.1, 6.7567)])
def test_a_test_that_settles_all(alpha, bits):
    X = pl.DataFrame({"a": [True] * 10 + [False] * 10, "b": [True, False] * 10})
    model = MMLTree(alpha=alpha).fit(X, ["u"] * 10 + ["v"] * 10)
    assert model.message_length_ == pytest.approx(bits, abs=1e-4)
    assert model.message_.attributes == pytest.approx(1.0)
    assert model.message_.structure == pytest.approx(3.0)


def test_a_useless_test_would_cost():
    X = pl.DataFrame({"a": [True] * 10 + [False] * 10, "b": [True, True, False, False] * 5})
    table, root = reference_of(X, ["u", "v"] * 10), reference.Node()
    reference.split(table, root, 0, None)
    assert reference.message(table, root, is_graph=False).total == pytest.approx(26.8734, abs=1e-4)
    assert MMLTree().fit(X, ["u", "v"] * 10).nodes_.kind.size == 1


def test_leaf_of_three_and_one():
    model = MMLTree().fit(pl.DataFrame({"a": ["x"] * 4}), ["u", "u", "u", "v"])
    assert model.message_.leaves == pytest.approx(math.log2(20))


@pytest.mark.parametrize(("alpha", "bits"), [(1.0, (37.6400, 30.6144)), (0.3, (39.3208, 27.7573))])
def test_lenses(alpha, bits):
    model = MMLTree(alpha=alpha).fit(*lenses())
    assert (model.leaf_message_length_, model.message_length_) == pytest.approx(bits, abs=1e-4)
    leaves = model.nodes_.counts[model.nodes_.kind == 0]
    assert sorted(leaves.tolist()) == [[0, 1, 5], [0, 12, 0], [4, 2, 0]]


def reference_of(X, y):
    """Give the table of nominal columns as the reference has it."""
    names = sorted(set(y))
    return reference.Table(X.rows(), [names.index(c) for c in y], len(names), [sorted(set(c)) for c in X])


@pytest.mark.parametrize(
    ("path", "bits"),
    [
        ([("tears", "normal")], 32.1893),
        ([("age", "pre")], 42.5594),
        ([("prescription", "myope")], 41.3332),
        ([("astigmatism", "no")], 36.0113),
        ([("tears", "normal"), ("astigmatism", "yes")], 30.6144),
        ([("tears", "normal"), ("astigmatism", "yes"), ("prescription", "myope")], 33.1289),
    ],
)
def test_lenses_by_other_tests(path, bits):
    X, y = lenses()
    table, root = reference_of(X, y), reference.Node()
    node = root
    for name, value in path:
        _, below = reference.split(table, node, X.columns.index(name), None)
        node = below[sorted(set(X[name])).index(value)]
    assert reference.message(table, root, is_graph=False).total == pytest.approx(bits, abs=1e-4)


def test_lenses_by_tears_at_alpha_03():
    X, y = lenses()
    model = MMLTree(alpha=0.3).fit(X.select(pl.col("tears"), *[pl.lit("x").alias(c) for c in "abc"]), y)
    assert model.message_length_ == pytest.approx(31.3555, abs=1e-4)


def test_probabilities_are_those_of_the_next_symbol():
    X, y = lenses()
    model = MMLTree().fit(X, y)
    row = {"age": ["pre"], "prescription": ["myope"], "astigmatism": ["yes"], "tears": ["normal"]}
    np.testing.assert_allclose(model.predict_proba(pl.DataFrame(row)), [[5 / 9, 3 / 9, 1 / 9]])


# Worked examples of graphs: (x1 and x2) or (x3 and x4), every case r times


def disjunction(r):
    cases = list(itertools.product([False, True], repeat=4)) * r
    X = pl.DataFrame(cases, schema=["x1", "x2", "x3", "x4"], orient="row")
    return X, [(a and b) or (c and d) for a, b, c, d in cases]


def conjunction(table, node, a, b):
    """Test a and then, if it holds, b; give the two ends where one of them fails."""
    _, (no, yes) = reference.split(table, node, a, None)
    _, (also_no, _) = reference.split(table, yes, b, None)
    return no, also_no


def with_one_join(r):
    """Give the table, the graph whose second conjunction stands below a join, and the ends where that fails."""
    table, root = reference_of(*disjunction(r)), reference.Node()
    _, (target,) = reference.join(conjunction(table, root, 0, 1))
    return table, root, conjunction(table, target, 2, 3)


@pytest.mark.parametrize(("r", "bits"), [(1, 19.5693), (2, 35.8569), (4, 67.9790)])
def test_disjunction_as_a_leaf(r, bits):
    X, y = disjunction(r)
    assert MMLTree().fit(X, y).leaf_message_length_ == pytest.approx(bits, abs=1e-4)
    assert MMLGraph().fit(X, y).leaf_message_length_ == pytest.approx(bits + 1, abs=1e-4)


def test_one_leaf_is_best_for_sixteen_cases():
    X, y = disjunction(1)
    assert MMLTree(lookahead=4).fit(X, y).nodes_.kind.size == 1
    assert MMLGraph().fit(X, y).nodes_.kind.size == 1


def test_disjunction_as_a_tree():
    X, y = disjunction(4)
    model = MMLTree(lookahead=2).fit(X, y)
    parts = model.message_.structure, model.message_.attributes, model.message_.leaves
    assert parts == pytest.approx((12.415, 7.1699, 22.3286), abs=1e-4)
    assert model.message_length_ == pytest.approx(41.9135, abs=1e-4)
    values = [[False, True]] * 4
    table = reference.Table(X.rows(), [int(c) for c in y], 2, values)
    as_graph = reference.message(table, nodes_of(model), is_graph=True)
    assert as_graph.total == pytest.approx(44.9135, abs=1e-4)


def test_disjunction_with_one_join():
    table, root, _ = with_one_join(4)
    bits = reference.message(table, root, is_graph=True)
    parts = bits.structure, bits.attributes, bits.leaves, bits.ends, bits.joins
    assert parts == pytest.approx((9.0, 6.1699, 16.1322, 6.7142, 0.0), abs=1e-4)
    assert bits.total == pytest.approx(38.0164, abs=1e-4)
    table, root, _ = with_one_join(2)
    assert reference.message(table, root, is_graph=True).total == pytest.approx(34.3692, abs=1e-4)


def test_the_graph_beats_the_tree_on_a_disjunction():
    X, y = disjunction(4)
    graph, tree = MMLGraph().fit(X, y), MMLTree(lookahead=4).fit(X, y)
    assert tree.message_length_ == pytest.approx(41.9135, abs=1e-4)
    # the graph of the worked example, and one join more: of the two leaves where x3 and x4 fails
    table, root, fails = with_one_join(4)
    one_join = reference.message(table, root, is_graph=True).total
    reference.join(fails)
    two_joins = reference.message(table, root, is_graph=True).total
    assert two_joins < one_join - 0.5
    assert graph.message_length_ == pytest.approx(two_joins)
    assert graph.n_joins_ == 2
    assert (graph.predict(X) == np.array(y)).all()


# The definition


@given(tables(max_rows=25), st.integers(0, 1000), OPTIONS, st.sampled_from([1, 2]))
def test_the_message_of_a_tree_is_as_defined(data, seed, options, lookahead):
    train, y, _ = data
    if lookahead == 2:
        train, y = {name: column[:10] for name, column in train.items()}, y[:10]
    weights = uneven_weights(len(y), seed)
    model = MMLTree(lookahead=lookahead, **options).fit(frame_of(train, DECLARED), y, sample_weight=weights)
    expected = reference.message(table_of(train, y, weights, **options), nodes_of(model), is_graph=False)
    for name in ("structure", "attributes", "cuts", "leaves"):
        assert getattr(model.message_, name) == pytest.approx(getattr(expected, name), abs=1e-7)
    assert model.message_length_ == pytest.approx(expected.total, abs=1e-7)


@given(
    st.one_of(disjunctions(), tables(max_rows=40)),
    st.integers(0, 1000),
    OPTIONS,
    st.sampled_from([2, 3, 6]),
    st.booleans(),
)
def test_the_message_of_a_graph_is_as_defined(data, seed, options, max_join, join_filter):
    train, y, _ = data
    # a case that counts for several makes tests and joins pay
    weights = [5 * w for w in uneven_weights(len(y), seed)]
    model = MMLGraph(max_join=max_join, join_filter=join_filter, **options)
    model.fit(frame_of(train, DECLARED), y, sample_weight=weights)
    expected = reference.message(table_of(train, y, weights, **options), nodes_of(model), is_graph=True)
    for name in ("structure", "attributes", "cuts", "leaves", "ends", "joins"):
        assert getattr(model.message_, name) == pytest.approx(getattr(expected, name), abs=1e-6)


# Laws of codes


@given(st.lists(st.integers(0, 3), min_size=1, max_size=30), st.sampled_from([1.0, 0.5, 0.05]))
def test_leaves_are_sent_by_an_adaptive_code(symbols, alpha):
    bits, seen, n_classes = 0.0, [0, 0, 0, 0], len(set(symbols))
    for place, symbol in enumerate(symbols):
        bits -= math.log2((seen[symbol] + alpha) / (place + n_classes * alpha))
        seen[symbol] += 1
    model = MMLTree(alpha=alpha).fit(np.zeros((len(symbols), 1)), symbols)
    assert model.message_.leaves == pytest.approx(bits, abs=1e-9)


def rising(start):
    """Make the table of the code up to 60, beyond which it has to be reckoned."""
    return np.array([math.lgamma(n + start) - math.lgamma(start) for n in range(61)]) / math.log(2.0)


@given(st.lists(st.floats(0, 200), min_size=2, max_size=5), st.sampled_from([1.0, 0.3]))
def test_leaf_bits_of_whole_and_broken_counts(counts, alpha):
    code = LeafCode(alpha, rising(alpha), rising(len(counts) * alpha))
    assert leaf_bits(np.array(counts), code) == pytest.approx(reference.leaf_bits(counts, alpha), abs=1e-8)
    whole = [float(round(c)) for c in counts]
    assert leaf_bits(np.array(whole), code) == pytest.approx(reference.leaf_bits(whole, alpha), abs=1e-8)


@given(st.integers(2, 300))
def test_cuts_have_the_code_of_the_levels(m):
    bits = [cut_bits(rank, m, False) for rank in range(1, m)]
    assert bits == [reference.cut_bits(rank, m, "hierarchical") for rank in range(1, m)]
    assert sum(Fraction(1, 2 ** int(b)) for b in bits) < 1


def test_the_median_is_the_cheapest_cut():
    assert [cut_bits(rank, 8, False) for rank in range(1, 8)] == [5, 3, 5, 1, 5, 3, 5]
    assert [cut_bits(rank, 5, True) for rank in range(1, 5)] == [2, 2, 2, 2]


@given(st.lists(st.booleans(), min_size=1, max_size=20))
def test_ends_are_sent_by_an_adaptive_code(ends):
    bits = 0.0
    for place, end in enumerate(ends):
        bits -= math.log2((ends[:place].count(end) + 1) / (place + 2))
    assert end_bits(ends.count(True), ends.count(False)) == pytest.approx(bits)


def groupings(ends):
    """Give all ways to part ends into groups of two or more."""
    if not ends:
        yield []
        return
    first, *rest = ends
    for size in range(1, len(rest) + 1):
        for others in itertools.combinations(rest, size):
            left = [end for end in rest if end not in others]
            for groups in groupings(left):
                yield [[first, *others], *groups]


@pytest.mark.parametrize("n", [2, 3, 4, 5, 6, 7])
def test_patterns_of_joins_can_be_told_apart(n):
    # all ends in the first tree: every way to group them needs its own word, besides those that leave some waiting
    words = [join_bits({i + 1: [0] * len(g) for i, g in enumerate(groups)}) for groups in groupings(range(n))]
    assert sum(2.0**-bits for bits in words) <= 1 + 1e-12


def test_pattern_with_ends_that_wait():
    # one of three ends waits for one in the tree below the first join: whether, and which one, must be said
    assert join_bits({1: [0, 0], 2: [0, 1]}) == pytest.approx(math.log2(2 * 3))
    # two joins at once: 1 or 2 of them, sizes 2 and 2 the only ones, which ends are in the first
    assert join_bits({1: [0, 0], 2: [0, 0]}) == pytest.approx(math.log2(2 * 1 * 6))
