"""The hypergeometric tail: how likely is so lop-sided a two-by-two table, its margins given?"""

from __future__ import annotations

from math import exp, lgamma, log

import numba
import numpy as np
from numpy.typing import NDArray


@numba.njit(cache=True)
def _log_choose(n: int, k: int) -> float:
    return lgamma(n + 1.0) - lgamma(k + 1.0) - lgamma(n - k + 1.0)


@numba.njit(cache=True)
def _log_tail(seen: int, drawn: int, marked: int, total: int, step: int) -> float:
    """Log of the probability of `seen` marked cases or further in the direction of `step`.

    The terms fall ever faster away from the middle, so their ratio to the first is summed until it is lost.
    """
    first = _log_choose(marked, seen) + _log_choose(total - marked, drawn - seen) - _log_choose(total, drawn)
    low, high = max(0, drawn + marked - total), min(drawn, marked)
    ratio, tail, x = 1.0, 1.0, seen
    while low <= x + step <= high and ratio > 1e-17 * tail:
        up = x if step > 0 else x - 1
        odds = (marked - up) * (drawn - up) / ((up + 1.0) * (total - marked - drawn + up + 1.0))
        ratio *= odds if step > 0 else 1.0 / odds
        tail += ratio
        x += step
    return min(0.0, first + log(tail))


@numba.njit(cache=True)
def exact_p_values(counts: NDArray[np.int64], sizes: NDArray[np.int64]) -> NDArray[np.float64]:
    """Test each group against the rest: twice the smaller tail, times the number of groups beyond two."""
    n_sets, n_groups = counts.shape
    total = sizes.sum()
    told = np.ones(n_sets)
    for place in range(n_sets):
        drawn = counts[place].sum()
        # of two groups one says all: the other's table is the same
        for group in range(n_groups if n_groups > 2 else 1):
            seen, marked = counts[place, group], sizes[group]
            step = 1 if seen * total >= drawn * marked else -1
            p_value = 2.0 * exp(_log_tail(seen, drawn, marked, total, step))
            told[place] = min(told[place], p_value if n_groups == 2 else p_value * n_groups)
    return told
