"""The compiled loops of clauses: counting the terms of Prism and Induct, which hold, and tails of chance."""

from __future__ import annotations

from typing import Any

import cython
import numpy as np
from numpy.typing import NDArray

if not cython.compiled:
    from math import log

    EQUALS, AT_MOST, ABOVE = 0, 1, 2
    # what stands in the columns of a table of terms: two codes are given because a cut lies between them
    ATTRIBUTE, OPERATOR, LOW, HIGH, CORRECT, COVERED = range(6)

Flags = NDArray[np.bool_]
Floats = NDArray[np.float64]
Ints = NDArray[np.int32]
Places = NDArray[np.int64]


def _note(
    terms: Places, k: int, attribute: int, operator: int, low: int, high: int, correct: int, covered: int
) -> None:
    terms[k, ATTRIBUTE], terms[k, OPERATOR], terms[k, LOW], terms[k, HIGH] = attribute, operator, low, high
    terms[k, CORRECT], terms[k, COVERED] = correct, covered


def _list_equals(
    attribute: int, codes: Ints, order: Ints, n: int, wanted: Flags, n_values: int, terms: Places, k: int
) -> int:
    """Write the terms of a nominal attribute from row `k` on; give the row after them."""
    everyone = order.shape[0] - 1
    for code in range(n_values):
        terms[k + code, CORRECT] = terms[k + code, COVERED] = 0
    for i in range(n):
        code = codes[attribute, order[everyone, i]]
        if code >= 0:
            terms[k + code, COVERED] += 1
            terms[k + code, CORRECT] += wanted[order[everyone, i]]
    after = k
    for code in range(n_values):
        correct, covered = terms[k + code, CORRECT], terms[k + code, COVERED]
        if covered > 0:
            _note(terms, after, attribute, EQUALS, code, code, correct, covered)
            after += 1
    return after


def _list_cuts(
    attribute: int, codes: Ints, order: Ints, o: int, n: int, wanted: Flags, terms: Places, k: int
) -> int:
    """Write the terms of a numeric attribute, whose cases are row `o` of `order`; give the row after them."""
    all_correct, correct = 0, 0
    for i in range(n):
        all_correct += wanted[order[o, i]]
    for i in range(n - 1):
        correct += wanted[order[o, i]]
        low, high = codes[attribute, order[o, i]], codes[attribute, order[o, i + 1]]
        if low < high:
            _note(terms, k, attribute, AT_MOST, low, high, correct, i + 1)
            _note(terms, k + 1, attribute, ABOVE, low, high, all_correct - correct, n - i - 1)
            k += 2
    return k


def list_terms(codes: Ints, n_values: Places, order: Ints, sizes: Places, wanted: Flags) -> Places:
    """List the terms that some of the cases meet, one a row, and count these cases and the wanted ones of them.

    An attribute whose number of values is negative is numeric, one without values is not used. `order` has the
    known cases by value, a row for each numeric attribute, and in its last row all cases.
    """
    terms = np.empty((_room(n_values, sizes), 6), dtype=np.int64)
    view, n, k, numeric = terms, sizes[sizes.shape[0] - 1], 0, 0
    with cython.nogil:
        for a in range(n_values.shape[0]):
            if n_values[a] > 0:
                k = _list_equals(a, codes, order, n, wanted, n_values[a], view, k)
            elif n_values[a] < 0:
                k = _list_cuts(a, codes, order, numeric, sizes[numeric], wanted, view, k)
                numeric += 1
    return terms[:k]


def _room(n_values: Places, sizes: Places) -> int:
    room, numeric = 0, 0
    for a in range(n_values.shape[0]):
        if n_values[a] >= 0:
            room += n_values[a]
        else:
            room += 2 * max(sizes[numeric] - 1, 0)
            numeric += 1
    return room


def meets(codes: Ints, terms: Places, row: int) -> bool:
    """Tell whether a case meets all terms; a missing value meets none."""
    for k in range(terms.shape[0]):
        code, operator = codes[terms[k, ATTRIBUTE], row], terms[k, OPERATOR]
        if operator == EQUALS:
            met = code == terms[k, LOW]
        elif operator == AT_MOST:
            met = 0 <= code <= terms[k, LOW]
        else:
            met = code > terms[k, LOW]
        if not met:
            return False
    return True


def select(order: Ints, sizes: Places, chosen: Flags, n_chosen: int) -> tuple[Ints, Places]:
    """Keep the chosen cases, in the same orders."""
    kept = np.empty((order.shape[0], n_chosen), dtype=np.int32)
    n_kept = np.zeros(order.shape[0], dtype=np.int64)
    cases, counts = kept, n_kept
    with cython.nogil:
        for o in range(order.shape[0]):
            for i in range(sizes[o]):
                if chosen[order[o, i]]:
                    cases[o, counts[o]] = order[o, i]
                    counts[o] += 1
    return kept, n_kept


def mark_met(codes: Ints, rows: Ints, terms: Places) -> Flags:
    """Mark those of the given cases that meet all terms, among all cases."""
    met = np.zeros(codes.shape[1], dtype=np.bool_)
    view = met
    with cython.nogil:
        for i in range(rows.shape[0]):
            view[rows[i]] = meets(codes, terms, rows[i])
    return met


class ClauseViews:
    """The arrays of `clauses.Clauses`, and the cases that are held against them."""

    def __init__(self, clauses: Any, values: Floats) -> None:
        self.starts, self.attribute, self.low, self.high = clauses
        self.values = values


def clause_holds(clauses: ClauseViews, rule: int, row: int) -> bool:
    """Tell whether a case lies in all intervals of a clause."""
    for k in range(clauses.starts[rule], clauses.starts[rule + 1]):
        value = clauses.values[clauses.attribute[k], row]
        # both ends in one branch: which of them fails is hard to foresee
        if not (clauses.low[k] < value) & (value <= clauses.high[k]):
            return False
    return True


def _mark_held(clauses: ClauseViews, values: Floats, rule: int, truth: Flags, row: int) -> None:
    """Take from a row the cases for which a clause does not hold."""
    for k in range(clauses.starts[rule], clauses.starts[rule + 1]):
        a, least, most = clauses.attribute[k], clauses.low[k], clauses.high[k]
        for i in range(truth.shape[1]):
            truth[row, i] &= (least < values[a, i]) & (values[a, i] <= most)


def holds(clauses: Any, values: Floats) -> Flags:
    """Tell which clause holds for which case."""
    held, truth = ClauseViews(clauses, values), np.ones((len(clauses.starts) - 1, values.shape[1]), np.bool_)
    view = truth
    with cython.nogil:
        for r in range(view.shape[0]):
            _mark_held(held, values, r, view, r)
    return truth


def first_to_hold(clauses: Any, values: Floats) -> Places:
    """Give the first clause that holds for each case; their number where none does."""
    n, n_clauses = values.shape[1], len(clauses.starts) - 1
    held, met = ClauseViews(clauses, values), np.empty((1, n), dtype=np.bool_)
    first = np.full(n, n_clauses, dtype=np.int64)
    with cython.nogil:
        # the last clause first, so that each takes its cases from those after it
        for r in range(n_clauses - 1, -1, -1):
            met[:] = True
            _mark_held(held, values, r, met, 0)
            for i in range(n):
                if met[0, i]:
                    first[i] = r
    return np.asarray(first)


_NEGLIGIBLE = 1e-17


def _log_choose(log_factorials: Floats, n: int, k: int) -> float:
    return float(log_factorials[n] - log_factorials[k] - log_factorials[n - k])


def log_binomial_tail(correct: int, covered: int, wanted: int, total: int, log_factorials: Floats) -> float:
    """Give ln P(X >= correct) for X of `covered` draws with replacement; `wanted` of `total` cases count."""
    if correct <= 0 or wanted == total:
        return 0.0
    q = float(wanted) / total
    odds = q / (1.0 - q)
    # the sum starts at its largest term, so that nothing overflows and what vanishes is negligible
    start: int = min(covered, max(correct, cython.cast(cython.longlong, (covered + 1) * q)))
    log_start = (
        _log_choose(log_factorials, covered, start)
        + start * log(q)
        + (covered - start) * log(float(total - wanted) / total)
    )
    whole, term, i = 1.0, 1.0, start
    while i < covered and term > _NEGLIGIBLE * whole:
        term *= (covered - i) / (i + 1.0) * odds
        whole += term
        i += 1
    term, i = 1.0, start
    while i > correct and term > _NEGLIGIBLE * whole:
        term *= i / (covered - i + 1.0) / odds
        whole += term
        i -= 1
    return min(0.0, float(log_start + log(whole)))


def log_hypergeometric_tail(
    correct: int, covered: int, wanted: int, total: int, log_factorials: Floats
) -> float:
    """Give ln P(X >= correct) for X of `covered` draws without replacement."""
    unwanted = total - wanted
    if correct <= max(0, covered - unwanted):
        return 0.0
    most = min(covered, wanted)
    start = min(most, max(correct, (covered + 1) * (wanted + 1) // (total + 2)))
    log_start = (
        _log_choose(log_factorials, wanted, start)
        + _log_choose(log_factorials, unwanted, covered - start)
        - _log_choose(log_factorials, total, covered)
    )
    whole, term, i = 1.0, 1.0, start
    while i < most and term > _NEGLIGIBLE * whole:
        term *= (wanted - i) / (i + 1.0) * (covered - i) / (unwanted - covered + i + 1.0)
        whole += term
        i += 1
    term, i = 1.0, start
    while i > correct and term > _NEGLIGIBLE * whole:
        term *= i / (wanted - i + 1.0) * (unwanted - covered + i) / (covered - i + 1.0)
        whole += term
        i -= 1
    return min(0.0, float(log_start + log(whole)))


def log_tails(
    correct: Places, covered: Places, wanted: int, total: int, replace: bool, log_factorials: Floats
) -> Floats:
    """Give the logarithms of many tails of one distribution, with replacement or without."""
    tails = np.empty(correct.shape[0])
    view = tails
    with cython.nogil:
        for k in range(view.shape[0]):
            if replace:
                view[k] = log_binomial_tail(correct[k], covered[k], wanted, total, log_factorials)
            else:
                view[k] = log_hypergeometric_tail(correct[k], covered[k], wanted, total, log_factorials)
    return tails
