"""The training cases, and those of them that are at one node."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fivefold.inputs.columns import Column

Floats = NDArray[np.float64]
Ints = NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class Members:
    """The cases at a node: which they are, how much of each is there, and the weights of their classes."""

    rows: Ints
    weights: Floats
    counts: Floats


@dataclass(frozen=True, eq=False)
class Cases:
    """All training cases.

    `codes` has one row an attribute: the category, or the place of a number among the `distinct` ones; -1 is
    missing. `sizes` is the number of categories or different numbers.
    """

    codes: Ints
    sizes: Ints
    numeric: NDArray[np.bool_]
    distinct: tuple[Floats, ...]
    classes: Ints
    n_classes: int

    @property
    def branches(self) -> Ints:
        """The number of branches of a test of each attribute."""
        return np.where(self.numeric, np.int32(2), self.sizes)

    def members(self, rows: Ints, weights: Floats) -> Members:
        """Count the classes of some cases."""
        counts = np.bincount(self.classes[rows], weights, self.n_classes)
        return Members(rows, weights, counts.astype(np.float64))

    def part(self, members: Members, attribute: int, left: int) -> list[Members]:
        """Give the cases of each branch of a test; those without a value go down all branches in part."""
        codes = self.codes[attribute, members.rows]
        branches = np.where(codes > left, 1, 0) if self.numeric[attribute] else codes
        missing = codes < 0
        n_branches = int(self.branches[attribute])
        known = np.bincount(branches[~missing], members.weights[~missing], n_branches)
        parts = []
        for branch, share in enumerate(known / known.sum()):
            here = ((branches == branch) | missing) & (share > 0)
            weights = np.where(missing[here], share, 1.0) * members.weights[here]
            parts.append(self.members(members.rows[here], weights))
        return parts

    def pool(self, first: Members, second: Members) -> Members:
        """Put the cases of two nodes together."""
        both = np.concatenate([first.rows, second.rows])
        rows, places = np.unique(both, return_inverse=True)
        weights = np.bincount(places, np.concatenate([first.weights, second.weights]))
        return self.members(rows, weights.astype(np.float64))


def cases_of(columns: Sequence[Column], classes: NDArray[np.int32], n_classes: int) -> Cases:
    """Stack columns for the kernels, numbers as their places among the different ones."""
    codes = np.empty((len(columns), classes.size), dtype=np.int32)
    distinct: list[Floats] = []
    for place, column in enumerate(columns):
        if column.categories is not None:
            codes[place] = column.values
            distinct.append(np.empty(0))
            continue
        missing = column.missing
        values, codes[place, ~missing] = np.unique(column.values[~missing], return_inverse=True)
        codes[place, missing] = -1
        distinct.append(values)
    sizes = [
        values.size if column.categories is None else len(column.categories)
        for column, values in zip(columns, distinct, strict=True)
    ]
    numeric = np.array([column.categories is None for column in columns])
    return Cases(codes, np.array(sizes, dtype=np.int32), numeric, tuple(distinct), classes, n_classes)


def values_of(columns: Sequence[Column]) -> Floats:
    """Stack columns to be answered: numbers, or codes of categories; NaN is missing."""
    values = np.array([column.values for column in columns], dtype=np.float64)
    for row, column in zip(values, columns, strict=True):
        if column.categories is not None:
            row[row < 0] = np.nan
    return values
