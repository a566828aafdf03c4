"""The loops of MML: what a test at a node costs, what pooled leaves cost, and the way of cases down a graph."""

from __future__ import annotations

import cython
import numpy as np
from numpy.typing import NDArray

from fivefold.learners.mml.message import EPSILON, JOIN
from fivefold.learners.trees.nodes import LEAF, NUMERIC, Nodes

if not cython.compiled:
    from math import lgamma, log, log2

INFINITY = np.inf

Floats = NDArray[np.float64]
Ints = NDArray[np.int32]


class LeafCode:
    """The adaptive code of classes, lg Γ(n + start) / Γ(start), in tables for whole n.

    `rising` starts at alpha and is for one class, `rising_all` at alpha times the number of classes.
    """

    def __init__(self, alpha: float, rising: Floats, rising_all: Floats) -> None:
        self.alpha, self.rising, self.rising_all = alpha, rising, rising_all


def _rising(table: Floats, start: float, n: float) -> float:
    whole = cython.cast(cython.longlong, n)
    if whole == n and whole < table.shape[0]:
        return float(table[whole])
    return (lgamma(n + start) - lgamma(start)) / log(2.0)


def leaf_bits(counts: Floats, code: LeafCode) -> float:
    """Give the bits of the classes in a leaf."""
    bits, n = 0.0, 0.0
    for c in range(counts.shape[0]):
        bits -= _rising(code.rising, code.alpha, counts[c])
        n += counts[c]
    return bits + _rising(code.rising_all, code.alpha * counts.shape[0], n)


def pooled_bits(some: Floats, others: Floats, code: LeafCode) -> Floats:
    """Give the bits of the leaf that each of `some` would make together with each of `others`."""
    bits, both = np.empty((some.shape[0], others.shape[0])), np.empty(some.shape[1])
    view = bits
    with cython.nogil:
        for i in range(some.shape[0]):
            for j in range(others.shape[0]):
                for c in range(some.shape[1]):
                    both[c] = some[i, c] + others[j, c]
                view[i, j] = leaf_bits(both, code)
    return bits


def cut_bits(rank: int, n_values: int, uniform: bool) -> float:
    """Give the bits of the cut after `rank` of the different values: 1 at the median, 3 at quartiles, …"""
    if uniform:
        return log2(n_values - 1)
    parts = 2
    while True:
        # the first of the cuts at j/parts that leaves at least `rank` values below
        j = (rank * parts + n_values - 1) // n_values
        if j * n_values < (rank + 1) * parts:
            return 2.0 * log2(parts) - 1.0
        parts *= 2


class Grouped:
    """The cases of a node, and these by the value of one attribute: class weights of each, and of no value.

    The first `n_values` rows of `weights` are for `values`. The rest is room for sorting and for leaves.
    """

    def __init__(
        self, codes: Ints, classes: Ints, rows: Ints, shares: Floats, room: int, n_classes: int
    ) -> None:
        self.codes, self.classes, self.rows, self.shares, self.n_values = codes, classes, rows, shares, 0
        self.values, self.weights = np.empty(room, dtype=np.int32), np.empty((room, n_classes))
        self.keys = np.empty(len(rows), dtype=np.int64)
        self._share_out(np.empty((5, n_classes)))

    def _share_out(self, sums: Floats) -> None:
        # in a compiled method, where rows of a table cost nothing
        self.unknown, self.known, self.low = sums[0], sums[1], sums[2]
        self.left, self.right = sums[3], sums[4]


def _group(grouped: Grouped, a: int, size: int, compress: bool) -> None:
    """Group the cases by an attribute that has `size` values; `compress` leaves out what none of them has."""
    grouped.unknown[:] = 0.0
    if compress and _is_few(grouped.rows.shape[0], size):
        _group_few(grouped, a)
        return
    for v in range(size):
        _start_value(grouped, v, v)
    for i in range(grouped.rows.shape[0]):
        row = grouped.rows[i]
        if grouped.codes[a, row] < 0:
            grouped.unknown[grouped.classes[row]] += grouped.shares[i]
        else:
            grouped.weights[grouped.codes[a, row], grouped.classes[row]] += grouped.shares[i]
    grouped.n_values = size
    if compress:
        _close_gaps(grouped)


def _is_few(n_rows: int, size: int) -> bool:
    """Say whether it is quicker to sort the values of so many cases than to look at all there are."""
    return size > 4 * n_rows


def _start_value(grouped: Grouped, place: int, value: int) -> None:
    grouped.values[place] = value
    grouped.weights[place, :] = 0.0


def _group_few(grouped: Grouped, a: int) -> None:
    """Group by sorted keys; in a key stand a value and the place of a case."""
    n = m = 0
    for i in range(grouped.rows.shape[0]):
        row = grouped.rows[i]
        if grouped.codes[a, row] < 0:
            grouped.unknown[grouped.classes[row]] += grouped.shares[i]
        else:
            grouped.keys[n] = cython.cast(cython.longlong, grouped.codes[a, row]) << 31 | i
            n += 1
    _sort(grouped.keys, n)
    for place in range(n):
        value, i = grouped.keys[place] >> 31, grouped.keys[place] & 0x7FFFFFFF
        if m == 0 or grouped.values[m - 1] != value:
            _start_value(grouped, m, value)
            m += 1
        grouped.weights[m - 1, grouped.classes[grouped.rows[i]]] += grouped.shares[i]
    grouped.n_values = m


def _sort(keys: NDArray[np.int64], n: int) -> None:
    """Put the first n keys in order, by Shell's method."""
    gap = n
    while gap > 1:
        gap = max(gap * 5 // 11, 1)
        for place in range(gap, n):
            key, free = keys[place], place
            while free >= gap and keys[free - gap] > key:
                keys[free] = keys[free - gap]
                free -= gap
            keys[free] = key


def _close_gaps(grouped: Grouped) -> None:
    m = 0
    for v in range(grouped.n_values):
        if _value_sum(grouped, v) > 0:
            grouped.values[m] = v
            for c in range(grouped.weights.shape[1]):
                grouped.weights[m, c] = grouped.weights[v, c]
            m += 1
    grouped.n_values = m


def _value_sum(grouped: Grouped, v: int) -> float:
    total = 0.0
    for c in range(grouped.weights.shape[1]):
        total += grouped.weights[v, c]
    return total


def _sum(numbers: Floats) -> float:
    total = 0.0
    for c in range(numbers.shape[0]):
        total += numbers[c]
    return total


def _nominal_cost(grouped: Grouped, code: LeafCode) -> float:
    known, bits, taken = 0.0, 0.0, 0
    for v in range(grouped.n_values):
        for c in range(grouped.weights.shape[1]):
            known += grouped.weights[v, c]
    for v in range(grouped.n_values):
        share = _value_sum(grouped, v) / known if known > 0 else 0.0
        taken += share > 0
        for c in range(grouped.weights.shape[1]):
            grouped.left[c] = grouped.weights[v, c] + share * grouped.unknown[c]
        bits += leaf_bits(grouped.left, code)
    return bits if taken > 1 else INFINITY


def _numeric_cost(grouped: Grouped, code: LeafCode, uniform: bool) -> tuple[float, int]:
    """Give the least bits of a cut and its two leaves, and after how many values it is."""
    for c in range(grouped.known.shape[0]):
        grouped.known[c] = grouped.low[c] = 0.0
        for v in range(grouped.n_values):
            grouped.known[c] += grouped.weights[v, c]
    known, missing = _sum(grouped.known), _sum(grouped.unknown) > 0
    best, best_code, best_rank = INFINITY, INFINITY, -1
    for rank in range(1, grouped.n_values):
        _move_cut(grouped, rank, known, missing)
        data = leaf_bits(grouped.left, code) + leaf_bits(grouped.right, code)
        if data >= best + EPSILON:
            continue
        place = cut_bits(rank, grouped.n_values, uniform)
        cost = data + place
        if cost < best - EPSILON or (cost < best + EPSILON and place < best_code):
            best, best_code, best_rank = cost, place, rank
    return best, best_rank


def _move_cut(grouped: Grouped, rank: int, known: float, missing: bool) -> None:
    """Part the cases after `rank` values; those without a value go to both sides in part."""
    for c in range(grouped.known.shape[0]):
        grouped.low[c] += grouped.weights[rank - 1, c]
        grouped.left[c] = grouped.low[c]
        grouped.right[c] = max(grouped.known[c] - grouped.low[c], 0.0)
    if missing:
        share = _sum(grouped.left) / known
        for c in range(grouped.known.shape[0]):
            grouped.left[c] += share * grouped.unknown[c]
            grouped.right[c] += (1.0 - share) * grouped.unknown[c]


def split_costs(
    codes: Ints, sizes: Ints, numeric: NDArray[np.bool_], classes: Ints, rows: Ints, weights: Floats,
    usable: NDArray[np.bool_], code: LeafCode, n_classes: int, uniform: bool,
) -> tuple[Floats, Ints, Floats]:  # fmt: skip
    """Give for each attribute the bits of its best test and the leaves below it.

    That is the cut, if there is one, a word for each branch that it ends there, and the classes; infinite where
    no test parts the cases. Also the greatest code on the left of the cut, and the bits of the cut.
    """
    d = len(sizes)
    costs, lefts, cuts = np.empty(d), np.empty(d, dtype=np.int32), np.empty(d)
    grouped = Grouped(codes, classes, rows, weights, _room(sizes, numeric, len(rows)), n_classes)
    _price(grouped, sizes, numeric, usable, code, uniform, costs, lefts, cuts)
    return costs, lefts, cuts


def _room(sizes: Ints, numeric: NDArray[np.bool_], n_rows: int) -> int:
    """Give the greatest number of values that will be looked at together."""
    room = 0
    for a in range(sizes.shape[0]):
        few = numeric[a] and _is_few(n_rows, sizes[a])
        room = max(room, n_rows if few else sizes[a])
    return room


def _price(
    grouped: Grouped, sizes: Ints, numeric: NDArray[np.bool_], usable: NDArray[np.bool_], code: LeafCode,
    uniform: bool, costs: Floats, lefts: Ints, cuts: Floats,
) -> None:  # fmt: skip
    with cython.nogil:
        for a in range(sizes.shape[0]):
            size = sizes[a]
            costs[a], lefts[a], cuts[a] = INFINITY, -1, 0.0
            if not usable[a] or (not numeric[a] and size < 2):
                continue
            _group(grouped, a, size, numeric[a])
            if not numeric[a]:
                costs[a] = _nominal_cost(grouped, code) + size * log2(float(size) / (size - 1))
                continue
            cost, rank = _numeric_cost(grouped, code, uniform)
            if rank > 0:
                costs[a], lefts[a] = cost + 2.0, grouped.values[rank - 1]
                cuts[a] = cut_bits(rank, grouped.n_values, uniform)


class Graph:
    """The nodes of a tree or graph as the kernels see them."""

    def __init__(self, nodes: Nodes) -> None:
        self.kind, self.attribute, self.cut = nodes.kind, nodes.attribute, nodes.cut
        self.child, self.forks = nodes.child, nodes.forks


def _branch(graph: Graph, node: int, value: float) -> int:
    """Give the node below a test that a known value leads to."""
    first: int = graph.child[node]
    if graph.kind[node] == NUMERIC:
        return first if value <= graph.cut[node] else first + 1
    branch: int = cython.cast(cython.int, value)
    return first + branch


def _walk(graph: Graph, values: Floats, i: int) -> int:
    """Follow a case from the root to its leaf, or to the first test of a value that it lacks."""
    node = 0
    while graph.kind[node] != LEAF:
        if graph.kind[node] == JOIN:
            node = graph.child[node]
            continue
        value = values[graph.attribute[node], i]
        if value != value:
            return node
        node = _branch(graph, node, value)
    return node


def _spread(graph: Graph, shares: Floats, values: Floats, i: int, start: int, parts: Floats) -> None:
    """Send a case on from `start`; every node stands before those below it, so one pass meets all its parts."""
    parts[start:] = 0.0
    parts[start] = 1.0
    for node in range(start, parts.shape[0]):
        if parts[node] == 0.0 or graph.kind[node] == LEAF:
            continue
        if graph.kind[node] == JOIN:
            parts[graph.child[node]] += parts[node]
            continue
        value = values[graph.attribute[node], i]
        if value == value:
            parts[_branch(graph, node, value)] += parts[node]
        else:
            for child in range(graph.child[node], graph.child[node] + graph.forks[node]):
                parts[child] += parts[node] * shares[child]


def probabilities(nodes: Nodes, estimates: Floats, shares: Floats, values: Floats) -> Floats:
    """Give each case's class probabilities; one that lacks a tested value goes down every branch in part.

    `estimates` are the probabilities of each node, `shares` the part of its parent's cases that each has.
    """
    graph, parts = Graph(nodes), np.empty(shares.shape[0])
    answers = np.zeros((values.shape[1], estimates.shape[1]))
    view = answers
    with cython.nogil:
        for i in range(values.shape[1]):
            node = _walk(graph, values, i)
            if graph.kind[node] == LEAF:
                for c in range(estimates.shape[1]):
                    view[i, c] = estimates[node, c]
                continue
            _spread(graph, shares, values, i, node, parts)
            for leaf in range(node, shares.shape[0]):
                if parts[leaf] > 0.0 and graph.kind[leaf] == LEAF:
                    for c in range(estimates.shape[1]):
                        view[i, c] += parts[leaf] * estimates[leaf, c]
    return answers


def leaves_reached(nodes: Nodes, values: Floats) -> Ints:
    """Give the leaf that each case reaches, or -1 where a test of a missing value stops it."""
    graph, leaves = Graph(nodes), np.empty(values.shape[1], dtype=np.int32)
    view = leaves
    with cython.nogil:
        for i in range(values.shape[1]):
            node = _walk(graph, values, i)
            view[i] = node if graph.kind[node] == LEAF else -1
    return leaves
