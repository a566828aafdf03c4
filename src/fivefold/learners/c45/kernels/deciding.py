"""Sending cases down a finished tree: class weights, or the one leaf that is reached without a guess."""

from __future__ import annotations

from typing import Any

import numba
import numpy as np
from numpy.typing import NDArray

from fivefold.learners.c45.structures import LEAF, NUMERIC, Nodes


@numba.njit(cache=True, error_model="numpy")
def branch_of(
    nodes: Nodes, node: int, row: int, values: NDArray[np.float64], codes: NDArray[np.int32], place: Any
) -> int:
    """Give the branch, counted from 1, that a case takes at a node; 0 where its value is unknown."""
    at = place[nodes.attribute[node]]
    if nodes.kind[node] != NUMERIC:
        v = codes[at, row]
        return v if v <= nodes.forks[node] else 0
    value = values[at, row]
    if np.isnan(value):
        return 3 if nodes.forks[node] == 3 else 0
    return 1 if value <= nodes.cut[node] else 2


@numba.njit(cache=True, error_model="numpy")
def class_weights(
    nodes: Nodes,
    shares: NDArray[Any],
    wholes: NDArray[Any],
    values: NDArray[np.float64],
    codes: NDArray[np.int32],
    place: NDArray[np.int32],
    n: int,
) -> NDArray[Any]:
    """Give each case's class weights; a case with an unknown value goes down every branch in part.

    The class probabilities of a leaf are its row of `shares` divided by its `wholes`.
    """
    real = nodes.items.dtype.type
    sums = np.zeros((n, shares.shape[1]), dtype=shares.dtype)
    waiting = np.empty(nodes.kind.shape[0] + 1, dtype=np.int32)
    parts = np.empty(nodes.kind.shape[0] + 1, dtype=nodes.items.dtype)
    for i in range(n):
        waiting[0], parts[0], depth = 0, real(1), 1
        while depth:
            depth -= 1
            node, part = waiting[depth], parts[depth]
            while nodes.kind[node] != LEAF:
                v = branch_of(nodes, node, i, values, codes, place)
                if v == 0:
                    break
                node = nodes.child[node] + v - 1
            if nodes.kind[node] == LEAF:
                for c in range(shares.shape[1]):
                    sums[i, c] += real(part * shares[node, c]) / wholes[node]
                continue
            for v in range(nodes.forks[node], 0, -1):
                child = nodes.child[node] + v - 1
                if nodes.items[child] > 0:
                    waiting[depth] = child
                    parts[depth] = real(part * nodes.items[child]) / nodes.items[node]
                    depth += 1
    return sums


@numba.njit(cache=True, error_model="numpy")
def leaves_reached(
    nodes: Nodes,
    values: NDArray[np.float64],
    codes: NDArray[np.int32],
    place: NDArray[np.int32],
    n: int,
) -> NDArray[np.int32]:
    """Give the leaf that each case reaches, or -1 where a test on an unknown value stops it."""
    leaves = np.empty(n, dtype=np.int32)
    for i in range(n):
        node = 0
        while node >= 0 and nodes.kind[node] != LEAF:
            v = branch_of(nodes, node, i, values, codes, place)
            node = nodes.child[node] + v - 1 if v else -1
        leaves[i] = node
    return leaves
