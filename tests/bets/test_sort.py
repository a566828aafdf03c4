"""The sort by probability against numpy's, on values that are unkind to buckets."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fivefold.bets.calibration import sort_events


def check(p, happened):
    p, happened = np.asarray(p, dtype=float), np.asarray(happened, dtype=bool)
    before = p.copy(), happened.copy()
    told_p, told_happened = sort_events(p, happened)
    np.testing.assert_array_equal(p, before[0])
    np.testing.assert_array_equal(happened, before[1])
    np.testing.assert_array_equal(told_p, np.sort(p))
    # the order among equals is free, but each value keeps its outcomes
    order = np.lexsort((told_happened, told_p))
    expected = np.lexsort((happened, np.abs(p)))
    np.testing.assert_array_equal(told_happened[order], happened[expected])


def outcomes(n, seed=0):
    return np.random.default_rng(seed).uniform(size=n) < 0.5


NASTY = {
    "zeros": lambda n, rng: np.zeros(n),
    "ones": lambda n, rng: np.ones(n),
    "zeros and ones": lambda n, rng: rng.integers(2, size=n).astype(float),
    "constant": lambda n, rng: np.full(n, 1 / 3),
    "two neighbours": lambda n, rng: np.where(rng.uniform(size=n) < 0.5, 0.3, np.nextafter(0.3, 1)),
    "denormals": lambda n, rng: rng.integers(0, 50, size=n) * 5e-324,
    "denormals and one": lambda n, rng: np.append(rng.integers(0, 50, size=n - 1) * 5e-324, 1.0),
    "tiny range": lambda n, rng: rng.uniform(size=n) * 1e-290,
    "just above the smallest range": lambda n, rng: rng.uniform(size=n) * 3e-280,
    "geometric": lambda n, rng: 0.5 ** rng.permutation(n).astype(float),
    "slow geometric": lambda n, rng: 0.99 ** rng.permutation(n).astype(float),
    "many ties": lambda n, rng: rng.integers(5, size=n) / 5,
    "one far away": lambda n, rng: np.append(rng.uniform(0.5, 0.5 + 1e-12, size=n - 1), 0.0),
    "near one": lambda n, rng: 1 - rng.uniform(size=n) * 1e-15,
    "ascending": lambda n, rng: np.linspace(0, 1, n),
    "descending": lambda n, rng: np.linspace(1, 0, n),
    "uniform": lambda n, rng: rng.uniform(size=n),
}


@pytest.mark.parametrize("kind", NASTY)
@pytest.mark.parametrize("n", [1, 2, 63, 64, 65, 66, 128, 1000])
def test_sorts_nasty_values(kind, n):
    check(NASTY[kind](n, np.random.default_rng(n)), outcomes(n))


@pytest.mark.parametrize("kind", ["uniform", "geometric", "many ties", "near one"])
def test_sorts_many_values(kind):
    check(NASTY[kind](200_000, np.random.default_rng(0)), outcomes(200_000))


def test_negative_zero_does_not_lose_its_outcome():
    for outcome in (True, False):
        check([-0.0, 0.0, -0.0, 0.5] * 30, [outcome, True, outcome, False] * 30)


def test_no_values():
    told_p, told_happened = sort_events(np.empty(0), np.empty(0, dtype=bool))
    assert told_p.size == told_happened.size == 0


@given(st.lists(st.tuples(st.floats(0, 1), st.booleans()), min_size=1, max_size=150))
def test_sorts_anything(events):
    check([p for p, _ in events], [happened for _, happened in events])
