"""The gain and the split information of each possible test at a node, and C5.0's choice among them."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numba
import numpy as np

from fivefold.learners.c45.kernels.choosing import Scores
from fivefold.learners.c45.kernels.information import LN2, enough_branches, total_information
from fivefold.learners.c45.kernels.ordering import exchange, sort_by_key
from fivefold.learners.c45.structures import Cases, Order

EPSILON = 1e-4
CLOSE = 0.999


class Thresholds(NamedTuple):
    """What a test needs: cases in two branches, and gain.

    The least gain is `average_weight` times the average gain plus `code_weight` times the bits to name one of
    the possible tests, by case. `many` is the number of values from which on there are too many.
    """

    min_cases: float
    average_weight: float
    code_weight: float
    many: float
    all_many: bool


@numba.njit(cache=True, error_model="numpy")
def choose(
    cases: Cases, order: Order, scores: Scores, thresholds: Thresholds, start: int, stop: int, counts: Any
) -> int:
    """Evaluate every attribute on the cases at start … stop - 1; give the best one, or -1 for none."""
    total = counts.sum()
    base = total_information(counts, scores.table) / total
    possible, average = 0, 0.0
    for a in range(cases.forks.shape[0]):
        scores.gain[a] = -1.0
        if cases.numeric[a]:
            _score_numeric(cases, order, scores, thresholds.min_cases, a, start, stop, total, base)
        elif not scores.tested[a]:
            _score_nominal(cases, order, scores, thresholds.min_cases, a, start, stop, total, base)
        few = cases.numeric[a] or cases.forks[a] + 1 < thresholds.many
        if scores.gain[a] >= EPSILON and (few or thresholds.all_many):
            possible += 1
            average += scores.gain[a]
        else:
            scores.gain[a] = -1.0
    if not possible:
        return -1
    naming = math.log(possible) / LN2 / total
    least = thresholds.average_weight * average / possible + thresholds.code_weight * naming
    return _best_ratio(cases, scores, least)


@numba.njit(cache=True, error_model="numpy")
def _best_ratio(cases: Cases, scores: Scores, least: float) -> int:
    """Give the attribute with the best ratio; among close ones that with fewer branches, then more gain."""
    best, best_ratio, best_forks = -1, -EPSILON, 0
    for a in range(scores.gain.shape[0]):
        gain = scores.gain[a]
        if gain < 0 or gain < CLOSE * least or scores.info[a] <= 0:
            continue
        ratio = gain / scores.info[a]
        forks = 3 if cases.numeric[a] else max(3, cases.forks[a] + 1)
        close = best >= 0 and ratio > CLOSE * best_ratio
        simpler = forks < best_forks or (forks == best_forks and gain > scores.gain[best])
        if ratio > best_ratio or (close and simpler):
            best, best_ratio, best_forks = a, ratio, forks
    return best


@numba.njit(cache=True, error_model="numpy")
def _score_nominal(
    cases: Cases,
    order: Order,
    scores: Scores,
    min_cases: float,
    a: int,
    start: int,
    stop: int,
    total: float,
    base: float,
) -> None:
    forks, row = cases.forks[a], cases.place[a]
    frequency, sizes = scores.frequency[: forks + 1], scores.sizes[: forks + 1]
    frequency[:] = 0.0
    for i in range(start, stop):
        item = order.items[i]
        frequency[cases.codes[row, item], cases.classes[item]] += order.weight[i]
    for v in range(forks + 1):
        sizes[v] = frequency[v].sum()
    if not enough_branches(sizes, min_cases):
        return
    known, after = total - sizes[0], 0.0
    if sizes[0] > 0:
        base = total_information(frequency[1:].sum(axis=0), scores.table) / known
    for v in range(1, forks + 1):
        after += total_information(frequency[v], scores.table)
    scores.gain[a] = max(0.0, (1 - sizes[0] / total) * (base - after / known))
    scores.info[a] = total_information(sizes, scores.table) / total


@numba.njit(cache=True, error_model="numpy")
def _score_numeric(
    cases: Cases,
    order: Order,
    scores: Scores,
    min_cases: float,
    a: int,
    start: int,
    stop: int,
    total: float,
    base: float,
) -> None:
    first = _known_from(cases, order, scores, a, start, stop)
    high, sizes = scores.frequency[2], scores.sizes[:3]
    known = high.sum()
    if known < 2 * min_cases:
        return
    if first > start:
        base = total_information(high, scores.table) / known
    smallest = max(min(0.1 * known / cases.n_classes, 25.0), min_cases)
    sort_by_key(scores.keys, order, first, stop)
    at, after, tries, sizes[1] = _best_cut(cases, order, scores, first, stop, smallest, known)
    gain = known / total * (base - after / known)
    if at < 0 or gain <= 0:
        return
    gap = scores.keys[at + 1] - scores.keys[at]
    interval = (scores.keys[stop - 1] - scores.keys[first]) / gap
    gain -= math.log(min(interval, tries)) / LN2 / total
    if gain > 0:
        sizes[0], sizes[2] = total - known, known - sizes[1]
        scores.gain[a] = gain
        scores.info[a] = total_information(sizes, scores.table) / total
        scores.bar[a] = 0.5 * (scores.keys[at] + scores.keys[at + 1])
        if scores.bar[a] >= scores.keys[at + 1]:
            scores.bar[a] = scores.keys[at]


@numba.njit(cache=True, error_model="numpy")
def _known_from(cases: Cases, order: Order, scores: Scores, a: int, start: int, stop: int) -> int:
    """Bring cases with unknown values to the front; count the classes of the others in row 2."""
    row, first = cases.place[a], start
    scores.frequency[1:3] = 0.0
    for i in range(start, stop):
        value = cases.values[row, order.items[i]]
        if np.isnan(value):
            exchange(order, first, i)
            scores.keys[i] = scores.keys[first]
            first += 1
        else:
            scores.keys[i] = value
            scores.frequency[2, cases.classes[order.items[i]]] += order.weight[i]
    return first


@numba.njit(cache=True, error_model="numpy")
def _best_cut(
    cases: Cases, order: Order, scores: Scores, first: int, stop: int, smallest: float, known: float
) -> tuple[int, float, int, float]:
    """Give the place of the best cut, the information after it, the cuts tried, and the weight below it."""
    low, high = scores.frequency[1], scores.frequency[2]
    best, least, tries, below, best_below = -1, np.inf, 0, 0.0, 0.0
    for i in range(first, stop - 1):
        c = cases.classes[order.items[i]]
        below += order.weight[i]
        low[c] += order.weight[i]
        high[c] -= order.weight[i]
        if scores.keys[i] == scores.keys[i + 1] or below < smallest - 1e-5:
            continue
        if known - below < smallest - 1e-9:
            break
        tries += 1
        after = total_information(low, scores.table) + total_information(high, scores.table)
        if after < least:
            best, least, best_below = i, after, below
    return best, least, tries, best_below
