"""Growing a tree depth first, with an explicit stack of open nodes."""

from __future__ import annotations

from typing import Any

import numba
import numpy as np
from numpy.typing import NDArray

from fivefold.learners.c45.kernels.choosing import Scores, choose
from fivefold.learners.c45.kernels.information import EPSILON
from fivefold.learners.c45.kernels.ordering import group_branch, group_unknown, weight_between
from fivefold.learners.c45.structures import LEAF, NOMINAL, NUMERIC, Cases, Frames, Nodes, Options, Order


@numba.njit(cache=True, error_model="numpy")
def grow(
    cases: Cases, order: Order, scores: Scores, options: Options, nodes: Nodes, frames: Frames, unit: bool
) -> None:
    """Grow the tree of all cases into `nodes`; `unit` says that each case weighs 1."""
    nodes.used[0] = 1
    frames.node[0], frames.start[0], frames.stop[0], frames.unit[0] = 0, 0, order.items.shape[0], unit
    depth, entered = -1, True
    while depth >= 0 or entered:
        if entered and _open(cases, order, scores, options, nodes, frames, depth + 1):
            depth += 1
        elif nodes.used[0] < 0:
            return
        elif depth >= 0:
            leave_branch(cases, order, nodes, frames, depth)
        entered = depth >= 0 and enter_branch(cases, order, nodes, frames, depth)
        if depth >= 0 and not entered:
            scores.tested[nodes.attribute[frames.node[depth]]] = False
            _collapse(nodes, frames.node[depth])
            depth -= 1


@numba.njit(cache=True, error_model="numpy")
def _open(
    cases: Cases, order: Order, scores: Scores, options: Options, nodes: Nodes, frames: Frames, depth: int
) -> bool:
    """Describe the node of a frame and choose its test; tell whether it has one."""
    node, start, stop, unit = frames.node[depth], frames.start[depth], frames.stop[depth], frames.unit[depth]
    total = weight_between(order, start, stop, unit)
    best = count_classes(cases, order, start, stop, nodes.counts[node], 0)
    nodes.kind[node], nodes.leaf[node], nodes.items[node] = LEAF, best, total
    nodes.errors[node] = total - nodes.counts[node, best]
    if nodes.counts[node, best] == total or total < 2 * options.min_objs:
        return False
    a = choose(cases, order, scores, options, start, stop, total, unit)
    if a < 0:
        return False
    nodes.attribute[node], nodes.forks[node] = a, cases.forks[a]
    nodes.child[node] = nodes.used[0]
    if nodes.used[0] + cases.forks[a] > nodes.kind.shape[0]:
        nodes.used[0] = -1
        return False
    nodes.used[0] += cases.forks[a]
    nodes.kind[node] = NUMERIC if cases.numeric[a] else NOMINAL
    if cases.numeric[a]:
        nodes.cut[node] = greatest_value_below(cases, a, scores.bar[a])
    scores.tested[a] = not cases.numeric[a]
    divide(cases, order, a, frames, depth, total)
    return True


@numba.njit(cache=True, error_model="numpy")
def divide(cases: Cases, order: Order, a: int, frames: Frames, depth: int, total: Any) -> None:
    """Set the cases with unknown values of `a` apart in a frame, and weigh the others."""
    start = frames.start[depth]
    known = group_unknown(cases, order, a, start, frames.stop[depth])
    frames.known[depth], frames.branch[depth] = known, 0
    unit = frames.unit[depth] and known == start
    frames.known_weight[depth] = total - weight_between(order, start, known, unit)


@numba.njit(cache=True, error_model="numpy")
def count_classes(
    cases: Cases, order: Order, start: int, stop: int, counts: NDArray[Any], favourite: int
) -> int:
    """Count the classes of the cases at start … stop - 1; give the commonest, `favourite` in a tie."""
    counts[:] = 0
    for i in range(start, stop):
        counts[cases.classes[order.items[i]]] += order.weight[i]
    best = favourite
    for c in range(counts.shape[0]):
        if counts[c] > counts[best]:
            best = c
    return best


@numba.njit(cache=True, error_model="numpy")
def greatest_value_below(cases: Cases, a: int, bar: Any) -> Any:
    """Give the greatest value of a numeric attribute in all training data that is at most `bar`."""
    row = cases.place[a]
    low, high = cases.edges[row], cases.edges[row + 1]
    return cases.distinct[low + np.searchsorted(cases.distinct[low:high], bar, side="right") - 1]


@numba.njit(cache=True, error_model="numpy")
def enter_branch(cases: Cases, order: Order, nodes: Nodes, frames: Frames, depth: int) -> bool:
    """Set up the next branch that has cases as the frame above; tell whether there is one."""
    node, start, known = frames.node[depth], frames.start[depth], frames.known[depth]
    unit = frames.unit[depth] and known == start
    a, cut = nodes.attribute[node], nodes.cut[node]
    while frames.branch[depth] < nodes.forks[node]:
        frames.branch[depth] += 1
        child = nodes.child[node] + frames.branch[depth] - 1
        end = group_branch(cases, order, a, cut, frames.branch[depth], known, frames.stop[depth])
        if end == known:
            _empty_leaf(nodes, node, child)
            continue
        frames.factor[depth] = weight_between(order, known, end, unit) / frames.known_weight[depth]
        for i in range(start, known):
            order.weight[i] *= frames.factor[depth]
        frames.node[depth + 1], frames.unit[depth + 1] = child, unit
        frames.start[depth + 1], frames.stop[depth + 1] = start, end
        return True
    return False


@numba.njit(cache=True, error_model="numpy")
def _empty_leaf(nodes: Nodes, parent: int, child: int) -> None:
    nodes.kind[child], nodes.leaf[child] = LEAF, nodes.leaf[parent]
    nodes.items[child], nodes.errors[child] = 0, 0
    nodes.counts[child] = nodes.counts[parent]


@numba.njit(cache=True, error_model="numpy")
def leave_branch(cases: Cases, order: Order, nodes: Nodes, frames: Frames, depth: int) -> None:
    """Give the cases with unknown values back the weight that they had before the branch."""
    start, known = frames.start[depth], frames.known[depth]
    if known > start:
        group_unknown(cases, order, nodes.attribute[frames.node[depth]], start, frames.stop[depth + 1])
        for i in range(start, known):
            order.weight[i] /= frames.factor[depth]


@numba.njit(cache=True, error_model="numpy")
def _collapse(nodes: Nodes, node: int) -> None:
    """Sum the errors of the branches; make the node a leaf again where they are no fewer than its own."""
    real = nodes.errors.dtype.type
    as_leaf, errors = nodes.errors[node], real(0)
    for child in range(nodes.child[node], nodes.child[node] + nodes.forks[node]):
        errors = real(errors + nodes.errors[child])
    nodes.errors[node] = errors
    if errors >= np.float64(as_leaf) - EPSILON:
        nodes.kind[node] = LEAF
        nodes.used[0] = nodes.child[node]
