"""One literal after the other: whether it is of use, and where it then stands among the others."""

from __future__ import annotations

from typing import Any, NamedTuple

import numba
import numpy as np

from fivefold.learners.foil.kernels.examining import least_kept, least_saved
from fivefold.learners.foil.kernels.judging import list_side, note, weigh_false, weigh_true
from fivefold.learners.foil.kernels.scoring import Logs, charge, most_negatives
from fivefold.learners.foil.kernels.shortlist import Shortlist, best_gain, useful_gain
from fivefold.learners.foil.relational.kernels import scanning as scanned
from fivefold.learners.foil.relational.kernels.arguments import Shape, Walk, advance
from fivefold.learners.foil.relational.kernels.fresh import Fresh, new_fresh, suspect
from fivefold.learners.foil.relational.kernels.joining import Ints, Tables
from fivefold.learners.foil.relational.kernels.scanning import Bindings, Book, Limits, fails_on_more, scan
from fivefold.learners.foil.relational.literal import DETERMINATE
from fivefold.learners.foil.structures import Counts, Noted, Options, State


class Grown(NamedTuple):
    """The literals of a clause so far as arrays; arguments that a literal does not have are 1."""

    relations: Ints
    signs: Ints
    args: Ints


class Ledger(NamedTuple):
    """The literals that may be referred to later: relation, other side of a comparison, arguments.

    `determinate` has the places of the determinate ones and `bits` what these cost; `used` how many there are of
    all, and of determinate ones.
    """

    literals: Ints
    determinate: Ints
    bits: Any
    used: Ints


class Search(NamedTuple):
    """All that a literal is tried with.

    `arity` is that of the head, `bits` what the clause costs so far, `place` how many of its literals do cost.
    """

    tables: Tables
    bindings: Bindings
    numeric: Any
    state: State
    options: Options
    grown: Grown
    book: Book
    best: Shortlist
    noted: Noted
    ledger: Ledger
    logs: Logs
    factorials: Logs
    arity: int
    bits: Any
    place: int
    determinate: Any
    max_tuples: int
    any_missing: bool


@numba.njit(cache=True)
def _limits(search: Search, bits: Any) -> Limits:
    state = search.state
    spent = np.float32(search.bits + charge(bits, search.place))
    useful = useful_gain(search.best, search.options.fraction)
    if search.ledger.used[1]:
        useful = max(useful, np.float32(search.determinate * state.most))
    return Limits(
        useful,
        least_kept(useful, state.base),
        least_saved(state, search.noted, search.logs, search.factorials, spent),
        spent,
        bool(np.float64(best_gain(search.best)) < 1e-2),
        search.max_tuples,
        search.any_missing,
    )


@numba.njit(cache=True)
def _prunes(search: Search, relation: int, args: Ints, limits: Limits, negatable: bool) -> bool:
    """Tell whether a literal that was given up leaves no hope for more special ones."""
    counts, state, options = search.book.counts, search.state, search.options
    left = state.positive - counts[scanned.FALSE_POSITIVE] - counts[scanned.MISSING_POSITIVE]
    if (
        counts[scanned.NEW_TOTAL] > limits.max_tuples
        or not counts[scanned.NEW_VARIABLES]
        or left >= limits.kept
    ):
        return False
    if not negatable:
        return bool(counts[scanned.ORIGINAL_TRUE_POSITIVE] < limits.saved)
    positive = state.positive - counts[scanned.MISSING_POSITIVE]
    most = most_negatives(state.base, limits.useful, positive, positive, options.added, options.sample)
    failed = counts[scanned.FALSE_NEGATIVE]
    done = counts[scanned.MISSING_ALL] + counts[scanned.TRUE] + counts[scanned.FALSE_POSITIVE] + failed
    return fails_on_more(
        search.tables, relation, args, search.bindings, search.numeric, limits.any_missing, done, failed, most,
        search.book.found,
    )  # fmt: skip


@numba.njit(cache=True)
def _binds_something_new(search: Search, relation: int, args: Ints) -> bool:
    """Tell whether not all variables were bound by determinate literals on the same relation."""
    grown, last = search.grown, search.arity
    if args.min() <= last:
        return True
    for k in range(grown.relations.size):
        if not grown.signs[k]:
            continue
        before, last = last, max(last, grown.args[k].max())
        if grown.relations[k] != relation or grown.signs[k] != DETERMINATE:
            for v in args:
                if before < v <= last:
                    return True
    return False


@numba.njit(cache=True)
def _record(ledger: Ledger, relation: int, args: Ints, other: int) -> int:
    place = ledger.used[0]
    ledger.used[0] += 1
    ledger.literals[place, 0], ledger.literals[place, 1] = relation, other
    ledger.literals[place, 2 : 2 + args.size] = args
    return int(place)


@numba.njit(cache=True)
def judge_literal(
    search: Search,
    relation: int,
    args: Ints,
    other: int,
    counts: Counts,
    can_true: bool,
    can_false: bool,
    bits: Any,
    cut: Any,
    new_variables: int,
    determinate: bool,
) -> None:
    """Weigh a literal; note it, and put it with the determinate ones or its sides on the shortlist."""
    state, options, ledger = search.state, search.options, search.ledger
    true_gain, weak_true = np.float32(0.0), True
    false_gain, weak_false = np.float32(0.0), True
    if can_true:
        true_gain, weak_true = weigh_true(state, options, search.logs, counts, new_variables)
    if can_false:
        false_gain, weak_false = weigh_false(state, options, search.logs, counts)
    if state.weak >= options.weak and not determinate and weak_true and weak_false:
        return
    place = _record(ledger, relation, args, other)
    note(state, options, search.noted, counts, can_true, can_false, place, bits, cut)
    little = max(true_gain, false_gain) < np.float32(search.determinate * state.most)
    if determinate and little and _binds_something_new(search, relation, args):
        ledger.determinate[ledger.used[1]], ledger.bits[ledger.used[1]] = place, bits
        ledger.used[1] += 1
        return
    list_side(
        state, search.best, place, 1, true_gain, weak_true, bits, cut,
        counts.true_original_positive, counts.true_original_total,
    )  # fmt: skip
    list_side(
        state, search.best, place, 0, false_gain, weak_false, bits, cut,
        counts.false_original_positive, counts.false_original_total,
    )  # fmt: skip


@numba.njit(cache=True)
def _as_counts(own: Ints) -> Counts:
    return Counts(
        own[scanned.TRUE_POSITIVE],
        own[scanned.NEW_POSITIVE],
        own[scanned.NEW_TOTAL],
        own[scanned.TRUE],
        own[scanned.ORIGINAL_TRUE_POSITIVE],
        own[scanned.ORIGINAL_TRUE],
        own[scanned.FALSE_POSITIVE],
        own[scanned.FALSE_POSITIVE] + own[scanned.FALSE_NEGATIVE],
        own[scanned.ORIGINAL_FALSE_POSITIVE],
        own[scanned.ORIGINAL_FALSE],
    )


@numba.njit(cache=True)
def _try(
    search: Search,
    relation: int,
    args: Ints,
    other: int,
    bits: Any,
    limits: Limits,
    fresh: Fresh,
    negatable: bool,
) -> bool:
    """Try a literal; tell whether more special ones can be passed over."""
    book = search.book
    scan(
        search.tables, relation, args, other, search.bindings, search.state, search.options, limits, fresh,
        negatable, search.numeric, search.logs, search.factorials, book,
    )  # fmt: skip
    if book.flags[scanned.GIVEN_UP]:
        return relation >= 0 and _prunes(search, relation, args, limits, negatable)
    counts, flags = book.counts, book.flags
    same, new = counts[scanned.SAME_VARIABLES] > 0, counts[scanned.NEW_VARIABLES]
    fixed = counts[scanned.CONSTANT_VARIABLES]
    can_true, can_false = bool(flags[scanned.CAN_TRUE] and not same), bool(flags[scanned.CAN_FALSE])
    if not counts[scanned.SAME_EVERYWHERE] and (can_true or can_false):
        determinate = bool(flags[scanned.DETERMINATE] and not same and fixed < new)
        judge_literal(
            search, relation, args, other, _as_counts(counts), can_true, can_false, bits, np.float32(0.0),
            new - fixed, determinate,
        )  # fmt: skip
    return False


@numba.njit(cache=True)
def _mentioned(grown: Grown, after: int, variable: int) -> bool:
    for k in range(after, grown.relations.size):
        for v in grown.args[k]:
            if v == variable:
                return True
    return False


@numba.njit(cache=True)
def _repeats(search: Search, relation: int, args: Ints, last: int) -> bool:
    """Tell whether a literal is already in the clause, perhaps with other variables that no later literal has."""
    grown, known = search.grown, search.arity
    for k in range(grown.relations.size):
        same = grown.relations[k] == relation
        i = 0
        while same and i < args.size:
            own, other = args[i], grown.args[k, i]
            if own <= last:
                same = own == other
            else:
                same = other - known == own - last and not _mentioned(grown, k + 1, other)
            i += 1
        if same:
            return True
        if grown.signs[k]:
            known = max(known, grown.args[k].max())
    return False


@numba.njit(cache=True)
def try_comparison(search: Search, relation: int, args: Ints, other: int, bits: Any, negatable: bool) -> None:
    """Try a comparison."""
    _try(search, relation, args, other, bits, _limits(search, bits), new_fresh(0, 0), negatable)


@numba.njit(cache=True)
def try_relation(search: Search, relation: int, shape: Shape, walk: Walk, bits: Any, negatable: bool) -> bool:
    """Try the literals of a relation until one has the greatest possible gain; tell whether the ledger is full."""
    fresh, limits = new_fresh(shape.arity, shape.last), _limits(search, bits)
    before = search.ledger.used[0]
    while search.ledger.used[0] < search.ledger.literals.shape[0]:
        if best_gain(search.best) >= search.state.most or not advance(shape, walk):
            return False
        if _repeats(search, relation, walk.args, shape.last):
            continue
        if search.ledger.used[0] > before:
            before, limits = search.ledger.used[0], _limits(search, bits)
        suspect(fresh, walk.args, shape.last, shape.fitting)
        walk.level[1] = _try(search, relation, walk.args, 0, bits, limits, fresh, negatable)
    return True
