"""Categories that were not there at fitting time: constants of their own, which equal no other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from fivefold.inputs.columns import Column, read_columns


def with_unknowns(X: Any, columns: Sequence[Column]) -> tuple[Column, ...]:
    """Tell unknown categories from missing values, which reading by an old schema makes alike.

    In columns with unknown categories these get one more code, after those of the known ones.
    """
    doubtful = [c.categories is not None and bool((c.values < 0).any()) for c in columns]
    if not any(doubtful):
        return tuple(columns)
    anew = read_columns(X, categorical_features=[c.categories is not None for c in columns])
    return tuple(
        _with_unknown(old, new) if doubt else old
        for old, new, doubt in zip(columns, anew, doubtful, strict=True)
    )


def _with_unknown(old: Column, new: Column) -> Column:
    categories = old.categories or ()
    values = np.where((old.values < 0) & ~new.missing, np.int32(len(categories)), old.values)
    return Column(old.name, old.kind, values, (*categories, object()))
