"""Single passes over labels and probabilities."""

from __future__ import annotations

from typing import Any

import numba
import numpy as np
from numpy.typing import NDArray


@numba.njit(cache=True)
def number_integers(values: NDArray[Any], widest: int) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """Number the different whole numbers in ascending order, and give them; nothing where they span too much."""
    low = high = np.int64(values[0])
    for t in range(values.shape[0]):
        value = np.int64(values[t])
        low, high = min(low, value), max(high, value)
    span = high - low + 1
    if span <= 0 or span > widest:  # not positive: it is beyond 64 bits
        return np.empty(0, dtype=np.int32), np.empty(0, dtype=np.int64)
    place = np.full(span, -1, dtype=np.int32)
    for t in range(values.shape[0]):
        place[np.int64(values[t]) - low] = 0
    different = np.flatnonzero(place == 0)
    for number in range(different.shape[0]):
        place[different[number]] = number
    codes = np.empty(values.shape[0], dtype=np.int32)
    for t in range(values.shape[0]):
        codes[t] = place[np.int64(values[t]) - low]
    return codes, different + low


@numba.njit(cache=True)
def _number_until_full(
    words: NDArray[Any],
    start: int,
    codes: NDArray[np.int32],
    first: NDArray[np.int64],
    n_different: int,
    table: NDArray[np.int32],
) -> tuple[int, int]:
    """Number rows from `start` on while new ones have room; give where it ended, and how many there are."""
    width, last = words.shape[1], table.shape[0] - 1
    for row in range(start, words.shape[0]):
        mixed = np.uint64(0)
        for j in range(width):
            mixed = mixed * np.uint64(0x100000001B3) + np.uint64(words[row, j])
        mixed *= np.uint64(0x9E3779B97F4A7C15)
        place = np.int64(mixed >> np.uint64(32)) & last
        number = table[place]
        while number >= 0:
            other, j = first[number], 0
            while j < width and words[other, j] == words[row, j]:
                j += 1
            if j == width:
                break
            place = (place + 1) & last
            number = table[place]
        if number < 0:
            if n_different == first.shape[0]:
                return row, n_different
            number = n_different
            table[place] = number
            first[number] = row
            n_different += 1
        codes[row] = number
    return words.shape[0], n_different


@numba.njit(cache=True)
def number_rows(words: NDArray[Any]) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """Number the different rows of a matrix in the order in which they appear; also give the first of each."""
    codes = np.empty(words.shape[0], dtype=np.int32)
    room, row, n_different = 128, 0, 0
    first = np.empty(room, dtype=np.int64)
    while True:
        table = np.full(2 * room, -1, dtype=np.int32)
        known = words[first[:n_different]]
        _number_until_full(
            known, 0, np.empty(n_different, dtype=np.int32), np.empty(room, dtype=np.int64), 0, table
        )
        row, n_different = _number_until_full(words, row, codes, first, n_different, table)
        if row == words.shape[0]:
            return codes, first[:n_different].copy()
        room *= 8
        wider = np.empty(room, dtype=np.int64)
        wider[:n_different] = first
        first = wider


@numba.njit(cache=True)
def first_bad_row(rows: NDArray[Any], tolerance: float) -> tuple[int, int]:
    """Find the first row that is no probability vector, and why.

    Reasons: 0 none, 1 not a number, 2 negative, 3 above one, 4 sum differs from one.
    """
    for t in range(rows.shape[0]):
        total = 0.0
        for k in range(rows.shape[1]):
            p = rows[t, k]
            if not np.isfinite(p):
                return t, 1
            if p < 0.0:
                return t, 2
            total += p
        if abs(total - 1.0) > tolerance:
            return t, 4
    return -1, 0


@numba.njit(cache=True)
def first_outside_unit(values: NDArray[Any]) -> tuple[int, int]:
    """Find the first number that is not in [0, 1], and why (reasons as in ``first_bad_row``)."""
    for t in range(values.shape[0]):
        p = values[t]
        if not np.isfinite(p):
            return t, 1
        if p < 0.0:
            return t, 2
        if p > 1.0:
            return t, 3
    return -1, 0
