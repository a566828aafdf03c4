"""The judgement of a literal once its tuples are counted: gain, weakness, saved clause, shortlist."""

from __future__ import annotations

from typing import Any

import numba
import numpy as np

from fivefold.learners.foil.kernels.scoring import Logs, full_total, gain, information
from fivefold.learners.foil.kernels.shortlist import (
    BITS,
    CUT,
    LITERAL,
    POSITIVE,
    SIGN,
    TOTAL,
    Shortlist,
    propose,
)
from fivefold.learners.foil.structures import Counts, Noted, Options, State


@numba.njit(cache=True)
def new_noted() -> Noted:
    """Make an empty note."""
    return Noted(np.zeros(5, dtype=np.int64), np.zeros(3, dtype=np.float32), np.zeros(1, dtype=np.int64))


@numba.njit(cache=True)
def plain_counts(true_positive: int, true_negative: int, false_positive: int, false_negative: int) -> Counts:
    """Write the counts of a literal without new variables, where every binding is a tuple."""
    true, false = true_positive + true_negative, false_positive + false_negative
    return Counts(
        true_positive, true_positive, true, true, true_positive, true,
        false_positive, false, false_positive, false,
    )  # fmt: skip


@numba.njit(cache=True)
def ratio(part: int, whole: int) -> Any:
    """Give a share in 32 bits."""
    return np.float32(np.float32(part) / np.float32(whole))


@numba.njit(cache=True)
def _is_weak(state: State, positive: int, total: int, excluded: int) -> bool:
    if excluded <= 0:
        return True
    return bool(positive / (total + 1e-3) <= 0.9999 * np.float64(ratio(state.positive, state.total)))


@numba.njit(cache=True)
def weigh_true(state: State, options: Options, logs: Logs, counts: Counts, new_variables: int) -> Any:
    """Give the gain of the literal and whether it is weak."""
    complete = counts.true_original_positive == counts.true_original_total
    if complete and counts.true_original_positive == state.start_positive:
        gained = state.most
    else:
        total = full_total(counts.true_positive, counts.true_total, options.sample)
        after = information(logs, counts.true_positive, total, options.added)
        gained = gain(state.base, after, counts.true_kept, new_variables)
    return gained, _is_weak(state, counts.true_positive, counts.true_total, counts.false_total)


@numba.njit(cache=True)
def weigh_false(state: State, options: Options, logs: Logs, counts: Counts) -> Any:
    """Give the gain of the negated literal and whether it is weak."""
    complete = counts.false_original_positive == counts.false_original_total
    if complete and counts.false_original_positive == state.start_positive:
        gained = state.most
    else:
        total = full_total(counts.false_positive, counts.false_total, options.sample)
        after = information(logs, counts.false_positive, total, options.added)
        gained = gain(state.base, after, counts.false_positive, 0)
    return gained, _is_weak(state, counts.false_positive, counts.false_total, counts.true_now)


@numba.njit(cache=True)
def note(
    state: State,
    options: Options,
    noted: Noted,
    counts: Counts,
    can_true: bool,
    can_false: bool,
    literal: int,
    bits: Any,
    cut: Any,
) -> None:
    """Note the literal if it would complete a clause that is better than the best one so far."""
    accuracy, sign = np.float32(0.0), 0
    if can_true:
        accuracy, sign = ratio(counts.true_original_positive, counts.true_original_total), 1
    if can_false:
        other = ratio(counts.false_original_positive, counts.false_original_total)
        if not (can_true and accuracy > other):
            accuracy, sign = other, 0
    if np.float64(accuracy) < np.float64(options.min_accuracy) - 1e-3:
        return
    whole, reals, found = noted.whole, noted.reals, noted.found
    cover, best = state.saved_cover, state.saved_accuracy
    if found[0]:
        cover = whole[POSITIVE]
        best = ratio(cover, whole[TOTAL])
    covered = counts.true_original_positive if sign else counts.false_original_positive
    if accuracy > best or (accuracy == best and covered > cover):
        found[0], reals[BITS], reals[CUT] = 1, bits, cut
        whole[LITERAL], whole[SIGN], whole[POSITIVE] = literal, sign, covered
        whole[TOTAL] = counts.true_original_total if sign else counts.false_original_total


@numba.njit(cache=True)
def list_side(
    state: State,
    best: Shortlist,
    literal: int,
    sign: int,
    gained: Any,
    weak: bool,
    bits: Any,
    cut: Any,
    positive: int,
    total: int,
) -> None:
    """Put one side of a literal on the shortlist, if it gains and is not idle beside a perfect saved clause."""
    idle = state.has_saved and not np.float64(state.saved_accuracy) < 0.999 and weak
    if np.float64(gained) > 1e-3 and not idle:
        propose(best, literal, sign, gained, bits, cut, positive, total, state.weak + 1 if weak else 0)


@numba.njit(cache=True)
def judge(
    state: State,
    options: Options,
    logs: Logs,
    best: Shortlist,
    noted: Noted,
    counts: Counts,
    can_true: bool,
    can_false: bool,
    literal: int,
    bits: Any,
    cut: Any,
) -> None:
    """Weigh a literal without new variables; note it and list its sides as they deserve."""
    true_gain, weak_true = np.float32(0.0), True
    false_gain, weak_false = np.float32(0.0), True
    if can_true:
        true_gain, weak_true = weigh_true(state, options, logs, counts, 0)
    if can_false:
        false_gain, weak_false = weigh_false(state, options, logs, counts)
    if state.weak >= options.weak and weak_true and weak_false:
        return
    note(state, options, noted, counts, can_true, can_false, literal, bits, cut)
    list_side(
        state, best, literal, 1, true_gain, weak_true, bits, cut,
        counts.true_original_positive, counts.true_original_total,
    )  # fmt: skip
    list_side(
        state, best, literal, 0, false_gain, weak_false, bits, cut,
        counts.false_original_positive, counts.false_original_total,
    )  # fmt: skip
