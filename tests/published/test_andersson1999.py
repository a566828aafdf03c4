"""Andersson, Davidsson and Lindén (1999): Table 1, as far as no measure-based learner is needed."""

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.neighbors import KNeighborsClassifier

from fivefold import borders, learners
from fivefold.learners.theories import DecisionTree, Leaf, NumericSplit

pytestmark = pytest.mark.published

# fit, similarity of right cases, similarity of wrong cases, length of borders, measure
TABLE_1 = {
    "ID3": (1.000, 0.586, 0.000, 3.406, 1.208),
    "pruned tree": (0.980, 0.682, 0.005, 2.325, 1.260),
    "backprop, 30 nodes": (0.987, 0.599, 0.002, 2.802, 1.215),
    "backprop, 2 nodes": (0.960, 0.703, 0.008, 2.516, 1.245),
    "1-nearest neighbor": (1.000, 0.679, 0.000, 3.330, 1.256),
    "10-nearest neighbor": (0.967, 0.740, 0.009, 2.697, 1.265),
    "measure-based": (0.973, 0.731, 0.007, 1.891, 1.288),
}


def petals():
    """Petal length and width, each between 0 and 1, as the paper normalises them before learning."""
    X, y = load_iris(return_X_y=True)
    X = X[:, 2:]
    return (X - X.min(axis=0)) / np.ptp(X, axis=0), y


def parts(told):
    return told.fit, told.similarity_right, told.similarity_wrong, told.border_size, told.value


class StatLogTree:
    """The rules of Michie, Spiegelhalter and Taylor (1994), p. 10, on petals in centimetres."""

    classes_ = np.array([0, 1, 2])

    def theory(self):
        setosa, versicolor, virginica = (Leaf((label,)) for label in (0, 1, 2))
        long = NumericSplit("x0", 4.95, versicolor, virginica)
        return DecisionTree(
            NumericSplit("x0", 2.65, setosa, NumericSplit("x1", 1.65, long, virginica)), (0, 1, 2)
        )

    def predict(self, cases):
        length, width = np.asarray(cases).T
        return np.where(length <= 2.65, 0, np.where((width > 1.65) | (length > 4.95), 2, 1))


@pytest.mark.parametrize("row", TABLE_1)
def test_the_formula_gives_every_printed_measure(row):
    fit, right, wrong, length, value = TABLE_1[row]
    # three parts rounded to 0.0005 with weights 1, 0.5 and 0.5, and a length of little weight
    assert borders.MeasureWeights().total(fit, right, wrong, -length) == pytest.approx(value, abs=0.0011)


def test_the_printed_wrong_term_would_not():
    """1/2^(b d) - 1 with negative d is positive: the measure of a poor classifier would grow without bound."""
    fit, right, wrong, length, value = TABLE_1["10-nearest neighbor"]
    assert borders.MeasureWeights().total(fit, right, -wrong, -length) > value + 0.005


def test_two_upright_lines_have_the_length_that_the_paper_reasons_with():
    X, _ = petals()
    lines = NumericSplit("x0", 0.3, Leaf((0,)), NumericSplit("x0", 0.7, Leaf((1,)), Leaf((2,))))
    tree = StatLogTree()
    tree.theory = lambda: DecisionTree(lines, (0, 1, 2))
    tree.predict = lambda cases: np.digitize(np.asarray(cases)[:, 0], [0.3, 0.7])
    assert borders.border_size(tree, borders.Window.around(X)) == pytest.approx(2.4)


def test_the_pruned_tree():
    X, y = load_iris(return_X_y=True)
    told = borders.measure(StatLogTree(), X[:, 2:], y)
    assert told.method == "exact, by boxes"
    assert told.b == pytest.approx(np.sqrt(150))
    assert parts(told) == pytest.approx((0.980, 0.682, 0.0052, 2.336, 1.260), abs=0.0006)
    # the cuts are from memory, so the length may differ by what a cut's place makes
    assert parts(told) == pytest.approx(TABLE_1["pruned tree"], abs=0.012)
    assert told.value == pytest.approx(TABLE_1["pruned tree"][4], abs=0.0006)


def test_ten_neighbours_with_ties_to_the_highest_class():
    X, y = petals()
    told = borders.measure(KNeighborsClassifier(10).fit(X, y), X, y, ties="highest")
    assert parts(told) == pytest.approx((0.967, 0.739, 0.0083, 2.694, 1.265), abs=0.0006)
    assert parts(told) == pytest.approx(TABLE_1["10-nearest neighbor"], abs=0.0035)
    assert told.value == pytest.approx(TABLE_1["10-nearest neighbor"][4], abs=0.0006)


def test_ten_neighbours_as_scikit_learn_votes():
    X, y = petals()
    model = KNeighborsClassifier(10).fit(X, y)
    told = borders.measure(model, X, y)
    assert told.fit == model.score(X, y) == pytest.approx(0.960)
    assert parts(told) == pytest.approx((0.960, 0.746, 0.0087, 2.698, 1.261), abs=0.0006)


def test_one_neighbour_counts_conflicting_cases_as_right():
    X, y = petals()
    told = borders.measure(KNeighborsClassifier(1).fit(X, y), X, y, duplicates="paper")
    assert parts(told) == pytest.approx((1.000, 0.677, 0.0, 3.305, 1.256), abs=0.0006)
    assert parts(told) == pytest.approx(TABLE_1["1-nearest neighbor"], abs=0.026)
    assert told.value == pytest.approx(TABLE_1["1-nearest neighbor"][4], abs=0.0006)


def test_one_neighbour_honestly():
    X, y = petals()
    told = borders.measure(KNeighborsClassifier(1).fit(X, y), X, y)
    assert parts(told) == pytest.approx((0.9933, 0.691, 0.0014, 3.026, 1.262), abs=0.0006)


def test_a_fit_of_one_is_out_of_reach():
    """Petals of 4.8 by 1.8 cm occur once as versicolor and twice as virginica."""
    X, y = load_iris(return_X_y=True)
    _, place = np.unique(X[:, 2:], axis=0, return_inverse=True)
    best = sum(np.bincount(y[place.ravel() == g]).max() for g in range(place.max() + 1))
    assert best == 149
    tree = learners.ID3().fit(X[:, 2:], y)
    assert borders.measure(tree, X[:, 2:], y).fit == pytest.approx(149 / 150)
