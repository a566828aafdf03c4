"""Many concepts at once: the fast path for those who learn from resamples of one boolean table."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fivefold.data.conditions import Equals, NotEquals, Rule
from fivefold.errors import InputError, InputTypeError, show
from fivefold.learners.foil.kernels.clauses import Clauses, cover, define_all
from fivefold.learners.foil.kernels.literals import Ints
from fivefold.learners.foil.training_table import logarithms, search_options


@dataclass(frozen=True, eq=False)
class Concepts:
    """Concepts that FOIL has learnt, one for each resample.

    Parameters
    ----------
    n_attributes : int
        How many boolean attributes the table has.
    firsts : ndarray of int
        Concept `r` has the clauses from ``firsts[r]`` up to ``firsts[r + 1]``.
    clauses : Clauses
        The literals of all clauses; literal ``2 a`` asks whether attribute `a` is false, ``2 a + 1`` whether it
        is true, and a sign of False negates it.
    """

    n_attributes: int
    firsts: Ints
    clauses: Clauses

    def __len__(self) -> int:
        return self.firsts.size - 1

    def covers(self, X: Any) -> NDArray[np.bool_]:
        """Tell for each concept, in a row, which cases it covers.

        Parameters
        ----------
        X : ndarray of bool of shape (n_cases, n_attributes)
            The cases.
        """
        table = _table(X)
        if table.shape[1] != self.n_attributes:
            raise InputError(f"{self.n_attributes} attributes, as in learning", f"{table.shape[1]}")
        starts, literals, signs, cuts = self.clauses
        codes, numbers = np.ascontiguousarray(table.T, dtype=np.int32), np.empty((0, 0), dtype=np.float32)
        return cover(self.firsts, starts, signs, cuts, literals >> 1, literals & 1, codes, numbers)

    def rules(self, concept: int) -> list[Rule]:
        """Give the clauses of one concept as rules for True, on columns ``x0``, ``x1``, …."""
        starts = self.clauses.starts[self.firsts[concept] : self.firsts[concept + 1] + 1]
        return [self._rule(start, end) for start, end in pairwise(starts)]

    def _rule(self, start: int, end: int) -> Rule:
        pairs = zip(self.clauses.literals[start:end], self.clauses.signs[start:end], strict=True)
        terms = ((Equals if sign else NotEquals)(f"x{k // 2}", bool(k % 2)) for k, sign in pairs)
        return Rule(tuple(terms), True)


def learn_concepts(
    X: Any,
    y: Any,
    copies: Any = None,
    *,
    info: str = "foil6",
    negation: bool = True,
    pruning: bool = True,
    min_accuracy: float = 0.8,
) -> Concepts:
    """Learn the concept of the true cases from many resamples of one boolean table.

    Each concept is what ``Foil(target=True)`` learns from the resample; a case that no clause covers is not of the
    concept. A resample in which all cases are true, or none, gives a concept without clauses.

    Parameters
    ----------
    X : ndarray of bool of shape (n_cases, n_attributes)
        The cases.
    y : ndarray of bool of shape (n_cases,)
        Which cases are of the concept.
    copies : array-like of int of shape (n_resamples, n_cases), optional
        How often each case stands in each resample; by default one resample with each case once.
    info, negation, pruning, min_accuracy
        As in :class:`~fivefold.learners.Foil`.

    Returns
    -------
    Concepts

    Notes
    -----
    The work is done in one compiled call that holds no lock, so that callers may share resamples among threads.

    Examples
    --------
    Leave one case out at a time:

    >>> import numpy as np
    >>> X = np.array([[a, b, c] for a in (0, 1) for b in (0, 1) for c in (0, 1)] * 3, dtype=bool)
    >>> y = X[:, 0] & ~X[:, 2]
    >>> concepts = learn_concepts(X, y, 1 - np.eye(len(y), dtype=int))
    >>> left_out = concepts.covers(X).diagonal()
    >>> int(np.count_nonzero(left_out != y))
    0
    >>> [str(rule) for rule in concepts.rules(0)]
    ['if x0 = True and x2 = False then True']
    """
    table, wanted = _table(X), np.asarray(y)
    if wanted.dtype.kind != "b" or wanted.shape != table.shape[:1]:
        raise InputError(
            f"y to be {table.shape[0]} booleans", f"{wanted.dtype} of shape {wanted.shape}", "use y == label"
        )
    counts = _counts(copies, table.shape[0])
    logs = logarithms(int(counts.sum(axis=1).max(initial=0)) + 2)
    options = search_options(info, negation, pruning, min_accuracy)
    firsts, clauses = define_all(table, np.ascontiguousarray(wanted), counts, logs, options)
    return Concepts(table.shape[1], firsts, clauses)


def _table(X: Any) -> NDArray[np.bool_]:
    table = np.asarray(X)
    if table.dtype.kind != "b" or table.ndim != 2:
        raise InputTypeError("a table of booleans", f"{table.dtype} of shape {table.shape}", "use X == 1")
    return np.ascontiguousarray(table)


def _counts(copies: Any, n_cases: int) -> Ints:
    if copies is None:
        return np.ones((1, n_cases), dtype=np.int64)
    counts = np.asarray(copies)
    if counts.dtype.kind not in "iub" or counts.ndim != 2 or counts.shape[1] != n_cases:
        raise InputError(
            f"copies to be whole numbers in rows of {n_cases}", f"{counts.dtype} of shape {counts.shape}"
        )
    if counts.size and counts.min() < 0:
        row, case = (int(i) for i in np.argwhere(counts < 0)[0])
        raise InputError(
            "copies of at least 0", f"{show(int(counts[row, case]))} for case {case} of row {row}"
        )
    return np.ascontiguousarray(counts, dtype=np.int64)
