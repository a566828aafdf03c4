"""A graph as the tree that gives the same answers: what is below a join stands below each of its ends."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from fivefold.learners.mml._kernels import JOIN
from fivefold.learners.trees.nodes import LEAF, NUMERIC, Nodes


@dataclass(frozen=True)
class _Known:
    """What the tests on a path have told: the values of nominal attributes, and low < x <= high of numbers."""

    values: dict[int, int] = field(default_factory=dict)
    ranges: dict[int, tuple[float, float]] = field(default_factory=dict)

    def branch(self, nodes: Nodes, node: int) -> int | None:
        """Give the branch that all cases on the path take at a test; None if there may be several."""
        attribute = int(nodes.attribute[node])
        if nodes.kind[node] != NUMERIC:
            return self.values.get(attribute)
        low, high = self.ranges.get(attribute, (-math.inf, math.inf))
        if nodes.cut[node] >= high:
            return 0
        return 1 if nodes.cut[node] <= low else None

    def after(self, nodes: Nodes, node: int, branch: int) -> _Known:
        """Give what is known after a branch of a test."""
        attribute = int(nodes.attribute[node])
        if nodes.kind[node] != NUMERIC:
            return replace(self, values={**self.values, attribute: branch})
        low, high = self.ranges.get(attribute, (-math.inf, math.inf))
        cut = float(nodes.cut[node])
        return replace(self, ranges={**self.ranges, attribute: (cut, high) if branch else (low, cut)})


def unfold(nodes: Nodes) -> tuple[Nodes, NDArray[np.intp]]:
    """Give the tree without joins, and the node of the graph that each of its nodes stands for.

    A test whose outcome the tests above it have settled is left out.
    """
    origins, known, first = [_settle(nodes, 0, _Known())], [_Known()], []
    for place, node in enumerate(origins):  # grows while it is read
        first.append(len(origins))
        if nodes.kind[node] == LEAF:
            continue
        for branch in range(int(nodes.forks[node])):
            below = known[place].after(nodes, node, branch)
            origins.append(_settle(nodes, int(nodes.child[node]) + branch, below))
            known.append(below)
    origin = np.array(origins)
    tree = Nodes._make([*(values[origin] for values in nodes[:-1]), np.array([origin.size])])
    return tree._replace(child=np.array(first, dtype=np.int32)), origin


def _settle(nodes: Nodes, node: int, known: _Known) -> int:
    """Go on through joins and settled tests."""
    while nodes.kind[node] != LEAF:
        if nodes.kind[node] == JOIN:
            node = int(nodes.child[node])
            continue
        branch = known.branch(nodes, node)
        if branch is None:
            break
        node = int(nodes.child[node]) + branch
    return node
