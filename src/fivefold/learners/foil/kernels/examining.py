"""All literals that a propositional clause could have next."""

from __future__ import annotations

from typing import Any

import numba
import numpy as np

from fivefold.learners.foil.kernels.bitsets import count_row, has
from fivefold.learners.foil.kernels.judging import judge, plain_counts
from fivefold.learners.foil.kernels.scoring import (
    Logs,
    allowance,
    charge,
    gain,
    information,
    least_cover,
    lg,
    most_negatives,
)
from fivefold.learners.foil.kernels.shortlist import POSITIVE, Shortlist, best_gain, useful_gain
from fivefold.learners.foil.kernels.thresholds import arrange, best_cut, gather
from fivefold.learners.foil.structures import Bits, Cases, Ints, Noted, Options, State


@numba.njit(cache=True)
def _missing_before(tests: Bits, known: Bits, test: int, attribute: int, order: Ints, n: int) -> Any:
    """Count the missing values before the last of the first `n` cases that lacks the constant, and that has it.

    FOIL gives a side up while it scans the cases, so that only the missing values seen by then count.
    """
    missing, before_false, before_true = 0, 0, 0
    for i in range(n):
        row = order[i]
        if not has(known[attribute], row):
            missing += 1
        elif has(tests[test], row):
            before_true = missing
        else:
            before_false = missing
    return before_false, before_true


@numba.njit(cache=True)
def _too_few(n: int, excluded: int, missing: int, min_positive: Any, least: int) -> bool:
    """Tell whether a side that excludes positives is dropped: too few to gain, and too few to be saved."""
    left = n - excluded
    return excluded > 0 and bool(left - missing < np.float64(min_positive) - 1e-3) and left + 1 < least


@numba.njit(cache=True)
def _too_little(
    logs: Logs, base: Any, useful: Any, margin: Any, positive: int, negative: int, added: int
) -> bool:
    """Tell whether a side keeps no positives, or too many negatives to have the useful gain."""
    if positive == 0 or negative == 0:
        return positive == 0
    gained = gain(base, information(logs, positive, positive + negative, added), positive, 0)
    # far from the limit the gain alone tells; near it the program's own inverse formula has to
    if gained > useful + margin or gained < useful - margin:
        return bool(gained < useful)
    most = most_negatives(base, useful, positive, positive, added, np.float32(1.0))
    return bool(negative > np.float64(most) + 1e-3)


@numba.njit(cache=True)
def least_saved(state: State, noted: Noted, logs: Logs, factorials: Logs, new_bits: Any) -> int:
    """Give how many positives a literal must leave to make a clause that could be saved."""
    if state.n_literals >= 5:
        return int(state.all_positive)
    cover = noted.whole[POSITIVE] if noted.found[0] else state.saved_cover
    return least_cover(logs, factorials, state.world, cover, new_bits)


@numba.njit(cache=True)
def least_kept(useful: Any, base: Any) -> Any:
    """Give how many positives a side must keep to have the useful gain."""
    return np.float32(np.float64(np.float32(useful / base)) - 0.001)


@numba.njit(cache=True)
def _examine_nominal(
    state: State,
    options: Options,
    cases: Cases,
    positive: Bits,
    negative: Bits,
    order: Ints,
    fixed: Any,
    best: Shortlist,
    noted: Noted,
    bits: Any,
    new_bits: Any,
) -> None:
    # Nearly all literals end in this loop, so it touches plain arrays and numbers only.
    tests, starts, known = cases.tests, cases.starts, cases.known
    logs, factorials, world = cases.logs, cases.factorials, state.world
    base, added, n_pos, n_neg = state.base, options.added, state.positive, state.total - state.positive
    both_sides, no_cut = options.negation, np.float32(0.0)
    margin = np.float32(0.01 + 1e-5 * state.total)
    useful = useful_gain(best, options.fraction)
    kept, least = least_kept(useful, base), least_saved(state, noted, logs, factorials, new_bits)
    for a in range(starts.size - 1):
        if fixed[a]:
            continue
        known_pos, known_neg = n_pos, n_neg
        if not cases.whole[a]:
            known_pos, known_neg = count_row(known, a, positive), count_row(known, a, negative)
        rest_pos, rest_neg = known_pos, known_neg
        last = starts[a + 1] - 1
        for k in range(starts[a], last + 1):
            # what the other constants have not is left for the last one
            t_pos = rest_pos if k == last else count_row(tests, k, positive)
            t_neg = rest_neg if k == last else count_row(tests, k, negative)
            rest_pos, rest_neg = rest_pos - t_pos, rest_neg - t_neg
            f_pos, f_neg = known_pos - t_pos, known_neg - t_neg
            can_true = not _too_little(logs, base, useful, margin, t_pos, t_neg, added)
            can_false = both_sides and not _too_little(logs, base, useful, margin, f_pos, f_neg, added)
            if not (can_true or can_false):
                if both_sides and last - k == 1 and k == starts[a]:
                    break  # of two constants the second is the negation of the first
                continue
            m_false, m_true = 0, 0
            if known_pos < n_pos:
                m_false, m_true = _missing_before(tests, known, k, a, order, n_pos)
            can_true = can_true and not _too_few(n_pos, f_pos, m_false, kept, least)
            can_false = can_false and not _too_few(n_pos, t_pos, m_true, kept, least)
            can_true = can_true and allowance(logs, factorials, world, t_pos) > new_bits
            can_false = can_false and allowance(logs, factorials, world, f_pos) > new_bits
            if can_true or can_false:
                counts = plain_counts(t_pos, t_neg, f_pos, f_neg)
                judge(state, options, logs, best, noted, counts, can_true, can_false, k, bits, no_cut)
                useful = useful_gain(best, options.fraction)
                kept = least_kept(useful, base)
                least = least_saved(state, noted, logs, factorials, new_bits)


@numba.njit(cache=True)
def _examine_numeric(
    state: State,
    options: Options,
    cases: Cases,
    positive: Bits,
    negative: Bits,
    order: Ints,
    best: Shortlist,
    noted: Noted,
    bits: Any,
    new_bits: Any,
) -> None:
    places = np.empty(state.total, dtype=np.int64)
    flags = np.empty(state.total, dtype=np.bool_)
    for m in range(cases.numbers.shape[0]):
        values = cases.numbers[m]
        if order.size:
            arrange(order, 0, state.positive - 1, values)
            arrange(order, state.positive, state.total - 1, values)
        total = gather(positive, negative, cases.sorted_rows[m], cases.n_known[m], places, flags)
        cut = best_cut(state, options, cases.logs, values, places, flags, total)
        if cut.gained < 0:
            continue
        t_pos, true = cut.true_positive, cut.true_total
        f_pos, false = cut.known_positive - t_pos, cut.known_total - true
        allowed_true = allowance(cases.logs, cases.factorials, state.world, t_pos) > new_bits
        allowed_false = allowance(cases.logs, cases.factorials, state.world, f_pos) > new_bits
        can_true, can_false = allowed_true and t_pos > 0, allowed_false and f_pos > 0
        if can_true or can_false:
            whole = np.float32(np.float64(bits) + cases.logs[cut.n_values - 1])
            counts = plain_counts(t_pos, true - t_pos, f_pos, false - f_pos)
            literal = cases.tests.shape[0] + m
            judge(
                state, options, cases.logs, best, noted, counts, can_true, can_false, literal, whole, cut.at
            )


@numba.njit(cache=True)
def relation_bits(n_relations: int, n_trials: int) -> Any:
    """Give the bits that name a relation, its arguments and a sign."""
    bits = np.float32(lg(np.float64(n_relations)) + lg(n_trials + 1e-3))
    return np.float32(np.float64(bits) + 1.0)


@numba.njit(cache=True)
def _affordable(state: State, cases: Cases, bits: Any) -> bool:
    most = allowance(cases.logs, cases.factorials, state.world, state.original_positive)
    available = np.float32(most - np.float64(state.clause_bits))
    return bool(np.float64(bits) - lg(state.n_literals + 1.001) <= available)


@numba.njit(cache=True)
def examine(
    state: State,
    options: Options,
    cases: Cases,
    positive: Bits,
    negative: Bits,
    order: Ints,
    fixed: Any,
    best: Shortlist,
    noted: Noted,
) -> None:
    """Put the best literals on the shortlist and note the one that completes the best clause.

    `fixed` marks the nominal attributes that a literal of the clause has bound to a constant.
    """
    best.used[0], noted.found[0] = 0, 0
    n_tests, n_numeric = 0, cases.numbers.shape[0]
    for a in range(cases.starts.size - 1):
        n_tests += 0 if fixed[a] else cases.starts[a + 1] - cases.starts[a]
    n_relations = int(n_tests > 0) + int(n_numeric > 0)
    if n_tests:
        bits = relation_bits(n_relations, n_tests)
        if _affordable(state, cases, bits):
            new_bits = np.float32(state.clause_bits + charge(bits, state.n_literals))
            _examine_nominal(
                state, options, cases, positive, negative, order, fixed, best, noted, bits, new_bits
            )
    if n_numeric and best_gain(best) < state.most:
        bits = relation_bits(n_relations, n_numeric)
        if _affordable(state, cases, bits):
            new_bits = np.float32(state.clause_bits + charge(bits, state.n_literals))
            _examine_numeric(state, options, cases, positive, negative, order, best, noted, bits, new_bits)
