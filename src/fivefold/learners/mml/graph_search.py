"""The search for a graph: again and again the test or join that shortens the message most."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fivefold.learners.mml._kernels import EPSILON, Floats
from fivefold.learners.mml.cases import Cases, Members
from fivefold.learners.mml.code import Code, end_bits
from fivefold.learners.mml.draft import Draft, pooled_place
from fivefold.learners.mml.frontier import Frontier
from fivefold.learners.mml.joins import join_bits


@dataclass(frozen=True)
class JoinOptions:
    """How many ends may meet, and whether joins are filtered and judged by what grows below them."""

    max_join: int
    filtered: bool
    grown: bool


def search_graph(cases: Cases, members: Members, code: Code, options: JoinOptions) -> Draft:
    """Find a graph by steps; with ``options.grown`` in two ways, of which the shorter message is taken."""
    ways = (False, True) if options.grown else (False,)
    found = []
    for grown in ways:
        search = _Search(Draft.of_root(cases, members, code), options, grown=grown)
        while search.step():
            pass
        found.append(search.draft)
    return min(found, key=lambda draft: draft.message(is_graph=True, alpha_bits=0.0).total)


@dataclass(frozen=True)
class _Join:
    """A join of two leaves: what it adds to the message, and the trees that give way to it."""

    change: float
    leaves: tuple[int, int]
    dissolved: tuple[int, ...]


class _Search:
    """The steps of a search, each the test or join that saves most.

    If it looks at what has `grown`, every join is made first by which the message would become shorter if only
    tests followed; a test is the next step when there is no such join.
    """

    def __init__(self, draft: Draft, options: JoinOptions, *, grown: bool) -> None:
        self.draft, self.options, self.grown = draft, options, grown
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
            node, test = self.frontier.node(i), self.frontier.test(i, attribute)
            self.frontier.close((node,))
            self.frontier.open(list(self.draft.split(node, test)))
        else:
            return False
        return True

    def _end_bits_of_tests(self) -> Floats:
        """Give what the words on ends grow by with a test of each attribute: one leaf becomes several."""
        n_leaves = len(self.frontier)
        branches, places = np.unique(self.draft.cases.branches, return_inverse=True)
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
        if self.options.filtered:
            least = np.where(_share_a_saving(tests), least, np.inf)
        best: _Join | None = None
        for place in np.argsort(least, axis=None, kind="stable"):
            i, j = divmod(int(place), len(self.frontier))
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
        new_joins = (2,) if self.options.max_join == 2 else (0, 1, 2)
        ends = [min(self._end_bits_of_join(int(m), n) for n in new_joins) for m in kinds]
        bound = pairs + np.array(ends)[places] - self.pattern_bits
        if self.options.max_join == 2:
            return np.asarray(bound)
        nodes = [self.frontier.node(i) for i in range(len(self.frontier))]
        flags = [self.draft.nodes[n].place.flag.end if self.draft.is_pooled(n) else 0.0 for n in nodes]
        return np.asarray(bound - np.add.outer(flags, flags))

    def _cheapest_form(self, i: int, j: int) -> _Join:
        """Price a join; where a leaf is below a join already, that one may be widened instead."""
        leaves = self.frontier.node(i), self.frontier.node(j)
        pooled = [leaf for leaf in leaves if self.draft.is_pooled(leaf)] if self.options.max_join > 2 else []
        given_up = dict.fromkeys([tuple(pooled), *((leaf,) for leaf in pooled), ()])
        forms = [self._price(leaves, i, j, some) for some in given_up]
        return min((form for form in forms if form is not None), key=lambda form: form.change)

    def _price(self, leaves: tuple[int, int], i: int, j: int, given_up: tuple[int, ...]) -> _Join | None:
        """Price a join in which the joins above the leaves `given_up` are taken up; None if it is too wide."""
        nodes, frontier = self.draft.nodes, self.frontier
        trees = tuple(nodes[leaf].tree for leaf in given_up)
        joined = self._ends(leaves, trees)
        if len(joined) > self.options.max_join:
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
        first, second = (draft.nodes[leaf].place for leaf in join.leaves)
        place = pooled_place(draft.cases, draft.code, first, second)
        ends = self._ends(join.leaves, join.dissolved)
        for tree in join.dissolved:
            draft.drop_tree(tree)
        self.n_joins += 2 - len(join.dissolved)
        self.frontier.close(join.leaves)
        self.frontier.open([draft.join(ends, place)])
        self.pattern_bits = join_bits(draft.pattern())
        self._patterns.clear()


def _share_a_saving(tests: Floats) -> NDArray[np.bool_]:
    """Say of each two leaves whether there is an attribute whose test saves at both."""
    saves = (tests < -EPSILON).astype(np.int64)
    return np.asarray(saves @ saves.T > 0)


def _goes_before(join: _Join, other: _Join) -> bool:
    if join.change < other.change - EPSILON:
        return True
    return join.change < other.change + EPSILON and join.leaves < other.leaves
