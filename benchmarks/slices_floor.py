"""The least that counting costs: a plain loop over packed bits, with no search around it."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numba
import numpy as np
from numpy.typing import NDArray

from fivefold.data.bit_words import count_word


@numba.njit(cache=True, nogil=True)
def pack(
    codes: NDArray[np.int8], firsts: NDArray[np.int64], low: int, high: int, bits: NDArray[np.uint64]
) -> None:
    """Set a bit for each case in the set of its value, column after column."""
    for column in range(low, high):
        for row in range(codes.shape[1]):
            code = codes[column, row]
            if code >= 0:
                bits[firsts[column] + code, row >> 6] |= np.uint64(1) << np.uint64(row & 63)


@numba.njit(cache=True, nogil=True)
def count(
    bits: NDArray[np.uint64],
    column_of: NDArray[np.int64],
    right: NDArray[np.uint64],
    least: int,
    first: int,
    step: int,
) -> int:
    """Count all pairs, and all triples over pairs of at least `least` cases, right ones apart."""
    words = right.size
    common = np.empty(words, dtype=np.uint64)
    counted = 0
    for i in range(first, bits.shape[0], step):
        for j in range(i + 1, bits.shape[0]):
            if column_of[i] == column_of[j]:
                continue
            n = 0
            for w in range(words):
                common[w] = bits[i, w] & bits[j, w]
                n += count_word(common[w])
            if n < least:
                continue
            counted += 1
            for k in range(j + 1, bits.shape[0]):
                if column_of[k] == column_of[j]:
                    continue
                n, agree = 0, 0
                for w in range(words):
                    word = common[w] & bits[k, w]
                    n += count_word(word)
                    agree += count_word(word & right[w])
                counted += n >= least
    return counted


def floor(
    codes: NDArray[np.int8], agree: NDArray[np.bool_], least: int, threads: int = 2
) -> Callable[[], Any]:
    """Pack and count in two threads."""
    widths = codes.max(axis=1) + 1
    firsts = np.concatenate([[0], np.cumsum(widths)]).astype(np.int64)
    totals = [
        np.bincount(column[column >= 0], minlength=width) for column, width in zip(codes, widths, strict=True)
    ]
    kept = np.flatnonzero(np.concatenate(totals) >= least)
    column_of = np.repeat(np.arange(len(codes)), widths)[kept]

    def call() -> int:
        words = (codes.shape[1] + 63) // 64
        bits = np.zeros((int(firsts[-1]), words), dtype=np.uint64)
        padded = np.zeros(64 * words, dtype=bool)
        padded[: agree.size] = agree
        right = np.packbits(padded, bitorder="little").view(np.uint64)
        middle = len(codes) // 2
        with ThreadPoolExecutor(threads) as pool:
            list(pool.map(lambda ends: pack(codes, firsts, *ends, bits), [(0, middle), (middle, len(codes))]))
            sets = np.ascontiguousarray(bits[kept])
            told = pool.map(
                lambda first: count(sets, column_of, right, least, first, threads), range(threads)
            )
            return sum(told)

    return call
