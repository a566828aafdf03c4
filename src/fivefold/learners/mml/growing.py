"""Growing a tree, leaf by leaf, with some levels of tests looked ahead."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fivefold.learners.mml._kernels import EPSILON, Floats, cut_bits, split_costs
from fivefold.learners.mml.cases import Cases, Ints, Members
from fivefold.learners.mml.code import Code
from fivefold.learners.mml.draft import Draft, Place, Split, branches_of


def grow_tree(cases: Cases, members: Members, code: Code, lookahead: int) -> Draft:
    """Grow a tree for each number of levels to look at, up to `lookahead`; give the shortest."""
    grown = [_grow(cases, members, code, levels) for levels in range(1, lookahead + 1)]
    return min(grown, key=lambda draft: draft.message(is_graph=False, alpha_bits=0.0).total)


def _grow(cases: Cases, members: Members, code: Code, levels: int) -> Draft:
    """Take at each leaf the first test of the best subtree of so many levels, while that is shorter."""
    draft = Draft.of_root(cases, members, code)
    waiting = [0]
    while waiting:
        node = waiting.pop()
        place = draft.nodes[node].place
        best = _best_subtree(cases, code, place, levels)
        if best is not None and best.cost < place.leaf_cost(code) - EPSILON:
            waiting += reversed(draft.split(node, best.test))
    return draft


def grown_cost(cases: Cases, code: Code, place: Place) -> tuple[float, int]:
    """Give the bits of the tree that grows at a place, and the number of its leaves."""
    bits, n_leaves = 0.0, 0
    waiting = [place]
    while waiting:
        here = waiting.pop()
        best = _best_subtree(cases, code, here, 1)
        as_leaf = here.leaf_cost(code)
        if best is None or best.cost >= as_leaf - EPSILON:
            bits += as_leaf
            n_leaves += 1
        else:
            bits += here.test_cost() + best.test.cut_bits
            waiting += branches_of(cases, code, here, best.test)
    return bits, n_leaves


@dataclass(frozen=True, eq=False)
class SplitCosts:
    """For each attribute the bits of its best test and the leaves below it, and which test that is.

    The bits are infinite where no test parts the cases; those that name the attribute are not among them.
    """

    bits: Floats
    lefts: Ints
    cuts: Floats

    def test(self, attribute: int) -> Split:
        """Give the best test of an attribute."""
        return Split(attribute, int(self.lefts[attribute]), float(self.cuts[attribute]))


def price_splits(cases: Cases, code: Code, place: Place) -> SplitCosts:
    """Price the best test of each attribute at a node."""
    members = place.members
    if np.count_nonzero(members.counts) < 2:
        # no test shortens the code of cases that are all of one class
        d = cases.sizes.size
        return SplitCosts(np.full(d, np.inf), np.full(d, -1, dtype=np.int32), np.zeros(d))
    table = cases.codes, cases.sizes, cases.numeric, cases.classes
    here = members.rows, members.weights, place.usable
    return SplitCosts(*split_costs(*table, *here, code.leaf, cases.n_classes, code.uniform_cuts))


@dataclass(frozen=True)
class _Subtree:
    """The cheapest subtree at a node: its bits and its first test."""

    cost: float
    test: Split

    def beats(self, other: _Subtree | None) -> bool:
        """Say whether this one is to be taken although the other came first."""
        if other is None or self.cost < other.cost - EPSILON:
            return True
        same = self.test.attribute == other.test.attribute
        return same and self.cost < other.cost + EPSILON and self.test.cut_bits < other.test.cut_bits


def _best_subtree(cases: Cases, code: Code, place: Place, levels: int) -> _Subtree | None:
    """Give the cheapest subtree of at least one test and at most so many levels of them."""
    costs = price_splits(cases, code, place)
    if np.isinf(costs.bits).all():
        return None
    if levels == 1:
        attribute = int(np.argmax(costs.bits <= costs.bits.min() + EPSILON))
        return _Subtree(place.test_cost() + float(costs.bits[attribute]), costs.test(attribute))
    best: _Subtree | None = None
    for test in _all_tests(cases, code, place, np.flatnonzero(np.isfinite(costs.bits))):
        below = _cost_below(cases, code, place, test, levels - 1)
        subtree = _Subtree(place.test_cost() + test.cut_bits + below, test)
        if subtree.beats(best):
            best = subtree
    return best


def _all_tests(cases: Cases, code: Code, place: Place, attributes: NDArray[np.intp]) -> Iterator[Split]:
    for attribute in attributes.tolist():
        if not cases.numeric[attribute]:
            yield Split(attribute, -1, 0.0)
            continue
        codes = np.unique(cases.codes[attribute, place.members.rows])
        values = codes[codes >= 0].tolist()
        for rank, left in enumerate(values[:-1], start=1):
            yield Split(attribute, left, float(cut_bits(rank, len(values), code.uniform_cuts)))


def _cost_below(cases: Cases, code: Code, place: Place, test: Split, levels: int) -> float:
    """Give the bits of the branches of a test, each a leaf or a subtree of at most so many levels."""
    cost = 0.0
    for branch in branches_of(cases, code, place, test):
        subtree = _best_subtree(cases, code, branch, levels)
        as_leaf = branch.leaf_cost(code)
        cost += as_leaf if subtree is None else min(as_leaf, subtree.cost)
    return cost
