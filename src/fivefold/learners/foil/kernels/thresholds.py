"""The best cut of a numeric attribute, and the order in which the search for it leaves the cases."""

from __future__ import annotations

from typing import Any, NamedTuple

import numba
import numpy as np

from fivefold.learners.foil.kernels.bitsets import has
from fivefold.learners.foil.kernels.scoring import Logs, full_total, gain, information
from fivefold.learners.foil.structures import Bits, Ints, Options, Singles, State


class Cut(NamedTuple):
    """The best cut: what lies above it, what has a number at all, and how many different numbers there are.

    `gained` is negative where no cut lies between the classes.
    """

    at: Any
    gained: Any
    true_positive: int
    true_total: int
    known_positive: int
    known_total: int
    n_values: int


@numba.njit(cache=True)
def _better_side(
    state: State, options: Options, logs: Logs, below: int, all_below: int, known: int, all_known: int
) -> Any:
    above = known - below
    all_above = full_total(above, all_known - all_below, options.sample)
    all_below = full_total(below, all_below, options.sample)
    best = gain(state.base, information(logs, above, all_above, options.added), above, 0)
    other = gain(state.base, information(logs, below, all_below, options.added), below, 0)
    return best if best > other else other


@numba.njit(cache=True)
def best_cut(
    state: State,
    options: Options,
    logs: Logs,
    values: Singles,
    places: Ints,
    positive: Any,
    total: int,
) -> Cut:
    """Find the number x for which x < value gains most, itself or negated; the lowest of equal ones.

    `places` are the cases with a number, by rising number; of these `total`, ``positive[i]`` says of which class
    the i-th is. Only a number that is the last before a change of class is tried.
    """
    known = 0
    for i in range(total):
        known += positive[i]
    at, gained, chosen, all_chosen = np.float32(0.0), np.float32(-1e10), 0, 0
    below, all_below, n_values = 0, 0, 0
    before, signs_before, i = np.float32(0.0), 0, 0
    while i < total:
        value, signs, here, all_here = values[places[i]], 0, 0, 0
        while i < total and values[places[i]] == value:
            here += positive[i]
            all_here += 1
            signs |= 1 if positive[i] else 2
            i += 1
        if n_values and (signs_before | signs) == 3:
            worth = _better_side(state, options, logs, below, all_below, known, total)
            if worth > gained:
                gained, at, chosen, all_chosen = worth, before, known - below, total - all_below
        below, all_below = below + here, all_below + all_here
        before, signs_before, n_values = value, signs, n_values + 1
    return Cut(at, gained, chosen, all_chosen, known, total, n_values)


@numba.njit(cache=True)
def gather(positive: Bits, negative: Bits, sorted_rows: Any, n_known: int, places: Ints, flags: Any) -> int:
    """List the cases of a state that have a number, by rising number, and say which are positive."""
    total = 0
    for i in range(n_known):
        row = sorted_rows[i]
        is_positive = has(positive, row)
        if is_positive or has(negative, row):
            places[total], flags[total] = row, is_positive
            total += 1
    return total


@numba.njit(cache=True)
def _swap(order: Ints, a: int, b: int) -> None:
    order[a], order[b] = order[b], order[a]


@numba.njit(cache=True)
def arrange(order: Ints, first: int, last: int, values: Singles) -> None:
    """Bring cases into the order in which FOIL leaves them after looking for a cut.

    Missing numbers come first, then the others by rising number. Equal ones do not keep their order: the steps of
    the program's own sort are followed, since what it does with missing values depends on the order of the cases.
    """
    start = first
    for i in range(first, last + 1):
        if np.isnan(values[order[i]]):
            _swap(order, start, i)
            start += 1
    waiting = [(start, last)]
    while len(waiting) > 0:
        low, high = waiting.pop()
        if low >= high:
            continue
        pivot, middle = values[order[(low + high) // 2]], low
        for i in range(low, high + 1):
            if values[order[i]] < pivot:
                _swap(order, middle, i)
                middle += 1
        waiting.append((low, middle - 1))
        for i in range(middle, high + 1):
            if values[order[i]] == pivot:
                _swap(order, middle, i)
                middle += 1
        waiting.append((middle, high))
