"""Regions in the plane, made of the triangles of a lattice."""

from __future__ import annotations

from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from fivefold.borders.measure_classifier.climbing import State
from fivefold.borders.measure_classifier.kernels.climbing import border_length, climb, keep_trial, try_shape
from fivefold.borders.measure_classifier.kernels.painting import drop_shape
from fivefold.borders.measure_classifier.lattice import locate, make_mesh
from fivefold.borders.measure_classifier.regions import TriangleRegions
from fivefold.borders.measure_classifier.structures import Cases, Change, Paint

Floats = NDArray[np.float64]
Ints = NDArray[np.int32]
T = TypeVar("T", bound=np.generic)


class Triangles:
    """Regions of the plane and their distances to training cases, changed by one rectangle at a time.

    Parameters
    ----------
    points : ndarray of shape (N, 2)
        The training cases, scaled to [0, 1].
    classes : ndarray of shape (N,)
        Their classes as numbers from 0.
    n_classes : int
        How many classes there are.
    start : int
        The class that everything has at first.
    side : int
        Squares of the lattice in a row.
    margin : float
        How far the window reaches beyond [0, 1].
    """

    def __init__(
        self, points: Floats, classes: Ints, n_classes: int, start: int, side: int, margin: float
    ) -> None:
        self.low, self.step = -margin, (1 + 2 * margin) / side
        self.mesh = make_mesh(side, self.low, self.step)
        n_edges, n_triangles = len(self.mesh.sides), len(self.mesh.edges)
        label = np.full(n_triangles, start, dtype=np.int32)
        self._paint = Paint(
            label,
            label.copy(),
            np.zeros(n_edges, dtype=np.int32),
            np.full(n_edges, -1, dtype=np.int32),
            np.zeros(2, dtype=np.int64),
        )
        self._change = Change(
            np.zeros(n_triangles, dtype=np.int32),
            np.zeros(n_edges, dtype=np.int32),
            np.zeros(3, dtype=np.int64),
            np.zeros(n_edges, dtype=np.int64),
            np.zeros(n_edges, dtype=np.int32),
        )
        self._order = np.argsort(classes, kind="stable")
        self._cases = self._sort(points[self._order], classes[self._order], n_classes)

    def _sort(self, points: Floats, classes: Ints, n_classes: int) -> Cases:
        n = len(classes)
        return Cases(
            np.ascontiguousarray(points),
            classes,
            locate(points, self.mesh, self.low, self.step),
            np.searchsorted(classes, np.arange(n_classes + 1)).astype(np.int32),
            np.full(n, -1, dtype=np.int32),
            np.full(n, -1, dtype=np.int32),
            np.full(n, np.inf),
            np.full(n, np.inf),
            np.zeros(n, dtype=np.bool_),
            np.zeros(n),
        )

    @property
    def border_size(self) -> float:
        """Length of the border."""
        return border_length(self._paint, self.step)

    def state(self) -> State:
        """Give each training case's answer and distance to the border of its class, and the border's length."""
        answers = self._paint.kept[self._cases.triangles]
        return self._given_order(answers), self._given_order(np.sqrt(self._cases.squares)), self.border_size

    def regions(self) -> TriangleRegions:
        """Give the regions as they are now."""
        return TriangleRegions(self.mesh.side, self.low, self.step, self._paint.kept.copy())

    def climb(self, shapes: Ints, weights: Floats, value: float) -> Floats:
        """Keep the rectangles that raise the measure, in turn; give their measures, NaN for the others."""
        values = np.empty(len(shapes))
        climb(self.mesh, self._paint, self._change, self._cases, shapes, self.step, weights, value, values)
        return values

    def trial(self, shape: Ints) -> State | None:
        """Put one rectangle on trial; give answers, distances and size, or None if nothing changes."""
        weights = np.zeros(6)
        value = try_shape(
            self.mesh, self._paint, self._change, self._cases, shape, self.step, weights, -np.inf
        )
        if value == -np.inf:
            return None
        answers = self._paint.labels[self._cases.triangles]
        return self._given_order(answers), self._given_order(self._cases.distances), self.border_size

    def keep(self) -> None:
        """Accept what is on trial."""
        keep_trial(self._paint, self._change, self._cases)

    def drop(self) -> None:
        """Take what is on trial off again."""
        drop_shape(self.mesh, self._paint, self._change)

    def _given_order(self, values: NDArray[T]) -> NDArray[T]:
        given = np.empty_like(values)
        given[self._order] = values
        return given
