"""The MML graph estimator: the search for tests and joins, and the tree that gives the same answers."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from fivefold.data.conditions import Rule
from fivefold.inputs.columns import CategoricalFeatures
from fivefold.inputs.options import positive_int
from fivefold.learners.mml._kernels import Floats, pooled_bits
from fivefold.learners.mml.draft import Code, Draft, Members, Place, SplitCosts, grown_cost
from fivefold.learners.mml.learner import MMLLearner
from fivefold.learners.mml.message import EPSILON, JOIN, end_bits, join_bits
from fivefold.learners.theories import DecisionTree
from fivefold.learners.trees.nodes import LEAF, NUMERIC, Nodes
from fivefold.learners.trees.tree_text import tree_rules, tree_theory


@dataclass(kw_only=True, eq=False, repr=False)
class MMLGraph(MMLLearner):
    r"""A decision graph that makes the shortest message: a tree in which branches may meet again.

    A tree has to repeat itself to say (a and b) or (c and d): what follows a false a and what follows a false b
    is the same. In a graph these two branches meet in a join, which is then a leaf, or tested further, like any
    other node. The cases of both are pooled, so that fewer are needed to see what follows.

    The message is that of `MMLTree` with these additions. The tree below the root is sent with joins as ends, then
    the trees below joins whose ends are all known, and so on; each as a tree with a root of its own, at which the
    attributes may be tested that could be tested at one of its ends. Each end says whether it is a leaf or a join:
    with l leaves and j joins that is :math:`\lg \frac{(l+j+1)!}{l!\,j!}` bits. Which ends meet is sent after each
    such batch of trees, by the code of Tan and Dowe.

    The search takes again and again the test of a leaf, or the join of two leaves, which shortens the message
    most. As a rule a join pays only after further tests below it. So there is a second search, in which a join is
    made first if the message would become shorter by it when only tests followed; the shorter message is taken.

    Parameters
    ----------
    alpha, root, cut_code, empty, categorical_features
        As in `MMLTree`.
    max_join : int
        How many branches may meet in one join. A leaf below a join may be joined again; where there is room, the
        other branch is added to the join, and otherwise the join leads to another.
    join_filter : bool
        Whether to consider only joins of leaves at both of which a test of the same attribute would save bits.
        That takes less time, and leaves pure leaves apart.
    grow_joins : bool
        Whether to search in the second way, too.

    Attributes
    ----------
    nodes_ : Nodes
        The graph as arrays; a node of kind 3 is an end that leads to the node `child`.
    n_joins_ : int
        How many joins there are.
    classes_, columns_, alpha_, message_, message_length_, leaf_message_length_
        As in `MMLTree`.

    Notes
    -----
    A case without a value goes down every branch, in the proportions of the cases with one; its parts are put
    together again where branches meet. Of equally good steps a test goes before a join, and then the leaf that was
    made first.

    ``rules()`` and ``theory()`` are of the tree that gives the same answers to complete cases: what is below a
    join is repeated below each of its ends, without tests that are settled there. So ``theory_length`` is that of
    this tree, which is longer than the graph; the graph's own length is in ``message_``. The tree may be twice as
    large for every join, if they follow each other.

    References
    ----------
    J. J. Oliver (1993). Decision graphs - an extension of decision trees. AISTATS 1993, 343-350.
    P. J. Tan and D. L. Dowe (2002). MML inference of decision graphs with multi-way joins. AI 2002, LNAI 2557,
    131-142.

    Examples
    --------
    >>> import itertools
    >>> import polars as pl
    >>> from fivefold.learners import MMLGraph
    >>> cases = list(itertools.product([False, True], repeat=4)) * 4
    >>> X = pl.DataFrame(cases, schema=["a", "b", "c", "d"], orient="row")
    >>> print(MMLGraph().fit(X, [(a and b) or (c and d) for a, b, c, d in cases]))
    a = False: join A
    a = True:
    |   b = False: join A
    |   b = True: True (16) p=0.944
    join A, where a = False; or a = True and b = False:
    |   c = False: join B
    |   c = True:
    |   |   d = False: join B
    |   |   d = True: True (12) p=0.929
    join B, where A and c = False; or A and c = True and d = False: False (36) p=0.974
    37.3 bits: structure 10.0, attributes 6.2, leaves 13.0, ends 8.1; 31.7 bits shorter than one leaf
    """

    alpha: float | str = 1.0
    max_join: int = 2
    join_filter: bool = False
    grow_joins: bool = True
    root: str = "n"
    cut_code: str = "hierarchical"
    empty: str = "parent"
    categorical_features: CategoricalFeatures = "from_dtype"

    _is_graph = True

    def _search(self, code: Code, members: Members) -> Draft:
        """Find a graph by steps; with `grow_joins` in two ways, of which the shorter message is taken."""
        max_join, drafts = positive_int(self.max_join, "max_join", least=2), []
        for grown in (False, True) if self.grow_joins else (False,):
            draft = Draft.of_root(code, members)
            search = GraphSearch(draft, max_join=max_join, filtered=bool(self.join_filter), grown=grown)
            while search.step():
                pass
            drafts.append(draft)
        return min(drafts, key=lambda draft: self._message(draft, 1).total)

    @property
    def n_joins_(self) -> int:
        """How many joins there are."""
        return int(np.unique(self.nodes_.child[self.nodes_.kind == JOIN]).size)

    def rules(self) -> list[Rule]:
        """Give one rule for each way to a leaf; on complete cases exactly one of them holds."""
        check_is_fitted(self)
        return tree_rules(*self._unfolded())

    def theory(self) -> DecisionTree:
        """Describe the tree that gives the same answers in the form whose length in bits is defined."""
        check_is_fitted(self)
        nodes, columns, labels = self._unfolded()
        return tree_theory(nodes, columns, labels, self.classes_, False)

    def _unfolded(self) -> tuple[Nodes, Any, list[Any]]:
        tree, origins = _unfold(self.nodes_)
        labels = self._labels()
        return tree, self.columns_, [labels[origin] for origin in origins]


@dataclass(frozen=True)
class _Join:
    """A join of two leaves: what it adds to the message, and the trees that give way to it."""

    change: float
    leaves: tuple[int, int]
    dissolved: tuple[int, ...]


class GraphSearch:
    """The steps of a search, each the test or join that saves most.

    At most `max_join` ends meet; `filtered` joins are only of leaves that the same test would help. If the search
    looks at what has `grown`, every join is made first by which the message would become shorter if only tests
    followed; a test is the next step when there is no such join.
    """

    def __init__(self, draft: Draft, *, max_join: int, filtered: bool, grown: bool) -> None:
        self.draft, self.max_join, self.filtered, self.grown = draft, max_join, filtered, grown
        self.frontier = Frontier(draft, grown=grown)
        self.n_joins = 0
        self.pattern_bits = 0.0
        self._patterns: dict[tuple[tuple[int, ...], tuple[int, ...]], float] = {}

    def step(self) -> bool:
        """Make the change that saves most; say whether there was one."""
        tests = self.frontier.tests + self._end_bits_of_tests()
        least = float(tests.min())
        join = self._best_join(tests, 0.0 if self.grown else min(least, 0.0))
        if join is not None:
            self._join(join)
        elif least < -EPSILON:
            i, attribute = divmod(int(np.argmax(tests <= least + EPSILON)), tests.shape[1])
            node, test = self.frontier.leaves[i].node, self.frontier.leaves[i].tests.test(attribute)
            self.frontier.close((node,))
            self.frontier.open(list(self.draft.split(node, test)))
        else:
            return False
        return True

    def _end_bits_of_tests(self) -> Floats:
        """Give what the words on ends grow by with a test of each attribute: one leaf becomes several."""
        n_leaves = len(self.frontier.leaves)
        branches, places = np.unique(self.draft.code.cases.branches, return_inverse=True)
        now = end_bits(n_leaves, self.n_joins)
        grown = [end_bits(n_leaves - 1 + int(b), self.n_joins) - now for b in branches]
        return np.array(grown)[places]

    def _end_bits_of_join(self, more_leaves: int, more_joins: int) -> float:
        n_leaves = self.frontier.n_leaves
        after = end_bits(n_leaves + more_leaves, self.n_joins + more_joins)
        return after - end_bits(n_leaves, self.n_joins)

    def _best_join(self, tests: Floats, limit: float) -> _Join | None:
        """Give the join that saves most, if it saves more than `limit`; of equal ones the first."""
        least = self._least_changes()
        if self.filtered:
            # only leaves at both of which the test of some attribute saves
            saves = (tests < -EPSILON).astype(np.int64)
            least = np.where(saves @ saves.T > 0, least, np.inf)
        best: _Join | None = None
        for place in np.argsort(least, axis=None, kind="stable"):
            i, j = divmod(int(place), len(self.frontier.leaves))
            if least[i, j] > (limit - EPSILON if best is None else best.change + EPSILON):
                break
            join = self._cheapest_form(i, j)
            if join.change < limit - EPSILON and (best is None or _goes_before(join, best)):
                best = join
        return best

    def _least_changes(self) -> Floats:
        """Give a lower bound of what each join adds to the message: no pattern of joins has less than 0 bits."""
        pairs, more = self.frontier.pairs, self.frontier.more_leaves
        kinds, places = np.unique(more, return_inverse=True)
        new_joins = (2,) if self.max_join == 2 else (0, 1, 2)
        ends = [min(self._end_bits_of_join(int(m), n) for n in new_joins) for m in kinds]
        bound = pairs + np.array(ends)[places] - self.pattern_bits
        if self.max_join == 2:
            return np.asarray(bound)
        leaves, is_pooled = self.frontier.leaves, self.draft.is_pooled
        flags = [leaf.place.flag.end if is_pooled(leaf.node) else 0.0 for leaf in leaves]
        return np.asarray(bound - np.add.outer(flags, flags))

    def _cheapest_form(self, i: int, j: int) -> _Join:
        """Price a join; where a leaf is below a join already, that one may be widened instead."""
        leaves = self.frontier.leaves[i].node, self.frontier.leaves[j].node
        pooled = [leaf for leaf in leaves if self.draft.is_pooled(leaf)] if self.max_join > 2 else []
        given_up = dict.fromkeys([tuple(pooled), *((leaf,) for leaf in pooled), ()])
        forms = [self._price(leaves, i, j, some) for some in given_up]
        return min((form for form in forms if form is not None), key=lambda form: form.change)

    def _price(self, leaves: tuple[int, int], i: int, j: int, given_up: tuple[int, ...]) -> _Join | None:
        """Price a join in which the joins above the leaves `given_up` are taken up; None if it is too wide."""
        nodes, frontier = self.draft.nodes, self.frontier
        trees = tuple(nodes[leaf].tree for leaf in given_up)
        joined = self._ends(leaves, trees)
        if len(joined) > self.max_join:
            return None
        flags = sum(nodes[leaf].place.flag.end for leaf in given_up)
        ends = self._end_bits_of_join(int(frontier.more_leaves[i, j]), 2 - len(trees))
        pattern = self._pattern(trees, tuple(sorted(nodes[end].tree for end in joined))) - self.pattern_bits
        return _Join(float(frontier.pairs[i, j]) + ends - flags + pattern, leaves, trees)

    def _ends(self, leaves: tuple[int, int], dissolved: tuple[int, ...]) -> list[int]:
        ends: list[int] = []
        for leaf in leaves:
            tree = self.draft.nodes[leaf].tree
            ends += self.draft.groups[tree] if tree in dissolved else [leaf]
        return ends

    def _pattern(self, dissolved: tuple[int, ...], trees: tuple[int, ...]) -> float:
        """Give the bits of the pattern with a join of ends in these trees."""
        key = dissolved, trees
        if key not in self._patterns:
            groups = {t: ends for t, ends in self.draft.pattern().items() if t not in dissolved}
            self._patterns[key] = join_bits({**groups, max(self.draft.roots) + 1: list(trees)})
        return self._patterns[key]

    def _join(self, join: _Join) -> None:
        draft = self.draft
        place = draft.code.pooled(*(draft.nodes[leaf].place for leaf in join.leaves))
        ends = self._ends(join.leaves, join.dissolved)
        for tree in join.dissolved:
            del draft.roots[tree], draft.groups[tree]
        self.n_joins += 2 - len(join.dissolved)
        self.frontier.close(join.leaves)
        self.frontier.open([draft.join(ends, place)])
        self.pattern_bits = join_bits(draft.pattern())
        self._patterns.clear()


def _goes_before(join: _Join, other: _Join) -> bool:
    if join.change < other.change - EPSILON:
        return True
    return join.change < other.change + EPSILON and join.leaves < other.leaves


# What the tests on a path have settled: the branch of a nominal attribute, low < x <= high of a number.
_Known = dict[int, Any]


def _unfold(nodes: Nodes) -> tuple[Nodes, NDArray[np.intp]]:
    """Give the tree without joins, and the node of the graph that each of its nodes stands for.

    A test whose outcome the tests above it have settled is left out.
    """
    known: list[_Known] = [{}]
    origins, first = [_settle(nodes, 0, {})], []
    for place, node in enumerate(origins):  # grows while it is read
        first.append(len(origins))
        if nodes.kind[node] == LEAF:
            continue
        for branch in range(int(nodes.forks[node])):
            below = _after(nodes, node, branch, known[place])
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
        branch = _settled_branch(nodes, node, known)
        if branch is None:
            break
        node = int(nodes.child[node]) + branch
    return node


def _settled_branch(nodes: Nodes, node: int, known: _Known) -> int | None:
    """Give the branch that all cases on a path take at a test; None if there may be several."""
    attribute, cut = int(nodes.attribute[node]), nodes.cut[node]
    if nodes.kind[node] != NUMERIC:
        return known.get(attribute)
    low, high = known.get(attribute, (-math.inf, math.inf))
    return 0 if cut >= high else 1 if cut <= low else None


def _after(nodes: Nodes, node: int, branch: int, known: _Known) -> _Known:
    """Give what is known after a branch of a test."""
    attribute, cut = int(nodes.attribute[node]), float(nodes.cut[node])
    if nodes.kind[node] != NUMERIC:
        return known | {attribute: branch}
    low, high = known.get(attribute, (-math.inf, math.inf))
    return known | {attribute: (cut, high) if branch else (low, cut)}


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

    Where leaves, and joins of them, stand for the trees that will have `grown` from them, only leaves are joined
    whose classes take fewer bits together than apart, as alike leaves do.
    """

    def __init__(self, draft: Draft, *, grown: bool) -> None:
        self.draft, self.grown = draft, grown
        self.tests: Floats = np.empty((0, draft.code.cases.sizes.size))
        self.pairs: Floats = np.empty((0, 0))
        self.more_leaves: NDArray[np.int64] = np.empty((0, 0), dtype=np.int64)
        self.n_leaves = 0
        self.leaves: list[_Leaf] = []
        self.open([0])

    def open(self, nodes: list[int]) -> None:
        """Take up new leaves."""
        new = [self._read(node) for node in nodes]
        self.leaves += new
        self.n_leaves += sum(leaf.n_leaves for leaf in new)
        rows = [
            leaf.tests.bits + (leaf.place.test_cost() - leaf.place.flag.end - leaf.classes) for leaf in new
        ]
        self.tests = np.vstack([self.tests, *rows])
        old, size = len(self.pairs), len(self.leaves)
        pairs, more = np.full((size, size), np.inf), np.full((size, size), -1)
        pairs[:old, :old], more[:old, :old] = self.pairs, self.more_leaves
        pairs[:, old:], more[:, old:] = self._new_pairs(old)
        self.pairs, self.more_leaves = pairs, more

    def close(self, nodes: tuple[int, ...]) -> None:
        """Take leaves out that have become tests or joins."""
        kept = np.array([leaf.node not in nodes for leaf in self.leaves])
        self.leaves = [leaf for leaf in self.leaves if leaf.node not in nodes]
        self.n_leaves = sum(leaf.n_leaves for leaf in self.leaves)
        self.tests = self.tests[kept]
        self.pairs, self.more_leaves = (m[np.ix_(kept, kept)] for m in (self.pairs, self.more_leaves))

    def _read(self, node: int) -> _Leaf:
        place, code = self.draft.nodes[node].place, self.draft.code
        bits, n_leaves = grown_cost(code, place) if self.grown else (code.leaf_cost(place), 1)
        return _Leaf(node, place, code.splits(place), code.classes(place), bits, n_leaves)

    def _new_pairs(self, old: int) -> tuple[Floats, NDArray[np.int64]]:
        """Price the joins of all leaves, in rows, with those from `old` on, in columns."""
        counts = np.array([leaf.place.members.counts for leaf in self.leaves])
        classes = np.array([leaf.classes for leaf in self.leaves])
        pooled: Floats = pooled_bits(counts, counts[old:], self.draft.code.leaf)
        changes = pooled - classes[:, np.newaxis] - classes[old:]
        changes[np.arange(len(counts))[:, np.newaxis] >= np.arange(old, len(counts))] = np.inf
        if self.grown:
            return self._grown_pairs(changes < -EPSILON, old)
        return changes + self._root_ends(old), np.full(changes.shape, -1)

    def _root_ends(self, old: int) -> Floats:
        """Give the bits of the flags of leaves below joins."""
        usable = np.array([leaf.place.usable for leaf in self.leaves], dtype=np.int64)
        n = usable.sum(axis=1)
        union = n[:, np.newaxis] + n[old:] - usable @ usable[old:].T
        flags = [self.draft.code.root_flag(size).end for size in range(usable.shape[1] + 1)]
        return np.asarray(np.array(flags)[union])

    def _grown_pairs(self, wanted: NDArray[np.bool_], old: int) -> tuple[Floats, NDArray[np.int64]]:
        changes, more = np.full(wanted.shape, np.inf), np.full(wanted.shape, -1)
        code = self.draft.code
        for i, column in np.argwhere(wanted):
            first, second = self.leaves[i], self.leaves[old + column]
            bits, n_leaves = grown_cost(code, code.pooled(first.place, second.place))
            ends = first.place.flag.end + second.place.flag.end
            changes[i, column] = ends + bits - first.bits - second.bits
            more[i, column] = n_leaves - first.n_leaves - second.n_leaves
        return changes, more
