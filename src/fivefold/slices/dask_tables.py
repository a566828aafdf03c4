"""Tables of Dask: each partition packs and counts its own rows, and counts are added.

Each partition is read behind a few rows, the header, that hold every value of every nominal column and every label
there is. So the code that reads a table in memory gives the same numbers to the same values everywhere.
"""

from __future__ import annotations

import operator
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, field, replace
from functools import cached_property, partial, reduce
from importlib import import_module
from math import inf
from typing import Any, TypeAlias, cast

import numpy as np
from numpy.typing import NDArray

from fivefold.data.cut_points import (
    Bins,
    Cuts,
    around,
    cut_points,
    pass_ties,
    quantile_levels,
    round_cuts,
    tied,
)
from fivefold.errors import InputError, InputTypeError, show
from fivefold.inputs.columns import CategoricalFeatures, Column, nominal_mask
from fivefold.inputs.frames import OpenTable
from fivefold.inputs.groups import Groups, read_groups
from fivefold.slices.attributes import (
    SAMPLE_ROWS,
    Attributes,
    Source,
    open_attributes,
    plan_sources,
    read_sources,
)
from fivefold.slices.clusters import Clusters
from fivefold.slices.dates import take_times
from fivefold.slices.items import (
    ColumnTerms,
    Conjunction,
    Counts,
    Floats,
    Items,
    PackedCells,
    PackedItems,
    PermutedLabels,
    RowsInMemory,
    Sets,
    lay_out,
    pack_items,
)

Read: TypeAlias = Callable[..., RowsInMemory]
Prefixes: TypeAlias = Mapping[str, tuple[int, ...]]
Digits: TypeAlias = list[NDArray[np.int64]]
FoldedCells: TypeAlias = tuple[PackedCells, int]
# of a partition: its length, the different values of columns by place, those of labels, the first row without each
PartitionValues: TypeAlias = tuple[int, dict[int, Any], list[Any], list[int]]
CountDigits: TypeAlias = Callable[[Prefixes, int], Digits]
LookAround: TypeAlias = Callable[[Mapping[str, Floats]], list[Mapping[str, Floats]]]

# a number, a category and the number of a term; the share of the memory that rows may take for long
NUMBER_BYTES, CATEGORY_BYTES, TERM_BYTES, KEPT_SHARE = 8, 4, 2, 0.25
# numbers that are dealt at a time
MOST_NUMBERS = 1 << 25
# partial sums that one task adds up
AT_ONCE = 16
# rows of each partition by which columns are judged, at the least, and values of each that it tells, at the most
LEAST_SAMPLED, MOST_VALUES = 1000, 1000
# the 64 bits of a number in five digits, from the left
SHIFTS = (51, 38, 25, 12, 0)
WIDTHS = (13, 13, 13, 13, 12)


def read_partitions(
    read: Read,
    X: Any,
    labels: Sequence[Any],
    needed: int,
    categorical_features: CategoricalFeatures,
    kept_as_they_are: Sequence[str] = (),
    groups: Any = None,
    without: Sequence[str] = (),
) -> RowsOnWorkers:
    """Read rows on the workers; `read` is what reads them in memory, `needed` the label that no row may lack.

    A label may be the name of a column, which is then no attribute. It is taken from the partitions themselves:
    of a column alone, Dask makes other partitions where files are small. `groups`, if any, say as such a label
    which rows belong together; the columns `without` are no attributes either.
    """
    if not hasattr(X, "npartitions") or not hasattr(X, "_meta_nonempty"):
        raise InputTypeError("X to be a Dask DataFrame", type(X).__name__, "from_dask_array makes one")
    parts, meta = X.to_delayed(), X._meta_nonempty
    part_labels = _split_labels(parts, labels)
    belonging = None if groups is None else _number_groups(parts, groups)
    names = list(dict.fromkeys(label for label in (*labels, groups, *without) if isinstance(label, str)))
    if names:
        parts, meta = on_each(lambda part: part.drop(columns=names), parts), meta.drop(columns=names)
    table = open_attributes(meta)
    sampled, values = _survey(parts, part_labels, table, categorical_features)
    sources = plan_sources(table, categorical_features, kept_as_they_are, sampled)
    nominal = [place for place, source in enumerate(sources) if source.plain and source.nominal]
    if any(place not in known for _, known, _, _ in values for place in nominal):
        values = gather(on_each(_distinct_values, parts, part_labels, also=[nominal]))
    _check_known(values, needed)
    header = send(_header(meta, nominal, values))
    reader = send(partial(read, read_attributes=partial(_read_planned, sources=sources)))
    lengths = [n for n, _, _, _ in values]
    codes = [None] * len(parts)
    if belonging is not None:
        codes = [send(piece) for piece in np.split(belonging.codes, np.cumsum(lengths)[:-1])]
    tasks = on_each(_read, parts, part_labels, codes, also=[header, reader])
    n_bytes = sum(CATEGORY_BYTES if source.nominal else NUMBER_BYTES for source in sources)
    rows = keep_if_small(tasks, sum(lengths) * n_bytes)
    what = operator.attrgetter("schema", "sizes", "group_names", "left_out", "read_as", "one_class_each")
    described = gather(on_each(what, rows))
    schema, _, group_names, left_out, read_as, named = described[0]
    sizes = np.stack([description[1] for description in described])
    return RowsOnWorkers(rows, schema, sizes, group_names, left_out, read_as, named, belonging)


def _number_groups(parts: Sequence[Any], groups: Any) -> Groups:
    """Number the groups of rows as in memory; only their different names and the numbers of rows are fetched."""
    columns = [column for (column,) in _split_labels(parts, [groups])]
    factors = gather(on_each(lambda part: as_series(part).factorize(use_na_sentinel=False), columns))
    names = concat([as_series(different) for _, different in factors])
    if names.isna().any():
        # the whole column knows which rows have none
        names = concat([as_series(column) for column in gather(columns)])
    numbers = read_groups(names, len(names))
    assert numbers is not None
    ends = np.cumsum([len(several) for _, several in factors])[:-1]
    several = zip(factors, np.split(numbers.codes, ends), strict=True)
    name = groups if isinstance(groups, str) else getattr(groups, "name", None) or ""
    return Groups(np.concatenate([number[places] for (places, _), number in several]), str(name))


def as_series(column: Any) -> Any:
    """Give a column of pandas."""
    import pandas as pd

    return pd.Series(column).reset_index(drop=True)


def _survey(
    parts: Sequence[Any], labels: Sequence[Any], table: OpenTable, categorical_features: CategoricalFeatures
) -> tuple[dict[str, Any], list[PartitionValues]]:
    """Read all once: some rows of columns of dates, texts and categories, and the values of each that has few."""
    mask = nominal_mask(table, categorical_features)
    places = [
        place
        for place, (values, nominal) in enumerate(zip(table.columns, mask, strict=True))
        if nominal or take_times(values) is not None
    ]
    rows_each = max(SAMPLE_ROWS // len(parts), LEAST_SAMPLED)
    looks = gather(on_each(_look_over, parts, labels, also=[places, rows_each]))
    sample = concat([rows for rows, _ in looks]) if places else ()
    opened = open_attributes(sample) if len(sample) else table
    return dict(zip(opened.names, opened.columns, strict=True)), [values for _, values in looks]


def _look_over(
    part: Any, labels: Sequence[Any], places: Sequence[int], n_rows: int
) -> tuple[Any, PartitionValues]:
    rows = np.unique(np.linspace(0, max(len(part) - 1, 0), min(n_rows, len(part))).astype(np.intp))
    return part.iloc[rows, places], _distinct_values(part, labels, places, MOST_VALUES)


def _read_planned(X: Any, sources: Sequence[Source]) -> Attributes:
    """Read a partition as the sample was; words that are rare in one need not be so in all."""
    planned = [replace(source, measure=False) for source in sources]
    return read_sources(open_attributes(X), planned, narrow=True)


def _split_labels(parts: Sequence[Any], labels: Sequence[Any]) -> list[list[Any]]:
    """Give the labels of each partition; arrays in memory are cut by the lengths of the partitions."""
    columns: list[Sequence[Any]] = []
    lengths: list[int] | None = None
    for label in labels:
        if isinstance(label, str):
            columns.append(on_each(operator.itemgetter(label), parts))
            continue
        if hasattr(label, "to_delayed"):
            pieces = np.ravel(label.to_delayed()).tolist()
            if len(pieces) != len(parts):
                raise InputError(
                    f"labels in {len(parts)} partitions, like X",
                    f"{len(pieces)} partitions",
                    "name the column of X that holds the labels, or repartition them",
                )
            columns.append(pieces)
            continue
        if lengths is None:
            lengths = gather(on_each(len, parts))
        columns.append(_cut(label, lengths))
    return [[column[place] for column in columns] for place in range(len(parts))]


def _cut(label: Any, lengths: Sequence[int]) -> list[Any]:
    values = np.asarray(label)
    if values.ndim != 1 or values.size != sum(lengths):
        raise InputError(
            f"one label for each of the {sum(lengths)} cases", f"an array of shape {values.shape}"
        )
    return [send(piece) for piece in np.split(values, np.cumsum(lengths)[:-1])]


def _distinct_values(
    part: Any, labels: Sequence[Any], places: Sequence[int], most: float = inf
) -> PartitionValues:
    """Give the different values; of columns only where these are not more than the most."""
    import pandas as pd

    for label in labels:
        if len(label) != len(part):
            raise InputError(
                f"as many labels as cases in every partition, here {len(part)}",
                f"{len(label)}",
                "take the labels from the same Dask DataFrame",
            )
    different = {place: part.iloc[:, place].drop_duplicates() for place in places}
    values = {place: column for place, column in different.items() if len(column) <= most}
    absent = [np.flatnonzero(pd.isna(as_series(label)).to_numpy()) for label in labels]
    missing = [int(rows[0]) if rows.size else -1 for rows in absent]
    return len(part), values, [_distinct(label) for label in labels], missing


def _distinct(label: Any) -> Any:
    import pandas as pd

    try:
        return pd.Series(label).drop_duplicates()
    except TypeError as problem:
        raise InputTypeError(
            "one label for each case of a Dask DataFrame",
            show(np.asarray(label)[0]),
            "search answers of several classes in memory",
        ) from problem


def _check_known(partitions: Sequence[PartitionValues], needed: int) -> None:
    before = 0
    for n, _, _, missing in partitions:
        if needed < len(missing) and missing[needed] >= 0:
            row = f"none in row {before + missing[needed]}"
            raise InputError("a known class or group in every row", row, "drop such cases")
        before += n


def _header(
    meta: Any, nominal: Sequence[int], partitions: Sequence[PartitionValues]
) -> tuple[Any, list[Any]]:
    """Make rows, and their labels, that hold every value there is."""
    full = [partition for partition in partitions if partition[0]]
    if not full:
        raise InputError("at least one case", "a Dask DataFrame without rows")
    values = [concat([known[place] for _, known, _, _ in full]).drop_duplicates() for place in nominal]
    labels = [
        concat(list(parts)).drop_duplicates()
        for parts in zip(*(labels for _, _, labels, _ in full), strict=True)
    ]
    n_rows = max(map(len, [*values, *labels]), default=1)
    X = meta.iloc[np.zeros(n_rows, dtype=np.intp)].reset_index(drop=True)
    for place, several in zip(nominal, values, strict=True):
        X.isetitem(place, _resized(several, n_rows))
    return X, [_resized(label, n_rows) for label in labels]


def _resized(values: Any, n_rows: int) -> Any:
    return values.iloc[np.resize(np.arange(len(values)), n_rows)].reset_index(drop=True)


def _read(
    part: Any, labels: Sequence[Any], codes: Counts | None, header: tuple[Any, list[Any]], read: Read
) -> RowsInMemory:
    X = _behind(header[0], part)
    whole = [_behind(first, as_series(label)) for first, label in zip(header[1], labels, strict=True)]
    rows = read(X, *whole).part(slice(len(header[0]), None))
    return rows if codes is None else replace(rows, belonging=Groups(codes))


def _behind(header: Any, part: Any) -> Any:
    """Put rows behind the header, which has all categories already: to unite them again would take longer."""
    import pandas as pd

    kinds = header.dtypes if header.ndim > 1 else {None: header.dtype}
    known = {name: kind for name, kind in kinds.items() if isinstance(kind, pd.CategoricalDtype)}
    part = part.astype(known.get(None, known)) if known else part
    return pd.concat([header, part], ignore_index=True)


@dataclass(frozen=True, eq=False)
class RowsOnWorkers:
    """Rows on a cluster.

    parts: The rows of each partition, all with the same categories and groups; kept in the workers' memory where
        they take a small part of it, else read again for each use.
    schema: The columns, without their values.
    part_sizes (parts, groups): Rows of each group in each partition.
    group_names: The groups, where they have names.
    left_out, read_as: What must be said of columns, as in `Attributes`.
    one_class_each: Whether every answer names one class.
    belonging: Which rows belong together, where that is known: eight bytes a row that are here.
    """

    parts: tuple[Any, ...]
    schema: tuple[Column, ...]
    part_sizes: Counts
    group_names: tuple[object, ...]
    left_out: Mapping[str, str] = field(default_factory=dict)
    read_as: Mapping[str, str] = field(default_factory=dict)
    one_class_each: bool = True
    belonging: Groups | None = None

    @property
    def sizes(self) -> Counts:
        """The number of rows in each group."""
        return np.asarray(self.part_sizes.sum(axis=0))

    def cut_points(self, bins: Bins) -> Cuts:
        """Find the cut points of the numeric columns, exactly."""
        if bins == "mdlp":
            raise InputError(
                "bins that need no labels, for a Dask DataFrame",
                "'mdlp'",
                "find cut points on a sample and give them by column: {'age': [25, 45]}",
            )
        known: dict[int, Cuts] = {}

        def quantiles(column: Column, n_bins: int) -> Floats:
            if n_bins not in known:
                known[n_bins] = exact_quantile_cuts(self._n_known, n_bins, self._count_digits, self._around)
            return known[n_bins][column.name]

        return cut_points(self.schema, bins, quantiles=quantiles)

    def pack(
        self, cuts: Cuts, missing_as_value: bool, joined: frozenset[str], least: float, threads: int
    ) -> ItemsOnWorkers:
        """Let every partition pack its rows of the terms that hold for `least` rows in all."""
        n_bytes = int(self.sizes.sum()) * len(self.schema) * TERM_BYTES
        asked = [cuts, missing_as_value, joined]
        coded = keep_if_small(on_each(RowsInMemory.code, self.parts, also=asked), n_bytes)
        totals = add_up(on_each(lambda terms: [column.totals for column in terms], coded))
        packed = keep(on_each(_pack, self.parts, coded, also=[totals, least]))
        shares = held_together(packed)
        clusters = None
        if self.belonging is not None:
            outcomes = np.concatenate(gather(on_each(getattr, self.parts, also=["groups"]))) == 0
            clusters = Clusters(self.belonging, outcomes.astype(np.float64), np.zeros(0, dtype=np.int64))
        parts_of = operator.attrgetter("terms", "attributes", "n_values")
        ((terms, of, n_values),) = gather(on_each(parts_of, packed[:1]))
        before = np.cumsum(self.part_sizes, axis=0) - self.part_sizes
        firsts = before + np.cumsum(self.sizes) - self.sizes
        ends = np.cumsum(self.part_sizes.sum(axis=1))
        held = keep(on_each(list, [[packed[place] for place in share] for share in shares]))
        return ItemsOnWorkers(terms, of, n_values, self.sizes, held, shares, firsts, ends, clusters=clusters)

    def count_right(self, conjunctions: Sequence[Conjunction]) -> Counts:
        """Count who is right where two models differ: the first, the second, all rows on which they differ."""
        asked = send(list(conjunctions))
        return np.asarray(add_up(on_each(RowsInMemory.count_right, self.parts, also=[asked])))

    def compare_right(self, conjunction: Conjunction) -> tuple[Floats, Counts]:
        """Give, for the rows of a conjunction, who of two models is right, and the group they belong to."""
        compared = gather(on_each(RowsInMemory.compare_right, self.parts, also=[send(conjunction)]))
        less, codes = (np.concatenate(several) for several in zip(*compared, strict=True))
        return less, codes

    @cached_property
    def _n_known(self) -> dict[str, int]:
        numeric = {c.name: place for place, c in enumerate(self.schema) if c.categories is None}
        places = [*numeric.values()]
        missing = on_each(lambda rows: np.array([rows.columns[i].missing.sum() for i in places]), self.parts)
        return dict(zip(numeric, (self.sizes.sum() - add_up(missing)).tolist(), strict=True))

    def _count_digits(self, prefixes: Prefixes, digit: int) -> Digits:
        counts: Digits = add_up(on_each(lambda rows: count_digits(rows.columns, prefixes, digit), self.parts))
        return counts

    def _around(self, points: Mapping[str, Floats]) -> list[Mapping[str, Floats]]:
        return gather(on_each(lambda rows: around_all(rows.columns, points), self.parts))


GroupedRows: TypeAlias = RowsInMemory | RowsOnWorkers


def _pack(rows: RowsInMemory, coded: list[ColumnTerms], totals: list[Counts], least: float) -> PackedItems:
    everywhere = [replace(column, totals=total) for column, total in zip(coded, totals, strict=True)]
    packed = pack_items(everywhere, rows.groups, lay_out(rows.groups, rows.n_groups), least, 1)
    if arrow := sys.modules.get("pyarrow"):
        # what reading took stays with Arrow: a hundred megabytes, which the bits of later partitions need
        arrow.default_memory_pool().release_unused()
    return packed if rows.belonging is None else replace(packed, clusters=rows.clusters)


@dataclass(frozen=True, eq=False)
class ItemsOnWorkers(Items):
    """Terms whose sets of rows are packed by the partitions.

    packed: The bits of several partitions each, in the memory of the worker that counts them.
    shares: Which partitions these are.
    firsts (parts, groups): The first row of each group in each partition, among all rows in the order of groups.
    ends (parts,): How many rows end with each partition.
    """

    packed: tuple[Any, ...]
    shares: Sequence[Sequence[int]]
    firsts: Counts
    ends: Counts

    def count_terms(self) -> Counts:
        """Count the rows of every single term in every group."""
        return self._add("count_terms")

    def count_extensions(self, prefixes: Sets, starts: Counts, last: Sets, threads: int) -> Counts:
        """Let every partition count, in one thread each."""
        return self._add("count_extensions", prefixes, starts, last, 1)

    def count_permuted(self, sets: Sets, labels: PermutedLabels, inside: Counts) -> Sets:
        """Let every partition draw the labels of its own rows, and count."""
        return self._add("count_permuted", sets, labels, inside, by_part=self.firsts)

    def add_numbers(self, sets: Sets, numbers: Floats) -> Floats:
        """Send every partition the numbers of its rows."""
        return self._add("add_numbers", sets, by_part=np.split(numbers, self.ends[:-1]))

    def _add(self, function: str | Callable[..., Any], *given: Any, by_part: Any = None) -> NDArray[Any]:
        """Add up what the partitions give; a worker adds up its own. Some arguments may differ between them."""
        asked = [function, *map(send, given)]
        total: NDArray[Any] = add_up(on_each(_add_parts, self.packed, self._shared_out(by_part), also=asked))
        return total

    def _shared_out(self, by_part: Any) -> list[Any]:
        """Send every worker what is for its own partitions; None for nothing."""
        return [
            None if by_part is None else send([by_part[place] for place in share]) for share in self.shares
        ]

    def hold(self, value: Any) -> Any:
        """Keep a value on a worker, from where others fetch it."""
        return keep([send(value)])[0]

    def add_dealt(self, sets: Sets, values: Any, rng: np.random.Generator, draws: int) -> Floats:
        """Let every worker deal all numbers, take those of its own rows, and add them up."""
        firsts = [self.firsts[share, 0] for share in self.shares]
        asked = [values, *map(send, (sets, rng)), draws]
        return np.asarray(add_up(on_each(_add_dealt, self.packed, firsts, also=asked)))

    def add_by_cluster(self, sets: Sets) -> Floats:
        """Send every partition the deviations of its rows."""
        assert self.clusters is not None
        numbers = np.split(self.clusters.deviations, self.ends[:-1])
        return self._add(_add_by_cluster, sets, self.clusters.groups.n_groups, by_part=numbers)

    def cells(self, numbers: Floats | None = None) -> CellsOnWorkers:
        """Put all rows into one cell; each partition gets the numbers of its own."""
        pieces = self._shared_out(None if numbers is None else np.split(numbers, self.ends[:-1]))
        return CellsOnWorkers(self.packed, keep(on_each(_begin_cells, self.packed, pieces)))


@dataclass(frozen=True, eq=False)
class CellsOnWorkers:
    """Cells of rows on a cluster: every partition cuts and counts its own.

    packed: The bits of terms, as in `ItemsOnWorkers`.
    parts: The cells of the same partitions, folded.
    """

    packed: tuple[Any, ...]
    parts: tuple[Any, ...]

    def split(self, terms: Sets, which: NDArray[np.intp]) -> CellsOnWorkers:
        """Cut some of the cells by a conjunction; their parts inside of it become new cells, after the others."""
        parts = on_each(_ask_cells, self.packed, self.parts, also=["split", send(terms), send(which)])
        return CellsOnWorkers(self.packed, keep(parts))

    def totals(self, first: int = 0) -> NDArray[Any]:
        """Count the rows of each cell, from the first on, in each group."""
        return self._add("totals", first)

    def count(self, sets: Sets, first: int = 0) -> NDArray[Any]:
        """Count the rows of each conjunction in each cell, from the first on, and each group."""
        return self._add("count", send(sets), first)

    def _add(self, *asked: Any) -> NDArray[Any]:
        return np.asarray(add_up(on_each(_ask_cells, self.packed, self.parts, also=asked)))


def _begin_cells(several: list[PackedItems], pieces: Any) -> list[FoldedCells]:
    return [_fold(cells) for cells in _ask(several, pieces, "cells")]


def _ask_cells(several: list[PackedItems], folded: list[FoldedCells], what: str, *given: Any) -> Any:
    """Ask the cells of partitions one by one."""
    whole = map(_unfold, several, folded)
    if what == "split":
        return [_fold(cells.split(*given)) for cells in whole]
    return _add_parts(whole, None, what, *given)


def _fold(cells: PackedCells) -> FoldedCells:
    """Keep the number of each row's cell, a bit for each of its digits: seven, where a hundred cells have as many.

    The bitsets of terms are left out, which would else travel with the cells.
    """
    numbers, nothing = np.arange(len(cells.bits)), cast(PackedItems, None)
    digits = [numbers >> place & 1 == 1 for place in range(int(numbers[-1]).bit_length())]
    planes = [np.bitwise_or.reduce(cells.bits[digit]) for digit in digits]
    bits = np.array(planes, dtype=np.uint64).reshape(len(planes), cells.bits.shape[1])
    return replace(cells, items=nothing, bits=bits), numbers.size


def _unfold(items: PackedItems, folded: FoldedCells) -> PackedCells:
    cells, n_cells = folded
    bits = items.layout.everything()
    for plane in cells.bits:
        bits = np.concatenate([bits & ~plane, bits & plane])
    return replace(cells, items=items, bits=bits[:n_cells])


def _ask(
    several: Iterable[Any], pieces: Any, function: str | Callable[..., Any], *given: Any
) -> Iterator[Any]:
    """Ask some partitions one by one, each perhaps with an argument of its own."""
    for place, part in enumerate(several):
        ask = getattr(part, function) if isinstance(function, str) else partial(function, part)
        yield ask(*given) if pieces is None else ask(*given, pieces[place])


def _add_parts(*asked: Any) -> Any:
    """Add up what partitions answer, one after the other: together they may not fit."""
    return reduce(lambda total, more: _add([total, more]), _ask(*asked))


def _add_dealt(
    several: list[PackedItems],
    firsts: Counts,
    values: Floats,
    sets: Sets,
    rng: np.random.Generator,
    draws: int,
) -> Floats:
    """Deal all numbers, some times at once, and add up those of these rows."""
    # what others draw from the same generator must not change it
    stream = deepcopy(rng)
    sizes, added = [int(items.sizes[0]) for items in several], np.zeros((len(sets), draws))
    at_once = max(1, min(draws, MOST_NUMBERS // max(sum(sizes), 1)))
    for first in range(0, draws, at_once):
        some = range(first, min(first + at_once, draws))
        numbers = [np.empty((size, len(some))) for size in sizes]
        for place in range(len(some)):
            column = stream.permutation(values)
            for piece, start in zip(numbers, firsts.tolist(), strict=True):
                piece[:, place] = column[start : start + len(piece)]
        for items, piece in zip(several, numbers, strict=True):
            added[:, some] += items.add_numbers(sets, piece)
    return added


def _add_by_cluster(items: PackedItems, sets: Sets, n_groups: int, numbers: Floats) -> Floats:
    assert items.clusters is not None
    return items.clusters.add(items.bits, sets, n_groups, numbers)


def on_each(function: Callable[..., Any], *parts: Sequence[Any], also: Sequence[Any] = ()) -> list[Any]:
    """Plan a call for each partition, with the same further arguments for all."""
    task = import_module("dask").delayed(function)
    return [task(*pieces, *also) for pieces in zip(*parts, strict=True)]


def send(value: Any) -> Any:
    """Wrap an argument of many tasks, so that it is sent once."""
    return import_module("dask").delayed(value, traverse=False)


def keep(tasks: Iterable[Any]) -> tuple[Any, ...]:
    """Run tasks and keep what they give in the memory of the workers; what a lost worker held is made again."""
    kept: tuple[Any, ...] = import_module("dask").persist(*tasks)
    return kept


def keep_if_small(tasks: Sequence[Any], n_bytes: int) -> tuple[Any, ...]:
    """Keep rows if so many bytes leave most of the workers' memory free; else they are made again for each use."""
    return keep(tasks) if n_bytes <= KEPT_SHARE * _memory() else tuple(tasks)


def held_together(kept: Sequence[Any]) -> list[list[int]]:
    """Give the places of what each thread of a worker may add up alone, for it lies there already."""
    client, places = _client(), list(range(len(kept)))
    if client is None:
        n_threads = os.cpu_count() or 1
        return [places[first::n_threads] for first in range(min(n_threads, len(places)))]
    distributed = import_module("distributed")
    futures = distributed.futures_of(kept)
    distributed.wait(futures)
    holders, threads = client.who_has(futures), client.nthreads()
    shares: dict[str, list[int]] = {}
    for place, task in enumerate(kept):
        shares.setdefault(next(iter(holders.get(task.key, ())), ""), []).append(place)
    return [
        share[first :: threads.get(worker, 1)]
        for worker, share in shares.items()
        for first in range(min(threads.get(worker, 1), len(share)))
    ]


def _client() -> Any:
    """Give the cluster in use; None where there is none."""
    try:
        return import_module("distributed").get_client()
    except (ImportError, ValueError):
        return None


def _memory() -> float:
    """Give the bytes that the workers of a cluster may take; without a cluster no limit is known."""
    client = _client()
    if client is None:
        return inf
    limits = client.run(lambda dask_worker: dask_worker.memory_manager.memory_limit or inf)
    return float(sum(limits.values()))


def gather(tasks: Iterable[Any]) -> list[Any]:
    """Run tasks and fetch what they give."""
    return list(import_module("dask").compute(*tasks))


def add_up(tasks: Sequence[Any]) -> Any:
    """Add the arrays, or lists of arrays, that tasks give, and fetch the sum alone."""
    layer = list(tasks)
    while len(layer) > 1:
        chunks = [layer[first : first + AT_ONCE] for first in range(0, len(layer), AT_ONCE)]
        layer = on_each(_add, chunks)
    return gather(layer)[0]


def _add(numbers: list[Any]) -> Any:
    if isinstance(numbers[0], list):
        return [_add(list(several)) for several in zip(*numbers, strict=True)]
    return sum(numbers[1:], start=numbers[0])


def concat(several: list[Any]) -> Any:
    """Put frames or columns of pandas together; unlike pandas' own, unites the categories of columns."""
    return import_module("dask.dataframe.dispatch").concat(several, ignore_index=True)


def exact_quantile_cuts(
    n_known: Mapping[str, int], n_bins: int, count: CountDigits, look_around: LookAround
) -> dict[str, Floats]:
    """Cut columns as `fivefold.data.cut_points.readable_cuts` does, by the inverse of the distribution."""
    levels = quantile_levels(n_bins).ravel()
    ranks = {name: _ranks(n, levels) for name, n in n_known.items() if n > 0}
    selected = select(ranks, count)
    ends = {name: _ends(selected[name], n_known[name], levels) for name in ranks}
    points = {name: several[0, tied(several)] for name, several in ends.items() if tied(several).any()}
    parts = look_around(points) if points else []
    cuts = dict.fromkeys(n_known, np.empty(0))
    for name, several in ends.items():
        found = np.stack([part[name] for part in parts]) if name in points else np.empty((1, 3, 0))
        found = np.vstack([found[:, :2].sum(axis=0), found[:, 2:].max(axis=0)])
        cuts[name] = round_cuts(pass_ties(several, n_known[name], found), *selected[name][:2])
    return cuts


def around_all(columns: Sequence[Column], points: Mapping[str, Floats]) -> dict[str, Floats]:
    """Look around the points of each column that has some."""
    return {c.name: around(np.asarray(c.values), points[c.name]) for c in columns if c.name in points}


def _ranks(n: int, levels: Floats) -> list[int]:
    """The smallest number, the largest, and those on both sides of each quantile."""
    below = np.floor(n * levels - 1).astype(np.int64)
    return [0, n - 1, *np.clip([below, below + 1], 0, n - 1).ravel().tolist()]


def _ends(selected: Floats, n: int, levels: Floats) -> Floats:
    below, above = selected[2:].reshape(2, -1)
    between = (n * levels - 1) % 1 == 0
    return np.where(between, above - (above - below) * 0.5, above).reshape(3, -1)


def select(ranks: Mapping[str, Sequence[int]], count: CountDigits) -> dict[str, Floats]:
    """Give the numbers of these ranks (from 0, in ascending order) of each column."""
    ranked = {name: [(0, rank) for rank in several] for name, several in ranks.items()}
    for digit, width in enumerate(WIDTHS):
        prefixes = {
            name: tuple(sorted({prefix for prefix, _ in several})) for name, several in ranked.items()
        }
        for (name, several), table in zip(prefixes.items(), count(prefixes, digit), strict=True):
            ends = dict(zip(several, np.cumsum(table, axis=1), strict=True))
            ranked[name] = [_step(prefix, rank, ends[prefix], width) for prefix, rank in ranked[name]]
    return {
        name: _numbers(np.array([key for key, _ in several], dtype=np.uint64))
        for name, several in ranked.items()
    }


def _step(prefix: int, rank: int, ends: Counts, width: int) -> tuple[int, int]:
    value = int(np.searchsorted(ends, rank, side="right"))
    return (prefix << width) | value, rank - (int(ends[value - 1]) if value else 0)


def count_digits(columns: Sequence[Column], prefixes: Prefixes, digit: int) -> Digits:
    """Count each value of a digit among the known numbers that begin with each prefix, column after column."""
    named = {column.name: column for column in columns}
    shift, width = np.uint64(SHIFTS[digit]), WIDTHS[digit]
    counts = []
    for name, several in prefixes.items():
        keys = _keys(named[name].values)
        digits = ((keys >> shift) & np.uint64((1 << width) - 1)).astype(np.int64)
        before = np.zeros(keys.size, dtype=np.uint64) if digit == 0 else keys >> (shift + np.uint64(width))
        tables = [
            np.bincount(digits[before == np.uint64(prefix)], minlength=1 << width) for prefix in several
        ]
        counts.append(np.stack(tables))
    return counts


def _keys(values: Floats) -> NDArray[np.uint64]:
    """Give whole numbers in the order of the known values."""
    bits = (values[~np.isnan(values)] + 0.0).view(np.uint64)
    negative = (bits >> np.uint64(63)).astype(bool)
    return np.where(negative, ~bits, bits | np.uint64(1 << 63))


def _numbers(keys: NDArray[np.uint64]) -> Floats:
    positive = (keys >> np.uint64(63)).astype(bool)
    return np.where(positive, keys & np.uint64((1 << 63) - 1), ~keys).view(np.float64)
