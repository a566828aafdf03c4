"""Threshold curves: what is cheapest, and cases that belong together."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import average_precision_score, roc_auc_score

import fivefold as ff

SAMPLES, GROUPS = 60, 50


def draw(shape, n_groups, rng):
    """Cases of groups whose truth or scores are alike, or not at all."""
    groups = np.repeat(np.arange(n_groups), rng.poisson(4, n_groups) + 1)
    happened = rng.random(groups.size) < 0.3
    mood = np.zeros(n_groups)
    if shape == "repeated":
        happened, mood = (rng.random(n_groups) < 0.3)[groups], rng.normal(size=n_groups)
    scores = (
        1.2 * happened + mood[groups] + (0.1 if shape == "repeated" else 1) * rng.normal(size=groups.size)
    )
    return happened.astype(int), 1 / (1 + np.exp(-scores)), groups


def outside(interval, value):
    return not interval[0] <= value <= interval[1]


def test_areas_of_groups_hold_where_single_cases_would_mislead():
    rng = np.random.default_rng(0)
    truth, stated, _ = draw("repeated", 30_000, rng)
    area, precision = roc_auc_score(truth, stated), average_precision_score(truth, stated)
    missed = np.zeros(3)
    for _ in range(SAMPLES):
        y, p, groups = draw("repeated", GROUPS, rng)
        curve, alone = ff.bets.threshold_curve(y, p, groups=groups), ff.bets.threshold_curve(y, p)
        assert curve.area == alone.area
        missed += [
            outside(curve.area_interval, area),
            outside(curve.average_precision_interval, precision),
            outside(alone.area_interval, area),
        ]
    # 95 % intervals miss more than 9 of 60 once in a thousand times
    assert missed[0] <= 9
    assert missed[1] <= 9
    assert missed[2] > 9, "cases taken as independent are the mistake that this is about"


def test_groups_that_are_not_alike_cost_little_and_groups_of_one_nothing():
    rng = np.random.default_rng(1)
    y, p, groups = draw("independent", 300, rng)
    curve, alone = ff.bets.threshold_curve(y, p, groups=groups), ff.bets.threshold_curve(y, p)
    assert np.diff(curve.area_interval) < 1.35 * np.diff(alone.area_interval)
    singles = ff.bets.threshold_curve(y, p, groups=np.arange(y.size))
    assert singles.area_interval == pytest.approx(alone.area_interval, abs=2e-3)


def test_bands_and_costs_are_those_of_fewer_cases():
    rng = np.random.default_rng(2)
    y, p, groups = draw("repeated", GROUPS, rng)
    curve, alone = ff.bets.threshold_curve(y, p, groups=groups), ff.bets.threshold_curve(y, p)
    assert curve.worth < 0.5
    assert alone.worth == 1
    for name in ("recall_band", "precision_band"):
        (low, high), (inner_low, inner_high) = getattr(curve, name), getattr(alone, name)
        assert (high - low).mean() > (inner_high - inner_low).mean()
        assert ((low >= 0) & (high <= 1)).all()
    (low, high), (inner_low, inner_high) = curve.cost_interval(), alone.cost_interval()
    assert (high - low >= inner_high - inner_low).all()


@pytest.mark.parametrize("stated", [[0.1, 0.4, 0.4, 0.9], [0.1, 0.1, 0.9, 0.9], [0.5] * 4])
def test_two_groups_tell_almost_nothing(stated):
    curve = ff.bets.threshold_curve([0, 0, 1, 1], stated, groups=["a", "b", "a", "b"])
    low, high = curve.area_interval
    assert low <= curve.area <= high
    assert high - low > 0.4
    assert np.isfinite([*curve.recall_band, *curve.precision_band]).all()


@pytest.mark.parametrize("miss", [0.0, 0.3, 1.0, 20.0, 1000.0])
def test_the_cheapest_threshold_is_that_of_all_cases_not_of_the_points_alone(miss):
    rng = np.random.default_rng(0)
    happened = rng.random(3_000) < 0.3
    stated = 1 / (1 + np.exp(-rng.normal(size=3_000) - 3 * happened))
    curve = ff.bets.threshold_curve(happened, stated, points=20)
    falling = happened[np.argsort(-stated)]
    alarms, hits = (np.append(0, np.cumsum(part)) for part in (~falling, falling))
    costs = (alarms + miss * (hits[-1] - hits)) / falling.size
    assert curve.cost(miss=miss).min() == pytest.approx(costs.min())
    at = stated >= curve.cheapest(miss=miss)
    assert np.mean(at & ~happened) + miss * np.mean(~at & happened) == pytest.approx(costs.min())
