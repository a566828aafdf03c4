"""The inner loop of MDLP: the best cut of a sorted segment, and the recursion over segments."""

from __future__ import annotations

import cython
import numpy as np
from numpy.typing import NDArray

if not cython.compiled:
    from math import inf, log2

# the bits of a set of cases (their number times their class entropy), their number, and how many classes occur
Part = tuple[float, int, int]


def _count(codes: NDArray[np.int32], start: int, stop: int, counts: NDArray[np.int64]) -> None:
    for c in range(counts.shape[0]):
        counts[c] = 0
    for i in range(start, stop):
        counts[codes[i]] += 1


def _describe(counts: NDArray[np.int64]) -> Part:
    # n * entropy = n log n - sum c log c
    total, n, k = 0.0, 0, 0
    for c in range(counts.shape[0]):
        if counts[c] > 0:
            total += counts[c] * log2(counts[c])
            n += counts[c]
            k += 1
    return n * log2(n) - total if n > 0 else 0.0, n, k


def _best_cut(
    values: NDArray[np.float64],
    codes: NDArray[np.int32],
    start: int,
    stop: int,
    left: NDArray[np.int64],
    right: NDArray[np.int64],
) -> int:
    """Find the first place with least class entropy; -1 where all values are equal. All counts are `right`."""
    best_place, best_cost = -1, inf
    for i in range(start, stop - 1):
        left[codes[i]] += 1
        right[codes[i]] -= 1
        if values[i] < values[i + 1]:
            cost = _describe(left)[0] + _describe(right)[0]
            # equal costs may differ in their last bits: a later cut must be truly better
            if cost < best_cost - 1e-9:
                best_place, best_cost = i + 1, cost
    return best_place


def _is_worth_it(whole: Part, part1: Part, part2: Part) -> bool:
    """Judge a cut by Fayyad and Irani's criterion: does it save more bits than it costs to state?"""
    bits, n, k = whole
    bits1, n1, k1 = part1
    bits2, n2, k2 = part2
    power = 1.0
    for _ in range(k):
        power *= 3.0
    # log2(3^k - 2), written so that it cannot overflow
    states = k * log2(3.0) + log2(1.0 - 2.0 / power)
    delta = states - (k * bits / n - k1 * bits1 / n1 - k2 * bits2 / n2)
    return bits - bits1 - bits2 > log2(n - 1.0) + delta


def mdlp_places(values: NDArray[np.float64], codes: NDArray[np.int32], n_classes: int) -> NDArray[np.int64]:
    """Give the places in the sorted values before which a cut is made, in ascending order."""
    left, right = np.zeros((2, n_classes), dtype=np.int64)
    chosen: list[int] = []
    segments = [(0, len(values))]
    while segments:
        start, stop = segments.pop()
        with cython.nogil:
            _count(codes, start, start, left)
            _count(codes, start, stop, right)
            whole = _describe(right)
            place = _best_cut(values, codes, start, stop, left, right)
            if place > 0:
                _count(codes, start, place, left)
                _count(codes, place, stop, right)
        if place > 0 and _is_worth_it(whole, _describe(left), _describe(right)):
            chosen.append(place)
            segments += [(start, place), (place, stop)]
    return np.array(sorted(chosen), dtype=np.int64)
