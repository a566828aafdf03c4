"""Clusters: rows that belong together, how they crowd into slices, and what their sums with other signs tell."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri, stdtr, stdtrit

from fivefold.inputs.groups import Groups, intraclass_correlation
from fivefold.slices import significance
from fivefold.slices._kernels import Bits, Codes, add_clusters, exact_p_values

Floats = NDArray[np.float64]

# a slice that takes the same share of every cluster has less variance than independent rows, but some
LEAST_CROWDING = 0.05
# how many numbers are counted at once
MOST_COUNTED = 1 << 23


@dataclass(frozen=True, eq=False)
class Clusters:
    r"""Rows that belong together, and outcomes that are more alike among them.

    With :math:`k_c` of the :math:`m_c` rows of cluster c in a slice of n of all N rows, and :math:`\rho` the
    correlation of the outcomes of a cluster, the variance of the slice's sum beside the average is

    .. math:: \frac{(1 - \rho)\, n (1 - n/N) + \rho \sum_c (k_c - m_c n / N)^2}{n (1 - n/N)}

    times that of independent rows: its crowding. A slice that takes whole clusters is crowded, one that takes a
    part of each is not. Where a slice does better in some clusters and worse in others, no :math:`\rho` of all
    cases tells it: the crowding is also that of the slice's own sums over clusters, if more.

    groups: The cluster of each row.
    outcomes (n,): The numbers whose means are compared.
    bits (n,): The bit of each row, where rows are packed.
    """

    groups: Groups
    outcomes: Floats
    bits: NDArray[np.int64] = field(repr=False)

    @cached_property
    def correlation(self) -> float:
        """The intra-class correlation of the outcomes."""
        return intraclass_correlation(self.outcomes, self.groups)

    @cached_property
    def deviations(self) -> Floats:
        """What the outcomes are beyond their mean."""
        return significance.deviations_of(self.outcomes)

    @cached_property
    def totals(self) -> Floats:
        """The sum of the deviations of each cluster."""
        return self.groups.totals(self.deviations)

    @cached_property
    def freedom(self) -> float:
        """The degrees of freedom of Student's tails: as many groups of equal size vary as much, less one.

        Where a few groups have most of the rows, what sums over clusters vary rests on these few.
        """
        return max(self.groups.effective_number - 1.0, 1.0)

    def add(self, bits: Bits, sets: Codes, n_groups: int, numbers: Floats) -> Floats:
        """Count the rows of conjunctions in each cluster, and add up a number of each row."""
        codes, by_bit = np.zeros(64 * bits.shape[1], dtype=np.int64), np.zeros(64 * bits.shape[1])
        codes[self.bits], by_bit[self.bits] = self.groups.codes, numbers
        return np.asarray(add_clusters(bits, np.ascontiguousarray(sets), codes, by_bit, n_groups))

    def crowding_of(self, masks: Iterable[NDArray[np.bool_]]) -> Floats:
        """Give the same of slices that are given by the rows in them."""
        flags, total = np.array(list(masks)), self.groups.totals
        added = np.array([[total(row * by) for row in flags] for by in (1.0, self.deviations)])
        return self.crowding_by(lambda some: added[:, some], flags.sum(axis=1))

    def crowding_by(self, add: Callable[[slice], Floats], n: NDArray[Any]) -> Floats:
        """Give the crowding of slices of n rows, by counts and sums in clusters, asked for some at a time."""
        whole = np.empty(len(n))
        for some in self._at_once(len(n)):
            inside, sums = add(some)
            whole[some] = np.maximum(self._alike(inside, n[some]), self._apart(inside, sums))
        return np.maximum(whole, LEAST_CROWDING)

    def turn(self, add: Callable[[slice], Floats], n: NDArray[Any], signs: Floats) -> tuple[Floats, Floats]:
        """Give what slices are beyond the average where clusters get these signs, and their squares over clusters.

        Whether a cluster is above the average in a slice, or as far below, is chance if the slice does not matter.
        So these are as likely as what was seen, whatever the clusters have in common, and in whichever slices.
        """
        turned, squares = np.empty((len(n), signs.shape[1])), np.empty(len(n))
        for some in self._at_once(len(n)):
            share, sums = n[some, None] / len(self.groups), add(some)[1]
            turned[some] = sums @ signs - share * (self.totals @ signs)
            squares[some] = ((sums - share * self.totals) ** 2).sum(axis=1)
        return turned, squares

    def _at_once(self, n: int) -> Iterator[slice]:
        step = max(1, MOST_COUNTED // (2 * self.groups.n_groups))
        return (slice(first, first + step) for first in range(0, n, step))

    def _alike(self, inside: Floats, n: NDArray[Any]) -> Floats:
        """Give the crowding by the correlation of the outcomes of a cluster."""
        sizes, share = self.groups.sizes, n / len(self.groups)
        squares, products = (inside**2).sum(axis=1), inside @ sizes
        with np.errstate(divide="ignore", invalid="ignore"):
            between = (squares - 2 * share * products + share**2 * float(sizes @ sizes)) / (n * (1 - share))
        return np.asarray(np.nan_to_num(1 + self.correlation * (between - 1), nan=1.0))

    def _apart(self, inside: Floats, sums: Floats) -> Floats:
        """Give the crowding by sums over clusters, inside and outside, beside the mean of each."""
        sizes, n, rest = self.groups.sizes, inside.sum(axis=1, keepdims=True), self.totals - sums
        share, outside = n / sizes.sum(), sizes - inside
        with np.errstate(divide="ignore", invalid="ignore"):
            apart = (1 - share) * (sums - sums.sum(axis=1, keepdims=True) / n * inside)
            apart -= share * (rest - rest.sum(axis=1, keepdims=True) / (sizes.sum() - n) * outside)
            alone = self.spread(n[:, 0]) ** 2 * (1 - 1 / self.groups.n_groups)
            return np.asarray(np.nan_to_num((apart**2).sum(axis=1) / alone, nan=0.0, posinf=0.0))

    def spread(self, n: NDArray[Any]) -> Floats:
        """Give the standard deviation of what slices of n independent rows are beyond the average."""
        return np.asarray(self.deviations.std() * np.sqrt(n * (1 - n / len(self.groups))))

    def p_values(self, counts: NDArray[np.int64], sizes: NDArray[np.int64], crowding: Floats) -> Floats:
        r"""Test two labels: Pearson's :math:`\chi^2` by the crowding, with Student's tails for few clusters.

        Where the exact test of as many independent rows as the clusters are worth is less sure, it counts.
        """
        p_values = self.tail(significance.pearson(counts, sizes) / crowding)
        return np.asarray(
            np.maximum(p_values, [_worth(*row, sizes) for row in zip(counts, crowding, strict=True)])
        )

    def tail(self, statistic: Floats) -> Floats:
        """Give the two tails of Student's law beyond the root of a statistic."""
        return np.asarray(2 * stdtr(self.freedom, -np.sqrt(statistic)))

    def widen(self, crowding: Floats, level: Floats, turned: bool) -> Floats:
        """Give how many rows are worth one, for intervals at a level of the difference that the test is about.

        What rows inside and outside have in common by their cluster does not part them. Where signs were `turned`,
        squares that hold the difference itself made the bar lower than Student's, by more the fewer clusters.
        """
        n, bar = self.groups.n_groups, stdtrit(self.freedom, level / 2) ** 2
        bar = bar * (n - 1) / np.maximum(n - bar, 1.0) if turned else bar
        return np.asarray(np.maximum(crowding, 1.0) * bar / ndtri(level / 2) ** 2)


def _worth(counts: NDArray[np.int64], crowding: float, sizes: NDArray[np.int64]) -> float:
    """Test by the exact law with as many rows as these are worth; parts of a row go to where nothing deviates."""
    fewer = np.maximum(np.round(sizes / max(crowding, 1.0)), 1).astype(np.int64)
    inside = min(max(round(counts.sum() / max(crowding, 1.0)), 1), int(fewer.sum()) - 1)
    expected, seen = inside * fewer[0] / fewer.sum(), counts[0] / max(crowding, 1.0)
    seen = int(np.ceil(seen) if seen < expected else np.floor(seen))
    seen = min(max(seen, inside - int(fewer[1]), 0), int(fewer[0]), inside)
    return float(exact_p_values(np.array([[seen, inside - seen]], dtype=np.int64), fewer)[0])
