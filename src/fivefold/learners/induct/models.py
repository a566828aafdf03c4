"""The three forms of what INDUCT has learnt: how they answer, and how they are written."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from math import exp
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fivefold.data.conditions import Rule
from fivefold.inputs.columns import Column
from fivefold.learners.induct.forms import NONE, Exceptions
from fivefold.learners.induct.measured_rule import MeasuredRule
from fivefold.learners.induct.searching import Found
from fivefold.learners.prism.clause_set import ClauseSet
from fivefold.learners.prism.clauses import Clause, Clauses, cases_and_errors, terms_of
from fivefold.learners.theories import RippleDownNode, RippleDownTree, RuleList, RuleSet, Theory

Values = NDArray[np.float64]  # one row an attribute, as `values_of` gives them


@dataclass(frozen=True, eq=False)
class Cases:
    """The training cases, and the names of their attributes and classes."""

    columns: tuple[Column, ...]
    labels: tuple[Any, ...]
    values: Values
    classes: NDArray[np.int32]


class Model(ABC):
    """What has been learnt, in one of the forms."""

    def __init__(self, cases: Cases, found: Sequence[Found]) -> None:
        self.columns = cases.columns
        self.labels = cases.labels
        self.measured = tuple(
            MeasuredRule(self.rule(one.clause, one.outcome), one.covered, one.correct, exp(one.log_r))
            for one in found
        )

    def rule(self, clause: Clause, outcome: int) -> Rule:
        """Say a clause for a class in terms of the columns."""
        return Rule(terms_of(clause, self.columns), self.labels[outcome])

    @abstractmethod
    def choices(self, values: Values) -> NDArray[np.intp]:
        """Give one class for each case."""

    @abstractmethod
    def sets(self, values: Values) -> NDArray[np.bool_]:
        """Give the classes of each case in a row."""

    @abstractmethod
    def probabilities(self, values: Values) -> NDArray[np.float64]:
        """Give the class probabilities of each case in a row."""

    @abstractmethod
    def rules(self) -> list[Rule]:
        """Give the rules."""

    @abstractmethod
    def text(self) -> str:
        """Write the rules with their measures."""

    @abstractmethod
    def theory(self) -> Theory:
        """Describe the rules in the form whose length in bits is defined."""


class RulesOfClasses(Model):
    """Rules without an order, several or none of which may speak."""

    def __init__(self, cases: Cases, found: Sequence[Found]) -> None:
        super().__init__(cases, found)
        outcomes = np.array([one.outcome for one in found], dtype=np.int32)
        clauses = [one.clause for one in found]
        self._set = ClauseSet.learn(clauses, outcomes, cases.values, cases.classes, len(cases.labels))

    def choices(self, values: Values) -> NDArray[np.intp]:
        """Give the class of the most precise rule that holds for each case."""
        return self._set.choices(values)

    def sets(self, values: Values) -> NDArray[np.bool_]:
        """Give the classes of all rules that hold for each case."""
        return self._set.sets(values)

    def probabilities(self, values: Values) -> NDArray[np.float64]:
        """Give the frequencies of the classes among cases with the same answers."""
        return self._set.probabilities(values)

    def rules(self) -> list[Rule]:
        """Give the rules, class by class."""
        return [one.rule for one in self.measured]

    def text(self) -> str:
        """Write the rules, one a line."""
        return "\n".join(map(str, self.measured))

    def theory(self) -> RuleSet:
        """Describe the rules as a set."""
        return RuleSet(tuple(self.rules()), self.labels)


class _Ordered(Model):
    """Rules of which the first that holds decides; the last always holds."""

    def __init__(
        self, cases: Cases, found: Sequence[Found], ordered: Sequence[tuple[Clause, int]], default: int
    ) -> None:
        super().__init__(cases, found)
        self._ordered = [*ordered, (Clause(), default)]
        self._clauses = Clauses.of([clause for clause, _ in self._ordered])
        self._outcomes = np.array([outcome for _, outcome in self._ordered], dtype=np.intp)
        n_classes, n_rules = len(cases.labels), len(self._ordered)
        cells = self._clauses.first(cases.values) * n_classes + cases.classes
        self._counts = np.bincount(cells, minlength=n_rules * n_classes).reshape(n_rules, n_classes)

    def choices(self, values: Values) -> NDArray[np.intp]:
        """Give the class of the first rule that holds for each case."""
        return np.asarray(self._outcomes[self._clauses.first(values)])

    def sets(self, values: Values) -> NDArray[np.bool_]:
        """Give this class alone."""
        return np.asarray(self.choices(values)[:, np.newaxis] == np.arange(len(self.labels)))

    def probabilities(self, values: Values) -> NDArray[np.float64]:
        """Give the frequencies of the classes among the cases that the same rule decides."""
        shares = (self._counts + 1) / (self._counts + 1).sum(axis=1, keepdims=True)
        return np.asarray(shares[self._clauses.first(values)])

    def rules(self) -> list[Rule]:
        """Give the rules in order."""
        return [self.rule(clause, outcome) for clause, outcome in self._ordered]


class ListOfRules(_Ordered):
    """Rules that are looked at one after the other."""

    def __init__(self, cases: Cases, found: Sequence[Found], default: int) -> None:
        super().__init__(cases, found, [(one.clause, one.outcome) for one in found], default)

    def text(self) -> str:
        """Write the rules in order, and what is otherwise."""
        left, right = self._counts[-1].sum(), self._counts[-1, self._outcomes[-1]]
        default = f"otherwise {self.labels[self._outcomes[-1]]} ({cases_and_errors(left, right)})"
        return "\n".join([*map(str, self.measured), default])

    def theory(self) -> RuleList:
        """Describe the rules as a list."""
        *rules, default = self.rules()
        return RuleList(tuple(rules), self.labels, default.outcome)


class RulesWithExceptions(_Ordered):
    """Rules that may have exceptions, and these again."""

    def __init__(self, cases: Cases, tree: Exceptions) -> None:
        ordered = [(clause, tree.rules[place].outcome) for place, clause in tree.in_order()]
        super().__init__(cases, tree.rules, ordered, tree.default)
        self._tree = tree

    def text(self) -> str:
        """Write each rule above its exceptions, which stand further to the right."""
        counts = self._counts.sum(axis=0)
        default = self._tree.default
        lines = [f"always {self.labels[default]} ({cases_and_errors(counts.sum(), counts[default])})"]
        places = {0: (1, "except")}
        for place, measured in enumerate(self.measured):
            depth, word = places[place]
            lines.append(f"{'|   ' * depth}{word} {measured}")
            places[self._tree.exception[place]] = depth + 1, "except"
            places[self._tree.otherwise[place]] = depth, "else"
        return "\n".join(lines)

    def theory(self) -> RippleDownTree:
        """Describe the rules as a tree, whose root is the default."""
        nodes: dict[int, RippleDownNode | None] = {NONE: None}
        for place in reversed(range(len(self.measured))):
            rule = self.measured[place].rule
            after = nodes[self._tree.exception[place]], nodes[self._tree.otherwise[place]]
            nodes[place] = RippleDownNode(rule.terms, rule.outcome, *after)
        return RippleDownTree(RippleDownNode((), self.labels[self._tree.default], nodes.get(0)), self.labels)
