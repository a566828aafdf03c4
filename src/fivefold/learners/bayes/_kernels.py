"""The compiled loops of 1R, naive Bayes and SuperParent.

Counting classes, Holte's intervals, and answers without one case.
"""

from __future__ import annotations

import cython
import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int32]
Floats = NDArray[np.float64]


def count_classes(places: Ints, classes: Ints, weights: Floats, n_parts: int, n_classes: int) -> Floats:
    """Give the weight of each class in each part; the last row is for the place -1."""
    counts = np.zeros((n_parts + 1, n_classes))
    view = counts
    with cython.nogil:
        for i in range(places.shape[0]):
            view[places[i] if places[i] >= 0 else n_parts, classes[i]] += weights[i]
    return counts


def interval_starts(
    values: Floats, classes: Ints, weights: Floats, n_classes: int, small: float
) -> NDArray[np.int64]:
    """Give the place in the sorted values where each interval but the first starts."""
    starts = np.empty(values.shape[0], dtype=np.int64)
    interval, group = np.zeros((2, n_classes))
    view, n_starts, place = starts, 0, 0
    with cython.nogil:
        while place < values.shape[0]:
            after = place
            while after < values.shape[0] and values[after] == values[place]:
                group[classes[after]] += weights[after]
                after += 1
            if place > 0 and _parts(interval, group, small):
                view[n_starts] = place
                n_starts += 1
                interval[:] = 0.0
            for c in range(n_classes):
                interval[c] += group[c]
                group[c] = 0.0
            place = after
    return starts[:n_starts].copy()


def _parts(before: Floats, group: Floats, small: float) -> bool:
    leading, coming = _leader(before), _leader(group)
    return leading >= 0 and coming >= 0 and leading != coming and before[leading] > small


def _leader(counts: Floats) -> int:
    """Give the class that leads alone; -1 if two lead together."""
    best, tied = 0, False
    for c in range(1, counts.shape[0]):
        if counts[c] > counts[best]:
            best, tied = c, False
        elif counts[c] == counts[best]:
            tied = True
    return -1 if tied else best


def count_pairs(values: Ints, parent_values: Ints, classes: Ints, shape: tuple[int, int, int]) -> Floats:
    """Count the cases of each parent value, value and class, where both values are known."""
    counts = np.zeros(shape)
    view = counts
    with cython.nogil:
        for i in range(classes.shape[0]):
            if values[i] >= 0 and parent_values[i] >= 0:
                view[parent_values[i], values[i], classes[i]] += 1
    return counts


def add_logs(
    logs: Floats,
    plain: Floats,
    own: Floats,
    plain_alone: Floats,
    own_alone: Floats,
    values: Ints,
    parent_values: Ints,
    classes: Ints,
) -> None:
    """Add to each case and class the logarithm of the probability of one attribute's value.

    A missing value adds nothing; one whose parent is missing is looked up in the tables for the value alone. The
    class of a case itself is looked up in its `own` table, which does not count the case; -1 stands for no such
    class.
    """
    with cython.nogil:
        for i in range(values.shape[0]):
            v, p = values[i], parent_values[i]
            if v < 0:
                continue
            for c in range(logs.shape[1]):
                if p >= 0:
                    logs[i, c] += own[p, v, c] if c == classes[i] else plain[p, v, c]
                else:
                    logs[i, c] += own_alone[0, v, c] if c == classes[i] else plain_alone[0, v, c]


def count_correct(logs: Floats, classes: Ints, tie: float) -> int:
    """Count the cases whose class has the greatest logarithm, the first of those that differ by up to `tie`."""
    correct = 0
    with cython.nogil:
        for i in range(classes.shape[0]):
            best = 0
            for c in range(1, logs.shape[1]):
                if logs[i, c] > logs[i, best] + tie:
                    best = c
            correct += best == classes[i]
    return correct
