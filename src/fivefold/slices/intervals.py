"""How far a slice may really be from the average, given how many slices were looked at."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import betainccinv, betaincinv, ndtri

Numbers = NDArray[np.float64]


def share_interval(
    n: NDArray[Any], agree: NDArray[Any], total: int, total_agree: int, level: NDArray[Any]
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
    inside_low, inside_high = _exact_limits(agree, n, level)
    outside_low, outside_high = _exact_limits(rest_agree, rest, level)
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


def mean_interval(
    n: NDArray[Any],
    sums: Numbers,
    squares: Numbers,
    total: tuple[int, float, float],
    level: NDArray[Any],
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
    """
    rest, rest_sums, rest_squares = total[0] - n, total[1] - sums, total[2] - squares
    spread = _variance(n, sums, squares) / n + _variance(rest, rest_sums, rest_squares) / rest
    apart = sums / n - rest_sums / rest
    reach = -ndtri(np.asarray(level) / 2) * np.sqrt(spread)
    return (rest / total[0]) * (apart - reach), (rest / total[0]) * (apart + reach)


def _variance(n: NDArray[Any], sums: Numbers, squares: Numbers) -> Numbers:
    return np.asarray(np.maximum(squares - sums**2 / n, 0.0) / np.maximum(n - 1, 1))
