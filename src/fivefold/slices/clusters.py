"""Clusters: rows that belong together, how they crowd into slices, and how outcomes are dealt to them anew."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri, stdtr, stdtrit

from fivefold.inputs.groups import Groups, deal_between, intraclass_correlation
from fivefold.slices import significance
from fivefold.slices._kernels import Bits, Codes, count_clusters, exact_p_values

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
    cases tells it: of outcomes 0 and 1 the crowding is also that of the slice's own sums over clusters, if more.

    groups: The cluster of each row.
    outcomes (n,): The numbers whose means are compared.
    bits (n,): The bit of each row, where rows are packed.
    dealt: Whether outcomes are dealt anew, which keeps their correlation but not the sums of a slice.
    """

    groups: Groups
    outcomes: Floats
    bits: NDArray[np.int64] = field(repr=False)
    dealt: bool = False

    @cached_property
    def correlation(self) -> float:
        """The intra-class correlation of the outcomes."""
        return intraclass_correlation(self.outcomes, self.groups)

    def crowding(self, bits: Bits, sets: Codes, n: NDArray[Any]) -> Floats:
        """Give the crowding of conjunctions of n rows."""
        return self.crowding_by(lambda some: self.count(bits, sets[some], self.groups.n_groups), n)

    def count(self, bits: Bits, sets: Codes, n_groups: int) -> NDArray[Any]:
        """Count the rows of conjunctions in each cluster, first those with outcome 0, then the others."""
        by_bit = np.zeros(64 * bits.shape[1], dtype=np.int64)
        by_bit[self.bits] = self.groups.codes + n_groups * (self.outcomes > 0)
        return np.asarray(count_clusters(bits, np.ascontiguousarray(sets), by_bit, 2 * n_groups))

    def crowding_of(self, masks: Iterable[NDArray[np.bool_]]) -> Floats:
        """Give the same of slices that are given by the rows in them."""
        n_groups = self.groups.n_groups
        by_outcome = self.groups.codes + n_groups * (self.outcomes > 0)
        counts = np.array([np.bincount(by_outcome[mask], minlength=2 * n_groups) for mask in masks])
        return self.crowding_by(lambda some: counts[some], counts.sum(axis=1))

    def crowding_by(self, count: Callable[[slice], NDArray[Any]], n: NDArray[Any]) -> Floats:
        """Give the crowding of slices of n rows, by counts in clusters, asked for some at a time."""
        at_once, whole = max(1, MOST_COUNTED // (2 * self.groups.n_groups)), np.empty(len(n))
        for first in range(0, len(n), at_once):
            some = slice(first, first + at_once)
            fewer, more = np.split(count(some).astype(np.float64), 2, axis=1)
            whole[some] = np.maximum(self._alike(fewer + more, n[some]), self._apart(fewer + more, more))
        return np.maximum(whole, LEAST_CROWDING)

    def _alike(self, inside: Floats, n: NDArray[Any]) -> Floats:
        """Give the crowding by the correlation of the outcomes of a cluster."""
        sizes, share = self.groups.sizes, n / len(self.groups)
        squares, products = (inside**2).sum(axis=1), inside @ sizes
        with np.errstate(divide="ignore", invalid="ignore"):
            between = (squares - 2 * share * products + share**2 * float(sizes @ sizes)) / (n * (1 - share))
        return np.asarray(np.nan_to_num(1 + self.correlation * (between - 1), nan=1.0))

    def _apart(self, inside: Floats, more: Floats) -> Floats:
        """Give the crowding by sums over clusters, inside and outside, beside the mean of each."""
        sizes, mean, n = self.groups.sizes, float(self.outcomes.mean()), inside.sum(axis=1, keepdims=True)
        share, outside, rest = n / sizes.sum(), sizes - inside, self.groups.totals(self.outcomes) - more
        if self.dealt or np.any((self.outcomes != 0) & (self.outcomes != 1)) or self.groups.n_groups == 1:
            return np.zeros(len(inside))
        with np.errstate(divide="ignore", invalid="ignore"):
            sums = (1 - share) * (more - more.sum(axis=1, keepdims=True) / n * inside)
            sums -= share * (rest - rest.sum(axis=1, keepdims=True) / (sizes.sum() - n) * outside)
            alone = mean * (1 - mean) * (n * (1 - share))[:, 0] * (1 - 1 / self.groups.n_groups)
            return np.asarray(np.nan_to_num((sums**2).sum(axis=1) / alone, nan=0.0, posinf=0.0))

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
        return np.asarray(2 * stdtr(self.groups.n_groups - 1, -np.sqrt(statistic)))

    def widen(self, crowding: Floats, level: Floats) -> Floats:
        """Give how many rows are worth one, for intervals at a level of the difference that the test is about.

        What rows inside and outside have in common by their cluster does not part them.
        """
        few = stdtrit(self.groups.n_groups - 1, level / 2) / ndtri(level / 2)
        return np.asarray(np.maximum(crowding, 1.0) * few**2)

    def deal(self, rng: np.random.Generator, draws: int) -> Iterable[Floats]:
        """Deal the outcomes anew, group by group."""
        for source in deal_between(self.groups, self.correlation, rng, draws):
            yield self.outcomes[source]

    def pack(self, dealt: Iterable[Floats], n_words: int) -> Bits:
        """Pack outcomes of 0 and 1 into bits, for each deal."""
        rows = []
        for outcomes in dealt:
            flags = np.zeros(64 * n_words, dtype=np.uint8)
            flags[self.bits] = outcomes
            rows.append(np.packbits(flags, bitorder="little").view(np.uint64))
        return np.stack(rows)


def _worth(counts: NDArray[np.int64], crowding: float, sizes: NDArray[np.int64]) -> float:
    """Test by the exact law with as many rows as these are worth; parts of a row go to where nothing deviates."""
    fewer = np.maximum(np.round(sizes / max(crowding, 1.0)), 1).astype(np.int64)
    inside = min(max(round(counts.sum() / max(crowding, 1.0)), 1), int(fewer.sum()) - 1)
    expected, seen = inside * fewer[0] / fewer.sum(), counts[0] / max(crowding, 1.0)
    seen = int(np.ceil(seen) if seen < expected else np.floor(seen))
    seen = min(max(seen, inside - int(fewer[1]), 0), int(fewer[0]), inside)
    return float(exact_p_values(np.array([[seen, inside - seen]], dtype=np.int64), fewer)[0])
