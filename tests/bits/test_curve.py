"""The analytic curve and the long-run worth of sets."""

from math import comb, log2

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import fivefold as ff
from fivefold.errors import InputError, InputTypeError

rates = st.floats(0, 1)


@given(st.integers(1, 40), st.data())
def test_exact_curve_counts_arrangements(n, data):
    i, j = data.draw(st.integers(0, n)), data.draw(st.integers(0, n))
    # lg[(N+1)!/(k!(N-k)!)] = lg (N+1) + lg C(N, k), and the first part cancels
    assert ff.bits.expected_significance(n, i / n, j / n) == pytest.approx(
        log2(comb(n, i)) - log2(comb(n, j)), abs=1e-9
    )


@given(st.integers(2, 40), st.data())
def test_exact_curve_is_the_laplace_code_of_single_answers(n, data):
    # two classes, always one answer: what the simple code says about j right answers
    right = data.draw(st.integers(0, n))
    i = data.draw(st.integers(0, n))
    truth = np.array([0] * i + [1] * (n - i))
    answers = np.where(np.arange(n) < right, truth, 1 - truth)
    null = log2(n + 1) + log2(comb(n, i))
    result = ff.bits.code_length(truth, answers, classes=[0, 1], code="laplace")
    assert ff.bits.expected_significance(n, i / n, right / n) == pytest.approx(null - result, abs=1e-8)


@given(st.integers(1, 5000), rates)
def test_nothing_is_expected_at_the_default_rate(n, rate):
    assert ff.bits.expected_significance(n, rate, rate) == 0
    if 0 < rate < 1:
        assert ff.bits.expected_significance(n, rate, rate, exact=False) == pytest.approx(0, abs=1e-9)


@given(st.integers(10, 5000), st.floats(0.5, 0.9), st.floats(0.0, 0.1), st.booleans())
def test_the_curve_rises_with_accuracy_above_the_default(n, default, more, exact):
    low, high = (
        ff.bits.expected_significance(n, default, default + d, exact=exact) for d in (more / 2, more)
    )
    assert high >= low - 1e-9


@pytest.mark.parametrize("rate", [0.0, 1.0])
def test_stirling_is_refused_where_it_is_undefined(rate):
    with pytest.raises(InputError, match="exact=True"):
        ff.bits.expected_significance(10, 0.5, rate, exact=False)
    assert np.isfinite(ff.bits.expected_significance(10, 0.5, rate))


@pytest.mark.parametrize(
    ("arguments", "error", "value"),
    [
        ((0, 0.5, 0.5), InputError, "0"),
        ((10.0, 0.5, 0.5), InputTypeError, "10.0"),
        ((10, 1.2, 0.5), InputError, "1.2"),
        ((10, 0.5, -0.1), InputError, "-0.1"),
        ((10, float("nan"), 0.5), InputError, "nan"),
        ((10, "0.5", 0.5), InputTypeError, "'0.5'"),
    ],
)
def test_bad_rates_are_shown(arguments, error, value):
    with pytest.raises(error, match=value):
        ff.bits.expected_significance(*arguments)


@given(st.integers(2, 12), st.data())
def test_sets_that_hold_the_truth_no_more_often_than_chance_are_worth_nothing(n, data):
    m = data.draw(st.integers(0, n))
    assert ff.bits.expected_set_gain(n, m, m / n) == pytest.approx(0, abs=1e-12)


@given(st.integers(2, 12), st.data(), rates)
def test_no_sets_are_worth_less_than_nothing(n, data, coverage):
    m = data.draw(st.integers(1, n - 1))
    assert ff.bits.expected_set_gain(n, m, coverage) >= -1e-12
    # a set and its complement say the same
    assert ff.bits.expected_set_gain(n, m, coverage) == pytest.approx(
        ff.bits.expected_set_gain(n, n - m, 1 - coverage), abs=1e-9
    )


@pytest.mark.parametrize(("size", "coverage"), [(0, 0.5), (4, 0.5), (5, 1.0)])
def test_impossible_coverage_is_refused(size, coverage):
    with pytest.raises(InputError, match=f"size={size}, n_classes=4, coverage={coverage}"):
        ff.bits.expected_set_gain(4, size, coverage)


@pytest.mark.parametrize("code", ["constant", "frequency", "corrected", "mixture"])
def test_long_streams_approach_the_long_run_worth(code):
    rng = np.random.default_rng(8)
    n, m, coverage, cases = 5, 2, 0.8, 20_000
    truth = rng.integers(n, size=cases)
    inside = rng.uniform(size=cases) < coverage
    others = (truth[:, np.newaxis] + rng.permuted(np.tile(np.arange(1, n), (cases, 1)), axis=1)) % n
    matrix = np.zeros((cases, n), dtype=bool)
    rows = np.arange(cases)
    matrix[rows, np.where(inside, truth, others[:, 0])] = True
    matrix[rows, others[:, 1]] = True
    assert matrix.sum() == m * cases
    gain = ff.bits.significance(truth, matrix, classes=range(n), code=code) / cases
    assert gain == pytest.approx(ff.bits.expected_set_gain(n, m, coverage), abs=0.03)
