"""Votes and likelihoods for many training sets of the same cases."""

from __future__ import annotations

import numba
import numpy as np
from numpy.typing import NDArray

UNSURE = -2


@numba.njit(cache=True, nogil=True)
def vote(
    order: NDArray[np.int32],
    distances: NDArray[np.float64],
    slack: float,
    codes: NDArray[np.int32],
    counts: NDArray[np.int64],
    asked: NDArray[np.bool_],
    k: int,
    n_classes: int,
) -> NDArray[np.int32]:
    """Let the k nearest cases of each training set vote; -2 where rounding or ties could change the vote."""
    n_sets, n = counts.shape
    said = np.full((n_sets, n), UNSURE, dtype=np.int32)
    for r in range(n_sets):
        for i in range(n):
            if asked[r, i]:
                said[r, i] = _vote_one(order[i], distances[i], slack, codes, counts[r], k, n_classes)
    return said


@numba.njit(cache=True, nogil=True)
def _vote_one(
    order: NDArray[np.int32],
    distances: NDArray[np.float64],
    slack: float,
    codes: NDArray[np.int32],
    counts: NDArray[np.int64],
    k: int,
    n_classes: int,
) -> int:
    # find the distance at which the k-th copy stands
    seen = 0
    edge = -1.0
    for t in range(order.shape[0]):
        seen += counts[order[t]]
        if seen >= k:
            edge = distances[t]
            break
    if edge < 0.0:
        return UNSURE
    votes = np.zeros(n_classes, dtype=np.int64)
    inside = 0
    only = -1
    for t in range(order.shape[0]):
        j = order[t]
        if distances[t] > edge + slack:
            break
        if counts[j] == 0:
            continue
        if distances[t] < edge - slack:
            votes[codes[j]] += counts[j]
            inside += counts[j]
        elif only == -1 or only == codes[j]:
            only = codes[j]
        else:
            return UNSURE
    votes[only] += k - inside
    return int(np.argmax(votes))
