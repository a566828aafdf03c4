"""The measure as a formula of right answers, distances to the border, and the border's size."""

from __future__ import annotations

import numba
import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


@numba.njit(cache=True)
def score(right: NDArray[np.bool_], distances: Floats, size: float, weights: Floats) -> float:
    """M = a0 |R|/N + a1 (k1 simiR - k2 simiW) - a2 L, for weights (a0, a1, k1, k2, a2, b)."""
    a0, a1, k1, k2, a2, b = weights
    fit, similar_right, similar_wrong = 0.0, 0.0, 0.0
    for case in range(right.size):
        similar = 1.0 - 2.0 ** (-b * distances[case])
        if right[case]:
            fit += 1.0
            similar_right += similar
        else:
            similar_wrong += similar
    gained = a0 * fit + a1 * (k1 * similar_right - k2 * similar_wrong)
    return float(gained / right.size - a2 * size)


@numba.njit(cache=True)
def best_score(n_right: int, n_cases: int, size: float, weights: Floats) -> float:
    """What the measure could reach at most, wherever the border runs: a bound that needs no distances."""
    a0, a1, k1, k2, a2, _ = weights
    fit = n_right / n_cases
    similar = max(a1 * k1, 0.0) * fit + max(-a1 * k2, 0.0) * (1.0 - fit)
    return float(a0 * fit + similar - a2 * size)
