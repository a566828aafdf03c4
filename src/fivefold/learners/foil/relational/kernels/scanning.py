"""One literal on all bindings of a clause, given up as soon as neither it nor its negation can be of use."""

from __future__ import annotations

from typing import Any, NamedTuple

import numba
import numpy as np

from fivefold.learners.foil.kernels.scoring import allowance, most_negatives
from fivefold.learners.foil.relational.kernels.fresh import Fresh, clear_constants, clear_suspects
from fivefold.learners.foil.relational.kernels.joining import Ints, Tables, Values, compare, has_missing, join
from fivefold.learners.foil.structures import Options, State

(
    ORIGINAL_TRUE_POSITIVE,
    ORIGINAL_TRUE,
    ORIGINAL_FALSE_POSITIVE,
    ORIGINAL_FALSE,
    TRUE_POSITIVE,
    TRUE,
    FALSE_POSITIVE,
    FALSE_NEGATIVE,
    MISSING_POSITIVE,
    MISSING_ALL,
    NEW_POSITIVE,
    NEW_TOTAL,
    SAME_VARIABLES,
    SAME_EVERYWHERE,
    CONSTANT_VARIABLES,
    NEW_VARIABLES,
    KNOWN_POSITIVE,
) = range(17)
CAN_TRUE, CAN_FALSE, DETERMINATE, GIVEN_UP = range(4)
_SEEN_TRUE, _SEEN_FALSE = np.uint8(2), np.uint8(1)


class Bindings(NamedTuple):
    """The bindings of a clause, positive ones first: a row of values each, and the tuple that it stems from."""

    values: Values
    origin: Ints
    n_positive: int


class Limits(NamedTuple):
    """When a side of a literal is given up.

    `useful` is the least gain of interest, `kept` the positives that it takes, `saved` the positives that a clause
    worth saving takes, `bits` the cost of the clause with the literal. `free` says that there is no good literal
    yet, so that one with new variables may keep any number of negatives; `any_missing` that values are missing.
    """

    useful: Any
    kept: Any
    saved: int
    bits: Any
    free: bool
    max_tuples: int
    any_missing: bool


class Book(NamedTuple):
    """Where a scan counts: its counts and flags, the original tuples seen, and room for the tuples found."""

    counts: Ints
    flags: Any
    seen: Any
    found: Ints


@numba.njit(cache=True)
def _see(book: Book, origin: int, mark: Any, positive: bool, both: int, own: int) -> None:
    """Count an original tuple once for each side."""
    counts, seen = book.counts, book.seen
    if seen[origin] & mark:
        return
    counts[both] += 1
    if positive:
        counts[own] += 1
        counts[KNOWN_POSITIVE] += not seen[origin]
    seen[origin] |= mark


@numba.njit(cache=True)
def _limit_negatives(
    state: State, options: Options, limits: Limits, book: Book, logs: Any, factorials: Any
) -> Any:
    """With all positives counted, drop sides that cost too much; give the most negatives that each may keep."""
    counts, flags = book.counts, book.flags
    for side, covered in ((CAN_TRUE, ORIGINAL_TRUE_POSITIVE), (CAN_FALSE, ORIGINAL_FALSE_POSITIVE)):
        flags[side] &= allowance(logs, factorials, state.world, counts[covered]) > limits.bits
    added, sample, false = options.added, options.sample, counts[FALSE_POSITIVE]
    most_true = np.float32(limits.max_tuples)
    if not (counts[NEW_VARIABLES] > 0 and limits.free):
        most_true = most_negatives(
            state.base, limits.useful, counts[TRUE_POSITIVE], counts[NEW_POSITIVE], added, sample
        )
    return most_true, most_negatives(state.base, limits.useful, false, false, added, sample)


@numba.njit(cache=True)
def _excluding(state: State, limits: Limits, book: Book, side: int, excluded: int, covered: int) -> None:
    """Drop a side that excludes too many positives to gain, and to make a clause worth saving."""
    counts = book.counts
    cover = counts[covered] + state.original_positive - counts[KNOWN_POSITIVE]
    left = state.positive - counts[excluded] - counts[MISSING_POSITIVE]
    if cover < limits.saved and left < np.float64(limits.kept) - 1e-3 and not book.flags[DETERMINATE]:
        book.flags[side] = False


@numba.njit(cache=True)
def _count_true(
    state: State, limits: Limits, book: Book, origin: int, positive: bool, n_found: int, most: Any
) -> None:
    counts, flags = book.counts, book.flags
    counts[TRUE] += 1
    counts[NEW_TOTAL] += n_found
    if not flags[DETERMINATE] and counts[NEW_TOTAL] > limits.max_tuples:
        flags[CAN_TRUE] = False
    if positive:
        counts[TRUE_POSITIVE] += 1
        counts[NEW_POSITIVE] += n_found
        _excluding(state, limits, book, CAN_FALSE, TRUE_POSITIVE, ORIGINAL_FALSE_POSITIVE)
    elif not flags[DETERMINATE] and counts[NEW_TOTAL] - counts[NEW_POSITIVE] > np.float64(most) + 1e-3:
        flags[CAN_TRUE] = False
    _see(book, origin, _SEEN_TRUE, positive, ORIGINAL_TRUE, ORIGINAL_TRUE_POSITIVE)


@numba.njit(cache=True)
def _count_false(state: State, limits: Limits, book: Book, origin: int, positive: bool, most: Any) -> None:
    counts, flags = book.counts, book.flags
    if positive:
        counts[FALSE_POSITIVE] += 1
        _excluding(state, limits, book, CAN_TRUE, FALSE_POSITIVE, ORIGINAL_TRUE_POSITIVE)
    else:
        counts[FALSE_NEGATIVE] += 1
        if not flags[DETERMINATE] and counts[FALSE_NEGATIVE] > np.float64(most) + 1e-3:
            flags[CAN_FALSE] = False
    _see(book, origin, _SEEN_FALSE, positive, ORIGINAL_FALSE, ORIGINAL_FALSE_POSITIVE)


@numba.njit(cache=True)
def _finish(book: Book, fresh: Fresh) -> None:
    counts, flags = book.counts, book.flags
    for i in range(fresh.used[0]):
        counts[SAME_EVERYWHERE] += not fresh.differs[i]
    counts[SAME_VARIABLES], counts[CONSTANT_VARIABLES] = fresh.used[0], fresh.used[1]
    flags[CAN_TRUE] &= counts[TRUE_POSITIVE] > 0
    flags[CAN_FALSE] &= counts[FALSE_POSITIVE] > 0


@numba.njit(cache=True)
def scan(
    tables: Tables, relation: int, args: Ints, other: int, bindings: Bindings, state: State, options: Options,
    limits: Limits, fresh: Fresh, negatable: bool, numeric: Any, logs: Any, factorials: Any, book: Book,
) -> None:  # fmt: skip
    """Count what a literal and its negation leave, binding by binding in their order.

    `other` is the second argument of a comparison; `book` takes the results.
    """
    counts, flags, found = book.counts, book.flags, book.found
    counts[:], book.seen[:], flags[:] = 0, 0, False
    flags[CAN_TRUE], flags[CAN_FALSE], flags[DETERMINATE] = True, negatable, fresh.used[1] > 0
    counts[NEW_VARIABLES] = fresh.used[1]
    values, n_variables, arity = bindings.values, bindings.values.shape[1], tables.arity[max(relation, 0)]
    most_true, most_false, first = np.float32(0.0), np.float32(0.0), -1
    for b in range(values.shape[0]):
        positive, row, origin = b < bindings.n_positive, values[b], bindings.origin[b]
        if b == bindings.n_positive:
            most_true, most_false = _limit_negatives(state, options, limits, book, logs, factorials)
            if not (flags[CAN_TRUE] or flags[CAN_FALSE]):
                flags[GIVEN_UP] = True
                break
        if limits.any_missing and has_missing(relation, args, arity, row, n_variables, numeric):
            counts[MISSING_ALL] += 1
            counts[MISSING_POSITIVE] += positive
            flags[DETERMINATE] &= not positive
            continue
        if relation < 0:
            n_found, outside = int(compare(relation, row, args[0], other)), False
        else:
            n_found, outside = join(tables, relation, args, row, n_variables, False, found)
        flags[CAN_TRUE] &= not outside
        if n_found > 0:
            if relation >= 0:
                first = found[0] if first < 0 else first
                clear_suspects(tables, fresh, found, n_found, row, positive)
                clear_constants(tables, fresh, found, n_found, first)
            _count_true(state, limits, book, origin, positive, n_found, most_true)
        else:
            _count_false(state, limits, book, origin, positive, most_false)
        if not (flags[CAN_TRUE] or flags[CAN_FALSE]):
            flags[GIVEN_UP] = True
            break
        flags[DETERMINATE] &= n_found == 1 if positive else n_found <= 1
    _finish(book, fresh)


@numba.njit(cache=True)
def fails_on_more(
    tables: Tables,
    relation: int,
    args: Ints,
    bindings: Bindings,
    numeric: Any,
    any_missing: bool,
    start: int,
    failed: int,
    most: Any,
    found: Ints,
) -> bool:
    """Tell whether a literal fails on more than `most` negative bindings; `failed` of them come before `start`."""
    n_variables, arity = bindings.values.shape[1], tables.arity[relation]
    for b in range(max(start, bindings.n_positive), bindings.values.shape[0]):
        row = bindings.values[b]
        if any_missing and has_missing(relation, args, arity, row, n_variables, numeric):
            continue
        if join(tables, relation, args, row, n_variables, True, found)[0] == 0:
            failed += 1
            if failed > most:
                return True
    return bool(failed > most)
