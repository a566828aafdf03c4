"""Regions in any number of dimensions, made of boxes."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fivefold.borders.measure_classifier.climbing import State
from fivefold.borders.measure_classifier.kernels.boxing import (
    border_area,
    climb_boxes,
    join_boxes,
    reach_boxes,
    try_box,
)
from fivefold.borders.measure_classifier.regions import BoxRegions, cells_of
from fivefold.borders.measure_classifier.structures import BoxCases

Floats = NDArray[np.float64]
Ints = NDArray[np.int32]


class Boxes:
    """Regions made of boxes and their distances to training cases, changed by one box at a time.

    Parameters
    ----------
    points : ndarray of shape (N, d)
        The training cases, scaled to [0, 1].
    classes : ndarray of shape (N,)
        Their classes as numbers from 0.
    start : int
        The class that everything has at first.
    side : int
        Steps of the lattice along each feature.
    margin : float
        How far the window reaches beyond [0, 1].
    """

    def __init__(self, points: Floats, classes: Ints, start: int, side: int, margin: float) -> None:
        self.low, self.step, self._side = -margin, (1 + 2 * margin) / side, side
        n, d = points.shape
        self.boxes = np.array([[0] * d + [side] * d + [start]], dtype=np.int32)
        answers = np.full(n, start, dtype=np.int32)
        right, distances = np.zeros(n, dtype=np.bool_), np.zeros(n)
        self._cases = BoxCases(
            np.ascontiguousarray(points),
            cells_of(points, side, self.low, self.step),
            classes,
            answers,
            answers.copy(),
            right,
            distances,
        )
        self._trial = self.boxes

    @property
    def border_size(self) -> float:
        """Area of the border; in one dimension the number of its points."""
        return border_area(self.boxes, self.step)

    def state(self) -> State:
        """Give each training case's answer and distance to the border of its class, and the border's area."""
        self._cases.right[:] = self._cases.answers == self._cases.classes
        reach_boxes(self.boxes, self._cases, self.low, self.step)
        return self._cases.answers.copy(), self._cases.distances.copy(), self.border_size

    def regions(self) -> BoxRegions:
        """Give the regions as they are now."""
        return BoxRegions(self._side, self.low, self.step, self.boxes.copy())

    def climb(self, shapes: Ints, weights: Floats, value: float) -> Floats:
        """Keep the boxes that raise the measure, in turn; give their measures, NaN for the others."""
        values = np.empty(len(shapes))
        self.boxes = climb_boxes(self.boxes, self._cases, shapes, self.low, self.step, weights, value, values)
        return values

    def trial(self, shape: Ints) -> State | None:
        """Put one box on trial; give answers, distances and size, or None if nothing changes."""
        value, self._trial = try_box(
            self.boxes, self._cases, shape, self.low, self.step, np.zeros(6), -np.inf
        )
        if value == -np.inf:
            return None
        size = border_area(self._trial, self.step)
        return self._cases.trial_answers.copy(), self._cases.distances.copy(), size

    def keep(self) -> None:
        """Accept what is on trial."""
        self.boxes = join_boxes(self._trial)
        self._cases.answers[:] = self._cases.trial_answers

    def drop(self) -> None:
        """Take what is on trial off again."""
        self._trial = self.boxes
