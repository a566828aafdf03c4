"""What MML trees and graphs share: the options of the message, the choice of alpha, the answers, the text."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from fivefold.data.dnf_concepts import attribute_name
from fivefold.errors import InputError, show
from fivefold.inputs.options import amount, one_of
from fivefold.learners.base import Columns, Ints, WeightedLearner, Weights, cases_and_errors, stack_values
from fivefold.learners.mml._kernels import Floats, leaves_reached, probabilities
from fivefold.learners.mml.draft import ALPHAS, Code, Draft, Members, make_code, training_table_of
from fivefold.learners.mml.message import JOIN, MessageLength
from fivefold.learners.trees.nodes import LEAF, Nodes
from fivefold.learners.trees.tree_text import paths, tree_lines


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

    _is_graph: ClassVar[bool]  # whether the message is in the language of graphs

    @abstractmethod
    def _search(self, code: Code, members: Members) -> Draft:
        """Look for the shortest message, after a check of the options of the search."""

    def _learn(self, columns: Columns, classes: Ints, weights: Weights) -> None:
        alphas = self._check_options()
        cases = training_table_of(columns, classes, self.classes_.size)
        shares = np.ones(classes.size) if weights is None else weights
        members = cases.members(np.arange(classes.size, dtype=np.int32), shares)
        options: Any = {"weight": float(shares.sum()), "root": self.root, "cut_code": self.cut_code}
        codes = [make_code(cases, alpha, **options) for alpha in alphas]
        drafts = [self._search(code, members) for code in codes]
        messages = [self._message(draft, len(alphas)) for draft in drafts]
        best = min(range(len(alphas)), key=lambda i: messages[i].total)
        self.nodes_, self.alpha_, self.message_ = drafts[best].finish(), alphas[best], messages[best]
        self.message_length_ = self.message_.total
        leaves = [Draft.of_root(code, members) for code in codes]
        self.leaf_message_length_ = min(self._message(leaf, len(alphas)).total for leaf in leaves)

    def _message(self, draft: Draft, n_alphas: int) -> MessageLength:
        return draft.message(is_graph=self._is_graph, alpha_bits=math.log2(n_alphas))

    def _check_options(self) -> tuple[float, ...]:
        """Check all options; give the values of alpha to be tried."""
        one_of(self.root, ("n", "n+1"), "root")
        one_of(self.cut_code, ("hierarchical", "uniform"), "cut_code")
        one_of(self.empty, ("parent", "uniform"), "empty")
        if isinstance(self.alpha, str):
            one_of(self.alpha, ("auto",), "alpha, if not a number,")
            return ALPHAS
        if not amount(self.alpha, "alpha") > 0:
            raise InputError("alpha above 0", show(self.alpha))
        return (float(self.alpha),)

    def _probabilities(self, columns: Columns) -> Floats:
        nodes = self.nodes_
        # the part of the cases with a known value that took each branch of a test
        shares = np.ones(nodes.kind.size)
        for node in np.flatnonzero((nodes.kind != LEAF) & (nodes.kind != JOIN)):
            branches = slice(nodes.child[node], nodes.child[node] + nodes.forks[node])
            shares[branches] = nodes.items[branches] / nodes.items[branches].sum()
        return np.asarray(probabilities(nodes, self._estimates(), shares, stack_values(columns)))

    def _sets(self, columns: Columns, missing_fails: bool) -> NDArray[np.bool_]:
        if not missing_fails:
            return super()._sets(columns, missing_fails)
        leaves = leaves_reached(self.nodes_, stack_values(columns))
        return self._single(np.where(leaves < 0, -1, self._answers()[leaves]))

    def _estimates(self) -> Floats:
        """Give the class probabilities of every node: what the code expects of the next case there."""
        counts = self.nodes_.counts
        if self.empty == "parent":
            counts = _with_parents_counts(self.nodes_)
        shares = counts + self.alpha_
        return np.asarray(shares / shares.sum(axis=1, keepdims=True))

    def _answers(self) -> NDArray[np.intp]:
        return np.asarray(np.argmax(self._estimates(), axis=1))

    def _labels(self) -> list[Any]:
        return list(self.classes_[self._answers()].tolist())

    def to_text(self) -> str:
        """Write the model, one line a branch; each leaf with its cases, errors, and probability of its class."""
        check_is_fitted(self)
        items, p = self.nodes_.items, self._estimates().max(axis=1)
        counted = map(cases_and_errors, items, items - self.nodes_.errors)
        ends = zip(self._labels(), counted, p, strict=True)
        answers = [f"{label} ({cases}) p={share:.3g}" for label, cases, share in ends]
        text = _graph_text(self.nodes_, self.columns_, answers)
        if self.nodes_.kind.size == 1:
            return f"{text}\n{self.message_}; no test makes it shorter"
        saved = self.leaf_message_length_ - self.message_length_
        return f"{text}\n{self.message_}; {saved:.1f} bits shorter than one leaf"


def _graph_text(nodes: Nodes, columns: Columns, answers: Sequence[str]) -> str:
    """Write a graph, one line a branch, with answers at its leaves; first the root's tree, then each join's."""
    joins = {node: int(nodes.child[node]) for node in np.flatnonzero(nodes.kind == JOIN).tolist()}
    names = {target: attribute_name(place) for place, target in enumerate(sorted(set(joins.values())))}
    ends = [f"join {names[joins[node]]}" if node in joins else answer for node, answer in enumerate(answers)]
    lines = list(tree_lines(nodes, columns, ends))
    for target, ways in _ways_to_joins(nodes, columns, names).items():
        lead = f"join {names[target]}, where {'; or '.join(ways)}:"
        lines += tree_lines(nodes, columns, ends, target, lead)
    return "\n".join(lines)


def _ways_to_joins(nodes: Nodes, columns: Columns, names: dict[int, str]) -> dict[int, list[str]]:
    """Write for each join the conditions under which a case comes there."""
    ways: dict[int, list[str]] = {target: [] for target in names}
    for root in (0, *names):
        for node, terms in paths(nodes, columns, root):
            if nodes.kind[node] == JOIN:
                above = [names[root]] if root in names else []
                ways[int(nodes.child[node])].append(" and ".join([*above, *map(str, terms)]))
    return ways


def _with_parents_counts(nodes: Nodes) -> Floats:
    """Give the class counts of every node; where it has no cases, those of the nodes that lead there."""
    counts = nodes.counts.copy()
    empty = nodes.items == 0
    for node in np.flatnonzero(nodes.kind != LEAF):
        for below in range(nodes.child[node], nodes.child[node] + max(nodes.forks[node], 1)):
            if empty[below]:
                counts[below] += counts[node]
    return counts
