"""Nominal columns: any source to int32 codes into sorted categories, -1 for missing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from fivefold.data._coded import Coded
from fivefold.data._objects import codes_of, look_at
from fivefold.data._types import holds_objects, refuse_type
from fivefold.errors import InputError, InputTypeError, show

BOOLS: tuple[object, ...] = (False, True)

Encoded: TypeAlias = tuple[NDArray[np.int32], tuple[object, ...]]


def are_bools(categories: tuple[object, ...] | None) -> bool:
    """Tell whether the categories are (False, True); (0, 1), which is equal to it, is not."""
    return categories == BOOLS and isinstance(categories[0], bool)


def encode_nominal(values: Any, name: str) -> Encoded:
    """Read a column (narwhals Series, array or Coded) as codes and sorted categories."""
    if isinstance(values, Coded):
        return _sort_categories(values.codes, values.declared, name)
    if isinstance(values, np.ndarray):
        return _encode_array(values, name)
    dtype = values.dtype
    refuse_type(values, name)
    if isinstance(dtype, nw.Decimal):
        values = values.cast(nw.Float64)
    if dtype.is_numeric():
        whole = dtype.is_integer() and values.null_count()
        return _encode_objects(values.to_list(), name) if whole else _encode_array(values.to_numpy(), name)
    if isinstance(dtype, nw.Boolean) or holds_objects(values):
        return _encode_objects(values.to_list(), name)
    return _sort_categories(*_dictionary(values), name)


def recode(
    codes: NDArray[np.int32], new: Sequence[object], old: tuple[object, ...], name: str
) -> NDArray[np.int32]:
    """Turn codes into `new` categories into codes into `old` ones; -1 where there is no such category."""
    if new == old:
        return codes
    if new and old and isinstance(new[0], str) != isinstance(old[0], str):
        raise InputTypeError(
            f"categories such as {show(old[0])} in column {show(name)}, as at fitting time",
            show(new[0]),
            "pass the column with the type it had at fitting time",
        )
    return np.append(codes_of(new, old), np.int32(-1))[codes]


def _encode_array(values: NDArray[Any], name: str) -> Encoded:
    if values.dtype.kind == "b":
        return values.astype(np.int32), BOOLS
    if values.dtype.kind in "OUT":
        return _encode_objects(values.tolist(), name)
    if values.dtype.kind not in "fiu":
        raise InputTypeError(
            f"text, numbers or booleans in column {show(name)}", f"an array of {values.dtype}", "decode it"
        )
    present = ~np.isnan(values)
    distinct, places = np.unique(values[present], return_inverse=True)
    codes = np.full(len(values), -1, dtype=np.int32)
    codes[present] = places
    return codes, tuple(distinct.tolist())


def _encode_objects(values: Sequence[Any], name: str) -> Encoded:
    column = look_at(values, name)
    categories: Sequence[Any] = BOOLS if column.family == "bool" else sorted(column.distinct)
    return codes_of(values, categories), tuple(_plain(category) for category in categories)


def _plain(category: Any) -> object:
    return category.item() if isinstance(category, np.generic) else category


def _dictionary(series: nw.Series[Any]) -> tuple[NDArray[Any], list[Any]]:
    # Each library factorises in compiled code; narwhals has no common name for it.
    native: Any = nw.to_native(series)
    implementation = series.implementation
    if implementation.is_polars():
        return _polars_dictionary(native)
    if implementation.is_pandas_like():
        if isinstance(series.dtype, nw.String):
            codes, distinct = native.factorize()
            return codes, list(distinct)
        return native.cat.codes.to_numpy(), native.cat.categories.tolist()
    if implementation.is_pyarrow():
        if not isinstance(series.dtype, nw.Categorical):
            native = native.dictionary_encode()
        whole = native.unify_dictionaries().combine_chunks()
        return whole.indices.cast("int32").fill_null(-1).to_numpy(), whole.dictionary.to_pylist()
    values = series.to_list()
    distinct = look_at(values, series.name).distinct
    return codes_of(values, distinct), list(distinct)


def _polars_dictionary(native: Any) -> tuple[NDArray[Any], list[Any]]:
    import polars as pl

    dtype = native.dtype
    if not isinstance(dtype, pl.Enum):
        text = native.cast(pl.String)
        dtype = pl.Enum(text.unique().drop_nulls())
        native = text.cast(dtype)
    codes = native.to_physical()
    if native.null_count():
        codes = codes.cast(pl.Int32).fill_null(-1)
    return codes.to_numpy(), dtype.categories.to_list()


def _sort_categories(codes: NDArray[Any], declared: list[Any], name: str) -> Encoded:
    try:
        if sorted(declared) == declared:
            return codes.astype(np.int32, copy=False), tuple(map(_plain, declared))
        order = sorted(range(len(declared)), key=declared.__getitem__)
    except TypeError as problem:
        raise InputError(
            f"categories of one type in column {show(name)}",
            f"{show(declared)} ({problem})",
            "make the categories all text or all numbers",
        ) from problem
    place = np.full(len(declared) + 1, -1, dtype=np.int32)
    place[order] = np.arange(len(declared), dtype=np.int32)
    return place[codes], tuple(_plain(declared[i]) for i in order)
