"""Clauses: intervals of attributes; the terms that narrow them, and sets and lists of them that answer."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import inf
from typing import Any, NamedTuple, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray

from fivefold.data.conditions import Above, AtMost, Equals, Rule, Term, Within
from fivefold.inputs.columns import Column
from fivefold.learners.base import Columns, Floats, Ints, Learner, Weights, cases_and_errors
from fivefold.learners.rule_answers import Fired, RuleAnswers
from fivefold.learners.rules import _clause_kernels as kernels

# the interval of each attribute that a clause speaks of, in the order in which it does
Clause: TypeAlias = dict[int, tuple[float, float]]
Terms = NDArray[np.int64]  # one a row; the columns are named in `_clause_kernels`
Mask = NDArray[np.bool_]
Values = Floats  # one row an attribute, numbers, and the codes of categories, -1 for missing
Choose = Callable[[Terms, Terms], int | None]
_MOST = 50_000_000  # clauses times cases that are looked at together: as many bytes


class Clauses(NamedTuple):
    """Several clauses; the intervals of clause r stand at ``starts[r]`` to ``starts[r + 1] - 1``.

    An interval is low < x <= high. The values of a nominal attribute are its codes 0, 1, …, so that code v is
    v - 1 < x <= v, and neither -1 nor NaN, which stand for missing values, lies in any interval.
    """

    starts: NDArray[np.int64]
    attribute: NDArray[np.int64]
    low: Floats
    high: Floats

    @classmethod
    def of(cls, clauses: Sequence[Clause]) -> Self:
        """Write clauses one after the other."""
        flat = [(a, low, high) for clause in clauses for a, (low, high) in clause.items()]
        starts = np.cumsum([0, *map(len, clauses)], dtype=np.int64)
        attribute = np.array([a for a, _, _ in flat], dtype=np.int64)
        ends = np.array([own[1:] for own in flat], dtype=np.float64).reshape(-1, 2)
        return cls(starts, attribute, ends[:, 0].copy(), ends[:, 1].copy())

    def rules(self, outcomes: NDArray[Any], columns: Columns, labels: Sequence[Any]) -> list[Rule]:
        """Say clauses for classes in terms of the columns that their values came from."""
        intervals = zip(self.attribute.tolist(), self.low.tolist(), self.high.tolist(), strict=True)
        terms = [_term(columns[a], low, high) for a, low, high in intervals]
        spans = zip(pairwise(self.starts.tolist()), outcomes.tolist(), strict=True)
        return [Rule(tuple(terms[first:end]), labels[outcome]) for (first, end), outcome in spans]


def both(first: Clause, other: Clause) -> Clause:
    """Join two clauses: one interval for each attribute of either."""
    joined = dict(first)
    for a, (low, high) in other.items():
        old_low, old_high = joined.get(a, (-inf, inf))
        joined[a] = (max(low, old_low), min(high, old_high))
    return joined


def _term(column: Column, low: float, high: float) -> Term:
    if column.categories is not None:
        categories: tuple[Any, ...] = column.categories
        return Equals(column.name, categories[int(high)])
    if low == -inf:
        return AtMost(column.name, high)
    return Above(column.name, low) if high == inf else Within(column.name, low, high)


@dataclass(frozen=True, eq=False)
class Pool:
    """Some of the training cases.

    `codes` has for each attribute the place of its value in each of all cases, -1 where it is missing; `n_values`
    how many values an attribute has, 0 for one that is not used, -1 for one that is cut in two. `order` has the
    cases of the pool by the value of each numeric attribute, without those that lack it, and in its last row all
    of them; `sizes` how many each row has.
    """

    codes: Ints
    n_values: NDArray[np.int64]
    order: Ints
    sizes: NDArray[np.int64]

    @classmethod
    def of(cls, codes: Ints, n_values: NDArray[np.int64]) -> Self:
        """Sort all cases."""
        numeric, n = codes[n_values < 0], codes.shape[1]
        order = np.empty((len(numeric) + 1, n), dtype=np.int32)
        sizes = np.append(np.count_nonzero(numeric >= 0, axis=1), n).astype(np.int64)
        order[-1] = np.arange(n)
        for row, own, size in zip(order, numeric, sizes, strict=False):
            row[:size] = np.argsort(own, kind="stable")[n - size :]
        return cls(codes, n_values, order, sizes)

    @property
    def size(self) -> int:
        """The number of cases."""
        return int(self.sizes[-1])

    @property
    def rows(self) -> Ints:
        """The cases."""
        return self.order[-1, : self.size]

    def meeting(self, terms: Terms) -> Self:
        """Keep the cases that meet all terms."""
        return self._select(kernels.mark_met(self.codes, self.rows, terms))

    def failing(self, terms: Terms) -> Self:
        """Keep the cases that do not meet all terms."""
        return self._select(~kernels.mark_met(self.codes, self.rows, terms))

    def _select(self, chosen: Mask) -> Self:
        n_chosen = int(np.count_nonzero(chosen[self.rows]))
        order, sizes = kernels.select(self.order, self.sizes, chosen, n_chosen)
        return type(self)(self.codes, self.n_values, order, sizes)


def grow(pool: Pool, wanted: Mask, choose: Choose) -> Terms:
    """Add terms, each counted among the cases that meet the terms before it, until no unwanted case is left.

    `choose` takes the possible terms and the path so far, and gives the place of the next term, or None to stop.
    The path has a row for the rule without terms, with its counts alone, and then the terms.
    """
    correct, covered = int(np.count_nonzero(wanted[pool.rows])), pool.size
    path = np.array([[-1, -1, -1, -1, correct, covered]], dtype=np.int64)
    while path[-1, kernels.CORRECT] < path[-1, kernels.COVERED]:
        terms = kernels.list_terms(pool.codes, pool.n_values, pool.order, pool.sizes, wanted)
        chosen = choose(terms, path)
        if chosen is None:
            break
        path = np.vstack([path, terms[chosen]])
        pool = pool.meeting(path[-1:])
    return path


def most_accurate(terms: Terms, allowed: Mask) -> int | None:
    """Choose the term with the greatest share of wanted cases, then with more of them, then the first."""
    correct = np.where(allowed, terms[:, kernels.CORRECT], 0)
    if not correct.any():
        return None
    # equal fractions are equal floats, as division rounds correctly
    share = correct / terms[:, kernels.COVERED]
    return int(np.argmax(np.where(share == share.max(), correct, 0)))


class ClauseSet:
    """Clauses for classes, all of which speak that hold, and how they answer."""

    def __init__(
        self, clauses: Clauses, outcomes: Ints, values: Values, classes: Ints, n_classes: int
    ) -> None:
        self.clauses = clauses
        self.answers = RuleAnswers.learn(kernels.holds(clauses, values), outcomes, classes, n_classes)

    def choices(self, values: Values) -> NDArray[np.intp]:
        """Give the class of the most precise clause that holds for each case."""
        return self._in_blocks(self.answers.choices, values)

    def sets(self, values: Values) -> NDArray[np.bool_]:
        """Give the classes of all clauses that hold for each case, in a row."""
        return self._in_blocks(self.answers.sets, values)

    def probabilities(self, values: Values) -> Floats:
        """Give the frequencies of the classes among cases with the same answers, in a row."""
        return self._in_blocks(self.answers.probabilities, values)

    def _in_blocks(self, answer: Callable[[Fired], NDArray[Any]], values: Values) -> NDArray[Any]:
        size = max(_MOST // max(self.answers.outcomes.size, 1), 1)
        starts = range(0, max(values.shape[1], 1), size)
        return np.concatenate([answer(kernels.holds(self.clauses, values[:, i : i + size])) for i in starts])


class ClauseList:
    """Clauses for classes, of which the first that holds decides; the last always holds.

    `counts` has the weight of the training cases of each class, in columns, that each clause decides.
    """

    def __init__(
        self,
        clauses: Clauses,
        outcomes: NDArray[np.intp],
        values: Values,
        classes: Ints,
        n_classes: int,
        weights: Weights = None,
    ) -> None:
        self.clauses, self.outcomes = clauses, outcomes
        cells = kernels.first_to_hold(clauses, values) * n_classes + classes
        self.counts = np.bincount(cells, weights, outcomes.size * n_classes).reshape(-1, n_classes)

    def choices(self, values: Values) -> NDArray[np.intp]:
        """Give the class of the first clause that holds for each case."""
        return np.asarray(self.outcomes[kernels.first_to_hold(self.clauses, values)])

    def sets(self, values: Values) -> NDArray[np.bool_]:
        """Give this class alone."""
        return np.asarray(self.choices(values)[:, np.newaxis] == np.arange(self.counts.shape[1]))

    def probabilities(self, values: Values) -> Floats:
        """Give the frequencies of the classes among the cases that the same clause decides."""
        shares = (self.counts + 1) / (self.counts + 1).sum(axis=1, keepdims=True)
        return np.asarray(shares[kernels.first_to_hold(self.clauses, values)])

    def cases(self, r: int) -> str:
        """Write how many training cases a clause decides, and its errors among them."""
        return cases_and_errors(self.counts[r].sum(), self.counts[r, self.outcomes[r]])


class RuleLearner(Learner):
    """A learner whose `_model` makes classes, sets and probabilities of what it asks about cases."""

    _model: ClauseSet | ClauseList | RuleAnswers

    def _ask(self, columns: Columns) -> NDArray[Any]:
        """Give what the model asks: the values, or for rule answers which rule, in a row, holds for which case."""
        return np.array([column.values for column in columns], dtype=np.float64)

    def _choices(self, columns: Columns) -> NDArray[np.intp]:
        return self._model.choices(self._ask(columns))

    def _probabilities(self, columns: Columns) -> Floats:
        return self._model.probabilities(self._ask(columns))

    def _sets(self, columns: Columns, missing_fails: bool) -> NDArray[np.bool_]:
        return self._model.sets(self._ask(columns))
