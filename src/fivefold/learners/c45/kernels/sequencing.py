"""The first rule to cover each case, in training and afterwards."""

from __future__ import annotations

from typing import Any, NamedTuple

import numba
import numpy as np
from numpy.typing import NDArray

from fivefold.learners.c45.kernels.covering import Bits


class Conditions(NamedTuple):
    """The conditions of rules; those of rule `r` stand at `starts[r]` … `starts[r + 1]` - 1.

    A nominal condition asks for the value `branch`, counted from 1; a numeric one for at most the `cut`
    where `branch` is 1, for more where it is 2.
    """

    starts: NDArray[np.int64]
    attribute: NDArray[np.int32]
    numeric: NDArray[np.bool_]
    branch: NDArray[np.int32]
    cut: NDArray[np.float64]


@numba.njit(cache=True, error_model="numpy")
def first_two(covers: Bits, alive: NDArray[np.bool_], n: int) -> NDArray[np.int32]:
    """Give for each case the first two living rules that cover it; -1 where there is none."""
    found = np.full((n, 2), -1, dtype=np.int32)
    for r in range(alive.shape[0] - 1, -1, -1):
        if not alive[r]:
            continue
        for w in range(covers.shape[1]):
            for i in range(64 * w, min(n, 64 * w + 64) if covers[r, w] else 0):
                if (covers[r, w] >> np.uint64(i & 63)) & np.uint64(1):
                    found[i, 1] = found[i, 0]
                    found[i, 0] = r
    return found


@numba.njit(cache=True, error_model="numpy")
def drop_harmful(
    covers: Bits,
    outcomes: NDArray[np.int32],
    default: int,
    classes: NDArray[np.int32],
    weights: NDArray[np.float64],
) -> NDArray[np.bool_]:
    """Tell which rules to keep: the first rule without which more cases are right is dropped, again and again."""
    alive = np.ones(outcomes.shape[0], dtype=np.bool_)
    while True:
        advantage = np.zeros(outcomes.shape[0])
        found = first_two(covers, alive, classes.shape[0])
        for i in range(classes.shape[0]):
            rule = found[i, 0]
            if rule < 0:
                continue
            other = outcomes[found[i, 1]] if found[i, 1] >= 0 else default
            if other == outcomes[rule]:
                continue
            if outcomes[rule] == classes[i]:
                advantage[rule] += weights[i]
            elif other == classes[i]:
                advantage[rule] -= weights[i]
        harmful = -1
        for r in range(outcomes.shape[0] - 1, -1, -1):
            if advantage[r] < 0:
                harmful = r
        if harmful < 0:
            return alive
        alive[harmful] = False


@numba.njit(cache=True, error_model="numpy")
def holds(conditions: Conditions, rule: int, values: Any, codes: Any, place: Any, row: int) -> bool:
    """Tell whether a case meets all conditions of a rule; an unknown value meets none."""
    for k in range(conditions.starts[rule], conditions.starts[rule + 1]):
        at = place[conditions.attribute[k]]
        if not conditions.numeric[k]:
            met = codes[at, row] == conditions.branch[k]
        elif conditions.branch[k] == 1:
            met = values[at, row] <= conditions.cut[k]
        else:
            met = values[at, row] > conditions.cut[k]
        if not met:
            return False
    return True


@numba.njit(cache=True, error_model="numpy")
def first_to_hold(conditions: Conditions, values: Any, codes: Any, place: Any, n: int) -> NDArray[np.int32]:
    """Give the first rule that holds for each case; the number of rules where none does."""
    n_rules = conditions.starts.shape[0] - 1
    found = np.full(n, n_rules, dtype=np.int32)
    for i in range(n):
        for r in range(n_rules):
            if holds(conditions, r, values, codes, place, i):
                found[i] = r
                break
    return found
