"""Table: named cases with nominal and numeric attributes and one class."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Self

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from fivefold.errors import InputError, InputTypeError, show
from fivefold.inputs.columns import (
    CategoricalFeatures,
    Column,
    Kind,
    read_columns,
    to_pandas,
    to_polars,
    to_series,
    with_text_categories,
)
from fivefold.inputs.frames import as_frame
from fivefold.inputs.labels import encode_nominal
from fivefold.inputs.options import instance_of
from fivefold.plain_text import counted

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl


@dataclass(frozen=True, eq=False, repr=False)
class Table:
    """Cases with nominal and numeric attributes, missing kept as missing, and a class for each case.

    Make one with :meth:`from_frame`, :meth:`from_arrays`, ``fivefold.data.read`` or ``fivefold.data.load``.

    Parameters
    ----------
    name : str
        What the table is called in reports.
    X : dataframe
        The attributes, in the library they came in; polars for files and arrays.
    y : ndarray of shape (n_rows,)
        The class of each case.
    columns : tuple of Column
        The attributes as learners read them.
    target : str
        The name of the class.

    Examples
    --------
    >>> table = Table.from_arrays([[1.5, "red"], [2.0, None]], ["yes", "no"], name="toy")
    >>> table
    Table 'toy': 2 rows, 2 attributes (1 numeric, 1 nominal), 2 classes, 1 missing cell
    >>> table.kinds
    {'x0': 'numeric', 'x1': 'nominal'}
    """

    name: str
    X: Any
    y: NDArray[Any]
    columns: tuple[Column, ...]
    target: str

    @classmethod
    def from_frame(
        cls, frame: Any, target: str, kinds: Mapping[str, Kind] | None = None, name: str | None = None
    ) -> Self:
        """Make a table from a pandas, polars or pyarrow frame that has the class as one of its columns.

        Parameters
        ----------
        frame : dataframe
            One row for each case.
        target : str
            The column that holds the class; it may have no missing values.
        kinds : mapping of column name to "nominal" or "numeric", optional
            For columns whose meaning differs from their type. A column named here is stored in `X` with a
            type that says so: categories as text, or floats.
        name : str, optional
            What the table is called in reports.

        Examples
        --------
        >>> import polars as pl
        >>> frame = pl.DataFrame({"vessels": [0, 3, 1], "class": ["absent", "present", "absent"]})
        >>> Table.from_frame(frame, target="class", kinds={"vessels": "nominal"}).kinds
        {'vessels': 'nominal'}
        """
        opened = as_frame(frame, eager_only=True)
        instance_of(opened, (nw.DataFrame,), "a data frame")
        given = dict(kinds or {})
        _check_names(opened.columns, target, given)
        attributes = opened.drop(target)
        attributes = attributes.with_columns(*[_restate(attributes[c], kind) for c, kind in given.items()])
        X = attributes.to_native()
        return cls(name or "table", X, _labels(opened[target], target), read_columns(X), target)

    @classmethod
    def from_arrays(
        cls,
        X: Any,
        y: Any,
        feature_names: Sequence[str] | None = None,
        *,
        categorical_features: CategoricalFeatures = "from_dtype",
        target: str = "class",
        name: str | None = None,
    ) -> Self:
        """Make a table from a matrix of attributes and a vector of classes.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_columns)
            The attributes; ``table.X`` is a polars frame of them.
        y : array-like of shape (n_rows,)
            The class of each case.
        feature_names : sequence of str, optional
            Names for the columns; ``x0``, ``x1``, … otherwise.
        categorical_features : "from_dtype", array-like of names, positions or booleans, or None
            Which columns are nominal, as in :func:`fivefold.inputs.columns.read_columns`.
        target, name : str, optional
            What the class and the table are called.

        Examples
        --------
        >>> Table.from_arrays([[0, 7.0], [1, 8.5]], [0, 1], ["sex", "dose"], categorical_features=["sex"])
        Table 'table': 2 rows, 2 attributes (1 numeric, 1 nominal), 2 classes, 0 missing cells
        """
        if feature_names is not None:
            categorical_features = _positions(categorical_features, feature_names)
        columns = tuple(map(with_text_categories, read_columns(X, categorical_features=categorical_features)))
        if feature_names is not None:
            columns = _renamed(columns, feature_names)
        if target in (column.name for column in columns):
            raise InputError("a class name that no attribute has", show(target), "pass another target name")
        opened = nw.from_native(y, allow_series=True, series_only=True, pass_through=True)
        labels = _labels(opened if isinstance(opened, nw.Series) else np.asarray(y), target)
        if len(labels) != len(columns[0]):
            raise InputError(
                "one class for each row", f"{len(labels)} classes for {len(columns[0])} rows", "check y"
            )
        return cls(name or "table", to_polars(columns), labels, columns, target)

    @property
    def kinds(self) -> dict[str, Kind]:
        """What each attribute is: "nominal" or "numeric"."""
        return {column.name: column.kind for column in self.columns}

    @property
    def classes(self) -> tuple[Any, ...]:
        """The classes that occur, sorted."""
        return tuple(np.unique(self.y).tolist())

    @property
    def n_rows(self) -> int:
        """The number of cases."""
        return len(self.y)

    @property
    def missing_cells(self) -> int:
        """The number of missing attribute values in the whole table."""
        return sum(int(column.missing.sum()) for column in self.columns)

    def __len__(self) -> int:
        return self.n_rows

    def __repr__(self) -> str:
        kinds = list(self.kinds.values())
        return (
            f"Table {self.name!r}: {counted(self.n_rows, 'row')}, {counted(len(kinds), 'attribute')} "
            f"({kinds.count('numeric')} numeric, {kinds.count('nominal')} nominal), "
            f"{counted(len(self.classes), 'class')}, {counted(self.missing_cells, 'missing cell')}"
        )

    def without(self, names: Sequence[str]) -> Table:
        """Give the table without some attributes of a polars frame."""
        columns = tuple(column for column in self.columns if column.name not in names)
        return replace(self, X=self.X.drop(names), columns=columns)

    def to_polars(self) -> pl.DataFrame:
        """Give attributes and class as a polars frame: Float64, Enum and Boolean columns, the class last."""
        return to_polars([*self.columns, self._class_column()])

    def to_pandas(self) -> pd.DataFrame:
        """Give attributes and class as a pandas frame: float64 and category columns, the class last."""
        return to_pandas([*self.columns, self._class_column()])

    def _class_column(self) -> Column:
        codes, categories = encode_nominal(self.y, self.target)
        return Column(self.target, "nominal", codes, categories)


def _check_names(names: Sequence[str], target: str, kinds: Mapping[str, Kind]) -> None:
    for name in (target, *kinds):
        if name not in names:
            raise InputError("a column of the table", show(name), f"the columns are {show(list(names), 200)}")
    if target in kinds:
        raise InputError(
            "kinds of attributes", f"the class {show(target)} among them", "leave it out of kinds"
        )
    for name, kind in kinds.items():
        if kind not in ("nominal", "numeric"):
            raise InputError('"nominal" or "numeric"', f"{show(kind)} for column {show(name)}")
    if len(names) < 2:
        raise InputError("at least one attribute beside the class", f"the columns {show(list(names))}")


def _restate(series: nw.Series[Any], kind: Kind) -> nw.Series[Any]:
    (column,) = read_columns(series.to_frame().to_native(), categorical_features=[kind == "nominal"])
    return to_series(with_text_categories(column), series.implementation)


def _positions(features: CategoricalFeatures, names: Sequence[str]) -> CategoricalFeatures:
    if features is None or isinstance(features, str):
        return features
    places = {name: place for place, name in enumerate(names)}
    return [places.get(feature, feature) for feature in np.asarray(features).tolist()]


def _renamed(columns: Sequence[Column], names: Sequence[str]) -> tuple[Column, ...]:
    if len(names) != len(columns) or len(set(names)) != len(names):
        raise InputError(
            f"{len(columns)} different column names", show(list(names), 200), "one name for each column of X"
        )
    return tuple(replace(column, name=str(name)) for column, name in zip(columns, names, strict=True))


def _labels(values: nw.Series[Any] | NDArray[Any], target: str) -> NDArray[Any]:
    if isinstance(values, np.ndarray) and values.ndim != 1:
        raise InputTypeError("one class for each case", f"an array of shape {values.shape}", "use y.ravel()")
    codes, categories = encode_nominal(values, target)
    rows = np.flatnonzero(codes < 0)
    if len(rows):
        raise InputError(
            f"a class in every row of {show(target)}",
            f"{len(rows)} missing, first in rows {show(rows[:5].tolist())}",
            "drop those rows or give them a class of their own",
        )
    labels: NDArray[Any] = np.array(categories)[codes]
    return labels
