"""Columns: the one form in which every learner and view reads a table of attributes."""

from __future__ import annotations

import sys
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from fivefold.errors import InputError, InputTypeError, show
from fivefold.inputs.few_numbers import FewNumbers
from fivefold.inputs.frames import (
    Labels,
    OpenTable,
    default_names,
    holds_objects,
    open_table,
    plain_matrix,
    refuse_type,
)
from fivefold.inputs.labels import BOOLS, are_bools, encode_nominal, read_objects, recode

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl

# rows are numbered by 32 bits where they are sorted
MOST_ROWS = 2**31 - 1

CategoricalFeatures: TypeAlias = Literal["from_dtype"] | Sequence[str | int | bool] | NDArray[Any] | None
Kind: TypeAlias = Literal["nominal", "numeric"]
FindCuts: TypeAlias = Callable[[int], NDArray[np.float64]]

_NO_NUMBERS, _NO_CODES = np.empty(0), np.empty(0, dtype=np.int32)


@dataclass(frozen=True)
class Derivation(ABC):
    """What an attribute was made of: `source`, a column of dates or text, and what was asked of it."""

    source: str

    @property
    @abstractmethod
    def name(self) -> str:
        """What the attribute is called."""

    @property
    def family(self) -> str:
        """Attributes of one family never stand in the same conjunction."""
        return self.name

    @abstractmethod
    def sql(self, column: str) -> str:
        """Write it in SQL, of a column whose name is quoted."""

    @abstractmethod
    def python(self, column: str) -> str:
        """Write it in Python, of a column of a pandas frame."""

    def cut(self, n_bins: int | None, quantiles: FindCuts) -> NDArray[np.float64]:
        """Cut numbers where one would; `quantiles` gives so many equally full bins."""
        raise NotImplementedError

    def given(self, points: Any) -> NDArray[np.float64] | None:
        """Read the cuts that somebody gave; None where they are plain numbers."""
        return None

    def between(self, points: NDArray[np.float64]) -> NDArray[np.float64]:
        """Move computed cuts to where a value can begin."""
        return points

    def show(self, value: object) -> str:
        """Write a value for people."""
        return plain_value(value)

    def literal(self, value: float) -> str:
        """Write a value as the text that SQL compares the column with."""
        return self.show(value)

    def stamp(self, value: float) -> str:
        """Write a value as the text that pandas compares the column with."""
        return self.show(value)

    def say(self, condition: object) -> str:
        """Say a condition in words; empty where it is said as it is written."""
        return ""


@dataclass(frozen=True, eq=False, slots=True)
class Column:
    """One attribute of every case, nominal or numeric, with missing kept as missing.

    Parameters
    ----------
    name : str
        Its name; ``x0``, ``x1``, … where the source has no names.
    kind : {"nominal", "numeric"}
        What its values mean.
    values : ndarray
        Numeric: ``float64``, missing is NaN; of large files `FewNumbers`, which pass for that. Nominal: ``int32``
        codes into `categories`, missing is -1.
    categories : tuple of object or None
        The values of a nominal column in sorted order; None for a numeric column.
    derived : Derivation or None
        What it was made of, where it is no column of the table itself.

    Examples
    --------
    >>> import polars as pl
    >>> (colour,) = read_columns(pl.DataFrame({"colour": ["red", None, "blue"]}))
    >>> colour.categories, colour.values.tolist(), colour.decode().tolist()
    (('blue', 'red'), [1, -1, 0], ['red', None, 'blue'])
    """

    name: str
    kind: Kind
    values: NDArray[Any]
    categories: tuple[object, ...] | None
    derived: Derivation | None = None

    def __len__(self) -> int:
        return len(self.values)

    def __repr__(self) -> str:
        what = "numeric" if self.categories is None else f"nominal, {len(self.categories)} categories"
        return f"Column({self.name!r}, {what}, {len(self)} values, {int(self.missing.sum())} missing)"

    @property
    def missing(self) -> NDArray[np.bool_]:
        """True where the value is missing."""
        missing: NDArray[np.bool_] = np.isnan(self.values) if self.categories is None else self.values < 0
        return missing

    @property
    def is_part(self) -> bool:
        """Whether it is a part of another column, such as the month of a date."""
        return self.derived is not None and self.derived.source != self.name

    def decode(self) -> NDArray[Any]:
        """Give the values themselves: floats with NaN, or an object array of categories with None."""
        if self.categories is None:
            return self.values
        named = np.empty(len(self.categories) + 1, dtype=object)
        named[:-1] = self.categories
        decoded: NDArray[Any] = named[self.values]
        return decoded

    def schema(self) -> Column:
        """Give the same column without its values: all that ``read_columns(like=...)`` needs to know."""
        empty = _NO_NUMBERS if self.categories is None else _NO_CODES
        return Column(self.name, self.kind, empty, self.categories, self.derived)


def read_columns(
    X: Any,
    *,
    categorical_features: CategoricalFeatures = "from_dtype",
    like: Sequence[Column] | None = None,
) -> tuple[Column, ...]:
    """Read a table of attributes as columns, each nominal or numeric.

    Parameters
    ----------
    X : dataframe or 2-D array-like
        A pandas, polars or pyarrow frame, or any other that narwhals reads; or an array or a list of rows.
        None, NaN and null are missing, and nothing else is: the texts ``""`` and ``"NA"`` are categories.
    categorical_features : "from_dtype", array-like of names, positions or booleans, or None
        Which columns are nominal. ``"from_dtype"``: category, Enum, text, object and bool columns of a
        frame; the bool columns of an array, and those columns of an object array that hold anything other
        than numbers. None: no column is. Ignored where `like` is given.
    like : sequence of Column, optional
        Columns read before, whose names, kinds and categories `X` must follow. A category that they do not
        have counts as missing.

    Returns
    -------
    tuple of Column
        In the order of `X`. Categories are always in sorted order, whatever order they were declared in,
        and include those that a pandas ``Categorical``, a polars ``Enum`` or an Arrow dictionary declares
        but no row has. A bool column always has the categories ``(False, True)``. The values may share
        memory with `X`: treat them as read-only.

    Examples
    --------
    >>> import polars as pl
    >>> fitted = read_columns(pl.DataFrame({"age": [30, None], "smoker": ["no", "yes"]}))
    >>> [(c.name, c.kind, c.values.tolist()) for c in fitted]
    [('age', 'numeric', [30.0, nan]), ('smoker', 'nominal', [0, 1])]
    >>> new = read_columns(pl.DataFrame({"age": [41], "smoker": ["often"]}), like=fitted)
    >>> [c.values.tolist() for c in new]
    [[41.0], [-1]]
    """
    refuse_too_many_rows(X)
    matrix = plain_matrix(X)
    if matrix is not None:
        plain = _read_plain_matrix(*matrix, categorical_features, like)
        if plain is not None:
            return plain
    table = open_table(X)
    if like is not None:
        _check_like(table.names, table.named, like)
        return tuple(read_like(values, old) for values, old in zip(table.columns, like, strict=True))
    opened = open_objects(table)
    nominal = nominal_mask(opened, categorical_features)
    return tuple(map(read_column, opened.columns, opened.names, nominal))


def open_objects(table: OpenTable) -> OpenTable:
    """Read the columns of objects, which tell by what they are whether they are nominal, once for this and all."""
    opened = [
        read_objects(values, name) if isinstance(values, np.ndarray) and values.dtype == object else values
        for values, name in zip(table.columns, table.names, strict=True)
    ]
    return OpenTable(table.names, opened, table.named)


def refuse_too_many_rows(X: Any) -> None:
    """Complain about more rows than can be numbered."""
    shape = getattr(X, "shape", ())
    if isinstance(shape, tuple) and shape and isinstance(shape[0], int) and shape[0] > MOST_ROWS:
        hint = "take a sample of the rows; slices of larger tables are found in a Dask dataframe"
        raise InputError(f"a table of at most {MOST_ROWS:,} rows", f"{shape[0]:,}", hint)


def read_column(values: Any, name: str, nominal: bool) -> Column:
    """Read one opened column."""
    if nominal:
        codes, categories = encode_nominal(values, name)
        return Column(name, "nominal", codes, categories)
    return Column(name, "numeric", _to_float(values, name), None)


def read_like(values: Any, old: Column) -> Column:
    """Read an opened column as one that was read before."""
    if old.categories is None:
        return Column(old.name, "numeric", _to_float(values, old.name), None)
    codes, categories = encode_nominal(values, old.name)
    return Column(old.name, "nominal", recode(codes, categories, old.categories, old.name), old.categories)


def _read_plain_matrix(
    X: NDArray[Any],
    own_names: Sequence[str] | None,
    categorical_features: CategoricalFeatures,
    like: Sequence[Column] | None,
) -> tuple[Column, ...] | None:
    is_bool = X.dtype.kind == "b"
    if like is None:
        if not (isinstance(categorical_features, str) and categorical_features == "from_dtype"):
            return None
        names: Sequence[str] = default_names(X.shape[1]) if own_names is None else own_names
    else:
        if own_names is not None:
            _check_like(own_names, True, like)
        alike = (are_bools(old.categories) if is_bool else old.categories is None for old in like)
        if len(like) != X.shape[1] or not all(alike):
            return None
        names = [column.name for column in like]
    if is_bool:
        codes = X.T.astype(np.int32, order="C")
        return tuple(Column(name, "nominal", row, BOOLS) for name, row in zip(names, codes, strict=True))
    matrix = np.ascontiguousarray(X.T, dtype=np.float64)
    if np.isinf(matrix).any():
        for name, values in zip(names, matrix, strict=True):
            _check_finite(values, name)
    return tuple(Column(name, "numeric", row, None) for name, row in zip(names, matrix, strict=True))


def _check_like(names: Sequence[str], named: bool, like: Sequence[Column]) -> None:
    if len(names) != len(like):
        hint = "pass the same columns in the same order"
        raise InputError(f"{len(like)} columns, as at fitting time", f"{len(names)} columns", hint)
    old = [column.name for column in like]
    if not named or old == list(default_names(len(old))):
        return
    for place, (new_name, old_name) in enumerate(zip(names, old, strict=True)):
        if new_name != old_name:
            raise InputError(
                f"the columns of fitting time, with {show(old_name)} in place {place}",
                f"{show(new_name)} there",
                "pass the same columns in the same order",
            )


def plain_value(value: object) -> str:
    """Write a value for people: numbers as shortly as they can be read back."""
    return repr(float(value)).removesuffix(".0") if isinstance(value, float | np.floating) else str(value)


def with_text_categories(column: Column) -> Column:
    """Give a nominal column text categories, which every frame library can hold; booleans stay."""
    if column.categories is None or are_bools(column.categories):
        return column
    texts = [plain_value(category) for category in column.categories]
    order = sorted(range(len(texts)), key=texts.__getitem__)
    place = np.full(len(texts) + 1, -1, dtype=np.int32)
    place[order] = np.arange(len(texts), dtype=np.int32)
    return Column(column.name, "nominal", place[column.values], tuple(texts[i] for i in order))


def to_polars(columns: Sequence[Column]) -> pl.DataFrame:
    """Make a polars frame: Float64 for numeric columns, Enum (or Boolean) for nominal ones."""
    import polars as pl

    return pl.DataFrame([_polars_series(with_text_categories(column)) for column in columns])


def _polars_series(column: Column) -> pl.Series:
    import polars as pl

    if column.categories is None:
        return pl.Series(column.name, column.values, dtype=pl.Float64).fill_nan(None)
    if are_bools(column.categories):
        return pl.Series(column.name, column.decode().tolist(), dtype=pl.Boolean)
    names = pl.Series(list(column.categories), dtype=pl.Enum([str(c) for c in column.categories]))
    places = pl.Series(column.name, column.values).replace(-1, None)
    return names.gather(places).alias(column.name)


def to_pandas(columns: Sequence[Column]) -> pd.DataFrame:
    """Make a pandas frame: float64 for numeric columns, Categorical for nominal ones."""
    import pandas as pd

    return pd.DataFrame({column.name: _pandas_values(column, pd) for column in columns})


def _pandas_values(column: Column, pandas: Any) -> Any:
    if column.categories is None:
        return column.values
    return pandas.Categorical.from_codes(column.values, categories=list(column.categories))


def to_series(column: Column, backend: Any) -> nw.Series[Any]:
    """Make a column of the given library that has the same kind, and the categories in the given order."""
    if backend.is_polars():
        return nw.from_native(_polars_series(column), series_only=True)
    if backend.is_pandas():
        import pandas as pd

        return nw.from_native(pd.Series(_pandas_values(column, pd), name=column.name), series_only=True)
    if column.categories is None:
        return nw.new_series(column.name, column.values, nw.Float64, backend=backend)
    text = nw.new_series(column.name, column.decode().tolist(), nw.String, backend=backend)
    return text.cast(nw.Categorical)


_HINT = 'pass "from_dtype", None, or a list of column names, positions or booleans'


def nominal_mask(table: OpenTable, categorical_features: CategoricalFeatures) -> list[bool]:
    """Say for each column whether it is nominal."""
    if categorical_features is None:
        return [False] * len(table.names)
    if isinstance(categorical_features, str):
        if categorical_features != "from_dtype":
            raise InputError('categorical_features="from_dtype"', show(categorical_features), _HINT)
        return list(map(_nominal_by_type, table.columns))
    return _mask_from_list(table, np.asarray(categorical_features))


def _nominal_by_type(values: Any) -> bool:
    """Tell from its type whether a column is nominal."""
    if isinstance(values, Labels):
        return values.kind != "f"
    if isinstance(values, FewNumbers):
        return False
    if isinstance(values, np.ndarray):
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


def _to_float(values: Any, name: str) -> NDArray[np.float64]:
    """Read a column as numbers; complain about text and infinity."""
    numbers: Any
    if isinstance(values, FewNumbers):
        numbers = values
    elif isinstance(values, np.ndarray):
        plain = values.dtype.kind in "fiub"
        numbers = values.astype(np.float64, copy=False) if plain else _decoded(values, name)
    elif isinstance(values, Labels):
        numbers = _decoded(values, name)
    else:
        numbers = _series_to_float(values, name)
    _check_finite(numbers, name)
    return numbers  # type: ignore[no-any-return]


def _series_to_float(series: nw.Series[Any], name: str) -> NDArray[np.float64]:
    dtype = series.dtype
    kept_by = getattr(series.to_native(), "dtype", None)
    if dtype.is_integer() and (series.implementation.is_pyarrow() or hasattr(kept_by, "pyarrow_dtype")):
        # beyond 2^53 pyarrow refuses what all others round
        return np.asarray(series.to_arrow().cast("float64", safe=False).to_numpy(zero_copy_only=False))
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
    try:
        table = np.append(np.array(categories, dtype=np.float64), np.nan)
    except OverflowError as problem:
        extreme = next(c for c in categories if isinstance(c, int) and abs(c) > sys.float_info.max)
        raise InputError(f"numbers up to 1.8e308 in column {show(name)}", show(extreme)) from problem
    return table[codes]


def _check_finite(numbers: NDArray[np.float64], name: str) -> None:
    """Complain about infinity: no interval, bin or distance has a use for it."""
    infinite = np.isinf(numbers)
    if infinite.any():
        row = int(np.flatnonzero(infinite)[0])
        raise InputError(
            f"finite numbers, or NaN for missing, in column {show(name)}",
            f"{numbers[row]} (inf is infinity) in row {row}",
            "replace infinity by a large number or by NaN",
        )


def round_to(values: NDArray[np.float64], real: Any) -> NDArray[Any]:
    """Round to a precision; what is too large for it becomes infinite, which keeps the order.

    Examples
    --------
    >>> round_to(np.array([0.1, 1e300]), np.float32)
    array([0.1, inf], dtype=float32)
    """
    with np.errstate(over="ignore"):
        return values.astype(real)


def check_held(rounded: NDArray[Any], values: NDArray[np.float64]) -> None:
    """Refuse training values of which rounding made infinite ones: they can no longer be told apart."""
    beyond = np.flatnonzero(np.isinf(rounded) & np.isfinite(values))
    if beyond.size:
        raise InputError(
            f"numbers of at most {np.finfo(rounded.dtype).max:.3g} in size, which {rounded.dtype} can hold",
            show(float(values.flat[beyond[0]])),
            "measure in a larger unit, or pass dtype='float64' to a learner that takes it",
        )
