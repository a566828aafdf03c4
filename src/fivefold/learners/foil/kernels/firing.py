"""Clauses on cases: which of them hold."""

from __future__ import annotations

from typing import Any

import numba
import numpy as np
from numpy.typing import NDArray

from fivefold.learners.foil.structures import Clauses, Ints, Singles


@numba.njit(cache=True)
def addresses(clauses: Clauses, starts: Ints, constants: Ints) -> tuple[Ints, Ints]:
    """Give for each literal the row of its attribute and the code that it asks for, -1 for a comparison."""
    rows, codes = np.empty_like(clauses.literals), np.empty_like(clauses.literals)
    for k in range(clauses.literals.size):
        literal = clauses.literals[k]
        if literal < constants.size:
            rows[k] = np.searchsorted(starts, literal, side="right") - 1
            codes[k] = constants[literal]
        else:
            rows[k], codes[k] = literal - constants.size, -1
    return rows, codes


@numba.njit(cache=True)
def _restrict(
    truth: NDArray[np.bool_], codes: Any, numbers: Singles, row: int, code: int, sign: bool, cut: Any
) -> None:
    """Leave a clause true only for the cases that satisfy one more literal."""
    if code < 0:
        own = numbers[row]
        for i in range(truth.size):
            truth[i] &= (own[i] > cut) if sign else (own[i] <= cut)
    else:
        values = codes[row]
        for i in range(truth.size):
            truth[i] &= (values[i] == code) if sign else (values[i] >= 0 and values[i] != code)


@numba.njit(cache=True)
def fire(
    clauses: Clauses, rows: Ints, constants: Ints, codes: NDArray[np.int32], numbers: Singles
) -> NDArray[np.bool_]:
    """Tell which clause holds for which case.

    For each literal, `constants` has the code that it asks for, or -1 if it compares a number with a cut; `rows`
    has the row of its attribute in `codes` or in `numbers`. A missing value, -1 or NaN, satisfies no literal.
    """
    fired = np.ones((clauses.starts.size - 1, codes.shape[1]), dtype=np.bool_)
    for c in range(fired.shape[0]):
        for k in range(clauses.starts[c], clauses.starts[c + 1]):
            _restrict(fired[c], codes, numbers, rows[k], constants[k], clauses.signs[k], clauses.cuts[k])
    return fired
