"""Borders in the plane of votes among the k lowest of many linear functions."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fivefold.borders.kernels.lowest import borders_of_group
from fivefold.borders.partition import Segments
from fivefold.borders.window import Window

Floats = NDArray[np.float64]
Codes = NDArray[np.int32]


def lowest_borders(
    gradients: Floats,
    heights: Floats,
    starts: NDArray[np.int64],
    members: Codes,
    codes: Codes,
    window: Window,
    *,
    k: int = 1,
    highest: bool = False,
) -> Segments:
    """Find where the winner of the vote of the k lowest functions changes.

    Parameters
    ----------
    gradients, heights : ndarray of shape (n, 2) and (n,)
        Function q is ``gradients[q] @ u + heights[q]``.
    starts : ndarray of int of shape (n + 1,)
        Function q stands for the voters ``starts[q]`` up to ``starts[q + 1]``, who vote in this order.
    members : ndarray of int
        The class of each voter.
    codes : ndarray of int
        The numbers by which these classes are known outside.
    window : Window
        Where to look.
    k : int
        How many vote.
    highest : bool
        Whether the highest of several winners is taken, instead of the lowest.
    """
    # in parts of the window, so that what counts as too short to matter does not hang on the columns' units
    sides, corner = window.unit_high - window.unit_low, window.unit_low
    heights = heights + gradients @ corner
    gradients = np.ascontiguousarray(gradients * sides)
    low, high = np.zeros(2), np.ones(2)
    found, room = [], np.empty((64, 6))
    for g in range(heights.size):
        order = np.argsort(np.sum((gradients - gradients[g]) ** 2, axis=1))
        arguments = (g, order, gradients, heights, starts, members, k, codes.size, highest, low, high)
        count = borders_of_group(*arguments, room)
        if count > room.shape[0]:
            room = np.empty((2 * count, 6))
            borders_of_group(*arguments, room)
        found.append(room[:count].copy())
    segments = np.concatenate(found)
    ends = corner + sides * segments[:, :4].reshape(-1, 2, 2)
    return Segments(ends, codes[segments[:, 4:].astype(np.intp)])
