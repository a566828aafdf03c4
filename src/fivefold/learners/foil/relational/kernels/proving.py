"""Clauses on tuples: whether all literals of a body can be met, recursive ones by the given tuples."""

from __future__ import annotations

from typing import Any, NamedTuple

import numba
import numpy as np

from fivefold.learners.foil.relational.kernels.extending import LESS, MIXED, MORE, NOTHING, SAME
from fivefold.learners.foil.relational.kernels.joining import (
    ABOVE_NUMBER,
    UNBOUND,
    Ints,
    Tables,
    Values,
    compare,
    has_missing,
    is_bound,
    join,
)


class Body(NamedTuple):
    """The literals of a clause as arrays; an inactive one is passed over."""

    relations: Ints
    signs: Ints
    args: Ints
    others: Ints
    active: Any


class Prover(NamedTuple):
    """What a proof needs: room for the tuples found for each literal, and the values of the variables.

    `orders` records, for each recursive literal, how each argument stands to the head's in all calls so far;
    ``recording[0]`` says whether to, and becomes 0 when a call goes nowhere.
    """

    found: Ints
    row: Values
    bound_at: Ints
    orders: Any
    recording: Ints
    target: int
    ranks: Any
    numeric: Any
    any_missing: bool


@numba.njit(cache=True)
def _record(prover: Prover, level: int, args: Ints, arity: int) -> bool:
    """Note how the arguments of a recursive call stand to those of the head; False if none is in order."""
    in_order = False
    for i in range(arity):
        here = MIXED
        if prover.row[args[i] - 1] != UNBOUND:
            own, other = prover.row[i], prover.row[args[i] - 1]
            if own == other:
                here = SAME
            elif prover.numeric[i + 1]:
                here = MORE if compare(ABOVE_NUMBER, prover.row, i + 1, other) else LESS
            else:
                one, two = prover.ranks[i, own], prover.ranks[i, other]
                here = LESS if one < two else MORE if one > two else SAME
        before = prover.orders[level, i]
        if before != here:
            prover.orders[level, i] = here if before == NOTHING else MIXED
        in_order |= prover.orders[level, i] == LESS or prover.orders[level, i] == MORE
    return in_order


@numba.njit(cache=True)
def _enter(tables: Tables, body: Body, prover: Prover, level: int, n_variables: int) -> int:
    """Give the number of ways to meet a literal: tuples found, or 1 for a test that holds."""
    relation, args, row = body.relations[level], body.args[level], prover.row
    arity = tables.arity[max(relation, 0)]
    if prover.any_missing and has_missing(relation, args, arity, row, n_variables, prover.numeric):
        return 0
    if prover.recording[0] and relation == prover.target and not _record(prover, level, args, arity):
        prover.recording[0] = 0
        return 0
    if relation < 0:
        return int(compare(relation, row, args[0], body.others[level]) == (body.signs[level] > 0))
    negated = body.signs[level] == 0
    n = int(join(tables, relation, args, row, n_variables, negated, prover.found[level])[0])
    return int(n == 0) if negated else n


@numba.njit(cache=True)
def _unbind(prover: Prover, level: int) -> None:
    for v in range(prover.row.size):
        if prover.bound_at[v] == level:
            prover.row[v], prover.bound_at[v] = UNBOUND, -1


@numba.njit(cache=True)
def _bind(tables: Tables, body: Body, prover: Prover, level: int, place: int, n_variables: int) -> None:
    if body.relations[level] < 0 or body.signs[level] == 0:
        return
    for i in range(tables.arity[body.relations[level]]):
        v = body.args[level, i]
        if not is_bound(prover.row, v, n_variables):
            prover.row[v - 1] = tables.tuples[place, i]
            prover.bound_at[v - 1] = level


@numba.njit(cache=True)
def proves(tables: Tables, body: Body, prover: Prover, head: Values, n_variables: int) -> bool:
    """Tell whether a body can be met for the tuple `head`, trying the tuples of each literal in turn."""
    n_literals = body.relations.size
    prover.row[:], prover.bound_at[:] = UNBOUND, -1
    prover.row[: head.size] = head
    ways = np.zeros(n_literals + 1, dtype=np.int64)
    tried = np.zeros(n_literals + 1, dtype=np.int64)
    level, entering = 0, True
    while level >= 0:
        if level == n_literals:
            return True
        if not body.active[level]:
            level += 1 if entering else -1
            continue
        if entering:
            ways[level], tried[level] = _enter(tables, body, prover, level, n_variables), 0
        else:
            _unbind(prover, level)
        if tried[level] < ways[level]:
            _bind(tables, body, prover, level, prover.found[level, tried[level]], n_variables)
            tried[level] += 1
            level, entering = level + 1, True
        else:
            level, entering = level - 1, False
    return False


@numba.njit(cache=True)
def covered(tables: Tables, body: Body, prover: Prover, heads: Values, n_variables: int) -> Any:
    """Tell for which tuples a body can be met."""
    found = np.empty(heads.shape[0], dtype=np.bool_)
    for i in range(heads.shape[0]):
        found[i] = proves(tables, body, prover, heads[i], n_variables)
    return found


@numba.njit(cache=True)
def no_worse(
    tables: Tables,
    body: Body,
    prover: Prover,
    positive: Values,
    negative: Values,
    n_variables: int,
    errors: int,
) -> bool:
    """Tell whether a clause covers no more than `errors` negative tuples and its recursion stays in order.

    The orders of its recursive calls are recorded anew on the way.
    """
    recursive = prover.recording[0] == 1
    wrong = 0
    for i in range(negative.shape[0]):
        wrong += proves(tables, body, prover, negative[i], n_variables)
        if wrong > errors or (recursive and not prover.recording[0]):
            return False
    for i in range(positive.shape[0]):
        if not prover.recording[0]:
            break
        proves(tables, body, prover, positive[i], n_variables)
    return not recursive or prover.recording[0] == 1
