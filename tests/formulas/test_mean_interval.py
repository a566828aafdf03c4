"""Intervals of means of numbers of which nearly all lie at the bound."""

import numpy as np
import pytest

from fivefold.formulas import mean_interval
from fivefold.inputs.groups import read_groups


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
