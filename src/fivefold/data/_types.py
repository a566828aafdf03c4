"""Column types that need a closer look, or cannot be used at all."""

from __future__ import annotations

from typing import Any

import narwhals as nw

from fivefold.errors import InputTypeError, show


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
    else:
        return
    raise InputTypeError(
        f"text, numbers, booleans or categories in column {show(name)}", f"a column of {dtype}", hint
    )
