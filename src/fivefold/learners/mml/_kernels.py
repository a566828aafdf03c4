"""The loops of MML: what a test at a node costs, what pooled leaves cost, and the way of cases down a graph.

Rows are copied and summed in loops of their own, because the array expressions for that take seconds to compile.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numba
import numpy as np
from numpy.typing import NDArray

from fivefold.learners.trees.nodes import LEAF, NUMERIC, Nodes

JOIN = 3
# Costs that should be equal may differ in their last bits.
EPSILON = 1e-8

Floats = NDArray[np.float64]
Ints = NDArray[np.int32]


class LeafCode(NamedTuple):
    """The adaptive code of classes, lg Γ(n + start) / Γ(start), in tables for whole n.

    `rising` starts at alpha and is for one class, `rising_all` at alpha times the number of classes.
    """

    alpha: float
    rising: Floats
    rising_all: Floats


class Grouped(NamedTuple):
    """The cases of a node by the value of one attribute: class weights of each value, and of no value."""

    values: Ints
    weights: Floats
    unknown: Floats


@numba.njit(cache=True)
def _rising(table: Floats, start: float, n: float) -> float:
    whole = int(n)
    if whole == n and whole < table.size:
        return float(table[whole])
    return (math.lgamma(n + start) - math.lgamma(start)) / math.log(2.0)


@numba.njit(cache=True)
def leaf_bits(counts: Floats, code: LeafCode) -> float:
    """Give the bits of the classes in a leaf."""
    bits, n = 0.0, 0.0
    for count in counts:
        bits -= _rising(code.rising, code.alpha, count)
        n += count
    return bits + _rising(code.rising_all, code.alpha * counts.size, n)


@numba.njit(cache=True)
def pooled_bits(some: Floats, others: Floats, code: LeafCode) -> Floats:
    """Give the bits of the leaf that each of `some` would make together with each of `others`."""
    bits = np.empty((some.shape[0], others.shape[0]))
    for i in range(some.shape[0]):
        for j in range(others.shape[0]):
            bits[i, j] = leaf_bits(some[i] + others[j], code)
    return bits


@numba.njit(cache=True)
def cut_bits(rank: int, n_values: int, uniform: bool) -> float:
    """Give the bits of the cut after `rank` of the different values: 1 at the median, 3 at quartiles, …"""
    if uniform:
        return math.log2(n_values - 1)
    parts = 2
    while True:
        # the first of the cuts at j/parts that leaves at least `rank` values below
        j = -((-rank * parts) // n_values)
        if j * n_values < (rank + 1) * parts:
            return 2.0 * math.log2(parts) - 1.0
        parts *= 2


@numba.njit(cache=True)
def _distinct(codes: Ints, rows: Ints) -> Ints:
    known, n = np.empty(rows.size, dtype=np.int32), 0
    for row in rows:
        if codes[row] >= 0:
            known[n] = codes[row]
            n += 1
    values, m = np.sort(known[:n]), 0
    for i in range(n):
        if i == 0 or values[i] != values[m - 1]:
            values[m] = values[i]
            m += 1
    return values[:m]


@numba.njit(cache=True)
def _place(values: Ints, value: int) -> int:
    low, high = 0, values.size - 1
    while low < high:
        middle = (low + high) // 2
        if values[middle] < value:
            low = middle + 1
        else:
            high = middle
    return low


@numba.njit(cache=True)
def _without_gaps(grouped: Grouped) -> Grouped:
    """Leave values out that no case has; what is given is used up."""
    values, weights, m = grouped.values, grouped.weights, 0
    for v in range(values.size):
        if weights[v].sum() > 0:
            values[m] = v
            for c in range(weights.shape[1]):
                weights[m, c] = weights[v, c]
            m += 1
    return Grouped(values[:m], weights[:m], grouped.unknown)


@numba.njit(cache=True)
def group(
    codes: Ints, size: int, classes: Ints, n_classes: int, rows: Ints, weights: Floats, compress: bool
) -> Grouped:
    """Group the cases of a node by value; `compress` leaves values out that none of them has."""
    few = compress and size > 4 * rows.size
    values = _distinct(codes, rows) if few else np.arange(size).astype(np.int32)
    table, unknown = np.zeros((values.size, n_classes)), np.zeros(n_classes)
    for i in range(rows.size):
        code, c = codes[rows[i]], classes[rows[i]]
        if code < 0:
            unknown[c] += weights[i]
        else:
            table[_place(values, code) if few else code, c] += weights[i]
    grouped = Grouped(values, table, unknown)
    return _without_gaps(grouped) if compress and not few else grouped


@numba.njit(cache=True)
def _nominal_cost(grouped: Grouped, code: LeafCode) -> float:
    known, taken = grouped.weights.sum(), 0
    bits = 0.0
    for v in range(grouped.values.size):
        share = grouped.weights[v].sum() / known if known > 0 else 0.0
        taken += share > 0
        bits += leaf_bits(grouped.weights[v] + share * grouped.unknown, code)
    return bits if taken > 1 else np.inf


@numba.njit(cache=True)
def _numeric_cost(grouped: Grouped, code: LeafCode, uniform: bool) -> tuple[float, int]:
    """Give the least bits of a cut and its two leaves, and after how many values it is."""
    m, n_classes = grouped.weights.shape
    all_known = np.zeros(n_classes)
    for v in range(m):
        for c in range(n_classes):
            all_known[c] += grouped.weights[v, c]
    known, missing = all_known.sum(), grouped.unknown.sum() > 0
    left, right, low = np.zeros(n_classes), np.zeros(n_classes), np.zeros(n_classes)
    best, best_code, best_rank = np.inf, np.inf, -1
    for rank in range(1, m):
        for c in range(n_classes):
            low[c] += grouped.weights[rank - 1, c]
            left[c] = low[c]
            right[c] = max(all_known[c] - low[c], 0.0)
        if missing:
            share = left.sum() / known
            for c in range(n_classes):
                left[c] += share * grouped.unknown[c]
                right[c] += (1.0 - share) * grouped.unknown[c]
        data = leaf_bits(left, code) + leaf_bits(right, code)
        if data >= best + EPSILON:
            continue
        place = cut_bits(rank, m, uniform)
        cost = data + place
        if cost < best - EPSILON or (cost < best + EPSILON and place < best_code):
            best, best_code, best_rank = cost, place, rank
    return best, best_rank


@numba.njit(cache=True)
def split_costs(
    codes: Ints, sizes: Ints, numeric: NDArray[np.bool_], classes: Ints, rows: Ints, weights: Floats,
    usable: NDArray[np.bool_], code: LeafCode, n_classes: int, uniform: bool,
) -> tuple[Floats, Ints, Floats]:  # fmt: skip
    """Give for each attribute the bits of its best test and the leaves below it.

    That is the cut, if there is one, a word for each branch that it ends there, and the classes; infinite where
    no test parts the cases. Also the greatest code on the left of the cut, and the bits of the cut.
    """
    d = sizes.size
    costs, lefts, cuts = np.full(d, np.inf), np.full(d, -1, dtype=np.int32), np.zeros(d)
    for a in range(d):
        if not usable[a] or (not numeric[a] and sizes[a] < 2):
            continue
        grouped = group(codes[a], sizes[a], classes, n_classes, rows, weights, numeric[a])
        if not numeric[a]:
            costs[a] = _nominal_cost(grouped, code) + sizes[a] * math.log2(sizes[a] / (sizes[a] - 1))
            continue
        cost, rank = _numeric_cost(grouped, code, uniform)
        if rank > 0:
            costs[a], lefts[a] = cost + 2.0, grouped.values[rank - 1]
            cuts[a] = cut_bits(rank, grouped.values.size, uniform)
    return costs, lefts, cuts


@numba.njit(cache=True)
def _branch(nodes: Nodes, node: int, value: float) -> int:
    """Give the node below a test that a known value leads to."""
    if nodes.kind[node] == NUMERIC:
        return int(nodes.child[node]) + (0 if value <= nodes.cut[node] else 1)
    return int(nodes.child[node]) + int(value)


@numba.njit(cache=True)
def _walk(nodes: Nodes, values: Floats, i: int) -> int:
    """Follow a case from the root to its leaf, or to the first test of a value that it lacks."""
    node = 0
    while nodes.kind[node] != LEAF:
        if nodes.kind[node] == JOIN:
            node = int(nodes.child[node])
            continue
        value = values[nodes.attribute[node], i]
        if np.isnan(value):
            return node
        node = _branch(nodes, node, value)
    return node


@numba.njit(cache=True)
def _spread(nodes: Nodes, shares: Floats, values: Floats, i: int, start: int, parts: Floats) -> None:
    """Send a case on from `start`; every node stands before those below it, so one pass meets all its parts."""
    parts[:] = 0.0
    parts[start] = 1.0
    for node in range(start, parts.size):
        if parts[node] == 0.0 or nodes.kind[node] == LEAF:
            continue
        if nodes.kind[node] == JOIN:
            parts[nodes.child[node]] += parts[node]
        elif np.isnan(values[nodes.attribute[node], i]):
            for child in range(nodes.child[node], nodes.child[node] + nodes.forks[node]):
                parts[child] += parts[node] * shares[child]
        else:
            parts[_branch(nodes, node, values[nodes.attribute[node], i])] += parts[node]


@numba.njit(cache=True)
def probabilities(nodes: Nodes, estimates: Floats, shares: Floats, values: Floats) -> Floats:
    """Give each case's class probabilities; one that lacks a tested value goes down every branch in part.

    `estimates` are the probabilities of each node, `shares` the part of its parent's cases that each has.
    """
    n, n_classes = values.shape[1], estimates.shape[1]
    answers, parts = np.zeros((n, n_classes)), np.zeros(nodes.kind.size)
    for i in range(n):
        node = _walk(nodes, values, i)
        if nodes.kind[node] == LEAF:
            for c in range(n_classes):
                answers[i, c] = estimates[node, c]
            continue
        _spread(nodes, shares, values, i, node, parts)
        for leaf in range(node, parts.size):
            if parts[leaf] > 0.0 and nodes.kind[leaf] == LEAF:
                for c in range(n_classes):
                    answers[i, c] += parts[leaf] * estimates[leaf, c]
    return answers


@numba.njit(cache=True)
def leaves_reached(nodes: Nodes, values: Floats) -> Ints:
    """Give the leaf that each case reaches, or -1 where a test of a missing value stops it."""
    leaves = np.empty(values.shape[1], dtype=np.int32)
    for i in range(values.shape[1]):
        node = _walk(nodes, values, i)
        leaves[i] = node if nodes.kind[node] == LEAF else -1
    return leaves
