"""Dropping conditions from paths while that does not raise the Laplace error, or the rule costs too much."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numba
import numpy as np
from numpy.typing import NDArray

from fivefold.learners.c45.kernels.covering import Bits, everyone, weigh_both
from fivefold.learners.c45.kernels.information import LN2

THEORY_WEIGHT = 0.23


class Evidence(NamedTuple):
    """The training cases as sets: those that meet each condition, and those of each class.

    `costs[p, r]` is what it costs to say class p where r is right; empty if every error costs one. `lengths`
    are the bits of each condition.
    """

    met: Bits
    members: Bits
    sizes: NDArray[np.float64]
    weights: NDArray[np.float64]
    costs: NDArray[np.float64]
    lengths: NDArray[np.float64]
    n: int


@numba.njit(cache=True, error_model="numpy")
def generalise(
    evidence: Evidence, paths: NDArray[np.int32], starts: NDArray[np.int64], targets: NDArray[np.int32]
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Generalise every path; tell which of its conditions remain, and whether it saves more than it costs.

    Path `p` is `paths[starts[p]:starts[p + 1]]`, places in `evidence.met`, for the class `targets[p]`.
    """
    kept = np.ones(paths.shape[0], dtype=np.bool_)
    pays = np.zeros(targets.shape[0], dtype=np.bool_)
    longest = 1
    for p in range(targets.shape[0]):
        longest = max(longest, starts[p + 1] - starts[p])
    after = np.empty((longest + 1, evidence.met.shape[1]), dtype=np.uint64)
    all_cases = everyone(evidence.n)
    for p in range(targets.shape[0]):
        path = paths[starts[p] : starts[p + 1]]
        after[path.shape[0]] = all_cases
        pays[p] = _drop(evidence, targets[p], path, kept[starts[p] : starts[p + 1]], after)
    return kept, pays


@numba.njit(cache=True, error_model="numpy")
def _drop(
    evidence: Evidence, target: int, path: NDArray[np.int32], keep: NDArray[np.bool_], after: Bits
) -> bool:
    left, cost = path.shape[0], 0.0
    for d in range(left):
        cost += evidence.lengths[path[d]] - math.log(d + 1) / LN2
    while True:
        for d in range(path.shape[0] - 1, -1, -1):
            after[d] = after[d + 1] & evidence.met[path[d]] if keep[d] else after[d + 1]
        covered, wrong = _weigh(evidence, target, after[0], after[0])
        pays = THEORY_WEIGHT * cost <= _saved(evidence, target, covered, wrong)
        if left == 1:
            return pays and covered > 0.99
        worst, lowest = _least_useful(evidence, target, path, keep, after)
        if pays and lowest > _laplace(covered, wrong):
            return covered > 0.99
        keep[worst] = False
        cost -= evidence.lengths[path[worst]] - math.log(left) / LN2
        left -= 1


@numba.njit(cache=True, error_model="numpy")
def _least_useful(
    evidence: Evidence, target: int, path: NDArray[np.int32], keep: NDArray[np.bool_], after: Bits
) -> tuple[int, Any]:
    """Give the condition without which the error is lowest, the last among equals, and that error."""
    before = after[path.shape[0]].copy()
    worst, lowest = -1, np.float32(2)
    for d in range(path.shape[0]):
        if keep[d]:
            covered, wrong = _weigh(evidence, target, before, after[d + 1])
            error = _laplace(covered, wrong)
            if error <= lowest:
                worst, lowest = d, error
            before &= evidence.met[path[d]]
    return worst, lowest


@numba.njit(cache=True, error_model="numpy")
def _weigh(evidence: Evidence, target: int, a: Bits, b: Bits) -> tuple[float, float]:
    """Give the weight of the cases in both sets, and what it costs to call them all `target`."""
    covered, right = weigh_both(a, b, evidence.members[target], evidence.weights)
    if evidence.costs.shape[0] == 0:
        return covered, covered - right
    wrong = 0.0
    for c in range(evidence.costs.shape[0]):
        wrong += evidence.costs[target, c] * weigh_both(a, b, evidence.members[c], evidence.weights)[1]
    return covered, min(wrong, covered)


@numba.njit(cache=True, error_model="numpy")
def _laplace(covered: float, wrong: float) -> Any:
    return np.float32(0.5 if covered < 1e-4 else (wrong + 1) / (covered + 2))


@numba.njit(cache=True, error_model="numpy")
def _saved(evidence: Evidence, target: int, covered: float, wrong: float) -> float:
    """Give the bits that a rule saves in telling the cases of its class from the others."""
    size, total = evidence.sizes[target], evidence.sizes.sum()
    before = _split_bits(size, total - size)
    inside = _split_bits(covered - wrong, wrong)
    return before - inside - _split_bits(size - covered + wrong, total - size - wrong)


@numba.njit(cache=True, error_model="numpy")
def _split_bits(a: float, b: float) -> float:
    return _n_lg_n(a + b) - _n_lg_n(a) - _n_lg_n(b)


@numba.njit(cache=True, error_model="numpy")
def _n_lg_n(n: float) -> float:
    return n * math.log(n) / LN2 if n > 0 else 0.0
