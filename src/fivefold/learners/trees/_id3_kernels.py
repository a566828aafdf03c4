"""The loops of ID3: the test with the greatest gain at a node, and the way of cases down a tree.

`values` has one row an attribute: numbers, or codes from 0 on, with NaN for missing and -2 for a category that was
not there in training. `sizes` is the number of categories, -1 for a numeric attribute.
"""

from __future__ import annotations

import numba
import numpy as np
from numpy.typing import NDArray

from fivefold.learners.trees.nodes import LEAF, NUMERIC, Nodes

# Gains that should be equal may differ in their last bits.
EPSILON = 1e-12
NO_SPLIT = -1.0


@numba.njit(cache=True)
def information(counts: NDArray[np.float64]) -> float:
    """Give the class information of all cases together, in bits."""
    n, total = 0.0, 0.0
    for c in counts:
        if c > 0:
            n += c
            total -= c * np.log2(c)
    return total + n * np.log2(n) if n > 0 else 0.0


@numba.njit(cache=True)
def nominal_gain(
    values: NDArray[np.float64],
    size: int,
    classes: NDArray[np.int32],
    rows: NDArray[np.int64],
    counts: NDArray[np.float64],
) -> float:
    """Give the gain of a branch for each category and for missing; NO_SPLIT if one has all cases."""
    parts = np.zeros((size + 1, counts.size))
    for i in rows:
        branch = size if np.isnan(values[i]) else int(values[i])
        parts[branch, classes[i]] += 1
    after, taken = 0.0, 0
    for branch in range(size + 1):
        after += information(parts[branch])
        taken += parts[branch].sum() > 0
    return (information(counts) - after) / rows.size if taken > 1 else NO_SPLIT


@numba.njit(cache=True)
def numeric_gain(
    values: NDArray[np.float64],
    classes: NDArray[np.int32],
    rows: NDArray[np.int64],
    counts: NDArray[np.float64],
) -> tuple[float, float]:
    """Give the greatest gain and its lowest cut; missing values are on the side with more known ones."""
    order = rows[np.argsort(values[rows])]  # missing values come last
    known = order.size
    absent = np.zeros(counts.size)
    while known > 0 and np.isnan(values[order[known - 1]]):
        known -= 1
        absent[classes[order[known]]] += 1
    before, best, cut = information(counts), NO_SPLIT, 0.0
    left, right = np.zeros(counts.size), counts - absent
    for at in range(1, known):
        left[classes[order[at - 1]]] += 1
        right[classes[order[at - 1]]] -= 1
        low, high = values[order[at - 1]], values[order[at]]
        if low == high:
            continue
        if at >= known - at:
            after = information(left + absent) + information(right)
        else:
            after = information(left) + information(right + absent)
        gain = (before - after) / rows.size
        if best == NO_SPLIT or gain > best + EPSILON:
            best = gain
            middle = low / 2 + high / 2
            cut = middle if low <= middle < high else low
    return best, cut


@numba.njit(cache=True)
def best_test(
    values: NDArray[np.float64],
    sizes: NDArray[np.int64],
    usable: NDArray[np.bool_],
    classes: NDArray[np.int32],
    rows: NDArray[np.int64],
    counts: NDArray[np.float64],
) -> tuple[int, float, float]:
    """Give the first attribute with the greatest gain, that gain, and its cut; -1 if none parts the cases."""
    attribute, best, best_cut = -1, NO_SPLIT, 0.0
    for a in range(sizes.size):
        gain, cut = NO_SPLIT, 0.0
        if sizes[a] < 0:
            gain, cut = numeric_gain(values[a], classes, rows, counts)
        elif usable[a]:
            gain = nominal_gain(values[a], sizes[a], classes, rows, counts)
        if gain != NO_SPLIT and (attribute < 0 or gain > best + EPSILON):
            attribute, best, best_cut = a, gain, cut
    return attribute, best, best_cut


@numba.njit(cache=True)
def _next_node(nodes: Nodes, node: int, value: float, size: int) -> int:
    """Give the node that a value leads to; the same one if it leads nowhere."""
    child = int(nodes.child[node])
    if nodes.kind[node] == NUMERIC:
        if np.isnan(value):
            return child if nodes.items[child] >= nodes.items[child + 1] else child + 1
        return child if value <= nodes.cut[node] else child + 1
    if np.isnan(value):
        return child + size if nodes.forks[node] > size else node
    return child + int(value) if value >= 0 else node


@numba.njit(cache=True)
def nodes_reached(
    nodes: Nodes, values: NDArray[np.float64], sizes: NDArray[np.int64], missing_fails: bool
) -> NDArray[np.int32]:
    """Give the node where each case ends; -1 where a test fails on a missing or unknown value."""
    reached = np.empty(values.shape[1], dtype=np.int32)
    for i in range(values.shape[1]):
        node = 0
        while nodes.kind[node] != LEAF:
            a = nodes.attribute[node]
            value = values[a, i]
            if missing_fails and (np.isnan(value) or (sizes[a] >= 0 and value < 0)):
                node = -1
                break
            following = _next_node(nodes, node, value, sizes[a])
            if following == node:
                break
            node = following
        reached[i] = node
    return reached
