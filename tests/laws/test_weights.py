"""Sample weights: whole ones repeat cases; where they mean nothing they are refused with a reason."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fivefold.errors import InputError
from fivefold.results import METRICS

from .discovered import ALL, a_few_times, draw, score

WEIGHTED = [name for name in ALL if METRICS[name].weighted]
seeds = st.integers(0, 10_000)


def close(value):
    return pytest.approx(value, rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("name", WEIGHTED)
@a_few_times
@given(seeds)
def test_whole_weights_repeat_cases(name, seed):
    cases = draw(name, seed)
    weights = np.random.default_rng(seed).integers(0, 4, size=cases.truth.size)
    repeated = cases.rows(np.repeat(np.arange(cases.truth.size), weights))
    assert score(name, cases, sample_weight=weights) == close(score(name, repeated))


@pytest.mark.parametrize("name", WEIGHTED)
@a_few_times
@given(seeds, st.floats(1e-6, 1e6))
def test_only_the_ratio_of_weights_matters(name, seed, factor):
    cases = draw(name, seed)
    weights = np.random.default_rng(seed).exponential(size=cases.truth.size)
    assert score(name, cases, sample_weight=factor * weights) == close(
        score(name, cases, sample_weight=weights)
    )
    assert score(name, cases, sample_weight=np.full(cases.truth.size, factor)) == close(score(name, cases))


@pytest.mark.parametrize("name", sorted(set(ALL) - set(WEIGHTED)))
def test_weights_are_refused_with_a_reason(name):
    cases = draw(name, 0)
    with pytest.raises(InputError, match="no sample_weight") as caught:
        score(name, cases, sample_weight=np.ones(cases.truth.size))
    assert len(caught.value.hint) > 30


@pytest.mark.parametrize("name", WEIGHTED)
@pytest.mark.parametrize(
    ("make", "shown"),
    [
        (lambda n: np.ones(n - 1), r"one row for each of the 60 cases; got 59 rows"),
        (lambda n: np.append(np.ones(n - 1), -1.0), r"-1\.0 in row 59"),
        (lambda n: np.append(np.ones(n - 1), np.nan), "nan in row 59"),
        (lambda n: np.append(np.inf, np.ones(n - 1)), "inf in row 0"),
        (np.zeros, "all weights zero"),
        (lambda n: np.ones((n, 1)), r"shape \(60, 1\)"),
    ],
    ids=["wrong length", "negative", "NaN", "infinite", "all zero", "a column"],
)
def test_bad_weights_are_shown(name, make, shown):
    cases = draw(name, 0)
    with pytest.raises(InputError, match=shown):
        score(name, cases, sample_weight=make(cases.truth.size))
