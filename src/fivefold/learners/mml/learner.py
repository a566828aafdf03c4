"""What MML trees and graphs share.

The options of the message, the choice of alpha, the answers, and the text.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from fivefold.data.conditions import Term
from fivefold.errors import InputError, show
from fivefold.inputs.columns import Column
from fivefold.inputs.options import one_of
from fivefold.learners.base import WeightedLearner, amount
from fivefold.learners.mml._kernels import EPSILON, JOIN, leaves_reached, probabilities
from fivefold.learners.mml.draft import (
    ALPHAS,
    Code,
    Draft,
    Members,
    TrainingTable,
    _Floats,
    make_code,
    training_table_of,
    values_of,
)
from fivefold.learners.mml.message import MessageLength
from fivefold.learners.trees.nodes import LEAF, Nodes
from fivefold.learners.trees.tree_text import branch_term

_INDENT = "|   "


def graph_text(nodes: Nodes, columns: Sequence[Column], answers: Sequence[str]) -> str:
    """Write a graph, one line a branch; below the tree of the root a tree for each join.

    Parameters
    ----------
    nodes : Nodes
        The graph; without joins it is a tree.
    columns : sequence of Column
        The attributes.
    answers : sequence of str
        What to write at each node that is a leaf.
    """
    targets = sorted({int(nodes.child[node]) for node in range(nodes.kind.size) if nodes.kind[node] == JOIN})
    names = {target: _name(place) for place, target in enumerate(targets)}
    ends = list(answers)
    for node in range(nodes.kind.size):
        if nodes.kind[node] == JOIN:
            ends[node] = f"join {names[int(nodes.child[node])]}"
    lines = list(_tree_lines(nodes, columns, ends, 0, ""))
    meeting = _meeting(nodes, columns, names)
    for target in targets:
        lead = f"join {names[target]}, where {'; or '.join(meeting[target])}:"
        lines += _tree_lines(nodes, columns, ends, target, lead)
    return "\n".join(lines)


def _name(place: int) -> str:
    letters = ""
    place += 1
    while place:
        place, letter = divmod(place - 1, 26)
        letters = chr(ord("A") + letter) + letters
    return letters


def _tree_lines(
    nodes: Nodes, columns: Sequence[Column], ends: Sequence[str], root: int, lead: str
) -> Iterator[str]:
    extra = 1 if lead else 0
    for node, terms in _paths(nodes, columns, root):
        is_test = _is_test(nodes, node)
        condition = f"{terms[-1]}:" if terms else lead
        words = [] if is_test else [ends[node]]
        line = " ".join([*([condition] if condition else []), *words])
        if line:
            yield _INDENT * max(0, len(terms) - 1 + (extra if terms else 0)) + line


def _meeting(nodes: Nodes, columns: Sequence[Column], names: dict[int, str]) -> dict[int, list[str]]:
    """Write for each join the conditions under which a case comes there."""
    found: dict[int, list[str]] = {target: [] for target in names}
    for root in (0, *names):
        for node, terms in _paths(nodes, columns, root):
            if nodes.kind[node] == JOIN:
                above = [names[root]] if root in names else []
                found[int(nodes.child[node])].append(" and ".join([*above, *map(str, terms)]))
    return found


def _paths(nodes: Nodes, columns: Sequence[Column], root: int) -> Iterator[tuple[int, tuple[Term, ...]]]:
    """Go through the nodes of one tree, each before its branches, with the conditions that lead to each."""
    waiting: list[tuple[int, tuple[Term, ...]]] = [(root, ())]
    while waiting:
        node, terms = waiting.pop()
        yield node, terms
        if _is_test(nodes, node):
            for v in reversed(range(nodes.forks[node])):
                child = int(nodes.child[node]) + v
                waiting.append((child, (*terms, branch_term(nodes, node, v, columns))))


def _is_test(nodes: Nodes, node: int) -> bool:
    return bool(nodes.kind[node] not in (LEAF, JOIN))


class MMLLearner(WeightedLearner):
    """A tree or graph of tests that makes the message of itself and the classes of its cases short."""

    alpha: float | str
    root: str
    cut_code: str
    empty: str
    nodes_: Nodes
    alpha_: float
    message_: MessageLength
    message_length_: float
    leaf_message_length_: float

    @abstractmethod
    def _check_search(self) -> None:
        """Check the options of the search."""

    @abstractmethod
    def _search(self, cases: TrainingTable, members: Members, code: Code) -> Draft:
        """Look for the shortest message."""

    @property
    @abstractmethod
    def _is_graph(self) -> bool:
        """Whether the message is in the language of graphs."""

    def _learn(
        self, columns: Sequence[Column], classes: NDArray[np.int32], weights: NDArray[np.float64] | None
    ) -> None:
        alphas = self._check_options()
        cases = training_table_of(columns, classes, self.classes_.size)
        shares = np.ones(classes.size) if weights is None else weights
        members = cases.members(np.arange(classes.size, dtype=np.int32), shares)
        found = [self._find(cases, members, alpha, len(alphas)) for alpha in alphas]
        best = min(found, key=lambda one: one.message.total)
        self.nodes_, self.alpha_, self.message_ = best.draft.finish(), best.alpha, best.message
        self.message_length_ = self.message_.total
        self.leaf_message_length_ = min(one.as_leaf for one in found)

    def _find(self, cases: TrainingTable, members: Members, alpha: float, n_alphas: int) -> _Found:
        weight = float(members.weights.sum())
        code = make_code(alpha, cases.n_classes, weight, root=self.root, cut_code=self.cut_code)
        leaf, draft = Draft.of_root(cases, members, code), self._search(cases, members, code)
        as_leaf, message = (
            one.message(is_graph=self._is_graph, alpha_bits=math.log2(n_alphas)) for one in (leaf, draft)
        )
        return _Found(alpha, draft, message, as_leaf.total)

    def _check_options(self) -> tuple[float, ...]:
        """Check all options; give the values of alpha to be tried."""
        one_of(self.root, ("n", "n+1"), "root")
        one_of(self.cut_code, ("hierarchical", "uniform"), "cut_code")
        one_of(self.empty, ("parent", "uniform"), "empty")
        self._check_search()
        if isinstance(self.alpha, str):
            one_of(self.alpha, ("auto",), "alpha, if not a number,")
            return ALPHAS
        if not amount(self.alpha, "alpha") > 0:
            raise InputError("alpha above 0", show(self.alpha))
        return (float(self.alpha),)

    def _probabilities(self, columns: Sequence[Column]) -> NDArray[np.float64]:
        estimates, shares = self._estimates(), _branch_shares(self.nodes_)
        found: _Floats = probabilities(self.nodes_, estimates, shares, values_of(columns))
        return found

    def _sets(self, columns: Sequence[Column], missing_fails: bool) -> NDArray[np.bool_]:
        if not missing_fails:
            return super()._sets(columns, missing_fails)
        leaves = leaves_reached(self.nodes_, values_of(columns))
        answers = np.where(leaves < 0, -1, self._answers()[leaves])
        return np.asarray(answers[:, np.newaxis] == np.arange(self.classes_.size))

    def _estimates(self) -> _Floats:
        """Give the class probabilities of every node: what the code expects of the next case there."""
        counts = self.nodes_.counts
        if self.empty == "parent":
            counts = _with_parents_counts(self.nodes_)
        shares = counts + self.alpha_
        return np.asarray(shares / shares.sum(axis=1, keepdims=True))

    def _answers(self) -> NDArray[np.intp]:
        return np.asarray(np.argmax(self._estimates(), axis=1))

    def _labels(self) -> list[Any]:
        labels: list[Any] = self.classes_[self._answers()].tolist()
        return labels

    def to_text(self) -> str:
        """Write the model, one line a branch; each leaf with its cases, errors, and probability of its class."""
        check_is_fitted(self)
        items, errors, p = self.nodes_.items, self.nodes_.errors, self._estimates().max(axis=1)
        answers = [
            f"{label} {_cases(items[node], errors[node])} p={p[node]:.3g}"
            for node, label in enumerate(self._labels())
        ]
        text = graph_text(self.nodes_, self.columns_, answers)
        if self.nodes_.kind.size == 1:
            return f"{text}\n{self.message_}; no test makes it shorter"
        saved = self.leaf_message_length_ - self.message_length_
        return f"{text}\n{self.message_}; {saved:.1f} bits shorter than one leaf"


class _Found(NamedTuple):
    alpha: float
    draft: Draft
    message: MessageLength
    as_leaf: float


def _cases(items: float, errors: float) -> str:
    return f"({items:.6g}/{errors:.6g})" if errors > EPSILON * items else f"({items:.6g})"


def _branch_shares(nodes: Nodes) -> _Floats:
    """Give for each branch of a test the part of the cases with a known value that took it."""
    shares = np.ones(nodes.kind.size)
    for node in np.flatnonzero((nodes.kind != LEAF) & (nodes.kind != JOIN)):
        branches = slice(nodes.child[node], nodes.child[node] + nodes.forks[node])
        shares[branches] = nodes.items[branches] / nodes.items[branches].sum()
    return shares


def _with_parents_counts(nodes: Nodes) -> _Floats:
    """Give the class counts of every node; where it has no cases, those of the nodes that lead there."""
    counts = nodes.counts.copy()
    empty = nodes.items == 0
    for node in np.flatnonzero(nodes.kind != LEAF):
        for below in range(nodes.child[node], nodes.child[node] + max(nodes.forks[node], 1)):
            if empty[below]:
                counts[below] += counts[node]
    return counts
