"""The questions as the receiver of a theory knows them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from fivefold.data.conditions import find_column
from fivefold.errors import InputError
from fivefold.inputs.columns import Column

_NO_VALUE = np.iinfo(np.int32).max


def distinct_values(column: Column) -> NDArray[np.float64]:
    """Give the different known numbers of a numeric column in order."""
    return np.unique(column.values[~column.missing])


class Questions:
    """All values as ranks, so that it is quick to see which columns still vary among some rows.

    Parameters
    ----------
    columns : sequence of Column
        The questions.
    missing_is_a_value : bool
        Whether missing and known cases of a column differ in the eyes of the theory.
    """

    def __init__(self, columns: Sequence[Column], *, missing_is_a_value: bool) -> None:
        if not columns or not len(columns[0]):
            raise InputError("at least one question", f"{len(columns)} columns without rows")
        self._columns = {column.name: column for column in columns}
        self._places = {column.name: place for place, column in enumerate(columns)}
        self.codes = np.column_stack([_ranks(column) for column in columns])
        self.rows = np.arange(len(columns[0]))
        any_missing = bool((self.codes < 0).any())
        self._known = np.where(self.codes < 0, _NO_VALUE, self.codes) if any_missing else self.codes
        self._lower = self.codes if missing_is_a_value else self._known

    def column(self, name: str) -> Column:
        """Find a column."""
        return find_column(self._columns, name)

    def place(self, name: str) -> int:
        """Give the position of a column."""
        return self._places[name]

    def varying(self, rows: NDArray[np.intp]) -> NDArray[np.bool_]:
        """Say for each column whether it takes more than one value among the rows."""
        return np.asarray(self._lower[rows].min(axis=0) < self.codes[rows].max(axis=0))

    def lowest(self, rows: NDArray[np.intp], place: int) -> int:
        """Give the rank of the lowest known value of a column among the rows; very large if there is none."""
        return int(self._known[rows, place].min())


def _ranks(column: Column) -> NDArray[np.int32]:
    if column.categories is not None:
        return np.asarray(column.values, dtype=np.int32)
    ranks = np.searchsorted(distinct_values(column), column.values).astype(np.int32)
    ranks[column.missing] = -1
    return ranks
