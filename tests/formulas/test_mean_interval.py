"""Intervals and p-values of a mean of zeros and a few ones are those of the binomial law."""

import numpy as np
import pytest
from scipy.stats import binom

import fivefold as ff
from fivefold.formulas import Pooled, binomial_limits, mean_interval, mean_p_value
from fivefold.inputs.groups import read_groups

COUNTS = [(n, hits) for n in (10, 1_000, 100_000, 10_000_000) for hits in (1, 2, 3, 9)]


def _few(n: int, hits: int) -> Pooled:
    return Pooled.counted(np.array([0.0, 0.3]), np.array([n - hits, hits]))


@pytest.mark.parametrize(("n", "hits"), COUNTS)
def test_limits_are_clopper_and_pearsons_however_many_values_lie_at_the_bound(n, hits):
    ends = np.array(mean_interval(_few(n, hits), 0.0, 0.3)) / 0.3
    assert ends == pytest.approx(binomial_limits(hits, n), rel=0.03)


@pytest.mark.parametrize(("n", "hits"), COUNTS)
def test_p_values_are_binomial_also_of_means_next_to_the_values_own(n, hits):
    for factor in (0.5, 0.999, 1.0, 1.0001, 1.5):
        share = factor * hits / n
        if share < 1:
            tails = binom.cdf(hits, n, share), binom.sf(hits - 1, n, share)
            expected = min(1.0, 2 * min(tails))
            assert mean_p_value(_few(n, hits), 0.0, 0.3, 0.3 * share) == pytest.approx(expected, rel=0.1)


@pytest.mark.parametrize("events", [1, 2, 5, 10])
def test_rewards_of_one_number_stated_throughout_have_an_interval(events):
    happened = np.arange(8_000) < events
    low, high = ff.bets.information_reward_details(happened, np.full(8_000, 0.2)).interval
    assert low < ff.bets.information_reward(happened, np.full(8_000, 0.2)) < high


@pytest.mark.parametrize("bound", [0.0, -1.0, 5.0])
@pytest.mark.parametrize("beyond", [4 / 9, 1e-6, 1e-9])
def test_one_number_beside_the_bound_is_the_same_wherever_the_bound_lies(bound, beyond):
    """One negative among many events that all rank above all others had stopped a whole report."""
    values = np.zeros(2491)
    values[0] = beyond
    expected = mean_interval(values, 0.0, 1.0)
    assert 0 <= expected[0] <= values.mean() <= expected[1] < 0.01
    low, high = mean_interval(values + bound, bound, bound + 1)
    assert (low - bound, high - bound) == pytest.approx(expected, abs=1e-9)
    low, high = mean_interval(-values - bound, -bound - 1, -bound)
    assert (-high - bound, -low - bound) == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize(("seed", "value"), [(31, 1e-4), (55, 1e-3), (301, 1e-3)])
def test_one_case_of_hundreds_of_groups_has_an_interval(seed, value):
    """The root was not found in a hundred steps."""
    groups = read_groups(np.random.default_rng(seed).integers(0, 400, 586), 586)
    values = np.zeros(586)
    values[0] = value
    low, high = mean_interval(values, 0.0, 1.0, 0.01, groups=groups)
    assert 0 <= low <= values.mean() <= high < 0.1
