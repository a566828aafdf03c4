"""Making leaves of the subtrees that buy their leaves with the fewest errors, up to one standard error."""

from __future__ import annotations

from typing import Any

import numba
import numpy as np
from numpy.typing import NDArray

from fivefold.learners.c45.structures import LEAF, Nodes


@numba.njit(cache=True, error_model="numpy")
def simplify(nodes: Nodes, base_errors: float, n_cases: float) -> None:
    """Prune by cost complexity; `base_errors` are the tree's errors in the training data.

    Every node must stand before its children.
    """
    allowance = np.sqrt(base_errors * (1 - base_errors / n_cases))
    while allowance > 0:
        errors, leaves = _errors_and_leaves(nodes)
        chosen, spent = _cheapest(nodes, errors, leaves, allowance)
        if not chosen.any() or spent > allowance:
            return
        for node in range(chosen.shape[0]):
            if chosen[node]:
                nodes.kind[node] = LEAF
                allowance -= nodes.items[node] - nodes.counts[node, nodes.leaf[node]] - errors[node]


@numba.njit(cache=True, error_model="numpy")
def _errors_and_leaves(nodes: Nodes) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    n = nodes.used[0]
    errors, leaves = np.zeros(n), np.zeros(n, dtype=np.int64)
    for node in range(n - 1, -1, -1):
        if nodes.kind[node] == LEAF:
            if nodes.items[node] > 1e-3:
                errors[node] = nodes.items[node] - nodes.counts[node, nodes.leaf[node]]
                leaves[node] = 1
            continue
        for child in range(nodes.child[node], nodes.child[node] + nodes.forks[node]):
            errors[node] += errors[child]
            leaves[node] += leaves[child]
    return errors, leaves


@numba.njit(cache=True, error_model="numpy")
def _cheapest(nodes: Nodes, errors: Any, leaves: Any, allowance: float) -> tuple[NDArray[np.bool_], float]:
    """Find the subtrees with the least extra errors by leaf; of those within each other the outermost."""
    n = nodes.used[0]
    extra, price = np.full(n, np.inf), np.full(n, np.inf)
    reached, inside = np.zeros(n, dtype=np.bool_), np.zeros(n, dtype=np.bool_)
    reached[0] = True
    for node in range(n):
        if reached[node] and nodes.kind[node] != LEAF:
            extra[node] = nodes.items[node] - nodes.counts[node, nodes.leaf[node]] - errors[node]
            if extra[node] <= allowance and leaves[node] > 1:
                price[node] = extra[node] / (leaves[node] - 1)
            for child in range(nodes.child[node], nodes.child[node] + nodes.forks[node]):
                reached[child] = nodes.items[child] > 0.1
    least, spent = price.min(), 0.0
    chosen = np.zeros(n, dtype=np.bool_)
    for node in range(n):
        if not reached[node] or nodes.kind[node] == LEAF:
            continue
        chosen[node] = not inside[node] and price[node] == least and least < np.inf
        spent += extra[node] if chosen[node] else 0.0
        for child in range(nodes.child[node], nodes.child[node] + nodes.forks[node]):
            inside[child] = inside[node] or chosen[node]
    return chosen, spent
