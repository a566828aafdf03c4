r"""What may be said of a conjunction from its counts alone, and what of all its specialisations.

A conjunction holds for :math:`o_g` of the :math:`N_g` cases of group g; its support there is
:math:`s_g = o_g / N_g`. A specialisation, having more terms, has counts :math:`0 \le o'_g \le o_g`.
Each function takes an array with a row of counts for each conjunction.
"""

from __future__ import annotations

from itertools import product

import numpy as np
from numpy.typing import NDArray
from scipy.special import chdtrc

Counts = NDArray[np.int64]
Flags = NDArray[np.bool_]

LEAST_EXPECTED = 5.0
# 2^12 corners of the chi-square bound for each conjunction; beyond, the other rules do the pruning
MOST_GROUPS_FOR_BOUND = 12


def support_difference(counts: Counts, sizes: Counts) -> NDArray[np.float64]:
    """Give the largest difference between the supports of two groups."""
    supports = counts / sizes
    return np.asarray(supports.max(axis=1) - supports.min(axis=1))


def too_rare(counts: Counts, sizes: Counts, difference: float) -> Flags:
    """Rule a: no group has the support that a large difference needs, and no specialisation will."""
    return np.asarray((counts / sizes).max(axis=1) < difference)


def untestable(inside: Counts, sizes: Counts) -> Flags:
    """Rule b: some expected count is below 5, and will be in every specialisation."""
    return np.asarray(inside * (sizes.min() / sizes.sum()) < LEAST_EXPECTED)


def pearson(counts: Counts, sizes: Counts) -> NDArray[np.float64]:
    r"""Give Pearson's :math:`\chi^2` of the 2 x G tables, without Yates's correction; 0 where a row is empty."""
    total = sizes.sum()
    expected = counts.sum(axis=1, keepdims=True) * (sizes / total)
    outside = sizes - expected
    squared = (counts - expected) ** 2
    with np.errstate(divide="ignore", invalid="ignore"):
        value = (squared / expected + squared / outside).sum(axis=1)
    inside = counts.sum(axis=1)
    return np.where((inside == 0) | (inside == total), 0.0, value)


def pearson_bound(counts: Counts, sizes: Counts) -> NDArray[np.float64]:
    r"""Bound :math:`\chi^2` over all specialisations.

    :math:`\chi^2` is a sum of terms (O - E)²/E with O and E linear in the counts, so it is convex, and its
    maximum over the box :math:`0 \le o'_g \le o_g` is at one of the corners.
    """
    if sizes.size > MOST_GROUPS_FOR_BOUND:
        return np.full(counts.shape[0], np.inf)
    bound = np.zeros(counts.shape[0])
    for corner in product((0, 1), repeat=sizes.size):
        np.maximum(bound, pearson(counts * np.array(corner), sizes), out=bound)
    return bound


def never_significant(counts: Counts, sizes: Counts, alpha: float) -> Flags:
    """Rule c: not even the bound on the chi-square statistic reaches the level."""
    return np.asarray(tail(pearson_bound(counts, sizes), sizes.size - 1) > alpha)


def identical(inside: Counts, least_part: Counts) -> Flags:
    """Rule d: the conjunction holds for the very cases of one of its parts, and so says nothing new."""
    return np.asarray(inside == least_part)


def fixed_relation(counts: Counts) -> Flags:
    """Rule e: only one group has cases; specialisations only shrink the same one-sided set."""
    return np.asarray((counts > 0).sum(axis=1) <= 1)


def tail(statistic: NDArray[np.float64], df: int) -> NDArray[np.float64]:
    """Give the upper tail of the chi-square distribution."""
    return np.asarray(chdtrc(df, statistic))


def never_large(inside: Counts, sizes: Counts, difference: float) -> Flags:
    """Say, without a look at the groups: even with all its cases in the smallest group it is not large."""
    return np.asarray(inside / sizes.min() < difference)
