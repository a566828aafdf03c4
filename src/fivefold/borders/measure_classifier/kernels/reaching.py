"""How far the cases are from the border, kept up to date while the border moves.

A right case lies inside of its class, a wrong one outside; either way what counts is the nearest edge that has its
class on exactly one side.
"""

from __future__ import annotations

import numba
import numpy as np
from numpy.typing import NDArray

from fivefold.borders.measure_classifier.structures import Cases, Change, Mesh, Paint

Floats = NDArray[np.float64]
Ints = NDArray[np.int32]


@numba.njit(cache=True)
def _splits(labels: Ints, sides: Ints, label: int) -> bool:
    return bool((labels[sides[0]] == label) != (labels[sides[1]] == label))


@numba.njit(cache=True)
def _reach(point: Floats, ends: Floats) -> float:
    """Square of the distance from a point to a segment."""
    along, up = ends[2] - ends[0], ends[3] - ends[1]
    x, y = point[0] - ends[0], point[1] - ends[1]
    share = min(1.0, max(0.0, (x * along + y * up) / (along * along + up * up)))
    x, y = x - share * along, y - share * up
    return float(x * x + y * y)


@numba.njit(cache=True)
def _look(mesh: Mesh, cases: Cases, case: int, edges: Ints) -> None:
    """Let a case know of edges that may be nearer than the one it has."""
    for edge in edges:
        square = _reach(cases.points[case], mesh.ends[edge])
        if square < cases.trial_squares[case]:
            cases.trial_squares[case], cases.trial_nearest[case] = square, edge


@numba.njit(cache=True)
def _new_edges(mesh: Mesh, paint: Paint, change: Change, label: int) -> Ints:
    """Edges that bound a class now and did not before."""
    size = 0
    for edge in change.edges[: change.sizes[1]]:
        sides = mesh.sides[edge]
        if _splits(paint.labels, sides, label) and not _splits(paint.kept, sides, label):
            change.picked[size] = edge
            size += 1
    return change.picked[:size]


@numba.njit(cache=True)
def _all_edges(mesh: Mesh, paint: Paint, change: Change, label: int) -> Ints:
    """Every edge that bounds a class."""
    size = 0
    for edge in paint.border[: paint.counts[0] + paint.counts[1]]:
        if _splits(paint.labels, mesh.sides[edge], label):
            change.picked[size] = edge
            size += 1
    return change.picked[:size]


@numba.njit(cache=True)
def _box(mesh: Mesh, edges: Ints) -> tuple[float, float, float, float]:
    left, bottom, right, top = np.inf, np.inf, -np.inf, -np.inf
    for edge in edges:
        ends = mesh.ends[edge]
        left, right = min(left, ends[0], ends[2]), max(right, ends[0], ends[2])
        bottom, top = min(bottom, ends[1], ends[3]), max(top, ends[1], ends[3])
    return left, bottom, right, top


@numba.njit(cache=True)
def _reach_class(mesh: Mesh, paint: Paint, change: Change, cases: Cases, label: int) -> None:
    """Update the cases of one class: from the new edges, or from all where the nearest has gone."""
    first, last = cases.starts[label], cases.starts[label + 1]
    new = _new_edges(mesh, paint, change, label)
    left, bottom, right, top = _box(mesh, new)
    lost = 0
    for case in range(first, last):
        edge = cases.trial_nearest[case]
        if edge >= 0 and not _splits(paint.labels, mesh.sides[edge], label):
            cases.trial_nearest[case], cases.trial_squares[case] = -1, np.inf
            lost += 1
            continue
        x, y = cases.points[case]
        x, y = max(left - x, 0.0, x - right), max(bottom - y, 0.0, y - top)
        if x * x + y * y < cases.trial_squares[case]:
            _look(mesh, cases, case, new)
    if lost:
        every = _all_edges(mesh, paint, change, label)
        for case in range(first, last):
            if cases.trial_nearest[case] < 0:
                _look(mesh, cases, case, every)


@numba.njit(cache=True)
def reach_border(mesh: Mesh, paint: Paint, change: Change, cases: Cases) -> None:
    """Bring the distances on trial up to the paint on trial."""
    for case in range(cases.classes.size):
        cases.trial_nearest[case], cases.trial_squares[case] = cases.nearest[case], cases.squares[case]
    for label in range(cases.starts.size - 1):
        _reach_class(mesh, paint, change, cases, label)
    for case in range(cases.classes.size):
        cases.distances[case] = np.sqrt(cases.trial_squares[case])


@numba.njit(cache=True)
def count_right(paint: Paint, cases: Cases) -> int:
    """Mark the cases that the paint on trial gets right, and count them."""
    total = 0
    for case in range(cases.classes.size):
        right = paint.labels[cases.triangles[case]] == cases.classes[case]
        cases.right[case] = right
        total += right
    return total
