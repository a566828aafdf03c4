"""The loops of SuperParent: counting pairs of values, adding up their logarithms, and judging the sums."""

from __future__ import annotations

import numba
import numpy as np
from numpy.typing import NDArray

from fivefold.learners.posteriors import TIE


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
