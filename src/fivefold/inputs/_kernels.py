"""Single passes over labels and probabilities, compiled for each width of number."""

from __future__ import annotations

from typing import Any

import cython
import numpy as np
from numpy.typing import NDArray

if not cython.compiled:
    from math import isfinite

PRIME = 0x100000001B3
GOLDEN = 0x9E3779B97F4A7C15


def number_integers(values: NDArray[Any], widest: int) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """Number the different whole numbers in ascending order, and give them; nothing where they span too much."""
    low = high = values[values.shape[0] - 1]
    with cython.nogil:
        for t in range(1, values.shape[0], 2):  # by two, for each comparison waits for the one before
            low, high = min(values[t - 1], values[t], low), max(values[t - 1], values[t], high)
    # unsigned, for the difference of two numbers of 64 bits may need them all
    span = cython.cast(cython.ulonglong, high) - cython.cast(cython.ulonglong, low)
    if span >= widest:
        return np.empty(0, dtype=np.int32), np.empty(0, dtype=np.int64)
    codes = np.empty(values.shape[0], dtype=np.int32)
    # the least and the largest are there; what is between them must be looked for
    place = np.full(span + 1, span < 2, dtype=np.int32)
    different = np.empty(span + 1, dtype=np.int64)
    n_different = 0
    with cython.nogil:
        if span > 1:
            for t in range(values.shape[0]):
                place[values[t] - low] = 1
        for i in range(place.shape[0]):
            if place[i]:
                place[i] = n_different
                different[n_different] = low + i
                n_different += 1
        if n_different > span:
            for t in range(values.shape[0]):
                codes[t] = values[t] - low
        else:
            for t in range(values.shape[0]):
                codes[t] = place[values[t] - low]
    return np.asarray(codes), np.array(different[:n_different])


def pool(
    values: NDArray[np.float64], least: float, scale: float, n_bins: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Count the values in bins of equal width from `least` on, and sum them; the last bin has all beyond."""
    times, sums = np.zeros(n_bins), np.zeros(n_bins)
    with cython.nogil:
        for t in range(values.shape[0]):
            place = min((values[t] - least) * scale, n_bins - 1.0)
            times[cython.cast(cython.longlong, place)] += 1.0
            sums[cython.cast(cython.longlong, place)] += values[t]
    return np.asarray(times), np.asarray(sums)


def number_rows(words: NDArray[Any]) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """Number the different rows of a matrix in the order in which they appear; also give the first of each."""
    numbering = Numbering(words.shape[0])
    while numbering.row < words.shape[0]:
        numbering.widen()
        with cython.nogil:
            _enter_known(words, numbering)
            _number_until_full(words, numbering)
    return np.asarray(numbering.codes), np.array(numbering.first[: numbering.n_different])


class Numbering:
    """The different rows so far: where each first stood, a table to find them by, the row to go on from."""

    def __init__(self, n_rows: int) -> None:
        self.codes = np.empty(n_rows, dtype=np.int32)
        self.first = np.empty(16, dtype=np.int64)
        self.row, self.n_different = 0, 0

    def widen(self) -> None:
        """Make room for eight times as many, and forget where they stood in the table."""
        wider = np.empty(8 * self.first.shape[0], dtype=np.int64)
        wider[: self.n_different] = self.first[: self.n_different]
        self.first = wider
        self.table = np.full(2 * wider.size, -1, dtype=np.int32)


def _enter_known(words: NDArray[Any], numbering: Numbering) -> None:
    """Put the rows that are known into the new table."""
    first, table = numbering.first, numbering.table
    last = table.shape[0] - 1
    for number in range(numbering.n_different):
        place = _mixed(words, first[number]) & last
        while table[place] >= 0:
            place = (place + 1) & last
        table[place] = number


def _number_until_full(words: NDArray[Any], numbering: Numbering) -> None:
    """Number rows while new ones have room."""
    codes, first, table = numbering.codes, numbering.first, numbering.table
    last, n_different = table.shape[0] - 1, numbering.n_different
    for row in range(numbering.row, words.shape[0]):
        place = _mixed(words, row) & last
        number = table[place]
        while number >= 0 and not _equal(words, first[number], row):
            place = (place + 1) & last
            number = table[place]
        if number < 0:
            if n_different == first.shape[0]:
                numbering.row, numbering.n_different = row, n_different
                return
            number = n_different
            table[place] = number
            first[number] = row
            n_different += 1
        codes[row] = number
    numbering.row, numbering.n_different = words.shape[0], n_different


def _mixed(words: NDArray[Any], row: int) -> int:
    """Mix the words of a row into a number whose low bits say where to look for it."""
    mixed: int = 0
    for j in range(words.shape[1]):
        mixed = mixed * PRIME + cython.cast(cython.ulonglong, words[row, j])
    # numbers of few digits differ in their high bits alone
    return (mixed ^ (mixed >> 32)) * GOLDEN >> 32


def _equal(words: NDArray[Any], a: int, b: int) -> bool:
    """Say whether two rows hold the same."""
    j = 0
    while j < words.shape[1] and words[a, j] == words[b, j]:
        j += 1
    return bool(j == words.shape[1])


def first_bad_row(rows: NDArray[Any], tolerance: float) -> tuple[int, int]:
    """Find the first row that is no probability vector, and why.

    Reasons: 0 none, 1 not a number, 2 negative, 3 above one, 4 sum differs from one.
    """
    with cython.nogil:
        for t in range(rows.shape[0]):
            total = least = rows[t, 0]
            for k in range(1, rows.shape[1]):
                total += rows[t, k]
                least = min(least, rows[t, k])
            if least < 0.0 or not abs(total - 1.0) <= tolerance:  # what is not a number shows in the sum
                return t, _reason(rows, t)
    return -1, 0


def _reason(rows: NDArray[Any], t: int) -> int:
    """Say what is wrong with a row that is no probability vector."""
    reason = 4
    for k in range(rows.shape[1]):
        if not isfinite(rows[t, k]):
            return 1
        if rows[t, k] < 0.0:
            return 2
        if rows[t, k] > 1.0:
            reason = 3
    return reason


def first_outside_unit(values: NDArray[Any]) -> tuple[int, int]:
    """Find the first number that is not in [0, 1], and why (reasons as in ``first_bad_row``)."""
    with cython.nogil:
        for t in range(values.shape[0]):
            if not 0.0 <= values[t] <= 1.0:
                if not isfinite(values[t]):
                    return t, 1
                return t, 2 if values[t] < 0.0 else 3
    return -1, 0


def _below(chance: float, end: int) -> int:
    """Turn a random number from 0 to 1 into a whole number below an end."""
    return min(cython.cast(cython.Py_ssize_t, chance * end), end - 1)


def transplant(
    starts: NDArray[np.int64],
    donors: NDArray[np.int64],
    correlation: float,
    chance: NDArray[np.float64],
    source: NDArray[np.int64],
) -> None:
    """Give each cluster the outcomes of another, in random order: write whose outcome each case gets.

    The cases lie cluster by cluster, from `starts` on. A smaller cluster gets a random part, a larger one is
    filled up by Blackwell and MacQueen's urn: a copy of an outcome that it has, or that of any case, in the
    proportion that keeps the correlation. `chance` (2, n) are random numbers from 0 to 1.
    """
    work = np.empty(chance.shape[1], dtype=np.int64)
    with cython.nogil:
        for cluster in range(donors.shape[0]):
            first, donor = starts[cluster], donors[cluster]
            size, stock = starts[cluster + 1] - first, starts[donor + 1] - starts[donor]
            for i in range(stock):
                work[i] = starts[donor] + i
            for i in range(size):
                if i < stock:
                    other = i + _below(chance[0, first + i], stock - i)
                    work[i], work[other] = work[other], work[i]
                    source[first + i] = work[i]
                elif chance[1, first + i] * (i * correlation + 1.0 - correlation) < i * correlation:
                    source[first + i] = source[first + _below(chance[0, first + i], i)]
                else:
                    source[first + i] = _below(chance[0, first + i], chance.shape[1])


AT_ONCE = 1 << 16


def count_codes(codes: Any, size: int) -> NDArray[np.int64]:
    """Count how often each of the codes below `size` comes, negative ones apart.

    `numpy.bincount` makes eight bytes of each code first, which takes room and more time than counting.
    """
    counts = np.zeros(size, dtype=np.int64)
    for start in range(0, len(codes), AT_ONCE):
        _count(np.ascontiguousarray(codes[start : start + AT_ONCE], dtype=np.int32), counts)
    return counts


def _count(codes: NDArray[np.int32], counts: NDArray[np.int64]) -> None:
    with cython.nogil:
        for t in range(codes.shape[0]):
            if codes[t] >= 0:
                counts[codes[t]] += 1


def at_codes(levels: NDArray[Any], codes: NDArray[Any]) -> NDArray[Any]:
    """Give each case what stands at its code, as ``levels[codes]``, which makes eight bytes of each code first."""
    taken = np.empty((len(codes), *levels.shape[1:]), dtype=levels.dtype)
    for start in range(0, len(codes), AT_ONCE):
        taken[start : start + AT_ONCE] = levels[codes[start : start + AT_ONCE]]
    return taken


def pair_codes(first: NDArray[Any], second: NDArray[Any], n_second: int, n_pairs: int) -> NDArray[Any]:
    """Number pairs of codes, ``n_second * first + second``, in a type as narrow as their number allows."""
    codes = np.empty(len(second), dtype=np.min_scalar_type(n_pairs - 1))
    for start in range(0, len(second), AT_ONCE):
        rows = slice(start, start + AT_ONCE)
        codes[rows] = first[rows] * np.int64(n_second) + second[rows]
    return codes
