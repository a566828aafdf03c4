"""Bindings of variables: joined with relations, scanned, extended and proved, and whether recursion ends."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import cython
import numpy as np
from numpy.typing import NDArray

if not cython.compiled:
    from fivefold.learners.foil.kernels.literals import (
        Counts,
        Logs,
        Options,
        State,
        allowance,
        most_negatives,
        single,
    )

    MISSING, OUTSIDE = 1, 2
    UNBOUND = -(2**31)
    MISSING_NUMBER = 0x7FC00000  # the bits of NaN
    # Relations that are not given by tuples; of the last two arguments one is a constant or a number.
    EQUAL, EQUALS_CONSTANT, ABOVE, ABOVE_NUMBER = -1, -2, -3, -4
    # The signs of literals: a determinate one was added because it names what is there anyway.
    NEGATED, PLAIN, DETERMINATE = range(3)
    # How an argument of the head stands to that of a recursive call.
    NOTHING, LESS, SAME, MORE, MIXED = range(5)
    # Places of the counts and of the flags of a scan.
    (
        ORIGINAL_TRUE_POSITIVE, ORIGINAL_TRUE, ORIGINAL_FALSE_POSITIVE, ORIGINAL_FALSE, TRUE_POSITIVE, TRUE,
        FALSE_POSITIVE, FALSE_NEGATIVE, MISSING_POSITIVE, MISSING_ALL, NEW_POSITIVE, NEW_TOTAL, SAME_VARIABLES,
        SAME_EVERYWHERE, CONSTANT_VARIABLES, NEW_VARIABLES, KNOWN_POSITIVE, N_COUNTS,
    ) = range(18)  # fmt: skip
    CAN_TRUE, CAN_FALSE, IS_DETERMINATE, GIVEN_UP, N_FLAGS = range(5)
    SEEN_FALSE, SEEN_TRUE = 1, 2
    # The bits of a number without its sign, and those of infinity.
    MAGNITUDE, INFINITE = 0x7FFFFFFF, 0x7F800000

    def is_bound(look: Lookup, b: int, variable: int) -> bool:
        """Tell whether a variable (from 1 on) has a value in a row."""
        return variable <= look.n_variables and look.rows[b, variable - 1] != UNBOUND


Values = NDArray[np.int32]
Ints = NDArray[np.int64]
Flags = NDArray[np.bool_]
Orders = NDArray[np.int8]


@dataclass(repr=False, eq=False)
class Tables:
    """All relations as arrays.

    Row `i` of `tuples` is a tuple; those of relation `r` start at ``first[r]``. Its tuples with constant `c` as
    argument `a` are ``postings[a, heads[r, a, c]:heads[r, a, c + 1]]``, rising. `continuous` says which
    arguments are numbers; their 32 bits stand in place of a constant.
    """

    tuples: Values
    first: Ints
    arity: Ints
    heads: Ints
    postings: Ints
    continuous: Flags


@dataclass(repr=False, eq=False)
class Lookup:
    """What literals are looked up with: the relations, and rows with the values of variables.

    Row `k` of `args` has the variables of a literal, that of `matches` room for the tuples found for it. Variables
    above `n_variables` are free; `numeric` says which are numbers, `any_missing` that values are missing.
    """

    tables: Tables
    rows: Values
    args: Ints
    matches: Ints
    numeric: Flags
    n_variables: int
    any_missing: bool


def _fits(look: Lookup, literal: int, b: int, place: int, arity: int) -> bool:
    for i in range(arity):
        value, variable = look.tables.tuples[place, i], look.args[literal, i]
        if is_bound(look, b, variable):
            if value != look.rows[b, variable - 1]:
                return False
        else:
            for j in range(i):
                if look.args[literal, j] == variable and look.tables.tuples[place, j] != value:
                    return False
    return True


def join(look: Lookup, relation: int, literal: int, b: int, only_one: bool) -> tuple[int, bool]:
    """List the tuples that agree with the bound arguments, and in arguments that are the same free variable.

    Gives how many there are, and whether one is outside the closed world, with which the search ends. `only_one`
    ends it with the first tuple.
    """
    arity, n = look.tables.arity[relation], 0
    best, start, end = -1, look.tables.first[relation], look.tables.first[relation + 1]
    for i in range(arity):
        variable = look.args[literal, i]
        if is_bound(look, b, variable) and not look.tables.continuous[relation, i]:
            constant = look.rows[b, variable - 1]
            low, high = look.tables.heads[relation, i, constant], look.tables.heads[relation, i, constant + 1]
            if best < 0 or high - low < end - start:
                best, start, end = i, low, high
    for k in range(start, end):
        place = k if best < 0 else look.tables.postings[best, k]
        if not _fits(look, literal, b, place, arity):
            continue
        look.matches[literal, n] = place
        n += 1
        for i in range(arity):
            if look.tables.tuples[place, i] == OUTSIDE and not look.tables.continuous[relation, i]:
                return n, not only_one
        if only_one:
            break
    return n, False


def _ordinal(bits: int) -> int:
    return bits if bits >= 0 else -(bits & MAGNITUDE)


def is_above(first: int, second: int) -> bool:
    """Tell whether a number is greater than another, both given by their bits; a missing one never is."""
    if (first & MAGNITUDE) > INFINITE or (second & MAGNITUDE) > INFINITE:
        return False
    return _ordinal(first) > _ordinal(second)


def compare(look: Lookup, relation: int, b: int, first: int, other: int) -> bool:
    """Tell whether a comparison holds; `other` is a variable, a constant, or the bits of a number."""
    own = look.rows[b, first - 1]
    if relation in (EQUAL, ABOVE):
        other = look.rows[b, other - 1]
    return bool(own == other) if relation in (EQUAL, EQUALS_CONSTANT) else is_above(own, other)


def has_missing(look: Lookup, relation: int, literal: int, b: int) -> bool:
    """Tell whether a bound argument has no value."""
    arity = 1 if relation < 0 else look.tables.arity[relation]
    for i in range(2 if relation in (EQUAL, ABOVE) else arity):
        variable = look.args[literal, i]
        if is_bound(look, b, variable):
            value = look.rows[b, variable - 1]
            if value == (MISSING_NUMBER if look.numeric[variable] else MISSING):
                return True
    return False


class Fresh:
    """New variables under suspicion: each pair says that argument `new` may always equal an old variable.

    An `old` above the number of variables stands for another new argument. `constant` are new arguments that may
    always have the same value.
    """

    def __init__(self, arity: int, n_variables: int) -> None:
        room = arity * (n_variables + arity) + 1
        self.new, self.old = np.zeros(room, dtype=np.int64), np.zeros(room, dtype=np.int64)
        self.differs = np.zeros(room, dtype=bool)
        self.constant = np.zeros(arity + 1, dtype=np.int64)
        self.n_pairs, self.n_constant = 0, 0


def suspect(fresh: Fresh, args: Ints, n_variables: int, fitting: Flags) -> None:
    """List what the new variables of a literal may equal; ``fitting[i, v]`` says that types allow it."""
    n, n_constant = 0, 0
    for i in range(args.shape[0]):
        if args[i] <= n_variables or _occurs(args, i):
            continue
        fresh.constant[n_constant] = i
        n_constant += 1
        for v in range(1, n_variables + 1):
            if fitting[i, v]:
                fresh.new[n], fresh.old[n] = i, v
                n += 1
    for first in range(n_constant - 1):
        for second in range(first + 1, n_constant):
            i, j = fresh.constant[first], fresh.constant[second]
            if fitting[j, n_variables + 1 + i]:
                fresh.new[n], fresh.old[n] = j, n_variables + 1 + i
                n += 1
    for i in range(n):
        fresh.differs[i] = False
    fresh.n_pairs, fresh.n_constant = n, n_constant


def _occurs(args: Ints, place: int) -> bool:
    i = 0
    while args[i] != args[place]:
        i += 1
    return i < place


def _differ(look: Lookup, n_matches: int, b: int, new: int, old: int) -> bool:
    """Tell whether a new argument differs from an old variable, or from another new one, in a tuple found."""
    known = look.n_variables
    for j in range(n_matches):
        place = look.matches[0, j]
        other = look.rows[b, old - 1] if old <= known else look.tables.tuples[place, old - known - 1]
        if look.tables.tuples[place, new] != other:
            return True
    return False


def clear_suspects(fresh: Fresh, look: Lookup, n_matches: int, b: int, positive: bool) -> None:
    """Strike out the pairs that differ in the tuples found; for a negative binding only note it."""
    kept = 0
    for i in range(fresh.n_pairs):
        new, old, differs = fresh.new[i], fresh.old[i], fresh.differs[i]
        if (positive or not differs) and _differ(look, n_matches, b, new, old):
            if positive:
                continue
            differs = True
        fresh.new[kept], fresh.old[kept], fresh.differs[kept] = new, old, differs
        kept += 1
    fresh.n_pairs = kept


def clear_constants(fresh: Fresh, look: Lookup, n_matches: int, first: int) -> None:
    """Strike out the new arguments that have not the same value in all tuples found so far."""
    kept = 0
    for i in range(fresh.n_constant):
        column = fresh.constant[i]
        value, j = look.tables.tuples[first, column], 0
        while j < n_matches and look.tables.tuples[look.matches[0, j], column] == value:
            j += 1
        if j == n_matches:
            fresh.constant[kept] = column
            kept += 1
    fresh.n_constant = kept


class Bindings(NamedTuple):
    """The bindings of a clause, positive ones first: a row of values each, and the tuple that it stems from."""

    values: Values
    origin: Ints
    n_positive: int


class Limits:
    """When a side of a literal is given up.

    `useful` is the least gain of interest, `kept` the positives that it takes, `saved` the positives that a clause
    worth saving takes, `bits` the cost of the clause with the literal. `free` says that there is no good literal
    yet, so that one with new variables may keep any number of negatives.
    """

    useful: float
    kept: float
    bits: float
    saved: int
    max_tuples: int
    free: bool


class Book:
    """The bindings that a literal is tried on, and where it counts: counts and flags, and the tuples seen."""

    def __init__(self, look: Lookup, bindings: Bindings, seen: NDArray[np.uint8]) -> None:
        self.look, self.seen = look, seen
        self.origin, self.n_positive = bindings.origin, bindings.n_positive
        self.counts, self.flags = np.zeros(N_COUNTS, dtype=np.int64), np.zeros(N_FLAGS, dtype=bool)


def _clear(marks: NDArray[np.uint8]) -> None:
    for i in range(marks.shape[0]):
        marks[i] = 0


def _see(book: Book, origin: int, mark: int, positive: bool, both: int, own: int) -> None:
    """Count an original tuple once for each side."""
    if book.seen[origin] & mark:
        return
    book.counts[both] += 1
    if positive:
        book.counts[own] += 1
        book.counts[KNOWN_POSITIVE] += not book.seen[origin]
    book.seen[origin] |= mark


def _limit_negatives(
    book: Book, state: State, options: Options, logs: Logs, limits: Limits
) -> tuple[float, float]:
    """With all positives counted, drop sides that cost too much; give the most negatives that each may keep."""
    counts, flags, useful, added = book.counts, book.flags, limits.useful, options.added
    flags[CAN_TRUE] &= allowance(logs, state.world, counts[ORIGINAL_TRUE_POSITIVE]) > limits.bits
    flags[CAN_FALSE] &= allowance(logs, state.world, counts[ORIGINAL_FALSE_POSITIVE]) > limits.bits
    most_true, false = single(limits.max_tuples), counts[FALSE_POSITIVE]
    if not (counts[NEW_VARIABLES] > 0 and limits.free):
        most_true = most_negatives(
            state.base, useful, counts[TRUE_POSITIVE], counts[NEW_POSITIVE], added, options.sample
        )
    return most_true, most_negatives(state.base, useful, false, false, added, options.sample)


def _excluding(book: Book, state: State, limits: Limits, side: int, excluded: int, covered: int) -> None:
    """Drop a side that excludes too many positives to gain, and to make a clause worth saving."""
    cover = book.counts[covered] + state.original_positive - book.counts[KNOWN_POSITIVE]
    left = state.positive - book.counts[excluded] - book.counts[MISSING_POSITIVE]
    if cover < limits.saved and left < float(limits.kept) - 1e-3 and not book.flags[IS_DETERMINATE]:
        book.flags[side] = False


def _count_true(
    book: Book, state: State, limits: Limits, origin: int, positive: bool, n_matches: int, most: float
) -> None:
    book.counts[TRUE] += 1
    book.counts[NEW_TOTAL] += n_matches
    if not book.flags[IS_DETERMINATE] and book.counts[NEW_TOTAL] > limits.max_tuples:
        book.flags[CAN_TRUE] = False
    if positive:
        book.counts[TRUE_POSITIVE] += 1
        book.counts[NEW_POSITIVE] += n_matches
        _excluding(book, state, limits, CAN_FALSE, TRUE_POSITIVE, ORIGINAL_FALSE_POSITIVE)
    elif (
        not book.flags[IS_DETERMINATE]
        and book.counts[NEW_TOTAL] - book.counts[NEW_POSITIVE] > float(most) + 1e-3
    ):
        book.flags[CAN_TRUE] = False
    _see(book, origin, SEEN_TRUE, positive, ORIGINAL_TRUE, ORIGINAL_TRUE_POSITIVE)


def _count_false(book: Book, state: State, limits: Limits, origin: int, positive: bool, most: float) -> None:
    if positive:
        book.counts[FALSE_POSITIVE] += 1
        _excluding(book, state, limits, CAN_TRUE, FALSE_POSITIVE, ORIGINAL_TRUE_POSITIVE)
    else:
        book.counts[FALSE_NEGATIVE] += 1
        if not book.flags[IS_DETERMINATE] and book.counts[FALSE_NEGATIVE] > float(most) + 1e-3:
            book.flags[CAN_FALSE] = False
    _see(book, origin, SEEN_FALSE, positive, ORIGINAL_FALSE, ORIGINAL_FALSE_POSITIVE)


def _begin(book: Book, fresh: Fresh, negatable: bool) -> None:
    for i in range(N_COUNTS):
        book.counts[i] = 0
    _clear(book.seen)
    book.flags[CAN_TRUE], book.flags[CAN_FALSE], book.flags[GIVEN_UP] = True, negatable, False
    book.flags[IS_DETERMINATE] = fresh.n_constant > 0
    book.counts[NEW_VARIABLES] = fresh.n_constant


def _finish(book: Book, fresh: Fresh) -> None:
    for i in range(fresh.n_pairs):
        book.counts[SAME_EVERYWHERE] += not fresh.differs[i]
    book.counts[SAME_VARIABLES], book.counts[CONSTANT_VARIABLES] = fresh.n_pairs, fresh.n_constant
    book.flags[CAN_TRUE] &= book.counts[TRUE_POSITIVE] > 0
    book.flags[CAN_FALSE] &= book.counts[FALSE_POSITIVE] > 0


def _is_missing(book: Book, relation: int, b: int, positive: bool) -> bool:
    """Tell whether a literal has an argument without a value; count it then."""
    if not has_missing(book.look, relation, 0, b):
        return False
    book.counts[MISSING_ALL] += 1
    book.counts[MISSING_POSITIVE] += positive
    book.flags[IS_DETERMINATE] &= not positive
    return True


def scan(
    book: Book, relation: int, other: int, state: State, options: Options, logs: Logs, limits: Limits,
    fresh: Fresh, negatable: bool,
) -> None:  # fmt: skip
    """Count what a literal and its negation leave, binding by binding in their order.

    The literal is the one in the first row of the arguments; `other` is the second argument of a comparison.
    """
    most_true, most_false, first = 0.0, 0.0, -1
    _begin(book, fresh, negatable)
    for b in range(book.look.rows.shape[0]):
        positive = b < book.n_positive
        if b == book.n_positive:
            most_true, most_false = _limit_negatives(book, state, options, logs, limits)
            if not (book.flags[CAN_TRUE] or book.flags[CAN_FALSE]):
                book.flags[GIVEN_UP] = True
                break
        if book.look.any_missing and _is_missing(book, relation, b, positive):
            continue
        if relation < 0:
            n_matches = 1 if compare(book.look, relation, b, book.look.args[0, 0], other) else 0
        else:
            n_matches, outside = join(book.look, relation, 0, b, False)
            book.flags[CAN_TRUE] &= not outside
        if n_matches > 0:
            if relation >= 0:
                first = book.look.matches[0, 0] if first < 0 else first
                clear_suspects(fresh, book.look, n_matches, b, positive)
                clear_constants(fresh, book.look, n_matches, first)
            _count_true(book, state, limits, book.origin[b], positive, n_matches, most_true)
        else:
            _count_false(book, state, limits, book.origin[b], positive, most_false)
        if not (book.flags[CAN_TRUE] or book.flags[CAN_FALSE]):
            book.flags[GIVEN_UP] = True
            break
        book.flags[IS_DETERMINATE] &= n_matches == 1 if positive else n_matches <= 1
    _finish(book, fresh)


def fill_counts(book: Book, counts: Counts) -> None:
    """Give what a literal and its negation leave."""
    own = book.counts
    counts.true_kept, counts.true_positive = own[TRUE_POSITIVE], own[NEW_POSITIVE]
    counts.true_total, counts.true_now = own[NEW_TOTAL], own[TRUE]
    counts.true_original_positive = own[ORIGINAL_TRUE_POSITIVE]
    counts.true_original_total = own[ORIGINAL_TRUE]
    counts.false_positive = own[FALSE_POSITIVE]
    counts.false_total = own[FALSE_POSITIVE] + own[FALSE_NEGATIVE]
    counts.false_original_positive = own[ORIGINAL_FALSE_POSITIVE]
    counts.false_original_total = own[ORIGINAL_FALSE]


def _fails_on_more(book: Book, relation: int, start: int, failed: int, most: float) -> bool:
    """Tell whether a literal fails on more than `most` negative bindings; `failed` of them come before `start`."""
    for b in range(max(start, book.n_positive), book.look.rows.shape[0]):
        if book.look.any_missing and has_missing(book.look, relation, 0, b):
            continue
        if join(book.look, relation, 0, b, True)[0] == 0:
            failed += 1
            if failed > most:
                return True
    return failed > most


def prunes(
    book: Book, relation: int, state: State, options: Options, limits: Limits, negatable: bool
) -> bool:
    """Tell whether a literal that was given up leaves no hope for more special ones."""
    counts, positive = book.counts, state.positive - book.counts[MISSING_POSITIVE]
    enough = positive - counts[FALSE_POSITIVE] >= float(limits.kept)
    if not counts[NEW_VARIABLES] or counts[NEW_TOTAL] > limits.max_tuples or enough:
        return False
    if not negatable:
        return bool(counts[ORIGINAL_TRUE_POSITIVE] < limits.saved)
    most = most_negatives(state.base, limits.useful, positive, positive, options.added, options.sample)
    failed = counts[FALSE_NEGATIVE]
    done = counts[MISSING_ALL] + counts[TRUE] + counts[FALSE_POSITIVE] + failed
    return _fails_on_more(book, relation, done, failed, most)


def _extensions(look: Lookup, relation: int, other: int, sign: int, b: int) -> int:
    """Give how many bindings become of one."""
    if look.any_missing and has_missing(look, relation, 0, b):
        return 0
    if relation < 0:
        return 1 if compare(look, relation, b, look.args[0, 0], other) == (sign > 0) else 0
    n = join(look, relation, 0, b, sign == 0)[0]
    return n if sign else 1 - n


def _write_extensions(
    look: Lookup, relation: int, other: int, sign: int, old_origin: Ints, old_positive: int, values: Values,
    origin: Ints,
) -> int:  # fmt: skip
    """Write the bindings with a literal; give how many are positive."""
    place, n_positive = 0, 0
    with cython.nogil:
        for b in range(look.rows.shape[0]):
            n = _extensions(look, relation, other, sign, b)
            for k in range(n):
                for i in range(look.rows.shape[1]):
                    values[place, i] = look.rows[b, i]
                if relation >= 0 and sign:
                    for i in range(look.tables.arity[relation]):
                        values[place, look.args[0, i] - 1] = look.tables.tuples[look.matches[0, k], i]
                origin[place] = old_origin[b]
                place += 1
            if b < old_positive:
                n_positive += n
    return n_positive


def extend(
    look: Lookup, relation: int, other: int, sign: int, bindings: Bindings, n_variables: int
) -> Bindings:
    """Keep the bindings for which a literal holds; one that binds new variables is copied for each way to do so.

    `n_variables` is the number of variables after the literal.
    """
    total = 0
    with cython.nogil:
        for b in range(look.rows.shape[0]):
            total += _extensions(look, relation, other, sign, b)
    values, origin = np.empty((total, n_variables), dtype=np.int32), np.empty(total, dtype=np.int64)
    n_positive = _write_extensions(
        look, relation, other, sign, bindings.origin, bindings.n_positive, values, origin
    )
    return Bindings(values, origin, n_positive)


def count_origins(origin: Ints, n_positive: int, seen: NDArray[np.uint8]) -> tuple[int, int]:
    """Count the positive and all tuples from which the bindings stem."""
    positive, total = 0, 0
    with cython.nogil:
        _clear(seen)
        for b in range(origin.shape[0]):
            if not seen[origin[b]]:
                seen[origin[b]] = 1
                total += 1
                positive += b < n_positive
    return positive, total


def relate(values: Values, first: int, second: int, ranks: Values, comparable: bool) -> int:
    """Tell how two variables (from 1 on) stand to each other in all bindings, by the ranks of their constants."""
    relation = NOTHING
    with cython.nogil:
        for b in range(values.shape[0]):
            first_value, second_value = values[b, first - 1], values[b, second - 1]
            if first_value == second_value:
                here = SAME
            elif not comparable:
                here = MIXED
            else:
                here = LESS if ranks[first_value] < ranks[second_value] else MORE
            relation = here if relation in (NOTHING, here) else MIXED
            if relation == MIXED:
                break
    return relation


def _drop_differing(values: Values, origin: Ints, n_positive: int, first: int, second: int) -> int:
    n: int = origin.shape[0]
    b = n_positive
    while b < n:
        if values[b, first - 1] != values[b, second - 1]:
            n -= 1
            origin[b] = origin[n]
            for j in range(values.shape[1]):
                values[b, j] = values[n, j]
        else:
            b += 1
    return n


def without_differing(bindings: Bindings, first: int, second: int) -> Bindings:
    """Take out the negative bindings in which two variables differ; the last one takes the place of each."""
    values, origin = bindings.values.copy(), bindings.origin.copy()
    n = _drop_differing(values, origin, bindings.n_positive, first, second)
    return Bindings(values[:n], origin[:n], bindings.n_positive)


class Calls:
    """Recursive calls: ``orders[j, k]`` says how argument `k` of the head stands to that of call `j`.

    `ways` says which way each argument must go from the beginning, or that either will do; `types` are those of
    the arguments.
    """

    def __init__(self, orders: Orders, ways: Orders, types: Ints) -> None:
        self.orders, self.ways, self.types = orders, ways, types
        self.ways_now = np.empty(len(ways), dtype=np.int8)
        self.left, self.used = np.empty(len(orders), dtype=bool), np.empty(len(ways), dtype=bool)


def _column(calls: Calls, column: int, way: int) -> tuple[int, int]:
    """Give the one way in which the calls left go in a column, and how many go; -1 if there are two ways."""
    unequal = 0
    for j in range(calls.orders.shape[0]):
        cell = calls.orders[j, column]
        if not calls.left[j] or cell == SAME:
            continue
        if cell == MIXED or way not in (cell, SAME):
            return MIXED, -1
        way = cell
        unequal += 1
    return way, unequal


def _best_column(calls: Calls) -> tuple[int, int]:
    """Give the column in which most calls go one way, and that way; -1 if there is none."""
    best, most, best_way = -1, 0, MIXED
    for k in range(calls.orders.shape[1]):
        if calls.used[k]:
            continue
        way, unequal = _column(calls, k, calls.ways_now[k])
        if unequal > most:
            best, most, best_way = k, unequal, way
    return best, best_way


def recursion_ends(calls: Calls) -> bool:
    """Tell whether all calls go the same way along some arguments, one after the other.

    A column is taken in which the calls that are left have only one kind of inequality, and equality; the calls
    that are unequal there are done with; and so on, until none is left. Columns of one type must go the same way.
    """
    n, width = calls.orders.shape[0], calls.orders.shape[1]
    for k in range(width):
        calls.ways_now[k], calls.used[k] = calls.ways[k], False
    for j in range(n):
        calls.left[j] = True
    n_left = n
    while n_left > 0:
        best, way = _best_column(calls)
        if best < 0:
            return False
        for j in range(n):
            if calls.left[j] and calls.orders[j, best] != SAME:
                calls.left[j] = False
                n_left -= 1
        calls.used[best] = True
        for k in range(width):
            if k != best and calls.types[k] == calls.types[best]:
                calls.ways_now[k] = way
    return True


class Prover:
    """A clause as arrays, and what its proofs need; `row` are the values of the variables, which `look` looks at.

    An inactive literal is passed over. `orders` records, for each recursive literal, how each argument stands to
    the head's in all calls so far; `recording` says whether to, and becomes False when a call goes nowhere.
    """

    def __init__(
        self, look: Lookup, row: Values, relations: Ints, signs: Ints, others: Ints, active: Flags,
        ranks: Values, target: int, recording: bool,
    ) -> None:  # fmt: skip
        self.look, self.row = look, row
        self.relations, self.signs, self.others, self.active = relations, signs, others, active
        self.ranks, self.target, self.recording = ranks, target, recording
        n = len(relations)
        self.orders = np.zeros((n, len(ranks)), dtype=np.int8)
        self.bound_at = np.empty(len(row), dtype=np.int64)
        self.ways, self.tried = np.empty(n, dtype=np.int64), np.empty(n, dtype=np.int64)


def _order_of(prover: Prover, i: int, variable: int) -> int:
    """Tell how an argument of the head stands to a variable."""
    own, other = prover.row[i], prover.row[variable - 1]
    if other == UNBOUND:
        return MIXED
    if own == other:
        return SAME
    if prover.look.numeric[i + 1]:
        return MORE if is_above(own, other) else LESS
    own_rank, other_rank = prover.ranks[i, own], prover.ranks[i, other]
    if own_rank == other_rank:
        return SAME
    return LESS if own_rank < other_rank else MORE


def _record(prover: Prover, level: int) -> bool:
    """Note how the arguments of a recursive call stand to those of the head; False if none is in order."""
    in_order = False
    for i in range(prover.orders.shape[1]):
        here, before = _order_of(prover, i, prover.look.args[level, i]), prover.orders[level, i]
        if before != here:
            here = here if before == NOTHING else MIXED
            prover.orders[level, i] = here
        in_order = in_order or here in (LESS, MORE)
    return in_order


def _enter(prover: Prover, level: int) -> int:
    """Give the number of ways to meet a literal: tuples found, or 1 for a test that holds."""
    relation = prover.relations[level]
    if prover.look.any_missing and has_missing(prover.look, relation, level, 0):
        return 0
    if prover.recording and relation == prover.target and not _record(prover, level):
        prover.recording = False
        return 0
    if relation < 0:
        holds = compare(prover.look, relation, 0, prover.look.args[level, 0], prover.others[level])
        return 1 if holds == (prover.signs[level] > 0) else 0
    negated = prover.signs[level] == 0
    n = join(prover.look, relation, level, 0, negated)[0]
    return 1 - n if negated else n


def _unbind(prover: Prover, level: int) -> None:
    for v in range(prover.row.shape[0]):
        if prover.bound_at[v] == level:
            prover.row[v], prover.bound_at[v] = UNBOUND, -1


def _bind(prover: Prover, level: int, place: int) -> None:
    if prover.relations[level] < 0 or prover.signs[level] == 0:
        return
    for i in range(prover.look.tables.arity[prover.relations[level]]):
        v = prover.look.args[level, i]
        if not is_bound(prover.look, 0, v):
            prover.row[v - 1] = prover.look.tables.tuples[place, i]
            prover.bound_at[v - 1] = level


def _start(prover: Prover, heads: Values, b: int) -> None:
    for v in range(prover.row.shape[0]):
        prover.row[v], prover.bound_at[v] = UNBOUND, -1
    for v in range(heads.shape[1]):
        prover.row[v] = heads[b, v]


def proves(prover: Prover, heads: Values, b: int) -> bool:
    """Tell whether a body can be met for a tuple, trying the tuples of each literal in turn."""
    n_literals, level, entering = prover.relations.shape[0], 0, True
    _start(prover, heads, b)
    while level >= 0:
        if level == n_literals:
            return True
        if not prover.active[level]:
            level += 1 if entering else -1
            continue
        if entering:
            prover.ways[level], prover.tried[level] = _enter(prover, level), 0
        else:
            _unbind(prover, level)
        if prover.tried[level] < prover.ways[level]:
            _bind(prover, level, prover.look.matches[level, prover.tried[level]])
            prover.tried[level] += 1
            level, entering = level + 1, True
        else:
            level, entering = level - 1, False
    return False


def covered(prover: Prover, heads: Values) -> Flags:
    """Tell for which tuples a body can be met."""
    view = holds = np.empty(heads.shape[0], dtype=bool)
    with cython.nogil:
        for b in range(heads.shape[0]):
            view[b] = proves(prover, heads, b)
    return holds


def no_worse(prover: Prover, positive: Values, negative: Values, errors: int) -> bool:
    """Tell whether a clause covers no more than `errors` negative tuples and its recursion stays in order.

    The orders of its recursive calls are recorded anew on the way.
    """
    recursive, wrong = prover.recording, 0
    with cython.nogil:
        for b in range(negative.shape[0]):
            wrong += proves(prover, negative, b)
            if wrong > errors or (recursive and not prover.recording):
                return False
        for b in range(positive.shape[0]):
            if not prover.recording:
                break
            proves(prover, positive, b)
    return not recursive or prover.recording
