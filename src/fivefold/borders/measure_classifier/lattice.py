"""A window cut into squares and triangles, on which straight and tilted rectangles are painted exactly."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fivefold.borders.measure_classifier.structures import Mesh

Floats = NDArray[np.float64]
Ints = NDArray[np.int32]
Places = NDArray[np.intp]

# Triangles of a square: bottom, right, top, left.
_CORNERS = ((1, 0), (1, 1), (0, 1), (0, 0))


@lru_cache(maxsize=4)
def make_mesh(side: int, low: float, step: float) -> Mesh:
    """Cut the square from `low` into `side` squares a row of width `step`, and each into four triangles.

    Parameters
    ----------
    side : int
        Squares in a row.
    low : float
        Where the window begins, in x and in y.
    step : float
        Width of a square.

    Examples
    --------
    >>> mesh = make_mesh(2, 0.0, 0.5)
    >>> len(mesh.edges), mesh.n_straight, len(mesh.sides)
    (16, 4, 20)
    """
    i, j = (axis.ravel() for axis in np.meshgrid(np.arange(side), np.arange(side)))
    square = 4 * (i + side * j)
    parts = [_upright(i, j, square, side), _level(i, j, square, side)]
    n_straight = sum(len(sides) for sides, _ in parts)
    parts += [_diagonal(i, j, square, part) for part in range(4)]
    sides = np.concatenate([part[0] for part in parts]).astype(np.int32)
    ends = low + step * np.concatenate([part[1] for part in parts])
    return Mesh(side, sides, ends, _edges_of_triangles(sides, 4 * side * side), n_straight)


def locate(points: Floats, mesh: Mesh, low: float, step: float) -> Ints:
    """Find the triangle of each point; a point outside belongs to the nearest square of the window."""
    place = (points - low) / step
    square = np.clip(np.floor(place), 0, mesh.side - 1)
    x, y = (place - square).T
    below, before = y <= x, x + y <= 1
    part = np.where(below, np.where(before, 0, 1), np.where(before, 3, 2))
    i, j = square.astype(np.int64).T
    return np.asarray(4 * (i + mesh.side * j) + part, dtype=np.int32)


def corners(mesh: Mesh, low: float, step: float) -> Floats:
    """Give the corners of every triangle, shape (4 G^2, 3, 2)."""
    squares = np.arange(mesh.side**2)
    base = np.stack([squares % mesh.side, squares // mesh.side], axis=1)
    offsets = np.array([[_CORNERS[part - 1], _CORNERS[part], (0.5, 0.5)] for part in range(4)])
    places = (base[:, None, None, :] + offsets).reshape(-1, 3, 2)
    return np.asarray(low + step * places)


def _upright(i: Places, j: Places, square: Places, side: int) -> tuple[Places, Floats]:
    inner = i < side - 1
    i, j, square = i[inner], j[inner], square[inner]
    return np.stack([square + 1, square + 7], axis=1), _ends(i + 1, j, i + 1, j + 1)


def _level(i: Places, j: Places, square: Places, side: int) -> tuple[Places, Floats]:
    inner = j < side - 1
    i, j, square = i[inner], j[inner], square[inner]
    return np.stack([square + 2, square + 4 * side], axis=1), _ends(i, j + 1, i + 1, j + 1)


def _diagonal(i: Places, j: Places, square: Places, part: int) -> tuple[Places, Floats]:
    """Halves of diagonals, from the centre to the corner between two neighbouring triangles."""
    across, up = _CORNERS[part]
    sides = np.stack([square + part, square + (part + 1) % 4], axis=1)
    return sides, _ends(i + 0.5, j + 0.5, i + across, j + up)


def _ends(*columns: NDArray[Any]) -> Floats:
    return np.stack(columns, axis=1).astype(np.float64)


def _edges_of_triangles(sides: Ints, n_triangles: int) -> Ints:
    edges = np.full((n_triangles, 3), -1, dtype=np.int32)
    both = np.concatenate([sides[:, 0], sides[:, 1]])
    order = np.argsort(both, kind="stable")
    triangles = both[order]
    starts = np.searchsorted(triangles, np.arange(n_triangles))
    edges[triangles, np.arange(len(both)) - starts[triangles]] = order % len(sides)
    return edges
