"""Conjunctions on which a number is higher or lower than average."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr
from scipy.stats import rankdata

from fivefold.slices import pruning
from fivefold.slices.items import PackedItems
from fivefold.slices.kernels.scoring import exceedances, sums
from fivefold.slices.mining import Settings
from fivefold.slices.permutation import Permuted, Reached, step_down
from fivefold.slices.search import Family, Level, Pruner, gather, search

LEAST_CASES = 10
DRAWS_AT_ONCE = 32
# sums over the same cases in another order may differ by rounding, and must count as reached
ROUNDING = 1 - 1e-9

Numbers = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class ScoredSets:
    """The conjunctions that were found, and the number of tests behind them.

    `statistic` is the number of standard deviations from random dealing; `level` is one less the confidence of
    an interval; `squares` and `sums` are those of the deviations from the mean.
    """

    sets: list[tuple[int, ...]]
    n: NDArray[np.int64]
    sums: Numbers
    squares: Numbers
    statistic: Numbers
    p_value: Numbers
    adjusted_p_value: Numbers
    level: Numbers
    n_tests: tuple[int, ...]
    alphas: tuple[float, ...]


def least_effect(deviations: Numbers, share: float) -> float:
    r"""Give the least effect that matters: a share of :math:`\frac12 \sum_i |x_i - \bar x|`.

    For numbers 0 and 1 this is the support difference: half the sum is AN/T.
    """
    return share * 0.5 * float(np.abs(deviations).sum())


def score_pruner(deviations: Numbers, least: float) -> Pruner:
    """Prune by size: with too few cases no dealing of the numbers reaches the least effect."""
    ordered = np.sort(deviations)
    high = np.concatenate([[0.0], np.maximum.accumulate(np.cumsum(ordered[::-1]))])
    low = np.concatenate([[0.0], np.maximum.accumulate(np.cumsum(-ordered))])
    best = np.maximum(high, low)

    def survives(level: Level) -> NDArray[np.bool_]:
        dead = (level.inside < LEAST_CASES) | (best[level.inside] < least)
        return np.asarray(~(dead | pruning.identical(level.inside, level.least_part)))

    return survives


def search_scores(
    items: PackedItems, scores: Numbers, settings: Settings, test: str, rng: np.random.Generator
) -> ScoredSets:
    """Search and test all conjunctions; `scores` in the order of the bits."""
    deviations = scores - scores.mean()
    least = least_effect(deviations, settings.min_support_difference)
    pruner = score_pruner(deviations, least)
    levels = search(items, settings.alpha, settings.max_terms, pruner, settings.threads)
    family = gather(levels, pruner)
    n = family.counts.sum(axis=1)
    effects, squares = sums(items.bits, family.sets, deviations)
    large = np.abs(effects) >= least
    if test == "rank":
        alphas, n_tests = [level.alpha for level in levels], tuple(level.n_candidates for level in levels)
        statistic = _rank_statistic(items, family, scores)
        adjusted = np.minimum(
            1.0, _two_sided(statistic) * settings.alpha / np.array(alphas)[family.lengths - 1]
        )
    else:
        statistic = _z(effects, n, deviations)
        permuted = _permute(items, family, np.where(large, statistic, 0.0), deviations, least, settings, rng)
        adjusted, n_tests = permuted.adjusted, family.n_tests
        alphas = [float(_two_sided(permuted.critical(settings.alpha)))] * len(levels)
    found = np.flatnonzero(large & (adjusted <= settings.alpha))
    return ScoredSets(
        [tuple(item for item in one if item >= 0) for one in family.sets[found].tolist()],
        n[found],
        effects[found],
        squares[found],
        statistic[found],
        _two_sided(statistic[found]),
        adjusted[found],
        np.array(alphas)[family.lengths[found] - 1],
        n_tests,
        tuple(alphas),
    )


def _two_sided(statistic: Numbers) -> Numbers:
    return np.asarray(2 * ndtr(-statistic))


def _z(effects: Numbers, n: NDArray[np.int64], deviations: Numbers) -> Numbers:
    total = deviations.size
    return np.asarray(np.abs(effects) / (deviations.std() * np.sqrt(n * (total - n) / (total - 1))))


def _rank_statistic(items: PackedItems, family: Family, scores: Numbers) -> Numbers:
    ranks = rankdata(scores)
    deviations = ranks - ranks.mean()
    return _z(sums(items.bits, family.sets, deviations)[0], family.counts.sum(axis=1), deviations)


def _permute(
    items: PackedItems,
    family: Family,
    observed: Numbers,
    deviations: Numbers,
    least: float,
    settings: Settings,
    rng: np.random.Generator,
) -> Permuted:
    sd = float(deviations.std())

    def count_reached(order: NDArray[np.intp], stream: np.random.Generator, draws: int) -> Reached:
        dealt = np.column_stack([stream.permutation(deviations) for _ in range(draws)])
        sets, bar = np.ascontiguousarray(family.sets[order]), observed[order] * ROUNDING
        reached, maxima = exceedances(items.bits, sets, bar, dealt, sd, least * ROUNDING)
        return reached, maxima

    return step_down(observed, count_reached, settings.n_permutations, DRAWS_AT_ONCE, rng, settings.threads)
