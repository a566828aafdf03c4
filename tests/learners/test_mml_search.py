"""The searches against slow ones that measure whole messages, and against all trees there are."""

import itertools

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fivefold.inputs.columns import read_columns
from fivefold.learners.mml import MMLGraph, MMLTree
from fivefold.learners.mml.draft import Draft, make_code, training_table_of
from fivefold.learners.mml.graph import GraphSearch
from fivefold.learners.mml.message import JOIN
from fivefold.learners.trees.nodes import LEAF

from . import mml_reference as reference
from .classic_cases import DECLARED, frame_of, lenses, tables
from .mml_fitted import disjunctions, nodes_of, table_of, uneven_weights


@given(
    tables(max_rows=7, max_columns=3), st.integers(0, 1000), st.sampled_from([1.0, 0.2]), st.integers(1, 12)
)
def test_enough_lookahead_finds_the_shortest_of_all_trees(data, seed, alpha, factor):
    train, y, _ = data
    weights = [factor * w for w in uneven_weights(len(y), seed)]
    model = MMLTree(alpha=alpha, lookahead=7).fit(frame_of(train, DECLARED), y, sample_weight=weights)
    shortest, _ = reference.shortest_tree(table_of(train, y, weights, alpha=alpha))
    assert model.message_length_ == pytest.approx(shortest, abs=1e-7)


def test_the_tree_of_the_lenses_is_the_shortest_of_all():
    X, y = lenses()
    values = [sorted(set(column)) for column in X]
    table = reference.Table(X.rows(), [sorted(set(y)).index(c) for c in y], 3, values)
    shortest, _ = reference.shortest_tree(table)
    assert MMLTree().fit(X, y).message_length_ == pytest.approx(shortest)


@pytest.mark.parametrize("lookahead", [1, 2])
@given(tables(max_rows=20, max_columns=3), st.integers(0, 1000), st.sampled_from([1.0, 0.2]))
def test_trees_are_those_of_the_description(lookahead, data, seed, alpha):
    train, y, test = data
    size = 20 if lookahead == 1 else 8
    train, y = {name: column[:size] for name, column in train.items()}, y[:size]
    weights = [6 * w for w in uneven_weights(len(y), seed)]
    model = MMLTree(alpha=alpha, lookahead=lookahead)
    model.fit(frame_of(train, DECLARED), y, sample_weight=weights)
    table = table_of(train, y, weights, alpha=alpha)
    trees = [reference.grown_tree(table, levels) for levels in range(1, lookahead + 1)]
    tree = min(trees, key=lambda tree: reference.message(table, tree, is_graph=False).total)
    expected = [reference.probabilities(table, tree, row) for row in zip(*test.values(), strict=True)]
    np.testing.assert_allclose(model.predict_proba(frame_of(test, DECLARED)), expected, atol=1e-9)


@given(tables(max_rows=12, max_columns=3), st.integers(0, 1000))
def test_steps_of_graphs_are_those_of_the_description(data, seed):
    train, y, _ = data
    weights = [20 * w for w in uneven_weights(len(y), seed)]
    model = MMLGraph(grow_joins=False).fit(frame_of(train, DECLARED), y, sample_weight=weights)
    table = table_of(train, y, weights)
    expected = reference.message(table, reference.search_graph(table), is_graph=True)
    assert model.message_length_ == pytest.approx(expected.total, abs=1e-6)


@given(disjunctions(), st.sampled_from([2, 4]))
def test_joins_judged_by_what_grows_are_never_worse(data, max_join):
    X, y = frame_of(data[0], DECLARED), data[1]
    stepwise = MMLGraph(grow_joins=False, max_join=max_join).fit(X, y)
    assert MMLGraph(max_join=max_join).fit(X, y).message_length_ <= stepwise.message_length_ + 1e-9


@given(disjunctions(), st.integers(0, 1000), st.sampled_from([2, 3, 6]))
def test_every_step_adds_what_it_is_said_to_add(data, seed, max_join):
    train, y, _ = data
    columns = read_columns(frame_of(train, DECLARED))
    cases = training_table_of(columns, np.array([int(c == "v") for c in y], dtype=np.int32), 2)
    weights = 5 * np.array(uneven_weights(len(y), seed))
    members = cases.members(np.arange(len(y), dtype=np.int32), weights)
    code = make_code(cases, 1.0, weights.sum(), root="n", cut_code="hierarchical")
    search = GraphSearch(Draft.of_root(code, members), max_join=max_join, filtered=False, grown=False)
    moving = True
    while moving:
        before = search.draft.message(is_graph=True, alpha_bits=0.0).total
        tests = search.frontier.tests + search._end_bits_of_tests()
        join = search._best_join(tests, min(tests.min(), 0.0))
        expected = tests.min() if join is None else join.change
        moving = search.step()
        after = search.draft.message(is_graph=True, alpha_bits=0.0).total
        assert after - before == pytest.approx(expected if moving else 0.0, abs=1e-6)
        assert not moving or expected < 0


@given(disjunctions())
def test_no_single_change_makes_a_graph_shorter(data):
    train, y, _ = data
    model = MMLGraph().fit(frame_of(train, DECLARED), y)
    table, root = table_of(train, y), nodes_of(model)
    message = reference.message(table, root, is_graph=True)
    leaves = [node for node in message.members if node.branches is None and node.target is None]
    _, shortest = reference.best_change(table, root, leaves, message)
    assert shortest == pytest.approx(model.message_length_, abs=1e-6)


@given(disjunctions(), st.sampled_from([1.0, 0.1]))
def test_there_is_nothing_to_prune(data, alpha):
    train, y, _ = data
    model = MMLTree(alpha=alpha).fit(frame_of(train, DECLARED), y)
    table, root = table_of(train, y, alpha=alpha), nodes_of(model)
    whole = reference.message(table, root, is_graph=False)
    for node in [node for node in whole.members if node.branches is not None]:
        kept, node.branches, node.cut = (node.branches, node.cut), None, None
        assert reference.message(table, root, is_graph=False).total > whole.total
        node.branches, node.cut = kept


def test_lookahead_finds_an_exclusive_or():
    cases = list(itertools.product([False, True], repeat=3)) * 6
    X, y = pl.DataFrame(cases, schema=["a", "b", "c"], orient="row"), [a != b for a, b, _ in cases]
    assert MMLTree().fit(X, y).nodes_.kind.size == 1
    model = MMLTree(lookahead=2).fit(X, y)
    assert np.count_nonzero(model.nodes_.kind == LEAF) == 4
    assert (model.predict(X) == np.array(y)).all()


def test_wider_joins_are_shorter_where_many_values_mean_the_same():
    values = [f"v{i}" for i in range(9)]
    X = pl.DataFrame({"kind": values * 400, "other": (["x"] * 9 + ["y"] * 9) * 200})
    y = [value in ("v0", "v1", "v2", "v3") for value in values * 400]
    pairs, wide = MMLGraph().fit(X, y), MMLGraph(max_join=9).fit(X, y)
    assert wide.message_length_ < pairs.message_length_
    widths = np.bincount(wide.nodes_.child[wide.nodes_.kind == JOIN])
    assert 2 < widths.max() <= 9
    assert np.bincount(pairs.nodes_.child[pairs.nodes_.kind == JOIN]).max() == 2


def test_join_filter_leaves_pure_leaves_apart():
    values = [f"v{i}" for i in range(6)]
    X = pl.DataFrame({"kind": values * 900})
    y = [value in ("v0", "v1", "v2") for value in values * 900]
    assert MMLGraph().fit(X, y).n_joins_ > 0
    assert MMLGraph(join_filter=True).fit(X, y).n_joins_ == 0


def test_alpha_is_chosen_by_the_length_of_the_message():
    X, y = lenses()
    for kind in (MMLTree, MMLGraph):
        lengths = {a: kind(alpha=a).fit(X, y).message_length_ for a in (1.0, 0.5, 0.3, 0.2, 0.1, 0.05)}
        model = kind(alpha="auto").fit(X, y)
        assert model.alpha_ == min(lengths, key=lengths.get)
        assert model.message_length_ == pytest.approx(min(lengths.values()) + np.log2(6))
        assert model.message_.alpha == pytest.approx(np.log2(6))


@pytest.mark.parametrize("kind", [MMLTree, MMLGraph])
@given(disjunctions(), st.integers(0, 1000))
def test_the_order_of_cases_does_not_matter(kind, data, seed):
    X, y = frame_of(data[0], DECLARED), np.array(data[1])
    order = np.random.default_rng(seed).permutation(len(y))
    model, other = kind().fit(X, y), kind().fit(X[order.tolist()], y[order])
    assert other.message_length_ == pytest.approx(model.message_length_, abs=1e-7)
    np.testing.assert_allclose(other.predict_proba(X), model.predict_proba(X), atol=1e-9)


@pytest.mark.parametrize("kind", [MMLTree, MMLGraph])
@given(disjunctions(max_rows=60), st.integers(0, 1000))
def test_a_case_of_weight_two_is_two_cases(kind, data, seed):
    X, y = frame_of(data[0], DECLARED), np.array(data[1])
    times = np.random.default_rng(seed).integers(0, 4, size=len(y))
    if not times.any():
        return
    rows = np.repeat(np.arange(len(y)), times)
    weighted, repeated = kind().fit(X, y, sample_weight=times), kind().fit(X[rows.tolist()], y[rows])
    assert weighted.message_length_ == pytest.approx(repeated.message_length_, abs=1e-7)
