"""A tree or graph while it is made: nodes are added, and leaves become tests or joins."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from fivefold.learners.mml._kernels import JOIN
from fivefold.learners.mml.cases import Cases, Members
from fivefold.learners.mml.code import Code, Flag, end_bits
from fivefold.learners.mml.joins import join_bits
from fivefold.learners.mml.message import MessageLength
from fivefold.learners.trees.nodes import LEAF, NOMINAL, NUMERIC, Nodes

Mask = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Place:
    """Where a node stands: its cases, the attributes that may be tested there, and the flag of a test."""

    members: Members
    usable: Mask
    flag: Flag

    @property
    def n_usable(self) -> int:
        """How many attributes may be tested."""
        return int(np.count_nonzero(self.usable))

    def leaf_cost(self, code: Code) -> float:
        """Give the bits of a leaf here."""
        return self.flag.end + code.classes(self.members.counts)

    def test_cost(self) -> float:
        """Give the bits of the words that there is a test here, and of which attribute."""
        return self.flag.test + math.log2(self.n_usable) if self.usable.any() else math.inf


@dataclass(frozen=True)
class Split:
    """A test: `left` is the greatest code on the left of a cut, and `cut_bits` says where that is."""

    attribute: int
    left: int
    cut_bits: float


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

    cases: Cases
    code: Code
    nodes: list[_Node] = field(default_factory=list)
    groups: dict[int, list[int]] = field(default_factory=dict)
    roots: dict[int, int] = field(default_factory=dict)
    _next_tree: int = 0

    @classmethod
    def of_root(cls, cases: Cases, members: Members, code: Code) -> Draft:
        """Begin with one leaf, at which all attributes may be tested."""
        draft = cls(cases, code)
        n = cases.sizes.size
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
        below = branches_of(self.cases, self.code, here.place, test)
        here.kind = NUMERIC if self.cases.numeric[test.attribute] else NOMINAL
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

    def drop_tree(self, tree: int) -> None:
        """Undo a join whose ends are to meet elsewhere."""
        del self.roots[tree], self.groups[tree]

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
            leaves=math.fsum(self.code.classes(node.place.members.counts) for node in leaves),
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
        items = counts.sum(axis=1)
        whole = [
            [node.kind for node in kept],
            counts.argmax(axis=1),
            [0 if node.test is None else node.test.attribute for node in kept],
            [0 if node.kind == LEAF else number[node.child] for node in kept],
            [node.forks for node in kept],
        ]
        broken = [np.array([self._cut(node) for node in kept]), items, items - counts.max(axis=1)]
        return Nodes._make(
            [*(np.array(w, dtype=np.int32) for w in whole), *broken, counts, np.array([len(kept)])]
        )

    def _live(self) -> list[int]:
        return [n for n, node in enumerate(self.nodes) if node.tree in self.roots]

    def _cut(self, node: _Node) -> float:
        if node.test is None or node.kind != NUMERIC:
            return 0.0
        return float(self.cases.distinct[node.test.attribute][node.test.left])


def branches_of(cases: Cases, code: Code, place: Place, test: Split) -> list[Place]:
    """Give the places below a test; a nominal attribute may not be tested there again."""
    parts = cases.part(place.members, test.attribute, test.left)
    flag, usable = code.branch_flag(len(parts)), place.usable
    if not cases.numeric[test.attribute]:
        usable = usable.copy()
        usable[test.attribute] = False
    return [Place(part, usable, flag) for part in parts]


def pooled_place(cases: Cases, code: Code, first: Place, second: Place) -> Place:
    """Give the place where two meet: an attribute may be tested there that may be at one of them."""
    usable = first.usable | second.usable
    flag = code.root_flag(int(np.count_nonzero(usable)))
    return Place(cases.pool(first.members, second.members), usable, flag)
