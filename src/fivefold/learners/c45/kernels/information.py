"""Information and gain, rounded after each accumulation as in a program that keeps 32-bit floats.

Every accumulator takes its type from the arrays that it is given: with float32 arrays the sums round
to 32 bits at each step, with float64 arrays they do not. Logarithms are always computed in 64 bits.
"""

from __future__ import annotations

import math
from typing import Any

import numba
import numpy as np
from numpy.typing import NDArray

LN2 = math.log(2.0)
EPSILON = 1e-3


@numba.njit(cache=True, error_model="numpy")
def n_log_n(n: float, table: NDArray[np.float64]) -> Any:
    """Give n lg n, from the table where n is a whole number that it holds."""
    if n <= 0:
        return 0.0
    whole = np.int64(n)
    if whole == n and whole < table.shape[0]:
        return table[whole]
    wide = np.float64(n)  # numba takes the logarithm of a 32-bit number in 32 bits
    return wide * (math.log(wide) / LN2)


@numba.njit(cache=True, error_model="numpy")
def n_log_n_table(size: int) -> NDArray[np.float64]:
    """Tabulate n lg n for n = 0 … size - 1."""
    table = np.zeros(size)
    for n in range(1, size):
        table[n] = n * (math.log(n) / LN2)
    return table


@numba.njit(cache=True, error_model="numpy")
def total_information(counts: NDArray[Any], table: NDArray[np.float64]) -> Any:
    """Give the information of a whole distribution of counts: N lg N - sum of n lg n."""
    real = counts.dtype.type
    terms, total = real(0), real(0)
    for n in counts:
        terms = real(terms + n_log_n(n, table))
        total = real(total + n)
    return real(n_log_n(total, table) - terms)


@numba.njit(cache=True, error_model="numpy")
def known_base_information(frequency: NDArray[Any], known: float, table: NDArray[np.float64]) -> Any:
    """Give the mean class information of the cases in rows 1, 2, … of a value by class table."""
    real = frequency.dtype.type
    terms = 0.0
    for c in range(frequency.shape[1]):
        n = real(0)
        for v in range(1, frequency.shape[0]):
            n = real(n + frequency[v, c])
        terms += n_log_n(n, table)
    return real((n_log_n(known, table) - terms) / known)


@numba.njit(cache=True, error_model="numpy")
def information_gain(
    base: float,
    unknown_rate: float,
    frequency: NDArray[Any],
    known: float,
    table: NDArray[np.float64],
) -> Any:
    """Give (1 - unknown rate) (base - mean information of rows 1, 2, … of a value by class table)."""
    real = frequency.dtype.type
    after = real(0)
    for v in range(1, frequency.shape[0]):
        after = real(after + total_information(frequency[v], table))
    return real(real(real(1) - unknown_rate) * real(base - real(after / known)))


@numba.njit(cache=True, error_model="numpy")
def enough_branches(sizes: NDArray[Any], min_objs: float) -> bool:
    """Tell whether at least two of the branches 1, 2, … hold `min_objs` cases."""
    large = 0
    for v in range(1, sizes.shape[0]):
        if sizes[v] >= min_objs:
            large += 1
    return large >= 2
