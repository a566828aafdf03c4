"""Counting the votes of the rules that hold."""

from __future__ import annotations

from typing import Any

import numba
import numpy as np
from numpy.typing import NDArray

from fivefold.learners.c45.kernels.sequencing import Conditions, holds


@numba.njit(cache=True, error_model="numpy")
def count_votes(
    conditions: Conditions,
    outcomes: NDArray[np.int32],
    votes: NDArray[np.float64],
    covers: NDArray[np.float64],
    n_classes: int,
    values: Any,
    codes: Any,
    place: Any,
    n: int,
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.int64]]:
    """Give the sum of votes for each class, the vote of its most specific rule, and the number of rules."""
    sums, specific = np.zeros((n, n_classes)), np.zeros((n, n_classes))
    fired = np.zeros(n, dtype=np.int64)
    narrowest = np.empty(n_classes)
    for i in range(n):
        narrowest[:] = np.inf
        for r in range(outcomes.shape[0]):
            if not holds(conditions, r, values, codes, place, i):
                continue
            c = outcomes[r]
            sums[i, c] += votes[r]
            fired[i] += 1
            closer = covers[r] == narrowest[c] and votes[r] > specific[i, c]
            if covers[r] < narrowest[c] or closer:
                narrowest[c], specific[i, c] = covers[r], votes[r]
    return sums, specific, fired
