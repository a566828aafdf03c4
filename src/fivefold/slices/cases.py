"""Cases in groups: what a search needs to know of them, wherever they are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from fivefold.inputs.columns import Column
from fivefold.slices.bins import Bins, Cuts, cut_points
from fivefold.slices.items import CodedColumn, Items, PackedItems, code_column, pack_items
from fivefold.slices.layout import lay_out
from fivefold.slices.measuring import Conjunction, holds, take


class Cases(Protocol):
    """Cases that can be cut, packed and counted."""

    @property
    def schema(self) -> tuple[Column, ...]:
        """The columns, without their values."""

    @property
    def sizes(self) -> NDArray[np.int64]:
        """The number of cases in each group."""

    @property
    def group_names(self) -> tuple[object, ...]:
        """The groups, where they have names."""

    def cut_points(self, bins: Bins) -> Cuts:
        """Find the cut points of the numeric columns."""

    def pack(self, cuts: Cuts, missing_as_value: bool, least: float, threads: int) -> Items:
        """Make terms that hold for at least `least` cases ready to be counted."""

    def count_right(self, conjunctions: Sequence[Conjunction]) -> NDArray[np.int64]:
        """Count who is right where two models differ: the first, the second, all cases on which they differ."""


@dataclass(frozen=True, eq=False)
class HeldCases:
    """Cases that are all here.

    Parameters
    ----------
    columns : tuple of Column
        The attributes.
    groups : ndarray of shape (n,)
        The number of each case's group; for two groups it may be boolean.
    n_groups : int
        The number of groups.
    right : tuple of ndarray
        For two models and a known truth: whether the first is right, and the second.
    group_names : tuple
        The groups, where they have names.
    """

    columns: tuple[Column, ...]
    groups: NDArray[Any]
    n_groups: int
    right: tuple[NDArray[np.bool_], ...] = ()
    group_names: tuple[object, ...] = ()

    @property
    def schema(self) -> tuple[Column, ...]:
        """The columns, without their values."""
        return tuple(column.schema() for column in self.columns)

    @property
    def sizes(self) -> NDArray[np.int64]:
        """The number of cases in each group."""
        return np.bincount(self.groups, minlength=self.n_groups).astype(np.int64)

    def part(self, rows: NDArray[Any] | slice) -> HeldCases:
        """Take some of the cases."""
        right = tuple(flags[rows] for flags in self.right)
        return replace(self, columns=take(self.columns, rows), groups=self.groups[rows], right=right)

    def cut_points(self, bins: Bins) -> Cuts:
        """Find the cut points of the numeric columns."""
        return cut_points(self.columns, bins, self.groups)

    def code(self, cuts: Cuts, missing_as_value: bool) -> list[CodedColumn]:
        """Number the terms of every column."""
        return [code_column(column, cuts, missing_as_value) for column in self.columns]

    def pack(self, cuts: Cuts, missing_as_value: bool, least: float, threads: int) -> PackedItems:
        """Pack the terms that hold for at least `least` cases."""
        layout = lay_out(self.groups, self.n_groups)
        return pack_items(self.code(cuts, missing_as_value), layout, least, threads)

    def count_right(self, conjunctions: Sequence[Conjunction]) -> NDArray[np.int64]:
        """Count who is right where two models differ: the first, the second, all cases on which they differ."""
        differ = self.groups == 0
        counts = np.zeros((len(conjunctions), 3), dtype=np.int64)
        for place, conjunction in enumerate(conjunctions):
            inside = holds(self.columns, conjunction) & differ
            counts[place] = [
                *(np.count_nonzero(inside & hit) for hit in self.right),
                np.count_nonzero(inside),
            ]
        return counts
