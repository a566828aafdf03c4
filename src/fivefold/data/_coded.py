"""Columns whose type lists their categories, read from a frame all at once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, eq=False, slots=True)
class Coded:
    """A column as codes into the categories that its type declares; -1 is missing."""

    codes: NDArray[Any]
    declared: list[Any]

    def __len__(self) -> int:
        return len(self.codes)


def coded_columns(frame: nw.DataFrame[Any]) -> Mapping[str, Coded]:
    """Read the columns of a declared categorical type, by name.

    A library's own call for a whole frame costs little more than for one column, and a learner that is fitted on
    a table of many columns spends most of its time here.
    """
    native: Any = nw.to_native(frame)
    if frame.implementation.is_polars():
        return _polars(native)
    if frame.implementation.is_pandas():
        return _pandas(native)
    return {}


def _polars(native: Any) -> Mapping[str, Coded]:
    import polars as pl

    declared = {name: dtype for name, dtype in native.schema.items() if isinstance(dtype, pl.Enum)}
    if not declared:
        return {}
    codes = native.select(pl.col(list(declared)).to_physical().cast(pl.Int32).fill_null(-1)).to_numpy().T
    return {
        name: Coded(np.ascontiguousarray(column), dtype.categories.to_list())
        for (name, dtype), column in zip(declared.items(), codes, strict=True)
    }


def _pandas(native: Any) -> Mapping[str, Coded]:
    import pandas as pd

    names = [
        name
        for name, dtype in zip(native.columns, native.dtypes, strict=True)
        if isinstance(dtype, pd.CategoricalDtype)
    ]
    arrays = {name: native[name].array for name in names}
    return {name: Coded(array.codes, array.categories.tolist()) for name, array in arrays.items()}
