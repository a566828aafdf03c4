"""The upper tails of the binomial and the hypergeometric distribution, in logarithms."""

from __future__ import annotations

import numba
import numpy as np
from numpy.typing import NDArray

_NEGLIGIBLE = 1e-17


@numba.njit(cache=True)
def _log_choose(log_factorials: NDArray[np.float64], n: int, k: int) -> float:
    return float(log_factorials[n] - log_factorials[k] - log_factorials[n - k])


@numba.njit(cache=True)
def log_binomial_tail(
    correct: int, covered: int, wanted: int, total: int, log_factorials: NDArray[np.float64]
) -> float:
    """Give ln P(X >= correct) for X of `covered` draws with replacement; `wanted` of `total` cases count."""
    if correct <= 0 or wanted == total:
        return 0.0
    q = wanted / total
    odds = q / (1.0 - q)
    # the sum starts at its largest term, so that nothing overflows and what vanishes is negligible
    start = min(covered, max(correct, int((covered + 1) * q)))
    log_start = (
        _log_choose(log_factorials, covered, start)
        + start * np.log(q)
        + (covered - start) * np.log((total - wanted) / total)
    )
    whole, term, i = 1.0, 1.0, start
    while i < covered and term > _NEGLIGIBLE * whole:
        term *= (covered - i) / (i + 1.0) * odds
        whole += term
        i += 1
    term, i = 1.0, start
    while i > correct and term > _NEGLIGIBLE * whole:
        term *= i / (covered - i + 1.0) / odds
        whole += term
        i -= 1
    return min(0.0, float(log_start + np.log(whole)))


@numba.njit(cache=True)
def log_hypergeometric_tail(
    correct: int, covered: int, wanted: int, total: int, log_factorials: NDArray[np.float64]
) -> float:
    """Give ln P(X >= correct) for X of `covered` draws without replacement."""
    unwanted = total - wanted
    if correct <= max(0, covered - unwanted):
        return 0.0
    most = min(covered, wanted)
    start = min(most, max(correct, (covered + 1) * (wanted + 1) // (total + 2)))
    log_start = (
        _log_choose(log_factorials, wanted, start)
        + _log_choose(log_factorials, unwanted, covered - start)
        - _log_choose(log_factorials, total, covered)
    )
    whole, term, i = 1.0, 1.0, start
    while i < most and term > _NEGLIGIBLE * whole:
        term *= (wanted - i) / (i + 1.0) * (covered - i) / (unwanted - covered + i + 1.0)
        whole += term
        i += 1
    term, i = 1.0, start
    while i > correct and term > _NEGLIGIBLE * whole:
        term *= i / (wanted - i + 1.0) * (unwanted - covered + i) / (covered - i + 1.0)
        whole += term
        i -= 1
    return min(0.0, float(log_start + np.log(whole)))


@numba.njit(cache=True)
def log_tails(
    correct: NDArray[np.int64],
    covered: NDArray[np.int64],
    wanted: int,
    total: int,
    replace: bool,
    log_factorials: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Give the logarithms of many tails of one distribution, with replacement or without."""
    tails = np.empty(correct.size)
    for k in range(correct.size):
        if replace:
            tails[k] = log_binomial_tail(correct[k], covered[k], wanted, total, log_factorials)
        else:
            tails[k] = log_hypergeometric_tail(correct[k], covered[k], wanted, total, log_factorials)
    return tails
