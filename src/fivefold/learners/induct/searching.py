"""The best clause for a class: terms that make it purer, as many as chance cannot explain."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from math import inf, log

import numpy as np
from numpy.typing import NDArray

from fivefold.data.discretise import midpoint
from fivefold.learners.induct.significance import TIE, Chance
from fivefold.learners.prism._kernels import AT_MOST, ATTRIBUTE, CORRECT, COVERED, EQUALS, HIGH, LOW, OPERATOR
from fivefold.learners.prism.clauses import Clause, both
from fivefold.learners.prism.pool import Mask, Pool, Terms, grow, most_accurate


@dataclass(frozen=True, eq=False)
class Found:
    """A clause for a class, and how it does among the cases that it was found in.

    Parameters
    ----------
    clause : Clause
        Its intervals.
    outcome : int
        The class.
    correct, covered : int
        How many cases it covers, and how many of them are of the class.
    log_r : float
        The logarithm of the probability that chance does as well.
    terms : ndarray
        Its terms as codes.
    """

    clause: Clause
    outcome: int
    correct: int
    covered: int
    log_r: float
    terms: Terms = field(repr=False)


@dataclass(frozen=True, eq=False)
class Search:
    """How clauses are looked for.

    Parameters
    ----------
    classes : ndarray of int
        The class of each training case.
    n_classes : int
        How many classes there are.
    chance : Chance
        The measure r.
    least_r : bool
        Whether each term is the one with the least r, until r falls no more. Otherwise it is the one with the
        greatest share of the class, until the clause is pure, and then the last terms are dropped as long as r
        falls.
    max_r : float
        A clause with a greater r is not taken.
    distinct : tuple of ndarray
        The different numbers of each numeric attribute.
    """

    classes: NDArray[np.int32]
    n_classes: int
    chance: Chance
    least_r: bool
    max_r: float
    distinct: tuple[NDArray[np.float64], ...]

    def counts(self, pool: Pool) -> NDArray[np.int64]:
        """Count the classes of some cases."""
        return np.bincount(self.classes[pool.rows], minlength=self.n_classes)

    def best(self, pool: Pool, outcomes: Iterable[int], *, as_majority: bool = False) -> Found | None:
        """Give the clause with the least r among those for some classes, if there is one that is good enough.

        With `as_majority` a clause must be for the most frequent class of the cases that it covers.
        """
        found = [self._best_for(pool, outcome) for outcome in outcomes]
        good = [one for one in found if one.terms.size and one.log_r <= self._max_log_r]
        if as_majority:
            good = [one for one in good if self.counts(pool.meeting(one.terms)).argmax() == one.outcome]
        if not good:
            return None
        least = min(one.log_r for one in good) + TIE
        return max((one for one in good if one.log_r <= least), key=lambda one: one.correct)

    @property
    def _max_log_r(self) -> float:
        return log(self.max_r) + TIE if self.max_r else -inf

    def _best_for(self, pool: Pool, outcome: int) -> Found:
        wanted = self.classes == outcome
        path = grow(pool, wanted, self._less_likely if self.least_r else _purer)
        logs = self._logs(path, path[0])
        end = len(path) - 1
        while end and logs[end - 1] < logs[end] - TIE:
            end -= 1
        terms, (correct, covered) = path[1 : end + 1], path[end, [CORRECT, COVERED]].tolist()
        return Found(self._clause(terms), outcome, correct, covered, float(logs[end]), terms)

    def _logs(self, terms: Terms, whole: NDArray[np.int64]) -> NDArray[np.float64]:
        correct, covered = terms[:, [CORRECT, COVERED]].T.copy()
        return self.chance.logs(correct, covered, int(whole[CORRECT]), int(whole[COVERED]))

    def _less_likely(self, found: Terms, path: Terms) -> int | None:
        now = self._logs(path[-1:], path[0])[0]
        logs = np.where(_narrows(found, path), self._logs(found, path[0]), inf)
        least = logs.min(initial=inf)
        if least >= now - TIE:
            return None
        return int(np.argmax(np.where(logs <= least + TIE, found[:, CORRECT], -1)))

    def _clause(self, terms: Terms) -> Clause:
        clause: Clause = {}
        for term in terms:
            a = int(term[ATTRIBUTE])
            clause = both(clause, {a: _interval(term, self.distinct[a])})
        return clause


def _purer(found: Terms, path: Terms) -> int | None:
    return most_accurate(found, _narrows(found, path))


def _narrows(found: Terms, path: Terms) -> Mask:
    # a term that all cases meet says nothing
    return np.asarray(found[:, COVERED] < path[-1, COVERED])


def _interval(term: NDArray[np.int64], distinct: NDArray[np.float64]) -> tuple[float, float]:
    if term[OPERATOR] == EQUALS:
        return float(term[LOW]) - 1.0, float(term[LOW])
    cut = midpoint(float(distinct[term[LOW]]), float(distinct[term[HIGH]]))
    return (-inf, cut) if term[OPERATOR] == AT_MOST else (cut, inf)
