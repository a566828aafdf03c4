"""Formulas that several layers share: code lengths of numbers, choices and symbols; p-values of several tests."""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln

from fivefold.errors import InputError, show

_LG_NORMALISER = math.log2(2.865064)


def universal_integer_length(k: int) -> float:
    r"""Give the length of Rissanen's universal code for a whole number of unknown size.

    .. math:: L^*(k) = \lg 2.865064 + \lg k + \lg \lg k + \dots, \qquad k \ge 1

    with the positive terms only. The constant makes :math:`\sum_k 2^{-L^*(k)} = 1`.

    Parameters
    ----------
    k : int
        The number, 1 or more.

    Returns
    -------
    float
        Bits.

    References
    ----------
    J. Rissanen (1983). A universal prior for integers and estimation by minimum description length.
    Annals of Statistics 11, 416-431.

    Examples
    --------
    >>> [round(universal_integer_length(k), 3) for k in (1, 2, 3, 10)]
    [1.519, 2.519, 3.768, 7.365]
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
    r"""Give :math:`\lg n!`, the bits in the order of n different things.

    Examples
    --------
    >>> round(log2_factorial(4), 3)
    4.585
    """
    return float(gammaln(n + 1.0)) / math.log(2.0)


def log2_binomial(n: float, k: float) -> float:
    r"""Give :math:`\lg \binom n k`, the bits in a choice of k things out of n.

    Examples
    --------
    >>> round(log2_binomial(4, 2), 3)
    2.585
    """
    return log2_factorial(n) - log2_factorial(k) - log2_factorial(n - k)


def log2_arrangements(counts: Iterable[int]) -> float:
    r"""Give :math:`\lg [ (\sum_i c_i)! / \prod_i c_i! ]`, the bits in the order of things of several sorts.

    Examples
    --------
    >>> round(log2_arrangements([2, 1]), 3)
    1.585
    """
    counts = list(counts)
    return log2_factorial(sum(counts)) - sum(log2_factorial(count) for count in counts)


def log2_proper_halvings(v: int) -> float:
    r"""Give :math:`\lg (2^{v-1} - 1)`, the bits in a choice among the ways to part v values in two groups.

    Examples
    --------
    >>> round(log2_proper_halvings(4), 3)
    2.807
    """
    if v < 2:
        raise InputError("at least two values to part", show(v))
    return v - 1 + math.log2(-math.expm1(-(v - 1) * math.log(2.0)))


class AdaptiveCoder:
    r"""Price symbols one after another, each by how often it came before.

    With :math:`c_s` the times that symbol s was sent so far,

    .. math:: A(s) = -\lg \frac{c_s + 1}{\sum_{a \in \text{allowed}} (c_a + 1)}

    and then :math:`c_s` grows by one. Symbols that the receiver knows to be impossible are left out of
    `allowed`. If all symbols are always allowed, N symbols cost
    :math:`\lg [ (N+k-1)! / ((k-1)! \prod_s c_s!) ]` together, in any order.

    Parameters
    ----------
    size : int
        The number of symbols, k.

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

    Parameters
    ----------
    p_values : ndarray
        One p-value for each test.

    Returns
    -------
    ndarray
        Adjusted p-values: rejecting those below alpha errs in the whole family with probability alpha at most.

    References
    ----------
    S. Holm, "A simple sequentially rejective multiple test procedure", 1979.

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
