r"""Significance: what counts say of a conjunction and its specialisations, how sure an effect is, and of how many.

A conjunction holds for :math:`o_g` of the :math:`N_g` rows of group g; its support there is
:math:`s_g = o_g / N_g`. A specialisation, having more terms, has counts :math:`0 \le o'_g \le o_g`.
The functions take an array with a row of counts for each conjunction.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from itertools import product
from math import log
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.special import betainccinv, betaincinv, chdtrc, chdtri, expit, gammaln, log_ndtr, ndtri, stdtrit

from fivefold.progress import track
from fivefold.results import say_p
from fivefold.slices._kernels import exact_p_values, fill_times_log

Counts = NDArray[np.int64]
Flags = NDArray[np.bool_]
Numbers = NDArray[np.float64]
# cases of slices, sums of their numbers, of the squares and of the cubes, and the same of all cases
Moments: TypeAlias = tuple[NDArray[Any], Numbers, Numbers, Numbers, tuple[int, float, float, float]]
CountReached: TypeAlias = Callable[[NDArray[np.intp], np.random.Generator, int], tuple[Counts, Numbers]]

# chi-square needs the one; permutations are exact for fewer, of which fewer still prove next to nothing
LEAST_EXPECTED, LEAST_PERMUTED = 5.0, 2.0
# 2^12 corners of the chi-square bound for each conjunction; beyond, the other rules do the pruning
MOST_GROUPS_FOR_BOUND = 12
# values of a sum are told apart up to so many; so many rounds find the tilt that makes a sum likely
MOST_VALUES, TILTING_ROUNDS, TILTED = 256, 60, 1e-6
# logarithms of larger numbers are taken when they are needed
LARGEST_TABLE = 1 << 22
# numbers whose variance is such a share of that of all are the same but for rounding
SAME = 1e-9
SMALLEST = float(np.finfo(np.float64).smallest_subnormal)
# such a share of the largest statistics tells how many tests they are worth
UPPER = 0.5
# what is proven to be more than nothing is more than such a share of what was seen
NEXT_TO_NOTHING = 1e-3


def support_difference(counts: Counts, sizes: Counts) -> NDArray[np.float64]:
    """Give the largest difference between the supports of two groups."""
    supports = counts / sizes
    return np.asarray(supports.max(axis=1) - supports.min(axis=1))


def too_rare(counts: Counts, sizes: Counts, difference: float) -> Flags:
    """Rule a: no group has the support that a large difference needs, and no specialisation will."""
    return np.asarray((counts / sizes).max(axis=1) < difference)


def untestable(inside: Counts, sizes: Counts, least: float = LEAST_EXPECTED) -> Flags:
    """Rule b: some expected count is below the least, and will be in every specialisation."""
    return np.asarray(inside * (sizes.min() / sizes.sum()) < least)


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
    widening : ndarray, optional
        How many cases are worth one independent case.

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
    worth = 1.0 if widening is None else widening
    inside_low, inside_high = _exact_limits(agree / worth, n / worth, level)
    outside_low, outside_high = _exact_limits(rest_agree / worth, rest / worth, level)
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


def beside_the_average(difference: Numbers, low: Numbers, high: Numbers) -> tuple[Numbers, Numbers]:
    """Leave the average out of intervals of what is proven to differ from it: no more may be known than that."""
    least, above = difference * NEXT_TO_NOTHING, difference > 0
    return np.where(above, np.maximum(low, least), low), np.where(above, high, np.minimum(high, least))


def shrink(difference: Numbers, spread: Numbers, z: Numbers, level: Numbers) -> Numbers:
    r"""Give the sizes to expect on new cases, where only differences that pass a test are reported.

    A difference d with standard deviation s, reported if it reaches c, is estimated by the :math:`\delta` for
    which half of what is reported lies beyond what was seen,

    .. math:: P(D \ge d \mid D \ge c; \delta) = 1/2, \qquad D \sim N(\delta, s^2),

    and so as often too large as too small.

    Parameters
    ----------
    difference : ndarray
        What was seen.
    spread : ndarray
        Its standard deviation s.
    z : ndarray
        What was tested, on the scale of the normal law.
    level : ndarray
        The level of the test.

    Examples
    --------
    >>> seen, spread = np.array([0.4, 0.5, 0.8]), np.full(3, 0.1)
    >>> shrink(seen, spread, np.array([4.0, 5.0, 8.0]), np.full(3, 1e-4)).round(2)
    array([0.01, 0.48, 0.8 ])
    """
    critical, seen = -ndtri(level / 2), np.abs(difference)
    spread = np.maximum(spread, np.maximum(SAME * seen, SMALLEST))
    least = seen * np.minimum(critical / z, 1.0)
    low, high = np.clip(seen - critical * spread, 0.0, seen), seen
    for _ in range(40):
        middle = (low + high) / 2
        below = log_ndtr((middle - seen) / spread) - log_ndtr((middle - least) / spread) < -log(2)
        low, high = np.where(below, middle, low), np.where(below, high, middle)
    return np.asarray(np.copysign(np.where(high > SAME * seen, high, 0.0), difference))


def dealt_p_values(values: Numbers, n: NDArray[np.int64], totals: Numbers) -> Numbers:
    r"""Test sums of n of N values against what dealing gives: twice the tail beyond each sum.

    Of two values the hypergeometric law is exact. Of more, cases are taken into a sum independently, with chances
    :math:`\pi_i = 1 / (1 + e^{-u - \theta x_i})` that make n and the sum w what is expected. Then

    .. math:: P(W \ge w) = \binom{N}{n}^{-1} e^{K - un - \theta w} \, E[e^{-\theta (W - w)}; W \ge w, n], \qquad
              K = \sum_i \log(1 + e^{u + \theta x_i})

    without any approximation. The last factor is at most 1, and is taken from the normal law for the number of
    cases and, given that, for sums on a lattice as wide as the widest gap between values, which is not less than
    for finer ones. So tails are right where ties, a skew or few cases make the normal law promise too much.

    Parameters
    ----------
    values : ndarray
        All numbers, whose mean is 0; best ranks, for values closer than 1/256 of their range are taken together.
    n, totals : ndarray
        How many of them are in each sum, and the sum.

    References
    ----------
    J. Robinson, "Saddlepoint approximations for permutation tests and confidence intervals", 1982.

    Examples
    --------
    >>> ranks = np.repeat([-1.0, 4.0, 8.0], [80, 12, 4])
    >>> dealt_p_values(ranks, np.array([10, 10]), np.array([15.0, 25.0])).round(4)
    array([0.1171, 0.0066])
    """
    different, number = np.unique(values, return_counts=True)
    if different.size == 2:
        high = np.rint((totals - n * different[0]) / (different[1] - different[0])).astype(np.int64)
        return np.minimum(exact_p_values(np.column_stack([n - high, high]), number.astype(np.int64)), 1.0)
    gap = float(np.diff(different).max())
    bins = ((different - different[0]) * (MOST_VALUES / np.ptp(different))).astype(np.int64)
    if different.size > MOST_VALUES:
        weights = np.bincount(bins, number)
        different = (np.bincount(bins, number * different) / np.maximum(weights, 1))[weights > 0]
        number = weights[weights > 0]
    scale = float(np.sqrt((number * different**2).sum() / number.sum()))
    groups, blocks = (different / scale, number), range(0, n.size, 1000)
    tails = [
        _tilted_tails(*groups, n[i : i + 1000], totals[i : i + 1000] / scale, gap / scale) for i in blocks
    ]
    return np.minimum(2.0 * np.concatenate([np.zeros(0), *tails]), 1.0)


def _tilted_tails(x: Numbers, number: NDArray[Any], n: NDArray[Any], w: Numbers, gap: float) -> Numbers:
    """Give the tails of sums w of n of the values x, of which there are so many each, a gap apart at most."""
    total = number.sum()
    u, theta = np.log(n / (total - n)), w / (n * (1 - n / total))
    for _ in range(TILTING_ROUNDS):
        chance = expit(u[:, None] + theta[:, None] * x)
        varies = chance * (1 - chance) * number
        missing, short = n - chance @ number, w - (chance * number) @ x
        a, b, c = varies.sum(axis=1), varies @ x, varies @ x**2
        determinant = np.maximum(a * c - b * b, 1e-300)
        step_u, step = (c * missing - b * short) / determinant, (a * short - b * missing) / determinant
        furthest = np.maximum(np.abs(step_u + step * x[0]), np.abs(step_u + step * x[-1]))
        if furthest.max() < TILTED:
            break
        part = 1.0 / np.maximum(furthest, 1.0)
        u, theta = u + part * step_u, theta + part * step
    tilt = u[:, None] + theta[:, None] * x
    log_tail = np.logaddexp(0.0, tilt) @ number - u * n - theta * w
    log_tail += gammaln(n + 1) + gammaln(total - n + 1) - gammaln(total + 1)
    with np.errstate(divide="ignore", invalid="ignore"):
        spread = np.sqrt(np.maximum(c - b * b / a, 0.0))
        atom, steep = gap / (np.sqrt(2 * np.pi) * spread), np.abs(theta) * spread
        # two bounds of the sum of the atoms beyond w, which fall like a geometric series and like the normal law
        beyond = np.minimum(
            atom / -np.expm1(-np.abs(theta) * gap), atom + np.exp(steep**2 / 2 + log_ndtr(-steep))
        )
        factor = np.minimum(1 / np.sqrt(2 * np.pi * a), 1.0) * np.minimum(np.nan_to_num(beyond, nan=1.0), 1.0)
    # what was not reached in so many rounds is a bound still
    return np.asarray(np.exp(np.minimum(log_tail + np.log(np.where(furthest < TILTED, factor, 1.0)), 0.0)))


def mean_interval(
    moments: Moments, level: NDArray[Any], widening: NDArray[Any] | None = None
) -> tuple[Numbers, Numbers]:
    r"""Bound the difference between the mean of a slice and the mean of all cases.

    A limit of a mean is where it lies t standard errors from what was seen, with Student's t, for a few cases tell
    their variance badly, and with the variance that numbers of that mean would have: by the third moment, which is
    the slope of the variance in an exponential family,

    .. math:: (\bar x - \mu)^2 = t^2 v(\mu) / n, \qquad v(\mu) = s^2 + \gamma s (\mu - \bar x).

    So a slice whose mean is larger, and whose spread is therefore, is told apart where the test does. For 0 and 1
    that is nearly Wilson's interval. A few cases seldom show how skewed numbers are: of the skewness
    :math:`\gamma` of the slice and that of all cases, each limit takes the one that puts it farther. Slice and
    rest are combined as in `share_interval`.

    Parameters
    ----------
    moments : tuple
        Cases in each slice, the sums of their numbers, of the squares and of the cubes; and these of all cases.
    level : ndarray
        One less the confidence of each interval.
    widening : ndarray, optional
        How many cases are worth one independent case.

    Examples
    --------
    >>> ones = np.array([30.0])
    >>> moments = np.array([100]), ones, ones, ones, (1000, 100.0, 100.0, 100.0)
    >>> low, high = mean_interval(moments, np.array([0.05]))
    >>> low.round(3), high.round(3)
    (array([0.122]), array([0.308]))
    """
    *inside, total = moments
    rest = [whole - some for whole, some in zip(total, inside, strict=True)]
    worth = 1.0 if widening is None else widening
    (down, up), (rest_down, rest_up) = (
        _reach(stdtrit(np.maximum(some[0] - 1.0, 1.0), level / 2) ** 2 * worth / some[0], total, some)
        for some in (inside, rest)
    )
    apart, share = inside[1] / inside[0] - rest[1] / rest[0], rest[0] / total[0]
    return share * (apart - np.hypot(down, rest_up)), share * (apart + np.hypot(up, rest_down))


def _reach(unit: Numbers, whole: tuple[Any, ...], some: list[Any]) -> tuple[Numbers, Numbers]:
    """Give how far below and above a mean its limits lie; numbers that are all the same may vary like all.

    unit: The square of the reach in standard deviations, but for the skew.
    """
    (variance, third), (all_variance, all_third) = _central_moments(*some), _central_moments(*whole)
    skew = all_third / all_variance**1.5
    same = variance <= SAME * all_variance
    variance = np.where(same, all_variance, variance)
    own = np.where(same, -skew, third / variance**1.5)
    slopes = [np.sqrt(variance) * bend(own, skew) * unit / 2 for bend in (np.minimum, np.maximum)]
    down, up = (np.sqrt(slope**2 + variance * unit) for slope in slopes)
    return down - slopes[0], up + slopes[1]


def standard_errors(
    moments: Moments, widening: NDArray[Any] | None = None, skewed: bool = True
) -> tuple[Numbers, Numbers, Numbers]:
    """Give the standard error of what `mean_interval` bounds: were it nothing, and were it half of what was seen.

    It counts the variance that the slice's own numbers would have around such a mean, by their own skew. That is
    less than was seen only as far as the rest is skewed so too (the skew of few cases is mostly chance), and falls
    as where numbers are multiplied. Ranks are not `skewed`. The third array has its degrees of freedom.
    """
    *some, total = moments
    rest = [whole - part for whole, part in zip(total, some, strict=True)]
    (variance, third), (rest_variance, rest_third) = _central_moments(*some), _central_moments(*rest)
    all_variance, _ = _central_moments(*total)
    same = variance <= SAME * all_variance
    variance = np.where(same, all_variance, variance)
    apart = some[1] / some[0] - total[1] / total[0]
    own = np.where(same, 0.0, third / variance**1.5) * np.sign(apart)
    beside = rest_third * np.sign(apart) / np.maximum(rest_variance, SAME * all_variance) ** 1.5
    fall = skewed * np.minimum(own, np.maximum(beside, 0.0)) * np.abs(apart) / np.sqrt(variance)
    share, worth = rest[0] / total[0], 1.0 if widening is None else widening
    inside, outside = worth * variance / some[0], worth * rest_variance / rest[0]
    left = [np.clip(1 - part * fall, 0, 1) ** 2 - 2 * part * np.minimum(fall, 0) for part in (0.5, 0.25)]
    nothing, half = (share * np.sqrt(part * inside + outside) for part in left)
    return nothing, half, np.where(same, total[0], some[0]) - 1.0


def deviations_of(numbers: Numbers) -> Numbers:
    """Give the deviations from the mean, on a grid."""
    return on_grid(numbers - numbers.mean())


def on_grid(numbers: Numbers) -> Numbers:
    r"""Round numbers so little that sums are no less precise, but exact: the same in any order.

    With :math:`\sum_i |x_i| < 2^e` they become multiples of :math:`2^{e - 52}`. So is every sum of some, and
    such multiples below :math:`2^{e + 1}` have at most 53 bits.
    """
    exponent = np.frexp(np.abs(numbers).sum())[1]
    step = max(float(np.ldexp(1.0, exponent - 52)), SMALLEST)
    return np.asarray(np.rint(numbers / step) * step)


def least_effect(deviations: Numbers, share: float) -> float:
    r"""Give the least effect that matters: a share of :math:`\frac12 \sum_i |x_i - \bar x|`.

    For numbers 0 and 1 this is the support difference: half the sum is AN/T.
    """
    return share * 0.5 * float(np.abs(deviations).sum())


def _central_moments(n: Any, sums: Any, squares: Any, cubes: Any) -> tuple[Numbers, Numbers]:
    mean = sums / n
    variance = np.maximum(squares - sums * mean, 0.0) / np.maximum(n - 1, 1)
    return variance, (cubes - 3 * mean * squares) / n + 2 * mean**3


@dataclass(frozen=True)
class Correction:
    """How many tests were made, and what was done about it.

    Parameters
    ----------
    correction : str
        ``"layered"``, ``"westfall-young"`` or ``"holm"``.
    alpha : float
        The chance of any false finding that was allowed.
    n_tests : tuple of int
        Conjunctions of each length that the correction accounts for.
    alphas : tuple of float
        The level of one test at each length.
    n_permutations : int
        So many were made; 0 where there were none. Where nothing is found these may be fewer than were asked for:
        no more are made once no further ones can change that.
    """

    correction: str
    alpha: float
    n_tests: tuple[int, ...]
    alphas: tuple[float, ...]
    n_permutations: int = 0

    @property
    def total(self) -> int:
        """The number of tests."""
        return sum(self.n_tests)

    def say_p(self, adjusted: float) -> str:
        """Write an adjusted p-value; permutations that never reach what was seen leave a bound."""
        least = 1 / (self.n_permutations + 1)
        return f"p <= {least:.2g}" if self.n_permutations and adjusted <= least else say_p(adjusted)

    def z(self, statistic: Numbers, adjusted: Numbers, level: Numbers) -> Numbers:
        """Give what was tested on the scale of the normal law: by its p-value, unless permutations judged it."""
        if self.correction == "westfall-young":
            return statistic
        return np.asarray(-ndtri(np.maximum(adjusted * level / self.alpha, 1e-300) / 2))

    def __str__(self) -> str:
        if not self.total:
            return "No test was made"
        how = f" over {self.n_permutations:,} permutations" if self.n_permutations else ""
        many = "1 test was" if self.total == 1 else f"{self.total:,} tests were"
        return (
            f"{many} made and corrected for together ({self.correction}{how}): in data without "
            f"any pattern the chance of even one slice is at most {100 * self.alpha:.3g}%"
        )


@dataclass(frozen=True, eq=False)
class Permuted:
    """What the permutations say.

    adjusted (f,): The adjusted p-value of each conjunction; 1 for those too small to be reported.
    maxima (n,): The largest statistic of each permutation that was made, however small the conjunction.
    """

    adjusted: NDArray[np.float64]
    maxima: NDArray[np.float64]

    def critical(self, alpha: float) -> NDArray[np.float64]:
        """Give the value that the largest statistic passes in a share alpha of the permutations at most."""
        return np.asarray(np.quantile(self.maxima, 1.0 - alpha, method="higher"))

    def critical_chi2(self, alpha: float, df: int) -> NDArray[np.float64]:
        """Give the same of statistics on the scale of chi-square, whatever the order of the rows was.

        So far out the largest is that of so many independent ones. How many is told by the upper ones together,
        where the one at alpha depends on which permutations were drawn, and so does all that is made of it.
        """
        tails = np.sort(tail(self.maxima, df))
        n_upper = int(np.ceil(max(UPPER, alpha) * tails.size))
        upper = tails[:n_upper].sum() + (tails.size - n_upper) * tails[n_upper - 1]
        return np.asarray(chdtri(df, min(-np.log1p(-alpha) * upper / n_upper, 1.0)))


def times_log(largest: int, whole: bool = False) -> NDArray[np.float64]:
    """Give a table of x log x, up to the largest number or as far as tables go, unless the whole is asked for."""
    end = min(largest + 1, LARGEST_TABLE)
    numbers = np.arange(largest + 1 if whole else end, dtype=np.float64)
    numbers[1:end] *= np.log(numbers[1:end])
    fill_times_log(numbers, end)
    return numbers


def step_down(
    observed: NDArray[np.float64],
    count_reached: CountReached,
    draws_at_once: int,
    n_permutations: int,
    alpha: float,
    threads: int,
    rng: np.random.Generator,
) -> Permuted:
    r"""Adjust statistics for each other by what permutations reach.

    With the statistics in ascending order :math:`t_{(1)} \le … \le t_{(f)}`,

    .. math:: p_{(i)} = \frac{1 + \#\{b : \max_{j \le i} T^b_{(j)} \ge t_{(i)}\}}{B + 1},

    made monotone from the largest statistic down. A statistic of 0 stands for "not to be reported".

    Once so many permutations have reached the largest statistic that its p-value will be above alpha whatever the
    others give, nothing can be found, and no more are made (curtailed sampling, which errs never). B is then the
    number of those that were made.

    observed (f,): The statistics.
    count_reached: Takes the order of the statistics, a generator and a number of permutations; gives, in that
        order, how many permutations reach each statistic, and the maximum of each permutation.
    draws_at_once: Permutations in one call.
    n_permutations, alpha: So many at most, and the level.
    threads: Calls at the same time.
    rng: Spawns one generator for each call, so that threads change nothing.
    """
    order = np.argsort(observed, kind="stable")
    draws = [min(draws_at_once, n_permutations - done) for done in range(0, n_permutations, draws_at_once)]
    reached, maxima = np.zeros(observed.size, dtype=np.int64), np.zeros(0)
    with ThreadPoolExecutor(threads) as pool:
        # a thread of its own would begin with the next ones before these are looked at
        start: Any = map if threads == 1 else pool.map
        counted = start(partial(count_reached, order), rng.spawn(len(draws)), draws)
        for more, largest in track(counted, "block of permutations", len(draws)):
            reached, maxima = reached + more, np.concatenate([maxima, largest])
            if nothing_left(observed[order], reached, n_permutations, alpha):
                pool.shutdown(cancel_futures=True)
                break
    p_values = np.where(observed[order] > 0.0, (1 + reached) / (maxima.size + 1), 1.0)
    adjusted = np.empty(observed.size)
    adjusted[order] = np.maximum.accumulate(p_values[::-1])[::-1]
    return Permuted(adjusted, maxima)


def nothing_left(observed: Numbers, reached: Counts, n_permutations: int, alpha: float) -> bool:
    """Say whether even the largest statistic, the last one, was reached too often for any to be a finding."""
    reportable = observed[-1:] > 0.0
    return not np.any(reportable & ((1 + reached[-1:]) / (n_permutations + 1) <= alpha))
