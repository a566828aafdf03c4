"""From columns to the arrays of cases that the kernels read."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fivefold.inputs.columns import Column
from fivefold.learners.c45.structures import Cases
from fivefold.learners.precision import check_held, round_to


class Attributes(NamedTuple):
    """The arrays of cases to be decided: as in `Cases`, with numbers in full precision."""

    values: NDArray[np.float64]
    codes: NDArray[np.int32]
    place: NDArray[np.int32]


def attributes_of(columns: Sequence[Column], own_branch: NDArray[np.bool_]) -> Attributes:
    """Stack columns for the kernels; nominal codes count from 1.

    A missing value is 0, or the code after the last where the attribute has a branch of its own for it.
    """
    n = len(columns[0])
    numeric = [column.values for column in columns if column.categories is None]
    nominal = [(a, column) for a, column in enumerate(columns) if column.categories is not None]
    values = np.empty((len(numeric), n), dtype=np.float64)
    for row, known in enumerate(numeric):
        values[row] = known
    codes = np.empty((len(nominal), n), dtype=np.int32)
    for row, (a, column) in enumerate(nominal):
        np.add(column.values, 1, out=codes[row])
        if own_branch[a]:
            codes[row, column.values < 0] = len(column.categories or ()) + 1
    return Attributes(values, codes, _places(columns))


def _places(columns: Sequence[Column]) -> NDArray[np.int32]:
    is_numeric = np.array([column.categories is None for column in columns])
    among_numeric, among_nominal = np.cumsum(is_numeric), np.cumsum(~is_numeric)
    return np.where(is_numeric, among_numeric, among_nominal).astype(np.int32) - np.int32(1)


def cases_of(
    columns: Sequence[Column],
    classes: NDArray[np.int32],
    n_classes: int,
    own_branch: NDArray[np.bool_],
    real: Any,
) -> Cases:
    """Make the training cases, numbers rounded to the scoring precision `real`."""
    attributes = attributes_of(columns, own_branch)
    numeric = np.array([column.categories is None for column in columns])
    forks = [
        (2 if column.categories is None else len(column.categories)) + bool(own)
        for column, own in zip(columns, own_branch, strict=True)
    ]
    values = round_to(attributes.values, real)
    check_held(values, attributes.values)
    distinct = [_distinct(row) for row in values]
    return Cases(
        values,
        attributes.codes,
        classes,
        numeric,
        attributes.place,
        np.array(forks, dtype=np.int32),
        np.concatenate(distinct) if distinct else np.empty(0, dtype=real),
        np.cumsum([0, *(len(found) for found in distinct)]),
        n_classes,
    )


def _distinct(values: NDArray[Any]) -> NDArray[Any]:
    found = np.unique(values)
    return found[: np.searchsorted(found, np.nan)] if found.size and np.isnan(found[-1]) else found
