"""Items.

Every column = value and every interval of a table, as a term and as something that can be counted.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import pairwise
from math import inf

import numpy as np
from numpy.typing import NDArray

from fivefold.data.conditions import Equals, IsMissing, Term, Within
from fivefold.inputs.columns import Column
from fivefold.slices.bins import Cuts
from fivefold.slices.kernels.counting import Bits, count_extensions, count_terms, interval_codes, pack, totals
from fivefold.slices.kernels.permuting import count_labels
from fivefold.slices.layout import Layout
from fivefold.slices.permuted_labels import PermutedLabels

# below these numbers of words to count and cells to pack, starting threads costs more than it saves
FEW_WORDS = 20_000_000
FEW_CELLS = 1_000_000


@dataclass(frozen=True, eq=False)
class CodedColumn:
    """A column as numbers of its terms: -1 for a missing value, unless missing is itself a term."""

    codes: NDArray[np.int32]
    terms: tuple[Term, ...]
    totals: NDArray[np.int64]
    missing_item: int


@dataclass(frozen=True, eq=False)
class Items(ABC):
    """The terms that can be tested, and how to count conjunctions of them, wherever the cases are.

    Parameters
    ----------
    terms : tuple of Term
        In the order of the columns.
    attributes : ndarray of shape (m,)
        The number of the column of each term: a conjunction has at most one term on a column.
    n_values : int
        How many terms occur at all, also those too rare to be tested.
    sizes : ndarray of shape (g,)
        The number of cases in each group.
    """

    terms: tuple[Term, ...]
    attributes: NDArray[np.int32]
    n_values: int
    sizes: NDArray[np.int64]

    @abstractmethod
    def count_terms(self) -> NDArray[np.int64]:
        """Count the cases of every single term in every group."""

    @abstractmethod
    def count_extensions(
        self,
        prefixes: NDArray[np.int32],
        starts: NDArray[np.int64],
        last: NDArray[np.int32],
        threads: int,
    ) -> NDArray[np.int64]:
        """Count each prefix with each of its further terms, those of `last` from `starts` on, in every group."""

    @abstractmethod
    def count_permuted(self, sets: NDArray[np.int32], labels: PermutedLabels) -> NDArray[np.int64]:
        """Count conjunctions (padded with -1) in every group but the last, for each draw of the labels."""


@dataclass(frozen=True, eq=False)
class PackedItems(Items):
    """Terms with the sets of their cases, one bit for each case.

    Parameters
    ----------
    bits : ndarray of shape (m, words)
        The cases of each term.
    layout : Layout
        Which bit is which case.
    """

    bits: Bits
    layout: Layout

    def count_terms(self) -> NDArray[np.int64]:
        """Count the cases of every single term in every group."""
        counts = np.zeros((len(self.terms), self.sizes.size), dtype=np.int64)
        count_terms(self.bits, self.layout.first_words, counts)
        return counts

    def count_extensions(
        self,
        prefixes: NDArray[np.int32],
        starts: NDArray[np.int64],
        last: NDArray[np.int32],
        threads: int,
    ) -> NDArray[np.int64]:
        """Count in as many threads as there is work for."""
        blocks = self.layout.blocks()
        workers = min(threads, len(blocks)) if last.size * self.layout.n_words > FEW_WORDS else 1

        def count(part: NDArray[np.int64]) -> NDArray[np.int64]:
            counts = np.zeros((last.size, self.sizes.size), dtype=np.int64)
            count_extensions(self.bits, prefixes, starts, last, part, counts)
            return counts

        if workers <= 1:
            return count(blocks)
        with ThreadPoolExecutor(workers) as pool:
            return np.asarray(sum(pool.map(count, np.array_split(blocks, workers))))

    def count_permuted(
        self, sets: NDArray[np.int32], labels: PermutedLabels, firsts: NDArray[np.int64] | None = None
    ) -> NDArray[np.int64]:
        """Count conjunctions under permuted labels; `firsts` as in `Layout.spans`."""
        packed = labels.pack(self.layout.spans(firsts), self.layout.n_words)
        counts = np.empty((sets.shape[0], *packed.shape[:2]), dtype=np.int64)
        count_labels(self.bits, sets, packed, counts)
        return counts


def code_column(column: Column, cuts: Cuts, missing_as_value: bool) -> CodedColumn:
    """Number the terms of a column and count them."""
    terms: tuple[Term, ...]
    if column.categories is None:
        ends = [-inf, *cuts[column.name].tolist(), inf]
        codes = interval_codes(column.values, cuts[column.name])
        terms = tuple(Within(column.name, low, high) for low, high in pairwise(ends))
    else:
        codes = column.values
        terms = tuple(Equals(column.name, value) for value in column.categories)
    missing_item = -1
    if missing_as_value:
        missing_item = len(terms)
        terms = (*terms, IsMissing(column.name))
    return CodedColumn(codes, terms, totals(codes, len(terms), missing_item), missing_item)


def _for_each(work: Callable[[int], None], n_pieces: int, threads: int) -> None:
    if threads == 1:
        for number in range(n_pieces):
            work(number)
        return
    with ThreadPoolExecutor(threads) as pool:
        list(pool.map(work, range(n_pieces)))


def pack_items(coded: Sequence[CodedColumn], layout: Layout, least: float, threads: int) -> PackedItems:
    """Pack the terms that hold for at least `least` cases."""
    kept = [np.flatnonzero(column.totals >= least) for column in coded]
    firsts = np.concatenate([[0], np.cumsum([places.size for places in kept])])
    bits = np.zeros((int(firsts[-1]), layout.n_words), dtype=np.uint64)

    def fill(number: int) -> None:
        column, places = coded[number], kept[number]
        new = np.full(len(column.terms) + 1, -1, dtype=np.int32)
        new[places] = np.arange(places.size, dtype=np.int32)
        part = bits[firsts[number] : firsts[number + 1]]
        pack(column.codes, layout.order, layout.sizes, layout.first_words, column.missing_item, new, part)

    if len(coded) * layout.order.size < FEW_CELLS:
        threads = 1
    _for_each(fill, len(coded), threads)
    terms = tuple(column.terms[i] for column, places in zip(coded, kept, strict=True) for i in places)
    attributes = np.repeat(np.arange(len(coded), dtype=np.int32), [places.size for places in kept])
    n_values = sum(int((column.totals > 0).sum()) for column in coded)
    return PackedItems(terms, attributes, n_values, layout.sizes, bits, layout)
