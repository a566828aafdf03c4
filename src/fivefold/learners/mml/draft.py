"""A tree or graph while it is made: its cases, the code that it is sent in, its nodes, and how a tree grows."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln

from fivefold.learners.base import Columns, Floats, Ints, ranks_of, sizes_of
from fivefold.learners.mml._kernels import LeafCode, cut_bits, leaf_bits, split_costs
from fivefold.learners.mml.message import EPSILON, JOIN, MessageLength, end_bits, join_bits
from fivefold.learners.trees.nodes import LEAF, NOMINAL, NUMERIC, Nodes, nodes_of

ALPHAS = (1.0, 0.5, 0.3, 0.2, 0.1, 0.05)
_TABLE_LIMIT = 1 << 20


@dataclass(frozen=True, eq=False)
class Members:
    """The cases at a node: which they are, how much of each is there, and the weights of their classes."""

    rows: Ints
    weights: Floats
    counts: Floats


@dataclass(frozen=True, eq=False)
class MMLTable:
    """All training cases.

    `codes` has one row an attribute: the category, or the place of a number among the `distinct` ones; -1 is
    missing. `sizes` is the number of categories or different numbers.
    """

    codes: Ints
    sizes: Ints
    numeric: NDArray[np.bool_]
    distinct: tuple[Floats, ...]
    classes: Ints
    n_classes: int

    @property
    def branches(self) -> Ints:
        """The number of branches of a test of each attribute."""
        return np.where(self.numeric, np.int32(2), self.sizes)

    def members(self, rows: Ints, weights: Floats) -> Members:
        """Count the classes of some cases."""
        counts = np.bincount(self.classes[rows], weights, self.n_classes)
        return Members(rows, weights, counts.astype(np.float64))

    def part(self, members: Members, attribute: int, left: int) -> list[Members]:
        """Give the cases of each branch of a test; those without a value go down all branches in part."""
        codes = self.codes[attribute, members.rows]
        branches = np.where(codes > left, 1, 0) if self.numeric[attribute] else codes
        missing = codes < 0
        n_branches = int(self.branches[attribute])
        known = np.bincount(branches[~missing], members.weights[~missing], n_branches)
        parts = []
        for branch, share in enumerate(known / known.sum()):
            here = ((branches == branch) | missing) & (share > 0)
            weights = np.where(missing[here], share, 1.0) * members.weights[here]
            parts.append(self.members(members.rows[here], weights))
        return parts

    def pool(self, first: Members, second: Members) -> Members:
        """Put the cases of two nodes together."""
        both = np.concatenate([first.rows, second.rows])
        rows, places = np.unique(both, return_inverse=True)
        weights = np.bincount(places, np.concatenate([first.weights, second.weights]))
        return self.members(rows, weights.astype(np.float64))


def training_table_of(columns: Columns, classes: Ints, n_classes: int) -> MMLTable:
    """Stack columns for the kernels, numbers as their places among the different ones."""
    codes, distinct = ranks_of(columns)
    numeric = sizes_of(columns) < 0
    sizes = np.where(numeric, [numbers.size for numbers in distinct], sizes_of(columns))
    return MMLTable(codes, sizes.astype(np.int32), numeric, distinct, classes, n_classes)


class Flag(NamedTuple):
    """The bits that say whether there is a test at a node."""

    test: float
    end: float


@dataclass(frozen=True, eq=False)
class Place:
    """Where a node stands: its cases, the attributes that may be tested there, and the flag of a test."""

    members: Members
    usable: NDArray[np.bool_]
    flag: Flag

    @property
    def n_usable(self) -> int:
        """How many attributes may be tested."""
        return int(np.count_nonzero(self.usable))

    def test_cost(self) -> float:
        """Give the bits of the words that there is a test here, and of which attribute."""
        return self.flag.test + math.log2(self.n_usable) if self.usable.any() else math.inf


class Split(NamedTuple):
    """A test: `left` is the greatest code on the left of a cut, and `cut_bits` says where that is."""

    attribute: int
    left: int
    cut_bits: float


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


@dataclass(frozen=True, eq=False)
class Code:
    """The code that a message is sent in: what each of its words costs, where the receiver knows `cases`."""

    cases: MMLTable
    leaf: LeafCode
    root_plus_one: bool
    uniform_cuts: bool

    def root_flag(self, n_usable: int) -> Flag:
        """Give the flag at the root of a tree: it is a leaf with probability 1/n."""
        if n_usable == 0:
            return Flag(math.inf, 0.0)
        n = n_usable + 1 if self.root_plus_one else max(n_usable, 2)
        return Flag(-math.log2(1 - 1 / n), math.log2(n))

    def classes(self, place: Place) -> float:
        """Give the bits of the classes in a leaf."""
        return float(leaf_bits(place.members.counts, self.leaf))

    def leaf_cost(self, place: Place) -> float:
        """Give the bits of a leaf."""
        return place.flag.end + self.classes(place)

    def branches(self, place: Place, test: Split) -> list[Place]:
        """Give the places below a test; a nominal attribute may not be tested there again.

        The end of one of b branches is a test with probability 1/b.
        """
        parts, usable = self.cases.part(place.members, test.attribute, test.left), place.usable
        flag = Flag(math.log2(len(parts)), math.log2(len(parts) / (len(parts) - 1)))
        if not self.cases.numeric[test.attribute]:
            usable = usable.copy()
            usable[test.attribute] = False
        return [Place(part, usable, flag) for part in parts]

    def pooled(self, first: Place, second: Place) -> Place:
        """Give the place where two meet: an attribute may be tested there that may be at one of them."""
        usable = first.usable | second.usable
        flag = self.root_flag(int(np.count_nonzero(usable)))
        return Place(self.cases.pool(first.members, second.members), usable, flag)

    def splits(self, place: Place) -> SplitCosts:
        """Price the best test of each attribute at a node."""
        cases, members = self.cases, place.members
        if np.count_nonzero(members.counts) < 2:
            # no test shortens the code of cases that are all of one class
            d = cases.sizes.size
            return SplitCosts(np.full(d, np.inf), np.full(d, -1, dtype=np.int32), np.zeros(d))
        table = cases.codes, cases.sizes, cases.numeric, cases.classes
        here = members.rows, members.weights, place.usable
        return SplitCosts(*split_costs(*table, *here, self.leaf, cases.n_classes, self.uniform_cuts))


def make_code(cases: MMLTable, alpha: float, weight: float, *, root: str, cut_code: str) -> Code:
    """Make the code; `weight` is that of all cases together."""
    n = np.arange(min(int(weight) + 1, _TABLE_LIMIT), dtype=np.float64)
    leaf = LeafCode(alpha, _rising(alpha, n), _rising(alpha * cases.n_classes, n))
    return Code(cases, leaf, root == "n+1", cut_code == "uniform")


def _rising(start: float, n: Floats) -> Floats:
    return np.asarray((gammaln(n + start) - gammaln(start)) / math.log(2.0))


@dataclass
class _Node:
    place: Place
    tree: int
    kind: int = LEAF
    test: Split | None = None
    child: int = 0
    forks: int = 0


@dataclass
class Draft:
    """The nodes so far; those below a node come after it, and the children of a test stand together.

    `groups` has for each tree below a join the ends that meet there, and `roots` the node where each tree begins.
    """

    code: Code
    nodes: list[_Node] = field(default_factory=list)
    groups: dict[int, list[int]] = field(default_factory=dict)
    roots: dict[int, int] = field(default_factory=dict)
    _next_tree: int = 0

    @classmethod
    def of_root(cls, code: Code, members: Members) -> Draft:
        """Begin with one leaf, at which all attributes may be tested."""
        draft = cls(code)
        n = code.cases.sizes.size
        draft._start_tree(Place(members, np.ones(n, dtype=bool), code.root_flag(n)))
        return draft

    def _start_tree(self, place: Place) -> int:
        tree, node = self._next_tree, len(self.nodes)
        self.nodes.append(_Node(place, tree))
        self.roots[tree] = node
        self._next_tree += 1
        return node

    def split(self, node: int, test: Split) -> range:
        """Make a leaf a test; give the leaves below it."""
        here = self.nodes[node]
        below = self.code.branches(here.place, test)
        here.kind = NUMERIC if self.code.cases.numeric[test.attribute] else NOMINAL
        here.test, here.child, here.forks = test, len(self.nodes), len(below)
        self.nodes += [_Node(place, here.tree) for place in below]
        return range(here.child, len(self.nodes))

    def join(self, ends: list[int], place: Place) -> int:
        """Let ends of the graph meet in a new leaf at a place that has all their cases; give the leaf."""
        tree, node = self._next_tree, self._start_tree(place)
        self.groups[tree] = ends
        for end in ends:
            self.nodes[end].kind, self.nodes[end].child = JOIN, node
        return node

    def is_pooled(self, node: int) -> bool:
        """Say whether a leaf stands directly below a join."""
        tree = self.nodes[node].tree
        return tree in self.groups and self.roots[tree] == node

    def pattern(self) -> dict[int, list[int]]:
        """Give for each tree below a join the trees in which the joined ends stand."""
        return {tree: [self.nodes[end].tree for end in ends] for tree, ends in self.groups.items()}

    def message(self, *, is_graph: bool, alpha_bits: float) -> MessageLength:
        """Give the length of the message; in a graph each end says whether it is a leaf or a join."""
        live = [self.nodes[node] for node in self._live()]
        tests = [(node, node.test) for node in live if node.test is not None]
        leaves = [node for node in live if node.kind == LEAF]
        n_joins = len(live) - len(tests) - len(leaves)
        return MessageLength(
            structure=math.fsum(n.place.flag.end if n.test is None else n.place.flag.test for n in live),
            attributes=math.fsum(math.log2(node.place.n_usable) for node, _ in tests),
            cuts=math.fsum(test.cut_bits for _, test in tests),
            leaves=math.fsum(self.code.classes(node.place) for node in leaves),
            ends=end_bits(len(leaves), n_joins) if is_graph else 0.0,
            joins=join_bits(self.pattern()),
            alpha=alpha_bits,
        )

    def finish(self) -> Nodes:
        """Give the nodes as arrays."""
        live = self._live()
        number = {node: place for place, node in enumerate(live)}
        kept = [self.nodes[node] for node in live]
        counts = np.array([node.place.members.counts for node in kept])
        tests = []
        for node in kept:
            child = 0 if node.kind == LEAF else number[node.child]
            attribute = 0 if node.test is None else node.test.attribute
            tests.append((node.kind, attribute, child, node.forks, self._cut(node)))
        return nodes_of(tests, counts.sum(axis=1), counts)

    def _live(self) -> list[int]:
        return [n for n, node in enumerate(self.nodes) if node.tree in self.roots]

    def _cut(self, node: _Node) -> float:
        if node.test is None or node.kind != NUMERIC:
            return 0.0
        return float(self.code.cases.distinct[node.test.attribute][node.test.left])


def grow_tree(code: Code, members: Members, lookahead: int) -> Draft:
    """Grow a tree for each number of levels to look at, up to `lookahead`; give the shortest."""
    grown = [_grow(code, members, levels) for levels in range(1, lookahead + 1)]
    return min(grown, key=lambda draft: draft.message(is_graph=False, alpha_bits=0.0).total)


def _grow(code: Code, members: Members, levels: int) -> Draft:
    """Take at each leaf the first test of the best subtree of so many levels, while that is shorter."""
    draft = Draft.of_root(code, members)
    waiting = [0]
    while waiting:
        node = waiting.pop()
        place = draft.nodes[node].place
        best = _best_subtree(code, place, levels)
        if best is not None and best.cost < code.leaf_cost(place) - EPSILON:
            waiting += reversed(draft.split(node, best.test))
    return draft


def grown_cost(code: Code, place: Place) -> tuple[float, int]:
    """Give the bits of the tree that grows at a place, and the number of its leaves."""
    bits, n_leaves = 0.0, 0
    waiting = [place]
    while waiting:
        here = waiting.pop()
        best = _best_subtree(code, here, 1)
        as_leaf = code.leaf_cost(here)
        if best is None or best.cost >= as_leaf - EPSILON:
            bits += as_leaf
            n_leaves += 1
        else:
            bits += here.test_cost() + best.test.cut_bits
            waiting += code.branches(here, best.test)
    return bits, n_leaves


class _Subtree(NamedTuple):
    """The cheapest subtree at a node: its bits and its first test."""

    cost: float
    test: Split

    def beats(self, other: _Subtree | None) -> bool:
        """Say whether this one is to be taken although the other came first."""
        if other is None or self.cost < other.cost - EPSILON:
            return True
        same = self.test.attribute == other.test.attribute
        return same and self.cost < other.cost + EPSILON and self.test.cut_bits < other.test.cut_bits


def _best_subtree(code: Code, place: Place, levels: int) -> _Subtree | None:
    """Give the cheapest subtree of at least one test and at most so many levels of them."""
    costs = code.splits(place)
    if np.isinf(costs.bits).all():
        return None
    if levels == 1:
        attribute = int(np.argmax(costs.bits <= costs.bits.min() + EPSILON))
        return _Subtree(place.test_cost() + float(costs.bits[attribute]), costs.test(attribute))
    best: _Subtree | None = None
    for test in _all_tests(code, place, np.flatnonzero(np.isfinite(costs.bits))):
        below = _cost_below(code, place, test, levels - 1)
        subtree = _Subtree(place.test_cost() + test.cut_bits + below, test)
        if subtree.beats(best):
            best = subtree
    return best


def _all_tests(code: Code, place: Place, attributes: NDArray[np.intp]) -> Iterator[Split]:
    for attribute in attributes.tolist():
        if not code.cases.numeric[attribute]:
            yield Split(attribute, -1, 0.0)
            continue
        codes = np.unique(code.cases.codes[attribute, place.members.rows])
        values = codes[codes >= 0].tolist()
        for rank, left in enumerate(values[:-1], start=1):
            yield Split(attribute, left, float(cut_bits(rank, len(values), code.uniform_cuts)))


def _cost_below(code: Code, place: Place, test: Split, levels: int) -> float:
    """Give the bits of the branches of a test, each a leaf or a subtree of at most so many levels."""
    cost = 0.0
    for branch in code.branches(place, test):
        subtree = _best_subtree(code, branch, levels)
        as_leaf = code.leaf_cost(branch)
        cost += as_leaf if subtree is None else min(as_leaf, subtree.cost)
    return cost
