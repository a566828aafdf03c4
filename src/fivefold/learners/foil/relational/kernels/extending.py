"""The bindings of a clause with one more literal, and what is always true of its variables."""

from __future__ import annotations

from typing import Any

import numba
import numpy as np

from fivefold.learners.foil.relational.kernels.joining import Ints, Tables, Values, compare, has_missing, join
from fivefold.learners.foil.relational.kernels.scanning import Bindings

NOTHING, LESS, SAME, MORE, MIXED = range(5)


@numba.njit(cache=True)
def _matches(
    tables: Tables, relation: int, args: Ints, other: int, sign: int, row: Values, numeric: Any, any_missing: bool,
    found: Ints,
) -> int:  # fmt: skip
    """Give how many bindings become of one."""
    n_variables = row.size
    if any_missing and has_missing(relation, args, tables.arity[max(relation, 0)], row, n_variables, numeric):
        return 0
    if relation < 0:
        return int(compare(relation, row, args[0], other) == (sign > 0))
    n = int(join(tables, relation, args, row, n_variables, sign == 0, found)[0])
    return n if sign else int(n == 0)


@numba.njit(cache=True)
def extend(
    tables: Tables,
    relation: int,
    args: Ints,
    other: int,
    sign: int,
    bindings: Bindings,
    n_variables: int,
    numeric: Any,
    any_missing: bool,
    found: Ints,
) -> Bindings:
    """Keep the bindings for which a literal holds; one that binds new variables is copied for each way to do so.

    `n_variables` is the number of variables after the literal.
    """
    values, old = bindings.values, bindings.values.shape[1]
    total = 0
    for b in range(values.shape[0]):
        total += _matches(tables, relation, args, other, sign, values[b], numeric, any_missing, found)
    kept = np.empty((total, n_variables), dtype=np.int32)
    origin = np.empty(total, dtype=np.int64)
    place, n_positive = 0, 0
    for b in range(values.shape[0]):
        n = _matches(tables, relation, args, other, sign, values[b], numeric, any_missing, found)
        for k in range(n):
            kept[place, :old] = values[b]
            if relation >= 0 and sign:
                for i in range(tables.arity[relation]):
                    kept[place, args[i] - 1] = tables.tuples[found[k], i]
            origin[place] = bindings.origin[b]
            n_positive += b < bindings.n_positive
            place += 1
    return Bindings(kept, origin, n_positive)


@numba.njit(cache=True)
def count_origins(bindings: Bindings, seen: Any) -> tuple[int, int]:
    """Count the positive and all tuples from which the bindings stem."""
    seen[:] = 0
    positive, total = 0, 0
    for b in range(bindings.origin.size):
        if not seen[bindings.origin[b]]:
            seen[bindings.origin[b]] = 1
            total += 1
            positive += b < bindings.n_positive
    return positive, total


@numba.njit(cache=True)
def relate(values: Values, first: int, second: int, ranks: Any, comparable: bool) -> int:
    """Tell how two variables (from 1 on) stand to each other in all bindings, by the ranks of their constants."""
    found = NOTHING
    for b in range(values.shape[0]):
        one, two = values[b, first - 1], values[b, second - 1]
        if one == two:
            here = SAME
        elif not comparable:
            here = MIXED
        else:
            here = LESS if ranks[one] < ranks[two] else MORE
        if found == NOTHING:
            found = here
        elif found != here:
            return MIXED
        if found == MIXED:
            break
    return found


@numba.njit(cache=True)
def same_on_positive(bindings: Bindings, first: int, second: int) -> bool:
    """Tell whether two variables (from 1 on) are the same in all positive bindings."""
    same = True
    for b in range(bindings.n_positive):
        same &= bindings.values[b, first - 1] == bindings.values[b, second - 1]
    return bool(same)


@numba.njit(cache=True)
def without_differing(bindings: Bindings, first: int, second: int) -> Bindings:
    """Take out the negative bindings in which two variables differ; the last one takes the place of each."""
    values, origin = bindings.values.copy(), bindings.origin.copy()
    n, b = origin.size, bindings.n_positive
    while b < n:
        if values[b, first - 1] != values[b, second - 1]:
            n -= 1
            values[b], origin[b] = values[n], origin[n]
        else:
            b += 1
    return Bindings(values[:n], origin[:n], bindings.n_positive)
