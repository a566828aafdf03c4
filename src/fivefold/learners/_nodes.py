"""The nodes of decision trees, and the way that cases take at each of them."""

from __future__ import annotations

import math
from collections.abc import Hashable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from fivefold.data.conditions import category_code, numeric_values
from fivefold.errors import InputError, show
from fivefold.inputs.columns import Column

Label: TypeAlias = Hashable
Rows: TypeAlias = NDArray[np.intp]


@dataclass(frozen=True)
class Leaf:
    """The end of a branch: the classes that it answers with, usually one."""

    classes: tuple[Label, ...]


@dataclass(frozen=True)
class NumericSplit:
    """Numbers up to the cut go left, larger ones right.

    Parameters
    ----------
    column : str
        The name of the column.
    cut : float
        The largest number that goes left; infinite where known values are told from missing ones.
    left, right : Node
        What follows.
    missing_left : bool or None
        Where cases without a number go; None in a tree that shares them.
    """

    column: str
    cut: float
    left: Node
    right: Node
    missing_left: bool | None = None

    def __post_init__(self) -> None:
        if math.isnan(self.cut):
            raise InputError(f"a number to cut {show(self.column)} at", show(self.cut))

    @property
    def branches(self) -> tuple[Node, ...]:
        """All nodes that may follow."""
        return (self.left, self.right)

    def route(self, column: Column, rows: Rows) -> list[Rows]:
        """Give for each of the branches the rows that take it."""
        values = numeric_values(column)[rows]
        return _route_in_two(values <= self.cut, np.isnan(values), self.missing_left, rows)


@dataclass(frozen=True)
class NominalEquals:
    """One value against all others."""

    column: str
    value: Label
    yes: Node
    no: Node
    missing_yes: bool | None = None

    @property
    def branches(self) -> tuple[Node, ...]:
        """All nodes that may follow."""
        return (self.yes, self.no)

    def route(self, column: Column, rows: Rows) -> list[Rows]:
        """Give for each of the branches the rows that take it."""
        return _route_members(column, (self.value,), self.missing_yes, rows)


@dataclass(frozen=True)
class NominalSubset:
    """Some values against all others."""

    column: str
    values: tuple[Label, ...]
    yes: Node
    no: Node
    missing_yes: bool | None = None

    @property
    def branches(self) -> tuple[Node, ...]:
        """All nodes that may follow."""
        return (self.yes, self.no)

    def route(self, column: Column, rows: Rows) -> list[Rows]:
        """Give for each of the branches the rows that take it."""
        return _route_members(column, self.values, self.missing_yes, rows)


@dataclass(frozen=True)
class NominalMultiway:
    """A branch for each value, and perhaps one for missing values.

    Parameters
    ----------
    column : str
        The name of the column.
    children : tuple of (value, Node)
        What follows each value.
    missing : Node or None
        What follows a missing value; None in a tree that shares such cases.
    """

    column: str
    children: tuple[tuple[Label, Node], ...]
    missing: Node | None = None

    @property
    def branches(self) -> tuple[Node, ...]:
        """All nodes that may follow; the one for missing values last."""
        last = () if self.missing is None else (self.missing,)
        return (*(node for _, node in self.children), *last)

    def route(self, column: Column, rows: Rows) -> list[Rows]:
        """Give for each of the branches the rows that take it."""
        codes = column.values[rows]
        branch_codes = [category_code(column, value) for value, _ in self.children]
        absent = codes < 0
        lost = np.flatnonzero(~np.isin(codes, branch_codes) & ~absent)
        if lost.size:
            raise InputError(
                f"a branch for every value of {show(self.column)} that comes to a test",
                f"none for {show(column.decode()[rows[lost[0]]])} in row {rows[lost[0]]}",
                "pass the cases that the model was fitted on",
            )
        taken = [codes == code for code in branch_codes]
        if self.missing is None:
            return [rows[mask | absent] if mask.any() else rows[:0] for mask in taken]
        return [*(rows[mask] for mask in taken), rows[absent]]


Split: TypeAlias = NumericSplit | NominalEquals | NominalSubset | NominalMultiway
Node: TypeAlias = Leaf | Split


def missing_policy(split: Split) -> str | None:
    """Say which kind of tree a test belongs in: "shared", "placed", or None for either."""
    if isinstance(split, NominalMultiway):
        return None if split.missing is None else "placed"
    side = split.missing_left if isinstance(split, NumericSplit) else split.missing_yes
    return "shared" if side is None else "placed"


def _route_in_two(
    first: NDArray[np.bool_], absent: NDArray[np.bool_], missing_first: bool | None, rows: Rows
) -> list[Rows]:
    if missing_first is not None:
        first = np.where(absent, missing_first, first)
        return [rows[first], rows[~first]]
    second = ~first & ~absent
    return [rows[side | absent] if side.any() else rows[:0] for side in (first, second)]


def _route_members(
    column: Column, values: tuple[Label, ...], missing_yes: bool | None, rows: Rows
) -> list[Rows]:
    codes = column.values[rows]
    member = np.isin(codes, [category_code(column, value) for value in values])
    return _route_in_two(member, codes < 0, missing_yes, rows)
