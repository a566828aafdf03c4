"""Plain arrays straight to the values that FOIL works on, without a column for each attribute.

Estimators of error fit a hundred thousand small tables, and reading fifty columns takes longer than learning.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from fivefold.inputs.columns import Column, read_columns
from fivefold.learners.foil.cases import Values, as_singles


class ArrayType(NamedTuple):
    """What has to be the same in fitting and answering: whether values are booleans or numbers, and how many."""

    kind: str
    n_columns: int

    @classmethod
    def of(cls, X: NDArray[Any]) -> Self:
        """Look at an array."""
        return cls(X.dtype.kind, X.shape[1])

    def columns(self) -> tuple[Column, ...]:
        """Give the columns that such an array stands for, without values."""
        return _columns(self.kind, self.n_columns)


@lru_cache(maxsize=64)
def _columns(kind: str, n_columns: int) -> tuple[Column, ...]:
    example: NDArray[Any] = np.zeros((1, n_columns), dtype=bool if kind == "b" else float)
    return tuple(column.schema() for column in read_columns(example))


def values_of_array(X: Any) -> Values | None:
    """Read a 2-D array of booleans or of finite floats; None for all else, which has to be looked at in detail."""
    if type(X) is not np.ndarray or X.ndim != 2 or not X.size:
        return None
    if X.dtype.kind == "b":
        return Values(np.ascontiguousarray(X.T, dtype=np.int32), *as_singles(np.empty((0, len(X)))))
    if X.dtype.kind == "f" and not np.isinf(X).any():
        numbers = np.ascontiguousarray(X.T, dtype=np.float64)
        return Values(np.empty((0, len(X)), dtype=np.int32), *as_singles(numbers))
    return None
