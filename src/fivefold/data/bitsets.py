"""Sets of cases, one bit a case in words of 64: how many are in two of them.

Kernels cimport the counting functions from `bitsets.pxd`; here each way of counting can be called by its name, so
that they can be tested against each other.
"""

from __future__ import annotations

from typing import Any

import cython
import numpy as np
from numpy.typing import NDArray

if not cython.compiled:
    add_members_at: Any = None
    numbers_at: Any = None

    def best_way() -> int:
        """Give the number of the best way that there is."""
        return 0

    def count_word(word: int) -> int:
        """Count the ones of a word."""
        return int(word).bit_count()

    def lowest_member(word: int) -> int:
        """Give the place of the lowest one of a word."""
        return (int(word) & -int(word)).bit_length() - 1

    def count_common_words_by(a: int, b: int, n: int, way: int) -> int:
        """Count the common members of two words."""
        return (int(a) & int(b)).bit_count()

    def count_row(bits: NDArray[np.uint64], row: int, low: int, n: int) -> int:
        """Count the members of n words of a row."""
        return int(np.bitwise_count(bits[row, low : low + n]).sum())

    def count_common_row(
        common: NDArray[np.uint64], bits: NDArray[np.uint64], row: int, low: int, n: int
    ) -> int:
        """Count the members of a set that are also in n words of a row."""
        return int(np.bitwise_count(common[:n] & bits[row, low : low + n]).sum())

    def add_rows(
        table: NDArray[np.float64], rows: NDArray[np.int64], n_rows: int, sums: NDArray[np.float64]
    ) -> None:
        """Add the first of these rows of a table to the sums, one after another."""
        for row in rows[:n_rows]:
            sums += table[row]

    def add_members(
        members: NDArray[np.uint64],
        n: int,
        table: NDArray[np.uint64],
        rows: NDArray[np.int32],
        planes: NDArray[np.uint64],
    ) -> None:
        """Add, for the members of n words, the bits of each column of a table to numbers kept bit by bit."""
        inside = unpack(members[:n])
        number = unpack(planes).T @ (1 << np.arange(len(planes)))
        number += unpack(table[: inside.size][inside]).sum(axis=0, dtype=np.int64)
        planes[:] = pack((number >> np.arange(len(planes))[:, np.newaxis] & 1).astype(np.bool_))

    def read_numbers(planes: NDArray[np.uint64], numbers: NDArray[np.int32]) -> None:
        """Write the numbers of 512 columns: that of column 8 m + j of each 256 is number 32 j + m of them."""
        number = unpack(planes).T @ (1 << np.arange(len(planes)))
        numbers[:] = number.reshape(2, 32, 8).transpose(0, 2, 1).ravel()

    def turn(words: NDArray[np.uint64], table: NDArray[np.uint64], row: int, column: int) -> None:
        """Write 64 words as rows of a table, a bit for each of them; the words are spent."""
        table[row : row + 64, column] = pack(unpack(words[:, np.newaxis]).T)[:, 0]


WAYS = ("portable", "avx2", "avx512")


def pack(flags: NDArray[np.bool_]) -> NDArray[np.uint64]:
    """Write flags as sets, along the last axis.

    Examples
    --------
    >>> pack(np.array([[True, True, False, True], [False, False, True, False]]))
    array([[11],
           [ 4]], dtype=uint64)
    """
    n = flags.shape[flags.ndim - 1]
    packed = np.zeros((*flags.shape[: flags.ndim - 1], 8 * ((n + 63) // 64)), dtype=np.uint8)
    packed[..., : (n + 7) // 8] = np.packbits(flags, axis=flags.ndim - 1, bitorder="little")
    return packed.view("<u8")


def unpack(sets: NDArray[np.uint64]) -> NDArray[np.bool_]:
    """Write sets as flags, along the last axis."""
    return np.unpackbits(sets.astype("<u8").view(np.uint8), axis=-1, bitorder="little").astype(np.bool_)


def ways() -> tuple[str, ...]:
    """Name the ways of counting that this processor has; the last is the one in use.

    Examples
    --------
    >>> ways()[0]
    'portable'
    """
    return WAYS[: best_way() + 1]


def count_common(a: NDArray[np.uint64], b: NDArray[np.uint64], way: str | None = None) -> int:
    """Count the common members of two sets.

    Examples
    --------
    >>> count_common(np.array([0b1011], dtype=np.uint64), np.array([0b0011], dtype=np.uint64))
    2
    """
    if len(a) != len(b):
        raise ValueError(f"expected two sets of equal length; got {len(a)} and {len(b)} words")
    return _count(a, b, best_way() if way is None else ways().index(way))


def _count(a: NDArray[np.uint64], b: NDArray[np.uint64], way: int) -> int:
    total = 0
    if cython.compiled:
        if a.shape[0] > 0:
            total = count_common_words_by(cython.address(a[0]), cython.address(b[0]), a.shape[0], way)
    else:
        for w in range(a.shape[0]):
            total += count_common_words_by(a[w], b[w], 1, way)
    return total


def count_columns(
    members: NDArray[np.uint64], labels: NDArray[np.uint64], way: str | None = None
) -> NDArray[np.int32]:
    """Count the common members of a set and each of up to 512 others.

    Examples
    --------
    >>> sets = np.array([[0b0011], [0b1000], [0b0100]], dtype=np.uint64)
    >>> count_columns(np.array([0b1011], dtype=np.uint64), sets)
    array([2, 1, 0], dtype=int32)
    """
    n_sets, n_words = labels.shape
    table, words = np.zeros((64 * n_words + 1, 8), dtype=np.uint64), np.zeros(512, dtype=np.uint64)
    for w in range(n_words):
        words[:n_sets] = labels[:, w]
        turned = words.reshape(2, 8, 32).transpose(0, 2, 1).ravel()
        for column in range(8):
            turn(turned[64 * column : 64 * (column + 1)], table, 64 * w, column)
    rows, numbers = np.empty(64 * n_words + 16, dtype=np.int32), np.zeros(512, dtype=np.int32)
    planes = np.zeros(((64 * n_words).bit_length() + 1, 8), dtype=np.uint64)
    _add_columns(members, table, rows, planes, numbers, best_way() if way is None else ways().index(way))
    return numbers[:n_sets]


def _add_columns(
    members: NDArray[np.uint64],
    table: NDArray[np.uint64],
    rows: NDArray[np.int32],
    planes: NDArray[np.uint64],
    numbers: NDArray[np.int32],
    way: int,
) -> None:
    if cython.compiled:
        add_members_at(
            cython.address(members[0]),
            members.shape[0],
            cython.address(table[0, 0]),
            cython.address(rows[0]),
            cython.address(planes[0, 0]),
            planes.shape[0],
            way,
        )
        numbers_at(cython.address(planes[0, 0]), planes.shape[0], cython.address(numbers[0]), way)
    else:
        add_members(members, len(members), table, rows, planes)
        read_numbers(planes, numbers)
