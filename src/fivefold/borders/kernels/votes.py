"""Votes of the nearest cases."""

from __future__ import annotations

import numba
import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Codes = NDArray[np.int32]


@numba.njit(cache=True)
def winner(votes: NDArray[np.int64], highest: bool) -> int:
    """The class with most votes; among equals the lowest, or the highest if asked."""
    best = 0
    for c in range(1, votes.size):
        if votes[c] > votes[best] or (highest and votes[c] == votes[best]):
            best = c
    return best


@numba.njit(cache=True)
def vote_nearest(
    points: Floats, cases: Floats, labels: Codes, k: int, n_classes: int, highest: bool, grain: float
) -> Codes:
    """Class of each point by the vote of its k nearest cases; of equally near ones the earlier ones."""
    out = np.empty(points.shape[0], dtype=np.int32)
    near = np.empty(k)
    who = np.empty(k, dtype=np.int64)
    votes = np.empty(n_classes, dtype=np.int64)
    for i in range(points.shape[0]):
        m = 0
        for j in range(cases.shape[0]):
            squared = 0.0
            for c in range(points.shape[1]):
                gap = points[i, c] - cases[j, c]
                squared += gap * gap
            squared = np.rint(squared / grain)
            if m == k and squared >= near[k - 1]:
                continue
            place = m if m < k else k - 1
            while place > 0 and near[place - 1] > squared:
                near[place], who[place] = near[place - 1], who[place - 1]
                place -= 1
            near[place], who[place] = squared, j
            m = min(m + 1, k)
        votes[:] = 0
        for place in range(m):
            votes[labels[who[place]]] += 1
        out[i] = winner(votes, highest)
    return out
