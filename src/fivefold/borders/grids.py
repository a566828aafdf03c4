"""Regions on a grid of all cuts of a model: forests, boosted trees, rules and single cuts, exactly."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from fivefold.borders.asking import Asker
from fivefold.borders.kernels.nearest import nearest_box
from fivefold.borders.partition import BorderSize, Segments, require_plane

Floats = NDArray[np.float64]
Codes = NDArray[np.int32]


class GridPartition:
    """Cells between cuts along each axis, each of one class.

    Parameters
    ----------
    edges : sequence of ndarray
        The cuts along each axis, with both ends of the window, ascending.
    labels : ndarray of int
        The class of each cell.
    answers : callable
        The class of each point.
    method : str
        How the cuts were found.
    error : float
        What is known of the error in their number.
    """

    def __init__(
        self,
        edges: Sequence[Floats],
        labels: Codes,
        answers: Callable[[Floats], Codes],
        method: str = "exact, on the grid of all cuts",
        error: float = 0.0,
    ) -> None:
        self._edges, self._labels, self._answers = edges, labels, answers
        self._method, self._error = method, error
        self.distance_method = method.partition(",")[0]
        self._low, self._high, self._cells = self._border_cells()

    def answers(self, U: Floats) -> Codes:
        """Give the class of each point."""
        return self._answers(U)

    def size(self) -> BorderSize:
        """Give the size of all faces between neighbouring cells of different classes."""
        total = 0.0
        for axis in range(self._labels.ndim):
            faces: Floats = self._changes(axis).astype(np.float64)
            for other in reversed(range(self._labels.ndim)):
                # the widths of the last axis that is left are summed away first; the axis itself has none
                widths = np.diff(self._edges[other]) if other != axis else np.ones(faces.shape[other])
                faces = faces @ widths
            total += float(faces)
        return BorderSize(total, self._method, self._error)

    def segments(self) -> Segments:
        """Give the faces between cells of different classes, if this is a plane."""
        require_plane(self._labels.ndim)
        ends, sides = [], []
        for axis in (0, 1):
            where = np.nonzero(self._changes(axis))
            along = where[1 - axis]
            segment = np.empty((along.size, 2, 2))
            segment[:, :, axis] = self._edges[axis][where[axis] + 1][:, np.newaxis]
            segment[:, 0, 1 - axis] = self._edges[1 - axis][along]
            segment[:, 1, 1 - axis] = self._edges[1 - axis][along + 1]
            after = tuple(place + (i == axis) for i, place in enumerate(where))
            ends.append(segment)
            sides.append(np.column_stack([self._labels[where], self._labels[after]]))
        return Segments(np.concatenate(ends), np.concatenate(sides))

    def distances(self, U: Floats, answers: Codes, wanted: Codes) -> Floats:
        """Give the distance to the nearest cell of the wanted class."""
        return nearest_box(U, self._low, self._high, self._cells, answers, wanted)

    def _changes(self, axis: int) -> NDArray[np.bool_]:
        labels = np.moveaxis(self._labels, axis, 0)
        return np.asarray(np.moveaxis(labels[1:] != labels[:-1], 0, axis))

    def _border_cells(self) -> tuple[Floats, Floats, Codes]:
        """Give the cells with a neighbour of another class: no other is nearest to a point outside it."""
        on_border = np.zeros(self._labels.shape, dtype=bool)
        for axis in range(self._labels.ndim):
            changes, cells = np.moveaxis(self._changes(axis), axis, 0), np.moveaxis(on_border, axis, 0)
            cells[1:] |= changes
            cells[:-1] |= changes
        where = np.nonzero(on_border)
        low = np.column_stack([edges[place] for edges, place in zip(self._edges, where, strict=True)])
        high = np.column_stack([edges[place + 1] for edges, place in zip(self._edges, where, strict=True)])
        return low, high, self._labels[where]


def grid_partition(cuts: Sequence[Floats], asker: Asker, max_cells: int) -> GridPartition | None:
    """Ask a model for the class of each cell between its cuts; None if there are too many cells."""
    low, high = asker.window.unit_low, asker.window.unit_high
    edges = [
        np.concatenate([[a], np.unique(inner[(inner > a) & (inner < b)]), [b]])
        for inner, a, b in zip(cuts, low, high, strict=True)
    ]
    shape = tuple(edge.size - 1 for edge in edges)
    if np.prod(shape, dtype=np.float64) > max_cells:
        return None
    middles = np.meshgrid(*[(edge[1:] + edge[:-1]) / 2 for edge in edges], indexing="ij")
    labels = asker.answers(np.column_stack([middle.ravel() for middle in middles]))
    return GridPartition(edges, labels.reshape(shape), asker.answers)
