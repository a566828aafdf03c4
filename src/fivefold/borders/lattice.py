"""Regions painted on a lattice, triangles in the plane and boxes elsewhere, and the climb that paints them."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from fivefold.borders import _lattice_kernels as kernels
from fivefold.borders.boxes import BoxPartition
from fivefold.borders.partition import Floats, PlanarPartition, Segments

Ints = NDArray[np.int32]

# Of a square's triangles (bottom, right, top, left), the corner that each shares with the next.
_CORNERS = ((1, 0), (1, 1), (0, 1), (0, 0))

State: TypeAlias = tuple[Ints, Floats, float]


class Mesh(NamedTuple):
    """The triangles of a lattice and the edges between them; nothing here ever changes.

    Square (i, j) is cut by both diagonals into the triangles 4 (i + G j) + 0, 1, 2, 3: bottom, right, top, left.

    side: Squares in a row, G.
    sides (E, 2): The two triangles of each edge.
    ends (E, 4): x, y of one end, then of the other.
    edges (4 G^2, 3): The edges of each triangle; -1 where it ends at the window.
    n_straight: How many edges lie between squares; the others, after them, are halves of diagonals.
    """

    side: int
    sides: Ints
    ends: Floats
    edges: Ints
    n_straight: int


@dataclass(frozen=True, eq=False)
class TriangleRegions:
    """Regions of the plane, made of the triangles of a lattice.

    Parameters
    ----------
    side : int
        Squares of the lattice in a row.
    low, step : float
        Where the window begins, and the width of a square.
    labels : ndarray of shape (4 side^2,)
        Class of each triangle, as a number.
    """

    side: int
    low: float
    step: float
    labels: Ints = field(repr=False)

    def answers(self, U: Floats) -> Ints:
        """Give the class of any points; outside of the window that of its nearest place."""
        mesh = make_mesh(self.side, self.low, self.step)
        inside = np.clip(U, self.low, self.low + self.side * self.step)
        return self.labels[locate(inside, mesh, self.low, self.step)]

    def segments(self) -> Segments:
        """Give the borders."""
        mesh = make_mesh(self.side, self.low, self.step)
        sides = self.labels[mesh.sides]
        divides = sides[:, 0] != sides[:, 1]
        return Segments(mesh.ends[divides].reshape(-1, 2, 2), sides[divides])

    def partition(self) -> PlanarPartition:
        """Give the regions as the border measures take them."""
        return PlanarPartition.exact(self.segments(), "on a lattice of triangles", self.answers)

    def corners(self) -> Floats:
        """Give the corners of every triangle, shape (4 side^2, 3, 2)."""
        squares = np.arange(self.side**2)
        base = np.stack([squares % self.side, squares // self.side], axis=1)
        offsets = np.array([[_CORNERS[part - 1], _CORNERS[part], (0.5, 0.5)] for part in range(4)])
        places = (base[:, None, None, :] + offsets).reshape(-1, 3, 2)
        return np.asarray(self.low + self.step * places)


@dataclass(frozen=True, eq=False)
class BoxRegions:
    """Regions in any number of dimensions, made of boxes that do not overlap.

    Parameters
    ----------
    side, low, step
        As in `TriangleRegions`, along each feature.
    boxes : ndarray of shape (m, 2 d + 1)
        Lower bounds, upper bounds, in steps, and class of each box.
    """

    side: int
    low: float
    step: float
    boxes: Ints = field(repr=False)

    def answers(self, U: Floats) -> Ints:
        """Give the class of any points; outside of the window that of its nearest place."""
        return kernels.label_cells(self.boxes, cells_of(U, self.side, self.low, self.step))

    def partition(self) -> BoxPartition:
        """Give the regions as the border measures take them."""
        d = self.boxes.shape[1] // 2
        ends = self.low + self.step * self.boxes.astype(np.float64)
        low, high = np.ascontiguousarray(ends[:, :d]), np.ascontiguousarray(ends[:, d : 2 * d])
        return BoxPartition(low, high, np.ascontiguousarray(self.boxes[:, 2 * d]), self.answers)


class Triangles:
    """Regions of the plane and their distances to training cases, changed by one rectangle at a time.

    The cases are scaled to [0, 1], the window reaches a margin beyond; at first everything has the class `start`.
    """

    def __init__(
        self, points: Floats, classes: Ints, n_classes: int, start: int, side: int, margin: float
    ) -> None:
        self.low, self.step = -margin, (1 + 2 * margin) / side
        self.mesh = make_mesh(side, self.low, self.step)
        self._paint = kernels.Paint(*self.mesh, start)
        self._triangles = locate(points, self.mesh, self.low, self.step)
        order = np.argsort(classes, kind="stable")
        self._given_order = np.argsort(order)
        starts = np.searchsorted(classes[order], np.arange(n_classes + 1)).astype(np.int32)
        points = np.ascontiguousarray(points[order])
        self._cases = kernels.LatticeCases(points, classes[order], self._triangles[order], starts)

    @property
    def border_size(self) -> float:
        """Length of the border."""
        return kernels.border_length(self._paint, self.step)

    def state(self) -> State:
        """Give each training case's answer and distance to the border of its class, and the border's length."""
        answers, distances = np.asarray(self._paint.kept), np.sqrt(self._cases.squares)
        return answers[self._triangles], distances[self._given_order], self.border_size

    def regions(self) -> TriangleRegions:
        """Give the regions as they are now."""
        return TriangleRegions(self.mesh.side, self.low, self.step, np.array(self._paint.kept))

    def climb(self, shapes: Ints, value: float, weights: Floats) -> Floats:
        """Keep the rectangles that raise the measure, in turn; give their measures, NaN for the others."""
        values = np.empty(len(shapes))
        kernels.climb(self._paint, self._cases, shapes, self.step, weights, value, values)
        return values

    def trial(self, shape: Ints) -> State | None:
        """Put one rectangle on trial; give answers, distances and size, or None if nothing changes."""
        if not kernels.paint_shape(self._paint, shape[None], 0):
            return None
        kernels.reach_border(self._paint, self._cases)
        answers, distances = np.asarray(self._paint.labels), np.asarray(self._cases.distances)
        return answers[self._triangles], distances[self._given_order], self.border_size

    def keep(self) -> None:
        """Accept what is on trial."""
        kernels.keep_trial(self._paint, self._cases)

    def drop(self) -> None:
        """Take what is on trial off again."""
        kernels.drop_shape(self._paint)


class Boxes:
    """Regions made of boxes and their distances to training cases, changed by one box at a time.

    The cases are scaled to [0, 1], the window reaches a margin beyond; at first everything has the class `start`.
    """

    def __init__(self, points: Floats, classes: Ints, start: int, side: int, margin: float) -> None:
        self.low, self.step, self._side = -margin, (1 + 2 * margin) / side, side
        d = points.shape[1]
        box = np.array([0] * d + [side] * d + [start], dtype=np.int32)
        cells = cells_of(points, side, self.low, self.step)
        self._classes = classes
        self._paint = kernels.BoxPaint(box, self.low, self.step, np.ascontiguousarray(points), cells, classes)

    @property
    def boxes(self) -> Ints:
        """The boxes as they are now: lower bounds, upper bounds and class of each."""
        return np.array(self._paint.boxes[: self._paint.n_boxes])

    @property
    def border_size(self) -> float:
        """Area of the border; in one dimension the number of its points."""
        return kernels.border_area(self.boxes, self.step)

    def state(self) -> State:
        """Give each training case's answer and distance to the border of its class, and the border's area."""
        answers = np.array(self._paint.answers)
        np.asarray(self._paint.right)[:] = answers == self._classes
        kernels.reach_boxes(self._paint, self.boxes)
        return answers, np.array(self._paint.distances), self.border_size

    def regions(self) -> BoxRegions:
        """Give the regions as they are now."""
        return BoxRegions(self._side, self.low, self.step, self.boxes)

    def climb(self, shapes: Ints, value: float, weights: Floats) -> Floats:
        """Keep the boxes that raise the measure, in turn; give their measures, NaN for the others."""
        values = np.empty(len(shapes))
        kernels.climb_boxes(self._paint, shapes, weights, value, values)
        return values

    def trial(self, shape: Ints) -> State | None:
        """Put one box on trial; give answers, distances and size, or None if nothing changes."""
        if not kernels.try_box(self._paint, shape[None]):
            return None
        size = kernels.border_area(self._paint.trial[: self._paint.n_trial], self.step)
        return np.array(self._paint.trial_answers), np.array(self._paint.distances), size

    def keep(self) -> None:
        """Accept what is on trial."""
        kernels.keep_boxes(self._paint)

    def drop(self) -> None:
        """Take what is on trial off again."""
        self._paint.n_trial = 0


@lru_cache(maxsize=4)
def make_mesh(side: int, low: float, step: float) -> Mesh:
    """Cut the square from `low` into `side` squares a row of width `step`, and each into four triangles.

    Examples
    --------
    >>> mesh = make_mesh(2, 0.0, 0.5)
    >>> len(mesh.edges), mesh.n_straight, len(mesh.sides)
    (16, 4, 20)
    """
    i, j = (axis.ravel() for axis in np.meshgrid(np.arange(side), np.arange(side)))
    # edges to the next square, to the square above, and halves of diagonals: of which squares, between which
    # triangles, numbered from a square's first on, and from where to where
    kinds = [
        (i < side - 1, (1, 7), (1, 0), (1, 1)),
        (j < side - 1, (2, 4 * side), (0, 1), (1, 1)),
        *((i >= 0, (part, (part + 1) % 4), (0.5, 0.5), _CORNERS[part]) for part in range(4)),
    ]
    all_sides, all_ends = [], []
    for chosen, pair, first, second in kinds:
        corner = np.stack([i[chosen], j[chosen]], axis=1)
        all_sides.append(4 * (corner @ (1, side))[:, None] + pair)
        all_ends.append(np.hstack([corner + first, corner + second]))
    sides = np.concatenate(all_sides).astype(np.int32)
    ends = low + step * np.concatenate(all_ends)
    return Mesh(side, sides, ends, _edges_of_triangles(sides, 4 * side * side), 2 * side * (side - 1))


def locate(points: Floats, mesh: Mesh, low: float, step: float) -> Ints:
    """Find the triangle of each point; a point outside belongs to the nearest square of the window."""
    place = (points - low) / step
    square = np.clip(np.floor(place), 0, mesh.side - 1)
    x, y = (place - square).T
    below, before = y <= x, x + y <= 1
    part = np.where(below, np.where(before, 0, 1), np.where(before, 3, 2))
    i, j = square.astype(np.int64).T
    return np.asarray(4 * (i + mesh.side * j) + part, dtype=np.int32)


def _edges_of_triangles(sides: Ints, n_triangles: int) -> Ints:
    edges = np.full((n_triangles, 3), -1, dtype=np.int32)
    both = np.concatenate([sides[:, 0], sides[:, 1]])
    order = np.argsort(both, kind="stable")
    triangles = both[order]
    starts = np.searchsorted(triangles, np.arange(n_triangles))
    edges[triangles, np.arange(len(both)) - starts[triangles]] = order % len(sides)
    return edges


def cells_of(points: Floats, side: int, low: float, step: float) -> Ints:
    """Find the step of the lattice that each point lies in along each feature."""
    cells = np.clip(np.floor((points - low) / step), 0, side - 1)
    return np.ascontiguousarray(cells, dtype=np.int32)
