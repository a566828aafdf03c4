"""Growing a tree depth first, and growing the branches of one of its nodes anew."""

from __future__ import annotations

from typing import Any

import numba

from fivefold.learners.c5.kernels.choosing import CLOSE, Thresholds, choose
from fivefold.learners.c45.kernels.choosing import Scores
from fivefold.learners.c45.kernels.growing import (
    count_classes,
    divide,
    enter_branch,
    greatest_value_below,
    leave_branch,
)
from fivefold.learners.c45.structures import LEAF, NOMINAL, NUMERIC, Cases, Frames, Nodes, Order


@numba.njit(cache=True, error_model="numpy")
def grow(
    cases: Cases,
    order: Order,
    scores: Scores,
    thresholds: Thresholds,
    nodes: Nodes,
    frames: Frames,
    node: int,
    start: int,
    stop: int,
    unit: bool,
) -> None:
    """Grow the tree below a node from the cases at start … stop - 1; a test that it has already is kept."""
    frames.node[0], frames.start[0], frames.stop[0], frames.unit[0] = node, start, stop, unit
    keep = nodes.kind[node] != LEAF
    depth, entered = -1, True
    while depth >= 0 or entered:
        if entered and _open(cases, order, scores, thresholds, nodes, frames, depth + 1, keep and depth < 0):
            depth += 1
        elif nodes.used[0] < 0:
            return
        elif depth >= 0:
            leave_branch(cases, order, nodes, frames, depth)
        entered = depth >= 0 and enter_branch(cases, order, nodes, frames, depth)
        if depth >= 0 and not entered:
            scores.tested[nodes.attribute[frames.node[depth]]] = False
            if depth or not keep:
                _collapse(nodes, frames.node[depth])
            depth -= 1


@numba.njit(cache=True, error_model="numpy")
def _open(
    cases: Cases,
    order: Order,
    scores: Scores,
    thresholds: Thresholds,
    nodes: Nodes,
    frames: Frames,
    depth: int,
    keep: bool,
) -> bool:
    """Describe the node of a frame and choose its test; tell whether it has one."""
    node, start, stop = frames.node[depth], frames.start[depth], frames.stop[depth]
    best = count_classes(cases, order, start, stop, nodes.counts[node], 0)
    total = nodes.counts[node].sum()
    nodes.leaf[node], nodes.items[node] = best, total
    nodes.errors[node] = total - nodes.counts[node, best]
    if not keep:
        nodes.kind[node] = LEAF
        if nodes.counts[node, best] >= CLOSE * total or total < 2 * thresholds.min_cases:
            return False
        a = choose(cases, order, scores, thresholds, start, stop, nodes.counts[node])
        if a < 0:
            return False
        nodes.attribute[node], nodes.forks[node] = a, cases.forks[a]
        nodes.kind[node] = NUMERIC if cases.numeric[a] else NOMINAL
        nodes.cut[node] = greatest_value_below(cases, a, scores.bar[a]) if cases.numeric[a] else 0.0
    return _make_branches(cases, order, scores, nodes, frames, depth, total)


@numba.njit(cache=True, error_model="numpy")
def _make_branches(
    cases: Cases, order: Order, scores: Scores, nodes: Nodes, frames: Frames, depth: int, total: Any
) -> bool:
    node = frames.node[depth]
    a = nodes.attribute[node]
    if nodes.used[0] + nodes.forks[node] > nodes.kind.shape[0]:
        nodes.used[0] = -1
        return False
    nodes.child[node] = nodes.used[0]
    nodes.used[0] += nodes.forks[node]
    scores.tested[a] = not cases.numeric[a]
    divide(cases, order, a, frames, depth, total)
    return True


@numba.njit(cache=True, error_model="numpy")
def _collapse(nodes: Nodes, node: int) -> None:
    """Sum the errors of the branches; make the node a leaf again where they are hardly fewer than its own."""
    errors = 0.0
    for child in range(nodes.child[node], nodes.child[node] + nodes.forks[node]):
        errors += nodes.errors[child]
    if errors >= CLOSE * nodes.errors[node]:
        nodes.kind[node] = LEAF
        nodes.used[0] = nodes.child[node]
    else:
        nodes.errors[node] = errors
