"""Quantiles of binomial numbers are those of scipy.stats, whose import is too slow for a first call."""

import numpy as np
import pytest
from scipy.stats import binom

from fivefold.formulas import binomial_quantile

RNG = np.random.default_rng(0)
SHARES = np.concatenate(
    [[0.0, 1.0, 0.5], RNG.random(200), 10 ** -RNG.uniform(0, 12, 60), 1 - 10 ** -RNG.uniform(0, 12, 60)]
)


# levels that no sum of such probabilities meets exactly, where rounding would decide
@pytest.mark.parametrize("level", [0.001, 0.025, 0.05, 0.975])
@pytest.mark.parametrize("n", [0, 1, 2, 7, 30, 1000, 123_456])
def test_quantiles_are_those_of_scipy(n, level):
    expected = np.clip(binom.ppf(level, n, SHARES), 0, n)
    assert np.array_equal(binomial_quantile(level, n, SHARES), expected)
