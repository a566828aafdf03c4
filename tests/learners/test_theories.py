import math

import numpy as np
import polars as pl
import pytest

from fivefold import learners
from fivefold.data.conditions import Equals, Rule
from fivefold.errors import InputError, InputTypeError
from fivefold.inputs.columns import read_columns
from fivefold.learners import (
    DecisionTree,
    HasTheory,
    Leaf,
    NominalCells,
    NominalEquals,
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

YES, NO = Leaf(("yes",)), Leaf(("no",))
CLASSES = ("no", "yes")
COLUMNS = {
    column.name: column
    for column in read_columns(
        pl.DataFrame({"x": [1.0, 2.0, 3.0, None], "c": ["a", "b", None, "d"]}),
    )
}
ALL = np.arange(4)


def routed(split):
    return [part.tolist() for part in split.route(COLUMNS[split.column], ALL)]


@pytest.mark.parametrize(
    ("split", "parts"),
    [
        (NumericSplit("x", 2.0, YES, NO, True), [[0, 1, 3], [2]]),
        (NumericSplit("x", 2.0, YES, NO, False), [[0, 1], [2, 3]]),
        (NumericSplit("x", 2.0, YES, NO), [[0, 1, 3], [2, 3]]),
        (NumericSplit("x", math.inf, YES, NO, False), [[0, 1, 2], [3]]),
        (NumericSplit("x", 5.0, YES, NO), [[0, 1, 2, 3], []]),
        (NominalEquals("c", "b", YES, NO, True), [[1, 2], [0, 3]]),
        (NominalEquals("c", "b", YES, NO), [[1, 2], [0, 2, 3]]),
        (NominalSubset("c", ("a", "d"), YES, NO, False), [[0, 3], [1, 2]]),
        (NominalSubset("c", ("a", "unheard of"), YES, NO, False), [[0], [1, 2, 3]]),
        (NominalMultiway("c", (("d", YES), ("a", NO), ("b", NO))), [[2, 3], [0, 2], [1, 2]]),
        (NominalMultiway("c", (("a", NO), ("b", NO), ("d", YES), ("e", YES)), NO), [[0], [1], [3], [], [2]]),
    ],
)
def test_cases_take_the_branch_of_their_value_and_missing_ones_that_of_the_tree(split, parts):
    assert routed(split) == parts
    assert len(split.branches) == len(parts)


def test_a_value_without_a_branch_is_an_error():
    with pytest.raises(InputError, match="none for 'd' in row 3"):
        routed(NominalMultiway("c", (("a", NO), ("b", NO))))


def test_tests_of_the_wrong_kind_of_column_are_errors():
    with pytest.raises(InputTypeError, match="nominal one"):
        routed(NumericSplit("c", 1.0, YES, NO))
    with pytest.raises(InputTypeError, match="categorical_features"):
        routed(NominalEquals("x", "a", YES, NO))


def test_nodes_come_before_their_branches_first_branch_first():
    inner = NominalEquals("c", "a", YES, NO)
    tree = DecisionTree(NumericSplit("x", 1.0, inner, YES), CLASSES)
    assert list(tree.nodes()) == [tree.root, inner, YES, NO, YES]
    last, exception = RippleDownNode((), "no"), RippleDownNode((), "yes")
    ripple = RippleDownTree(RippleDownNode((), "no", exception, last), CLASSES)
    assert [
        node is expected
        for node, expected in zip(ripple.nodes(), [ripple.root, exception, last], strict=True)
    ]


def test_a_very_deep_tree_can_be_walked():
    node = YES
    for cut in range(5000):
        node = NumericSplit("x", float(cut), node, NO)
    assert sum(1 for _ in DecisionTree(node, CLASSES).nodes()) == 10_001


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: DecisionTree(Leaf(("maybe",)), CLASSES), "'maybe'"),
        (lambda: DecisionTree(YES, ("yes", "yes")), "each once"),
        (lambda: DecisionTree(YES, CLASSES, missing="lost"), "'lost'"),
        (
            lambda: DecisionTree(NumericSplit("x", 1.0, YES, NO, True), CLASSES),
            "test of 'x' that has them placed",
        ),
        (
            lambda: DecisionTree(NominalEquals("c", "a", YES, NO), CLASSES, missing="placed"),
            "test of 'c' that has them shared",
        ),
        (lambda: NumericSplit("x", math.nan, YES, NO), "nan"),
        (lambda: NumericCells((1.0,), ("yes",)), "2 classes for 1 cuts; got 1"),
        (lambda: NumericCells((2.0, 1.0), ("yes", "no", "yes")), "increasing"),
        (lambda: SingleAttributeRule("c", NominalCells((("a", "oui"),)), CLASSES), "'oui'"),
        (lambda: SingleAttributeRule("x", NumericCells((), ("yes",)), CLASSES, "oui"), "'oui'"),
        (lambda: RuleSet((Rule((), "yes"),), CLASSES, target="no"), "always yes"),
        (lambda: RuleList((Rule((Equals("c", "a"),), "oui"),), CLASSES), "'oui'"),
        (lambda: RippleDownTree(RippleDownNode((), "yes", RippleDownNode((), "oui")), CLASSES), "'oui'"),
    ],
)
def test_descriptions_that_contradict_themselves_are_refused(make, message):
    with pytest.raises(InputError, match=message):
        make()


def test_the_protocol_asks_for_one_method():
    class Learner:
        def theory(self):
            return DecisionTree(YES, CLASSES)

    assert isinstance(Learner(), HasTheory)
    assert not isinstance(object(), HasTheory)


def test_the_package_offers_theories_by_name():
    for name in learners.__all__:
        assert getattr(learners, name).__name__ == name
    assert set(learners.__all__) <= set(dir(learners))
    with pytest.raises(AttributeError, match="NoSuchLearner"):
        learners.NoSuchLearner  # noqa: B018
