"""Class counts of the parts of a partition."""

from __future__ import annotations

import numba
import numpy as np
from numpy.typing import NDArray


@numba.njit(cache=True)
def count_classes(
    places: NDArray[np.int32],
    classes: NDArray[np.int32],
    weights: NDArray[np.float64],
    n_parts: int,
    n_classes: int,
) -> NDArray[np.float64]:
    """Give the weight of each class in each part; the last row is for the place -1."""
    counts = np.zeros((n_parts + 1, n_classes))
    for i in range(places.size):
        counts[places[i] if places[i] >= 0 else n_parts, classes[i]] += weights[i]
    return counts
