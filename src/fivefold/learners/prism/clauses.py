"""Clauses: conjunctions of intervals, as arrays that are fast on many cases, and in words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf
from typing import Any, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray

from fivefold.data.conditions import Above, AtMost, Equals, Term, Within
from fivefold.inputs.columns import Column
from fivefold.learners.prism._kernels import first_to_hold, holds

# the interval of each attribute that a clause speaks of, in the order in which it does
Clause: TypeAlias = dict[int, tuple[float, float]]


@dataclass(frozen=True, eq=False)
class Clauses:
    """Several clauses; the intervals of clause r stand at ``starts[r]`` to ``starts[r + 1] - 1``.

    An interval is low < x <= high. The values of a nominal attribute are its codes 0, 1, …, so that code v is
    v - 1 < x <= v, and neither -1 nor NaN, which stand for missing values, lies in any interval.
    """

    starts: NDArray[np.int64]
    attribute: NDArray[np.int64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]

    @classmethod
    def of(cls, clauses: Sequence[Clause]) -> Self:
        """Write clauses one after the other."""
        flat = [(a, low, high) for clause in clauses for a, (low, high) in clause.items()]
        starts = np.cumsum([0, *map(len, clauses)], dtype=np.int64)
        attribute = np.array([a for a, _, _ in flat], dtype=np.int64)
        ends = np.array([own[1:] for own in flat], dtype=np.float64).reshape(-1, 2)
        return cls(starts, attribute, ends[:, 0].copy(), ends[:, 1].copy())

    def holds(self, values: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Tell for each clause in which cases it holds; `values` has one row an attribute."""
        truth: NDArray[np.bool_] = holds(self.starts, self.attribute, self.low, self.high, values)
        return truth

    def first(self, values: NDArray[np.float64]) -> NDArray[np.int64]:
        """Give for each case the first clause that holds, or the number of clauses if none does."""
        places: NDArray[np.int64] = first_to_hold(self.starts, self.attribute, self.low, self.high, values)
        return places


def both(one: Clause, other: Clause) -> Clause:
    """Join two clauses: one interval for each attribute of either."""
    joined = dict(one)
    for a, (low, high) in other.items():
        old_low, old_high = joined.get(a, (-inf, inf))
        joined[a] = (max(low, old_low), min(high, old_high))
    return joined


def values_of(columns: Sequence[Column]) -> NDArray[np.float64]:
    """Give the values of all cases, one row an attribute: numbers, and the codes of categories."""
    return np.array([column.values for column in columns], dtype=np.float64)


def terms_of(clause: Clause, columns: Sequence[Column]) -> tuple[Term, ...]:
    """Say a clause in terms of the columns that its values came from."""
    return tuple(_term(columns[a], low, high) for a, (low, high) in clause.items())


def _term(column: Column, low: float, high: float) -> Term:
    if column.categories is not None:
        categories: tuple[Any, ...] = column.categories
        return Equals(column.name, categories[int(high)])
    if low == -inf:
        return AtMost(column.name, high)
    return Above(column.name, low) if high == inf else Within(column.name, low, high)


def cases_and_errors(covered: float, correct: float) -> str:
    """Write how many cases there are, and how many errors among them if any."""
    return f"{covered:.6g}/{covered - correct:.6g}" if correct < covered else f"{covered:.6g}"
