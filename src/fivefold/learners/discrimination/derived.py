"""Features made of two or three columns, for classes that no column tells apart."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from fivefold.inputs.columns import Column

Numbers: TypeAlias = NDArray[np.float64]
Truth: TypeAlias = NDArray[np.bool_]

_ARITHMETIC: dict[str, Callable[[Numbers, Numbers], Numbers]] = {
    "+": np.add,
    "-": np.subtract,
    "*": np.multiply,
    "/": np.divide,
}
_LOGIC: dict[str, Callable[[Truth, Truth], Truth]] = {"and": np.logical_and, "or": np.logical_or}
_EQUAL = "equals"


@dataclass(frozen=True)
class Feature:
    """A column, or an operation on two features.

    Parameters
    ----------
    places : tuple of int
        The columns that it is made of.
    operator : str
        How; empty for a column.
    parts : tuple of Feature
        Of what; empty for a column.
    """

    places: tuple[int, ...]
    operator: str = ""
    parts: tuple[Feature, ...] = ()

    def read(self, columns: Sequence[Column]) -> Column:
        """Give the feature of each case; an operation that has no result there gives a missing value."""
        if not self.parts:
            return columns[self.places[0]]
        one, other = (part.read(columns) for part in self.parts)
        left, right = (_operand(part, self.operator) for part in (one, other))
        name = f"({left} {self.operator} {right})"
        absent = one.missing | other.missing
        if self.operator in _ARITHMETIC:
            with np.errstate(all="ignore"):
                numbers = _ARITHMETIC[self.operator](one.values, other.values)
            return Column(name, "numeric", np.where(np.isfinite(numbers), numbers, np.nan), None)
        if self.operator == _EQUAL:
            truth = one.values == other.values
        else:
            truth = _LOGIC[self.operator](one.values == 1, other.values == 1)
        return Column(name, "nominal", np.where(absent, -1, truth).astype(np.int32), (False, True))


def _operand(column: Column, operator: str) -> str:
    categories: tuple[Any, ...] | None = column.categories
    says_value = operator in _LOGIC and categories != (False, True)
    return f"{column.name} = {categories[1]}" if says_value and categories else column.name


def columns_as_features(n_columns: int) -> list[Feature]:
    """Give each column as a feature."""
    return [Feature((place,)) for place in range(n_columns)]


def combined(level: int, columns: Sequence[Column]) -> Iterator[Feature]:
    """Give the features made of two columns, or of such a feature and a third column."""
    single = columns_as_features(len(columns))
    if level == 2:
        for one, other in combinations(single, 2):
            yield from _operations(one, other, columns)
        return
    for pair in combined(2, columns):
        for other in single:
            if other.places[0] not in pair.places:
                yield from _operations(pair, other, columns)


def _operations(one: Feature, other: Feature, columns: Sequence[Column]) -> Iterator[Feature]:
    places = (*one.places, *other.places)
    left, right = (_categories(part, columns) for part in (one, other))
    if left is None or right is None:
        if left is right:
            yield from (Feature(places, operator, (one, other)) for operator in _ARITHMETIC)
            yield Feature(places, "/", (other, one))
        return
    if len(left) == len(right) == 2:
        yield from (Feature(places, operator, (one, other)) for operator in _LOGIC)
    if left == right:
        yield Feature(places, _EQUAL, (one, other))


def _categories(feature: Feature, columns: Sequence[Column]) -> tuple[object, ...] | None:
    if not feature.parts:
        return columns[feature.places[0]].categories
    return None if feature.operator in _ARITHMETIC else (False, True)
