"""A tree of nodes in words, as rules, and as a theory; and what learners of such trees share."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from fivefold.data.conditions import Above, AtMost, Equals, IsMissing, Rule, Term
from fivefold.learners.base import Columns, Learner
from fivefold.learners.theories import DecisionTree, Label, Leaf, Node, NominalMultiway, NumericSplit
from fivefold.learners.trees.nodes import LEAF, NOMINAL, NUMERIC, Nodes


def branch_term(nodes: Nodes, node: int, v: int, columns: Columns) -> Term:
    """Give the condition of branch `v`, counted from 0, of a test."""
    column = columns[nodes.attribute[node]]
    if nodes.kind[node] == NUMERIC:
        cut = float(nodes.cut[node])
        return (AtMost(column.name, cut), Above(column.name, cut), IsMissing(column.name))[v]
    categories: tuple[Any, ...] = column.categories or ()
    return Equals(column.name, categories[v]) if v < len(categories) else IsMissing(column.name)


def paths(nodes: Nodes, columns: Columns, root: int = 0) -> Iterator[tuple[int, tuple[Term, ...]]]:
    """Go through the nodes below `root`, each before its branches, with the conditions that lead to each."""
    waiting: list[tuple[int, tuple[Term, ...]]] = [(root, ())]
    while waiting:
        node, terms = waiting.pop()
        yield node, terms
        if nodes.kind[node] in (NOMINAL, NUMERIC):
            for v in reversed(range(nodes.forks[node])):
                child = int(nodes.child[node]) + v
                waiting.append((child, (*terms, branch_term(nodes, node, v, columns))))


def tree_lines(
    nodes: Nodes, columns: Columns, ends: Sequence[str], root: int = 0, lead: str = ""
) -> Iterator[str]:
    """Write the tree below a root, one line a branch, with the words of `ends` where there is no test."""
    for node, terms in paths(nodes, columns, root):
        end = "" if nodes.kind[node] in (NOMINAL, NUMERIC) else ends[node]
        line = " ".join(filter(None, [f"{terms[-1]}:" if terms else lead, end]))
        if line:
            yield "|   " * max(0, len(terms) - (not lead)) + line


def _counts(nodes: Nodes, node: int) -> str:
    cases = float(nodes.items[node])
    errors = cases - float(nodes.counts[node].max()) if cases else 0.0
    return f"({_tenths(cases)}/{_tenths(errors)})" if errors >= 0.05 else f"({_tenths(cases)})"


def _tenths(amount: float) -> str:
    return f"{amount:.1f}".removesuffix(".0")


def tree_rules(nodes: Nodes, columns: Columns, labels: Sequence[Label]) -> list[Rule]:
    """Give one rule for each leaf: the conditions on the way to it, and its class."""
    return [Rule(terms, labels[node]) for node, terms in paths(nodes, columns) if nodes.kind[node] == LEAF]


def tree_theory(
    nodes: Nodes, columns: Columns, labels: Sequence[Label], classes: NDArray[Any], missing_has_branches: bool
) -> DecisionTree:
    """Describe a tree as a theory."""
    made: list[Node] = [Leaf((label,)) for label in labels]
    # Every node stands before its children, so the last are complete first.
    for node in reversed(range(len(labels))):
        if nodes.kind[node] == LEAF:
            continue
        first = int(nodes.child[node])
        children = made[first : first + int(nodes.forks[node])]
        column = columns[nodes.attribute[node]]
        if nodes.kind[node] == NUMERIC:
            made[node] = _numeric_split(nodes, node, column.name, children, missing_has_branches)
        else:
            values = column.categories or ()
            own = children[len(values)] if len(children) > len(values) else None
            named = zip(values, children[: len(values)], strict=True)
            made[node] = NominalMultiway(column.name, tuple(named), own)
    missing: Literal["shared", "placed"] = "placed" if missing_has_branches else "shared"
    return DecisionTree(made[0], tuple(classes.tolist()), missing)


def _numeric_split(nodes: Nodes, node: int, name: str, children: list[Node], placed: bool) -> NumericSplit:
    cut, first = float(nodes.cut[node]), int(nodes.child[node])
    larger_left = bool(nodes.items[first] >= nodes.items[first + 1])
    split = NumericSplit(name, cut, children[0], children[1], larger_left if placed else None)
    if len(children) == 2:
        return split
    return NumericSplit(name, np.inf, split, children[2], False)


class TreeLearner(Learner):
    """A learner whose model is a tree of nodes."""

    nodes_: Nodes
    _missing_has_branches: bool  # whether a missing value has a way of its own at each test

    @abstractmethod
    def _answers(self) -> NDArray[Any]:
        """Give the class of each node, were it a leaf."""

    def _labels(self) -> list[Any]:
        return list(self.classes_[self._answers()].tolist())

    def to_text(self) -> str:
        """Write the tree, one line a branch; after each leaf its training cases and its errors among them."""
        check_is_fitted(self)
        ends = [f"{label} {_counts(self.nodes_, node)}" for node, label in enumerate(self._labels())]
        return "\n".join(tree_lines(self.nodes_, self.columns_, ends))

    def rules(self) -> list[Rule]:
        """Give one rule for each leaf; on complete cases exactly one of them holds."""
        check_is_fitted(self)
        return tree_rules(self.nodes_, self.columns_, self._labels())

    def theory(self) -> DecisionTree:
        """Describe the tree in the form whose length in bits is defined."""
        check_is_fitted(self)
        return tree_theory(
            self.nodes_, self.columns_, self._labels(), self.classes_, self._missing_has_branches
        )
