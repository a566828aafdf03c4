"""Every attribute as a few seen values: categories as they are, numbers in intervals found in training."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from math import inf
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from fivefold.data.conditions import Equals, Term, Within
from fivefold.data.cut_points import equal_width_cuts, mdlp_cuts
from fivefold.errors import InputError
from fivefold.inputs.columns import Column
from fivefold.learners.base import Columns, Ints, Weights


@dataclass(frozen=True, eq=False)
class Binning:
    """How columns become codes: 0, 1, … for the values seen in training, -1 for missing and unseen ones.

    `cuts` are the cut points of each numeric column, which belong to the interval below them; `seen` has for each
    column the positions of the categories or intervals that have training cases.
    """

    schemas: tuple[Column, ...]
    cuts: tuple[tuple[float, ...], ...]
    seen: tuple[NDArray[np.intp], ...]

    @classmethod
    def learn(cls, columns: Columns, classes: Ints, weights: Weights, method: str, n_bins: int) -> Self:
        """Find the intervals by ``"mdlp"`` or ``"equal_width"``, and see which values there are."""
        cuts = tuple(_cut_points(column, classes, weights, method, n_bins) for column in columns)
        raw = [_raw_codes(column, own) for column, own in zip(columns, cuts, strict=True)]
        seen = tuple(np.unique(codes[codes >= 0]).astype(np.intp) for codes in raw)
        return cls(tuple(column.schema() for column in columns), cuts, seen)

    @property
    def sizes(self) -> NDArray[np.int64]:
        """The number of values of each column."""
        return np.array([values.size for values in self.seen], dtype=np.int64)

    @property
    def cut_points(self) -> dict[str, tuple[float, ...]]:
        """The cut points of each numeric column by its name."""
        named = zip(self.schemas, self.cuts, strict=True)
        return {schema.name: cuts for schema, cuts in named if schema.categories is None}

    def codes(self, columns: Columns) -> Ints:
        """Give the codes of all cases, one row a column."""
        codes = np.empty((len(columns), len(columns[0]) if columns else 0), dtype=np.int32)
        for place, (column, cuts) in enumerate(zip(columns, self.cuts, strict=True)):
            categories = self.schemas[place].categories
            n_raw = len(cuts) + 1 if categories is None else len(categories)
            among_seen = np.full(n_raw + 1, -1, dtype=np.int32)
            among_seen[self.seen[place]] = np.arange(self.seen[place].size)
            codes[place] = among_seen[_raw_codes(column, cuts)]
        return codes

    def terms(self, place: int) -> list[Term]:
        """Give the condition that stands for each value of a column."""
        schema = self.schemas[place]
        if schema.categories is not None:
            categories: tuple[Any, ...] = schema.categories
            return [Equals(schema.name, categories[i]) for i in self.seen[place]]
        ends = list(pairwise([-inf, *self.cuts[place], inf]))
        return [Within(schema.name, *ends[i]) for i in self.seen[place]]


def _raw_codes(column: Column, cuts: tuple[float, ...]) -> NDArray[Any]:
    if column.categories is not None:
        return column.values
    codes = np.searchsorted(cuts, column.values, side="left")
    codes[column.missing] = -1
    return codes


def _cut_points(
    column: Column, classes: Ints, weights: Weights, method: str, n_bins: int
) -> tuple[float, ...]:
    if column.categories is not None:
        return ()
    if method == "equal_width":
        return tuple(equal_width_cuts(column.values, n_bins).tolist())
    times = _whole(weights)  # a case of weight 2 is two cases
    return tuple(mdlp_cuts(np.repeat(column.values, times), np.repeat(classes, times)).tolist())


def _whole(weights: Weights) -> NDArray[np.int64] | int:
    if weights is None:
        return 1
    odd = np.flatnonzero(weights != np.rint(weights))
    if odd.size:
        raise InputError(
            "whole numbers as weights, as MDLP counts cases",
            f"{weights[odd[0]]} in row {odd[0]} of those with a weight",
            "choose another treatment of numeric columns, or discretise them before",
        )
    return weights.astype(np.int64)
