"""FOIL's measures in its own precision: information, gain, and what a clause may cost.

Sums are rounded to 32 bits where the program stores them, because near-ties between literals depend on it.
"""

from __future__ import annotations

import math
from typing import Any

import numba
import numpy as np
from numpy.typing import NDArray

Logs = NDArray[np.float64]

# The program's own constants: shorter than exact, and seen in the last digits of every gain.
LN2 = 0.693147
_LOG2_E = 1.44269
_LOG2_ROOT_2PI = 1.32575
_TABLED = 1000
SLACK = 1.1  # how far a clause may cost more than the tuples that it explains


@numba.njit(cache=True)
def lg(x: float) -> float:
    """Give the logarithm to base 2, as near as FOIL's constant allows."""
    return math.log(x) / LN2


@numba.njit(cache=True)
def log_table(size: int) -> Logs:
    """Give the logarithms of the whole numbers below `size`; that of 0, which is never used, as 0."""
    logs = np.zeros(size)
    for i in range(1, size):
        logs[i] = lg(np.float64(np.float32(i)))
    return logs


@numba.njit(cache=True)
def _stirling(n: int, log: float) -> float:
    return (n + 0.5) * log - n * _LOG2_E + _LOG2_ROOT_2PI - (n * 0.7623) / 820000


@numba.njit(cache=True)
def factorial_table(logs: Logs) -> Logs:
    """Give the logarithms of the factorials: sums of 32 bits up to 999!, then Stirling's formula."""
    factorials = np.zeros(logs.size)
    total = np.float32(0.0)
    for n in range(1, logs.size):
        if n < _TABLED:
            total = np.float32(np.float64(total) + logs[n])
            factorials[n] = np.float64(total)
        else:
            factorials[n] = _stirling(n, logs[n])
    return factorials


@numba.njit(cache=True)
def log_of(logs: Logs, n: int) -> float:
    """Give the logarithm of a whole number, from the table as far as that goes."""
    return float(logs[n]) if n < logs.size else lg(np.float64(np.float32(n)))


@numba.njit(cache=True)
def _factorial(logs: Logs, factorials: Logs, n: int) -> float:
    return float(factorials[n]) if n < factorials.size else _stirling(n, log_of(logs, n))


@numba.njit(cache=True)
def allowance(logs: Logs, factorials: Logs, world: int, covered: int) -> float:
    """Give the bits that a clause may cost: 1.1 (lg U + lg C(U, c)) for c positive tuples out of U."""
    ways = _factorial(logs, factorials, world) - _factorial(logs, factorials, covered)
    return float(SLACK * (log_of(logs, world) + (ways - _factorial(logs, factorials, world - covered))))


@numba.njit(cache=True)
def least_cover(logs: Logs, factorials: Logs, world: int, cover: int, bits: Any) -> int:
    """Give the least cover above `cover` that allows more than `bits`; more than all tuples if there is none."""
    least = cover + 1
    while least <= world and allowance(logs, factorials, world, least) <= bits:
        least += 1
    return least


@numba.njit(cache=True)
def information(logs: Logs, positive: int, total: int, added: int) -> Any:
    """Give lg((t + a) / (p + a)), with a = 1 as in the program or 0 as in the papers."""
    return np.float32(log_of(logs, total + added) - log_of(logs, positive + added))


@numba.njit(cache=True)
def full_total(positive: int, total: int, sample: Any) -> int:
    """Give how many tuples there would be had not only a sample of the negative ones been taken."""
    return int(np.float32(np.float32(total - positive) / sample)) + positive


@numba.njit(cache=True)
def gain(base: Any, after: Any, kept: int, new_variables: int) -> Any:
    """Give s (I(now) - I(after)) for s positive bindings kept; a little for new variables without a gain."""
    if kept == 0:
        return np.float32(0.0)
    each = np.float32(base - after)
    if each < 1e-3 and new_variables > 0:
        return np.float32(0.0009 + new_variables * 0.0001)
    return np.float32(np.float32(kept) * each)


@numba.njit(cache=True)
def most_negatives(base: Any, useful: Any, kept: int, positive: int, added: int, sample: Any) -> Any:
    """Give how many negative bindings a literal may keep and still have the useful gain."""
    if kept <= 0:
        return np.float32(0.0)
    each = np.float32(base - np.float32(useful / np.float32(kept)))
    share = np.float32(sample * np.float32(positive + added))
    return np.float32(np.float64(share) * (math.exp(LN2 * np.float64(each)) - 1.0))


@numba.njit(cache=True)
def charge(bits: Any, place: int) -> Any:
    """Give what a literal of so many bits costs as the one in this place (from 0) of a clause, never below 0."""
    extra = np.float32(np.float64(bits) - lg(place + 1.001))
    return extra if extra > 0 else np.float32(0.0)
