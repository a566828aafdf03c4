"""The cells of one attribute: its values or intervals and its missing values, with their class counts."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fivefold.inputs.columns import Column
from fivefold.learners.counting._kernels import count_classes
from fivefold.learners.one_r._kernels import interval_starts


@dataclass(frozen=True, eq=False)
class Cells:
    """A partition of the cases by one attribute.

    Parameters
    ----------
    cuts : ndarray of float
        The first number of each interval but the lowest; empty for a nominal attribute.
    counts : ndarray of shape (n_cells + 1, n_classes)
        The weight of each class in each cell; the last row is the cell of missing values.
    """

    cuts: NDArray[np.float64]
    counts: NDArray[np.float64]

    @property
    def correct(self) -> float:
        """The weight of the cases that are right if each cell answers with its leading class."""
        return float(self.counts.max(axis=1).sum())

    def place(self, column: Column) -> NDArray[np.intp]:
        """Give the cell of each case; -1 for a missing value."""
        if column.categories is not None:
            return column.values.astype(np.intp)
        # the right side: a number that equals a cut belongs to the interval above it
        places = np.searchsorted(self.cuts, column.values, side="right")
        places[column.missing] = -1
        return places


def cells_of(
    column: Column, classes: NDArray[np.int32], weights: NDArray[np.float64], n_classes: int, small: float
) -> Cells:
    """Part the cases by a column: a cell for each category, or for each of Holte's intervals."""
    if column.categories is not None:
        n_cells = len(column.categories)
        return Cells(np.empty(0), count_classes(column.values, classes, weights, n_cells, n_classes))
    order = np.argsort(column.values)  # missing values come last
    known = order[: order.size - np.count_nonzero(column.missing)]
    values = column.values[known]
    starts = interval_starts(values, classes[known], weights[known], n_classes, small)
    intervals = np.full(column.values.size, -1, dtype=np.int32)
    intervals[known] = np.searchsorted(starts, np.arange(known.size), side="right")
    cuts = _between(values[starts - 1], values[starts])
    return Cells(cuts, count_classes(intervals, classes, weights, starts.size + 1, n_classes))


def _between(low: NDArray[np.float64], high: NDArray[np.float64]) -> NDArray[np.float64]:
    middle = low / 2 + high / 2
    # neighbouring floats have no number between them: then the higher one itself starts its interval
    return np.where((low < middle) & (middle <= high), middle, high)
