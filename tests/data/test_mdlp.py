"""MDLP against the definition of Fayyad and Irani (1993), computed slowly, and against known results."""

from collections import Counter
from itertools import pairwise
from math import log2

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fivefold.data import MDLP, load


def entropy(labels):
    n = len(labels)
    return -sum(c / n * log2(c / n) for c in Counter(labels).values())


def is_boundary(pairs, low, high):
    """Say whether a cut between two neighbouring values could be best: not where both have one class alone."""
    classes = {label for value, label in pairs if value in (low, high)}
    return len(classes) > 1


def slow_cuts(pairs):
    values = sorted({value for value, _ in pairs})
    n, whole = len(pairs), [label for _, label in pairs]
    best = None
    for low, high in pairwise(values):
        if not is_boundary(pairs, low, high):
            continue
        left = [label for value, label in pairs if value <= low]
        right = [label for value, label in pairs if value > low]
        cost = (len(left) * entropy(left) + len(right) * entropy(right)) / n
        if best is None or cost < best[0] - 1e-12:
            best = (cost, low, high, left, right)
    if best is None:
        return []
    cost, low, high, left, right = best
    k, k1, k2 = (len(set(part)) for part in (whole, left, right))
    delta = log2(3**k - 2) - (k * entropy(whole) - k1 * entropy(left) - k2 * entropy(right))
    if entropy(whole) - cost <= (log2(n - 1) + delta) / n:
        return []
    below = [pair for pair in pairs if pair[0] <= low]
    above = [pair for pair in pairs if pair[0] > low]
    return [*slow_cuts(below), (low + high) / 2, *slow_cuts(above)]


@st.composite
def samples(draw):
    # labels that follow the value, with some noise, so that cuts do get accepted
    n_classes = draw(st.integers(2, 4))
    width = draw(st.integers(1, 6))
    values = draw(st.lists(st.integers(0, 24), min_size=1, max_size=80))
    noise = draw(st.lists(st.integers(0, 9), min_size=len(values), max_size=len(values)))
    return [(v / 4, (v // width if u else v) % n_classes) for v, u in zip(values, noise, strict=True)]


@given(samples())
def test_the_cuts_are_those_of_the_definition(pairs):
    X, y = np.array([[value] for value, _ in pairs]), np.array([label for _, label in pairs])
    assert list(MDLP().fit(X, y).cut_points_["x0"]) == pytest.approx(slow_cuts(pairs))


@given(samples(), st.permutations(["a", "b", "c", "d"]), st.randoms())
def test_neither_row_order_nor_class_names_matter(pairs, names, random):
    shuffled = random.sample(pairs, len(pairs))
    X, y = np.array([[v] for v, _ in pairs]), [label for _, label in pairs]
    other_X, other_y = np.array([[v] for v, _ in shuffled]), [names[label] for _, label in shuffled]
    assert MDLP().fit(X, y).cut_points_ == MDLP().fit(other_X, other_y).cut_points_


@given(samples())
def test_cases_with_a_missing_value_take_no_part(pairs):
    X, y = [[v] for v, _ in pairs], [label for _, label in pairs]
    with_holes = MDLP().fit(np.array([*X, [np.nan], [np.nan]]), [*y, 0, 1])
    assert with_holes.cut_points_ == MDLP().fit(np.array(X), y).cut_points_


# The cut points of Weka 3.6.14 (weka.filters.supervised.attribute.Discretize) on its copies of the same data
WEKA = {
    "IR": {
        "sepal_length": (5.55, 6.15),
        "sepal_width": (2.95, 3.35),
        "petal_length": (2.45, 4.75),
        "petal_width": (0.8, 1.75),
    },
    "GL": {
        "RI": (1.517335, 1.517985),
        "Na": (14.065,),
        "Mg": (2.695,),
        "Al": (1.39, 1.775),
        "Si": (),
        "K": (0.055, 0.615, 0.745),
        "Ca": (7.02, 8.315, 10.075),
        "Ba": (0.335,),
        "Fe": (),
    },
    "LA": {
        "duration": (),
        "wage_increase_first_year": (2.65,),
        "wage_increase_second_year": (3.25,),
        "wage_increase_third_year": (3.25,),
        "working_hours": (),
        "standby_pay": (6.0,),
        "shift_differential": (3.5,),
        "statutory_holidays": (10.5,),
    },
}


@pytest.mark.parametrize("code", WEKA)
def test_weka_finds_the_same_cut_points(code):
    table = load(code)
    assert MDLP().fit(table.X, table.y).cut_points_ == WEKA[code]


def test_the_criterion_by_hand():
    # Two classes apart, n each: gain = 1 bit; cost = (log2(2n - 1) + log2(7) - 2) / 2n. For n = 2 the cost is
    # (1.585 + 2.807 - 2) / 4 = 0.598, so it cuts; for n = 1 it is (0 + 0.807) / 2 = 0.404, so it cuts too.
    for n in (1, 2, 10):
        X = [[float(i)] for i in range(2 * n)]
        assert MDLP().fit(X, ["a"] * n + ["b"] * n).cut_points_ == {"x0": (n - 0.5,)}
    # a, b, a: the best cut leaves 2/3 bit; gain = 0.918 - 0.667 = 0.252 is below the cost of
    # (log2(2) + log2(7) - (2 * 0.918 - 2 * 1 - 0)) / 3 = (1 + 2.807 + 0.163) / 3 = 1.323
    assert MDLP().fit([[1.0], [2.0], [3.0]], ["a", "b", "a"]).cut_points_ == {"x0": ()}


def test_a_midpoint_between_neighbouring_floats_still_separates():
    low = 1.0
    high = np.nextafter(low, 2.0)
    X = [[low]] * 20 + [[high]] * 20
    model = MDLP().fit(X, [0] * 20 + [1] * 20)
    (cut,) = model.cut_points_["x0"]
    assert low <= cut < high


def test_huge_numbers_do_not_overflow():
    X = [[1.6e308]] * 20 + [[1.7e308]] * 20
    assert MDLP().fit(X, [0] * 20 + [1] * 20).cut_points_["x0"] == (pytest.approx(1.65e308),)


def test_many_classes_do_not_overflow():
    # 3**k is infinite as a float from k = 647 on
    X = np.arange(2000.0).reshape(-1, 1)
    MDLP().fit(X, np.arange(2000) // 2)


def test_one_class_and_one_value_need_no_cut():
    assert MDLP().fit([[1.0], [2.0]], ["a", "a"]).cut_points_ == {"x0": ()}
    assert MDLP().fit([[1.0], [1.0]], ["a", "b"]).cut_points_ == {"x0": ()}
    assert MDLP().fit([[np.nan], [np.nan]], ["a", "b"]).cut_points_ == {"x0": ()}


@pytest.mark.parametrize(
    ("y", "message"),
    [
        (None, "target y is None"),
        (["a"], "1 classes for 2"),
        (["a", None], "none in row 1"),
        ([0.25, 0.5], "Unknown label type: continuous"),
    ],
)
def test_classes_that_cannot_be(y, message):
    with pytest.raises(ValueError, match=message):
        MDLP().fit([[1.0], [2.0]], y)


def test_classes_as_a_series():
    frame = pl.DataFrame({"x": [1.0, 1.5, 3.0, 3.5]})
    assert MDLP().fit(frame, pl.Series(["a", "a", "b", "b"])).cut_points_ == {"x": (2.25,)}
