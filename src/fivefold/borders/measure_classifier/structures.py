"""Arrays that belong together, as the compiled loops take them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int32]
Floats = NDArray[np.float64]


class Mesh(NamedTuple):
    """The triangles of a lattice and the edges between them; nothing here ever changes.

    Square (i, j) is cut by both diagonals into the triangles 4 (i + G j) + 0, 1, 2, 3: bottom, right, top, left.

    Parameters
    ----------
    side : int
        Squares in a row, G.
    sides : ndarray of shape (E, 2)
        The two triangles of each edge.
    ends : ndarray of shape (E, 4)
        x, y of one end, then of the other.
    edges : ndarray of shape (4 G^2, 3)
        The edges of each triangle; -1 where it ends at the window.
    n_straight : int
        How many edges lie between squares; the others, after them, are halves of diagonals.
    """

    side: int
    sides: Ints
    ends: Floats
    edges: Ints
    n_straight: int


class Paint(NamedTuple):
    """What is painted on a mesh, kept and on trial.

    Parameters
    ----------
    kept, labels : ndarray of shape (4 G^2,)
        Class of each triangle: as accepted, and as on trial.
    border : ndarray of shape (E,)
        The edges between triangles of different classes, first in the array.
    place : ndarray of shape (E,)
        Where each edge stands in `border`; -1 where it is none.
    counts : ndarray of shape (2,)
        How many edges of the border are straight, and how many diagonal.
    """

    kept: Ints
    labels: Ints
    border: Ints
    place: Ints
    counts: NDArray[np.int64]


class Change(NamedTuple):
    """Room for what a proposal changes.

    Parameters
    ----------
    triangles, edges : ndarray
        The triangles painted and the edges they touch, first in the arrays.
    sizes : ndarray of shape (3,)
        How many of both there are; and the number of the proposal.
    stamp : ndarray of shape (E,)
        The last proposal that touched each edge.
    picked : ndarray of shape (E,)
        Edges of one class.
    """

    triangles: Ints
    edges: Ints
    sizes: NDArray[np.int64]
    stamp: NDArray[np.int64]
    picked: Ints


class Cases(NamedTuple):
    """The training cases, sorted by class, and their nearest edges.

    Parameters
    ----------
    points : ndarray of shape (N, 2)
        Where they lie.
    classes, triangles : ndarray of shape (N,)
        Class of each, and triangle of the mesh.
    starts : ndarray of shape (k + 1,)
        Where each class begins.
    nearest, trial_nearest : ndarray of shape (N,)
        The nearest edge with the case's class on exactly one side, -1 if there is none; as accepted, on trial.
    squares, trial_squares : ndarray of shape (N,)
        Squares of its distances.
    right, distances : ndarray of shape (N,)
        Whether the paint on trial has the case's class, and its distances, for the measure.
    """

    points: Floats
    classes: Ints
    triangles: Ints
    starts: Ints
    nearest: Ints
    trial_nearest: Ints
    squares: Floats
    trial_squares: Floats
    right: NDArray[np.bool_]
    distances: Floats


class BoxCases(NamedTuple):
    """The training cases beside boxes.

    Parameters
    ----------
    points : ndarray of shape (N, d)
        Where they lie.
    cells : ndarray of shape (N, d)
        The same in whole steps of the lattice.
    classes, answers, trial_answers : ndarray of shape (N,)
        Class of each, and class of the box it lies in: as accepted, on trial.
    right, distances : ndarray of shape (N,)
        Whether the boxes on trial have the case's class, and its distances, for the measure.
    """

    points: Floats
    cells: Ints
    classes: Ints
    answers: Ints
    trial_answers: Ints
    right: NDArray[np.bool_]
    distances: Floats
