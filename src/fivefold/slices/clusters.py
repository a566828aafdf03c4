"""Clusters: rows that belong together, how they crowd into slices, and how outcomes are dealt to them anew."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri, stdtr, stdtrit

from fivefold.inputs.groups import Groups, deal_between, intraclass_correlation
from fivefold.slices import significance
from fivefold.slices._kernels import Bits, Codes, crowds, exact_p_values

Floats = NDArray[np.float64]

# a slice that takes the same share of every cluster has less variance than independent rows, but some
LEAST_CROWDING = 0.05


@dataclass(frozen=True, eq=False)
class Clusters:
    r"""Rows that belong together, and outcomes that are more alike among them.

    With :math:`k_c` of the :math:`m_c` rows of cluster c in a slice of n of all N rows, and :math:`\rho` the
    correlation of the outcomes of a cluster, the variance of the slice's sum beside the average is

    .. math:: \frac{(1 - \rho)\, n (1 - n/N) + \rho \sum_c (k_c - m_c n / N)^2}{n (1 - n/N)}

    times that of independent rows: its crowding. A slice that takes whole clusters is crowded, one that takes a
    part of each is not.

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

    def crowding(self, bits: Bits, sets: Codes, n: NDArray[Any]) -> Floats:
        """Give the crowding of conjunctions of n rows."""
        nowhere_else = np.full(self.groups.n_groups, -1, dtype=np.int32)
        squares, products, _ = self.crowds(bits, sets, self.groups.sizes, nowhere_else, 0)
        return self.crowding_by(squares, products, n)

    def crowds(
        self, bits: Bits, sets: Codes, sizes: NDArray[np.int64], shared: Codes, n_shared: int
    ) -> tuple[Floats, Floats, Codes]:
        """Add up what the crowding of conjunctions is made of, as the kernel does; sizes are of all rows."""
        by_bit = np.zeros(64 * bits.shape[1], dtype=np.int64)
        by_bit[self.bits] = self.groups.codes
        sums: tuple[Floats, Floats, Codes] = crowds(
            bits, np.ascontiguousarray(sets), by_bit, sizes, shared, n_shared
        )
        return sums

    def crowding_of(self, masks: Iterable[NDArray[np.bool_]]) -> Floats:
        """Give the same of slices that are given by the rows in them."""
        codes, sizes = self.groups.codes, self.groups.sizes
        inside = np.array([np.bincount(codes[mask], minlength=sizes.size) for mask in masks])
        return self.crowding_by((inside**2).sum(axis=1), inside @ sizes, inside.sum(axis=1))

    def crowding_by(self, squares: NDArray[Any], products: NDArray[Any], n: NDArray[Any]) -> Floats:
        """Give the crowding of n rows by sums over clusters: of their rows squared, and times those in all."""
        rows, rho = len(self.groups), self.correlation
        whole = float(self.groups.sizes @ self.groups.sizes)
        with np.errstate(divide="ignore", invalid="ignore"):
            between = (squares - 2 * n / rows * products + (n / rows) ** 2 * whole) / (n * (1 - n / rows))
        return np.asarray(np.maximum(np.nan_to_num(1 + rho * (between - 1), nan=1.0), LEAST_CROWDING))

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
