"""Cases as bits: one set for each constant of each nominal attribute."""

from __future__ import annotations

from typing import Any

import numba
import numpy as np
from numpy.typing import NDArray

from fivefold.learners.foil.structures import Bits, Ints


@numba.njit(cache=True)
def _constants(codes: NDArray[np.int32], sizes: Ints) -> tuple[Ints, Ints, NDArray[np.int32]]:
    """List the codes that occur in each attribute, and give each its place among all constants."""
    places = np.full((codes.shape[0], max(sizes.max(), 1) if sizes.size else 1), -1, dtype=np.int32)
    starts = np.zeros(sizes.size + 1, dtype=np.int64)
    for a in range(codes.shape[0]):
        for i in range(codes.shape[1]):
            if codes[a, i] >= 0:
                places[a, codes[a, i]] = 0
        starts[a + 1] = starts[a] + (places[a] == 0).sum()
    constants = np.empty(starts[-1], dtype=np.int64)
    k = 0
    for a in range(codes.shape[0]):
        for code in range(sizes[a]):
            if places[a, code] == 0:
                constants[k], places[a, code] = code, k
                k += 1
    return starts, constants, places


@numba.njit(cache=True)
def pack_codes(codes: NDArray[np.int32], sizes: Ints) -> tuple[Ints, Ints, Bits, Bits, NDArray[np.bool_]]:
    """Give the constants of each attribute with their cases, the cases with a value, and whether all have one.

    Only codes that occur become constants: `starts` says where those of each attribute begin.
    """
    n_attributes, n = codes.shape
    words = (n + 63) // 64
    starts, constants, places = _constants(codes, sizes)
    tests = np.zeros((constants.size, words), dtype=np.uint64)
    known = np.zeros((n_attributes, words), dtype=np.uint64)
    whole = np.ones(n_attributes, dtype=np.bool_)
    for a in range(n_attributes):
        for i in range(n):
            code = codes[a, i]
            if code < 0:
                whole[a] = False
            else:
                bit = np.uint64(1) << np.uint64(i & 63)
                tests[places[a, code], i >> 6] |= bit
                known[a, i >> 6] |= bit
    return starts, constants, tests, known, whole


@numba.njit(cache=True, nogil=True)
def _transpose(block: Bits) -> None:
    """Turn 64 words of 64 bits about their diagonal, in six rounds of ever smaller squares."""
    size, mask = 32, np.uint64(0x00000000FFFFFFFF)
    while size:
        shift = np.uint64(size)
        row = 0
        while row < 64:
            turned = ((block[row] >> shift) ^ block[row + size]) & mask
            block[row + size] ^= turned
            block[row] ^= turned << shift
            row = (row + size + 1) & ~size
        size >>= 1
        mask ^= mask << np.uint64(size)


@numba.njit(cache=True, nogil=True)
def pack_copies(rows: Bits, n_attributes: int, copies: Any) -> Bits:
    """Give the sets of a boolean table in which case `i` stands ``copies[i]`` times: False, True, False, ….

    `rows` has the attributes of each case as bits.
    """
    total = copies.sum()
    words = (total + 63) // 64
    tests = np.empty((2 * n_attributes, words), dtype=np.uint64)
    block = np.empty(64, dtype=np.uint64)
    for part in range(rows.shape[1]):
        case, used = 0, 0
        for w in range(words):
            filled = min(64, total - 64 * w)
            for j in range(filled):
                while used == copies[case]:
                    case, used = case + 1, 0
                block[j] = rows[case, part]
                used += 1
            block[filled:] = 0
            _transpose(block)
            full = ~np.uint64(0) >> np.uint64(64 - filled)
            for a in range(64 * part, min(64 * part + 64, n_attributes)):
                word = block[a - 64 * part]
                tests[2 * a, w], tests[2 * a + 1, w] = ~word & full, word
    return tests
