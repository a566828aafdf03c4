"""Holte's scan: sorted values into intervals that end only after enough cases of their leading class."""

from __future__ import annotations

import numba
import numpy as np
from numpy.typing import NDArray


@numba.njit(cache=True)
def _leader(counts: NDArray[np.float64]) -> int:
    """Give the class that leads alone; -1 if two lead together."""
    best, tied = 0, False
    for c in range(1, counts.size):
        if counts[c] > counts[best]:
            best, tied = c, False
        elif counts[c] == counts[best]:
            tied = True
    return -1 if tied else best


@numba.njit(cache=True)
def _parts(before: NDArray[np.float64], group: NDArray[np.float64], small: float) -> bool:
    leading, coming = _leader(before), _leader(group)
    return leading >= 0 and coming >= 0 and leading != coming and before[leading] > small


@numba.njit(cache=True)
def interval_starts(
    values: NDArray[np.float64],
    classes: NDArray[np.int32],
    weights: NDArray[np.float64],
    n_classes: int,
    small: float,
) -> NDArray[np.int64]:
    """Give the place in the sorted values where each interval but the first starts."""
    starts = [0 for _ in range(0)]
    interval = np.zeros(n_classes)
    group = np.zeros(n_classes)
    place = 0
    while place < values.size:
        after = place
        group[:] = 0.0
        while after < values.size and values[after] == values[place]:
            group[classes[after]] += weights[after]
            after += 1
        if place > 0 and _parts(interval, group, small):
            starts.append(place)
            interval[:] = 0.0
        interval += group
        place = after
    return np.array(starts, dtype=np.int64)
