"""Any array, column or table (lists, numpy, pandas, polars, pyarrow) opened as numpy arrays and named columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Sized
from dataclasses import dataclass
from functools import lru_cache
from typing import Any
from zoneinfo import ZoneInfo

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from fivefold.errors import InputError, InputTypeError, show
from fivefold.inputs.few_numbers import CompactFrame, FewNumbers
from fivefold.plain_text import counted


def as_few(values: object) -> FewNumbers | None:
    """Give few numbers as what they are, though they pass for an array; None for all else."""
    return values if isinstance(values, FewNumbers) else None


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
    is_too_wide = series.dtype in (nw.Int128, nw.UInt128)  # for arrays
    if series.dtype.is_numeric() and not is_too_wide and series.null_count() == 0:
        return series.to_numpy()
    if series.dtype == nw.Boolean and series.null_count() == 0:
        return series.to_numpy().astype(bool)
    return object_array(series)


def object_array(series: nw.Series[Any]) -> NDArray[Any]:
    """Give the values of a column as Python objects."""
    native: Any = nw.to_native(series)
    if series.implementation.is_pandas() and native.dtype == object:
        return np.asarray(native.to_numpy())
    return np.fromiter(series.to_list(), dtype=object, count=len(series))


def _sequence_array(values: object, name: str) -> NDArray[Any]:
    try:
        items = list(values)  # type: ignore[call-overload]
    except TypeError:
        raise _not_an_array(values, name) from None
    kinds = set(map(type, items))
    if kinds and all(issubclass(kind, (bool, int, float, np.number, np.bool_)) for kind in kinds):
        return np.asarray(items)
    if kinds == {np.ndarray} and len({item.shape for item in items}) == 1 and items[0].dtype == np.bool_:
        return np.asarray(items)
    return np.fromiter(items, dtype=object, count=len(items))


def as_numbers(values: object, name: str) -> NDArray[Any]:
    """Read numbers of one or two dimensions; floats keep their precision, everything else becomes float64."""
    if isinstance(values, FewNumbers):
        few: Any = values  # which pass for an array
        return few  # type: ignore[no-any-return]
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


def check_length(rows: Sized, n_cases: int, name: str) -> None:
    """Insist on one row for each case."""
    if len(rows) != n_cases:
        expected = f"{name} to have one row for each of the {n_cases} cases"
        hint = "pass arrays of the same length, in the same order"
        raise InputError(expected, counted(len(rows), "row"), hint)


@dataclass(frozen=True, eq=False, slots=True)
class Labels:
    """A column that was read: its different values, and each row as a position among them.

    values: The different values without missing ones: whole numbers ascending, declared categories as declared,
        all else as it first appears.
    codes: The position of each row's value; -1 is missing.
    kind: Numpy's letter for the type of the values; "O" where they were not looked at.
    """

    values: list[Any]
    codes: NDArray[Any]
    kind: str = "O"

    def __len__(self) -> int:
        return len(self.codes)


def coded_columns(frame: nw.DataFrame[Any]) -> Mapping[str, Labels]:
    """Read the columns of a declared categorical type, by name.

    A library's own call for a whole frame costs little more than for one column, and a learner that is fitted on
    a table of many columns spends most of its time here.
    """
    native: Any = nw.to_native(frame)
    if frame.implementation.is_pandas():
        arrays = {name: column.array for name, column in native.select_dtypes("category").items()}
        return {name: Labels(array.categories.tolist(), array.codes) for name, array in arrays.items()}
    if not frame.implementation.is_polars():
        return {}
    import polars as pl

    declared = {name: dtype for name, dtype in native.schema.items() if isinstance(dtype, pl.Enum)}
    if not declared:
        return {}
    codes = native.select(pl.col(list(declared)).to_physical().cast(pl.Int32).fill_null(-1)).to_numpy().T
    return {
        name: Labels(dtype.categories.to_list(), np.ascontiguousarray(column))
        for (name, dtype), column in zip(declared.items(), codes, strict=True)
    }


def holds_objects(series: nw.Series[Any]) -> bool:
    """Tell whether a column is of Python objects."""
    # narwhals guesses a narrower type for a pandas object column from its first 100 rows
    native = nw.to_native(series)
    return isinstance(series.dtype, nw.Object) or str(getattr(native, "dtype", "")) == "object"


def refuse_type(series: nw.Series[Any], name: str) -> None:
    """Complain about times, lists, records and bytes, and say what to do with them."""
    dtype = series.dtype
    if dtype.is_temporal():
        hint = "turn it into numbers, such as days since a date or the hour of the day"
    elif dtype.is_nested():
        hint = "give each part a column of its own"
    elif isinstance(dtype, nw.Binary):
        hint = "decode the bytes to text"
    elif isinstance(dtype, nw.Unknown) and series.implementation.is_pandas():
        dtype, hint = series.to_native().dtype, "turn it into text or numbers"
    else:
        return
    raise InputTypeError(
        f"text, numbers, booleans or categories in column {show(name)}", f"a column of {dtype}", hint
    )


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
    if isinstance(X, CompactFrame):
        return OpenTable(X.columns, [open_compact(X, name) for name in X.columns], True)
    frame = as_frame(X, allow_series=True)
    if isinstance(frame, nw.Series):
        raise InputError("a table (2D)", "one column (a Series)", "pass a frame: series.to_frame()")
    if isinstance(frame, nw.LazyFrame):
        raise InputTypeError("a frame with rows in memory", "a lazy frame", "call .collect() first")
    return _open_frame(frame) if isinstance(frame, nw.DataFrame) else _open_array(X)


def as_frame(X: Any, **options: Any) -> Any:
    """Open a frame of any library, its sparse columns in full; complain where two columns have one name."""
    try:
        frame = nw.from_native(X, pass_through=True, **options)
        if isinstance(frame, nw.DataFrame) and frame.implementation.is_pandas():
            sparse = {name: kind.subtype for name, kind in X.dtypes.items() if str(kind)[:6] == "Sparse"}
            return nw.from_native(X.astype(sparse)) if sparse else frame
        return frame
    except nw.exceptions.DuplicateError as problem:
        labels = list(getattr(X, "column_names", X.columns))  # pyarrow's, or pandas'
        twice = next(label for label in labels if labels.count(label) > 1)
        raise InputError(
            "column names that differ from each other", f"{show(twice)} more than once", "rename one of them"
        ) from problem


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


def _refuse_odd_containers(X: Any) -> None:
    if hasattr(X, "toarray") and hasattr(X, "nnz"):
        raise InputTypeError(
            "a dense table", f"a sparse matrix ({type(X).__name__})", "convert it with X.toarray()"
        )
    if isinstance(X, np.ma.MaskedArray):
        raise InputTypeError(
            "an array whose missing values are NaN", "a masked array", "convert it with X.filled(np.nan)"
        )


def open_compact(X: CompactFrame, name: str) -> Any:
    """Open a column of a large file: few numbers or texts in as many bytes as they take there."""
    few = X.few(name)
    if few is not None:
        return few
    series = X[name]
    if not isinstance(series.dtype, nw.Enum):
        return series
    import polars as pl

    places, narrow = X.frame[name].to_physical(), len(series.dtype.categories) <= np.iinfo(np.int8).max
    if narrow and places.dtype == pl.UInt8 and not places.null_count():
        codes = places.to_numpy().view(np.int8)
    else:
        codes = places.cast(pl.Int8 if narrow else pl.Int32).fill_null(-1).to_numpy()
    return Labels(list(series.dtype.categories), codes)


def _open_frame(frame: nw.DataFrame[Any]) -> OpenTable:
    _check_shape(frame.shape)
    labels: list[object] = list(frame.columns)
    named = all(isinstance(label, str) for label in labels)
    if not named and any(isinstance(label, str) for label in labels):
        odd = next(label for label in labels if not isinstance(label, str))
        hint = "X.columns = X.columns.astype(str) makes feature names that are all strings"
        raise InputTypeError("column names that are all text", f"{show(odd)} among them", hint)
    names = [str(label) for label in labels] if named else list(default_names(len(labels)))
    coded = coded_columns(frame)
    columns = [coded[label] if label in coded else _zoned(frame.get_column(label)) for label in frame.columns]
    return OpenTable(names, columns, named)


def _zoned(column: nw.Series[Any]) -> nw.Series[Any]:
    """Give times of pandas whose zone narwhals does not read, such as America/New_York, as polars has them."""
    native: Any = column.to_native()
    zone = getattr(getattr(native, "dtype", None), "tz", None)
    if zone is None or not isinstance(column.dtype, nw.Unknown):
        return column
    import polars as pl

    clock = native.dt.tz_convert("UTC").dt.tz_localize(None).to_numpy().astype("datetime64[us]")
    times = pl.Series(column.name, clock).dt.replace_time_zone("UTC")
    return nw.from_native(times.dt.convert_time_zone(known_zone(str(zone))), series_only=True)


def known_zone(zone: str) -> str:
    """Give the name of a time zone that is known; UTC for a mere shift of the clock."""
    try:
        ZoneInfo(zone)
    except (LookupError, ValueError, OSError):
        return "UTC"
    return zone


def _open_array(X: Any) -> OpenTable:
    array = _as_array(X)
    if array.dtype.kind == "c":
        raise InputError("real numbers", "complex numbers", "Complex data not supported; pass two columns")
    if array.dtype.kind in "mMV":
        hint = "turn times into numbers such as days, and records into a frame"
        raise InputTypeError("numbers, text or booleans", f"an array of {array.dtype}", hint)
    if array.ndim != 2:
        hint = "Reshape your data: X.reshape(-1, 1) makes it one column"
        raise InputError("a 2D array of rows and columns", f"{array.ndim}D with shape {array.shape}", hint)
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
