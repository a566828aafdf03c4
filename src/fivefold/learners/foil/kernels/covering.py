"""A definition, clause by clause, until all positive cases are covered or no good clause is found."""

from __future__ import annotations

from typing import Any

import numba
import numpy as np

from fivefold.learners.foil.kernels.bitsets import count, count_both, pack_rows, remove
from fivefold.learners.foil.kernels.growing import Grown, grow, members, new_search
from fivefold.learners.foil.kernels.trimming import covered_by, needed_clauses, trim
from fivefold.learners.foil.structures import Bits, Cases, Clauses, Ints, Options


@numba.njit(cache=True)
def _good_enough(positive: int, negative: int, min_accuracy: Any) -> bool:
    least = np.float32(min_accuracy * np.float32(positive + negative))
    return bool(positive + 1e-3 >= np.float64(least))


@numba.njit(cache=True)
def _together(clauses: Any, kept: Any) -> Clauses:
    starts = np.zeros(kept.sum() + 1, dtype=np.int64)
    size, place = 0, 0
    for i in range(kept.size):
        size += clauses[i].literals.size if kept[i] else 0
    literals = np.empty(size, dtype=np.int64)
    signs = np.empty(size, dtype=np.bool_)
    cuts = np.empty(size, dtype=np.float32)
    for i in range(kept.size):
        if kept[i]:
            one = clauses[i]
            start, end = starts[place], starts[place] + one.literals.size
            literals[start:end], signs[start:end], cuts[start:end] = one.literals, one.signs, one.cuts
            place += 1
            starts[place] = end
    return Clauses(starts, literals, signs, cuts)


@numba.njit(cache=True)
def _nothing() -> Grown:
    return Grown(np.empty(0, dtype=np.int64), np.empty(0, dtype=np.bool_), np.empty(0, dtype=np.float32))


@numba.njit(cache=True)
def define(cases: Cases, options: Options, positive: Bits, negative: Bits, order: Ints) -> Clauses:
    """Learn the clauses of one class: `positive` are its cases, `negative` all others."""
    clauses = [_nothing() for _ in range(0)]
    covers = [positive for _ in range(0)]
    left, n_all, search = positive.copy(), count(positive), new_search(options)
    while count(left) > 0:
        clause = grow(cases, options, search, left, negative, order, n_all)
        if options.pruning:
            clause = trim(cases, clause, left, negative)
        if clause.literals.size == 0:
            break
        held, errors = covered_by(cases, clause, positive), covered_by(cases, clause, negative)
        if not _good_enough(count_both(held, left), count(errors), options.min_accuracy):
            break
        clauses.append(clause)
        covers.append(held)
        remove(left, held)
        if order.size:
            order = members(order, left, negative)
    kept = np.ones(len(clauses), dtype=np.bool_)
    if options.pruning:
        kept = needed_clauses(covers, len(clauses), positive)
    return _together(clauses, kept)


@numba.njit(cache=True)
def join(definitions: Any) -> tuple[Ints, Clauses]:
    """Put definitions one after the other: the i-th has the clauses from ``firsts[i]`` up to ``firsts[i + 1]``."""
    n_clauses, n_literals = 0, 0
    for one in definitions:
        n_clauses += one.starts.size - 1
        n_literals += one.literals.size
    firsts = np.zeros(len(definitions) + 1, dtype=np.int64)
    starts = np.zeros(n_clauses + 1, dtype=np.int64)
    literals = np.empty(n_literals, dtype=np.int64)
    signs = np.empty(n_literals, dtype=np.bool_)
    cuts = np.empty(n_literals, dtype=np.float32)
    clause, place = 0, 0
    for i in range(len(definitions)):
        one = definitions[i]
        end = place + one.literals.size
        literals[place:end], signs[place:end], cuts[place:end] = one.literals, one.signs, one.cuts
        for c in range(1, one.starts.size):
            clause += 1
            starts[clause] = place + one.starts[c]
        place, firsts[i + 1] = end, clause
    return firsts, Clauses(starts, literals, signs, cuts)


@numba.njit(cache=True)
def define_classes(
    cases: Cases, options: Options, classes: Any, wanted: Ints, in_order: bool
) -> tuple[Ints, Clauses]:
    """Learn the clauses of each wanted class against all other cases.

    `in_order` says that the order of the cases matters, as it does where nominal values are missing.
    """
    definitions = []
    flags = np.empty((2, classes.size), dtype=np.bool_)
    for c in wanted:
        flags[0] = classes == c
        flags[1] = ~flags[0]
        sides = pack_rows(flags)
        order = np.empty(0, dtype=np.int64)
        if in_order:
            order = np.concatenate((np.flatnonzero(flags[0]), np.flatnonzero(flags[1])))
        definitions.append(define(cases, options, sides[0], sides[1], order))
    return join(definitions)
