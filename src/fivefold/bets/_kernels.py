"""Single passes over probabilities.

Probabilities come as ``(n, k)``, or as ``(n,)`` for the second of two classes; numba drops the branch that does
not fit the dimension of the array.
"""

from __future__ import annotations

from typing import Any

import numba
import numpy as np
from numpy.typing import NDArray

SMALL_SORT = 64
LONG_RUN = 12
SMALLEST_RANGE = 1e-280


@numba.njit(cache=True)
def probability(prob: NDArray[Any], t: int, label: int) -> float:
    """Probability of ``label`` in case ``t``."""
    if prob.ndim == 1:
        return float(prob[t] if label == 1 else 1.0 - prob[t])
    return float(prob[t, label])


@numba.njit(cache=True)
def select(prob: NDArray[Any], t: int) -> int:
    """Most probable class of case ``t``; the first of equals."""
    if prob.ndim == 1:
        return 1 if prob[t] > 0.5 else 0
    best = 0
    for k in range(1, prob.shape[1]):
        if prob[t, k] > prob[t, best]:
            best = k
    return best


@numba.njit(cache=True)
def rewards(
    truth: NDArray[np.int32],
    prob: NDArray[Any],
    contrast: bool,
    zero_point: float,
    low: float,
    high: float,
    weight: NDArray[np.float64],
    out: NDArray[np.float64],
) -> float:
    """Sum of ``zero_point + lg P``, P within [low, high]; each case's part goes into ``out`` if it has room."""
    total = 0.0
    for t in range(truth.shape[0]):
        if contrast:
            chosen = select(prob, t)
            p = probability(prob, t, chosen)
            if chosen != truth[t]:
                p = max(1.0 - p, 0.0)
        else:
            p = probability(prob, t, truth[t])
        reward = zero_point + np.log2(min(max(p, low), high))
        if out.shape[0]:
            out[t] = reward
        if weight.shape[0] == 0:
            total += reward
        elif weight[t] > 0.0:
            total += weight[t] * reward
    return total


@numba.njit(cache=True)
def squared_errors(truth: NDArray[np.int32], prob: NDArray[Any], out: NDArray[np.float64]) -> None:
    """Squared distance of each probability vector from the vector of the truth."""
    for t in range(truth.shape[0]):
        if prob.ndim == 1:
            out[t] = (prob[t] - truth[t]) ** 2
        else:
            total = 0.0
            for k in range(prob.shape[1]):
                aim = 1.0 if k == truth[t] else 0.0
                total += (prob[t, k] - aim) ** 2
            out[t] = total


@numba.njit(cache=True)
def events(
    truth: NDArray[np.int32], prob: NDArray[Any], label: int
) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Probability and outcome of one event a case: class ``label``, or the selected class if it is -1."""
    p = np.empty(truth.shape[0], dtype=np.float64)
    happened = np.empty(truth.shape[0], dtype=np.bool_)
    for t in range(truth.shape[0]):
        chosen = select(prob, t) if label < 0 else label
        p[t] = probability(prob, t, chosen)
        happened[t] = truth[t] == chosen
    return p, happened


@numba.njit(cache=True)
def sort_events(
    p: NDArray[np.float64], happened: NDArray[np.bool_]
) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Sort events by probability; the order among equals is not defined.

    The outcome travels in the sign bit, so that one array is moved instead of an index and two.
    """
    signed = np.empty(p.shape[0])
    for t in range(p.shape[0]):
        signed[t] = abs(p[t]) if happened[t] else -abs(p[t])
    sort_by_size(signed)
    return np.abs(signed), ~np.signbit(signed)


@numba.njit(cache=True)
def sort_by_size(values: NDArray[np.float64]) -> None:
    """Sort by absolute value in place: scatter into buckets of equal width, then sort each of them."""
    n = values.shape[0]
    if n <= SMALL_SORT:
        insertion_sort_by_size(values)
        return
    low = high = abs(values[0])
    for t in range(1, n):
        low, high = min(low, abs(values[t])), max(high, abs(values[t]))
    if high - low < SMALLEST_RANGE:
        if high > low:
            values[:] = values[np.argsort(np.abs(values))]
        return
    buckets = min(n // 8, 1 << 20)
    scale = (buckets - 1) / (high - low)
    start = np.zeros(buckets + 1, dtype=np.int64)
    for t in range(n):
        start[np.int64((abs(values[t]) - low) * scale) + 1] += 1
    start = np.cumsum(start)
    place = start[:-1].copy()
    moved = np.empty(n)
    for t in range(n):
        bucket = np.int64((abs(values[t]) - low) * scale)
        moved[place[bucket]] = values[t]
        place[bucket] += 1
    values[:] = moved
    for b in range(buckets):
        if start[b + 1] - start[b] > 1:
            sort_by_size(values[start[b] : start[b + 1]])


@numba.njit(cache=True)
def insertion_sort_by_size(values: NDArray[np.float64]) -> None:
    """Sort a few numbers by absolute value in place."""
    for i in range(1, values.shape[0]):
        value = values[i]
        j = i - 1
        while j >= 0 and abs(values[j]) > abs(value):
            values[j + 1] = values[j]
            j -= 1
        values[j + 1] = value


@numba.njit(cache=True)
def tied_ends(p: NDArray[np.float64], least: int) -> NDArray[np.int64]:
    """Ends of cells of at least ``least`` cases of sorted ``p`` that keep equal values together."""
    ends = np.empty(p.shape[0] // least + 1, dtype=np.int64)
    count, start = 0, 0
    for t in range(p.shape[0]):
        last = t + 1 == p.shape[0]
        if t + 1 - start >= least and (last or p[t + 1] != p[t]):
            ends[count] = t + 1
            count += 1
            start = t + 1
    if start < p.shape[0]:
        count = max(count, 1)
        ends[count - 1] = p.shape[0]
    return ends[:count]


@numba.njit(cache=True)
def cell_statistics(
    p: NDArray[np.float64], happened: NDArray[np.bool_], ends: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64], NDArray[np.float64]]:
    """For each cell: cases, hits, mean probability, and sum of squared deviations of p from the hit rate."""
    m = ends.shape[0]
    cases, hits = np.empty(m, dtype=np.int64), np.zeros(m, dtype=np.int64)
    mean, squares = np.zeros(m), np.zeros(m)
    start = 0
    for i in range(m):
        cases[i] = ends[i] - start
        for t in range(start, ends[i]):
            hits[i] += happened[t]
            mean[i] += p[t]
        mean[i] /= cases[i]
        rate = hits[i] / cases[i]
        for t in range(start, ends[i]):
            squares[i] += (rate - p[t]) ** 2
        start = ends[i]
    return cases, hits, mean, squares


@numba.njit(cache=True)
def runs_of_equals(
    p: NDArray[np.float64], ends: NDArray[np.int64]
) -> tuple[NDArray[np.float64], NDArray[np.int64], NDArray[np.int64]]:
    """Value and length of each run of equal ``p`` within a cell, and the number of runs up to each cell's end."""
    value, length = np.empty(p.shape[0]), np.empty(p.shape[0], dtype=np.int64)
    run_ends = np.empty(ends.shape[0], dtype=np.int64)
    count, start = 0, 0
    for i in range(ends.shape[0]):
        for t in range(start, ends[i]):
            if t > start and p[t] == p[t - 1]:
                length[count - 1] += 1
            else:
                value[count], length[count] = p[t], 1
                count += 1
        run_ends[i] = count
        start = ends[i]
    return value[:count], length[:count], run_ends


@numba.njit(cache=True)
def redraw(
    p: NDArray[np.float64], ends: NDArray[np.int64], spread: NDArray[np.float64], draws: int, rng: Any
) -> NDArray[np.float64]:
    """Squared miscalibration when every outcome is drawn anew with the probability that was stated.

    A cell's share is (n (rate - mean p)^2 + spread) / (n - 1), where the spread of p does not change.
    """
    value, length, run_ends = runs_of_equals(p, ends)
    out = np.zeros(draws)
    for d in range(draws):
        start = first = 0
        for i in range(ends.shape[0]):
            n = ends[i] - start
            excess = 0.0
            for run in range(first, run_ends[i]):
                stated = min(value[run], 1.0)
                if length[run] > LONG_RUN:
                    excess += rng.binomial(length[run], stated) - length[run] * stated
                else:
                    for _ in range(length[run]):
                        excess += (1.0 if rng.random() < stated else 0.0) - stated
            out[d] += (excess * excess / n + spread[i]) / (n - 1)
            start, first = ends[i], run_ends[i]
    return out


@numba.njit(cache=True)
def redraw_moments(
    p: NDArray[np.float64], ends: NDArray[np.int64], spread: NDArray[np.float64]
) -> tuple[float, float]:
    """Mean and variance of what ``redraw`` draws, exactly, from the cumulants of independent outcomes."""
    mean = variance = 0.0
    start = 0
    for i in range(ends.shape[0]):
        n = ends[i] - start
        second = fourth = 0.0
        for t in range(start, ends[i]):
            v = p[t] * (1.0 - p[t])
            second += v
            fourth += v * (1.0 - 6.0 * v)
        mean += (second / n + spread[i]) / (n - 1)
        variance += (fourth + 2.0 * second * second) / (n * n * (n - 1.0) ** 2)
        start = ends[i]
    return mean, variance
