"""Items: every column = value and every interval of a table, as a term and as a set of rows to be counted."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from functools import cached_property, reduce
from itertools import pairwise
from math import inf
from operator import and_
from typing import Any, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray

from fivefold.data.conditions import During, Equals, Has, IsMissing, Term, Within
from fivefold.data.cut_points import DEFAULT_BINS, Bins, Cuts, cut_points
from fivefold.errors import InputError
from fivefold.inputs._kernels import count_codes
from fivefold.inputs.columns import Column
from fivefold.inputs.few_numbers import FewNumbers
from fivefold.inputs.frames import as_few
from fivefold.inputs.groups import Groups
from fivefold.slices import _kernels as kernels
from fivefold.slices._kernels import Bits
from fivefold.slices.causes import CaseCells
from fivefold.slices.clusters import Clusters
from fivefold.slices.dates import DatePart, Dates, weekend
from fivefold.slices.texts import Contains

Conjunction: TypeAlias = tuple[Term, ...]
Sets: TypeAlias = NDArray[np.int32]
Counts: TypeAlias = NDArray[np.int64]
Floats: TypeAlias = NDArray[np.float64]
Reached: TypeAlias = tuple[Counts, Floats]

# 1,024 words of 64 cases for each of a hundred terms stay within a core's second cache
BLOCK_WORDS = 1024
# the permutation of a block stays in the second cache
BLOCK_CASES = 65_536
# sets of labels that are counted at once, as in bitsets.h
COLUMNS = 512
# numpy draws hypergeometric numbers below this
MOST_CASES = 1_000_000_000
# below these numbers of words to count and cells to pack, starting threads costs more than it saves
FEW_WORDS = 20_000_000
# so many words of a set take longer to count than two sets to be looked up
WORTH_ADDING = 64
FEW_CELLS = 1_000_000
# "auto" permutes so many cases at most
MOST_PERMUTED = 500_000
# then, of columns of so many terms, even those of three cases are packed: all of them wrong may prove something
MOST_RARE, FEWEST = 256, 3


@dataclass(frozen=True, eq=False)
class RowsInMemory:
    """Rows that are all here.

    columns: The attributes.
    groups (n,): The number of each row's group; for two groups it may be boolean.
    n_groups: The number of groups.
    right: For two models and a known truth: whether the first is right, and the second.
    group_names: The groups, where they have names.
    belonging: Which rows belong together, where that is known.
    left_out, read_as: What must be said of columns, as in `Attributes`.
    repeated: Columns that are no attributes, but may say which rows belong together.
    one_class_each: Whether every answer names one class.
    """

    columns: tuple[Column, ...]
    groups: NDArray[Any]
    n_groups: int = 2
    right: tuple[NDArray[np.bool_], ...] = ()
    group_names: tuple[object, ...] = ()
    belonging: Groups | None = None
    left_out: Mapping[str, str] = field(default_factory=dict)
    read_as: Mapping[str, str] = field(default_factory=dict)
    repeated: tuple[Column, ...] = ()
    one_class_each: bool = True

    @property
    def schema(self) -> tuple[Column, ...]:
        """The columns, without their values."""
        return tuple(column.schema() for column in self.columns)

    @cached_property
    def sizes(self) -> Counts:
        """The number of rows in each group."""
        return count_codes(self.groups, self.n_groups)

    def part(self, rows: NDArray[Any] | slice) -> RowsInMemory:
        """Take some of the rows."""
        columns, repeated = (
            tuple(replace(column, values=column.values[rows]) for column in several)
            for several in (self.columns, self.repeated)
        )
        right = tuple(flags[rows] for flags in self.right)
        belonging = self.belonging and self.belonging.part(rows)
        groups = self.groups[rows]
        return replace(
            self, columns=columns, repeated=repeated, groups=groups, right=right, belonging=belonging
        )

    @property
    def clusters(self) -> Clusters | None:
        """The rows that belong together, and whether each is in the first of two groups."""
        if self.belonging is None:
            return None
        layout = lay_out(self.groups, self.n_groups)
        bits = np.empty(self.groups.size, dtype=np.int64)
        bits[np.argsort(self.groups, kind="stable")] = np.concatenate(
            [first + np.arange(last - begin) for begin, last, first in layout.spans()]
        )
        return Clusters(self.belonging, (self.groups == 0).astype(np.float64), bits)

    def cut_points(self, bins: Bins) -> Cuts:
        """Find the cut points of the numeric columns."""
        return cut_points(self.columns, bins, self.groups if self.n_groups > 1 else None)

    def code(
        self, cuts: Cuts, missing_as_value: bool, joined: frozenset[str] = frozenset()
    ) -> list[ColumnTerms]:
        """Number the terms of every column; those of one family share an attribute.

        joined: Columns of numbers of which every two neighbouring intervals are asked together, too.
        """
        families = [column.derived.family if column.derived else column.name for column in self.columns]
        number = {family: place for place, family in enumerate(dict.fromkeys(families))}
        return [
            replace(coded, attribute=number[family])
            for column, family in zip(self.columns, families, strict=True)
            for plain in (code_column(column, cuts, missing_as_value),)
            for coded in (plain, *overlapping_terms(column, cuts, column.name in joined, plain))
        ]

    def pack(
        self, cuts: Cuts, missing_as_value: bool, joined: frozenset[str], least: float, threads: int
    ) -> PackedItems:
        """Pack the terms that hold for at least `least` rows; `joined` as in `code`."""
        layout = lay_out(self.groups, self.n_groups)
        items = pack_items(self.code(cuts, missing_as_value, joined), self.groups, layout, least, threads)
        return items if self.belonging is None else replace(items, clusters=self.clusters)

    def count_right(self, conjunctions: Sequence[Conjunction]) -> Counts:
        """Count who is right where two models differ: the first, the second, all rows on which they differ."""
        differ = self.groups == 0
        counts = np.zeros((len(conjunctions), 3), dtype=np.int64)
        for place, conjunction in enumerate(conjunctions):
            inside = holds(self.columns, conjunction) & differ
            hits = (np.count_nonzero(inside & right) for right in self.right)
            counts[place] = [*hits, np.count_nonzero(inside)]
        return counts

    def compare_right(self, conjunction: Conjunction) -> tuple[Floats, Counts]:
        """Give, for the rows of a conjunction, who of two models is right, and the group they belong to."""
        assert self.belonging is not None
        inside = holds(self.columns, conjunction)
        return self.right[0][inside].astype(np.float64) - self.right[1][inside], self.belonging.codes[inside]


def holds(columns: Sequence[Column], conjunction: Conjunction) -> NDArray[np.bool_]:
    """Say for each row whether all terms hold."""
    return np.asarray(np.logical_and.reduce([term.holds(columns) for term in conjunction]))


def count_conjunctions(
    columns: Sequence[Column], agree: NDArray[np.bool_], conjunctions: Sequence[Conjunction]
) -> Counts:
    """Count the disagreeing and the agreeing rows of each conjunction."""
    counts = np.zeros((len(conjunctions), 2), dtype=np.int64)
    for place, conjunction in enumerate(conjunctions):
        inside = holds(columns, conjunction)
        counts[place, 1] = np.count_nonzero(inside & agree)
        counts[place, 0] = np.count_nonzero(inside) - counts[place, 1]
    return counts


@dataclass(frozen=True, eq=False)
class ColumnTerms:
    """A column as numbers of its terms: -1 for a missing value, unless missing is itself a term.

    attribute: The number of the attribute: a conjunction has at most one term on it.
    one_side: Whether of two terms, of which one negates the other, only the rarer is of use.
    term_of: The term of each code, -1 for none, where these are codes of other terms.
    """

    codes: NDArray[Any]
    terms: tuple[Term, ...]
    totals: Counts
    missing_item: int
    attribute: int = 0
    one_side: bool = False
    term_of: NDArray[np.intp] | None = None

    def useful(self, least: float) -> NDArray[np.intp]:
        """Give the places of the terms that hold for at least so many rows; where there are few, of nearly all."""
        if len(self.terms) <= MOST_RARE and self.totals.sum() <= MOST_PERMUTED:
            least = min(least, FEWEST)
        frequent = self.totals >= least
        if self.one_side:
            frequent[int(self.totals[0] < self.totals[1])] = False
        return np.flatnonzero(frequent)

    @property
    def n_values(self) -> int:
        """How many terms occur at all."""
        return int((self.totals > 0).sum()) - int(self.one_side and bool((self.totals[:2] > 0).all()))


def code_column(column: Column, cuts: Cuts, missing_as_value: bool) -> ColumnTerms:
    """Number the terms of a column and count them."""
    values, of = column.values, column.derived
    terms: tuple[Term, ...]
    if column.categories is None:
        ends = [-inf, *cuts[column.name].tolist(), inf]
        codes = _interval_codes(values, cuts[column.name])
        if isinstance(of, Dates):
            starts = np.nextafter(ends, inf).tolist()
            terms = tuple(
                During(column.name, low, high, of=of) for low, high in pairwise([-inf, *starts[1:]])
            )
        else:
            terms = tuple(Within(column.name, low, high, of=of) for low, high in pairwise(ends))
    else:
        codes = values
        if isinstance(of, Contains):
            terms = Has(column.name, False, of=of), Has(column.name, True, of=of)
        else:
            terms = tuple(Equals(column.name, value, of=of) for value in column.categories)
    missing_item = -1
    # whether a date or text is missing is asked once, not of each of its parts
    if missing_as_value and (of is None or isinstance(of, Dates) or column.name == f"length of {of.source}"):
        missing_item = len(terms)
        terms = (*terms, IsMissing(column.name, of=of))
    counts = _totals(codes, len(terms), missing_item)
    return ColumnTerms(codes, terms, counts, missing_item, 0, isinstance(of, Contains))


def _interval_codes(values: Any, cuts: Floats) -> NDArray[Any]:
    """Number the intervals of numbers, in a byte a row where they are few."""
    few = as_few(values)
    of = np.ascontiguousarray(values if few is None else few.levels)
    codes: NDArray[Any] = kernels.interval_codes(of, cuts).astype(np.min_scalar_type(-len(cuts) - 2))
    return codes if few is None else FewNumbers(few.codes, codes)  # type: ignore[return-value]


def _totals(codes: NDArray[Any], n_terms: int, missing_item: int) -> Counts:
    few, counts = as_few(codes), np.zeros(n_terms, dtype=np.int64)
    if few is None:
        counts += count_codes(codes, n_terms)
    else:
        known = few.levels >= 0
        np.add.at(counts, few.levels[known], few.counts[known])
    if missing_item >= 0:
        counts[missing_item] = len(codes) - counts.sum()
    return counts


def joined_columns(cuts: Cuts, columns: Sequence[Column], bins: Bins) -> frozenset[str]:
    """Name the columns of numbers whose intervals are joined: the quartiles are nobody's choice.

    What begins or ends within a quarter or goes on in the next one is one slice, not two.
    """
    if bins is not None and not isinstance(bins, Mapping) and bins != "quantile":
        return frozenset()
    plain = {column.name for column in columns if column.categories is None and column.derived is None}
    # of three intervals, two are all but the third: the exceptions, where the third is the rule
    return frozenset(
        name
        for name in plain.difference(bins if isinstance(bins, Mapping) else ())
        if len(cuts[name]) >= DEFAULT_BINS - 2
    )


def overlapping_terms(column: Column, cuts: Cuts, joined: bool, coded: ColumnTerms) -> list[ColumnTerms]:
    """Give the terms that overlap with others of a column: from a day on, at the weekend, two intervals joined."""
    of, together = column.derived, list[tuple[Term, slice]]()
    if isinstance(of, DatePart) and of.unit == "weekday":
        codes = np.where(weekend(of).holds([column]), 0, -1).astype(np.int8)
        return [ColumnTerms(codes, (weekend(of),), _totals(codes, 1, -1), -1)]
    if isinstance(of, Dates):
        starts = np.nextafter(cuts[column.name][1:-1], inf).tolist()
        together = [
            (During(column.name, start, inf, of=of), slice(place, len(cuts[column.name]) + 1))
            for place, start in enumerate(starts, start=2)
        ]
    elif joined:
        ends = [-inf, *cuts[column.name].tolist(), inf]
        two = zip(ends, ends[2:], strict=False)
        together = [
            (Within(column.name, low, high), slice(place, place + 2)) for place, (low, high) in enumerate(two)
        ]
    terms = []
    for term, several in together:
        term_of = np.full(coded.totals.size, -1)
        term_of[several] = 0
        number = coded.totals[several].sum(keepdims=True)
        terms.append(ColumnTerms(coded.codes, (term,), number, coded.missing_item, term_of=term_of))
    return terms


@dataclass(frozen=True, eq=False)
class Layout:
    """Where the cases of each group are in a bitset: they share no word with another group.

    sizes (g,): The number of cases in each group.
    first_words (g + 1,): The first word of each group, and the number of words.
    """

    sizes: Counts
    first_words: Counts

    @property
    def n_words(self) -> int:
        """The number of words in the bitset of a term."""
        return int(self.first_words[-1])

    def everything(self) -> Bits:
        """Give the set of all cases, as one row."""
        bits, rest = np.full(self.n_words, ~np.uint64(0)), (self.sizes % 64).astype(np.uint64)
        ends = self.first_words[1:][rest > 0] - 1
        bits[ends] = (np.uint64(1) << rest[rest > 0]) - np.uint64(1)
        return bits[None]

    def blocks(self, n_words: int) -> Counts:
        """Cut the words into blocks (group, first word, end) of so many."""
        lows = [np.arange(low, high, n_words) for low, high in pairwise(self.first_words.tolist())]
        groups, low = np.repeat(np.arange(len(lows)), [len(some) for some in lows]), np.concatenate(lows)
        return np.column_stack([groups, low, np.minimum(low + n_words, self.first_words[groups + 1])])

    def spans(self, firsts: Counts | None = None) -> Counts:
        """Give for each group its first case and its end among all cases, and the bit of the first.

        The cases count in the order of the groups. `firsts` are the first cases where these are some of all cases.
        """
        if firsts is None:
            firsts = np.cumsum(self.sizes) - self.sizes
        return np.column_stack([firsts, firsts + self.sizes, 64 * self.first_words[:-1]])


def lay_out(groups: NDArray[Any], n_groups: int) -> Layout:
    """Give the cases of each group, a number from 0, words of their own."""
    sizes = count_codes(groups, n_groups)
    return Layout(sizes, np.concatenate([[0], np.cumsum((sizes + 63) // 64)]).astype(np.int64))


@dataclass(frozen=True, eq=False)
class Items(ABC):
    """The terms that can be tested, and how to count conjunctions of them, wherever the cases are.

    terms: In the order of the columns.
    attributes (m,): The number of the column of each term: a conjunction has at most one term on a column.
    n_values: How many terms occur at all, also those too rare to be tested.
    sizes (g,): The number of cases in each group.
    clusters: Which cases belong together, where that is known.
    counted_on: The card that counts; empty where processors do.
    """

    terms: tuple[Term, ...]
    attributes: Sets
    n_values: int
    sizes: Counts
    clusters: Clusters | None = field(default=None, kw_only=True)
    counted_on: str = field(default="", kw_only=True)

    @abstractmethod
    def count_terms(self) -> Counts:
        """Count the cases of every single term in every group."""

    @abstractmethod
    def count_extensions(self, prefixes: Sets, starts: Counts, last: Sets, threads: int) -> Counts:
        """Count each prefix with each of its further terms, those of `last` from `starts` on, in every group."""

    @abstractmethod
    def count_permuted(self, sets: Sets, labels: PermutedLabels, inside: Counts) -> Sets:
        """Count conjunctions (padded with -1) of so many cases in every group but the last, for each draw."""

    def count_reached(self, sets: Sets, labels: PermutedLabels, inside: Counts, *of: Any) -> Reached:
        """Count the permutations that reach each statistic `of` conjunctions; the rest as in `exceedances`."""
        observed, allowance, x_log_x, difference = of
        permuted = self.count_permuted(sets, labels, inside)
        reached, maxima = kernels.exceedances(
            permuted, inside, observed, allowance, self.sizes, x_log_x, difference
        )
        return reached, maxima

    @abstractmethod
    def add_by_cluster(self, sets: Sets) -> Floats:
        """Count the cases of conjunctions in each cluster, and add up their deviations from the mean."""

    def crowding(self, sets: Sets, inside: Counts) -> Floats:
        """Give the crowding of conjunctions of so many cases, where cases belong together."""
        assert self.clusters is not None
        return self.clusters.crowding_by(lambda some: self.add_by_cluster(sets[some]), inside)

    @abstractmethod
    def add_numbers(self, sets: Sets, numbers: Floats) -> Floats:
        """Add up columns of numbers, one for each case, over the cases of each conjunction."""

    @abstractmethod
    def add_dealt(self, sets: Sets, values: Any, rng: np.random.Generator, draws: int) -> Floats:
        """Add up numbers of all cases that are dealt out anew; `hold` has sent them."""

    def hold(self, value: Any) -> Any:
        """Send what several calls need to those who count."""
        return value

    @abstractmethod
    def cells(self, numbers: Floats | None = None) -> CaseCells:
        """Put all cases into one cell, which causes will cut; each may have a number and its square."""


@dataclass(frozen=True, eq=False)
class PackedItems(Items):
    """Terms with the sets of their cases, one bit for each case.

    bits (m, words): The cases of each term.
    layout: Which bit is which case.
    halves (m, 2): The two terms, apart from each other, of which a term is made; -1 for none.
    """

    bits: Bits
    layout: Layout
    halves: Sets = field(default_factory=lambda: np.empty((0, 2), dtype=np.int32), kw_only=True)

    def __sizeof__(self) -> int:
        # a cluster moves to and fro what seems to be small
        return object.__sizeof__(self) + self.bits.nbytes

    @property
    def xp(self) -> Any:
        """The module of the arrays that are counted: numpy, or that of a card."""
        return np

    @property
    def counted_bits(self) -> Any:
        """The bits, where they are counted."""
        return self.bits

    def fetch(self, array: Any) -> NDArray[Any]:
        """Bring an array here from where it was counted."""
        return np.asarray(array)

    def count_terms(self) -> Counts:
        """Count the cases of every single term in every group."""
        return self.count_each(self.counted_bits)

    def count_each(self, bits: Any) -> Counts:
        """Count the cases of sets in every group: those that they share with the conjunction of no terms."""
        return np.asarray(self.count_within(np.full((1, 1), -1, dtype=np.int32), bits)[0])

    def count_within(self, sets: Sets, cells: Any) -> Counts:
        """Count the cases of each conjunction in each cell and each group."""
        counts = np.empty((len(sets), len(cells), self.sizes.size), dtype=np.int64)
        kernels.count_cells(self.bits, sets, cells, self.layout.first_words, counts)
        return counts

    def count_extensions(self, prefixes: Sets, starts: Counts, last: Sets, threads: int) -> Counts:
        """Count what is no sum of others: a condition on two intervals holds where one on either of them does."""
        if self.layout.n_words < WORTH_ADDING or not (self.halves >= 0).any():
            return self._count_extensions(prefixes, starts, last, threads)
        sets = np.column_stack([np.repeat(prefixes, np.diff(starts), axis=0), last])
        first, second = self._find_halves(sets)
        counted = first < 0
        counts = np.empty((last.size, self.sizes.size), dtype=np.int64)
        n_before = np.append(0, np.cumsum(counted))
        counts[counted] = self._count_extensions(prefixes, n_before[starts], last[counted], threads)
        n_joined = np.where(counted, 0, (self.halves[sets, 0] >= 0).sum(axis=1))
        for number in range(1, sets.shape[1] + 1):
            sums = np.flatnonzero(n_joined == number)
            counts[sums] = counts[first[sums]] + counts[second[sums]]
        return counts

    def _find_halves(self, sets: Sets) -> tuple[Counts, Counts]:
        """Find the two conjunctions whose cases together are those of each, -1 where one is not there."""
        keys, halves = kernels.keys_of(sets, len(self.terms)), np.full((2, len(sets)), -1, dtype=np.int64)
        for term in range(sets.shape[1]):
            joined = np.flatnonzero((halves[0] < 0) & (self.halves[sets[:, term], 0] >= 0))
            places = np.empty((2, joined.size), dtype=np.int64)
            for side in (0, 1):
                half = sets[joined]
                half[:, term] = self.halves[half[:, term], side]
                wanted = kernels.keys_of(half, len(self.terms))
                places[side] = np.minimum(np.searchsorted(keys, wanted), keys.size - 1)
                places[side, keys[places[side]] != wanted] = -1
            there = (places >= 0).all(axis=0)
            halves[:, joined[there]] = places[:, there]
        return halves[0], halves[1]

    def _count_extensions(self, prefixes: Sets, starts: Counts, last: Sets, threads: int) -> Counts:
        """Count in as many threads as there is work for."""
        blocks = self.layout.blocks(BLOCK_WORDS)
        workers = min(threads, len(blocks)) if last.size * self.layout.n_words > FEW_WORDS else 1

        def count(part: Counts) -> Counts:
            counts = np.zeros((last.size, self.sizes.size), dtype=np.int64)
            kernels.count_extensions(self.bits, prefixes, starts, last, part, counts)
            return counts

        if workers <= 1:
            return count(blocks)
        with ThreadPoolExecutor(workers) as pool:
            return np.asarray(sum(pool.map(count, np.array_split(blocks, workers))))

    def count_permuted(
        self, sets: Sets, labels: PermutedLabels, inside: Counts, firsts: Counts | None = None
    ) -> Sets:
        """Count conjunctions under permuted labels; `firsts` as in `Layout.spans`."""
        draws, _, n_groups = labels.splits.shape
        n_labels, total = draws * (n_groups - 1), int(labels.splits[0].sum())
        counts = self._count_windows(sets, self._windows(labels, firsts), n_labels, inside, total)
        return self.fetch(counts)[:-1].reshape(-1, draws, n_groups - 1)

    def _windows(self, labels: PermutedLabels, firsts: Counts | None) -> Iterator[tuple[Any, int]]:
        return labels.windows(self.layout.spans(firsts), kernels.deal_block, np)

    def add_by_cluster(self, sets: Sets) -> Floats:
        """Count and add up what is here."""
        assert self.clusters is not None
        return self.clusters.add(self.bits, sets, self.clusters.groups.n_groups, self.clusters.deviations)

    def _count_windows(
        self, sets: Sets, windows: Iterable[tuple[Bits, int]], n_labels: int, inside: Counts, total: int
    ) -> Sets:
        """Count conjunctions, and all cases, in sets of labels that come some words at a time."""
        wholes, lacking, most = find_wholes(sets, inside, total)
        shape = -(-n_labels // COLUMNS), len(sets), max(most.bit_length() + 1, 5), COLUMNS // 64
        planes, counts = np.zeros(shape, dtype=np.uint64), np.zeros((len(sets) + 1, n_labels), dtype=np.int32)
        for labels, first_word in windows:
            kernels.count_labels(self.bits, sets, lacking, labels, first_word, planes, counts[-1])
        kernels.read_counts(planes, sets, wholes, counts)
        return counts

    def add_numbers(self, sets: Sets, numbers: Floats) -> Floats:
        """Add up columns of numbers over the cases of each conjunction."""
        return self.add_within(self.counted_bits, sets, numbers)

    def add_within(self, bits: Any, sets: Sets, numbers: Floats) -> Floats:
        """Add up columns of numbers over conjunctions of sets."""
        return np.asarray(kernels.sums(bits, sets, np.ascontiguousarray(numbers)))

    def add_dealt(self, sets: Sets, values: Any, rng: np.random.Generator, draws: int) -> Floats:
        """Add up numbers that are dealt out anew."""
        return self.add_numbers(sets, np.column_stack([rng.permutation(values) for _ in range(draws)]))

    def cells(self, numbers: Floats | None = None) -> PackedCells:
        """Put all cases into one cell."""
        whole = self.xp.asarray(self.layout.everything())
        return PackedCells(self, whole) if numbers is None else NumberCells(self, whole, numbers)


@dataclass(frozen=True, eq=False)
class PackedCells:
    """Cells as sets of cases, one bit for each case.

    items: The terms.
    bits (cells, words): The cases of each cell.
    """

    items: PackedItems
    bits: Any

    def split(self, terms: Sets, which: NDArray[np.intp]) -> Self:
        """Cut some of the cells by a conjunction; their parts inside of it become new cells, after the others."""
        inside = reduce(and_, (self.items.counted_bits[term] for term in terms.tolist()))
        bits = self.items.xp.concatenate([self.bits, self.bits[which] & inside])
        bits[which] &= ~inside
        return replace(self, bits=bits)

    def totals(self, first: int = 0) -> NDArray[Any]:
        """Count the cases of each cell, from the first on, in each group."""
        return self.items.count_each(self.bits[first:])

    def count(self, sets: Sets, first: int = 0) -> NDArray[Any]:
        """Count the cases of each conjunction in each cell, from the first on, and each group."""
        return self.items.count_within(sets, self.bits[first:])


@dataclass(frozen=True, eq=False)
class NumberCells(PackedCells):
    """Cells of cases that have two numbers each, one and its square: a count is (cases, sum)."""

    numbers: Floats

    def totals(self, first: int = 0) -> NDArray[Any]:
        """Give the cases of each cell, from the first on, the sum of their numbers and of the squares."""
        rows = self.bits[first:]
        own = np.arange(len(rows), dtype=np.int32)[:, None]
        added = self.items.add_within(rows, own, self.numbers)
        return np.column_stack([super().totals(first)[:, 0], added])

    def count(self, sets: Sets, first: int = 0) -> NDArray[Any]:
        """Give the cases of each conjunction in each cell, from the first on, and the sum of their numbers."""
        rows, n_items = self.bits[first:], len(self.items.bits)
        bits = self.items.xp.concatenate([self.items.counted_bits, rows])
        cells = np.arange(n_items, n_items + len(rows), dtype=np.int32)
        both = np.column_stack([np.repeat(sets, len(rows), axis=0), np.tile(cells, len(sets))])
        added = self.items.add_within(bits, both, self.numbers)[:, 0].reshape(len(sets), len(rows))
        return np.stack([super().count(sets, first)[:, :, 0], added], axis=2)


def find_wholes(sets: Sets, inside: Counts, total: int) -> tuple[Sets, Sets, int]:
    """Find for each conjunction a part of it that holds for so few more cases that these are better counted.

    Gives the place of the part, the place of the term that it lacks, and the most cases to count; -1 where the
    cases of the conjunction itself are fewer. The part of a single term is all cases, whose place is the last.
    """
    numbers = np.vstack([sets, np.full((1, sets.shape[1]), -1)]).astype(np.uint64) + np.uint64(1)
    base = int(numbers.max(initial=0)) + 1
    weights = np.array([base**power for power in range(sets.shape[1])][::-1], dtype=np.uint64)
    keys, sizes = numbers @ weights, np.append(inside, total)
    order = np.argsort(keys)
    least, wholes, lacking = inside.copy(), *np.full((2, inside.size), -1, dtype=np.int32)
    for term in range(sets.shape[1]):
        shorter = np.delete(numbers[:-1], term, axis=1) @ weights[:-1]
        places = order[np.minimum(np.searchsorted(keys, shorter, sorter=order), inside.size)]
        more = np.where(keys[places] == shorter, sizes[places] - inside, total)
        fewer = (sets[:, term] >= 0) & (more < least)
        least[fewer], wholes[fewer], lacking[fewer] = more[fewer], places[fewer], term
    return wholes, lacking, int(least.max(initial=0))


def pack_conjunctions(rows: RowsInMemory, conjunctions: Sequence[Conjunction]) -> PackedItems:
    """Pack the rows of whole conjunctions as if each were a term."""
    layout = lay_out(rows.groups, rows.n_groups)
    bits = np.zeros((len(conjunctions), layout.n_words), dtype=np.uint64)
    first, n = np.array([0, -1], dtype=np.int32), len(conjunctions)
    for place, conjunction in enumerate(conjunctions):
        codes = np.where(holds(rows.columns, conjunction), np.int8(0), np.int8(1))
        _pack(codes, rows.groups, layout, 1, first, bits[place : place + 1])
    terms = tuple(conjunction[0] for conjunction in conjunctions)
    return PackedItems(terms, np.arange(n, dtype=np.int32), n, layout.sizes, bits, layout)


def _pack(
    codes: NDArray[Any],
    groups: NDArray[Any],
    layout: Layout,
    missing: int,
    rows: NDArray[np.int32],
    bits: Bits,
) -> None:
    """Pack a column, some cases at a time: all at once they would take four bytes each as whole numbers."""
    next_bits, few = 64 * layout.first_words[:-1], as_few(codes)
    if few is not None:
        codes, rows = few.codes, rows[np.where(few.levels < 0, missing, few.levels)]
    for start in range(0, len(groups), BLOCK_CASES):
        some = slice(start, start + BLOCK_CASES)
        numbers, of = (np.ascontiguousarray(part[some], dtype=np.int32) for part in (codes, groups))
        kernels.pack(numbers, of, next_bits, missing, rows, bits)


def pack_items(
    coded: Sequence[ColumnTerms], groups: NDArray[Any], layout: Layout, least: float, threads: int
) -> PackedItems:
    """Pack the terms that hold for at least `least` cases."""
    kept = [column.useful(least) for column in coded]
    firsts = np.concatenate([[0], np.cumsum([places.size for places in kept])])
    bits = np.zeros((int(firsts[-1]), layout.n_words), dtype=np.uint64)
    halves = _halves(coded, kept, firsts)
    joined = np.flatnonzero(halves[:, 0] >= 0)

    def fill(number: int) -> None:
        column, places = coded[number], kept[number]
        new = np.full(len(column.terms) + 1, -1, dtype=np.int32)
        new[places] = np.arange(places.size, dtype=np.int32)
        new = new if column.term_of is None else new[np.append(column.term_of, -1)]
        _pack(
            column.codes, groups, layout, column.missing_item, new, bits[firsts[number] : firsts[number + 1]]
        )

    alone = np.flatnonzero(~np.isin(firsts[:-1], joined)).tolist()
    if threads == 1 or len(coded) * len(groups) < FEW_CELLS:
        for number in alone:
            fill(number)
    else:
        with ThreadPoolExecutor(threads) as pool:
            list(pool.map(fill, alone))
    for row in joined:
        first, second = halves[row]
        np.bitwise_or(bits[first], bits[second], out=bits[row])
    terms = tuple(column.terms[i] for column, places in zip(coded, kept, strict=True) for i in places)
    numbers = np.array([column.attribute for column in coded], dtype=np.int32)
    attributes = np.repeat(numbers, [places.size for places in kept])
    n_values = sum(column.n_values for column in coded)
    return PackedItems(terms, attributes, n_values, layout.sizes, bits, layout, halves=halves)


def _halves(coded: Sequence[ColumnTerms], kept: Sequence[NDArray[np.intp]], firsts: Counts) -> Sets:
    """Give, for each term that is two others of the column before it, the numbers of these; -1 for the rest."""
    halves, own = np.full((firsts[-1], 2), -1, dtype=np.int32), 0
    for number, column in enumerate(coded):
        if column.term_of is None:
            own = number
            continue
        two = np.flatnonzero(column.term_of >= 0)
        if two.size == 2 and np.isin(two, kept[own]).all():
            halves[firsts[number]] = firsts[own] + np.searchsorted(kept[own], two)
    return halves


@dataclass(frozen=True, eq=False)
class PermutedLabels:
    r"""Random permutations of the group labels of all cases, in the order of their groups.

    The cases are cut into blocks. How many labels of each group fall into each block follows the multivariate
    hypergeometric law; within a block all orders are equally likely. Together that is a uniformly random
    permutation, and whoever holds some of the cases can draw the labels of their blocks alone.

    key: Of the random numbers, two words.
    splits (draws, blocks, groups): How many labels of each group are in each block.
    """

    key: NDArray[np.uint32]
    splits: Counts

    def windows(self, spans: Counts, deal: Callable[..., None], xp: Any) -> Iterator[tuple[Any, int]]:
        """Pack the labels of spans of cases into bits, block by block: rows of labels, and their first word.

        There is a row for each draw and each group but the last; spans are as `Layout.spans` gives them. `deal`
        deals as `deal_block` into arrays of `xp`.
        """
        n_draws, _, n_groups = self.splits.shape
        for block in _blocks_of(spans):
            splits = np.ascontiguousarray(self.splits[:, block])
            places = _places(spans, block * BLOCK_CASES, int(splits[0].sum()))
            first = int(places[places >= 0].min()) // 64
            labels = xp.zeros((n_draws, n_groups - 1, int(places.max()) // 64 + 1 - first), dtype=np.uint64)
            deal(self.key, block, splits, np.where(places < 0, -1, places - 64 * first), labels)
            yield labels.reshape(-1, labels.shape[2]), first


def _places(spans: Counts, first: int, n: int) -> Sets:
    """Give the bit of each of n cases from the first on; -1 for those outside of the spans."""
    places = np.full(n, -1, dtype=np.int32)
    for low, high, bit in spans.tolist():
        start, end = max(low, first), min(high, first + n)
        if start < end:
            places[start - first : end - first] = np.arange(bit + start - low, bit + end - low)
    return places


def permute_labels(rng: np.random.Generator, draws: int, sizes: Counts) -> PermutedLabels:
    """Draw permutations of the labels of groups of these sizes."""
    if sizes.sum() >= MOST_CASES:
        raise InputError(
            f"fewer than {MOST_CASES:,} cases for 'westfall-young'",
            f"{sizes.sum():,}",
            "correction='layered' has no such limit",
        )
    key = rng.integers(2**32, size=2, dtype=np.uint32)
    splits = np.zeros((draws, -(-int(sizes.sum()) // BLOCK_CASES), sizes.size), dtype=np.int64)
    kernels.split_labels(rng, sizes, BLOCK_CASES, splits)
    return PermutedLabels(key, splits)


def _blocks_of(spans: Counts) -> Sequence[int]:
    ranges = (
        range(low // BLOCK_CASES, -(-high // BLOCK_CASES)) for low, high, _ in spans.tolist() if low < high
    )
    return sorted({block for blocks in ranges for block in blocks})
