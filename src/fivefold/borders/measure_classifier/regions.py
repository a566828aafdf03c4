"""Fitted regions: which class a place has, and where the borders run."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from fivefold.borders.boxes import BoxPartition
from fivefold.borders.measure_classifier.kernels.boxing import label_cells
from fivefold.borders.measure_classifier.lattice import corners, locate, make_mesh
from fivefold.borders.partition import BorderSize, Segments
from fivefold.borders.planar import PlanarPartition

Floats = NDArray[np.float64]
Ints = NDArray[np.int32]


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
        borders = self.segments()
        size = BorderSize(float(borders.lengths.sum()), "exact, on a lattice of triangles")
        return PlanarPartition(borders, size, self.answers)

    def corners(self) -> Floats:
        """Give the corners of every triangle, shape (4 side^2, 3, 2)."""
        return corners(make_mesh(self.side, self.low, self.step), self.low, self.step)


@dataclass(frozen=True, eq=False)
class BoxRegions:
    """Regions in any number of dimensions, made of boxes that do not overlap.

    Parameters
    ----------
    side : int
        Steps of the lattice along each feature.
    low, step : float
        Where the window begins, and the width of a step.
    boxes : ndarray of shape (m, 2 d + 1)
        Lower bounds, upper bounds, in steps, and class of each box.
    """

    side: int
    low: float
    step: float
    boxes: Ints = field(repr=False)

    def answers(self, U: Floats) -> Ints:
        """Give the class of any points; outside of the window that of its nearest place."""
        return label_cells(self.boxes, cells_of(U, self.side, self.low, self.step))

    def partition(self) -> BoxPartition:
        """Give the regions as the border measures take them."""
        d = self.boxes.shape[1] // 2
        ends = self.low + self.step * self.boxes.astype(np.float64)
        low, high = np.ascontiguousarray(ends[:, :d]), np.ascontiguousarray(ends[:, d : 2 * d])
        return BoxPartition(low, high, np.ascontiguousarray(self.boxes[:, 2 * d]), self.answers)


def cells_of(points: Floats, side: int, low: float, step: float) -> Ints:
    """Find the step of the lattice that each point lies in along each feature."""
    cells = np.clip(np.floor((points - low) / step), 0, side - 1)
    return np.ascontiguousarray(cells, dtype=np.int32)
