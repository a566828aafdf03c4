"""New variables of a literal that may be no news.

Always the same as another variable, or always one value.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numba
import numpy as np

from fivefold.learners.foil.relational.kernels.joining import Ints, Tables, Values


class Fresh(NamedTuple):
    """New variables under suspicion: each pair says that argument `new` may always equal an old variable.

    An `old` above the number of variables stands for another new argument. `constant` are new arguments that may
    always have the same value; `used` holds how many of both are left.
    """

    new: Ints
    old: Ints
    differs: Any
    constant: Ints
    used: Ints


@numba.njit(cache=True)
def new_fresh(arity: int, n_variables: int) -> Fresh:
    """Make room for what the new variables of a literal may equal."""
    room = arity * (n_variables + arity) + 1
    return Fresh(
        np.zeros(room, dtype=np.int64),
        np.zeros(room, dtype=np.int64),
        np.zeros(room, dtype=np.bool_),
        np.zeros(arity + 1, dtype=np.int64),
        np.zeros(2, dtype=np.int64),
    )


@numba.njit(cache=True)
def suspect(fresh: Fresh, args: Ints, n_variables: int, fitting: Any) -> None:
    """List what the new variables of a literal may equal; ``fitting[i, v]`` says that types allow it."""
    new, old, constant = fresh.new, fresh.old, fresh.constant
    n, n_constant = 0, 0
    for i in range(args.size):
        if args[i] <= n_variables or _occurs(args, i):
            continue
        constant[n_constant] = i
        n_constant += 1
        for v in range(1, n_variables + 1):
            if fitting[i, v]:
                new[n], old[n] = i, v
                n += 1
    for first in range(n_constant - 1):
        for second in range(first + 1, n_constant):
            i, j = constant[first], constant[second]
            if fitting[j, n_variables + 1 + i]:
                new[n], old[n] = j, n_variables + 1 + i
                n += 1
    fresh.differs[:n] = False
    fresh.used[0], fresh.used[1] = n, n_constant


@numba.njit(cache=True)
def _occurs(args: Ints, place: int) -> bool:
    found = False
    for i in range(place):
        found |= args[i] == args[place]
    return bool(found)


@numba.njit(cache=True)
def _differ(tables: Tables, found: Ints, n_found: int, row: Values, new: int, old: int) -> bool:
    """Tell whether a new argument differs from an old variable, or from another new one, in a tuple found."""
    for j in range(n_found):
        own = tables.tuples[found[j], new]
        other = row[old - 1] if old <= row.size else tables.tuples[found[j], old - row.size - 1]
        if own != other:
            return True
    return False


@numba.njit(cache=True)
def clear_suspects(
    tables: Tables, fresh: Fresh, found: Ints, n_found: int, row: Values, positive: bool
) -> None:
    """Strike out the pairs that differ in the tuples found; for a negative binding only note it."""
    kept = 0
    for i in range(fresh.used[0]):
        new, old, differs = fresh.new[i], fresh.old[i], fresh.differs[i]
        if (positive or not differs) and _differ(tables, found, n_found, row, new, old):
            if positive:
                continue
            differs = True
        fresh.new[kept], fresh.old[kept], fresh.differs[kept] = new, old, differs
        kept += 1
    fresh.used[0] = kept


@numba.njit(cache=True)
def clear_constants(tables: Tables, fresh: Fresh, found: Ints, n_found: int, first: int) -> None:
    """Strike out the new arguments that have not the same value in all tuples found so far."""
    kept = 0
    for i in range(fresh.used[1]):
        column = fresh.constant[i]
        varies = False
        for j in range(n_found):
            varies |= tables.tuples[first, column] != tables.tuples[found[j], column]
        if not varies:
            fresh.constant[kept] = column
            kept += 1
    fresh.used[1] = kept
