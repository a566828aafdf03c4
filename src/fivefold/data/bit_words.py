"""Words of 64 bits, one bit a case: what every kernel that counts cases by bits needs."""

from __future__ import annotations

from typing import Any

import numba
import numpy as np

_ONE, _TWO, _FOUR, _LAST = np.uint64(1), np.uint64(2), np.uint64(4), np.uint64(56)
_PAIRS, _FOURS = np.uint64(0x5555555555555555), np.uint64(0x3333333333333333)
_EIGHTS, _SUM = np.uint64(0x0F0F0F0F0F0F0F0F), np.uint64(0x0101010101010101)


@numba.njit(cache=True)
def count_word(word: Any) -> Any:
    """Count the ones of a word; the compiler makes one instruction of it.

    Examples
    --------
    >>> count_word(np.uint64(0b1011)), count_word(~np.uint64(0))
    (3, 64)
    """
    word -= (word >> _ONE) & _PAIRS
    word = (word & _FOURS) + ((word >> _TWO) & _FOURS)
    word = (word + (word >> _FOUR)) & _EIGHTS
    return np.int64((word * _SUM) >> _LAST)
