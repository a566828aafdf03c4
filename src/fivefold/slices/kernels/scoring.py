"""Sums of numbers over the cases of a conjunction, as they are and as chance deals them out."""

from __future__ import annotations

from math import sqrt

import numba
import numpy as np
from numpy.typing import NDArray

from fivefold.data.bit_words import count_word
from fivefold.slices.kernels.counting import Bits
from fivefold.slices.kernels.permuting import fill_common

_ONE = np.uint64(1)


@numba.njit(cache=True, nogil=True)
def list_members(common: Bits, members: NDArray[np.int64]) -> int:
    """Write the members of a set into `members` and give their number."""
    found = 0
    for w in range(common.size):
        word = common[w]
        while word:
            lowest = word & (~word + _ONE)
            members[found] = 64 * w + count_word(lowest - _ONE)
            found += 1
            word ^= lowest
    return found


@numba.njit(cache=True, nogil=True)
def sums(
    bits: Bits, sets: NDArray[np.int32], values: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Sum the numbers, and their squares, over the cases of each conjunction."""
    first, second = np.zeros(sets.shape[0]), np.zeros(sets.shape[0])
    common = np.empty(bits.shape[1], dtype=np.uint64)
    members = np.empty(values.size, dtype=np.int64)
    for place in range(sets.shape[0]):
        fill_common(bits, sets[place], common)
        for i in range(list_members(common, members)):
            value = values[members[i]]
            first[place] += value
            second[place] += value * value
    return first, second


@numba.njit(cache=True, nogil=True)
def standard(effect: float, n: int, total: int, sd: float) -> float:
    """Divide a sum of deviations by its standard deviation under random dealing."""
    return abs(effect) / (sd * sqrt(n * (total - n) / (total - 1.0)))


@numba.njit(cache=True, nogil=True)
def exceedances(
    bits: Bits,
    sets: NDArray[np.int32],
    observed: NDArray[np.float64],
    dealt: NDArray[np.float64],
    sd: float,
    least_effect: float,
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Count the permutations that reach each statistic, as for labels; `dealt` has a column for each.

    The deviations in `dealt` have mean 0; effects below `least_effect` count as nothing.
    """
    total, n_draws = dealt.shape
    most, plain_most = np.zeros(n_draws), np.zeros(n_draws)
    reached = np.zeros(sets.shape[0], dtype=np.int64)
    common = np.empty(bits.shape[1], dtype=np.uint64)
    members = np.empty(total, dtype=np.int64)
    effects = np.empty(n_draws)
    for place in range(sets.shape[0]):
        fill_common(bits, sets[place], common)
        n = list_members(common, members)
        effects[:] = 0.0
        for i in range(n):
            effects += dealt[members[i]]
        for draw in range(n_draws):
            value = standard(effects[draw], n, total, sd)
            plain_most[draw] = max(plain_most[draw], value)
            if value > most[draw] and abs(effects[draw]) >= least_effect:
                most[draw] = value
            reached[place] += most[draw] >= observed[place]
    return reached, plain_most
