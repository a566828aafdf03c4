"""Sets of cases as words of 64 bits, one bit a case."""

from __future__ import annotations

import numba
import numpy as np
from numpy.typing import NDArray

from fivefold.data.bit_words import count_word
from fivefold.learners.foil.structures import Bits

_ONE = np.uint64(1)


@numba.njit(cache=True)
def count(bits: Bits) -> int:
    """Count the members of a set."""
    total = 0
    for w in range(bits.size):
        total += count_word(bits[w])
    return total


@numba.njit(cache=True)
def count_both(a: Bits, b: Bits) -> int:
    """Count the common members of two sets."""
    total = 0
    for w in range(a.size):
        total += count_word(a[w] & b[w])
    return total


@numba.njit(cache=True)
def count_row(rows: Bits, row: int, bits: Bits) -> int:
    """Count the common members of one row of sets and another set; no view of the row is made."""
    total = 0
    for w in range(bits.size):
        total += count_word(rows[row, w] & bits[w])
    return total


@numba.njit(cache=True)
def has(bits: Bits, i: int) -> bool:
    """Tell whether case `i` is a member."""
    return bool((bits[i >> 6] >> np.uint64(i & 63)) & _ONE)


@numba.njit(cache=True)
def first_of(bits: Bits) -> int:
    """Give the first member; -1 if there is none."""
    for w in range(bits.size):
        word = bits[w]
        if word:
            return int(64 * w + count_word((word & (~word + _ONE)) - _ONE))
    return -1


@numba.njit(cache=True)
def all_in_row(bits: Bits, rows: Bits, row: int) -> bool:
    """Tell whether all members are in one row of sets."""
    outside = np.uint64(0)
    for w in range(bits.size):
        outside |= bits[w] & ~rows[row, w]
    return bool(outside == 0)


@numba.njit(cache=True)
def remove(bits: Bits, others: Bits) -> None:
    """Take the members of another set out."""
    for w in range(bits.size):
        bits[w] &= ~others[w]


@numba.njit(cache=True)
def pack_rows(flags: NDArray[np.bool_]) -> Bits:
    """Write each row of flags as bits."""
    rows, n = flags.shape
    packed = np.zeros((rows, (n + 63) // 64), dtype=np.uint64)
    for r in range(rows):
        for i in range(n):
            packed[r, i >> 6] |= np.uint64(flags[r, i]) << np.uint64(i & 63)
    return packed
