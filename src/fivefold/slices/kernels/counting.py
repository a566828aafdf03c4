"""Cases as bits: packing columns into one bitset a term, and counting conjunctions group by group."""

from __future__ import annotations

import numba
import numpy as np
from numpy.typing import NDArray

from fivefold.data.bit_words import count_word

Bits = NDArray[np.uint64]

_ONE = np.uint64(1)


@numba.njit(cache=True, nogil=True)
def count_common(a: Bits, b: Bits) -> int:
    """Count the common members of two sets."""
    total = 0
    for w in range(a.size):
        total += count_word(a[w] & b[w])
    return total


@numba.njit(cache=True, nogil=True)
def interval_codes(values: NDArray[np.float64], cuts: NDArray[np.float64]) -> NDArray[np.int32]:
    """Number the intervals (.., c1], (c1, c2], …, (cm, ..) from 0; missing is -1."""
    codes = np.empty(values.size, dtype=np.int32)
    for row in range(values.size):
        value = values[row]
        if value != value:
            codes[row] = -1
            continue
        code = 0
        for cut in cuts:
            code += value > cut
        codes[row] = code
    return codes


@numba.njit(cache=True, nogil=True)
def totals(codes: NDArray[np.int32], n_terms: int, missing_item: int) -> NDArray[np.int64]:
    """Count the cases of each code; missing goes to `missing_item`, or nowhere if that is -1."""
    counted = np.zeros(n_terms + 1, dtype=np.int64)
    for code in codes:
        counted[code if code >= 0 else missing_item] += 1
    return counted[:n_terms]


@numba.njit(cache=True, nogil=True)
def pack(
    codes: NDArray[np.int32],
    order: NDArray[np.int64],
    sizes: NDArray[np.int64],
    first_words: NDArray[np.int64],
    missing_item: int,
    rows: NDArray[np.int32],
    bits: Bits,
) -> None:
    """Set one bit for each case in the set of its code, whose row of `bits` is in `rows` (-1: none).

    The cases of a group share no word with another group.
    """
    place = 0
    for group in range(sizes.size):
        first = first_words[group]
        for i in range(sizes[group]):
            code = codes[order[place]]
            place += 1
            row = rows[code if code >= 0 else missing_item]
            if row >= 0:
                bits[row, first + (i >> 6)] |= _ONE << np.uint64(i & 63)


@numba.njit(cache=True, nogil=True)
def count_terms(bits: Bits, first_words: NDArray[np.int64], counts: NDArray[np.int64]) -> None:
    """Count the cases of every single term in every group."""
    for item in range(bits.shape[0]):
        for group in range(counts.shape[1]):
            for w in range(first_words[group], first_words[group + 1]):
                counts[item, group] += count_word(bits[item, w])


@numba.njit(cache=True, nogil=True)
def count_extensions(
    bits: Bits,
    prefixes: NDArray[np.int32],
    starts: NDArray[np.int64],
    items: NDArray[np.int32],
    blocks: NDArray[np.int64],
    counts: NDArray[np.int64],
) -> None:
    """Count each prefix with each of its further terms, block of words after block.

    `starts` says where the further terms of each prefix begin in `items`. A block is (group, first word,
    end): short enough that the words of all terms stay in the cache while every conjunction passes by.
    """
    width = 0
    for block in range(blocks.shape[0]):
        width = max(width, blocks[block, 2] - blocks[block, 1])
    buffer = np.empty(width, dtype=np.uint64)
    for block in range(blocks.shape[0]):
        group, low, high = blocks[block]
        common = buffer[: high - low]
        for prefix in range(prefixes.shape[0]):
            if starts[prefix] == starts[prefix + 1]:
                continue
            common[:] = bits[prefixes[prefix, 0], low:high]
            for term in range(1, prefixes.shape[1]):
                other = bits[prefixes[prefix, term], low:high]
                for w in range(common.size):
                    common[w] &= other[w]
            for place in range(starts[prefix], starts[prefix + 1]):
                counts[place, group] += count_common(common, bits[items[place], low:high])
