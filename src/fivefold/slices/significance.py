r"""Significance: what counts say of a conjunction and of all its specialisations, and how sure an effect is.

A conjunction holds for :math:`o_g` of the :math:`N_g` rows of group g; its support there is
:math:`s_g = o_g / N_g`. A specialisation, having more terms, has counts :math:`0 \le o'_g \le o_g`.
The functions take an array with a row of counts for each conjunction.
"""

from __future__ import annotations

from itertools import product
from math import log
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import betainccinv, betaincinv, chdtrc, log_ndtr, ndtri

from fivefold.formulas import holm
from fivefold.slices._kernels import exact_p_values

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


Numbers = NDArray[np.float64]


def tested_by_holm(
    counts: NDArray[np.int64], sizes: NDArray[np.int64]
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Test given conjunctions: Pearson's statistic, its tail, and the guarded p-value after Holm's correction."""
    statistic = pearson(counts, sizes)
    p_value = tail(statistic, sizes.size - 1)
    return statistic, p_value, holm(np.maximum(p_value, exact_p_values(counts, sizes)))


def share_interval(
    n: NDArray[Any],
    agree: NDArray[Any],
    total: int,
    total_agree: int,
    level: NDArray[Any],
    widening: NDArray[Any] | None = None,
) -> tuple[Numbers, Numbers]:
    r"""Bound the difference between the share of agreement in a slice and in all cases.

    With :math:`p_S` and :math:`p_R` the shares in the slice and in the rest, the difference is
    :math:`(1 - n/T)(p_S - p_R)`. The exact limits :math:`[l, u]` of Clopper and Pearson for each share are
    combined as Newcombe does:

    .. math:: p_S - p_R - \sqrt{(p_S - l_S)^2 + (u_R - p_R)^2}, \quad
              p_S - p_R + \sqrt{(u_S - p_S)^2 + (p_R - l_R)^2}.

    Parameters
    ----------
    n, agree : ndarray
        Cases in each slice, and how many of them agree.
    total, total_agree : int
        The same for all cases.
    level : ndarray
        One less the confidence of each interval.
    widening : ndarray of shape (m, 2), optional
        How many cases inside and outside are worth one independent case each.

    References
    ----------
    R. G. Newcombe, "Interval estimation for the difference between independent proportions", 1998.

    Examples
    --------
    >>> low, high = share_interval(np.array([100]), np.array([60]), 1000, 800, np.array([0.05]))
    >>> low.round(3), high.round(3)
    (array([-0.295]), array([-0.11]))
    """
    rest, rest_agree = total - n, total_agree - agree
    with np.errstate(invalid="ignore", divide="ignore"):
        inside, outside = agree / n, np.where(rest > 0, rest_agree / rest, 0.0)
    within, without = (1.0, 1.0) if widening is None else widening.T
    inside_low, inside_high = _exact_limits(agree / within, n / within, level)
    outside_low, outside_high = _exact_limits(rest_agree / without, rest / without, level)
    share = rest / total
    apart = inside - outside
    low = apart - np.hypot(inside - inside_low, outside_high - outside)
    high = apart + np.hypot(inside_high - inside, outside - outside_low)
    return share * np.maximum(low, -1.0), share * np.minimum(high, 1.0)


def _exact_limits(hits: NDArray[Any], n: NDArray[Any], level: NDArray[Any]) -> tuple[Numbers, Numbers]:
    hits, n = np.asarray(hits, dtype=np.float64), np.asarray(n, dtype=np.float64)
    low = betaincinv(np.maximum(hits, 0.5), n - hits + 1, level / 2)
    high = betainccinv(hits + 1, np.maximum(n - hits, 0.5), level / 2)
    return np.where(hits > 0, low, 0.0), np.where(hits < n, high, 1.0)


def shrink(difference: Numbers, interval: tuple[Numbers, Numbers], z: Numbers, level: Numbers) -> Numbers:
    r"""Give the sizes to expect on new cases, where only differences that pass a test are reported.

    A difference d with standard deviation s, reported if it reaches c, is estimated by the :math:`\delta` for
    which half of what is reported lies beyond what was seen,

    .. math:: P(D \ge d \mid D \ge c; \delta) = 1/2, \qquad D \sim N(\delta, s^2),

    and so as often too large as too small.

    Parameters
    ----------
    difference : ndarray
        What was seen.
    interval : tuple of ndarray
        Its limits, of which the one nearer to zero tells s.
    z : ndarray
        What was tested, on the scale of the normal law.
    level : ndarray
        The level of the test, and one less the confidence of the interval.

    Examples
    --------
    >>> seen, limits = np.array([0.4, 0.5, 0.8]), (np.array([0.0, 0.1, 0.4]), np.ones(3))
    >>> shrink(seen, limits, np.array([4.0, 5.0, 8.0]), np.full(3, 1e-4)).round(2)
    array([0.  , 0.47, 0.8 ])
    """
    critical, seen = -ndtri(level / 2), np.abs(difference)
    near = np.where(difference < 0, -interval[1], interval[0])
    spread = np.maximum((seen - near) / critical, 1e-12)
    least = seen * np.minimum(critical / z, 1.0)
    low, high = np.clip(near, 0.0, seen), seen
    for _ in range(40):
        middle = (low + high) / 2
        below = log_ndtr((middle - seen) / spread) - log_ndtr((middle - least) / spread) < -log(2)
        low, high = np.where(below, middle, low), np.where(below, high, middle)
    return np.asarray(np.copysign(high, difference))


def mean_interval(
    n: NDArray[Any],
    sums: Numbers,
    squares: Numbers,
    total: tuple[int, float, float],
    level: NDArray[Any],
    widening: NDArray[Any] | None = None,
) -> tuple[Numbers, Numbers]:
    r"""Bound the difference between the mean of a slice and the mean of all cases, by the normal law.

    With means and variances of the slice S and the rest R,

    .. math:: (1 - n/T) \left(\bar x_S - \bar x_R \pm z \sqrt{v_S / n + v_R / (T - n)}\right).

    Parameters
    ----------
    n, sums, squares : ndarray
        Cases in each slice, the sum of their numbers and of their squares.
    total : tuple
        The same for all cases.
    level : ndarray
        One less the confidence of each interval.
    widening : ndarray of shape (m, 2), optional
        How many cases inside and outside are worth one independent case each.
    """
    rest, rest_sums, rest_squares = total[0] - n, total[1] - sums, total[2] - squares
    within, without = (1.0, 1.0) if widening is None else widening.T
    inside, outside = _variance(n, sums, squares), _variance(rest, rest_sums, rest_squares)
    spread = inside * within / n + outside * without / rest
    apart = sums / n - rest_sums / rest
    reach = -ndtri(np.asarray(level) / 2) * np.sqrt(spread)
    return (rest / total[0]) * (apart - reach), (rest / total[0]) * (apart + reach)


def _variance(n: NDArray[Any], sums: Numbers, squares: Numbers) -> Numbers:
    return np.asarray(np.maximum(squares - sums**2 / n, 0.0) / np.maximum(n - 1, 1))
