"""The compiled loops of Prism and Induct: counting terms, clauses that hold, and tails of chance."""

from __future__ import annotations

import numba
import numpy as np
from numpy.typing import NDArray

EQUALS, AT_MOST, ABOVE = 0, 1, 2
# what stands in the columns of a table of terms: two codes are given because a cut lies between them
ATTRIBUTE, OPERATOR, LOW, HIGH, CORRECT, COVERED = range(6)


@numba.njit(cache=True)
def _note(
    term: NDArray[np.int64], attribute: int, operator: int, low: int, high: int, correct: int, covered: int
) -> None:
    term[ATTRIBUTE], term[OPERATOR], term[LOW], term[HIGH] = attribute, operator, low, high
    term[CORRECT], term[COVERED] = correct, covered


@numba.njit(cache=True)
def _list_equals(
    attribute: int,
    codes: NDArray[np.int32],
    rows: NDArray[np.int32],
    wanted: NDArray[np.bool_],
    n_values: int,
    terms: NDArray[np.int64],
) -> int:
    counts = np.zeros((n_values, 2), dtype=np.int64)
    for row in rows:
        if codes[row] >= 0:
            counts[codes[row], 0] += 1
            counts[codes[row], 1] += wanted[row]
    n_terms = 0
    for code in range(n_values):
        if counts[code, 0] > 0:
            _note(terms[n_terms], attribute, EQUALS, code, code, counts[code, 1], counts[code, 0])
            n_terms += 1
    return n_terms


@numba.njit(cache=True)
def _list_cuts(
    attribute: int,
    codes: NDArray[np.int32],
    rows: NDArray[np.int32],
    wanted: NDArray[np.bool_],
    terms: NDArray[np.int64],
) -> int:
    all_correct = 0
    for row in rows:
        all_correct += wanted[row]
    n_terms, correct = 0, 0
    for i in range(rows.size - 1):
        correct += wanted[rows[i]]
        low, high = codes[rows[i]], codes[rows[i + 1]]
        if low < high:
            others = rows.size - i - 1
            _note(terms[n_terms], attribute, AT_MOST, low, high, correct, i + 1)
            _note(terms[n_terms + 1], attribute, ABOVE, low, high, all_correct - correct, others)
            n_terms += 2
    return n_terms


@numba.njit(cache=True)
def list_terms(
    codes: NDArray[np.int32],
    n_values: NDArray[np.int64],
    order: NDArray[np.int32],
    sizes: NDArray[np.int64],
    wanted: NDArray[np.bool_],
) -> NDArray[np.int64]:
    """List the terms that some of the cases meet, one a row, and count these cases and the wanted ones of them.

    An attribute whose number of values is negative is numeric, one without values is not used. `order` has the
    known cases by value, a row for each numeric attribute, and in its last row all cases.
    """
    n = sizes[-1]
    room, numeric = 0, 0
    for values in n_values:
        room += values if values >= 0 else 2 * max(sizes[numeric] - 1, 0)
        numeric += values < 0
    terms = np.empty((room, 6), dtype=np.int64)
    n_terms, numeric = 0, 0
    for a in range(n_values.size):
        if n_values[a] > 0:
            n_terms += _list_equals(a, codes[a], order[-1, :n], wanted, n_values[a], terms[n_terms:])
        elif n_values[a] < 0:
            n_terms += _list_cuts(a, codes[a], order[numeric, : sizes[numeric]], wanted, terms[n_terms:])
            numeric += 1
    return terms[:n_terms]


@numba.njit(cache=True)
def meets(codes: NDArray[np.int32], terms: NDArray[np.int64], row: int) -> bool:
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


@numba.njit(cache=True)
def select(
    order: NDArray[np.int32], sizes: NDArray[np.int64], chosen: NDArray[np.bool_], n_chosen: int
) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """Keep the chosen cases, in the same orders."""
    kept = np.empty((order.shape[0], n_chosen), dtype=np.int32)
    n_kept = np.zeros_like(sizes)
    for o in range(order.shape[0]):
        k = 0
        for row in order[o, : sizes[o]]:
            if chosen[row]:
                kept[o, k] = row
                k += 1
        n_kept[o] = k
    return kept, n_kept


@numba.njit(cache=True)
def mark_met(
    codes: NDArray[np.int32], rows: NDArray[np.int32], terms: NDArray[np.int64]
) -> NDArray[np.bool_]:
    """Mark those of the given cases that meet all terms, among all cases."""
    met = np.zeros(codes.shape[1], dtype=np.bool_)
    for row in rows:
        met[row] = meets(codes, terms, row)
    return met


@numba.njit(cache=True)
def holds(
    starts: NDArray[np.int64],
    attribute: NDArray[np.int64],
    low: NDArray[np.float64],
    high: NDArray[np.float64],
    values: NDArray[np.float64],
) -> NDArray[np.bool_]:
    """Tell which conjunction of intervals low < x <= high holds for which case."""
    truth = np.ones((starts.size - 1, values.shape[1]), dtype=np.bool_)
    for r in range(starts.size - 1):
        for k in range(starts[r], starts[r + 1]):
            own = values[attribute[k]]
            for i in range(own.size):
                truth[r, i] &= low[k] < own[i] <= high[k]
    return truth


@numba.njit(cache=True)
def first_to_hold(
    starts: NDArray[np.int64],
    attribute: NDArray[np.int64],
    low: NDArray[np.float64],
    high: NDArray[np.float64],
    values: NDArray[np.float64],
) -> NDArray[np.int64]:
    """Give the first conjunction that holds for each case; their number where none does."""
    n_rules = starts.size - 1
    first = np.full(values.shape[1], n_rules, dtype=np.int64)
    for i in range(values.shape[1]):
        for r in range(n_rules):
            truth = True
            for k in range(starts[r], starts[r + 1]):
                if not low[k] < values[attribute[k], i] <= high[k]:
                    truth = False
                    break
            if truth:
                first[i] = r
                break
    return first


_NEGLIGIBLE = 1e-17


@numba.njit(cache=True)
def _log_choose(log_factorials: NDArray[np.float64], n: int, k: int) -> float:
    return float(log_factorials[n] - log_factorials[k] - log_factorials[n - k])


@numba.njit(cache=True)
def log_binomial_tail(
    correct: int, covered: int, wanted: int, total: int, log_factorials: NDArray[np.float64]
) -> float:
    """Give ln P(X >= correct) for X of `covered` draws with replacement; `wanted` of `total` cases count."""
    if correct <= 0 or wanted == total:
        return 0.0
    q = wanted / total
    odds = q / (1.0 - q)
    # the sum starts at its largest term, so that nothing overflows and what vanishes is negligible
    start = min(covered, max(correct, int((covered + 1) * q)))
    log_start = (
        _log_choose(log_factorials, covered, start)
        + start * np.log(q)
        + (covered - start) * np.log((total - wanted) / total)
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
    return min(0.0, float(log_start + np.log(whole)))


@numba.njit(cache=True)
def log_hypergeometric_tail(
    correct: int, covered: int, wanted: int, total: int, log_factorials: NDArray[np.float64]
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
    return min(0.0, float(log_start + np.log(whole)))


@numba.njit(cache=True)
def log_tails(
    correct: NDArray[np.int64],
    covered: NDArray[np.int64],
    wanted: int,
    total: int,
    replace: bool,
    log_factorials: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Give the logarithms of many tails of one distribution, with replacement or without."""
    tails = np.empty(correct.size)
    for k in range(correct.size):
        if replace:
            tails[k] = log_binomial_tail(correct[k], covered[k], wanted, total, log_factorials)
        else:
            tails[k] = log_hypergeometric_tail(correct[k], covered[k], wanted, total, log_factorials)
    return tails
