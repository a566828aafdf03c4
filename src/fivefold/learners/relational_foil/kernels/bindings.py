"""Bindings of variables: joined with relations, scanned, extended and proved, and whether recursion ends."""

from __future__ import annotations

from typing import Any, NamedTuple

import numba
import numpy as np
from numpy.typing import NDArray

from fivefold.learners.foil.kernels.literals import Options, State, allowance, most_negatives

Values = NDArray[np.int32]
Ints = NDArray[np.int64]

MISSING, OUTSIDE = 1, 2
UNBOUND = np.int32(-(2**31))
MISSING_NUMBER = np.int32(0x7FC00000)  # the bits of NaN
# Relations that are not given by tuples; of the last two arguments one is a constant or a number.
EQUAL, EQUALS_CONSTANT, ABOVE, ABOVE_NUMBER = -1, -2, -3, -4
# The signs of literals: a determinate one was added because it names what is there anyway.
NEGATED, PLAIN, DETERMINATE = range(3)


class Tables(NamedTuple):
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
    continuous: NDArray[np.bool_]


@numba.njit(cache=True)
def is_bound(row: Values, variable: int, n_variables: int) -> bool:
    """Tell whether a variable (from 1 on) has a value."""
    return variable <= n_variables and bool(row[variable - 1] != UNBOUND)


@numba.njit(cache=True)
def _fits(tables: Tables, place: int, args: Ints, arity: int, row: Values, n_variables: int) -> bool:
    for i in range(arity):
        value = tables.tuples[place, i]
        if is_bound(row, args[i], n_variables):
            if value != row[args[i] - 1]:
                return False
        else:
            for j in range(i):
                if args[j] == args[i] and tables.tuples[place, j] != value:
                    return False
    return True


@numba.njit(cache=True)
def join(
    tables: Tables, relation: int, args: Ints, row: Values, n_variables: int, only_one: bool, matches: Ints
) -> Any:
    """List the tuples that agree with the bound arguments, and in arguments that are the same free variable.

    Gives how many there are, and whether one is outside the closed world, with which the search ends. `only_one`
    ends it with the first tuple.
    """
    arity = tables.arity[relation]
    best, start, end = -1, tables.first[relation], tables.first[relation + 1]
    for i in range(arity):
        if is_bound(row, args[i], n_variables) and not tables.continuous[relation, i]:
            constant = row[args[i] - 1]
            low, high = tables.heads[relation, i, constant], tables.heads[relation, i, constant + 1]
            if best < 0 or high - low < end - start:
                best, start, end = i, low, high
    n = 0
    for k in range(start, end):
        place = k if best < 0 else tables.postings[best, k]
        if not _fits(tables, place, args, arity, row, n_variables):
            continue
        matches[n] = place
        n += 1
        for i in range(arity):
            if tables.tuples[place, i] == OUTSIDE and not tables.continuous[relation, i]:
                return n, not only_one
        if only_one:
            break
    return n, False


@numba.njit(cache=True)
def compare(relation: int, row: Values, first: int, other: int) -> bool:
    """Tell whether a comparison holds; `other` is a variable, a constant, or the bits of a number."""
    own = row[first - 1]
    if relation == EQUAL:
        return bool(own == row[other - 1])
    if relation == EQUALS_CONSTANT:
        return bool(own == other)
    pair = np.empty(2, dtype=np.int32)
    pair[0], pair[1] = own, row[other - 1] if relation == ABOVE else other
    numbers = pair.view(np.float32)
    return bool(numbers[0] > numbers[1])


@numba.njit(cache=True)
def has_missing(relation: int, args: Ints, arity: int, row: Values, n_variables: int, numeric: Any) -> bool:
    """Tell whether a bound argument has no value."""
    n = 2 if relation in (EQUAL, ABOVE) else 1 if relation < 0 else arity
    for i in range(n):
        if is_bound(row, args[i], n_variables):
            value = row[args[i] - 1]
            if value == (MISSING_NUMBER if numeric[args[i]] else MISSING):
                return True
    return False


class Fresh(NamedTuple):
    """New variables under suspicion: each pair says that argument `new` may always equal an old variable.

    An `old` above the number of variables stands for another new argument. `constant` are new arguments that may
    always have the same value; `used` holds how many of both are left.
    """

    new: Ints
    old: Ints
    differs: Any
    constant: Ints
    used: Ints


@numba.njit(cache=True)
def new_fresh(arity: int, n_variables: int) -> Fresh:
    """Make room for what the new variables of a literal may equal."""
    room = arity * (n_variables + arity) + 1
    return Fresh(
        np.zeros(room, dtype=np.int64),
        np.zeros(room, dtype=np.int64),
        np.zeros(room, dtype=np.bool_),
        np.zeros(arity + 1, dtype=np.int64),
        np.zeros(2, dtype=np.int64),
    )


@numba.njit(cache=True)
def suspect(fresh: Fresh, args: Ints, n_variables: int, fitting: Any) -> None:
    """List what the new variables of a literal may equal; ``fitting[i, v]`` says that types allow it."""
    new, old, constant = fresh.new, fresh.old, fresh.constant
    n, n_constant = 0, 0
    for i in range(args.size):
        if args[i] <= n_variables or _occurs(args, i):
            continue
        constant[n_constant] = i
        n_constant += 1
        for v in range(1, n_variables + 1):
            if fitting[i, v]:
                new[n], old[n] = i, v
                n += 1
    for first in range(n_constant - 1):
        for second in range(first + 1, n_constant):
            i, j = constant[first], constant[second]
            if fitting[j, n_variables + 1 + i]:
                new[n], old[n] = j, n_variables + 1 + i
                n += 1
    fresh.differs[:n] = False
    fresh.used[0], fresh.used[1] = n, n_constant


@numba.njit(cache=True)
def _occurs(args: Ints, place: int) -> bool:
    seen = False
    for i in range(place):
        seen |= args[i] == args[place]
    return bool(seen)


@numba.njit(cache=True)
def _differ(tables: Tables, matches: Ints, n_matches: int, row: Values, new: int, old: int) -> bool:
    """Tell whether a new argument differs from an old variable, or from another new one, in a tuple found."""
    for j in range(n_matches):
        own = tables.tuples[matches[j], new]
        other = row[old - 1] if old <= row.size else tables.tuples[matches[j], old - row.size - 1]
        if own != other:
            return True
    return False


@numba.njit(cache=True)
def clear_suspects(
    tables: Tables, fresh: Fresh, matches: Ints, n_matches: int, row: Values, positive: bool
) -> None:
    """Strike out the pairs that differ in the tuples found; for a negative binding only note it."""
    kept = 0
    for i in range(fresh.used[0]):
        new, old, differs = fresh.new[i], fresh.old[i], fresh.differs[i]
        if (positive or not differs) and _differ(tables, matches, n_matches, row, new, old):
            if positive:
                continue
            differs = True
        fresh.new[kept], fresh.old[kept], fresh.differs[kept] = new, old, differs
        kept += 1
    fresh.used[0] = kept


@numba.njit(cache=True)
def clear_constants(tables: Tables, fresh: Fresh, matches: Ints, n_matches: int, first: int) -> None:
    """Strike out the new arguments that have not the same value in all tuples found so far."""
    kept = 0
    for i in range(fresh.used[1]):
        column = fresh.constant[i]
        varies = False
        for j in range(n_matches):
            varies |= tables.tuples[first, column] != tables.tuples[matches[j], column]
        if not varies:
            fresh.constant[kept] = column
            kept += 1
    fresh.used[1] = kept


# Places of the counts and of the flags of a scan.
(
    ORIGINAL_TRUE_POSITIVE, ORIGINAL_TRUE, ORIGINAL_FALSE_POSITIVE, ORIGINAL_FALSE, TRUE_POSITIVE, TRUE,
    FALSE_POSITIVE, FALSE_NEGATIVE, MISSING_POSITIVE, MISSING_ALL, NEW_POSITIVE, NEW_TOTAL, SAME_VARIABLES,
    SAME_EVERYWHERE, CONSTANT_VARIABLES, NEW_VARIABLES, KNOWN_POSITIVE,
) = range(17)  # fmt: skip
CAN_TRUE, CAN_FALSE, IS_DETERMINATE, GIVEN_UP = range(4)
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
    matches: Ints


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
    if cover < limits.saved and left < np.float64(limits.kept) - 1e-3 and not book.flags[IS_DETERMINATE]:
        book.flags[side] = False


@numba.njit(cache=True)
def _count_true(
    state: State, limits: Limits, book: Book, origin: int, positive: bool, n_matches: int, most: Any
) -> None:
    counts, flags = book.counts, book.flags
    counts[TRUE] += 1
    counts[NEW_TOTAL] += n_matches
    if not flags[IS_DETERMINATE] and counts[NEW_TOTAL] > limits.max_tuples:
        flags[CAN_TRUE] = False
    if positive:
        counts[TRUE_POSITIVE] += 1
        counts[NEW_POSITIVE] += n_matches
        _excluding(state, limits, book, CAN_FALSE, TRUE_POSITIVE, ORIGINAL_FALSE_POSITIVE)
    elif not flags[IS_DETERMINATE] and counts[NEW_TOTAL] - counts[NEW_POSITIVE] > np.float64(most) + 1e-3:
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
        if not flags[IS_DETERMINATE] and counts[FALSE_NEGATIVE] > np.float64(most) + 1e-3:
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
    counts, flags, matches = book.counts, book.flags, book.matches
    counts[:], book.seen[:], flags[:] = 0, 0, False
    flags[CAN_TRUE], flags[CAN_FALSE], flags[IS_DETERMINATE] = True, negatable, fresh.used[1] > 0
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
            flags[IS_DETERMINATE] &= not positive
            continue
        if relation < 0:
            n_matches, outside = int(compare(relation, row, args[0], other)), False
        else:
            n_matches, outside = join(tables, relation, args, row, n_variables, False, matches)
        flags[CAN_TRUE] &= not outside
        if n_matches > 0:
            if relation >= 0:
                first = matches[0] if first < 0 else first
                clear_suspects(tables, fresh, matches, n_matches, row, positive)
                clear_constants(tables, fresh, matches, n_matches, first)
            _count_true(state, limits, book, origin, positive, n_matches, most_true)
        else:
            _count_false(state, limits, book, origin, positive, most_false)
        if not (flags[CAN_TRUE] or flags[CAN_FALSE]):
            flags[GIVEN_UP] = True
            break
        flags[IS_DETERMINATE] &= n_matches == 1 if positive else n_matches <= 1
    _finish(book, fresh)


@numba.njit(cache=True)
def fails_on_more(
    tables: Tables, relation: int, args: Ints, bindings: Bindings, numeric: Any, any_missing: bool,
    start: int, failed: int, most: Any, matches: Ints,
) -> bool:  # fmt: skip
    """Tell whether a literal fails on more than `most` negative bindings; `failed` of them come before `start`."""
    n_variables, arity = bindings.values.shape[1], tables.arity[relation]
    for b in range(max(start, bindings.n_positive), bindings.values.shape[0]):
        row = bindings.values[b]
        if any_missing and has_missing(relation, args, arity, row, n_variables, numeric):
            continue
        if join(tables, relation, args, row, n_variables, True, matches)[0] == 0:
            failed += 1
            if failed > most:
                return True
    return bool(failed > most)


NOTHING, LESS, SAME, MORE, MIXED = range(5)


@numba.njit(cache=True)
def _matches(
    tables: Tables, relation: int, args: Ints, other: int, sign: int, row: Values, numeric: Any, any_missing: bool,
    matches: Ints,
) -> int:  # fmt: skip
    """Give how many bindings become of one."""
    n_variables = row.size
    if any_missing and has_missing(relation, args, tables.arity[max(relation, 0)], row, n_variables, numeric):
        return 0
    if relation < 0:
        return int(compare(relation, row, args[0], other) == (sign > 0))
    n = int(join(tables, relation, args, row, n_variables, sign == 0, matches)[0])
    return n if sign else int(n == 0)


@numba.njit(cache=True)
def extend(
    tables: Tables, relation: int, args: Ints, other: int, sign: int, bindings: Bindings,
    n_variables: int, numeric: Any, any_missing: bool, matches: Ints,
) -> Bindings:  # fmt: skip
    """Keep the bindings for which a literal holds; one that binds new variables is copied for each way to do so.

    `n_variables` is the number of variables after the literal.
    """
    values, old = bindings.values, bindings.values.shape[1]
    total = 0
    for b in range(values.shape[0]):
        total += _matches(tables, relation, args, other, sign, values[b], numeric, any_missing, matches)
    kept = np.empty((total, n_variables), dtype=np.int32)
    origin = np.empty(total, dtype=np.int64)
    place, n_positive = 0, 0
    for b in range(values.shape[0]):
        n = _matches(tables, relation, args, other, sign, values[b], numeric, any_missing, matches)
        for k in range(n):
            kept[place, :old] = values[b]
            if relation >= 0 and sign:
                for i in range(tables.arity[relation]):
                    kept[place, args[i] - 1] = tables.tuples[matches[k], i]
            origin[place] = bindings.origin[b]
            n_positive += b < bindings.n_positive
            place += 1
    return Bindings(kept, origin, n_positive)


@numba.njit(cache=True)
def count_origins(bindings: Bindings, seen: Any) -> tuple[int, int]:
    """Count the positive and all tuples from which the bindings stem."""
    seen[:] = 0
    positive, total = 0, 0
    for b in range(bindings.origin.size):
        if not seen[bindings.origin[b]]:
            seen[bindings.origin[b]] = 1
            total += 1
            positive += b < bindings.n_positive
    return positive, total


@numba.njit(cache=True)
def relate(values: Values, first: int, second: int, ranks: Any, comparable: bool) -> int:
    """Tell how two variables (from 1 on) stand to each other in all bindings, by the ranks of their constants."""
    relation = NOTHING
    for b in range(values.shape[0]):
        first_value, second_value = values[b, first - 1], values[b, second - 1]
        if first_value == second_value:
            here = SAME
        elif not comparable:
            here = MIXED
        else:
            here = LESS if ranks[first_value] < ranks[second_value] else MORE
        if relation == NOTHING:
            relation = here
        elif relation != here:
            return MIXED
        if relation == MIXED:
            break
    return relation


@numba.njit(cache=True)
def same_on_positive(bindings: Bindings, first: int, second: int) -> bool:
    """Tell whether two variables (from 1 on) are the same in all positive bindings."""
    same = True
    for b in range(bindings.n_positive):
        same &= bindings.values[b, first - 1] == bindings.values[b, second - 1]
    return bool(same)


@numba.njit(cache=True)
def without_differing(bindings: Bindings, first: int, second: int) -> Bindings:
    """Take out the negative bindings in which two variables differ; the last one takes the place of each."""
    values, origin = bindings.values.copy(), bindings.origin.copy()
    n, b = origin.size, bindings.n_positive
    while b < n:
        if values[b, first - 1] != values[b, second - 1]:
            n -= 1
            values[b], origin[b] = values[n], origin[n]
        else:
            b += 1
    return Bindings(values[:n], origin[:n], bindings.n_positive)


@numba.njit(cache=True)
def _column(calls: Any, left: Any, column: int, way: int) -> Any:
    """Give the one way in which the calls left go in a column, and how many go; -1 if there are two ways."""
    unequal = 0
    for j in range(calls.shape[0]):
        cell = int(calls[j, column])
        if not left[j] or cell == SAME:
            continue
        turns = way != cell
        if cell == MIXED or (turns and way != SAME):
            return MIXED, -1
        way = cell
        unequal += 1
    return way, unequal


@numba.njit(cache=True)
def recursion_ends(calls: Any, ways: Any, types: Ints) -> bool:
    """Tell whether all calls go the same way along some arguments, one after the other.

    ``calls[j, k]`` says how argument `k` of the head stands to that of call `j`. A column is taken in which the
    calls that are left have only one kind of inequality, and equality; the calls that are unequal there are done
    with; and so on, until none is left. Columns of one type must go the same way, and `ways` says which way a
    column must go from the beginning, or that either will do.
    """
    n, width = calls.shape
    ways = ways.copy()
    left, used = np.ones(n, dtype=np.bool_), np.zeros(width, dtype=np.bool_)
    while left.any():
        best, most, best_way = -1, 0, MIXED
        for k in range(width):
            if used[k]:
                continue
            way, unequal = _column(calls, left, k, int(ways[k]))
            if unequal > most:
                best, most, best_way = k, unequal, way
        if best < 0:
            return False
        for j in range(n):
            left[j] &= calls[j, best] == SAME
        used[best] = True
        for k in range(width):
            if k != best and types[k] == types[best]:
                ways[k] = best_way
    return True


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

    matches: Ints
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
                own_rank, other_rank = prover.ranks[i, own], prover.ranks[i, other]
                here = LESS if own_rank < other_rank else MORE if own_rank > other_rank else SAME
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
    n = int(join(tables, relation, args, row, n_variables, negated, prover.matches[level])[0])
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
            _bind(tables, body, prover, level, prover.matches[level, tried[level]], n_variables)
            tried[level] += 1
            level, entering = level + 1, True
        else:
            level, entering = level - 1, False
    return False


@numba.njit(cache=True)
def covered(tables: Tables, body: Body, prover: Prover, heads: Values, n_variables: int) -> Any:
    """Tell for which tuples a body can be met."""
    holds = np.empty(heads.shape[0], dtype=np.bool_)
    for i in range(heads.shape[0]):
        holds[i] = proves(tables, body, prover, heads[i], n_variables)
    return holds


@numba.njit(cache=True)
def no_worse(
    tables: Tables, body: Body, prover: Prover, positive: Values, negative: Values, n_variables: int,
    errors: int,
) -> bool:  # fmt: skip
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
