"""Whether recursive calls must come to an end, because their arguments go down an order."""

from __future__ import annotations

from typing import Any

import numba
import numpy as np

from fivefold.learners.foil.relational.kernels.extending import MIXED, SAME
from fivefold.learners.foil.relational.kernels.joining import Ints


@numba.njit(cache=True)
def _column(calls: Any, left: Any, column: int, way: int) -> Any:
    """Give the one way in which the calls left go in a column, and how many go; -1 if there are two ways."""
    unequal = 0
    for j in range(calls.shape[0]):
        cell = int(calls[j, column])
        if not left[j] or cell == SAME:
            continue
        turns = way != cell
        if cell == MIXED or (turns and way != SAME):
            return MIXED, -1
        way = cell
        unequal += 1
    return way, unequal


@numba.njit(cache=True)
def recursion_ends(calls: Any, ways: Any, types: Ints) -> bool:
    """Tell whether all calls go the same way along some arguments, one after the other.

    ``calls[j, k]`` says how argument `k` of the head stands to that of call `j`. A column is taken in which the
    calls that are left have only one kind of inequality, and equality; the calls that are unequal there are done
    with; and so on, until none is left. Columns of one type must go the same way, and `ways` says which way a
    column must go from the beginning, or that either will do.
    """
    n, width = calls.shape
    ways = ways.copy()
    left, used = np.ones(n, dtype=np.bool_), np.zeros(width, dtype=np.bool_)
    while left.any():
        best, most, best_way = -1, 0, MIXED
        for k in range(width):
            if used[k]:
                continue
            way, unequal = _column(calls, left, k, int(ways[k]))
            if unequal > most:
                best, most, best_way = k, unequal, way
        if best < 0:
            return False
        for j in range(n):
            left[j] &= calls[j, best] == SAME
        used[best] = True
        for k in range(width):
            if k != best and types[k] == types[best]:
                ways[k] = best_way
    return True
