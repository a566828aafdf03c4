"""Columns that stand beside the attributes: the truth, the answers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from fivefold.errors import InputError, show
from fivefold.inputs.columns import Column


def label_name(values: Any, given: str | None, otherwise: str) -> str:
    """Give the name to use: the given one, or that of a named column, or another."""
    if given is not None:
        return given
    if isinstance(values, str):
        return values
    name = getattr(values, "name", None)
    return name if isinstance(name, str) and name else otherwise


def add_columns(columns: Sequence[Column], extra: Sequence[Column]) -> tuple[Column, ...]:
    """Add columns whose names must not be taken."""
    taken = {column.name for column in columns}
    for column in extra:
        if column.name in taken:
            raise InputError(
                f"another name for the column {show(column.name)} of labels",
                "an attribute of that name",
                "drop it from X, or rename the labels",
            )
        taken.add(column.name)
    return (*columns, *extra)
