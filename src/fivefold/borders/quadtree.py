"""Borders of any classifier in the plane: cells are split where labels differ, down to a fine grid."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fivefold.borders.asking import Asker
from fivefold.borders.marching import corner_points, corners_of, march
from fivefold.borders.partition import BorderSize
from fivefold.borders.planar import PlanarPartition

Floats = NDArray[np.float64]
Codes = NDArray[np.int32]
Ints = NDArray[np.int64]

_COARSEST = 64
_UNKNOWN = -1
# the cells below, right, above and left, in the order of the edges that marching uses
_ACROSS = ((0, -1), (1, 0), (0, 1), (-1, 0))
_AROUND = tuple((i, j) for i in (-1, 0, 1) for j in (-1, 0, 1))
_HALVES = ((0, 0), (0, 1), (1, 0), (1, 1))


@dataclass(frozen=True, eq=False)
class Mesh:
    """Some cells of a grid and the classes at their corners.

    Parameters
    ----------
    grid : int
        How many cells the whole grid has along each axis.
    cells : ndarray of int
        Their numbers, ascending: row times grid plus column.
    labels : ndarray of int of shape (m, 4)
        The classes at the corners, counter-clockwise from the lower left.
    """

    grid: int
    cells: Ints
    labels: Codes

    @property
    def mixed(self) -> NDArray[np.bool_]:
        """Which cells have corners of different classes."""
        return np.asarray((self.labels != self.labels[:, :1]).any(axis=1))


def adaptive_partition(asker: Asker, resolution: int, cases: Floats | None) -> PlanarPartition:
    r"""Find the borders of any classifier by its answers alone.

    Cells whose corners differ, and cells with a case whose answer their corners lack, are split with their
    neighbours until there are `resolution` to a side. Changes on edges are found by bisection and joined. Chords
    are shorter than the curves, so lengths at two resolutions are extrapolated: :math:`2 L(h/2) - L(h)`, with
    :math:`|L(h/2) - L(h)|` as the error. A region thinner than a cell may be missed, and no error tells.
    """
    answers = None if cases is None else asker.answers(cases)
    mesh = _trace(asker, min(_COARSEST, resolution), np.arange(min(_COARSEST, resolution) ** 2))
    coarse = mesh
    while mesh.grid < resolution:
        quarters = _split(mesh, asker, cases, answers)
        if not quarters.size:
            break
        coarse, mesh = mesh, _trace(asker, 2 * mesh.grid, quarters)
    fine = march(asker, mesh.grid, mesh.cells[mesh.mixed], mesh.labels[mesh.mixed])
    rough = march(asker, coarse.grid, coarse.cells[coarse.mixed], coarse.labels[coarse.mixed])
    first, second = float(rough.lengths.sum()), float(fine.lengths.sum())
    size = BorderSize(2 * second - first, "adaptive grid", abs(second - first))
    return PlanarPartition(fine, size, asker.answers)


def _trace(asker: Asker, grid: int, cells: Ints) -> Mesh:
    """Ask for the classes at the corners of cells, and follow borders into cells that were not given."""
    labels = np.full((grid + 1) ** 2, _UNKNOWN, dtype=np.int32)
    given = np.zeros(grid**2, dtype=bool)
    new = cells
    while new.size:
        given[new] = True
        corners = corners_of(new, grid)
        unknown = np.unique(corners[labels[corners] == _UNKNOWN])
        labels[unknown] = asker.answers(corner_points(asker, grid, unknown))
        beyond = _crossed_into(Mesh(grid, new, labels[corners]))
        new = beyond[~given[beyond]]
    all_cells = np.flatnonzero(given)
    return Mesh(grid, all_cells, labels[corners_of(all_cells, grid)])


def _crossed_into(mesh: Mesh) -> Ints:
    """Give the cells on the other side of edges that a border crosses."""
    crossed = mesh.labels != np.roll(mesh.labels, -1, axis=1)
    found = [_shifted(mesh.cells[crossed[:, e]], mesh.grid, step) for e, step in enumerate(_ACROSS)]
    return np.unique(np.concatenate(found))


def _shifted(cells: Ints, grid: int, step: tuple[int, int]) -> Ints:
    i, j = cells // grid + step[0], cells % grid + step[1]
    inside = (i >= 0) & (i < grid) & (j >= 0) & (j < grid)
    return np.asarray((i * grid + j)[inside])


def _split(mesh: Mesh, asker: Asker, cases: Floats | None, answers: Codes | None) -> Ints:
    """Give the quarters of all mixed cells and their neighbours."""
    wanted = [mesh.cells[mesh.mixed]]
    if cases is not None and answers is not None:
        wanted.append(_cells_of_strangers(mesh, asker, cases, answers))
    chosen = np.unique(np.concatenate(wanted))
    chosen = np.unique(np.concatenate([_shifted(chosen, mesh.grid, step) for step in _AROUND]))
    i, j = 2 * (chosen // mesh.grid), 2 * (chosen % mesh.grid)
    return np.unique(np.concatenate([(i + a) * 2 * mesh.grid + j + b for a, b in _HALVES]))


def _cells_of_strangers(mesh: Mesh, asker: Asker, cases: Floats, answers: Codes) -> Ints:
    """Give the cells with a case of a class that none of their corners has."""
    low, high = asker.window.unit_low, asker.window.unit_high
    steps = np.floor((cases - low) / (high - low) * mesh.grid).astype(np.int64)
    steps = np.clip(steps, 0, mesh.grid - 1)
    cells = steps[:, 0] * mesh.grid + steps[:, 1]
    place = np.minimum(np.searchsorted(mesh.cells, cells), mesh.cells.size - 1)
    lacking = (mesh.labels[place] != answers[:, np.newaxis]).all(axis=1)
    return np.asarray(cells[(mesh.cells[place] == cells) & lacking])
