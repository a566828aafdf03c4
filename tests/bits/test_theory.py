"""I(T): worked numbers, an independent oracle for trees, and what counts as a theory."""

import math
import os
from collections import Counter
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.compose import ColumnTransformer
from sklearn.ensemble import RandomForestClassifier
from sklearn.feature_selection import SelectKBest, VarianceThreshold
from sklearn.impute import SimpleImputer
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import FeatureUnion, make_pipeline
from sklearn.preprocessing import OneHotEncoder, OrdinalEncoder, StandardScaler, TargetEncoder
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

import fivefold as ff
from fivefold.data.conditions import Above, AtMost, Equals, IsMissing, NotEquals, OneOf, Rule, Within
from fivefold.errors import InputError
from fivefold.learners.theories import (
    DecisionTree,
    Leaf,
    NominalCells,
    NominalMultiway,
    NominalSubset,
    NumericCells,
    NumericSplit,
    RippleDownNode,
    RippleDownTree,
    RuleList,
    RuleSet,
    SingleAttributeRule,
)

lg = math.log2
ALL_OF_THEM = {"structure", "attributes", "values", "classes", "counts", "refund"}
STAR = 1.518568  # lg 2.865064


def adaptive(counts):
    """The closed form of the adaptive code when every symbol is always allowed."""
    total = sum(counts) + len(counts) - 1
    bits = math.lgamma(total + 1) - math.lgamma(len(counts)) - sum(math.lgamma(c + 1) for c in counts)
    return bits / math.log(2)


def questions(n_rows=10, n_columns=4, seed=0):
    rng = np.random.default_rng(seed)
    return np.column_stack([rng.permutation(n_rows) for _ in range(n_columns)]).astype(float)


# --- trees -----------------------------------------------------------------------------------------------------


def test_one_split_of_four_attributes_with_ten_values():
    X = questions()
    stump = DecisionTreeClassifier(max_depth=1).fit(X, X[:, 2] > 4)
    length = ff.bits.theory_length_details(stump, X)
    assert length.structure == pytest.approx(3.585, abs=5e-4)
    assert length.attributes == pytest.approx(2)
    assert length.values == pytest.approx(3.170, abs=5e-4)
    assert length.classes == pytest.approx(2.585, abs=5e-4)
    assert length.total == pytest.approx(11.340, abs=5e-4)
    assert ff.bits.theory_length(stump, X) == length.total
    assert (length.size, length.unsent) == (2, 0)


def test_a_single_leaf_costs_its_flag_and_its_class():
    X = questions()
    leaf = DecisionTree(Leaf(("b",)), ("a", "b", "c", "d"))
    assert ff.bits.theory_length(leaf, X) == pytest.approx(1 + 2)
    assert ff.bits.theory_length(leaf, X[:1]) == pytest.approx(2)  # one question: nothing to test, no flag


def test_a_set_of_classes_costs_its_size_and_the_choice():
    tree = DecisionTree(NumericSplit("x0", 4.5, Leaf(("a", "c")), Leaf(())), ("a", "b", "c", "d"))
    length = ff.bits.theory_length_details(tree, questions())
    assert length.classes == pytest.approx(lg(5) + lg(6) + lg(6) + 0)


def naive_tree_length(model, X):
    """Price a scikit-learn tree from its arrays, with lists and loops and no missing values."""
    X, tree = np.asarray(X, dtype=np.float32), model.tree_
    flags, attributes, classes = Counter(), Counter(), Counter()
    d, n, bits = X.shape[1], len(model.classes_), 0.0

    def walk(node, rows):
        nonlocal bits
        varying = [j for j in range(d) if len({X[row, j] for row in rows}) > 1]
        leaf = tree.children_left[node] == -1
        if varying:
            bits -= lg((flags[leaf] + 1) / (sum(flags.values()) + 2))
            flags[leaf] += 1
        if leaf:
            label = int(np.argmax(tree.value[node, 0]))
            bits -= lg((classes[label] + 1) / (sum(classes.values()) + n))
            classes[label] += 1
            return
        j = tree.feature[node]
        bits -= lg((attributes[j] + 1) / sum(attributes[k] + 1 for k in varying))
        attributes[j] += 1
        bits += lg(len({X[row, j] for row in rows}) - 1)
        walk(tree.children_left[node], [row for row in rows if X[row, j] <= tree.threshold[node]])
        walk(tree.children_right[node], [row for row in rows if X[row, j] > tree.threshold[node]])

    walk(0, range(len(X)))
    return bits


@given(st.integers(0, 10**6), st.integers(1, 4), st.sampled_from([0, 1, 6]), st.sampled_from([None, 2, 4]))
def test_random_trees_cost_what_a_naive_count_says(seed, n_columns, digits, depth):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(50, n_columns)).round(digits)
    y = rng.integers(0, 3, 50)
    model = DecisionTreeClassifier(max_depth=depth, random_state=seed).fit(X, y)
    length = ff.bits.theory_length_details(model, X)
    assert length.total == pytest.approx(naive_tree_length(model, X))
    assert length.size == model.get_n_leaves()
    assert length.unsent == 0


@given(st.integers(0, 10**6), st.integers(1, 12))
def test_the_shape_of_k_splits_has_a_closed_form_if_every_node_could_split(seed, splits):
    rng = np.random.default_rng(seed)
    X = rng.permutation(400).astype(float)[:, None]
    node, ways = {(0, 400): None}, None
    while len(node) < splits + 1:  # split random intervals, always leaving two values on each side
        low, high = list(node)[rng.integers(len(node))]
        if high - low >= 4:
            ways = int(rng.integers(low + 2, high - 1))
            node.pop((low, high))
            node |= {(low, ways): None, (ways, high): None}
    cuts = sorted(low for low, _ in node if low)

    def build(cuts):
        if not cuts:
            return Leaf(("a",))
        middle = int(rng.integers(len(cuts)))
        return NumericSplit("x0", cuts[middle] - 0.5, build(cuts[:middle]), build(cuts[middle + 1 :]))

    length = ff.bits.theory_length_details(DecisionTree(build(cuts), ("a", "b")), X)
    k = splits
    closed = lg(math.factorial(2 * k + 2) // (math.factorial(k) * math.factorial(k + 1)))
    assert length.structure == pytest.approx(closed)


def test_values_that_32_bits_cannot_tell_apart_count_once():
    X = np.array([[1.0], [1.0 + 1e-12], [2.0], [3.0]])
    model = DecisionTreeClassifier(max_depth=1).fit(X, [0, 0, 1, 1])
    assert ff.bits.theory_length_details(model, X).values == pytest.approx(lg(2))


def test_missing_values_make_their_direction_a_part_of_the_cut():
    X = np.array([[1.0], [2.0], [3.0], [np.nan]])
    left, right = Leaf((0,)), Leaf((1,))
    cut = DecisionTree(NumericSplit("x0", 1.5, left, right, missing_left=True), (0, 1), "placed")
    known = DecisionTree(NumericSplit("x0", math.inf, left, right, missing_left=False), (0, 1), "placed")
    for tree in (cut, known):  # two gaps with two directions each, or known against missing
        assert ff.bits.theory_length_details(tree, X).values == pytest.approx(lg(5))
    shared = DecisionTree(NumericSplit("x0", 1.5, left, right), (0, 1), "shared")
    assert ff.bits.theory_length_details(shared, X).values == pytest.approx(lg(2))


def test_shared_missing_values_come_to_both_branches():
    frame = pl.DataFrame({"a": [1.0, 2.0, None], "b": [5.0, 5.0, 6.0]})
    tree = DecisionTree(NumericSplit("a", 1.5, Leaf((0,)), Leaf((1,))), (0, 1))
    # in both branches b varies between the known case and the missing one, so both leaves have a flag
    assert ff.bits.theory_length_details(tree, frame).structure == pytest.approx(adaptive([2, 1]))
    # without the third case neither could be split any further
    assert ff.bits.theory_length_details(tree, frame[:2]).structure == pytest.approx(1)


def test_nominal_tests_cost_their_values():
    frame = pl.DataFrame({"c": ["a", "b", "c", "d"] * 2, "x": range(8)})
    no, yes = Leaf((0,)), Leaf((1,))
    multiway = DecisionTree(NominalMultiway("c", tuple((v, no) for v in "dabc")), (0, 1))
    subset = DecisionTree(NominalSubset("c", ("a", "d"), yes, no), (0, 1))
    other = DecisionTree(NominalSubset("c", ("b", "c"), no, yes), (0, 1))
    assert ff.bits.theory_length_details(multiway, frame).values == 0
    assert ff.bits.theory_length_details(multiway, frame).size == 4
    assert ff.bits.theory_length_details(subset, frame).values == pytest.approx(lg(7))
    assert ff.bits.theory_length_details(subset, frame) == ff.bits.theory_length_details(other, frame)


def test_a_subset_and_its_complement_are_one_test():
    # the branch that can test x alone makes x cheaper in the other, so it matters which is sent first
    frame = pl.DataFrame({"c": list("aabbdd"), "x": [1.0, 2.0, 1.0, 2.0, 1.0, 2.0]})
    by_x = NumericSplit("x", 1.5, Leaf((0,)), Leaf((1,)))
    inner = NominalSubset("c", ("b",), by_x, Leaf((0,)))
    alike = [
        DecisionTree(NominalSubset("c", ("a",), by_x, inner), (0, 1)),
        DecisionTree(NominalSubset("c", ("b", "d"), inner, by_x), (0, 1)),
    ]
    lengths = [ff.bits.theory_length(tree, frame) for tree in alike]
    assert lengths[0] == pytest.approx(lengths[1], abs=1e-12)


def test_what_no_question_can_show_is_not_sent():
    X = questions(20)
    model = DecisionTreeClassifier(random_state=0).fit(X, (X[:, 0] + X[:, 1]) % 3)
    few = ff.bits.theory_length_details(model, X[:5])
    assert few.unsent > 0
    assert few.size == len(set(model.apply(X[:5])))
    assert few.total < ff.bits.theory_length(model, X)
    assert "not sent" in str(few)


# --- single-attribute rules ------------------------------------------------------------------------------------


def test_a_nominal_single_attribute_rule():
    frame = pl.DataFrame({"c": ["a", "b", "c"], "x": [1.0, 2.0, 3.0]})
    rule = SingleAttributeRule("c", NominalCells((("a", 0), ("b", 1), ("c", 0))), (0, 1))
    length = ff.bits.theory_length_details(rule, frame)
    assert (length.attributes, length.classes) == (1.0, pytest.approx(1 + lg(3) + 1))
    assert length.total == pytest.approx(length.attributes + length.classes)


def test_a_numeric_single_attribute_rule():
    rule = SingleAttributeRule("x1", NumericCells((2.5, 6.0), (0, 1, 0)), (0, 1, 2))
    length = ff.bits.theory_length_details(rule, questions())
    assert length.counts == pytest.approx(3.768, abs=5e-4)
    assert length.values == pytest.approx(lg(math.comb(9, 2)))
    # the first of three classes; then one of the two others; then 0 with weight 2 against 2 with weight 1
    assert length.classes == pytest.approx(lg(3) + lg(2) + lg(3 / 2))
    assert length.attributes == 2


def test_the_class_of_missing_values_is_sent_where_there_are_any():
    cells = NumericCells((1.5,), (0, 1))
    full, holes = pl.DataFrame({"x": [1.0, 2.0]}), pl.DataFrame({"x": [1.0, 2.0, None]})
    without, with_class = SingleAttributeRule("x", cells, (0, 1)), SingleAttributeRule("x", cells, (0, 1), 0)
    base = ff.bits.theory_length(without, full)
    assert ff.bits.theory_length(with_class, full) == base
    assert ff.bits.theory_length(without, holes) == pytest.approx(base + 1)
    assert ff.bits.theory_length(with_class, holes) == pytest.approx(base + 1 + 1)


def test_neighbouring_intervals_of_one_class_are_one():
    X = questions()
    apart = SingleAttributeRule("x0", NumericCells((2.5, 4.5), (0, 0, 1)), (0, 1))
    merged = SingleAttributeRule("x0", NumericCells((4.5,), (0, 1)), (0, 1))
    assert ff.bits.theory_length(apart, X) == ff.bits.theory_length(merged, X)
    assert ff.bits.theory_length_details(apart, X).unsent == 1


# --- rules -----------------------------------------------------------------------------------------------------


def numeric_rule(rng, n_terms):
    makers = (AtMost, Above)
    places = rng.choice(36, n_terms, replace=False)  # different words: 4 columns with 9 cuts
    return tuple(makers[rng.integers(2)](f"x{place // 9}", place % 9 + 0.5) for place in places)


def account(rules, n_classes, default):
    """Price rules over ten-valued numeric columns by closed forms alone."""
    terms = [term for conditions, _ in rules for term in conditions]
    labels = [label for _, label in rules] + ([] if default is None else [default])
    count = Counter(term.column for term in terms)
    ups = sum(isinstance(term, Above) for term in terms)
    bits = adaptive([len(rules), len(terms)]) + adaptive([count[f"x{i}"] for i in range(4)])
    bits += adaptive([ups, len(terms) - ups]) + len(terms) * lg(9)
    bits += adaptive([labels.count(c) for c in range(n_classes)])
    return bits - sum(lg(math.factorial(len(conditions))) for conditions, _ in rules)


def universal(k):
    bits, term = STAR, lg(k)
    while term > 0:
        bits, term = bits + term, lg(term)
    return bits


@given(
    st.integers(0, 10**6), st.lists(st.integers(0, 4), min_size=1, max_size=5), st.none() | st.integers(0, 2)
)
def test_rules_over_numbers_cost_their_closed_forms(seed, sizes, default):
    rng = np.random.default_rng(seed)
    X, classes = questions(), (0, 1, 2)
    rules = [(numeric_rule(rng, size), int(rng.integers(3))) for size in sizes]
    described = tuple(Rule(*rule) for rule in rules)
    bits = account(rules, 3, default) + 1 + universal(len(rules) + 1)
    assert ff.bits.theory_length(RuleList(described, classes, default), X) == pytest.approx(bits, abs=1e-4)
    alike = Counter((frozenset(terms), label) for terms, label in rules)
    orders = math.factorial(len(rules)) // math.prod(math.factorial(c) for c in alike.values())
    length = ff.bits.theory_length(RuleSet(described, classes, default), X)
    assert length == pytest.approx(bits - lg(orders), abs=1e-4)


@given(st.integers(0, 10**6), st.integers(1, 6))
def test_ripple_down_trees_cost_their_closed_forms(seed, n_nodes):
    rng = np.random.default_rng(seed)
    rules = [(numeric_rule(rng, int(rng.integers(4))), int(rng.integers(3))) for _ in range(n_nodes)]
    exceptions, elses = 0, 0

    def build(chosen):
        nonlocal exceptions, elses
        if not chosen:
            return None
        middle = int(rng.integers(1, len(chosen) + 1))
        below, beside = build(chosen[1:middle]), build(chosen[middle:])
        exceptions, elses = exceptions + (below is not None), elses + (beside is not None)
        return RippleDownNode(*chosen[0], below, beside)

    tree = RippleDownTree(build(rules), (0, 1, 2))
    bits = account(rules, 3, None)
    bits += adaptive([exceptions, n_nodes - exceptions]) + adaptive([elses, n_nodes - elses])
    length = ff.bits.theory_length_details(tree, questions())
    assert length.total == pytest.approx(bits)
    assert length.size == n_nodes


GOLF = pl.DataFrame(
    {
        "outlook": ["sunny", "overcast", "rain", "rain"],
        "windy": [False, True, True, False],
        "humidity": [85.0, 90.0, 78.0, 96.0],
    }
)


def test_a_nominal_attribute_is_not_tested_twice_in_a_rule():
    terms = (Equals("outlook", "sunny"), Equals("windy", False))
    length = ff.bits.theory_length_details(RuleList((Rule(terms, "no"),), ("no", "yes")), GOLF)
    assert length.attributes == pytest.approx(lg(3) + lg(2))
    assert length.values == pytest.approx(lg(3) + lg(2) + adaptive([2, 0]))
    assert length.structure == pytest.approx(adaptive([2, 1]) + 1)
    assert length.refund == pytest.approx(-1)
    assert length.counts == pytest.approx(2.519, abs=5e-4)
    assert length.classes == 1


def test_nothing_left_to_test_needs_no_stop_flag():
    terms = (Equals("outlook", "sunny"), Equals("windy", False))
    length = ff.bits.theory_length_details(
        RuleList((Rule(terms, "no"),), ("no", "yes")), GOLF.drop("humidity")
    )
    assert length.structure == pytest.approx(adaptive([2, 0]) + 1)


def test_two_exclusions_of_one_attribute_can_be_said():
    terms = (NotEquals("outlook", "sunny"), NotEquals("outlook", "rain"))
    length = ff.bits.theory_length_details(RuleList((Rule(terms, "no"),), ("no", "yes")), GOLF)
    assert length.attributes == pytest.approx(adaptive([2, 0, 0]))


def test_ranges_and_all_but_one_value_are_said_with_the_plain_operators():
    pairs = [
        (Within("humidity", 80, 92), (Above("humidity", 80), AtMost("humidity", 92))),
        (Within("humidity", -math.inf, 92), (AtMost("humidity", 92),)),
        (OneOf("outlook", ("sunny",)), (Equals("outlook", "sunny"),)),
        (OneOf("outlook", ("sunny", "rain")), (NotEquals("outlook", "overcast"),)),
    ]
    for short, plain in pairs:
        lengths = [
            ff.bits.theory_length(RuleList((Rule(terms, 0),), (0, 1)), GOLF) for terms in ((short,), plain)
        ]
        assert lengths[0] == lengths[1]


def test_the_class_is_free_if_it_was_agreed_before():
    rules = tuple(Rule((Equals("outlook", value),), "no") for value in ("sunny", "rain"))
    stated = ff.bits.theory_length_details(RuleSet(rules, ("no", "yes"), default="yes"), GOLF)
    agreed = ff.bits.theory_length_details(RuleSet(rules, ("no", "yes"), default="yes", target="no"), GOLF)
    assert stated.classes == pytest.approx(adaptive([2, 1]))
    assert agreed.classes == pytest.approx(1)


@given(st.randoms(use_true_random=False))
def test_the_order_of_a_rule_set_does_not_matter(random):
    terms = [
        Equals("outlook", "sunny"),
        NotEquals("windy", True),
        Above("humidity", 80),
        AtMost("humidity", 92),
    ]
    rules = [Rule(tuple(random.sample(terms, k)), random.choice("ab")) for k in (0, 1, 2, 2, 3, 4)]
    again = [Rule(tuple(random.sample(rule.terms, len(rule.terms))), rule.outcome) for rule in rules]
    lengths = [
        ff.bits.theory_length(RuleSet(tuple(rule), ("a", "b"), "a"), GOLF)
        for rule in (rules, random.sample(again, len(again)))
    ]
    assert lengths[0] == pytest.approx(lengths[1], abs=1e-9)


def test_conditions_that_make_no_difference_are_not_sent():
    base = Rule((Equals("windy", True),), 0)
    padded = Rule((Equals("windy", True), AtMost("humidity", 200), NotEquals("outlook", "snow")), 0)
    never = Rule((Above("humidity", 200),), 1)
    short = ff.bits.theory_length_details(RuleList((base,), (0, 1)), GOLF)
    long = ff.bits.theory_length_details(RuleList((padded, never), (0, 1)), GOLF)
    assert (long.total, long.unsent) == (short.total, 3)
    ripple = RippleDownTree(RippleDownNode(never.terms, 1, None, RippleDownNode(base.terms, 0)), (0, 1))
    plain = RippleDownTree(RippleDownNode(base.terms, 0), (0, 1))
    assert ff.bits.theory_length(ripple, GOLF) == ff.bits.theory_length(plain, GOLF)


@pytest.mark.parametrize("term", [IsMissing("windy"), OneOf("o", ("a", "b"))])
def test_conditions_without_a_word_have_no_code(term):
    frame = pl.DataFrame({"o": list("abcd"), "windy": [True, False, None, None]})
    assert ff.bits.theory_length(RuleList((Rule((term,), 0),), (0, 1)), frame) is None


# --- models ----------------------------------------------------------------------------------------------------

X_TRAIN = np.random.default_rng(3).normal(size=(60, 3)).round(1)
Y_TRAIN = (X_TRAIN[:, 0] + X_TRAIN[:, 1] > 0).astype(int)


class Learner(ClassifierMixin, BaseEstimator):
    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def theory(self):
        return RuleList((Rule((AtMost("x0", 0.0),), 0),), (0, 1), 1)


def tree():
    return DecisionTreeClassifier(random_state=0)


@pytest.mark.parametrize(
    "model",
    [
        KNeighborsClassifier(),
        SVC(),
        RandomForestClassifier(n_estimators=2),
        DecisionTreeRegressor(),
        make_pipeline(StandardScaler(), SVC()),
        make_pipeline(SelectKBest(k=2), tree()),
        make_pipeline(StandardScaler(), make_pipeline(SelectKBest(k=2), tree())),
        make_pipeline(FeatureUnion([("best", SelectKBest(k=1)), ("all", StandardScaler())]), tree()),
        make_pipeline(ColumnTransformer([("mean", TargetEncoder(), [0])], remainder="passthrough"), tree()),
    ],
)
def test_models_without_a_code_say_so(model):
    X, y = np.vstack([X_TRAIN] * 2), np.concatenate([Y_TRAIN, Y_TRAIN])
    assert ff.bits.theory_length(model.fit(X, y), X) is None
    assert ff.bits.theory_length_details(model, X) is None


def test_trees_with_several_targets_have_no_code():
    model = tree().fit(X_TRAIN, np.column_stack([Y_TRAIN, 1 - Y_TRAIN]))
    assert ff.bits.theory_length(model, X_TRAIN) is None


@pytest.mark.parametrize("model", [tree(), make_pipeline(StandardScaler(), tree()), SVC()])
def test_models_must_be_fitted(model):
    with pytest.raises(InputError, match=f"a fitted model; got {type(model).__name__} before fit"):
        ff.bits.theory_length(model, X_TRAIN)


def test_steps_that_have_not_seen_the_classes_are_the_receivers_own_work():
    steps = [SimpleImputer(), VarianceThreshold(), "passthrough", StandardScaler()]
    pipeline = make_pipeline(*steps, tree()).fit(X_TRAIN, Y_TRAIN)
    # scaling keeps the order of values, so the same splits are found and cost the same
    assert ff.bits.theory_length(pipeline, X_TRAIN) == pytest.approx(
        ff.bits.theory_length(pipeline[-1], pipeline[:-1].transform(X_TRAIN))
    )
    alone = make_pipeline(tree()).fit(X_TRAIN, Y_TRAIN)
    assert ff.bits.theory_length(alone, X_TRAIN) == ff.bits.theory_length(alone[-1], X_TRAIN)


def test_text_becomes_a_sparse_matrix_on_the_way_to_a_tree():
    frame = pd.DataFrame({"c": list("abcabc"), "x": [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]})
    encode = ColumnTransformer([("c", OneHotEncoder(), ["c"])], remainder="passthrough", sparse_threshold=1.0)
    model = make_pipeline(encode, DecisionTreeClassifier(max_depth=1)).fit(frame, [0, 1, 1, 0, 1, 1])
    # c = a is the only perfect test: one of four columns, two values
    assert ff.bits.theory_length(model, frame) == pytest.approx(lg(12) + 2 + 0 + lg(6))


def test_learners_describe_themselves_also_at_the_end_of_a_pipeline():
    length = ff.bits.theory_length(Learner().theory(), X_TRAIN)
    assert ff.bits.theory_length(Learner().fit(X_TRAIN, Y_TRAIN), X_TRAIN) == length
    after = make_pipeline(StandardScaler(), Learner()).fit(X_TRAIN, Y_TRAIN)
    assert ff.bits.theory_length(after, X_TRAIN) == length


def test_nominal_columns_can_be_named():
    X = np.array([[0.0, 1.0], [1.0, 2.0], [2.0, 3.0]])
    rule = RuleList((Rule((Equals("x0", 1.0),), 0),), (0, 1))
    length = ff.bits.theory_length_details(rule, X, categorical_features=[0])
    assert length.values == pytest.approx(1 + lg(3))
    with pytest.raises(TypeError, match="categorical_features"):
        ff.bits.theory_length_details(rule, X)


@pytest.mark.parametrize(
    ("theory", "message"),
    [
        (RuleList((Rule((AtMost("height", 1.0),), 0),), (0, 1)), "'height'"),
        (DecisionTree(NumericSplit("height", 1.0, Leaf((0,)), Leaf((1,))), (0, 1)), "'height'"),
        (SingleAttributeRule("c", NominalCells((("a", 0),)), (0, 1)), "none for 'b'"),
        (DecisionTree(NominalMultiway("c", (("a", Leaf((0,))),)), (0, 1)), "none for 'b'"),
        (RuleList((Rule((AtMost("x", 9.0),), 0),), (0, 1)), "both sides of x <= 9"),
        (RippleDownTree(RippleDownNode((Above("x", 9.0),), 0), (0, 1)), "a rule that holds"),
    ],
)
def test_theories_that_do_not_fit_the_questions_are_errors(theory, message):
    frame = pl.DataFrame(
        {"c": ["a", "b", None], "x": [1.0, 2.0, None], "empty": pl.Series([None] * 3, dtype=float)}
    )
    with pytest.raises(InputError, match=message):
        ff.bits.theory_length(theory, frame)


def test_the_account_adds_up_and_shows_itself():
    model = tree().fit(X_TRAIN, Y_TRAIN)
    length = ff.bits.theory_length_details(model, X_TRAIN)
    frame = length.frame()
    assert set(frame["part"]) == ALL_OF_THEM
    assert frame["bits"].sum() == pytest.approx(length.total)
    assert str(length).startswith(
        f"{length.total:.1f} bits for a decision tree of size {model.get_n_leaves()}:"
    )
    assert "\n" not in str(length)


# --- data sets -------------------------------------------------------------------------------------------------


@pytest.mark.data
@pytest.mark.parametrize(
    ("name", "leaves", "bits"), [("BC-breast-cancer.csv", 48, 299), ("CH-kr-vs-kp.csv", 38, 265)]
)
def test_full_trees_cost_about_as_many_bits_a_leaf_as_in_the_prototype(name, leaves, bits):
    folder = os.environ.get("FIVEFOLD_DATA")
    if not folder:
        pytest.skip("set FIVEFOLD_DATA to the folder with the data sets")
    table = pd.read_csv(Path(folder) / name, keep_default_na=False, dtype=str)
    X, y = table.drop(columns="class"), table["class"]
    seen = []
    for seed in range(5):
        half = np.random.default_rng(seed).permutation(len(y))[: len(y) // 2]
        model = make_pipeline(OrdinalEncoder(), DecisionTreeClassifier(random_state=seed)).fit(
            X.iloc[half], y.iloc[half]
        )
        length = ff.bits.theory_length_details(model, X.iloc[half])
        seen.append((length.size, length.total / length.size))
    mean_size, mean_bits = np.mean(seen, axis=0)
    assert mean_size == pytest.approx(leaves, rel=0.2)
    assert mean_bits == pytest.approx(bits / leaves, rel=0.15)


def test_a_single_attribute_without_known_values_sends_no_cells():
    frame = pl.DataFrame({"empty": pl.Series([None, None], dtype=float), "x": [1.0, 2.0]})
    rule = SingleAttributeRule("empty", NumericCells((), (0,)), (0, 1), missing=1)
    result = ff.bits.theory_length_details(rule, frame)
    # the attribute out of two, the flag of the missing cell, and its class out of two: one bit each
    assert (result.attributes, result.structure, result.classes) == (1.0, 1.0, 1.0)
    assert result.total == 3.0
