"""Paint rectangles on a mesh of triangles, and take the paint off again."""

from __future__ import annotations

import numba
import numpy as np
from numpy.typing import NDArray

from fivefold.borders.measure_classifier.structures import Change, Mesh, Paint

Ints = NDArray[np.int32]
TILTED = 1


@numba.njit(cache=True)
def _mark(paint: Paint, change: Change, triangle: int, label: int) -> None:
    if paint.labels[triangle] != label:
        change.triangles[change.sizes[0]] = triangle
        change.sizes[0] += 1


@numba.njit(cache=True)
def _pick_triangles(mesh: Mesh, paint: Paint, change: Change, shape: Ints) -> None:
    """List the triangles inside of a rectangle that do not have its class yet.

    A tilted rectangle holds whole cells of x + y and x - y, of which each is two triangles.
    """
    side, label = mesh.side, shape[5]
    change.sizes[0] = 0
    for first in range(shape[1], shape[2]):
        for second in range(shape[3], shape[4]):
            if shape[0] != TILTED:
                square = 4 * (first + side * second)
                for part in range(4):
                    _mark(paint, change, square + part, label)
                continue
            odd = (first + second) & 1
            i, j = (first - odd + second) >> 1, (first - odd - second) >> 1
            if 0 <= i < side and 0 <= j < side:
                _mark(paint, change, 4 * (i + side * j) + odd, label)
            i, j = i + odd, j - 1 + odd
            if 0 <= i < side and 0 <= j < side:
                _mark(paint, change, 4 * (i + side * j) + 2 + odd, label)


@numba.njit(cache=True)
def _settle_edge(mesh: Mesh, paint: Paint, edge: int) -> None:
    """Enter an edge in the border, or strike it out, as the labels of its sides say."""
    divides = paint.labels[mesh.sides[edge, 0]] != paint.labels[mesh.sides[edge, 1]]
    place, kind = paint.place[edge], int(edge >= mesh.n_straight)
    size = paint.counts[0] + paint.counts[1]
    if divides and place < 0:
        paint.border[size] = edge
        paint.place[edge] = size
        paint.counts[kind] += 1
    elif not divides and place >= 0:
        last = paint.border[size - 1]
        paint.border[place] = last
        paint.place[last] = place
        paint.place[edge] = -1
        paint.counts[kind] -= 1


@numba.njit(cache=True)
def paint_shape(mesh: Mesh, paint: Paint, change: Change, shape: Ints) -> bool:
    """Put a rectangle on trial; False if it changes nothing.

    Parameters
    ----------
    mesh, paint, change
        The lattice, what is painted on it, and room for what changes.
    shape : ndarray of shape (6,)
        1 if tilted; then the bounds of x and y, or of x + y and x - y, in steps of the lattice; then the class.
    """
    _pick_triangles(mesh, paint, change, shape)
    change.sizes[1] = 0
    change.sizes[2] += 1
    for index in range(change.sizes[0]):
        triangle = change.triangles[index]
        paint.labels[triangle] = shape[5]
        for corner in range(3):
            edge = mesh.edges[triangle, corner]
            if edge >= 0 and change.stamp[edge] != change.sizes[2]:
                change.stamp[edge] = change.sizes[2]
                change.edges[change.sizes[1]] = edge
                change.sizes[1] += 1
    for index in range(change.sizes[1]):
        _settle_edge(mesh, paint, change.edges[index])
    return bool(change.sizes[0] > 0)


@numba.njit(cache=True)
def keep_shape(paint: Paint, change: Change) -> None:
    """Accept what is on trial."""
    for index in range(change.sizes[0]):
        triangle = change.triangles[index]
        paint.kept[triangle] = paint.labels[triangle]


@numba.njit(cache=True)
def drop_shape(mesh: Mesh, paint: Paint, change: Change) -> None:
    """Take what is on trial off again."""
    for index in range(change.sizes[0]):
        triangle = change.triangles[index]
        paint.labels[triangle] = paint.kept[triangle]
    for index in range(change.sizes[1]):
        _settle_edge(mesh, paint, change.edges[index])
