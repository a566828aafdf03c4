"""Items: every column = value and every interval of a table, as a term and as a set of cases."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import pairwise
from math import inf

import numpy as np
from numpy.typing import NDArray

from fivefold.data.columns import Column
from fivefold.data.terms import Equals, IsMissing, Term, Within
from fivefold.slices.bins import Cuts
from fivefold.slices.kernels.counting import Bits, interval_codes, pack, totals
from fivefold.slices.layout import Layout

__all__ = ["CodedColumn", "Items", "code_column", "pack_items"]


@dataclass(frozen=True, eq=False)
class CodedColumn:
    """A column as numbers of its terms: -1 for a missing value, unless missing is itself a term."""

    codes: NDArray[np.int32]
    terms: tuple[Term, ...]
    totals: NDArray[np.int64]
    missing_item: int


@dataclass(frozen=True, eq=False)
class Items:
    """The terms that can be tested, each with the set of its cases.

    Parameters
    ----------
    terms : tuple of Term
        In the order of the columns.
    attributes : ndarray of shape (m,)
        The number of the column of each term: a conjunction has at most one term on a column.
    bits : ndarray of shape (m, words)
        The cases of each term.
    layout : Layout
        Which bit is which case.
    n_values : int
        How many terms occur at all, also those too rare to be tested.
    """

    terms: tuple[Term, ...]
    attributes: NDArray[np.int32]
    bits: Bits
    layout: Layout
    n_values: int


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


def pack_items(coded: Sequence[CodedColumn], layout: Layout, least: float, threads: int) -> Items:
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

    with ThreadPoolExecutor(threads) as pool:
        list(pool.map(fill, range(len(coded))))
    terms = tuple(column.terms[i] for column, places in zip(coded, kept, strict=True) for i in places)
    attributes = np.repeat(np.arange(len(coded), dtype=np.int32), [places.size for places in kept])
    return Items(terms, attributes, bits, layout, sum(int((c.totals > 0).sum()) for c in coded))
