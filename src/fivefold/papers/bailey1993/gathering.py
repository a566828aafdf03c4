"""Gather the numbers of finished jobs by concept, learner and size."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    import polars as pl


Floats: TypeAlias = NDArray[np.float64]


def gather(frame: pl.DataFrame, name: str, **labels: str | int) -> Floats:
    """Give a number of all training sets with these labels, in the order of the jobs."""
    own = frame.filter(**labels)
    if own.is_empty() or name not in own.columns:
        return np.empty(0)
    lists = [json.loads(text) for text in own[name].drop_nulls()]
    return np.array([value for values in lists for value in values], dtype=np.float64)


def correlation(a: Floats, b: Floats) -> float:
    """Give the correlation; NaN where one of the two never changes."""
    if a.size < 2 or np.ptp(a) == 0 or np.ptp(b) == 0:
        return float("nan")
    return float(np.corrcoef(a, b)[0, 1])
