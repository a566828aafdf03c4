"""The compiled loops of 1R, naive Bayes and SuperParent.

Counting classes, Holte's intervals, and answers without one case.
"""

from __future__ import annotations

import numba
import numpy as np
from numpy.typing import NDArray

# Sums of logarithms that should be equal may differ in their last bits: then the first class wins, as in any tie.
TIE = 1e-10


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


@numba.njit(cache=True)
def count_pairs(
    values: NDArray[np.int32],
    parent_values: NDArray[np.int32],
    classes: NDArray[np.int32],
    shape: tuple[int, int, int],
) -> NDArray[np.float64]:
    """Count the cases of each parent value, value and class, where both values are known."""
    counts = np.zeros(shape)
    for i in range(classes.size):
        if values[i] >= 0 and parent_values[i] >= 0:
            counts[parent_values[i], values[i], classes[i]] += 1
    return counts


@numba.njit(cache=True)
def add_logs(
    logs: NDArray[np.float64],
    tables: tuple[NDArray[np.float64], NDArray[np.float64]],
    alone: tuple[NDArray[np.float64], NDArray[np.float64]],
    values: NDArray[np.int32],
    parent_values: NDArray[np.int32],
    classes: NDArray[np.int32],
) -> None:
    """Add to each case and class the logarithm of the probability of one attribute's value.

    A missing value adds nothing; one whose parent is missing is looked up in the tables `alone`. The class of a
    case itself is looked up in the second table, which does not count the case; -1 stands for no such class.
    """
    for i in range(values.size):
        value, parent_value = values[i], parent_values[i]
        if value < 0:
            continue
        plain, own = tables
        if parent_value < 0:
            plain, own = alone
            parent_value = 0
        for c in range(logs.shape[1]):
            table = own if c == classes[i] else plain
            logs[i, c] += table[parent_value, value, c]


@numba.njit(cache=True)
def count_correct(logs: NDArray[np.float64], classes: NDArray[np.int32]) -> int:
    """Count the cases whose class has the greatest logarithm, the first among equals."""
    correct = 0
    for i in range(classes.size):
        best = 0
        for c in range(1, logs.shape[1]):
            if logs[i, c] > logs[i, best] + TIE:
                best = c
        correct += best == classes[i]
    return correct
