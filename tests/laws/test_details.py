"""Every metric is a pair: a float, and the result that it comes from with the numbers of each case."""

import dataclasses
import inspect

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fivefold.results import METRICS, Result

from .discovered import ALL, PUBLIC, a_few_times, details, draw, score

# How the numbers of the cases make the value; other details are of bins, cells, classes or the whole ranking.
BY_CASE = {
    "code_length": np.sum,
    "null_code_length": np.sum,
    "significance": np.sum,
    "information_reward": np.mean,
    "brier_score": np.mean,
    "log_score": np.mean,
    "kononenko_bratko_score": np.mean,
    "entropy_gain": np.mean,
    "signed_confidence": np.mean,
}
seeds = st.integers(0, 10_000)


def by_case(name, result):
    if name == "significance":  # what each case costs without the answers, less what it costs with them
        return result.null_per_example - result.per_example
    return result.per_example


@pytest.mark.parametrize("name", ALL)
def test_every_metric_has_details_with_the_same_parameters(name):
    takes = inspect.signature(METRICS[name].function).parameters
    of_details = inspect.signature(PUBLIC[f"{name}_details"]).parameters
    for parameter in takes.values():
        assert of_details[parameter.name] == parameter
    assert "Examples\n" in inspect.getdoc(PUBLIC[f"{name}_details"])


def test_details_belong_to_metrics_or_to_what_is_measured_of_a_model():
    pairs = {name.removesuffix("_details") for name in PUBLIC if name.endswith("_details")}
    # risk_coverage reads answers and, beside them, the confidence in each
    assert pairs - set(ALL) == {"theory_length", "risk_coverage"}


@pytest.mark.parametrize("name", ALL)
@a_few_times
@given(seeds)
def test_the_value_of_the_details_is_the_metric_to_the_last_bit(name, seed):
    cases = draw(name, seed)
    assert details(name, cases).value == score(name, cases)
    if METRICS[name].weighted:
        weights = np.random.default_rng(seed).integers(0, 3, size=cases.truth.size)
        assert details(name, cases, sample_weight=weights).value == score(name, cases, sample_weight=weights)


@pytest.mark.parametrize("name", ALL)
def test_the_numbers_of_the_cases_agree_with_the_value(name):
    cases = draw(name, 3)
    result = details(name, cases)
    assert hasattr(result, "per_example") == (name in BY_CASE)
    if name in BY_CASE:
        numbers = by_case(name, result)
        assert numbers.shape == cases.truth.shape
        assert BY_CASE[name](numbers) == pytest.approx(result.value, rel=1e-9, abs=1e-9)


def test_other_details_agree_with_the_value():
    cases = draw("expected_calibration_error", 4)
    bins = details("expected_calibration_error", cases)
    assert np.bincount(bins.bins).tolist() == bins.cases.tolist()
    gaps = np.abs(bins.happened - bins.stated)
    assert bins.value == pytest.approx(np.average(gaps, weights=bins.cases))
    areas = details("auc", cases)
    assert areas.value == pytest.approx(np.mean(areas.areas))
    assert areas.classes == (tuple(cases.classes.tolist()) if cases.classes.size > 2 else (1,))
    cells = details("miscalibration", cases)
    assert cells.cases.sum() == cases.truth.size
    top = details("lift", draw("lift", 4))
    assert top.taken.sum() == pytest.approx(top.n_top)
    assert top.value == pytest.approx(top.rate / top.base_rate)


@pytest.mark.parametrize("name", ALL)
def test_details_are_a_frozen_result_in_the_unit_of_the_metric(name):
    result = details(name, draw(name, 5))
    assert isinstance(result, Result)
    assert type(result.value) is float
    with pytest.raises(dataclasses.FrozenInstanceError):
        result.value = 0.0
    assert (result.unit, result.direction) == (METRICS[name].unit, METRICS[name].direction)
    assert "\n" not in str(result)
