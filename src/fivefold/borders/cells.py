"""Convex cells of linear models in three and more dimensions."""

from __future__ import annotations

from itertools import combinations

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import null_space
from scipy.optimize import linprog, nnls
from scipy.spatial import ConvexHull, HalfspaceIntersection

from fivefold.borders.asking import Asker
from fivefold.borders.partition import BorderSize

Floats = NDArray[np.float64]
Codes = NDArray[np.int32]

MOST_COLUMNS = 8
_TINY = 1e-10


class CellPartition:
    """The cells where each of some linear functions is the lowest, cut off at the window.

    Parameters
    ----------
    gradients, heights : ndarray of shape (c, d) and (c,)
        The functions, one for each class.
    codes : ndarray of int
        The numbers of the classes.
    asker : Asker
        The model.
    """

    distance_method = "exact"

    def __init__(self, gradients: Floats, heights: Floats, codes: Codes, asker: Asker) -> None:
        self._gradients, self._heights, self._codes, self._asker = gradients, heights, codes, asker
        d = gradients.shape[1]
        low, high = asker.window.unit_low, asker.window.unit_high
        self._walls = np.vstack([np.eye(d), -np.eye(d)]), np.concatenate([high, -low])

    def answers(self, U: Floats) -> Codes:
        """Give the class of each point."""
        return self._asker.answers(U)

    def size(self) -> BorderSize:
        """Give the content of all facets between cells."""
        pairs = combinations(range(self._heights.size), 2)
        return BorderSize(sum(self._facet(i, j) for i, j in pairs), "exact, by planes")

    def distances(self, U: Floats, answers: Codes, wanted: Codes) -> Floats:
        """Give the distance to the cell of the wanted class, or out of the cell of the answer."""
        place = {int(code): i for i, code in enumerate(self._codes)}
        out = np.full(U.shape[0], np.inf)
        for row, (u, answer, goal) in enumerate(zip(U, answers.tolist(), wanted.tolist(), strict=True)):
            if goal < 0:
                out[row] = self._way_out(u, place[answer])
            elif goal in place:
                others = np.delete(np.arange(self._heights.size), place[goal])
                out[row] = self._way_to(u, place[goal], others)
        return out

    def _way_out(self, u: Floats, i: int) -> float:
        """The cell is convex, so the nearest place outside it lies beyond one of its planes."""
        gradients = self._gradients - self._gradients[i]
        rise = gradients @ u + self._heights - self._heights[i]
        steep = np.sqrt(np.sum(gradients**2, axis=1))
        away = np.divide(rise, steep, out=np.full(rise.shape, np.inf), where=steep > 0)
        best = np.inf
        for j in np.argsort(away):
            if j == i or max(away[j], 0.0) >= best:
                continue
            foot = u - max(away[j], 0.0) * gradients[j] / steep[j]
            inside = (self._walls[0] @ foot <= self._walls[1]).all()
            best = min(best, max(away[j], 0.0) if inside else self._way_to(u, int(j), np.array([i])))
        return float(best)

    def _way_to(self, u: Floats, i: int, others: NDArray[np.intp]) -> float:
        """Give the distance to where function i is below some others."""
        normals = np.vstack([self._gradients[i] - self._gradients[others], self._walls[0]])
        bounds = np.concatenate([self._heights[others] - self._heights[i], self._walls[1]])
        return _distance_to_polytope(u, normals, bounds)

    def _facet(self, i: int, j: int) -> float:
        """Give the content of the facet between two cells, in coordinates of its own plane."""
        normal, shift = self._gradients[i] - self._gradients[j], self._heights[j] - self._heights[i]
        if not normal.any():
            return 0.0
        basis = null_space(normal[np.newaxis, :])
        origin = normal * shift / (normal @ normal)
        others = np.delete(np.arange(self._heights.size), [i, j])
        normals = np.vstack([self._gradients[i] - self._gradients[others], self._walls[0]])
        bounds = np.concatenate([self._heights[others] - self._heights[i], self._walls[1]])
        return _polytope_content(normals @ basis, bounds - normals @ origin)


def _distance_to_polytope(u: Floats, normals: Floats, bounds: Floats) -> float:
    """Least distance programming by non-negative least squares (Lawson and Hanson 1974, chapter 23)."""
    scale = np.sqrt(np.sum(normals**2, axis=1))
    flat = scale == 0
    if (bounds[flat] < 0).any():
        return np.inf
    normals, slack = normals[~flat] / scale[~flat, np.newaxis], (bounds - normals @ u)[~flat] / scale[~flat]
    system = np.vstack([-normals.T, -slack])
    goal = np.append(np.zeros(u.size), 1.0)
    weights, _ = nnls(system, goal)
    residual = system @ weights - goal
    if np.abs(residual).max() < _TINY:
        return np.inf
    return float(np.sqrt(np.sum((residual[:-1] / residual[-1]) ** 2)))


def _polytope_content(normals: Floats, bounds: Floats) -> float:
    """Give the content of {y: normals · y <= bounds}; zero if it is empty or flat."""
    scale = np.sqrt(np.sum(normals**2, axis=1))
    flat = scale < _TINY
    if (bounds[flat] < 0).any():
        return 0.0
    normals, bounds = normals[~flat] / scale[~flat, np.newaxis], bounds[~flat] / scale[~flat]
    d = normals.shape[1]
    centre = linprog(
        np.append(np.zeros(d), -1.0),
        A_ub=np.column_stack([normals, np.ones(bounds.size)]),
        b_ub=bounds,
        bounds=[(None, None)] * d + [(0, None)],
    )
    if not centre.success or centre.x[-1] < _TINY:
        return 0.0
    corners = HalfspaceIntersection(np.column_stack([normals, -bounds]), centre.x[:-1]).intersections
    return float(ConvexHull(corners).volume)
