"""Cases and items of which every partition holds a part."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fivefold.errors import InputError
from fivefold.inputs.columns import Column
from fivefold.slices.bins import Bins, Cuts, cut_points
from fivefold.slices.cases import HeldCases
from fivefold.slices.items import CodedColumn, Items, PackedItems, pack_items
from fivefold.slices.layout import lay_out
from fivefold.slices.measuring import Conjunction
from fivefold.slices.permuted_labels import PermutedLabels
from fivefold.slices.spread.order_statistics import Counts, Prefixes, count_digits, quantile_cuts
from fivefold.slices.spread.tasks import add_up, gather, keep, on_each, send


@dataclass(frozen=True, eq=False)
class SpreadCases:
    """Cases on a cluster.

    Parameters
    ----------
    parts : tuple of delayed HeldCases
        The cases of each partition, all with the same categories and groups; kept in the workers' memory.
    schema : tuple of Column
        The columns, without their values.
    part_sizes : ndarray of shape (parts, groups)
        Cases of each group in each partition.
    group_names : tuple
        The groups, where they have names.
    """

    parts: tuple[Any, ...]
    schema: tuple[Column, ...]
    part_sizes: NDArray[np.int64]
    group_names: tuple[object, ...]

    @property
    def sizes(self) -> NDArray[np.int64]:
        """The number of cases in each group."""
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

        def quantiles(column: Column, n_bins: int) -> NDArray[np.float64]:
            if n_bins not in known:
                known[n_bins] = quantile_cuts(self._n_known, n_bins, self._count_digits)
            return known[n_bins][column.name]

        return cut_points(self.schema, bins, quantiles=quantiles)

    def pack(self, cuts: Cuts, missing_as_value: bool, least: float, threads: int) -> SpreadItems:
        """Let every partition pack its cases of the terms that hold for `least` cases in all."""
        coded = keep(on_each(HeldCases.code, self.parts, also=[cuts, missing_as_value]))
        totals = add_up(on_each(_totals, coded))
        packed = keep(on_each(_pack, self.parts, coded, also=[totals, least]))
        ((terms, attributes, n_values),) = gather(on_each(_described, packed[:1]))
        before = np.cumsum(self.part_sizes, axis=0) - self.part_sizes
        firsts = before + np.cumsum(self.sizes) - self.sizes
        return SpreadItems(terms, attributes, n_values, self.sizes, packed, firsts)

    def count_right(self, conjunctions: Sequence[Conjunction]) -> NDArray[np.int64]:
        """Count who is right where two models differ: the first, the second, all cases on which they differ."""
        asked = send(list(conjunctions))
        return np.asarray(add_up(on_each(HeldCases.count_right, self.parts, also=[asked])))

    @cached_property
    def _n_known(self) -> dict[str, int]:
        names = [column.name for column in self.schema if column.categories is None]
        known = add_up(on_each(_count_known, self.parts))
        return dict(zip(names, known.tolist(), strict=True))

    def _count_digits(self, prefixes: Prefixes, digit: int) -> Counts:
        counts: Counts = add_up(on_each(_digits, self.parts, also=[prefixes, digit]))
        return counts


@dataclass(frozen=True, eq=False)
class SpreadItems(Items):
    """Terms whose sets of cases are packed by the partitions.

    Parameters
    ----------
    packed : tuple of delayed PackedItems
        The bits of each partition, in the workers' memory.
    firsts : ndarray of shape (parts, groups)
        The first case of each group in each partition, among all cases in the order of groups.
    """

    packed: tuple[Any, ...]
    firsts: NDArray[np.int64]

    def count_terms(self) -> NDArray[np.int64]:
        """Count the cases of every single term in every group."""
        return np.asarray(add_up(on_each(PackedItems.count_terms, self.packed)))

    def count_extensions(
        self,
        prefixes: NDArray[np.int32],
        starts: NDArray[np.int64],
        last: NDArray[np.int32],
        threads: int,
    ) -> NDArray[np.int64]:
        """Let every partition count, in one thread each."""
        asked = [*map(send, (prefixes, starts, last)), 1]
        return np.asarray(add_up(on_each(PackedItems.count_extensions, self.packed, also=asked)))

    def count_permuted(self, sets: NDArray[np.int32], labels: PermutedLabels) -> NDArray[np.int64]:
        """Let every partition draw the labels of its own cases, and count."""
        asked = [send(sets), send(labels)]
        return np.asarray(add_up(on_each(_count_permuted, self.packed, list(self.firsts), also=asked)))


def _count_permuted(
    items: PackedItems, firsts: NDArray[np.int64], sets: NDArray[np.int32], labels: PermutedLabels
) -> NDArray[np.int64]:
    return items.count_permuted(sets, labels, firsts)


def _totals(coded: list[CodedColumn]) -> list[NDArray[np.int64]]:
    return [column.totals for column in coded]


def _pack(
    cases: HeldCases, coded: list[CodedColumn], totals: list[NDArray[np.int64]], least: float
) -> PackedItems:
    everywhere = [replace(column, totals=total) for column, total in zip(coded, totals, strict=True)]
    return pack_items(everywhere, lay_out(cases.groups, cases.n_groups), least, 1)


def _described(items: PackedItems) -> tuple[Any, ...]:
    return items.terms, items.attributes, items.n_values


def _count_known(cases: HeldCases) -> NDArray[np.int64]:
    numeric = (column for column in cases.columns if column.categories is None)
    return np.array([np.count_nonzero(~column.missing) for column in numeric], dtype=np.int64)


def _digits(cases: HeldCases, prefixes: Prefixes, digit: int) -> Counts:
    return count_digits(cases.columns, prefixes, digit)
