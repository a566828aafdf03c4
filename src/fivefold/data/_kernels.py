"""The inner loop of MDLP: the best cut of a sorted segment, and the recursion over segments."""

from __future__ import annotations

from typing import Any

import numba
import numpy as np
from numpy.typing import NDArray


@numba.njit(cache=True)
def _sum_c_log_c(counts: NDArray[np.int64]) -> tuple[float, int, int]:
    # n * entropy = n log n - sum c log c; also the number of cases and of classes that occur
    total, n, k = 0.0, 0, 0
    for c in counts:
        if c > 0:
            total += c * np.log2(c)
            n += c
            k += 1
    return total, n, k


@numba.njit(cache=True)
def _n_entropy(counts: NDArray[np.int64]) -> float:
    total, n, _ = _sum_c_log_c(counts)
    return n * np.log2(n) - total if n > 0 else 0.0


@numba.njit(cache=True)
def _best_cut(
    values: NDArray[np.float64],
    codes: NDArray[np.int32],
    start: int,
    stop: int,
    all_counts: NDArray[np.int64],
) -> tuple[int, Any]:
    """Find the first place with least class entropy; -1 where all values are equal."""
    left = np.zeros_like(all_counts)
    best_place, best_cost = -1, np.inf
    best_left = left.copy()
    for i in range(start, stop - 1):
        left[codes[i]] += 1
        if values[i] < values[i + 1]:
            cost = _n_entropy(left) + _n_entropy(all_counts - left)
            # equal costs may differ in their last bits: a later cut must be truly better
            if cost < best_cost - 1e-9:
                best_place, best_cost = i + 1, cost
                best_left = left.copy()
    return best_place, best_left


@numba.njit(cache=True)
def _is_worth_it(all_counts: NDArray[np.int64], left: NDArray[np.int64]) -> bool:
    """Judge a cut by Fayyad and Irani's criterion: does it save more bits than it costs to state?"""
    right = all_counts - left
    whole, part1, part2 = _n_entropy(all_counts), _n_entropy(left), _n_entropy(right)
    _, n, k = _sum_c_log_c(all_counts)
    _, n1, k1 = _sum_c_log_c(left)
    _, n2, k2 = _sum_c_log_c(right)
    # log2(3^k - 2), written so that it cannot overflow
    states = k * np.log2(3.0) + np.log2(1.0 - 2.0 * 3.0 ** (-k))
    delta = states - (k * whole / n - k1 * part1 / n1 - k2 * part2 / n2)
    return bool(whole - part1 - part2 > np.log2(n - 1.0) + delta)


@numba.njit(cache=True)
def mdlp_places(values: NDArray[np.float64], codes: NDArray[np.int32], n_classes: int) -> NDArray[np.int64]:
    """Give the places in the sorted values before which a cut is made, in ascending order."""
    chosen = [0 for _ in range(0)]
    segments = [(0, len(values))]
    while len(segments) > 0:
        start, stop = segments.pop()
        counts = np.zeros(n_classes, dtype=np.int64)
        for i in range(start, stop):
            counts[codes[i]] += 1
        place, left = _best_cut(values, codes, start, stop, counts)
        if place > 0 and _is_worth_it(counts, left):
            chosen.append(place)
            segments.append((start, place))
            segments.append((place, stop))
    return np.sort(np.array(chosen, dtype=np.int64))
