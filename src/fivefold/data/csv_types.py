"""What a column of CSV text holds: numbers, or names."""

from __future__ import annotations

from collections.abc import Callable

import polars as pl

from fivefold.data.columns import Kind
from fivefold.errors import InputError, show

# Text that stands for a missing value in many files. Among numbers it is never taken for a category.
_LOOKS_MISSING = ["?", "na", "n/a", "#n/a", "nan", "null", "none", "nil", "missing", "-", "--", ".", "inf"]


def type_column(text: pl.Series, kind: Kind | None, locate: Callable[[int], str]) -> pl.Series:
    """Turn text into Float64 where it is to be numeric, or where all of it is numbers and nothing is said."""
    if kind == "nominal":
        return text
    trimmed = text.str.strip_chars()
    numbers = trimmed.cast(pl.Float64, strict=False)
    numbers = numbers.set(~numbers.is_finite(), None)
    odd = (numbers.is_null() & text.is_not_null()).arg_true()
    if len(odd) == 0:
        return numbers
    is_mixed = numbers.is_not_null().any() and trimmed[odd].str.to_lowercase().is_in(_LOOKS_MISSING).all()
    if kind == "numeric" or is_mixed:
        raise InputError(
            f"numbers in column {show(text.name)}",
            f"{show(text[odd[0]])} in {locate(odd[0])}",
            f"if it means missing, pass missing=('', {text[odd[0]]!r}) (command line: --missing); "
            f"if it is a category, pass kinds={{{text.name!r}: 'nominal'}} (command line: --nominal)",
        )
    return text
