"""The leaves of a growing graph, and what tests and joins of them would add to the message."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fivefold.learners.mml._kernels import EPSILON, Floats, pooled_bits
from fivefold.learners.mml.draft import Draft, Place, Split, pooled_place
from fivefold.learners.mml.growing import SplitCosts, grown_cost, price_splits


@dataclass(frozen=True, eq=False)
class _Leaf:
    """A leaf: its node, its place, its tests, and the bits and leaves that there will be in the end."""

    node: int
    place: Place
    tests: SplitCosts
    classes: float
    bits: float
    n_leaves: int


class Frontier:
    """The leaves in the order in which they were made.

    `tests[i, a]` is what the best test of attribute a at leaf i adds to the message. `pairs[i, j]` is what the
    join of two leaves i < j adds, and `more_leaves[i, j]` the number of leaves; infinite where it is not to be
    considered. The words on ends and on the pattern of joins are not among these bits. `n_leaves` is the number of
    leaves that there will be.

    Parameters
    ----------
    draft : Draft
        The graph, which has one leaf.
    grown : bool
        Whether leaves, and joins of them, stand for the trees that will grow from them. Then only leaves are
        joined whose classes take fewer bits together than apart, as alike leaves do.
    """

    def __init__(self, draft: Draft, *, grown: bool) -> None:
        self.draft, self.grown = draft, grown
        self.tests: Floats = np.empty((0, draft.cases.sizes.size))
        self.pairs: Floats = np.empty((0, 0))
        self.more_leaves: NDArray[np.int64] = np.empty((0, 0), dtype=np.int64)
        self.n_leaves = 0
        self._leaves: list[_Leaf] = []
        self.open([0])

    def __len__(self) -> int:
        return len(self._leaves)

    def node(self, i: int) -> int:
        """Give the node of a leaf."""
        return self._leaves[i].node

    def test(self, i: int, attribute: int) -> Split:
        """Give the best test of an attribute at a leaf."""
        return self._leaves[i].tests.test(attribute)

    def open(self, nodes: list[int]) -> None:
        """Take up new leaves."""
        new = [self._read(node) for node in nodes]
        self._leaves += new
        self.n_leaves += sum(leaf.n_leaves for leaf in new)
        rows = [
            leaf.tests.bits + (leaf.place.test_cost() - leaf.place.flag.end - leaf.classes) for leaf in new
        ]
        self.tests = np.vstack([self.tests, *rows])
        old, size = len(self.pairs), len(self._leaves)
        pairs, more = np.full((size, size), np.inf), np.full((size, size), -1)
        pairs[:old, :old], more[:old, :old] = self.pairs, self.more_leaves
        pairs[:, old:], more[:, old:] = self._new_pairs(old)
        self.pairs, self.more_leaves = pairs, more

    def close(self, nodes: tuple[int, ...]) -> None:
        """Take leaves out that have become tests or joins."""
        kept = np.array([leaf.node not in nodes for leaf in self._leaves])
        self._leaves = [leaf for leaf in self._leaves if leaf.node not in nodes]
        self.n_leaves = sum(leaf.n_leaves for leaf in self._leaves)
        self.tests = self.tests[kept]
        self.pairs, self.more_leaves = (m[np.ix_(kept, kept)] for m in (self.pairs, self.more_leaves))

    def _read(self, node: int) -> _Leaf:
        place, cases, code = self.draft.nodes[node].place, self.draft.cases, self.draft.code
        tests, classes = price_splits(cases, code, place), code.classes(place.members.counts)
        bits, n_leaves = grown_cost(cases, code, place) if self.grown else (place.flag.end + classes, 1)
        return _Leaf(node, place, tests, classes, bits, n_leaves)

    def _new_pairs(self, old: int) -> tuple[Floats, NDArray[np.int64]]:
        """Price the joins of all leaves, in rows, with those from `old` on, in columns."""
        counts = np.array([leaf.place.members.counts for leaf in self._leaves])
        classes = np.array([leaf.classes for leaf in self._leaves])
        pooled: Floats = pooled_bits(counts, counts[old:], self.draft.code.leaf)
        changes = pooled - classes[:, np.newaxis] - classes[old:]
        changes[np.arange(len(counts))[:, np.newaxis] >= np.arange(old, len(counts))] = np.inf
        if self.grown:
            return self._grown_pairs(changes < -EPSILON, old)
        return changes + self._root_ends(old), np.full(changes.shape, -1)

    def _root_ends(self, old: int) -> Floats:
        """Give the bits of the flags of leaves below joins."""
        usable = np.array([leaf.place.usable for leaf in self._leaves], dtype=np.int64)
        n = usable.sum(axis=1)
        union = n[:, np.newaxis] + n[old:] - usable @ usable[old:].T
        flags = [self.draft.code.root_flag(size).end for size in range(usable.shape[1] + 1)]
        return np.asarray(np.array(flags)[union])

    def _grown_pairs(self, wanted: NDArray[np.bool_], old: int) -> tuple[Floats, NDArray[np.int64]]:
        changes, more = np.full(wanted.shape, np.inf), np.full(wanted.shape, -1)
        cases, code = self.draft.cases, self.draft.code
        for i, column in np.argwhere(wanted):
            first, second = self._leaves[i], self._leaves[old + column]
            place = pooled_place(cases, code, first.place, second.place)
            bits, n_leaves = grown_cost(cases, code, place)
            ends = first.place.flag.end + second.place.flag.end
            changes[i, column] = ends + bits - first.bits - second.bits
            more[i, column] = n_leaves - first.n_leaves - second.n_leaves
        return changes, more
