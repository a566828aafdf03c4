"""Two ways to write a condition: for people, and in SQL where no data can break out of their quotes."""

from __future__ import annotations

import math
import numbers
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from fivefold.errors import InputError, InputTypeError, show


@dataclass(frozen=True)
class Style:
    """How names, values and operators are written."""

    name: Callable[[str], str]
    value: Callable[[object], str]
    unequal: str
    one_of: str
    between: str
    missing: str
    known: str


def sql_identifier(name: str) -> str:
    """Quote the name of a column: standard SQL's double quotes, doubled inside."""
    return '"' + _without_null(name).replace('"', '""') + '"'


def sql_literal(value: object) -> str:
    """Write a text, number or truth value as a literal of standard SQL."""
    if isinstance(value, str):
        return "'" + _without_null(value).replace("'", "''") + "'"
    if isinstance(value, bool | np.bool_):
        return "TRUE" if value else "FALSE"
    if isinstance(value, numbers.Integral):
        return str(int(value))
    if isinstance(value, numbers.Real) and math.isfinite(value):
        return _number(float(value))
    raise InputTypeError("a text, a finite number or a truth value for SQL", show(value))


def plain_value(value: object) -> str:
    """Write a value for people: numbers as shortly as they can be read back."""
    return _number(float(value)) if isinstance(value, float | np.floating) else str(value)


def _number(value: float) -> str:
    return repr(value).removesuffix(".0")


def _without_null(text: str) -> str:
    # many SQL engines end a text at its first NUL, which would cut the closing quote off
    if "\0" in text:
        raise InputError("text without NUL characters for SQL", show(text))
    return text


TEXT = Style(str, plain_value, "!=", "in {{{}}}", "{low} < {name} <= {high}", "is missing", "has a value")
SQL = Style(
    sql_identifier,
    sql_literal,
    "<>",
    "IN ({})",
    "{name} > {low} AND {name} <= {high}",
    "IS NULL",
    "IS NOT NULL",
)
