"""Open any two-dimensional input as named columns: frames through narwhals, all else as arrays."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import narwhals as nw
import numpy as np

from fivefold.data._coded import coded_columns
from fivefold.errors import InputError, InputTypeError, show


@dataclass(frozen=True, eq=False, slots=True)
class OpenTable:
    """Named columns, each a narwhals Series, a one-dimensional array or already codes.

    `named` says whether the names are the source's own or were made up here.
    """

    names: Sequence[str]
    columns: Sequence[Any]
    named: bool


@lru_cache(maxsize=64)
def default_names(n_columns: int) -> tuple[str, ...]:
    """Name the columns of a source without names, as scikit-learn does: x0, x1, …."""
    return tuple(f"x{i}" for i in range(n_columns))


def open_table(X: Any) -> OpenTable:
    """Open a frame, an array or a list of rows; complain about anything else."""
    _refuse_odd_containers(X)
    try:
        frame = nw.from_native(X, pass_through=True, allow_series=True)
    except nw.exceptions.DuplicateError as problem:
        labels = list(getattr(X, "column_names", X.columns))  # pyarrow's, or pandas'
        raise _twice(next(label for label in labels if labels.count(label) > 1)) from problem
    if isinstance(frame, nw.DataFrame):
        table = _open_frame(frame)
    elif isinstance(frame, nw.Series):
        raise InputError("a table (2D)", "one column (a Series)", "pass a frame: series.to_frame()")
    elif isinstance(frame, nw.LazyFrame):
        raise InputTypeError("a frame with rows in memory", "a lazy frame", "call .collect() first")
    else:
        table = _open_array(X)
    return table


def plain_matrix(X: Any) -> tuple[np.ndarray[Any, Any], list[str] | None] | None:
    """Give an array of plain numbers or booleans and its names, where X is one or a frame that holds one.

    Learners come here 100,000 times in one simulation, and one conversion costs less than a dispatch for each
    column. None where the columns must be looked at one by one.
    """
    if type(X) is np.ndarray:
        return (X, None) if X.ndim == 2 and X.size and X.dtype.kind in "bfiu" else None
    if nw.dependencies.is_pandas_dataframe(X):
        kinds, names = set(X.dtypes.tolist()), X.columns.tolist()
        if len(kinds) != 1 or not isinstance(next(iter(kinds)), np.dtype):
            return None
    elif nw.dependencies.is_polars_dataframe(X):
        kinds, names = set(X.dtypes), X.columns
        if len(kinds) != 1 or not (next(iter(kinds)).is_float() or str(next(iter(kinds))) == "Boolean"):
            return None
    else:
        return None
    distinct = len(set(names)) == len(names) and all(type(name) is str for name in names)
    matrix = X.to_numpy() if distinct and len(X) else np.empty((0, 0), dtype=object)
    return (matrix, names) if matrix.dtype.kind in "bfiu" and matrix.size else None


def _twice(label: object) -> InputError:
    return InputError(
        "column names that differ from each other", f"{show(label)} more than once", "rename one of them"
    )


def _refuse_odd_containers(X: Any) -> None:
    if hasattr(X, "toarray") and hasattr(X, "nnz"):
        raise InputTypeError(
            "a dense table", f"a sparse matrix ({type(X).__name__})", "convert it with X.toarray()"
        )
    if isinstance(X, np.ma.MaskedArray):
        raise InputTypeError(
            "an array whose missing values are NaN", "a masked array", "convert it with X.filled(np.nan)"
        )


def _open_frame(frame: nw.DataFrame[Any]) -> OpenTable:
    _check_shape(frame.shape)
    labels: list[object] = list(frame.columns)
    named = all(isinstance(label, str) for label in labels)
    if not named and any(isinstance(label, str) for label in labels):
        odd = next(label for label in labels if not isinstance(label, str))
        raise InputTypeError(
            "column names that are all text",
            f"{show(odd)} among them",
            "X.columns = X.columns.astype(str) makes feature names that are all strings",
        )
    names = [str(label) for label in labels] if named else list(default_names(len(labels)))
    coded = coded_columns(frame)
    columns = [coded[label] if label in coded else frame.get_column(label) for label in frame.columns]
    return OpenTable(names, columns, named)


def _open_array(X: Any) -> OpenTable:
    array = _as_array(X)
    if array.dtype.kind == "c":
        raise InputError("real numbers", "complex numbers", "Complex data not supported; pass two columns")
    if array.dtype.kind in "mMV":
        raise InputTypeError(
            "numbers, text or booleans",
            f"an array of {array.dtype}",
            "turn times into numbers such as days, and records into a frame",
        )
    if array.ndim != 2:
        raise InputError(
            "a 2D array of rows and columns",
            f"{array.ndim}D with shape {array.shape}",
            "Reshape your data: X.reshape(-1, 1) makes it one column",
        )
    _check_shape(array.shape)
    return OpenTable(default_names(array.shape[1]), list(array.T), named=False)


def _as_array(X: Any) -> np.ndarray[Any, Any]:
    if isinstance(X, str | bytes | dict | set):
        raise InputTypeError("a frame, an array or a list of rows", f"a {type(X).__name__}: {show(X)}")
    try:
        array = np.asarray(X)
        # numpy makes [[1, "a"]] all text: read rows of mixed types again, without that repair
        return array if array.dtype.kind != "U" or hasattr(X, "dtype") else np.asarray(X, dtype=object)
    except ValueError as problem:
        raise InputError(
            "rows of equal length", f"rows that numpy cannot stack ({problem})", "check each row's length"
        ) from problem


def _check_shape(shape: tuple[int, ...]) -> None:
    for size, what in zip(shape, ("sample(s)", "feature(s)"), strict=True):
        if size == 0:
            raise InputError(
                "at least one row and one column",
                f"0 {what} (shape={shape}) while a minimum of 1 is required",
                "check that the filter or file before this step left something",
            )
