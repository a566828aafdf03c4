"""Intervals of the usual figures, tested by simulation: they hold what new cases of the same kind would show."""

from dataclasses import replace

import numpy as np
import pytest
from scipy import stats
from sklearn.metrics import average_precision_score, roc_auc_score

import fivefold as ff
from fivefold.evaluation import UsualView
from fivefold.inputs.groups import read_groups

pytestmark = pytest.mark.statistical
LEAST = 0.93


def few(runs):
    """So few of the runs hold once in 1,000 times where each does with the promised probability."""
    return stats.binom.ppf(0.001, runs, LEAST)


# Probabilities of truth (rows) and answer (columns; a last one for no answer).
MATRICES = {
    "rare, found by half": np.array([[0.93, 0.03], [0.02, 0.02]]),
    "rare, hardly found": np.array([[0.97, 0.01], [0.018, 0.002]]),
    "even, good": np.array([[0.49, 0.01], [0.01, 0.49]]),
    "silent at times": np.array([[0.4, 0.1, 0.1], [0.05, 0.2, 0.15]]),
    "one small of three": np.array([[0.6, 0.05, 0.0], [0.1, 0.2, 0.01], [0.01, 0.01, 0.02]]),
    "ten by chance": np.outer(np.arange(1, 11), np.ones(10)) / 550,
    "ten, mostly right": np.diag(np.full(10, 0.07)) + 0.003,
}


def true_figures(matrix):
    """Precision, recall and F1 of each class, and macro and micro, of all cases there are."""
    k = len(matrix)
    right, rows, columns = matrix.diagonal()[:k], matrix.sum(axis=1), matrix[:, :k].sum(axis=0)
    each = np.array([right / columns, right / rows, 2 * right / (rows + columns)])
    answered = columns.sum()
    micro = np.array([right.sum() / answered, right.sum(), 2 * right.sum() / (1 + answered)])
    return np.column_stack([each, each.mean(axis=1), micro])


def holds(usual, truth):
    """Which intervals hold the truth; NaN where nothing was promised."""
    rows = [*usual.classes, usual.macro, usual.micro]
    held = np.full(truth.shape, np.nan)
    for place, name in enumerate(("precision", "recall", "f1")):
        for column, row in enumerate(rows):
            interval = getattr(row, f"{name}_interval")
            if interval:
                held[place, column] = interval[0] - 1e-12 <= truth[place, column] <= interval[1] + 1e-12
    return held


def draw(rng, matrix, n, by_class):
    """Draw cases at random, or as many of each class as its share."""
    if not by_class:
        return rng.multinomial(n, (matrix / matrix.sum()).ravel()).reshape(matrix.shape)
    rows = matrix.sum(axis=1)
    sizes = np.maximum(1, np.round(n * rows).astype(int))
    return np.array([rng.multinomial(size, row / row.sum()) for size, row in zip(sizes, matrix, strict=True)])


def look(counts):
    k = len(counts)
    truth, answer = (np.repeat(place.ravel(), counts.ravel()) for place in np.indices(counts.shape))
    return UsualView.of(ff.Predictions("model", np.arange(k), truth, np.where(answer < k, answer, -1)))


def coverage_of_figures(matrix, n, runs, by_class=False, seed=0):
    rng, matrix = np.random.default_rng(seed), matrix / matrix.sum()
    truth = true_figures(matrix)
    return np.array([holds(look(draw(rng, matrix, n, by_class)), truth) for _ in range(runs)])


def assert_held(held):
    asked = (~np.isnan(held)).sum(axis=0)
    worst = (np.nansum(held, axis=0) - few(asked)).min()
    assert worst >= 0


@pytest.mark.parametrize("name", ["rare, found by half", "silent at times", "one small of three"])
def test_intervals_of_figures_hold(name):
    assert_held(coverage_of_figures(MATRICES[name], 60, 150))


@pytest.mark.slow
@pytest.mark.parametrize("by_class", [False, True])
@pytest.mark.parametrize("n", [30, 100, 2000])
@pytest.mark.parametrize("name", MATRICES)
def test_intervals_of_figures_hold_in_any_shape(name, n, by_class):
    assert_held(coverage_of_figures(MATRICES[name], n, 150, by_class))


def test_intervals_of_figures_hold_where_cases_belong_together():
    """Forty groups of ten, each with its own share of right answers, so that cases of a group come out alike."""
    rng, runs = np.random.default_rng(0), 150
    held = []
    for _ in range(runs):
        groups = np.repeat(np.arange(40), 10)
        truth = (rng.random(400) < 0.3).astype(int)
        right = rng.random(400) < rng.beta(1.6, 0.4, 40)[groups]
        predictions = ff.Predictions("m", np.arange(2), truth, np.where(right, truth, 1 - truth))
        usual = UsualView.of(replace(predictions, groups=read_groups(groups, 400)))
        held.append(holds(usual, true_figures(np.array([[0.56, 0.14], [0.06, 0.24]]))))
    assert_held(np.array(held))


# Scores of the event and of others.
SCORES = {
    "weak": (lambda rng, n: rng.normal(1, 1, n), lambda rng, n: rng.normal(0, 1, n)),
    "nothing known": (lambda rng, n: rng.normal(0, 1, n), lambda rng, n: rng.normal(0, 1, n)),
    "strong": (lambda rng, n: rng.normal(3, 1, n), lambda rng, n: rng.normal(0, 1, n)),
    "some events unseen": (
        lambda rng, n: np.where(rng.random(n) < 0.7, 4, 0) + rng.normal(0, 1, n),
        lambda rng, n: rng.normal(0, 1, n),
    ),
    "most others easy": (
        lambda rng, n: rng.normal(0, 1, n),
        lambda rng, n: np.where(rng.random(n) < 0.8, -4, 0) + rng.normal(0, 1, n),
    ),
    "wide": (lambda rng, n: rng.normal(0.5, 3, n), lambda rng, n: rng.normal(0, 1, n)),
    "ties": (
        lambda rng, n: rng.integers(0, 4, n) + (rng.random(n) < 0.5),
        lambda rng, n: rng.integers(0, 4, n),
    ),
    # of which a sample often has none, and looks as if all labels were right
    "few wrong labels": (
        lambda rng, n: rng.normal(4, 1, n),
        lambda rng, n: np.where(rng.random(n) < 0.02, 8, 0) + rng.normal(0, 1, n),
    ),
}


def cases(rng, name, happened):
    event, other = SCORES[name]
    scores = np.empty(happened.size)
    scores[happened], scores[~happened] = event(rng, happened.sum()), other(rng, (~happened).sum())
    return 1 / (1 + np.exp(-scores))


def coverage_of_curves(name, n, share, runs, seed=0):
    """How often both areas hold, and both bands at shares of 5, 20, 50 and 80 %."""
    rng = np.random.default_rng(seed)
    many = np.arange(200_000) < 200_000 * share
    stated = cases(rng, name, many)
    truth = (roc_auc_score(many, stated), average_precision_score(many, stated))
    curve = ff.bets.threshold_curve(many, stated, points=2000)
    held = []
    while len(held) < runs:
        happened = rng.random(n) < share
        if 0 < happened.sum() < n:
            held.append(
                curve_holds(ff.bets.threshold_curve(happened, cases(rng, name, happened)), curve, *truth)
            )
    return np.array(held, dtype=float)


def curve_holds(curve, population, area, precision):
    areas = zip((area, precision), (curve.area_interval, curve.average_precision_interval), strict=True)
    held = [low <= value <= high for value, (low, high) in areas]
    alarms, caught = population.false_alarms / population.n_others, population.hits / population.n_events
    precise = population.hits / np.maximum(population.hits + population.false_alarms, 1)
    for at in (0.05, 0.2, 0.5, 0.8):
        place = np.abs(curve.false_alarms / curve.n_others - at).argmin()
        true = np.interp(curve.false_alarms[place] / curve.n_others, alarms, caught)
        held.append(curve.recall_band[0][place] - 0.005 <= true <= curve.recall_band[1][place] + 0.005)
        place = np.abs(curve.hits / curve.n_events - at).argmin()
        recall = curve.hits[place] / curve.n_events
        true = np.interp(recall, caught[1:], precise[1:])
        low, high = (band[place] for band in curve.precision_band)
        held.append(low - 0.005 <= true <= high + 0.005)
    return held


def assert_curves_held(held):
    assert (held.sum(axis=0) >= few(len(held))).all(), held.mean(axis=0)


@pytest.mark.parametrize(
    ("name", "n", "share"),
    [("weak", 60, 0.3), ("wide", 40, 0.1), ("ties", 200, 0.05), ("few wrong labels", 100, 0.5)],
)
def test_intervals_of_areas_and_bands_hold(name, n, share):
    assert_curves_held(coverage_of_curves(name, n, share, 100))


@pytest.mark.slow
@pytest.mark.parametrize("name", SCORES)
@pytest.mark.parametrize(
    ("n", "share"), [(30, 0.1), (30, 0.5), (100, 0.05), (100, 0.3), (500, 0.02), (2000, 0.01), (500, 0.5)]
)
def test_intervals_of_areas_and_bands_hold_in_any_shape(name, n, share):
    assert_curves_held(coverage_of_curves(name, n, share, 150))


@pytest.mark.parametrize("n", [50, 1000])
@pytest.mark.parametrize("prices", [(1, 1), (1, 10), (1, 100)])
@pytest.mark.parametrize("expected", [(0.17, 0.17), (3, 0.17), (1, 0.3), (5, 1), (0.5, 0.5)])
def test_intervals_of_costs_hold_where_errors_are_rare(n, prices, expected):
    """All samples of so many false alarms and misses on average; Wilson's limits held the cost in 80 %."""
    half, counts = n // 2, np.arange(25)
    alarms, misses = (each.ravel() for each in np.meshgrid(counts, counts))
    shares = np.array(expected) / n
    weight = stats.multinomial.pmf(
        np.column_stack([alarms, misses, n - alarms - misses]), n, [*shares, 1 - shares.sum()]
    )
    curve = ff.bets.threshold_curve([0] * half + [1] * half, [0.2] * half + [0.8] * half)
    low, high = replace(curve, false_alarms=alarms, hits=half - misses).cost_interval(*prices)
    assert weight @ ((low <= shares @ prices) & (shares @ prices <= high)) >= LEAST


@pytest.mark.parametrize(("n", "share"), [(30, 0.1), (100, 0.05), (500, 0.3)])
def test_intervals_of_costs_hold(n, share):
    """Of a threshold chosen beforehand, here one half, and a miss that costs ten false alarms."""
    rng, prices, runs = np.random.default_rng(0), (1.0, 10.0), 400
    many = np.arange(200_000) < 200_000 * share
    alarm = cases(rng, "strong", many) > 0.9
    truth = np.mean(alarm & ~many) * prices[0] + np.mean(~alarm & many) * prices[1]
    held = 0
    for _ in range(runs):
        happened = rng.random(n) < share
        happened[:2] = [True, False]
        curve = ff.bets.threshold_curve(happened, np.where(cases(rng, "strong", happened) > 0.9, 0.8, 0.2))
        low, high = (end[1 if curve.threshold[1] == 0.8 else 0] for end in curve.cost_interval(*prices))
        held += low <= truth <= high
    assert held >= few(runs)
