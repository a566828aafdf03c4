"""The gain and the split information of each possible test at a node, and the choice among them."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numba
import numpy as np
from numpy.typing import NDArray

from fivefold.learners.c45.kernels.information import (
    EPSILON,
    LN2,
    enough_branches,
    information_gain,
    known_base_information,
    total_information,
)
from fivefold.learners.c45.kernels.ordering import exchange, sort_by_key, weight_between
from fivefold.learners.c45.structures import Cases, Options, Order


class Scores(NamedTuple):
    """Work space for the evaluation of a node: a table of branch by class, and what each attribute got."""

    frequency: NDArray[Any]
    sizes: NDArray[Any]
    keys: NDArray[Any]
    trial_gain: NDArray[Any]
    trial_at: NDArray[np.int32]
    gain: NDArray[Any]
    info: NDArray[Any]
    bar: NDArray[Any]
    tested: NDArray[np.bool_]
    table: NDArray[np.float64]


@numba.njit(cache=True, error_model="numpy")
def choose(
    cases: Cases,
    order: Order,
    scores: Scores,
    options: Options,
    start: int,
    stop: int,
    total: Any,
    unit: bool,
) -> int:
    """Evaluate every attribute on the cases at start … stop - 1; give the best one, or -1 for none."""
    real = order.weight.dtype.type
    possible, average = 0, real(0)
    for a in range(cases.forks.shape[0]):
        scores.gain[a] = -EPSILON
        if cases.numeric[a]:
            _score_numeric(cases, order, scores, options, a, start, stop, unit)
        elif not scores.tested[a]:
            _score_nominal(cases, order, scores, options, a, start, stop, total, unit)
        few = cases.numeric[a] or cases.forks[a] < options.many
        if scores.gain[a] > -EPSILON and (few or options.all_many):
            possible += 1
            average = real(average + scores.gain[a])
    return _best_ratio(scores, real(average / real(possible)) if possible else real(1e6))


@numba.njit(cache=True, error_model="numpy")
def _best_ratio(scores: Scores, average: Any) -> int:
    real = scores.gain.dtype.type
    best, best_worth = -1, real(-EPSILON)
    for a in range(scores.gain.shape[0]):
        gain, info = scores.gain[a], scores.info[a]
        if gain > -EPSILON and gain >= average - EPSILON and info > EPSILON:
            worth = real(gain / info)
            if worth > best_worth:
                best, best_worth = a, worth
    return best


@numba.njit(cache=True, error_model="numpy")
def _score_nominal(
    cases: Cases,
    order: Order,
    scores: Scores,
    options: Options,
    a: int,
    start: int,
    stop: int,
    total: Any,
    unit: bool,
) -> None:
    real = order.weight.dtype.type
    forks, row = cases.forks[a], cases.place[a]
    frequency, sizes = scores.frequency[: forks + 1], scores.sizes[: forks + 1]
    frequency[:] = 0
    for i in range(start, stop):
        item = order.items[i]
        frequency[cases.codes[row, item], cases.classes[item]] += order.weight[i]
    for v in range(forks + 1):
        sizes[v] = 0
        for c in range(cases.n_classes):
            sizes[v] += frequency[v, c]
    if total <= sizes[0]:
        return
    known = real(total - sizes[0])
    if enough_branches(sizes, options.min_objs):
        unknown_rate = real(sizes[0] / weight_between(order, start, stop, unit))
        base = known_base_information(frequency, known, scores.table)
        scores.gain[a] = information_gain(base, unknown_rate, frequency, known, scores.table)
        scores.info[a] = real(total_information(sizes, scores.table) / total)


@numba.njit(cache=True, error_model="numpy")
def _score_numeric(
    cases: Cases, order: Order, scores: Scores, options: Options, a: int, start: int, stop: int, unit: bool
) -> None:
    real = order.weight.dtype.type
    total = weight_between(order, start, stop, unit)
    frequency, sizes = scores.frequency[:4], scores.sizes[:3]
    frequency[:] = 0
    first = _unknown_to_front(cases, order, scores, a, start, stop)
    sizes[0] = 0
    for c in range(cases.n_classes):
        sizes[0] += frequency[0, c]
    known = real(total - sizes[0])
    if known < 2 * options.min_objs:
        return
    sort_by_key(scores.keys, order, first, stop)
    for i in range(first, stop):
        frequency[2, cases.classes[order.items[i]]] += order.weight[i]
    if cases.forks[a] == 3:
        # Unknown is an outcome like the others: it counts in the base and after the test.
        frequency[3] = frequency[0]
        unknown_rate, among = real(0), total
        base = known_base_information(frequency, total, scores.table)
    else:
        unknown_rate, among = real(1.0 - np.float64(real(known / total))), known
        base = real(total_information(frequency[2], scores.table) / known)
    forks = cases.forks[a]
    tries = _try_cuts(cases, order, scores, options, forks, first, stop, known, among, base, unknown_rate)
    trials = tries if not options.paper_penalty else _distinct_keys(scores.keys, first, stop) - 1
    _keep_best_cut(scores, order, a, tries, trials, first, known, total)


@numba.njit(cache=True, error_model="numpy")
def _unknown_to_front(cases: Cases, order: Order, scores: Scores, a: int, start: int, stop: int) -> int:
    row = cases.place[a]
    first = start
    for i in range(start, stop):
        item = order.items[i]
        value = cases.values[row, item]
        if np.isnan(value):
            scores.frequency[0, cases.classes[item]] += order.weight[i]
            exchange(order, first, i)
            scores.keys[i] = scores.keys[first]
            first += 1
        else:
            scores.keys[i] = value
    return first


@numba.njit(cache=True, error_model="numpy")
def _try_cuts(
    cases: Cases,
    order: Order,
    scores: Scores,
    options: Options,
    forks: int,
    first: int,
    stop: int,
    known: Any,
    among: Any,
    base: Any,
    unknown_rate: Any,
) -> int:
    real = order.weight.dtype.type
    frequency = scores.frequency[: forks + 1]
    smallest = _smallest_side(known, cases.n_classes, options.min_objs, real)
    greatest = real(known - smallest)
    tries, low = 0, real(0)
    for i in range(first, stop - 1):
        c = cases.classes[order.items[i]]
        low = real(low + order.weight[i])
        frequency[1, c] += order.weight[i]
        frequency[2, c] -= order.weight[i]
        if low < smallest:
            continue
        if low > greatest:
            break
        if scores.keys[i] < np.float64(scores.keys[i + 1]) - 1e-5:
            gain = real(-EPSILON)
            if low >= options.min_objs and real(known - low) >= options.min_objs:
                gain = information_gain(base, unknown_rate, frequency, among, scores.table)
            scores.trial_gain[tries], scores.trial_at[tries] = gain, i
            tries += 1
    return tries


@numba.njit(cache=True, error_model="numpy")
def _smallest_side(known: Any, n_classes: int, min_objs: float, real: Any) -> Any:
    side = real(0.10 * known / n_classes)
    if side <= min_objs:
        return real(min_objs)
    return real(25) if side > 25 else side


@numba.njit(cache=True, error_model="numpy")
def _distinct_keys(keys: NDArray[Any], first: int, stop: int) -> int:
    different = 1
    for i in range(first + 1, stop):
        if keys[i] > keys[i - 1]:
            different += 1
    return different


@numba.njit(cache=True, error_model="numpy")
def _keep_best_cut(
    scores: Scores, order: Order, a: int, tries: int, trials: int, first: int, known: Any, total: Any
) -> None:
    real = order.weight.dtype.type
    penalty = real(math.log(trials) / LN2 / total) if trials > 0 else real(0)
    best, best_value = -1, real(0)
    for t in range(tries):
        value = real(scores.trial_gain[t] - penalty)
        if value > best_value:
            best, best_value = t, value
    if best < 0:
        return
    at = scores.trial_at[best]
    scores.gain[a] = best_value
    scores.bar[a] = real(real(scores.keys[at] + scores.keys[at + 1]) / real(2))
    scores.sizes[1] = weight_between(order, first, at + 1, False)
    scores.sizes[2] = known - scores.sizes[1]
    scores.info[a] = real(total_information(scores.sizes[:3], scores.table) / total)
