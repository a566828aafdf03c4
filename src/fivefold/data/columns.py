"""Columns: the one form in which every learner and view reads a table of attributes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from fivefold.data._frames import default_names, open_table, plain_matrix
from fivefold.data._nominal import BOOLS, are_bools, encode_nominal, recode
from fivefold.data._numeric import check_finite, to_float
from fivefold.data._roles import CategoricalFeatures, nominal_mask
from fivefold.errors import InputError, show

__all__ = ["CategoricalFeatures", "Column", "read_columns"]

Kind: TypeAlias = Literal["nominal", "numeric"]

_NO_NUMBERS, _NO_CODES = np.empty(0), np.empty(0, dtype=np.int32)


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
        Numeric: ``float64``, missing is NaN. Nominal: ``int32`` codes into `categories`, missing is -1.
    categories : tuple of object or None
        The values of a nominal column in sorted order; None for a numeric column.

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
        return Column(self.name, self.kind, empty, self.categories)


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
    matrix = plain_matrix(X)
    if matrix is not None:
        plain = _read_plain_matrix(*matrix, categorical_features, like)
        if plain is not None:
            return plain
    table = open_table(X)
    if like is not None:
        _check_like(table.names, table.named, like)
        return tuple(_read_like(values, old) for values, old in zip(table.columns, like, strict=True))
    nominal = nominal_mask(table, categorical_features)
    return tuple(
        _read_one(values, name, is_nominal)
        for values, name, is_nominal in zip(table.columns, table.names, nominal, strict=True)
    )


def _read_one(values: Any, name: str, nominal: bool) -> Column:
    if nominal:
        codes, categories = encode_nominal(values, name)
        return Column(name, "nominal", codes, categories)
    return Column(name, "numeric", to_float(values, name), None)


def _read_like(values: Any, old: Column) -> Column:
    if old.categories is None:
        return Column(old.name, "numeric", to_float(values, old.name), None)
    codes, categories = encode_nominal(values, old.name)
    return Column(old.name, "nominal", recode(codes, categories, old.categories, old.name), old.categories)


def _read_plain_matrix(
    X: NDArray[Any],
    own_names: Sequence[str] | None,
    categorical_features: CategoricalFeatures,
    like: Sequence[Column] | None,
) -> tuple[Column, ...] | None:
    is_bool = X.dtype.kind == "b"
    kind: Kind = "nominal" if is_bool else "numeric"
    categories = BOOLS if is_bool else None
    if like is None:
        if not (isinstance(categorical_features, str) and categorical_features == "from_dtype"):
            return None
        names: Sequence[str] = default_names(X.shape[1]) if own_names is None else own_names
    else:
        if own_names is not None:
            _check_like(own_names, True, like)
        same = are_bools if is_bool else _absent
        if len(like) != X.shape[1] or not all(same(column.categories) for column in like):
            return None
        names = [column.name for column in like]
    if is_bool:
        return tuple(
            Column(name, kind, values, categories)
            for name, values in zip(names, X.T.astype(np.int32, order="C"), strict=True)
        )
    matrix = np.ascontiguousarray(X.T, dtype=np.float64)
    if np.isinf(matrix).any():
        for name, values in zip(names, matrix, strict=True):
            check_finite(values, name)
    return tuple(Column(name, kind, values, None) for name, values in zip(names, matrix, strict=True))


def _absent(categories: tuple[object, ...] | None) -> bool:
    return categories is None


def _check_like(names: Sequence[str], named: bool, like: Sequence[Column]) -> None:
    if len(names) != len(like):
        raise InputError(
            f"{len(like)} columns, as at fitting time",
            f"{len(names)} columns",
            "pass the same columns in the same order",
        )
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
