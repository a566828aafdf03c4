"""Sets of cases as words of 64 bits, one bit a case."""

from __future__ import annotations

from typing import Any

import numba
import numpy as np
from numpy.typing import NDArray

from fivefold.learners.c45.structures import Cases

Bits = NDArray[np.uint64]

_ONE, _TWO, _FOUR, _LAST = np.uint64(1), np.uint64(2), np.uint64(4), np.uint64(56)
_PAIRS, _FOURS = np.uint64(0x5555555555555555), np.uint64(0x3333333333333333)
_EIGHTS, _SUM = np.uint64(0x0F0F0F0F0F0F0F0F), np.uint64(0x0101010101010101)


@numba.njit(cache=True, error_model="numpy")
def count_bits(word: Any) -> Any:
    """Count the ones of a word."""
    word -= (word >> _ONE) & _PAIRS
    word = (word & _FOURS) + ((word >> _TWO) & _FOURS)
    word = (word + (word >> _FOUR)) & _EIGHTS
    return np.int64((word * _SUM) >> _LAST)


@numba.njit(cache=True, error_model="numpy")
def weigh_word(word: Any, place: int, weights: NDArray[np.float64]) -> Any:
    """Give the weight of the cases in the word at `place`; no weights means one for each case."""
    if weights.shape[0] == 0:
        return np.float64(count_bits(word))
    total = 0.0
    while word:
        lowest = word & (~word + _ONE)
        total += weights[64 * place + count_bits(lowest - _ONE)]
        word ^= lowest
    return total


@numba.njit(cache=True, error_model="numpy")
def weigh_both(a: Bits, b: Bits, target: Bits, weights: NDArray[np.float64]) -> tuple[float, float]:
    """Give the weight of the cases in `a` and `b`, and of those among them that are in `target`."""
    if weights.shape[0] == 0:
        counted, hit = 0, 0
        for w in range(a.shape[0]):
            word = a[w] & b[w]
            counted += count_bits(word)
            hit += count_bits(word & target[w])
        return np.float64(counted), np.float64(hit)
    total, right = 0.0, 0.0
    for w in range(a.shape[0]):
        total += weigh_word(a[w] & b[w], w, weights)
        right += weigh_word(a[w] & b[w] & target[w], w, weights)
    return total, right


@numba.njit(cache=True, error_model="numpy")
def pack(flags: NDArray[np.bool_]) -> Bits:
    """Write flags as bits."""
    packed = np.zeros((flags.shape[0] + 63) // 64, dtype=np.uint64)
    for i in range(flags.shape[0]):
        packed[i >> 6] |= np.uint64(flags[i]) << np.uint64(i & 63)
    return packed


@numba.njit(cache=True, error_model="numpy")
def meeting(cases: Cases, attribute: NDArray[np.int32], branch: NDArray[np.int32], cut: Any) -> Bits:
    """Give for each condition the cases that meet it; unknown values meet none."""
    n = cases.classes.shape[0]
    met = np.zeros((attribute.shape[0], (n + 63) // 64), dtype=np.uint64)
    for k in range(attribute.shape[0]):
        row = cases.place[attribute[k]]
        if not cases.numeric[attribute[k]]:
            for i in range(n):
                met[k, i >> 6] |= np.uint64(cases.codes[row, i] == branch[k]) << np.uint64(i & 63)
        elif branch[k] == 1:
            for i in range(n):
                met[k, i >> 6] |= np.uint64(cases.values[row, i] <= cut[k]) << np.uint64(i & 63)
        else:
            for i in range(n):
                met[k, i >> 6] |= np.uint64(cases.values[row, i] > cut[k]) << np.uint64(i & 63)
    return met


@numba.njit(cache=True, error_model="numpy")
def in_all(met: Bits, chosen: NDArray[np.int32]) -> Bits:
    """Give the cases that meet all chosen conditions, of which there must be one."""
    common: Bits = met[chosen[0]].copy()
    for k in chosen[1:]:
        common &= met[k]
    return common


@numba.njit(cache=True, error_model="numpy")
def everyone(n: int) -> Bits:
    """Give the set of all `n` cases."""
    return pack(np.ones(n, dtype=np.bool_))
