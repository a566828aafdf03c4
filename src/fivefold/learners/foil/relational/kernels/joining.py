"""The tuples of a relation that fit what is known of the arguments."""

from __future__ import annotations

from typing import Any, NamedTuple

import numba
import numpy as np
from numpy.typing import NDArray

Values = NDArray[np.int32]
Ints = NDArray[np.int64]

MISSING, OUTSIDE = 1, 2
UNBOUND = np.int32(-(2**31))
MISSING_NUMBER = np.int32(0x7FC00000)  # the bits of NaN
# Relations that are not given by tuples; of the last two arguments one is a constant or a number.
EQUAL, EQUALS_CONSTANT, ABOVE, ABOVE_NUMBER = -1, -2, -3, -4


class Tables(NamedTuple):
    """All relations as arrays.

    Row `i` of `tuples` is a tuple; those of relation `r` start at ``first[r]``. Its tuples with constant `c` as
    argument `a` are ``postings[a, heads[r, a, c]:heads[r, a, c + 1]]``, rising. `continuous` says which
    arguments are numbers; their 32 bits stand in place of a constant.
    """

    tuples: Values
    first: Ints
    arity: Ints
    heads: Ints
    postings: Ints
    continuous: NDArray[np.bool_]


@numba.njit(cache=True)
def is_bound(row: Values, variable: int, n_variables: int) -> bool:
    """Tell whether a variable (from 1 on) has a value."""
    return variable <= n_variables and bool(row[variable - 1] != UNBOUND)


@numba.njit(cache=True)
def _fits(tables: Tables, place: int, args: Ints, arity: int, row: Values, n_variables: int) -> bool:
    for i in range(arity):
        value = tables.tuples[place, i]
        if is_bound(row, args[i], n_variables):
            if value != row[args[i] - 1]:
                return False
        else:
            for j in range(i):
                if args[j] == args[i] and tables.tuples[place, j] != value:
                    return False
    return True


@numba.njit(cache=True)
def join(
    tables: Tables, relation: int, args: Ints, row: Values, n_variables: int, only_one: bool, found: Ints
) -> Any:
    """List the tuples that agree with the bound arguments, and in arguments that are the same free variable.

    Gives how many there are, and whether one is outside the closed world, with which the search ends. `only_one`
    ends it with the first tuple.
    """
    arity = tables.arity[relation]
    best, start, end = -1, tables.first[relation], tables.first[relation + 1]
    for i in range(arity):
        if is_bound(row, args[i], n_variables) and not tables.continuous[relation, i]:
            constant = row[args[i] - 1]
            low, high = tables.heads[relation, i, constant], tables.heads[relation, i, constant + 1]
            if best < 0 or high - low < end - start:
                best, start, end = i, low, high
    n = 0
    for k in range(start, end):
        place = k if best < 0 else tables.postings[best, k]
        if not _fits(tables, place, args, arity, row, n_variables):
            continue
        found[n] = place
        n += 1
        for i in range(arity):
            if tables.tuples[place, i] == OUTSIDE and not tables.continuous[relation, i]:
                return n, not only_one
        if only_one:
            break
    return n, False


@numba.njit(cache=True)
def compare(relation: int, row: Values, first: int, other: int) -> bool:
    """Tell whether a comparison holds; `other` is a variable, a constant, or the bits of a number."""
    own = row[first - 1]
    if relation == EQUAL:
        return bool(own == row[other - 1])
    if relation == EQUALS_CONSTANT:
        return bool(own == other)
    pair = np.empty(2, dtype=np.int32)
    pair[0], pair[1] = own, row[other - 1] if relation == ABOVE else other
    numbers = pair.view(np.float32)
    return bool(numbers[0] > numbers[1])


@numba.njit(cache=True)
def has_missing(relation: int, args: Ints, arity: int, row: Values, n_variables: int, numeric: Any) -> bool:
    """Tell whether a bound argument has no value."""
    n = 2 if relation in (EQUAL, ABOVE) else 1 if relation < 0 else arity
    for i in range(n):
        if is_bound(row, args[i], n_variables):
            value = row[args[i] - 1]
            if value == (MISSING_NUMBER if numeric[args[i]] else MISSING):
                return True
    return False
