"""Cells: cases counted by their answer and their true class, which is all that the codes look at."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fivefold.inputs._kernels import count_codes, pair_codes


@dataclass(frozen=True, eq=False)
class AnswerCells:
    """What was answered to each case and what is true, as the number of a pair of both.

    Parameters
    ----------
    codes : ndarray of shape (n,)
        The cell of each case, in a type as narrow as their number allows.
    labels : ndarray of shape (m,)
        The true class of each cell.
    answers : ndarray of shape (m,) or (m, k)
        The answer of each cell: a class or -1, or a row of booleans.
    symbols : ndarray of shape (m,)
        The number of each answer; no class and all classes have the same, for both tell nothing.
    n_classes : int
        Number of classes, k.

    Examples
    --------
    >>> truth, answers = np.array([0, 1, 1], dtype=np.int32), np.array([0, -1, -1], dtype=np.int32)
    >>> cells = AnswerCells.of(truth, answers, 2)
    >>> cells.codes.tolist(), cells.labels[cells.codes].tolist(), cells.answers[cells.codes].tolist()
    ([2, 1, 1], [0, 1, 1], [0, -1, -1])
    """

    codes: NDArray[Any] = field(repr=False)
    labels: NDArray[np.int32]
    answers: NDArray[Any]
    symbols: NDArray[np.int32]
    n_classes: int

    @classmethod
    def of(cls, truth: NDArray[np.int32], answers: NDArray[Any], n_classes: int) -> AnswerCells:
        """Find the cells of checked input."""
        numbers, kinds, symbols = number_answers(answers, n_classes)
        if len(kinds) * n_classes <= max(truth.size, 256):
            pairs = np.arange(len(kinds) * n_classes)
            codes = pair_codes(numbers, truth, n_classes, pairs.size)
        else:
            pairs, codes = np.unique(np.int64(n_classes) * numbers + truth, return_inverse=True)
        kind, labels = np.divmod(pairs, n_classes)
        return cls(codes, labels.astype(np.int32), kinds[kind], symbols[kind], n_classes)

    @property
    def n_cases(self) -> int:
        """Number of cases."""
        return len(self.codes)

    @cached_property
    def counts(self) -> NDArray[np.int64]:
        """How many cases each cell has."""
        return count_codes(self.codes, len(self.labels))

    @cached_property
    def totals(self) -> NDArray[np.int64]:
        """How many cases each class has."""
        return np.bincount(self.labels, self.counts, self.n_classes).astype(np.int64)

    @cached_property
    def varied(self) -> bool:
        """Whether cases are answered differently; one answer to all tells nothing."""
        given = self.symbols[self.counts > 0]
        return bool(given.max() > given.min())

    @cached_property
    def held(self) -> NDArray[np.bool_]:
        """Whether the answer of each cell has the true class in it."""
        if self.answers.ndim == 1:
            return np.asarray(self.answers == self.labels)
        return np.asarray(self.answers[np.arange(len(self.labels)), self.labels])

    @cached_property
    def answered(self) -> NDArray[np.int64]:
        """How many cases have the answer of each cell."""
        return np.bincount(self.symbols, self.counts)[self.symbols].astype(np.int64)

    @cached_property
    def met(self) -> NDArray[np.int64]:
        """How many of them have its class, too."""
        pairs = np.unique(self.symbols * np.int64(self.n_classes) + self.labels, return_inverse=True)[1]
        return np.bincount(pairs, self.counts)[pairs].astype(np.int64)

    @cached_property
    def trusted(self) -> int:
        """How many cases have the most frequent of the answers that have not met all classes."""
        n_met = np.bincount(self.symbols, self.counts / np.maximum(self.met, 1))[self.symbols]
        return int(self.answered[n_met < np.count_nonzero(self.totals) - 0.5].max(initial=0))

    def tally(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Count the answers by size, and the right ones among them by size."""
        sizes = self.answers >= 0 if self.answers.ndim == 1 else self.answers.sum(axis=1)
        by_size = np.bincount(sizes, self.counts, self.n_classes + 1).astype(np.int64)
        return by_size, np.bincount(sizes, self.counts * self.held, self.n_classes + 1).astype(np.int64)


def number_answers(
    answers: NDArray[Any], n_classes: int
) -> tuple[NDArray[Any], NDArray[Any], NDArray[np.int32]]:
    """Give the number of each case's answer from 0 on, the answers by number, and their symbols."""
    if answers.ndim == 1:
        kinds = np.arange(-1, n_classes, dtype=np.int32)
        return answers + np.int32(1), kinds, kinds + np.int32(1)
    packed = np.packbits(answers, axis=1)
    _, first, numbers = np.unique(
        packed.view(f"V{packed.shape[1]}").ravel(), return_index=True, return_inverse=True
    )
    kinds = np.ascontiguousarray(answers[first])
    telling = kinds.any(axis=1) & ~kinds.all(axis=1)
    symbols = np.where(telling, np.cumsum(telling), 0).astype(np.int32)
    return numbers.ravel(), kinds, symbols
