"""Pruning a tree from the leaves up, with an explicit stack of open nodes.

The cases are sent through the tree once more. A node is replaced by a leaf, or by its largest branch, whose
own branches are then grown anew if there are enough new cases for that.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numba
import numpy as np
from numpy.typing import NDArray

from fivefold.learners.c5.kernels.choosing import Thresholds
from fivefold.learners.c5.kernels.growing import grow
from fivefold.learners.c45.kernels.choosing import Scores
from fivefold.learners.c45.kernels.growing import count_classes
from fivefold.learners.c45.kernels.ordering import group_branch, group_unknown, weight_between
from fivefold.learners.c45.kernels.pruning import extra_errors
from fivefold.learners.c45.structures import LEAF, Cases, Frames, Nodes, Order

SLACK = 0.1
LARGE_SHARE = 0.1
NEARLY_ALL = 0.95
BRANCHES, LARGEST, RAISED, DONE = 0, 1, 2, 3


class Estimates(NamedTuple):
    """What is known of each open node: the phase it is in, its errors as a leaf and as a tree.

    `pool` collects the classes of its small branches. `limit` holds CF and the squared normal deviate, `scale`
    the weights that costs give to the cases of each class.
    """

    phase: NDArray[np.int32]
    largest: NDArray[np.int32]
    update: NDArray[np.bool_]
    regrow: NDArray[np.bool_]
    as_leaf: NDArray[np.float64]
    as_tree: NDArray[np.float64]
    pool: NDArray[np.float64]
    counts: NDArray[np.float64]
    limit: NDArray[np.float64]
    scale: NDArray[np.float64]


class Garden(NamedTuple):
    """What growing needs besides cases and nodes."""

    scores: Scores
    thresholds: Thresholds
    frames: Frames


@numba.njit(cache=True, error_model="numpy")
def upper_extra(n: float, e: float, best: int, limit: Any, scale: Any) -> Any:
    """Give the extra errors of a leaf; counts that costs have weighted are unweighted for it."""
    if scale.shape[0] == 0:
        return _extra(n, e, limit)
    right, wrong = (n - e) / scale[best], e / scale[1 - best]
    return scale[1 - best] * _extra(right + wrong, wrong, limit)


@numba.njit(cache=True, error_model="numpy")
def _extra(n: float, e: float, limit: Any) -> Any:
    if n <= 1 and e >= 1e-6:
        return 0.67 * (n - e)
    return extra_errors(n, e, limit)


@numba.njit(cache=True, error_model="numpy")
def prune(
    cases: Cases, order: Order, nodes: Nodes, frames: Frames, estimates: Estimates, garden: Garden, unit: bool
) -> None:
    """Prune the tree in place, on all cases; `unit` says that each case weighs 1."""
    frames.node[0], frames.start[0], frames.stop[0], frames.unit[0] = 0, 0, order.items.shape[0], unit
    estimates.update[0] = estimates.regrow[0] = True
    depth, entered = -1, True
    while (depth >= 0 or entered) and nodes.used[0] > 0:
        if entered:
            depth += 1
            if not _begin(cases, order, nodes, frames, estimates, depth):
                entered = _descend(cases, order, nodes, frames, estimates, garden, depth)
                continue
        depth -= 1
        entered = False
        if depth >= 0:
            _receive(cases, order, nodes, frames, estimates, garden, depth)
            entered = _descend(cases, order, nodes, frames, estimates, garden, depth)


@numba.njit(cache=True, error_model="numpy")
def _begin(
    cases: Cases, order: Order, nodes: Nodes, frames: Frames, estimates: Estimates, depth: int
) -> bool:
    """Estimate the errors of a node as a leaf; tell whether that is all, as it is one."""
    node, start, stop = frames.node[depth], frames.start[depth], frames.stop[depth]
    best = count_classes(cases, order, start, stop, estimates.counts, 0)
    total = estimates.counts.sum()
    errors = total - estimates.counts[best]
    as_leaf = errors + upper_extra(total, errors, best, estimates.limit, estimates.scale)
    estimates.as_leaf[depth] = as_leaf
    if estimates.update[depth]:
        nodes.items[node], nodes.leaf[node] = total, best
        nodes.counts[node] = estimates.counts
    if nodes.kind[node] == LEAF:
        estimates.as_tree[depth] = nodes.errors[node] = as_leaf
        return True
    known = group_unknown(cases, order, nodes.attribute[node], start, stop)
    frames.known[depth], frames.branch[depth] = known, 0
    frames.known_weight[depth] = weight_between(order, known, stop, False)
    estimates.phase[depth], estimates.as_tree[depth] = BRANCHES, 0.0
    estimates.pool[depth] = 0.0
    return False


@numba.njit(cache=True, error_model="numpy")
def _descend(
    cases: Cases,
    order: Order,
    nodes: Nodes,
    frames: Frames,
    estimates: Estimates,
    garden: Garden,
    depth: int,
) -> bool:
    """Set up what is to be estimated next below a node as the frame above; tell whether there is anything."""
    node = frames.node[depth]
    if estimates.phase[depth] != BRANCHES:
        return bool(estimates.phase[depth] == RAISED)
    if _enter_branch(cases, order, nodes, frames, estimates, depth):
        return True
    _add_pool(estimates, depth)
    if not estimates.update[depth]:
        nodes.errors[node] = estimates.as_tree[depth]
        return False
    largest = _largest_branch(cases, nodes, node)
    if largest < 0:
        _decide(nodes, estimates, node, depth, order.items.shape[0] + 1.0)
        return False
    estimates.largest[depth], estimates.phase[depth] = largest, LARGEST
    estimates.update[depth + 1] = estimates.regrow[depth + 1] = False
    _whole_node_above(frames, depth, largest)
    return True


@numba.njit(cache=True, error_model="numpy")
def _whole_node_above(frames: Frames, depth: int, node: int) -> None:
    frames.node[depth + 1], frames.unit[depth + 1] = node, frames.unit[depth]
    frames.start[depth + 1], frames.stop[depth + 1] = frames.start[depth], frames.stop[depth]


@numba.njit(cache=True, error_model="numpy")
def _enter_branch(
    cases: Cases, order: Order, nodes: Nodes, frames: Frames, estimates: Estimates, depth: int
) -> bool:
    node, start, known = frames.node[depth], frames.start[depth], frames.known[depth]
    while frames.branch[depth] < nodes.forks[node]:
        frames.branch[depth] += 1
        v, a, cut = frames.branch[depth], nodes.attribute[node], nodes.cut[node]
        end = group_branch(cases, order, a, cut, v, known, frames.stop[depth])
        if end == known:
            continue
        frames.factor[depth] = weight_between(order, known, end, False) / frames.known_weight[depth]
        for i in range(start, known):
            order.weight[i] *= frames.factor[depth]
        frames.node[depth + 1] = nodes.child[node] + v - 1
        frames.unit[depth + 1] = frames.unit[depth] and known == start
        frames.start[depth + 1], frames.stop[depth + 1] = start, end
        estimates.update[depth + 1] = estimates.update[depth]
        estimates.regrow[depth + 1] = estimates.regrow[depth]
        return True
    return False


@numba.njit(cache=True, error_model="numpy")
def _add_pool(estimates: Estimates, depth: int) -> None:
    """Estimate the errors of the small branches together."""
    pool = estimates.pool[depth]
    total = pool.sum()
    if total > 0:
        best = int(np.argmax(pool))
        errors = total - pool[best]
        extra = upper_extra(total, errors, best, estimates.limit, estimates.scale)
        estimates.as_tree[depth] += errors + extra


@numba.njit(cache=True, error_model="numpy")
def _largest_branch(cases: Cases, nodes: Nodes, node: int) -> int:
    """Give the largest branch that might stand for its node; -1 if there is none.

    It is no leaf, has a tenth of the cases, and does not test the same numeric attribute.
    """
    largest = -1
    for child in range(nodes.child[node], nodes.child[node] + nodes.forks[node]):
        if nodes.kind[child] == LEAF or nodes.items[child] < LARGE_SHARE * nodes.items[node]:
            continue
        same = nodes.attribute[child] == nodes.attribute[node]
        if same and cases.numeric[nodes.attribute[node]]:
            continue
        if largest < 0 or nodes.items[child] > nodes.items[largest]:
            largest = child
    return largest


@numba.njit(cache=True, error_model="numpy")
def _receive(
    cases: Cases,
    order: Order,
    nodes: Nodes,
    frames: Frames,
    estimates: Estimates,
    garden: Garden,
    depth: int,
) -> None:
    """Take what was found below a node: a branch's estimate, the largest branch's, or the raised branch."""
    node, below, phase = frames.node[depth], estimates.as_tree[depth + 1], estimates.phase[depth]
    if phase == BRANCHES:
        _leave_branch(cases, order, nodes, frames, estimates, garden.thresholds.min_cases, depth, below)
    elif phase == LARGEST:
        _decide(nodes, estimates, node, depth, below)
        if estimates.phase[depth] == RAISED:
            _raise(cases, order, nodes, frames, estimates, garden, depth)
    else:
        estimates.phase[depth] = DONE
        estimates.as_tree[depth] = below


@numba.njit(cache=True, error_model="numpy")
def _leave_branch(
    cases: Cases,
    order: Order,
    nodes: Nodes,
    frames: Frames,
    estimates: Estimates,
    min_cases: float,
    depth: int,
    below: float,
) -> None:
    start, known, stop = frames.start[depth], frames.known[depth], frames.stop[depth + 1]
    if weight_between(order, start, stop, False) < min_cases:
        for i in range(start, stop):
            estimates.pool[depth, cases.classes[order.items[i]]] += order.weight[i]
    else:
        estimates.as_tree[depth] += below
    if known > start:
        group_unknown(cases, order, nodes.attribute[frames.node[depth]], start, stop)
        for i in range(start, known):
            order.weight[i] /= frames.factor[depth]


@numba.njit(cache=True, error_model="numpy")
def _decide(nodes: Nodes, estimates: Estimates, node: int, depth: int, as_branch: float) -> None:
    leaf, tree = estimates.as_leaf[depth], estimates.as_tree[depth]
    estimates.phase[depth] = DONE
    if leaf <= as_branch + SLACK and leaf <= tree + SLACK:
        nodes.kind[node] = LEAF
        estimates.as_tree[depth] = leaf
    elif as_branch <= tree + SLACK:
        estimates.phase[depth] = RAISED
    nodes.errors[node] = estimates.as_tree[depth]


@numba.njit(cache=True, error_model="numpy")
def _raise(
    cases: Cases,
    order: Order,
    nodes: Nodes,
    frames: Frames,
    estimates: Estimates,
    garden: Garden,
    depth: int,
) -> None:
    """Put the largest branch in the place of its node, and set it up to be estimated there."""
    node, branch = frames.node[depth], estimates.largest[depth]
    share = nodes.items[branch] / nodes.items[node]
    nodes.kind[node], nodes.attribute[node] = nodes.kind[branch], nodes.attribute[branch]
    nodes.child[node], nodes.forks[node] = nodes.child[branch], nodes.forks[branch]
    nodes.cut[node] = nodes.cut[branch]
    if estimates.regrow[depth] and share < NEARLY_ALL:
        start, stop, unit = frames.start[depth], frames.stop[depth], frames.unit[depth]
        scores, thresholds = garden.scores, garden.thresholds
        grow(cases, order, scores, thresholds, nodes, garden.frames, node, start, stop, unit)
    estimates.update[depth + 1], estimates.regrow[depth + 1] = True, False
    _whole_node_above(frames, depth, node)
