"""Numeric columns: any source to float64 with NaN for missing."""

from __future__ import annotations

from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from fivefold.data._coded import Coded
from fivefold.data._nominal import encode_nominal
from fivefold.data._types import refuse_type
from fivefold.errors import InputError, InputTypeError, show


def to_float(values: Any, name: str) -> NDArray[np.float64]:
    """Read a column (of an OpenTable) as numbers; complain about text and infinity."""
    if isinstance(values, np.ndarray):
        plain = values.dtype.kind in "fiub"
        numbers = values.astype(np.float64, copy=False) if plain else _decoded(values, name)
    elif isinstance(values, Coded):
        numbers = _decoded(values, name)
    else:
        numbers = _series_to_float(values, name)
    check_finite(numbers, name)
    return numbers


def _series_to_float(series: nw.Series[Any], name: str) -> NDArray[np.float64]:
    dtype = series.dtype
    if dtype.is_numeric() or isinstance(dtype, nw.Boolean):
        plain = series.cast(nw.Float64) if not isinstance(dtype, nw.Float64) else series
        return np.asarray(plain.to_numpy(), dtype=np.float64)
    refuse_type(series, name)
    return _decoded(series, name)


def _decoded(values: Any, name: str) -> NDArray[np.float64]:
    codes, categories = encode_nominal(values, name)
    text = next((c for c in categories if not isinstance(c, int | float)), None)
    if text is not None:
        rows = np.flatnonzero(codes == categories.index(text))
        raise InputTypeError(
            f"numbers in column {show(name)}",
            f"{show(text)} " + (f"in row {rows[0]}" if len(rows) else "among its categories"),
            "name the column in categorical_features, or convert it to numbers",
        )
    table = np.append(np.array(categories, dtype=np.float64), np.nan)
    return table[codes]


def check_finite(numbers: NDArray[np.float64], name: str) -> None:
    """Complain about infinity: no interval, bin or distance has a use for it."""
    infinite = np.isinf(numbers)
    if infinite.any():
        row = int(np.flatnonzero(infinite)[0])
        raise InputError(
            f"finite numbers, or NaN for missing, in column {show(name)}",
            f"{numbers[row]} (inf is infinity) in row {row}",
            "replace infinity by a large number or by NaN",
        )
