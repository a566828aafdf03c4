"""Sorting and grouping cases in place, with the very exchanges of release 8.

Where cases are divided into fractions, sums of 32-bit weights depend on the order of their terms, and a
near-tie between two tests on that sum. So the order is part of the result: the sort below is release
8's quicksort, exchange by exchange. It gives up that order, for a heap sort, only where it would take
quadratic time.
"""

from __future__ import annotations

from typing import Any

import numba
import numpy as np
from numpy.typing import NDArray

from fivefold.learners.c45.structures import Cases, Order


@numba.njit(cache=True, error_model="numpy")
def exchange(order: Order, a: int, b: int) -> None:
    """Exchange the cases at positions a and b with their weights."""
    order.items[a], order.items[b] = order.items[b], order.items[a]
    order.weight[a], order.weight[b] = order.weight[b], order.weight[a]


@numba.njit(cache=True, error_model="numpy")
def weight_between(order: Order, start: int, stop: int, unit: bool) -> Any:
    """Give the weight of the cases at positions start … stop - 1; `unit` says that each weighs 1."""
    real = order.weight.dtype.type
    if unit:
        return real(stop - start)
    total = real(0)
    for i in range(start, stop):
        total = real(total + order.weight[i])
    return total


@numba.njit(cache=True, error_model="numpy")
def group_unknown(cases: Cases, order: Order, a: int, start: int, stop: int) -> int:
    """Bring the cases that no branch of a test on `a` takes to the front; give the end of their stretch."""
    row = cases.place[a]
    end = start
    if cases.numeric[a]:
        if cases.forks[a] == 3:
            return end
        for i in range(start, stop):
            if np.isnan(cases.values[row, order.items[i]]):
                exchange(order, end, i)
                end += 1
    else:
        for i in range(start, stop):
            if cases.codes[row, order.items[i]] == 0:
                exchange(order, end, i)
                end += 1
    return end


@numba.njit(cache=True, error_model="numpy")
def group_branch(cases: Cases, order: Order, a: int, cut: float, v: int, start: int, stop: int) -> int:
    """Bring the cases of branch `v` of a test on `a` to the front; give the end of their stretch."""
    row = cases.place[a]
    end = start
    if cases.numeric[a]:
        for i in range(start, stop):
            value = cases.values[row, order.items[i]]
            if value <= cut if v == 1 else (value > cut if v == 2 else np.isnan(value)):
                exchange(order, end, i)
                end += 1
    else:
        for i in range(start, stop):
            if cases.codes[row, order.items[i]] == v:
                exchange(order, end, i)
                end += 1
    return end


@numba.njit(cache=True, error_model="numpy")
def sort_by_key(keys: NDArray[Any], order: Order, start: int, stop: int) -> None:
    """Sort positions start … stop - 1 by their keys, which are moved along with the cases."""
    stack = np.empty((64, 2), dtype=np.int64)
    stack[0, 0], stack[0, 1], depth = start, stop - 1, 1
    budget = 64 * (stop - start) + 1_000_000
    while depth:
        depth -= 1
        low, high = stack[depth, 0], stack[depth, 1]
        while low < high:
            budget -= high - low
            if budget < 0:
                _sort_by_heap(keys, order, low, high)
                break
            lower, middle = _partition(keys, order, low, high)
            # The longer side waits, so that the stack never holds more than lg n sides.
            if lower - low < high - middle - 1:
                stack[depth, 0], stack[depth, 1] = middle + 1, high
                high = lower
            else:
                stack[depth, 0], stack[depth, 1] = low, lower
                low = middle + 1
            depth += 1


@numba.njit(cache=True, error_model="numpy")
def _swap(keys: NDArray[Any], order: Order, a: int, b: int) -> None:
    keys[a], keys[b] = keys[b], keys[a]
    exchange(order, a, b)


@numba.njit(cache=True, error_model="numpy")
def _partition(keys: NDArray[Any], order: Order, low: int, high: int) -> tuple[int, int]:
    pivot = keys[high]
    middle = low
    for i in range(low, high):
        if keys[i] <= pivot:
            _swap(keys, order, middle, i)
            middle += 1
    lower = middle - 1
    for i in range(lower, low - 1, -1):
        if keys[i] == pivot:
            _swap(keys, order, lower, i)
            lower -= 1
    _swap(keys, order, middle, high)
    return lower, middle


@numba.njit(cache=True, error_model="numpy")
def _sort_by_heap(keys: NDArray[Any], order: Order, low: int, high: int) -> None:
    n = high - low + 1
    for root in range(n // 2 - 1, -1, -1):
        _sift_down(keys, order, low, root, n)
    for last in range(n - 1, 0, -1):
        _swap(keys, order, low, low + last)
        _sift_down(keys, order, low, 0, last)


@numba.njit(cache=True, error_model="numpy")
def _sift_down(keys: NDArray[Any], order: Order, low: int, root: int, n: int) -> None:
    child = 2 * root + 1
    while child < n:
        if child + 1 < n and keys[low + child] < keys[low + child + 1]:
            child += 1
        if keys[low + root] >= keys[low + child]:
            return
        _swap(keys, order, low + root, low + child)
        root, child = child, 2 * child + 1
