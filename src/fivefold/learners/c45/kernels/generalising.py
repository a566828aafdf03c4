"""Dropping conditions from the paths of a tree, each by itself, while the pessimistic error does not grow."""

from __future__ import annotations

from typing import Any

import numba
import numpy as np
from numpy.typing import NDArray

from fivefold.learners.c45.kernels.covering import Bits, everyone, weigh_both
from fivefold.learners.c45.kernels.pruning import extra_errors


@numba.njit(cache=True, error_model="numpy")
def generalise(
    met: Bits,
    members: Bits,
    sizes: NDArray[np.float64],
    weights: NDArray[np.float64],
    paths: NDArray[np.int32],
    starts: NDArray[np.int64],
    targets: NDArray[np.int32],
    limit: NDArray[Any],
    n: int,
) -> tuple[NDArray[np.bool_], NDArray[Any]]:
    """Generalise every path; tell which of its conditions remain and its error, -1 for no rule.

    Path `p` is `paths[starts[p]:starts[p + 1]]`, places in `met`, for the class `targets[p]`. `members`
    holds the cases of each class and `sizes` their weight.
    """
    kept = np.ones(paths.shape[0], dtype=np.bool_)
    errors = np.full(targets.shape[0], -1, dtype=limit.dtype)
    longest = 1
    for p in range(targets.shape[0]):
        longest = max(longest, starts[p + 1] - starts[p])
    after = np.empty((longest + 1, met.shape[1]), dtype=np.uint64)
    all_cases, total = everyone(n), sizes.sum()
    for p in range(targets.shape[0]):
        path = paths[starts[p] : starts[p + 1]]
        after[path.shape[0]] = all_cases
        default = limit.dtype.type(1.0 - (sizes[targets[p]] + 1.0) / (total + 2.0))
        keep = kept[starts[p] : starts[p + 1]]
        errors[p] = _drop(met, members[targets[p]], weights, path, keep, after, limit, default)
    return kept, errors


@numba.njit(cache=True, error_model="numpy")
def _drop(
    met: Bits,
    target: Bits,
    weights: NDArray[np.float64],
    path: NDArray[np.int32],
    keep: NDArray[np.bool_],
    after: Bits,
    limit: NDArray[Any],
    default: Any,
) -> Any:
    none = limit.dtype.type(-1)
    left = path.shape[0]
    while left:
        for d in range(path.shape[0] - 1, -1, -1):
            after[d] = after[d + 1] & met[path[d]] if keep[d] else after[d + 1]
        covered, right = weigh_both(after[0], after[0], target, weights)
        pessimistic, actual = _error_rates(covered, right, limit, default)
        worst = _least_useful(met, target, weights, path, keep, after, limit, default, pessimistic, actual)
        if worst < 0:
            return pessimistic if covered > 0 and pessimistic < default else none
        keep[worst] = False
        left -= 1
    return none


@numba.njit(cache=True, error_model="numpy")
def _least_useful(
    met: Bits,
    target: Bits,
    weights: NDArray[np.float64],
    path: NDArray[np.int32],
    keep: NDArray[np.bool_],
    after: Bits,
    limit: NDArray[Any],
    default: Any,
    pessimistic: Any,
    actual: Any,
) -> int:
    """Give the condition without which the error is lowest, the last among equals; -1 if all are needed."""
    before = after[path.shape[0]].copy()
    worst, lowest, any_useless = -1, default, False
    for d in range(path.shape[0]):
        if not keep[d]:
            continue
        covered, right = weigh_both(before, after[d + 1], target, weights)
        without, actual_without = _error_rates(covered, right, limit, default)
        if worst < 0 or without <= lowest:
            worst, lowest = d, without
        any_useless |= without <= pessimistic or actual_without <= actual
        before &= met[path[d]]
    return worst if any_useless else -1


@numba.njit(cache=True, error_model="numpy")
def _error_rates(covered: float, right: float, limit: NDArray[Any], default: Any) -> tuple[Any, Any]:
    real = limit.dtype.type
    if covered <= 0:
        return default, real(0)
    n, e = real(covered), real(covered - right)
    return real(real(e + extra_errors(n, e, limit)) / n), real(e / n)


@numba.njit(cache=True, error_model="numpy")
def sort_as_release8(
    path: NDArray[np.int32],
    keep: NDArray[np.bool_],
    attribute: NDArray[np.int32],
    numeric: NDArray[np.bool_],
    cut: NDArray[Any],
) -> NDArray[np.int32]:
    """Give the kept conditions of a path in the order of release 8.

    That is the order of a selection sort, over a place for every condition of the path, whose comparison
    puts a nominal test before a numeric one as well as a low attribute before a high one.
    """
    order, free = path.copy(), keep.copy()
    sorted_so_far = 0
    for d in range(path.shape[0]):
        first = -1
        for k in range(d, path.shape[0]):
            if free[k] and (first < 0 or _before(order[k], order[first], attribute, numeric, cut)):
                first = k
        if first < 0:
            break
        order[d], order[first] = order[first], order[d]
        free[first] = free[d]
        free[d] = False
        sorted_so_far += 1
    return order[:sorted_so_far]


@numba.njit(cache=True, error_model="numpy")
def _before(
    a: int, b: int, attribute: NDArray[np.int32], numeric: NDArray[np.bool_], cut: NDArray[Any]
) -> Any:
    if attribute[a] < attribute[b] or numeric[a] < numeric[b]:
        return True
    return attribute[a] == attribute[b] and cut[a] < cut[b]
