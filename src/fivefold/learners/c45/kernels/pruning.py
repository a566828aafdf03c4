"""Pruning a tree from the leaves up, with an explicit stack of open nodes.

The cases are sent through the tree once more. A node is replaced by a leaf or by its largest branch
where the estimate of that is no worse, and takes the counts of the cases that reach it now.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numba
import numpy as np
from numpy.typing import NDArray

from fivefold.learners.c45.kernels.growing import count_classes
from fivefold.learners.c45.kernels.ordering import group_branch, group_unknown, weight_between
from fivefold.learners.c45.structures import LEAF, Cases, Frames, Nodes, Order

SLACK = 0.1
BRANCHES, LARGEST, RAISE, RAISED, DONE = 0, 1, 2, 3, 4


class Estimates(NamedTuple):
    """What is known of each open node: the phase it is in, its errors as a leaf and as a tree.

    `counts` is one row of class counts to work with; `limit` holds CF and the squared normal deviate.
    """

    phase: NDArray[np.int32]
    largest: NDArray[np.int32]
    update: NDArray[np.bool_]
    largest_factor: NDArray[Any]
    as_leaf: NDArray[Any]
    as_tree: NDArray[Any]
    counts: NDArray[Any]
    limit: NDArray[Any]


@numba.njit(cache=True, error_model="numpy")
def extra_errors(n: Any, e: Any, limit: NDArray[Any]) -> Any:
    """Give the errors to add to `e` errors in `n` cases for the upper limit at the confidence level."""
    real = limit.dtype.type
    if e >= 0.9999:
        return _extra_beyond_one(n, e, limit)
    none = real(n * (1 - math.exp(math.log(np.float64(limit[0])) / n)))
    if e < 1e-6:
        return none
    one = _extra_beyond_one(n, real(1), limit)
    return real(none + real(e * real(one - none)))


@numba.njit(cache=True, error_model="numpy")
def _extra_beyond_one(n: Any, e: Any, limit: NDArray[Any]) -> Any:
    real = limit.dtype.type
    z2 = limit[1]
    h = np.float64(e) + 0.5
    if h >= n:
        return real(0.67 * (n - e))
    p = real((h + z2 / 2 + math.sqrt(z2 * (h * (1 - h / n) + z2 / 4))) / (n + z2))
    return real(real(n * p) - e)


@numba.njit(cache=True, error_model="numpy")
def prune(cases: Cases, order: Order, nodes: Nodes, frames: Frames, estimates: Estimates, unit: bool) -> None:
    """Prune the tree in place, on all cases; `unit` says that each case weighs 1."""
    frames.node[0], frames.start[0], frames.stop[0], frames.unit[0] = 0, 0, order.items.shape[0], unit
    estimates.update[0] = True
    depth, entered = -1, True
    while depth >= 0 or entered:
        if entered:
            depth += 1
            if not _begin(cases, order, nodes, frames, estimates, depth):
                entered = _descend(cases, order, nodes, frames, estimates, depth)
                continue
        depth -= 1
        entered = False
        if depth >= 0:
            _receive(cases, order, nodes, frames, estimates, depth)
            entered = _descend(cases, order, nodes, frames, estimates, depth)


@numba.njit(cache=True, error_model="numpy")
def _begin(
    cases: Cases, order: Order, nodes: Nodes, frames: Frames, estimates: Estimates, depth: int
) -> bool:
    """Estimate the errors of a node as a leaf; tell whether that is all, as it is one."""
    node, start, stop, unit = frames.node[depth], frames.start[depth], frames.stop[depth], frames.unit[depth]
    real = order.weight.dtype.type
    total = weight_between(order, start, stop, unit)
    best = count_classes(cases, order, start, stop, estimates.counts, nodes.leaf[node])
    errors = real(total - estimates.counts[best])
    estimates.as_leaf[depth] = errors + extra_errors(total, errors, estimates.limit)
    if estimates.update[depth]:
        nodes.items[node], nodes.leaf[node] = total, best
        nodes.counts[node] = estimates.counts
        nodes.errors[node] = estimates.as_leaf[depth]
    if nodes.kind[node] == LEAF:
        estimates.as_tree[depth] = estimates.as_leaf[depth]
        return True
    known = group_unknown(cases, order, nodes.attribute[node], start, stop)
    frames.known[depth], frames.branch[depth] = known, 0
    frames.known_weight[depth] = weight_between(order, known, stop, unit)
    estimates.phase[depth], estimates.as_tree[depth] = BRANCHES, 0
    estimates.largest[depth], estimates.largest_factor[depth] = -1, 0
    return False


@numba.njit(cache=True, error_model="numpy")
def _descend(
    cases: Cases, order: Order, nodes: Nodes, frames: Frames, estimates: Estimates, depth: int
) -> bool:
    """Set up what is to be estimated next below a node as the frame above; tell whether there is anything."""
    phase, update = estimates.phase[depth], estimates.update[depth]
    if phase == BRANCHES:
        if _enter_branch(cases, order, nodes, frames, estimates, depth):
            return True
        if not update:
            return False
        if estimates.largest[depth] < 0:
            _make_leaf(nodes, estimates, frames.node[depth], depth)
            return False
        estimates.phase[depth] = LARGEST
    elif phase == RAISE:
        estimates.phase[depth] = RAISED
    else:
        return False
    estimates.update[depth + 1] = phase == RAISE
    frames.node[depth + 1], frames.unit[depth + 1] = estimates.largest[depth], frames.unit[depth]
    frames.start[depth + 1], frames.stop[depth + 1] = frames.start[depth], frames.stop[depth]
    return True


@numba.njit(cache=True, error_model="numpy")
def _enter_branch(
    cases: Cases, order: Order, nodes: Nodes, frames: Frames, estimates: Estimates, depth: int
) -> bool:
    node, start, known = frames.node[depth], frames.start[depth], frames.known[depth]
    unit = frames.unit[depth] and known == start
    while frames.branch[depth] < nodes.forks[node]:
        frames.branch[depth] += 1
        v, a, cut = frames.branch[depth], nodes.attribute[node], nodes.cut[node]
        end = group_branch(cases, order, a, cut, v, known, frames.stop[depth])
        if end == known:
            continue
        frames.factor[depth] = weight_between(order, known, end, unit) / frames.known_weight[depth]
        child = nodes.child[node] + v - 1
        if frames.factor[depth] >= estimates.largest_factor[depth]:
            estimates.largest[depth], estimates.largest_factor[depth] = child, frames.factor[depth]
        for i in range(start, known):
            order.weight[i] *= frames.factor[depth]
        frames.node[depth + 1], frames.unit[depth + 1] = child, unit
        frames.start[depth + 1], frames.stop[depth + 1] = start, end
        estimates.update[depth + 1] = estimates.update[depth]
        return True
    return False


@numba.njit(cache=True, error_model="numpy")
def _receive(
    cases: Cases, order: Order, nodes: Nodes, frames: Frames, estimates: Estimates, depth: int
) -> None:
    """Take what was found below a node: a branch's estimate, the largest branch's, or the raised branch."""
    node, below, phase = frames.node[depth], estimates.as_tree[depth + 1], estimates.phase[depth]
    if phase == BRANCHES:
        estimates.as_tree[depth] += below
        start, known = frames.start[depth], frames.known[depth]
        if known > start:
            group_unknown(cases, order, nodes.attribute[node], start, frames.stop[depth + 1])
            for i in range(start, known):
                order.weight[i] /= frames.factor[depth]
    elif phase == LARGEST:
        leaf, tree = estimates.as_leaf[depth], estimates.as_tree[depth] + SLACK
        estimates.phase[depth] = DONE
        if leaf <= below + SLACK and leaf <= tree:
            _make_leaf(nodes, estimates, node, depth)
        elif below <= tree:
            estimates.phase[depth] = RAISE
        else:
            nodes.errors[node] = estimates.as_tree[depth]
    elif phase == RAISED:
        estimates.phase[depth] = DONE
        estimates.as_tree[depth] = below
        _copy_node(nodes, estimates.largest[depth], node)


@numba.njit(cache=True, error_model="numpy")
def _make_leaf(nodes: Nodes, estimates: Estimates, node: int, depth: int) -> None:
    nodes.kind[node] = LEAF
    nodes.errors[node] = estimates.as_tree[depth] = estimates.as_leaf[depth]


@numba.njit(cache=True, error_model="numpy")
def _copy_node(nodes: Nodes, source: int, target: int) -> None:
    nodes.kind[target], nodes.leaf[target] = nodes.kind[source], nodes.leaf[source]
    nodes.attribute[target], nodes.cut[target] = nodes.attribute[source], nodes.cut[source]
    nodes.child[target], nodes.forks[target] = nodes.child[source], nodes.forks[source]
    nodes.items[target], nodes.errors[target] = nodes.items[source], nodes.errors[source]
    nodes.counts[target] = nodes.counts[source]


@numba.njit(cache=True, error_model="numpy")
def reachable(nodes: Nodes) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """List the nodes that pruning left, level by level, and where in the list the children of each begin."""
    listed = np.zeros(nodes.used[0], dtype=np.int32)
    child = np.zeros(nodes.used[0], dtype=np.int32)
    found = 1
    for place in range(listed.shape[0]):
        if place == found:
            break
        node = listed[place]
        if nodes.kind[node] != LEAF:
            child[place] = found
            for v in range(nodes.forks[node]):
                listed[found] = nodes.child[node] + v
                found += 1
    return listed[:found], child[:found]
