"""Columns of Python objects: what they hold, and their codes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import repeat
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from fivefold.checks.labels import is_missing
from fivefold.errors import InputError, InputTypeError, show

Family: TypeAlias = Literal["text", "number", "bool", "nothing"]

# pandas marks missing values with types of its own, which are told by name: pandas need not be installed
_MISSING_TYPES = {"NoneType", "NAType", "NaTType"}
_HINT = "make the values of a column all text, all numbers or all booleans, with None for missing"


@dataclass(frozen=True, slots=True)
class ObjectColumn:
    """The distinct values of a column of objects, without the missing ones, and what they all are."""

    family: Family
    distinct: tuple[Any, ...]


def look_at(values: Sequence[Any], name: str) -> ObjectColumn:
    """Find the distinct values and the one family they belong to; complain where there are several."""
    types = set(map(type, values))
    for kind in types:
        if kind.__name__ not in _MISSING_TYPES and _family_of(kind) is None:
            row = next(i for i, value in enumerate(values) if type(value) is kind)
            raise InputTypeError(
                f"text, numbers or booleans in column {show(name)}",
                f"{show(values[row])} ({kind.__name__}) in row {row}",
                "each argument must be a string, a number or a boolean; turn times into numbers, and other "
                "objects into text or a declared category",
            )
    distinct = tuple(value for value in set(values) if not is_missing(value))
    return ObjectColumn(_one_family(types, distinct, values, name), distinct)


def _one_family(types: set[type], distinct: Iterable[Any], values: Sequence[Any], name: str) -> Family:
    families = {family for kind in types if (family := _family_of(kind)) is not None}
    if (
        "number" in families
        and len(families) > 1
        and not any(_family_of(type(value)) == "number" for value in distinct)
    ):
        families.discard("number")  # its only numbers were NaN
    if len(families) > 1:
        first, other = _two_kinds(values)
        raise InputError(
            f"values of one type in column {show(name)}",
            f"{show(values[first])} in row {first} and {show(values[other])} in row {other}",
            _HINT,
        )
    if families == {"number"} and not distinct:
        return "nothing"
    return families.pop() if families else "nothing"


def _two_kinds(values: Sequence[Any]) -> tuple[int, int]:
    known = [(i, _family_of(type(v))) for i, v in enumerate(values) if not is_missing(v)]
    first, family = known[0]
    return first, next(i for i, other in known if other != family)


def _family_of(kind: type) -> Family | None:
    if issubclass(kind, bool | np.bool_):
        return "bool"
    if issubclass(kind, str):
        return "text"
    if issubclass(kind, int | float | np.integer | np.floating):
        return "number"
    return None


def codes_of(values: Sequence[Any], categories: Sequence[Any]) -> NDArray[np.int32]:
    """Give each value its place among the categories, -1 where it has none."""
    place = {category: i for i, category in enumerate(categories)}
    return np.fromiter(map(place.get, values, repeat(-1)), dtype=np.int32, count=len(values))
