"""Growing and pruning a whole tree as C5.0 does: work space around the kernels."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fivefold.learners.c5.kernels.choosing import Thresholds
from fivefold.learners.c5.kernels.growing import grow
from fivefold.learners.c5.kernels.pruning import Estimates, Garden, prune
from fivefold.learners.c5.kernels.simplifying import simplify
from fivefold.learners.c45.kernels.deciding import class_weights
from fivefold.learners.c45.structures import LEAF, Cases, Nodes, Order, new_frames, new_nodes
from fivefold.learners.c45.trees import error_limit, new_scores, reached_nodes, tree_depth

SMALL_PROBLEM, LARGE_PROBLEM = 500, 1000
CODE_WEIGHT = 0.9


def thresholds_for(cases: Cases, total: float, min_cases: float) -> Thresholds:
    """Set what a test needs by the number of cases in each class: average gain for few, a code for many."""
    each = int(total / cases.n_classes)
    share = min(max((each - SMALL_PROBLEM) / (LARGE_PROBLEM - SMALL_PROBLEM), 0.0), 1.0)
    many = 0.3 * total
    all_many = bool(np.all(~cases.numeric & (cases.forks + 1 >= many)))
    return Thresholds(min_cases, 1.0 - share, CODE_WEIGHT * share, many, all_many)


def pruned_tree(
    cases: Cases, weights: NDArray[np.float64], thresholds: Thresholds, cf: float, scale: NDArray[np.float64]
) -> Nodes:
    """Grow a tree and prune it branch by branch."""
    depth, unit = tree_depth(cases), bool((weights == 1).all())
    capacity = 2 * cases.classes.size + 256
    while True:
        order = Order(np.arange(cases.classes.size, dtype=np.int32), weights.copy())
        nodes = new_nodes(capacity, cases.n_classes, np.float64)
        nodes.used[0] = 1
        garden = Garden(new_scores(cases, np.dtype(np.float64)), thresholds, new_frames(depth, np.float64))
        grow(cases, order, *garden[:2], nodes, garden.frames, 0, 0, cases.classes.size, unit)
        if nodes.used[0] > 0:
            estimates = _estimates(depth, cases.n_classes, cf, scale)
            prune(cases, order, nodes, new_frames(depth, np.float64), estimates, garden, unit)
        if nodes.used[0] > 0:
            return reached_nodes(nodes)
        capacity *= 2


def _estimates(depth: int, n_classes: int, cf: float, scale: NDArray[np.float64]) -> Estimates:
    return Estimates(
        phase=np.zeros(depth, dtype=np.int32),
        largest=np.zeros(depth, dtype=np.int32),
        update=np.zeros(depth, dtype=np.bool_),
        regrow=np.zeros(depth, dtype=np.bool_),
        as_leaf=np.zeros(depth),
        as_tree=np.zeros(depth),
        pool=np.zeros((depth, n_classes)),
        counts=np.zeros(n_classes),
        limit=error_limit(cf, np.float64),
        scale=scale,
    )


def simplified_tree(nodes: Nodes, cases: Cases, weights: NDArray[np.float64]) -> Nodes:
    """Prune a tree as a whole, while its errors in the training data grow by no more than a standard error."""
    simplify(nodes, _training_errors(nodes, cases, weights), float(weights.sum()))
    return reached_nodes(nodes)


def leaf_errors(nodes: Nodes) -> float:
    """Sum the errors of the leaves."""
    leaves = (nodes.kind == LEAF) & (nodes.items > 1e-3)
    return float(_errors(nodes)[leaves].sum())


def root_errors(nodes: Nodes) -> float:
    """Give the errors of the root, were it a leaf."""
    return float(_errors(nodes)[0])


def _errors(nodes: Nodes) -> NDArray[np.float64]:
    right = np.take_along_axis(nodes.counts, nodes.leaf[:, np.newaxis], axis=1)[:, 0]
    return np.asarray(nodes.items - right)


def _training_errors(nodes: Nodes, cases: Cases, weights: NDArray[np.float64]) -> float:
    tested = np.unique(nodes.attribute[nodes.kind != LEAF])
    if not any(_has_unknown(cases, int(a)) for a in tested):
        return leaf_errors(nodes)
    wholes, n = nodes.counts.sum(axis=1), cases.classes.size
    shares = class_weights(nodes, nodes.counts, wholes, cases.values, cases.codes, cases.place, n)
    return float(weights[np.argmax(shares, axis=1) != cases.classes].sum())


def _has_unknown(cases: Cases, a: int) -> bool:
    row = int(cases.place[a])
    return bool(np.isnan(cases.values[row]).any() if cases.numeric[a] else (cases.codes[row] == 0).any())
