from math import atanh, isnan, nan, sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fivefold.papers import Cell, Number, Printed, Sample
from fivefold.papers.comparison import LIMIT

PLACE = ("Table 1", "BC", "1R")


def test_printed_numbers_keep_their_digits_and_spread():
    table = Printed.read("Table 9", "accuracy", ("a", "b"), {"X": ".70±.08 100", "Y": "NaN -4.1"})
    assert table["X", "a"] == Number(0.7, 2, 0.08)
    assert table["X", "b"].decimals == 0
    assert isnan(table["Y", "a"].value)
    assert table.rows == ("X", "Y")
    assert table.columns == ("a", "b")


def test_a_row_with_too_few_numbers_is_refused():
    with pytest.raises(ValueError, match="2 numbers in a row of Table 9"):
        Printed.read("Table 9", "", ("a", "b"), {"X": "1"})


def test_the_distance_of_means_by_hand():
    # ours: mean 2, s.d. 1, 4 runs; theirs: 1.0 (rounded to 0.1), s.d. .5, 25 runs
    cell = Cell.of_means(PLACE, "q", Number(1.0, 1), Sample(2.0, 1.0, 4), runs=25, spread=0.5)
    assert cell.distance == pytest.approx(1 / sqrt(0.25 + 0.01 + 0.01 / 12))
    assert cell.mark == "agrees"
    assert cell.error == 0.5


def test_without_a_published_spread_ours_stands_in_for_it():
    cell = Cell.of_means(PLACE, "q", Number(1.0, 6), Sample(2.0, 1.0, 25), runs=25)
    assert cell.distance == pytest.approx(1 / sqrt(2 / 25), rel=1e-6)
    assert cell.mark == "differs"


def test_a_single_run_or_an_unprinted_number_cannot_be_compared():
    assert Cell.of_means(PLACE, "q", Number(1.0, 1), Sample.of([2.0]), runs=25).mark == "not comparable"
    assert Cell.of_means(PLACE, "q", Number(nan), Sample(2.0, 1.0, 9), runs=25).mark == "not comparable"


def test_correlations_are_compared_by_fishers_transformation():
    # 25 runs of uniform numbers, less scattered than normal ones: the error is that of normal numbers
    x, other = np.random.default_rng(0).uniform(size=(2, 25))
    y = x + other
    r = np.corrcoef(x, y)[0, 1]
    cell = Cell.of_correlations(PLACE, "r", Number(0.5, 9), (x, y), runs=25)
    assert cell.ours == pytest.approx(r)
    assert cell.distance == pytest.approx((atanh(r) - atanh(0.5)) / sqrt(2 / 22))
    coarse = Cell.of_correlations(PLACE, "r", Number(0.5, 1), (x, y), runs=25)
    assert coarse.distance == pytest.approx((atanh(r) - atanh(0.5)) / sqrt(2 / 22 + 0.1**2 / 12 / 0.75**2))
    assert Cell.of_correlations(PLACE, "r", Number(1.0, 3), (x, y), runs=25).mark == "not comparable"
    assert Cell.of_correlations(PLACE, "r", Number(0.5, 3), (x, x), runs=25).mark == "not comparable"
    one = np.r_[1.0, np.zeros(24)]
    assert Cell.of_correlations(PLACE, "r", Number(0.5, 3), (one, y), runs=25).mark == "not comparable"


def test_correlations_of_a_few_odd_runs_are_more_uncertain():
    rng = np.random.default_rng(1)
    x = np.r_[rng.normal(size=23) / 100, 3.0, 2.5]
    y = np.r_[rng.normal(size=23) / 100, 1.0, 3.0]
    rs = [np.corrcoef(np.delete(x, i), np.delete(y, i))[0, 1] for i in range(25)]
    variance = 24 / 25 * np.sum((np.arctanh(rs) - np.mean(np.arctanh(rs))) ** 2)
    assert variance > 1 / 22
    r = np.corrcoef(x, y)[0, 1]
    cell = Cell.of_correlations(PLACE, "r", Number(0.5, 9), (x, y), runs=100)
    assert cell.distance == pytest.approx((atanh(r) - atanh(0.5)) / sqrt(variance * (1 + 25 / 100)))


@pytest.mark.statistical
@pytest.mark.parametrize("draw", ["normal", "rare"])
def test_two_correlations_of_one_experiment_differ_no_more_often_than_promised(draw):
    # shares right of sixteen cases, mostly all, and a reward that follows them: as on SO
    rng = np.random.default_rng(2)
    n, marks = 25, []
    for _ in range(600):
        x = rng.normal(size=(2, n)) if draw == "normal" else rng.binomial(16, 0.97, size=(2, n)) / 16
        y = x + rng.normal(size=(2, n)) * (1 if draw == "normal" else 0.02)
        theirs = np.corrcoef(x[1], y[1])[0, 1]
        marks.append(Cell.of_correlations(PLACE, "r", Number(theirs, 9), (x[0], y[0]), runs=n).mark)
    compared = [mark for mark in marks if mark != "not comparable"]
    assert len(compared) > 500
    # at most 0.05 is promised; the binomial standard error is 0.009
    assert compared.count("differs") / len(compared) < 0.05 + 3 * 0.009


@given(st.floats(-100, 100), st.integers(0, 4))
def test_exact_numbers_agree_when_they_round_to_what_is_printed(value, decimals):
    printed = Number(round(value, decimals), decimals)
    assert Cell.of_exact(PLACE, "q", printed, value).mark == "agrees"
    far = value + 1.5 * 10.0**-decimals
    assert Cell.of_exact(PLACE, "q", printed, far).mark == "differs"


@pytest.mark.statistical
def test_two_runs_of_one_experiment_differ_as_often_as_promised():
    # 4,000 pairs of means over 25 runs each, printed to four decimals: the share beyond two standard errors
    rng = np.random.default_rng(0)
    ours, theirs = rng.normal(size=(2, 4000, 25))
    marks = [
        Cell.of_means(
            PLACE, "q", Number(round(t.mean(), 4), 4), Sample.of(o), runs=25, spread=t.std(ddof=1)
        ).mark
        for o, t in zip(ours, theirs, strict=True)
    ]
    share = marks.count("differs") / len(marks)
    # Welch's t with about 48 degrees of freedom: P(|t| > 2) = 0.051; binomial s.e. 0.0035
    assert LIMIT == 2.0
    assert share == pytest.approx(0.051, abs=4 * 0.0035)
