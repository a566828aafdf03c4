"""One-dimensional input of any origin (lists, numpy, pandas, polars, pyarrow) as a numpy array."""

from __future__ import annotations

from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from fivefold.errors import InputError, InputTypeError, show


def as_array(values: object, name: str) -> NDArray[Any]:
    """Read a column of values; strings stay strings and missing values stay missing."""
    if isinstance(values, np.ndarray) and values.ndim > 0:
        return _native_array(values)
    if isinstance(values, (str, bytes, dict, set, frozenset, np.ndarray, np.generic)) or values is None:
        raise _not_an_array(values, name)
    series = nw.from_native(values, series_only=True, pass_through=True)
    if isinstance(series, nw.Series):
        return _series_array(series)
    frame = nw.from_native(values, eager_only=True, pass_through=True)
    if isinstance(frame, nw.DataFrame):
        return frame.to_numpy()
    if hasattr(values, "__array__"):
        return as_array(np.asarray(values), name)
    return _sequence_array(values, name)


def _native_array(array: NDArray[Any]) -> NDArray[Any]:
    """Turn masked cells into missing ones, and foreign byte orders into the machine's own."""
    if isinstance(array, np.ma.MaskedArray):
        mask, array = np.ma.getmaskarray(array), array.data
        if mask.any():
            array = array.astype(object)
            array[mask] = None
    return array if array.dtype.isnative else array.astype(array.dtype.newbyteorder("="))


def _not_an_array(values: object, name: str) -> InputTypeError:
    return InputTypeError(
        f"{name} to be an array, a list or a column", f"{show(values)} ({type(values).__name__})"
    )


def _series_array(series: nw.Series[Any]) -> NDArray[Any]:
    if series.dtype.is_numeric() and series.null_count() == 0:
        return series.to_numpy()
    if series.dtype == nw.Boolean and series.null_count() == 0:
        return series.to_numpy().astype(bool)
    return np.fromiter(series.to_list(), dtype=object, count=len(series))


def _sequence_array(values: object, name: str) -> NDArray[Any]:
    try:
        items = list(values)  # type: ignore[call-overload]
    except TypeError:
        raise _not_an_array(values, name) from None
    kinds = {type(item) for item in items}
    if kinds and all(issubclass(kind, (bool, int, float, np.number, np.bool_)) for kind in kinds):
        return np.asarray(items)
    if kinds == {np.ndarray} and len({item.shape for item in items}) == 1 and items[0].dtype == np.bool_:
        return np.asarray(items)
    return np.fromiter(items, dtype=object, count=len(items))


def as_numbers(values: object, name: str) -> NDArray[Any]:
    """Read numbers of one or two dimensions; floats keep their precision, everything else becomes float64."""
    array = _nested_array(values, name) if isinstance(values, (list, tuple)) else as_array(values, name)
    if array.dtype.kind == "f":
        return array
    _refuse_text(array, name)
    if array.dtype.kind in "Oiub":
        try:
            return array.astype(np.float64)
        except (TypeError, ValueError, OverflowError) as problem:
            raise InputTypeError(f"{name} to hold numbers", str(problem)) from None
    raise InputTypeError(f"{name} to hold numbers", f"values of type {array.dtype}")


def _nested_array(values: object, name: str) -> NDArray[Any]:
    try:
        array = np.asarray(values)
    except ValueError as problem:
        raise InputTypeError(f"{name} to hold numbers in rows of equal length", str(problem)) from None
    # numpy writes numbers beside texts as texts; as objects each stays what it was
    return np.asarray(values, dtype=object) if array.dtype.kind in "US" else array


def _refuse_text(array: NDArray[Any], name: str) -> None:
    if array.dtype.kind not in "USO":
        return
    for row, item in enumerate(array.flat):
        if isinstance(item, (str, bytes)):
            width = array.size // array.shape[0]
            raise InputTypeError(
                f"{name} to hold numbers",
                f"the text {show(array.flat[row : row + 1].tolist()[0])} in row {row // width}",
                "read the column as numbers; texts are not parsed unasked",
            )


def check_length(array: NDArray[Any], n_cases: int, name: str) -> None:
    """Insist that ``array`` has one row for each case."""
    if array.shape[0] != n_cases:
        raise InputError(
            f"{name} to have one row for each of the {n_cases} cases of y_true",
            f"{array.shape[0]} rows",
            "pass arrays of the same length, in the same order",
        )
