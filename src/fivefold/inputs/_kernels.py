"""Single passes over labels and probabilities."""

from __future__ import annotations

from typing import Any

import numba
import numpy as np
from numpy.typing import NDArray


@numba.njit(cache=True)
def present(values: NDArray[Any], low: int, span: int) -> NDArray[np.bool_]:
    """Mark which of the whole numbers low … low + span - 1 occur."""
    seen = np.zeros(span, dtype=np.bool_)
    for t in range(values.shape[0]):
        seen[np.int64(values[t]) - low] = True
    return seen


@numba.njit(cache=True)
def look_up(values: NDArray[Any], low: int, table: NDArray[np.int32]) -> NDArray[np.int32]:
    """Translate whole numbers through a table; NaN becomes -1 and what the table lacks -2."""
    codes = np.empty(values.shape[0], dtype=np.int32)
    for t in range(values.shape[0]):
        value = values[t]
        if value != value:
            codes[t] = -1
            continue
        place = np.int64(value) - low
        inside = 0 <= place < table.shape[0] and value == place + low
        codes[t] = table[place] if inside else -2
    return codes


@numba.njit(cache=True)
def first_bad_row(rows: NDArray[Any], tolerance: float) -> tuple[int, int]:
    """Find the first row that is no probability vector, and why.

    Reasons: 0 none, 1 not a number, 2 negative, 3 above one, 4 sum differs from one.
    """
    for t in range(rows.shape[0]):
        total = 0.0
        for k in range(rows.shape[1]):
            p = rows[t, k]
            if not np.isfinite(p):
                return t, 1
            if p < 0.0:
                return t, 2
            total += p
        if abs(total - 1.0) > tolerance:
            return t, 4
    return -1, 0


@numba.njit(cache=True)
def first_outside_unit(values: NDArray[Any]) -> tuple[int, int]:
    """Find the first number that is not in [0, 1], and why (reasons as in ``first_bad_row``)."""
    for t in range(values.shape[0]):
        p = values[t]
        if not np.isfinite(p):
            return t, 1
        if p < 0.0:
            return t, 2
        if p > 1.0:
            return t, 3
    return -1, 0
