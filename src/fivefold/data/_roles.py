"""Which columns are nominal: from their types, or as the caller says."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, TypeAlias

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from fivefold.data._coded import Coded
from fivefold.data._frames import OpenTable
from fivefold.data._objects import look_at
from fivefold.data._types import holds_objects
from fivefold.errors import InputError, InputTypeError, show

CategoricalFeatures: TypeAlias = Literal["from_dtype"] | Sequence[str | int | bool] | NDArray[Any] | None

_HINT = 'pass "from_dtype", None, or a list of column names, positions or booleans'


def nominal_mask(table: OpenTable, categorical_features: CategoricalFeatures) -> list[bool]:
    """Say for each column whether it is nominal."""
    if categorical_features is None:
        return [False] * len(table.names)
    if isinstance(categorical_features, str):
        if categorical_features != "from_dtype":
            raise InputError('categorical_features="from_dtype"', show(categorical_features), _HINT)
        return [
            nominal_by_type(values, name) for values, name in zip(table.columns, table.names, strict=True)
        ]
    return _mask_from_list(table, np.asarray(categorical_features))


def nominal_by_type(values: Any, name: str) -> bool:
    """Tell from its type whether a column (of an OpenTable) is nominal."""
    if isinstance(values, Coded):
        return True
    if isinstance(values, np.ndarray):
        if values.dtype.kind == "O":
            return look_at(values.tolist(), name).family not in ("number", "nothing")
        return values.dtype.kind in "bUST"
    declared = isinstance(values.dtype, nw.Categorical | nw.Enum | nw.String | nw.Boolean)
    return declared or holds_objects(values)


def _mask_from_list(table: OpenTable, wanted: NDArray[Any]) -> list[bool]:
    n_columns = len(table.names)
    mask = [False] * n_columns
    if wanted.size == 0:
        return mask
    if wanted.ndim != 1:
        raise InputError("a flat list of categorical features", f"shape {wanted.shape}", _HINT)
    if wanted.dtype.kind == "b":
        if len(wanted) != n_columns:
            raise InputError(
                f"one boolean for each of the {n_columns} columns", f"{len(wanted)} booleans", _HINT
            )
        return [bool(flag) for flag in wanted]
    for item in wanted.tolist():
        mask[_position(item, table)] = True
    return mask


def _position(item: object, table: OpenTable) -> int:
    n_columns = len(table.names)
    if isinstance(item, str):
        if not table.named:
            raise InputError(
                "positions, since the data have no column names", f"the name {show(item)}", _HINT
            )
        if item not in table.names:
            raise InputError(
                "categorical features that are columns", show(item), f"the columns are {show(table.names)}"
            )
        return table.names.index(item)
    if isinstance(item, int) and not isinstance(item, bool):
        if not 0 <= item < n_columns:
            raise InputError(f"positions from 0 to {n_columns - 1}", show(item), _HINT)
        return item
    raise InputTypeError("column names, positions or booleans", show(item), _HINT)
