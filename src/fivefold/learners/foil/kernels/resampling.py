"""One concept for each resample of a boolean table, without a step outside compiled code."""

from __future__ import annotations

from typing import Any

import numba
import numpy as np
from numpy.typing import NDArray

from fivefold.learners.foil.kernels.bitsets import pack_rows
from fivefold.learners.foil.kernels.covering import define, join
from fivefold.learners.foil.kernels.packing import pack_copies
from fivefold.learners.foil.structures import Bits, Cases, Clauses, Ints, Options


@numba.njit(cache=True, nogil=True)
def _sides(y: NDArray[np.bool_], copies: Ints, words: int) -> Bits:
    sides = np.zeros((2, words), dtype=np.uint64)
    place = 0
    for i in range(y.size):
        for _ in range(copies[i]):
            sides[0 if y[i] else 1, place >> 6] |= np.uint64(1) << np.uint64(place & 63)
            place += 1
    return sides


@numba.njit(cache=True, nogil=True)
def _occurring(tests: Bits) -> tuple[Bits, Ints, Ints]:
    """Keep the constants that some case has; say where those of each attribute start, and which they are."""
    constants = np.empty(tests.shape[0], dtype=np.int64)
    starts = np.zeros(tests.shape[0] // 2 + 1, dtype=np.int64)
    kept = 0
    for k in range(tests.shape[0]):
        if tests[k].any():
            constants[kept] = k
            kept += 1
        starts[k // 2 + 1] = kept
    if kept == tests.shape[0]:
        return tests, starts, constants
    return tests[constants[:kept]], starts, constants[:kept]


@numba.njit(cache=True, nogil=True)
def define_all(
    X: NDArray[np.bool_], y: NDArray[np.bool_], copies: Ints, logs: Any, factorials: Any, options: Options
) -> tuple[Ints, Clauses]:
    """Learn the concept of the true cases of `y` from each resample: case `i` stands in it ``copies[r, i]`` times.

    Clauses of resample `r` are those from ``firsts[r]`` up to ``firsts[r + 1]``. Literal ``2 a`` asks whether
    attribute `a` is false, ``2 a + 1`` whether it is true.
    """
    n_attributes = X.shape[1]
    whole = np.ones(n_attributes, dtype=np.bool_)
    numbers = np.empty((0, 0), dtype=np.float32)
    sorted_rows = np.empty((0, 0), dtype=np.int32)
    nothing = np.empty(0, dtype=np.int64)
    rows = pack_rows(X)
    found = []
    for r in range(copies.shape[0]):
        tests, starts, constants = _occurring(pack_copies(rows, n_attributes, copies[r]))
        known = np.full((n_attributes, tests.shape[1]), ~np.uint64(0))
        cases = Cases(tests, starts, known, whole, numbers, sorted_rows, nothing, logs, factorials)
        sides = _sides(y, copies[r], tests.shape[1])
        one = define(cases, options, sides[0], sides[1], nothing)
        found.append(Clauses(one.starts, constants[one.literals], one.signs, one.cuts))
    return join(found)


@numba.njit(cache=True, nogil=True)
def _holds(X: NDArray[np.bool_], i: int, clauses: Clauses, clause: int) -> bool:
    for k in range(clauses.starts[clause], clauses.starts[clause + 1]):
        literal = clauses.literals[k]
        if (X[i, literal >> 1] == bool(literal & 1)) != clauses.signs[k]:
            return False
    return True


@numba.njit(cache=True, nogil=True)
def cover_all(X: NDArray[np.bool_], firsts: Ints, clauses: Clauses) -> NDArray[np.bool_]:
    """Tell for each concept which cases it covers."""
    covered = np.zeros((firsts.size - 1, X.shape[0]), dtype=np.bool_)
    for r in range(covered.shape[0]):
        for i in range(X.shape[0]):
            for c in range(firsts[r], firsts[r + 1]):
                if _holds(X, i, clauses, c):
                    covered[r, i] = True
                    break
    return covered
