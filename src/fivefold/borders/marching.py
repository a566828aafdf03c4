"""Marching squares on labels: where classes change on the edges of cells, and how the places are joined."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from fivefold.borders.asking import Asker
from fivefold.borders.partition import Segments

Floats = NDArray[np.float64]
Codes = NDArray[np.int32]
Ints = NDArray[np.int64]

_CORNERS = np.array([(0, 0), (1, 0), (1, 1), (0, 1)])
_HALVINGS, _FEWEST_HALVINGS = 24, 4
_MOST_QUESTIONS = 500_000


def corners_of(cells: Ints, grid: int) -> Ints:
    """Number the corners of cells, counter-clockwise from the lower left."""
    i, j = cells // grid, cells % grid
    return np.asarray((i[:, np.newaxis] + _CORNERS[:, 0]) * (grid + 1) + j[:, np.newaxis] + _CORNERS[:, 1])


def grid_points(asker: Asker, grid: int, steps: Any) -> Floats:
    """Give the places that are so many steps along each axis."""
    low, high = asker.window.unit_low, asker.window.unit_high
    return np.asarray(low + np.asarray(steps) / grid * (high - low))


def corner_points(asker: Asker, grid: int, corners: Ints) -> Floats:
    """Give the places of numbered corners."""
    return grid_points(asker, grid, np.column_stack([corners // (grid + 1), corners % (grid + 1)]))


def march(asker: Asker, grid: int, cells: Ints, labels: Codes) -> Segments:
    """Join the changes on the edges of mixed cells by segments.

    Two changes are joined; three meet at their mean, where three classes do; of four, those next to each corner
    that differs from the centre are joined, or all meet if the centre is like no corner.
    """
    crossed = labels != np.roll(labels, -1, axis=1)
    places = _changes(asker, grid, cells, labels, crossed)
    count = crossed.sum(axis=1)
    centre = np.full(cells.size, -1, dtype=np.int32)
    four = count == 4
    middles = np.column_stack([cells // grid, cells % grid])[four] + 0.5
    centre[four] = asker.answers(grid_points(asker, grid, middles))
    saddle = four & (labels == centre[:, np.newaxis]).any(axis=1)
    star = (count == 3) | (four & ~saddle)
    parts = [
        _joined(places[count == 2], crossed[count == 2], labels[count == 2]),
        _stars(places[star], crossed[star], labels[star]),
        _cut_corners(places[saddle], labels[saddle], centre[saddle]),
    ]
    return Segments(
        np.concatenate([ends for ends, _ in parts]), np.concatenate([sides for _, sides in parts])
    )


def _changes(asker: Asker, grid: int, cells: Ints, labels: Codes, crossed: NDArray[np.bool_]) -> Floats:
    """Find by bisection where the class changes on each crossed edge; (m, 4, 2), NaN where not crossed."""
    corners = corners_of(cells, grid)
    starts, ends = corners[crossed], np.roll(corners, -1, axis=1)[crossed]
    first = np.where(starts < ends, labels[crossed], np.roll(labels, -1, axis=1)[crossed])
    # an edge is known by its lower corner and by whether it is upright
    numbers = 2 * np.minimum(starts, ends) + (np.abs(ends - starts) == 1)
    edges, one, back = np.unique(numbers, return_index=True, return_inverse=True)
    near = corner_points(asker, grid, edges // 2)
    far = corner_points(asker, grid, edges // 2 + np.where(edges % 2, 1, grid + 1))
    # where borders are everywhere, their places need not be known that well
    for _ in range(int(np.clip(_MOST_QUESTIONS // max(edges.size, 1), _FEWEST_HALVINGS, _HALVINGS))):
        middle = (near + far) / 2
        same = (asker.answers(middle) == first[one])[:, np.newaxis]
        near, far = np.where(same, middle, near), np.where(same, far, middle)
    places = np.full((*labels.shape, 2), np.nan)
    places[crossed] = ((near + far) / 2)[back.reshape(-1)]
    return places


def _joined(places: Floats, crossed: NDArray[np.bool_], labels: Codes) -> tuple[Floats, Codes]:
    first = crossed.argmax(axis=1)
    rows = np.arange(first.size)
    sides = np.column_stack([labels[rows, first], labels[rows, (first + 1) % 4]])
    return places[crossed].reshape(-1, 2, 2), sides


def _stars(places: Floats, crossed: NDArray[np.bool_], labels: Codes) -> tuple[Floats, Codes]:
    if not places.shape[0]:
        return np.empty((0, 2, 2)), np.empty((0, 2), dtype=np.int32)
    meeting = np.broadcast_to(np.nanmean(places, axis=1)[:, np.newaxis, :], places.shape)
    ends = np.stack([places[crossed], meeting[crossed]], axis=1)
    return ends, np.column_stack([labels[crossed], np.roll(labels, -1, axis=1)[crossed]])


def _cut_corners(places: Floats, labels: Codes, centre: Codes) -> tuple[Floats, Codes]:
    off = labels != centre[:, np.newaxis]
    ends = np.stack([places[off], np.roll(places, 1, axis=1)[off]], axis=1)
    beside = np.broadcast_to(centre[:, np.newaxis], labels.shape)[off]
    return ends, np.column_stack([labels[off], beside])
