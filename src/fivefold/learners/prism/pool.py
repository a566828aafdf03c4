"""The cases that are still to be explained, sorted by every attribute, and the growth of a rule on them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from fivefold.learners.prism._kernels import CORRECT, COVERED, list_terms, mark_met, select

Terms = NDArray[np.int64]  # one a row; the columns are named in `_kernels`
Mask = NDArray[np.bool_]
Choose = Callable[[Terms, Terms], int | None]


@dataclass(frozen=True, eq=False)
class Pool:
    """Some of the training cases.

    Parameters
    ----------
    codes : ndarray of int of shape (n_attributes, n_all_cases)
        The value of each attribute as a place among its values; -1 where it is missing.
    n_values : ndarray of int
        How many values each attribute has, which it is compared with; 0 for one that is not used, -1 for one that
        is cut in two.
    order : ndarray of int of shape (n_numeric_attributes + 1, n_cases)
        The cases by the value of each numeric attribute, without those that lack it; in the last row all of them.
    sizes : ndarray of int
        How many cases each row of `order` has.
    """

    codes: NDArray[np.int32]
    n_values: NDArray[np.int64]
    order: NDArray[np.int32]
    sizes: NDArray[np.int64]

    @classmethod
    def of(cls, codes: NDArray[np.int32], n_values: NDArray[np.int64]) -> Self:
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
    def rows(self) -> NDArray[np.int32]:
        """The cases."""
        return self.order[-1, : self.size]

    def terms(self, wanted: Mask) -> Terms:
        """Count the cases and the wanted cases that each term would cover."""
        found: Terms = list_terms(self.codes, self.n_values, self.order, self.sizes, wanted)
        return found

    def meeting(self, terms: Terms) -> Self:
        """Keep the cases that meet all terms."""
        return self._select(self._met(terms))

    def failing(self, terms: Terms) -> Self:
        """Keep the cases that do not meet all terms."""
        return self._select(~self._met(terms))

    def _met(self, terms: Terms) -> Mask:
        met: Mask = mark_met(self.codes, self.rows, terms)
        return met

    def _select(self, chosen: Mask) -> Self:
        n_chosen = int(np.count_nonzero(chosen[self.rows]))
        order, sizes = select(self.order, self.sizes, chosen, n_chosen)
        return type(self)(self.codes, self.n_values, order, sizes)


def grow(pool: Pool, wanted: Mask, choose: Choose) -> Terms:
    """Add terms, each counted among the cases that meet the terms before it, until no other case is left.

    Parameters
    ----------
    pool : Pool
        The cases to start from.
    wanted : ndarray of bool
        Which of all cases are of the class that the rule is for.
    choose : callable
        Takes the possible terms and the path so far, and gives the place of the next term, or None to stop.

    Returns
    -------
    ndarray of int
        The path: a row for the rule without terms, with its counts alone, and then the terms.
    """
    correct, covered = int(np.count_nonzero(wanted[pool.rows])), pool.size
    path = np.array([[-1, -1, -1, -1, correct, covered]], dtype=np.int64)
    while path[-1, CORRECT] < path[-1, COVERED]:
        found = pool.terms(wanted)
        chosen = choose(found, path)
        if chosen is None:
            break
        path = np.vstack([path, found[chosen]])
        pool = pool.meeting(path[-1:])
    return path


def most_accurate(found: Terms, allowed: Mask) -> int | None:
    """Choose the term with the greatest share of wanted cases, then with more of them, then the first."""
    correct = np.where(allowed, found[:, CORRECT], 0)
    if not correct.any():
        return None
    # equal fractions are equal floats, as division rounds correctly
    share = correct / found[:, COVERED]
    return int(np.argmax(np.where(share == share.max(), correct, 0)))
