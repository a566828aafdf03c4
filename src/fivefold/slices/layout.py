"""Where each case stands among the bits: group after group, no word shared by two groups."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

# 1,024 words of 64 cases for each of a hundred terms stay within a core's second cache
BLOCK_WORDS = 1024


@dataclass(frozen=True, eq=False)
class Layout:
    """The cases in the order of their groups.

    Parameters
    ----------
    order : ndarray of shape (n,)
        The rows, those of the first group first.
    sizes : ndarray of shape (g,)
        The number of cases in each group.
    first_words : ndarray of shape (g + 1,)
        The first word of each group, and the number of words.
    """

    order: NDArray[np.int64]
    sizes: NDArray[np.int64]
    first_words: NDArray[np.int64]

    @property
    def n_words(self) -> int:
        """The number of words in the bitset of a term."""
        return int(self.first_words[-1])

    def blocks(self) -> NDArray[np.int64]:
        """Cut the words into blocks (group, first word, end) that fit into the cache."""
        rows = [
            (group, low, min(low + BLOCK_WORDS, high))
            for group, (low, high) in enumerate(zip(self.first_words[:-1], self.first_words[1:], strict=True))
            for low in range(low, high, BLOCK_WORDS)
        ]
        return np.array(rows, dtype=np.int64).reshape(-1, 3)

    def spans(self, firsts: NDArray[np.int64] | None = None) -> NDArray[np.int64]:
        """Give for each group its first case and its end among all cases, and the bit of the first.

        The cases count in the order of the groups. `firsts` are the first cases where these are some of all cases.
        """
        if firsts is None:
            firsts = np.cumsum(self.sizes) - self.sizes
        return np.column_stack([firsts, firsts + self.sizes, 64 * self.first_words[:-1]])


def lay_out(groups: NDArray[Any], n_groups: int) -> Layout:
    """Order the cases by their group, a number from 0."""
    # numpy sorts one-byte numbers by counting them
    small = groups.astype(np.uint8 if n_groups < 256 else np.int32, copy=False)
    sizes = np.bincount(small, minlength=n_groups).astype(np.int64)
    words = np.concatenate([[0], np.cumsum((sizes + 63) // 64)]).astype(np.int64)
    return Layout(np.argsort(small, kind="stable"), sizes, words)
