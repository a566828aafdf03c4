"""Formulas that several layers share: code lengths, p-values of several tests, means of bounded numbers."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import bdtr, bdtrik, betaincinv, gammaln, ndtr, ndtri, stdtrit

from fivefold.errors import InputError, show
from fivefold.inputs._kernels import pool
from fivefold.inputs.groups import Groups, crowd_at_worst, intraclass_correlation

_LG_NORMALISER = math.log2(2.865064)
_MOST_POINTS = 4096
# draws of many normal numbers together, by which several tests are judged at once
_DRAWS = 20_000
# what differs by less than rounding does not differ
_ROUNDING = 1e-12

Floats = NDArray[np.float64]


def universal_integer_length(k: int) -> float:
    r"""Give the length of Rissanen's universal code for a whole number of unknown size.

    .. math:: L^*(k) = \lg 2.865064 + \lg k + \lg \lg k + \dots, \qquad k \ge 1

    with the positive terms only. The constant makes :math:`\sum_k 2^{-L^*(k)} = 1` (J. Rissanen, "A universal
    prior for integers and estimation by minimum description length", Annals of Statistics 11, 1983).
    """
    if k < 1:
        raise InputError("a whole number of 1 or more", show(k))
    bits = _LG_NORMALISER
    term = math.log2(k)
    while term > 0:
        bits += term
        term = math.log2(term)
    return bits


def log2_factorial(n: float) -> float:
    r"""Give :math:`\lg n!`, the bits in the order of n different things."""
    return float(gammaln(n + 1.0)) / math.log(2.0)


def log2_binomial(n: float, k: float) -> float:
    r"""Give :math:`\lg \binom n k`, the bits in a choice of k things out of n."""
    return log2_factorial(n) - log2_factorial(k) - log2_factorial(n - k)


def log2_arrangements(counts: Iterable[int]) -> float:
    r"""Give :math:`\lg [ (\sum_i c_i)! / \prod_i c_i! ]`, the bits in the order of things of several sorts."""
    counts = list(counts)
    return log2_factorial(sum(counts)) - sum(log2_factorial(count) for count in counts)


def log2_proper_halvings(v: int) -> float:
    r"""Give :math:`\lg (2^{v-1} - 1)`, the bits in a choice among the ways to part v values in two groups."""
    if v < 2:
        raise InputError("at least two values to part", show(v))
    return v - 1 + math.log2(-math.expm1(-(v - 1) * math.log(2.0)))


class AdaptiveCoder:
    r"""Price symbols one after another, each by how often it came before.

    With :math:`c_s` the times that symbol s was sent so far,

    .. math:: A(s) = -\lg \frac{c_s + 1}{\sum_{a \in \text{allowed}} (c_a + 1)}

    and then :math:`c_s` grows by one. Symbols that the receiver knows to be impossible are left out of
    `allowed`. If all k symbols are always allowed, N of them cost
    :math:`\lg [ (N+k-1)! / ((k-1)! \prod_s c_s!) ]` together, in any order.

    Examples
    --------
    >>> coder = AdaptiveCoder(2)
    >>> [round(coder.cost(symbol), 3) for symbol in (0, 1, 1)]
    [1.0, 1.585, 1.0]
    """

    def __init__(self, size: int) -> None:
        self._weights = np.ones(size, dtype=np.int64)
        self._total = size

    def weight(self, symbol: int) -> int:
        """Give one more than the times that a symbol was sent so far."""
        return int(self._weights[symbol])

    def cost(self, symbol: int, allowed: NDArray[np.bool_] | None = None) -> float:
        """Give the bits that a symbol costs now, among those that are allowed here, and count it."""
        if allowed is not None and not allowed[symbol]:
            raise InputError("a symbol that is allowed here", show(symbol))
        total = self._total if allowed is None else int(self._weights[allowed].sum())
        bits = math.log2(total / int(self._weights[symbol]))
        self._weights[symbol] += 1
        self._total += 1
        return bits


def holm(p_values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Adjust p-values by Holm's method; NaN stays NaN and does not count.

    Rejecting those below alpha errs in the whole family with probability alpha at most (S. Holm, "A simple
    sequentially rejective multiple test procedure", 1979).

    Examples
    --------
    >>> holm(np.array([0.01, 0.04, 0.03]))
    array([0.03, 0.06, 0.06])
    """
    adjusted = p_values.copy()
    valid = np.flatnonzero(~np.isnan(p_values))
    order = valid[np.argsort(p_values[valid])]
    factors = np.arange(order.size, 0, -1)
    adjusted[order] = np.minimum(1.0, np.maximum.accumulate(p_values[order] * factors))
    return adjusted


def sign_test(gained: int, lost: int) -> float:
    """Give the two-sided exact p-value of so many gained against so many lost, if both were as likely.

    Examples
    --------
    >>> sign_test(5, 0), sign_test(3, 3)
    (0.0625, 1.0)
    """
    return min(1.0, 2 * float(bdtr(min(gained, lost), gained + lost, 0.5)))


def binomial_limits(hits: float, n: float, confidence: float = 0.95) -> tuple[float, float]:
    """Give Clopper and Pearson's exact interval of a share; the counts need not be whole.

    Examples
    --------
    >>> [round(end, 3) for end in binomial_limits(0, 60)]   # the upper end is 1 - 0.025 ** (1 / 60)
    [0.0, 0.06]
    """
    low, high = share_limits(hits, n, confidence)
    return float(low), float(high)


def binomial_quantile(level: float, n: Any, p: Any) -> Floats:
    """Give the least number of hits that as large a share of binomial draws does not exceed.

    `scipy.stats` has it too, but takes longer to import than all else that the scores need.

    Examples
    --------
    >>> binomial_quantile(0.975, 10, [0.0, 0.5, 1.0])
    array([ 0.,  8., 10.])
    """
    n, p = np.broadcast_arrays(np.asarray(n, dtype=np.float64), np.asarray(p, dtype=np.float64))
    with np.errstate(invalid="ignore"):
        least = np.nan_to_num(np.ceil(bdtrik(level, n, np.clip(p, 1e-300, 1 - 1e-16))))
    fewer = np.maximum(least - 1, 0)
    return np.asarray(np.where(bdtr(fewer, n.astype(np.int64), p) >= level, fewer, least))


def share_limits(hits: Any, n: Any, confidence: float = 0.95) -> tuple[Floats, Floats]:
    """Give the ends of `binomial_limits` for many counts at once; 0 and 1 where there are no cases."""
    hits, n = np.broadcast_arrays(np.asarray(hits, dtype=float), np.asarray(n, dtype=float))
    tail = (1 - confidence) / 2
    some, spare = hits > 0, hits < n
    low = np.where(some, betaincinv(np.where(some, hits, 1), n - np.where(some, hits, 0) + 1, tail), 0.0)
    high = np.where(spare, betaincinv(hits + 1, np.where(spare, n - hits, 1), 1 - tail), 1.0)
    return low, high


def joint_level(correlation: Floats, alpha: float = 0.05) -> float:
    r"""Give the level of each of several tests at which all together err with probability alpha.

    With :math:`Z` normal of the given correlations and :math:`q` the :math:`1 - \alpha` quantile of
    :math:`\max_k |Z_k|`, it is :math:`2 \Phi(-q)`: :math:`\alpha` for tests that are all the same, hardly more
    than :math:`\alpha / K` for K tests that have nothing in common (T. Hothorn, F. Bretz and P. Westfall,
    "Simultaneous inference in general parametric models", 2008).

    Examples
    --------
    >>> joint_level(np.eye(1)), round(joint_level(np.eye(10)), 3), round(joint_level(np.ones((10, 10))), 2)
    (0.05, 0.005, 0.05)
    """
    size = len(correlation)
    if size < 2:
        return alpha
    values, vectors = np.linalg.eigh(correlation)
    roots = vectors * np.sqrt(np.maximum(values, 0.0))
    # the same draws each time: a comparison must not change from call to call
    normal = np.random.default_rng(0).standard_normal((_DRAWS, size))
    largest = np.abs(normal @ roots.T).max(axis=1)
    return float(np.clip(2 * ndtr(-np.quantile(largest, 1 - alpha)), alpha / size, alpha))


def worth(outcomes: NDArray[Any], groups: Groups, confidence: float = 0.95) -> float:
    r"""Give how many independent cases tell as much about a share as these, of which some belong together.

    Groups are independent, so the variance of the share p is that of sums over groups, or what follows from the
    intra-class correlation and the sizes, if that is more; that of n independent cases is p (1 - p) / n. For few
    groups, or few that count, n shrinks as Student's quantiles exceed the normal ones (Korn and Graubard). Where
    all cases come out alike, nothing is known of how much groups agree, and each counts as one case.

    Examples
    --------
    >>> from fivefold.inputs.groups import read_groups
    >>> groups = read_groups(np.repeat(np.arange(100), 10), 1000)
    >>> round(worth(np.repeat(np.arange(100) < 20, 10), groups))   # all cases of a group come out alike
    96
    """
    numbers, n, tail = np.asarray(outcomes, dtype=np.float64), len(groups), 0.5 + confidence / 2
    if groups.n_groups == 1:
        return 1.0
    share = float(numbers.mean())
    if 0.0 < share < 1.0:
        return max(n / design_effect(numbers - share, groups, tail), 1.0)
    df = max(groups.effective_number - 1, 1.0)
    return max(groups.n_groups * float(ndtri(tail) / stdtrit(df, tail)) ** 2, 1.0)


def design_effect(deviations: Floats, groups: Groups, tail: float = 0.975) -> float:
    """Say by how much groups make the variance of a mean larger, from what cases deviate from it.

    With Student's quantiles for few groups, or few that count, instead of the normal ones.
    """
    squares, alone = groups.totals(deviations) ** 2, float(deviations @ deviations)
    n, crowd, total = len(groups), float(groups.sizes @ groups.sizes), float(squares.sum())
    spread = total / alone * groups.n_groups / (groups.n_groups - 1)
    effect = max(spread, 1 + intraclass_correlation(deviations, groups) * (crowd / n - 1))
    df = groups.n_groups - 1.0
    if squares.any():  # none where all groups have the same share
        df = min(df, 3 * total**2 / float(squares @ squares) - 1)
    return effect * float(stdtrit(max(df, 1.0), tail) / ndtri(tail)) ** 2


@dataclass(frozen=True, eq=False)
class Pooled:
    """Numbers of which each counts several times; of very many, close ones count as their mean."""

    points: Floats
    times: Floats
    mean: float

    @classmethod
    def of(cls, pieces: Callable[[], Iterable[Floats]]) -> Pooled:
        """Pool numbers that come in pieces, each time that they are asked for."""
        n, total, least, most = 0, 0.0, math.inf, -math.inf
        few: list[Floats] = []
        for values in pieces():
            n, total = n + values.size, total + float(values.sum())
            least, most = min(least, float(values.min())), max(most, float(values.max()))
            few = [*few, values] if n <= 2 * _MOST_POINTS else []
        if few or least == most:
            points = np.concatenate(few) if few else np.array([least])
            return cls(points, np.full(points.size, n / points.size), total / n)
        times, sums = np.zeros((2, _MOST_POINTS))
        for values in pieces():
            more = pool(np.ascontiguousarray(values), least, _MOST_POINTS / (most - least), _MOST_POINTS)
            times, sums = times + more[0], sums + more[1]
        return cls(sums[times > 0] / times[times > 0], times[times > 0], total / n)

    @classmethod
    def counted(cls, values: Floats, counts: NDArray[np.int64]) -> Pooled:
        """Take different numbers, and how often each comes."""
        points, times = values[counts > 0], counts[counts > 0].astype(np.float64)
        mean = float(points @ times / times.sum())
        if points.size > 2 * _MOST_POINTS and points.min() < points.max():
            scale = _MOST_POINTS / float(np.ptp(points))
            place = np.minimum((points - points.min()) * scale, _MOST_POINTS - 1.0).astype(np.intp)
            sums, pooled = np.bincount(place, points * times), np.bincount(place, times).astype(np.float64)
            points, times = sums[pooled > 0] / pooled[pooled > 0], pooled[pooled > 0]
        return cls(points, times, mean)

    @property
    def size(self) -> int:
        """How many numbers there are."""
        return int(self.times.sum())

    def min(self) -> float:
        """Give the least number."""
        return float(self.points.min())

    def max(self) -> float:
        """Give the largest number."""
        return float(self.points.max())

    def variance(self) -> float:
        """Give the sum of squared distances from the mean, by one less than the number of cases."""
        return float(self.times @ (self.points - self.mean) ** 2 / max(self.size - 1, 1))

    def __neg__(self) -> Pooled:
        return Pooled(-self.points, self.times, -self.mean)


def mean_interval(
    values: Floats | Pooled, low: float, high: float, alpha: float = 0.05, groups: Groups | None = None
) -> tuple[float, float]:
    r"""Give an interval of the mean of a population whose numbers lie within known bounds.

    What was not seen counts: the lower end is the :math:`\alpha/2` quantile of :math:`\sum_j w_j x_j` over the
    values and one more at the lower bound, where the weights :math:`w` are uniform on the simplex; the upper end
    likewise. For values of two kinds this is Clopper and Pearson's interval; for many values far from the bounds
    it approaches the normal one. An end is infinite where its bound is.

    Of values that belong together only groups are independent draws, and single values are needed. The interval
    then holds the means :math:`\theta` for which the sums :math:`\sum_{i \in c} (x_i - \theta)` of groups c may
    have mean 0; of a group that was not seen, as many cases lie at the bound as may come out alike.

    References
    ----------
    N. Gaffke, "Three test statistics for a nonparametric one-sided hypothesis on the mean of a nonnegative
    variable", 2005; E. Learned-Miller and P. S. Thomas, "A new confidence interval for the mean of a bounded
    random variable", 2019.

    Examples
    --------
    >>> low, high = mean_interval(np.zeros(30), 0.0, 1.0)   # no event in 30 cases
    >>> round(low, 3), round(high, 2)
    (0.0, 0.12)
    """
    if groups is not None:
        assert not isinstance(values, Pooled)
        ends = _grouped_end(values, low, groups, alpha / 2), _grouped_end(-values, -high, groups, alpha / 2)
        return ends[0], 0.0 - ends[1]
    return _lower_end(values, low, alpha / 2), 0.0 - _lower_end(-values, -high, alpha / 2)


def _grouped_end(values: Floats, low: float, groups: Groups, level: float) -> float:
    mean = float(values.mean())
    if not np.isfinite(low) or mean - low <= _ROUNDING * max(1.0, abs(mean)):
        return low if not np.isfinite(low) else mean
    unseen = crowd_at_worst(values, groups)

    def excess(end: float) -> float:
        return _share_below(*_with_bound(groups.totals(values - end), unseen * (low - end)), 0.0) - level

    return _root(excess, low, mean, 1e-9 * (mean - low))


def _lower_end(values: Floats | Pooled, low: float, level: float) -> float:
    mean = values.mean if isinstance(values, Pooled) else float(values.mean())
    if not np.isfinite(low):
        return low
    points, times = _with_bound(values, low)
    # from the bound, for seen from the mean nothing is left of what lies next to it
    bound = float(points.min())
    points -= bound
    reach = mean - bound
    if reach <= _ROUNDING * max(1.0, abs(mean)):
        return mean

    def tilted(share: float) -> tuple[float, float]:
        """Give the quantile that belongs to a tilt of the weights towards the bound, and its normal deviate."""
        weights = times / (1 - share + share * points / reach)
        quantile = float(weights @ points) / float(weights.sum())
        tilt = -share / ((1 - share) * reach + share * quantile)
        return quantile, _deviate(points - quantile, times, tilt)

    aim = float(ndtri(level))
    start = min(0.5, 0.1 * reach / math.sqrt(float(times @ (points - reach) ** 2)))
    share = _root(lambda share: tilted(share)[1] - aim, start, 1 - 1e-13, 1e-14)
    return bound + tilted(share)[0]


def mean_p_value(
    values: Floats | Pooled, low: float, high: float, mean: float = 0.0, groups: Groups | None = None
) -> float:
    """Give the two-sided p-value of a mean of bounded numbers, by the law of `mean_interval`.

    Examples
    --------
    >>> round(mean_p_value(np.zeros(30), 0.0, 1.0, mean=0.1), 2)   # twice 0.9 ** 30
    0.09
    """
    if groups is not None:
        assert not isinstance(values, Pooled)
        unseen = crowd_at_worst(values, groups)
        values, low, high = groups.totals(values - mean), unseen * (low - mean), unseen * (high - mean)
        mean = 0.0
    above = _share_below(*_with_bound(values, low), mean) if np.isfinite(low) else 1.0
    below = _share_below(*_with_bound(-values, -high), -mean) if np.isfinite(high) else 1.0
    return min(1.0, 2 * min(above, below))


def _share_below(points: Floats, times: Floats, mean: float) -> float:
    """Probability that the mean of the points by random weights is at most a given one (saddlepoint)."""
    points = points - mean
    if points.min() >= 0.0 or points.max() <= 0.0:
        return float(points.min() < 0.0 or points.max() <= 0.0)
    ends = (1 - _ROUNDING) / float(points.min()), (1 - _ROUNDING) / float(points.max())
    tilt = _root(lambda tilt: float(times @ (points / (1 - tilt * points))), *ends, 1e-15)
    spread = math.sqrt(float(times @ points**2))
    if abs(tilt) * spread < 1e-4:  # the deviate divides by what is nearly 0 here
        return 0.5 + float(times @ points**3) / (3 * math.sqrt(2 * math.pi) * spread**3)
    return float(ndtr(_deviate(points, times, tilt)))


def _with_bound(values: Floats | Pooled, bound: float) -> tuple[Floats, Floats]:
    """Give the values and the bound, and how often each counts; of very many values, close ones as one."""
    pooled = values if isinstance(values, Pooled) else Pooled.of(lambda: iter([values]))
    return np.append(pooled.points, bound), np.append(pooled.times, 1.0)


def _deviate(points: Floats, times: Floats, tilt: float) -> float:
    """Normal deviate of a sum of exponential variables times the points at 0 (Barndorff-Nielsen's r*)."""
    # not the log of one less: where the tilt is small its rounding, many times over, would be all there is
    root = math.copysign(math.sqrt(2 * max(float(times @ np.log1p(-tilt * points)), 0.0)), tilt)
    slope = tilt * math.sqrt(float(times @ (points / (1 - tilt * points)) ** 2))
    return root + math.log(slope / root) / root


def _root(function: Callable[[float], float], low: float, high: float, exact_to: float) -> float:
    """Find where a function is 0 between two ends at which its signs differ."""
    from scipy.optimize import brentq  # its import would take half of most first calls

    return float(brentq(function, low, high, xtol=exact_to, maxiter=1000))
