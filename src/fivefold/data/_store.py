"""Columns back into frames, without pandas or pyarrow unless the caller has them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import narwhals as nw
import numpy as np
import polars as pl

from fivefold.data._nominal import are_bools
from fivefold.data._writing import plain_value
from fivefold.data.columns import Column

if TYPE_CHECKING:
    import pandas as pd


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
    return pl.DataFrame([_polars_series(with_text_categories(column)) for column in columns])


def _polars_series(column: Column) -> pl.Series:
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
