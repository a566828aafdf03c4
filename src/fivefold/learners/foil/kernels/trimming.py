"""Literals of a clause, and clauses of a definition, that nothing depends on."""

from __future__ import annotations

from typing import Any

import numba
import numpy as np

from fivefold.learners.foil.kernels.bitsets import all_in_row, count, count_row, first_of
from fivefold.learners.foil.kernels.growing import Grown, attribute_of, restrict
from fivefold.learners.foil.structures import Bits, Cases


@numba.njit(cache=True)
def covered_by(cases: Cases, clause: Grown, bits: Bits) -> Bits:
    """Give the members of a set for which all literals of a clause hold."""
    held = bits.copy()
    for i in range(clause.literals.size):
        restrict(cases, clause.literals[i], clause.signs[i], clause.cuts[i], held)
    return held


@numba.njit(cache=True)
def _implied(cases: Cases, positive: Bits, literals: Any, signs: Any) -> Any:
    """List the constants that all positive cases of a clause share although it does not ask for them."""
    n_tests = cases.tests.shape[0]
    asked = np.zeros(cases.starts.size - 1, dtype=np.bool_)
    for i in range(literals.size):
        if signs[i] and literals[i] < n_tests:
            asked[attribute_of(cases, literals[i])] = True
    shared = [0 for _ in range(0)]
    one = first_of(positive)
    word, bit = one >> 6, np.uint64(one & 63)
    for a in range(asked.size):
        if asked[a]:
            continue
        for k in range(cases.starts[a], cases.starts[a + 1]):
            if (cases.tests[k, word] >> bit) & np.uint64(1):
                if all_in_row(positive, cases.tests, k):
                    shared.append(k)
                break
    return shared


@numba.njit(cache=True)
def _with_equalities_first(cases: Cases, clause: Grown, positive: Bits) -> Grown:
    """Put the implied constants first, then those that the clause asks for, later ones before earlier ones."""
    n_tests = cases.tests.shape[0]
    shared = _implied(cases, positive, clause.literals, clause.signs)
    n, size = len(shared), clause.literals.size
    literals = np.empty(n + size, dtype=np.int64)
    signs = np.ones(n + size, dtype=np.bool_)
    cuts = np.zeros(n + size, dtype=np.float32)
    for i in range(n):
        literals[i] = shared[n - 1 - i]
    place = n
    for i in range(size - 1, -1, -1):
        if clause.signs[i] and clause.literals[i] < n_tests:
            literals[place] = clause.literals[i]
            place += 1
    for i in range(size):
        if not (clause.signs[i] and clause.literals[i] < n_tests):
            literals[place], signs[place] = clause.literals[i], clause.signs[i]
            cuts[place] = clause.cuts[i]
            place += 1
    return Grown(literals, signs, cuts)


@numba.njit(cache=True)
def trim(cases: Cases, clause: Grown, start_positive: Bits, all_negative: Bits) -> Grown:
    """Drop literals from the last to the first as long as no more negative cases are covered.

    Constants that all covered positive cases share are put in first, so that one of them may take the place of
    several literals.
    """
    errors = count(covered_by(cases, clause, all_negative))
    full = _with_equalities_first(cases, clause, covered_by(cases, clause, start_positive))
    n = full.literals.size
    # those that pass all literals before the i-th, and those that pass the needed ones after it
    before = np.empty((n + 1, all_negative.size), dtype=np.uint64)
    before[0] = all_negative
    for i in range(n):
        before[i + 1] = before[i]
        restrict(cases, full.literals[i], full.signs[i], full.cuts[i], before[i + 1])
    needed, after = np.zeros(n, dtype=np.bool_), all_negative.copy()
    for i in range(n - 1, -1, -1):
        if count_row(before, i, after) > errors:
            needed[i] = True
            restrict(cases, full.literals[i], full.signs[i], full.cuts[i], after)
    return Grown(full.literals[needed], full.signs[needed], full.cuts[needed])


@numba.njit(cache=True)
def _covers_alone(covers: Any, kept: Any, clause: int, positive: Bits) -> bool:
    """Tell whether a clause covers a positive case that none of the other kept ones does."""
    for w in range(positive.size):
        own = covers[clause][w] & positive[w]
        for j in range(kept.size):
            if kept[j] and j != clause:
                own &= ~covers[j][w]
        if own:
            return True
    return False


@numba.njit(cache=True)
def needed_clauses(covers: Any, n: int, positive: Bits) -> Any:
    """Mark the clauses to keep: the last one goes that alone covers no positive case, then again."""
    kept = np.ones(n, dtype=np.bool_)
    needed = np.zeros(n, dtype=np.bool_)
    while True:
        last = -1
        for j in range(n):
            if kept[j] and not needed[j]:
                needed[j] = _covers_alone(covers, kept, j, positive)
                if not needed[j]:
                    last = j
        if last < 0:
            return kept
        kept[last] = False
