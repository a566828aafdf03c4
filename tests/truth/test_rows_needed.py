"""Rows needed: power by enumeration, and the answers in words."""

import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.power import NormalIndPower, TTestPower

from fivefold.errors import InputError, InputTypeError
from fivefold.truth import rows_needed_for_difference, rows_needed_for_slice, rows_needed_to_compare
from fivefold.truth.rows_needed import mcnemar_power


@pytest.mark.parametrize(("n", "a", "b"), [(12, 0.3, 0.1), (20, 0.5, 0.2), (15, 0.05, 0.4)])
def test_power_by_counting_every_outcome(n, a, b):
    slow = 0.0
    for x in range(n + 1):
        for y in range(n - x + 1):
            if x + y and stats.binomtest(min(x, y), x + y).pvalue <= 0.05:
                slow += stats.multinomial.pmf([x, y, n - x - y], n, [a, b, 1 - a - b])
    assert mcnemar_power(n, a, b, 0.05) == pytest.approx(slow, abs=1e-8)


@pytest.mark.parametrize(("b", "c", "n"), [(6, 14, 141), (30, 10, 100), (3, 60, 2000)])
def test_the_rows_for_a_comparison_are_just_enough(b, c, n):
    found = rows_needed_to_compare(b, c, n)
    assert mcnemar_power(found.n_rows, b / n, c / n, 0.05) >= 0.8
    assert mcnemar_power(found.n_rows - 1, b / n, c / n, 0.05) < 0.8
    assert found.n_more == max(0, found.n_rows - n)


def test_more_power_and_a_sharper_level_need_more_rows():
    base = rows_needed_to_compare(6, 14, 141).n_rows
    assert rows_needed_to_compare(6, 14, 141, power=0.9).n_rows > base
    assert rows_needed_to_compare(6, 14, 141, alpha=0.01).n_rows > base


def test_many_rows_are_found_by_the_approximation_and_agree_with_the_exact_power():
    found = rows_needed_to_compare(50_000, 50_500, 1_000_000)
    assert found.n_rows * 0.1005 > 200_000
    assert mcnemar_power(found.n_rows, 0.05, 0.0505, 0.05) == pytest.approx(0.8, abs=0.002)


def test_a_mean_difference_as_in_statsmodels():
    found = rows_needed_for_difference(0.1, 0.5)
    peer = TTestPower().solve_power(0.2, power=0.8, alpha=0.05)
    assert found.n_rows == pytest.approx(peer, abs=3)  # which uses t in place of the normal distribution


def test_a_slice_as_in_statsmodels_but_for_the_correction():
    inside, outside = 0.3, 0.2
    found = rows_needed_for_slice(100, 30, 900, 180)
    effect = 2 * (np.arcsin(np.sqrt(inside)) - np.arcsin(np.sqrt(outside)))
    peer = NormalIndPower().solve_power(effect, power=0.8, alpha=0.05, ratio=9) * 10
    # the correction adds about (r + 1) / (r gap) rows inside, times r + 1
    assert found.n_rows == pytest.approx(peer + 10 * 10 / (9 * 0.1), rel=0.06)


def test_testing_many_slices_needs_more_rows():
    few = rows_needed_for_slice(50, 15, 450, 90)
    many = rows_needed_for_slice(50, 15, 450, 90, n_tests=20)
    assert many.alpha == pytest.approx(0.0025)
    assert many.n_rows > 1.5 * few.n_rows


def test_no_difference_needs_no_number():
    for found in (
        rows_needed_to_compare(5, 5, 50),
        rows_needed_for_difference(0.0, 1.0),
        rows_needed_for_slice(10, 2, 50, 10),
    ):
        assert found.n_rows is None
        assert found.n_more is None
        assert "so perhaps no number of rows would do" in str(found)


def test_a_difference_that_may_be_zero_may_need_any_number_of_rows():
    found = rows_needed_to_compare(6, 14, 141)
    assert found.perhaps_never
    assert found.interval[0] < found.n_rows
    assert str(found).endswith("It may be zero, and then no number would do.")
    proven = rows_needed_to_compare(100, 10, 1000)
    assert proven.interval[0] < proven.n_rows < proven.interval[1] < np.inf
    assert "108 rows would do" in str(proven)
    # at the level of one of ten comparisons, what 5 % proves is not proven
    assert not rows_needed_to_compare(4, 16, 100).perhaps_never
    assert rows_needed_to_compare(4, 16, 100, alpha=0.005).perhaps_never


@pytest.mark.parametrize(
    ("b", "c", "n"), [(0, 0, 1), (0, 0, 50), (1, 0, 1), (10, 0, 10), (5, 5, 10), (1, 2, 900)]
)
def test_few_rows_have_a_range_too(b, c, n):
    found = rows_needed_to_compare(b, c, n)
    low, high = found.interval
    assert 1 <= low <= (found.n_rows or np.inf) <= high


def test_the_range_for_a_mean_is_that_of_students_interval():
    found = rows_needed_for_difference(0.1, 0.5, n_tested=150)
    half = stats.t.isf(0.025, 149) * 0.5 / np.sqrt(150)
    peers = [rows_needed_for_difference(0.1 + side * half, 0.5).n_rows for side in (1, -1)]
    assert found.interval == tuple(peers)
    assert rows_needed_for_difference(0.1, 0.5).interval is None
    assert rows_needed_for_difference(0.1, 0.5, n_tested=50).perhaps_never


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda: rows_needed_to_compare(30, 30, 50), InputError),
        (lambda: rows_needed_to_compare(-1, 3, 50), InputError),
        (lambda: rows_needed_to_compare(1, 3, 50, alpha=0), InputError),
        (lambda: rows_needed_to_compare(1, 3, 50, power=1.2), InputError),
        (lambda: rows_needed_to_compare(1.5, 3, 50), InputTypeError),
        (lambda: rows_needed_for_difference(np.nan, 1), InputError),
        (lambda: rows_needed_for_difference("much", 1), InputTypeError),
        (lambda: rows_needed_for_difference(0.1, -1), InputError),
        (lambda: rows_needed_for_slice(10, 11, 50, 1), InputError),
        (lambda: rows_needed_for_slice(0, 0, 50, 1), InputError),
        (lambda: rows_needed_for_slice(5, 1, 50, 1, n_tests=0), InputError),
    ],
)
def test_bad_input(call, error):
    with pytest.raises(error):
        call()
