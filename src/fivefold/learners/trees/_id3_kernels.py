"""The loops of ID3: the test with the greatest gain at a node, and the way of cases down a tree.

`values` has one row an attribute: numbers, or codes from 0 on, with NaN for missing and -2 for a category that was
not there in training. `sizes` is the number of categories, -1 for a numeric attribute.
"""

from __future__ import annotations

import cython
import numpy as np
from numpy.typing import NDArray

from fivefold.learners.trees.nodes import Nodes

if not cython.compiled:
    from math import isnan, log2

    from fivefold.learners.trees.nodes import LEAF, NUMERIC

    # the first rows of the work space; the counts of the branches of a nominal test follow them
    NOTHING, WHOLE, LEFT, RIGHT, ABSENT, BRANCHES = range(6)

Floats = NDArray[np.float64]
Ints = NDArray[np.int32]
Places = NDArray[np.int64]

# Gains that should be equal may differ in their last bits.
EPSILON = 1e-12
NO_SPLIT = -1.0
# how many values are sorted together: few calls for small nodes, little room for large ones
_TOGETHER = 1 << 16


class SplitSearch:
    """The training cases, and the room to look for the test of a node: counts of classes, gains and cuts."""

    def __init__(self, values: Floats, sizes: Places, classes: Ints, n_classes: int) -> None:
        self.values, self.sizes, self.classes, self.table = values, sizes, classes, values
        self.numeric = np.flatnonzero(sizes < 0)[:, np.newaxis]
        self.room = np.zeros((BRANCHES + sizes.max(initial=0) + 1, n_classes))
        self.gains, self.cuts = np.zeros((2, sizes.shape[0]))


def information(search: SplitSearch, a: int, b: int) -> float:
    """Give the class information of all cases together in two rows of counts, in bits."""
    n, total = 0.0, 0.0
    for k in range(search.room.shape[1]):
        c = search.room[a, k] + search.room[b, k]
        if c > 0:
            n += c
            total -= c * log2(c)
    return total + n * log2(n) if n > 0 else 0.0


def nominal_gain(search: SplitSearch, attribute: int, rows: Places) -> float:
    """Give the gain of a branch for each category and for missing; NO_SPLIT if one has all cases."""
    room, missing = search.room, BRANCHES + search.sizes[attribute]
    room[BRANCHES : missing + 1] = 0.0
    for k in range(rows.shape[0]):
        value = search.values[attribute, rows[k]]
        branch = missing if isnan(value) else BRANCHES + cython.cast(cython.Py_ssize_t, value)
        room[branch, search.classes[rows[k]]] += 1
    taken, after = 0, 0.0
    for branch in range(BRANCHES, missing + 1):
        for c in range(room.shape[1]):
            if room[branch, c] > 0:
                taken += 1
                after += information(search, branch, NOTHING)
                break
    return (information(search, WHOLE, NOTHING) - after) / rows.shape[0] if taken > 1 else NO_SPLIT


def numeric_gain(search: SplitSearch, attribute: int, order: Places, k: int) -> tuple[float, float]:
    """Give the greatest gain and its lowest cut; missing values are on the side with more known ones.

    Row `k` of `order` has the cases by their value.
    """
    room, known = search.room, _start_right(search, attribute, order, k)
    before, best, cut = information(search, WHOLE, NOTHING), NO_SPLIT, 0.0
    for at in range(1, known):
        row = order[k, at - 1]
        room[LEFT, search.classes[row]] += 1
        room[RIGHT, search.classes[row]] -= 1
        low, high = search.values[attribute, row], search.values[attribute, order[k, at]]
        if low == high:
            continue
        if at >= known - at:
            after = information(search, LEFT, ABSENT) + information(search, RIGHT, NOTHING)
        else:
            after = information(search, LEFT, NOTHING) + information(search, RIGHT, ABSENT)
        gain = (before - after) / order.shape[1]
        if best == NO_SPLIT or gain > best + EPSILON:
            best = gain
            middle = low / 2 + high / 2
            cut = middle if low <= middle < high else low
    return best, cut


def _start_right(search: SplitSearch, attribute: int, order: Places, k: int) -> int:
    """Put all cases to the right but those without a value, which come last; give how many have one."""
    room = search.room
    known: int = order.shape[1]
    room[LEFT] = 0.0
    room[ABSENT] = 0.0
    while known > 0 and isnan(search.values[attribute, order[k, known - 1]]):
        known -= 1
        room[ABSENT, search.classes[order[k, known]]] += 1
    for c in range(room.shape[1]):
        room[RIGHT, c] = room[WHOLE, c] - room[ABSENT, c]
    return known


def best_test(
    search: SplitSearch, usable: NDArray[np.bool_], rows: Places, counts: Floats, allow_zero_gain: bool
) -> tuple[int, float]:
    """Give the first attribute with the greatest gain, and its cut; -1 if none parts the cases or has a gain."""
    _start(search, usable, rows, counts)
    step = max(_TOGETHER // len(rows), 1)
    for start in range(0, len(search.numeric), step):
        some = search.numeric[start : start + step]
        _numeric_gains(search, some, rows[search.table[some, rows].argsort(axis=1)])
    best = _first_best(search.gains)
    if best < 0 or (search.gains[best] <= EPSILON and not allow_zero_gain):
        return -1, 0.0
    return best, search.cuts[best]


def _start(search: SplitSearch, usable: NDArray[np.bool_], rows: Places, counts: Floats) -> None:
    """Note the class counts of a node, and the gains of nominal tests there."""
    with cython.nogil:
        search.room[WHOLE] = counts
        for a in range(usable.shape[0]):
            search.gains[a] = NO_SPLIT
            if search.sizes[a] >= 0 and usable[a]:
                search.gains[a] = nominal_gain(search, a, rows)


def _numeric_gains(search: SplitSearch, some: Places, order: Places) -> None:
    with cython.nogil:
        for k in range(some.shape[0]):
            a = some[k, 0]
            search.gains[a], search.cuts[a] = numeric_gain(search, a, order, k)


def _first_best(gains: Floats) -> int:
    best = -1
    for a in range(gains.shape[0]):
        if gains[a] != NO_SPLIT and (best < 0 or gains[a] > gains[best] + EPSILON):
            best = a
    return best


class TreeViews:
    """The arrays of a tree that lead cases down."""

    def __init__(self, nodes: Nodes) -> None:
        self.kind, self.cut, self.items = nodes.kind, nodes.cut, nodes.items
        self.attribute, self.child, self.forks = nodes[2:5]


def _next_node(tree: TreeViews, node: int, value: float, n_categories: int) -> int:
    """Give the node that a value leads to; the same one if it leads nowhere."""
    child: int = tree.child[node]
    if tree.kind[node] == NUMERIC:
        if isnan(value):
            return child if tree.items[child] >= tree.items[child + 1] else child + 1
        return child if value <= tree.cut[node] else child + 1
    if isnan(value):
        return child + n_categories if tree.forks[node] > n_categories else node
    return child + cython.cast(cython.int, value) if value >= 0 else node


def nodes_reached(nodes: Nodes, values: Floats, sizes: Places, missing_fails: bool) -> Ints:
    """Give the node where each case ends; -1 where a test fails on a missing or unknown value."""
    tree, reached = TreeViews(nodes), np.empty(values.shape[1], dtype=np.int32)
    with cython.nogil:
        for i in range(reached.shape[0]):
            node = 0
            while tree.kind[node] != LEAF:
                a = tree.attribute[node]
                value = values[a, i]
                if missing_fails and (isnan(value) or (sizes[a] >= 0 and value < 0)):
                    node = -1
                    break
                following = _next_node(tree, node, value, sizes[a])
                if following == node:
                    break
                node = following
            reached[i] = node
    return np.asarray(reached)
