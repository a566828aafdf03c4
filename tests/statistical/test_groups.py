"""Rows that belong together: with `groups`, tests and intervals keep what they promise.

Worlds: outcomes of a group are drawn with the group's own rate (beta law of a given intra-class correlation), or
few groups are bad and all others perfect; groups are equal or unequal; columns describe the group or the row.
"""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from scipy.stats import binom

import fivefold as ff


def _codes(sizes: str, n_groups: int, rng: np.random.Generator) -> np.ndarray:
    drawn = {
        "ten": np.full(n_groups, 10),
        "two": np.full(n_groups, 2),
        "spread": rng.integers(2, 51, n_groups),
        "skewed": 1 + rng.geometric(1 / 8, n_groups),
    }[sizes]
    return np.repeat(np.arange(n_groups), drawn)


def _wrong(codes: np.ndarray, rate: float, correlation: float | str, rng: np.random.Generator) -> np.ndarray:
    if correlation == "few bad":
        rates = np.where(rng.random(codes.max() + 1) < 0.1, 10 * rate, 0.0)
    else:
        scale = 1 / float(correlation) - 1
        rates = rng.beta(rate * scale, (1 - rate) * scale, codes.max() + 1)
    return rng.random(codes.size) < rates[codes]


def _attributes(codes: np.ndarray, level: str, rng: np.random.Generator) -> pl.DataFrame:
    """Six columns of noise, of the group, of the row, or three of each."""
    columns = {}
    for number in range(6):
        of_group = level == "group" or (level == "both" and number % 2 == 0)
        size = codes.max() + 1 if of_group else codes.size
        values = (
            rng.choice(list("abcd"), size, p=[0.5, 0.25, 0.15, 0.1]) if number < 3 else rng.normal(size=size)
        )
        columns[f"x{number}"] = values[codes] if of_group else values
    return pl.DataFrame(columns)


WORLDS = [
    ("ten", 100, 0.2, 0.2, "both"),
    ("two", 300, 0.1, 0.5, "both"),
    ("spread", 40, 0.2, 0.3, "group"),
    ("skewed", 120, 0.1, 0.3, "both"),
    ("ten", 60, 0.05, "few bad", "group"),
    ("spread", 25, 0.3, 0.5, "row"),
]


def _false_alarms(world: tuple, runs: int, **options: object) -> int:
    sizes, n_groups, rate, correlation, level = world
    alarms = 0
    for run in range(runs):
        rng = np.random.default_rng([run, WORLDS.index(world)])
        codes = _codes(sizes, n_groups, rng)
        wrong = _wrong(codes, rate, correlation, rng)
        X, truth = _attributes(codes, level, rng), rng.integers(0, 2, codes.size)
        found = ff.slices.find_errors(
            X, truth, truth ^ wrong, groups=codes, max_terms=2, include_target=False, **options
        )
        alarms += len(found) > 0
    return alarms


def _most(runs: int, rate: float = 0.05) -> int:
    """More alarms than this come once in a thousand tests if the rate is kept."""
    return int(binom.ppf(0.999, runs, rate))


@pytest.mark.statistical
@pytest.mark.parametrize("correction", ["westfall-young", "layered"])
def test_groups_raise_no_more_false_slices(correction: str) -> None:
    """Without `groups`, this world has a false slice in about a third of the tables."""
    runs = 25
    alarms = _false_alarms(WORLDS[0], runs, correction=correction, n_permutations=99)
    assert alarms <= _most(runs)


@pytest.mark.slow
@pytest.mark.statistical
@pytest.mark.parametrize("correction", ["westfall-young", "layered"])
@pytest.mark.parametrize("world", WORLDS)
def test_false_slices_of_groups_in_many_worlds(world: tuple, correction: str) -> None:
    runs = 200
    assert _false_alarms(world, runs, correction=correction, n_permutations=199) <= _most(runs)


@pytest.mark.statistical
def test_a_slice_within_groups_is_still_found() -> None:
    rng = np.random.default_rng(0)
    codes = _codes("ten", 120, rng)
    X = _attributes(codes, "both", rng).with_columns(kind=rng.choice(["x", "y", "z"], codes.size))
    worse = X["kind"].to_numpy() == "x"
    wrong = _wrong(codes, 0.15, 0.2, rng) | (worse & (rng.random(codes.size) < 0.25))
    truth = rng.integers(0, 2, codes.size)
    for correction in ("westfall-young", "layered"):
        found = ff.slices.find_errors(X, truth, truth ^ wrong, groups=codes, correction=correction)
        assert "kind = x" in found.worse()[0].conditions
        assert "respect 120 groups" in found.note
    scored = ff.slices.find_scores(X, wrong.astype(float), groups=codes)
    assert any("kind = x" in part.conditions for part in scored)
