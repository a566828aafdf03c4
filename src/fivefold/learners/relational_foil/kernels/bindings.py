"""Bindings of variables: joined with relations, scanned, extended and proved, and whether recursion ends."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import cython
import numpy as np
from numpy.typing import NDArray

if not cython.compiled:
    from fivefold.learners.foil.kernels import literals as worth
    from fivefold.learners.foil.kernels.literals import Logs, Options, Side, State, Trial

    MISSING, OUTSIDE = 1, 2
    UNBOUND = -(2**31)
    MISSING_NUMBER = 0x7FC00000  # the bits of NaN
    # Relations that are not given by tuples; of the last two arguments one is a constant or a number.
    EQUAL, EQUALS_CONSTANT, ABOVE, ABOVE_NUMBER = -1, -2, -3, -4
    # The signs of literals: a determinate one was added because it names what is there anyway.
    NEGATED, PLAIN, DETERMINATE = range(3)
    # How an argument of the head stands to that of a recursive call.
    NOTHING, LESS, SAME, MORE, MIXED = range(5)
    # The sides on which a tuple has been counted.
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


def same_everywhere(fresh: Fresh) -> bool:
    """Tell whether a new variable equals another in all tuples found, also for negative bindings."""
    for i in range(fresh.n_pairs):
        if not fresh.differs[i]:
            return True
    return False


class Bindings(NamedTuple):
    """The bindings of a clause, positive ones first: a row of values each, and the tuple that it stems from."""

    values: Values
    origin: Ints
    n_positive: int


class Book(Trial):
    """The bindings that literals are tried on, and what is counted there; `seen` marks the tuples.

    `known_positive` counts the positive tuples seen, `missing` and `missing_positive` bindings without a value.
    """

    look: Lookup
    origin: Ints
    n_positive: int
    is_determinate: bool
    known_positive: int
    missing: int
    missing_positive: int

    def __init__(
        self, state: State, options: Options, logs: Logs, seen: NDArray[np.uint8], max_tuples: int
    ) -> None:
        super().__init__(state, options, logs)
        self.seen, self.max_tuples = seen, max_tuples

    def open(self, look: Lookup, bindings: Bindings) -> None:
        """Take bindings to count."""
        self.look, self.origin, self.n_positive = look, bindings.origin, bindings.n_positive


def _limit_negatives(book: Book, new_variables: int) -> tuple[float, float]:
    """With all positives counted, drop sides that cost too much; give the most negatives that each may keep."""
    base, useful, added, sample = book.state.base, book.limits.useful, book.options.added, book.options.sample
    book.true.possible &= worth.is_allowed(book, book.true.original_positive)
    book.false.possible &= worth.is_allowed(book, book.false.original_positive)
    most_true, kept = worth.single(book.max_tuples), book.false.kept
    if not (new_variables > 0 and book.limits.free):
        most_true = worth.most_negatives(base, useful, book.true.kept, book.true.positive, added, sample)
    return most_true, worth.most_negatives(base, useful, kept, kept, added, sample)


def _exclude(book: Book, side: Side, excluded: int) -> None:
    """Drop a side that excludes too many positives to gain, and to make a clause worth saving."""
    cover = side.original_positive + book.state.original_positive - book.known_positive
    left = book.state.positive - excluded - book.missing_positive
    if cover < book.limits.saved and left < float(book.limits.kept) - 1e-3 and not book.is_determinate:
        side.possible = False


def _count(book: Book, side: Side, other: Side, mark: int, b: int, n_matches: int, most: float) -> None:
    """Count a binding for a side, and the tuple that it stems from once."""
    origin, positive = book.origin[b], b < book.n_positive
    side.met += 1
    side.total += n_matches
    if positive:
        side.kept += 1
        side.positive += n_matches
        _exclude(book, other, side.kept)
    elif not book.is_determinate and side.total - side.positive > float(most) + 1e-3:
        side.possible = False
    if book.seen[origin] & mark:
        return
    side.original_total += 1
    if positive:
        side.original_positive += 1
        book.known_positive += not book.seen[origin]
    book.seen[origin] |= mark


def _clear(side: Side, possible: bool) -> None:
    side.possible = possible
    side.kept = side.met = side.positive = side.total = side.original_positive = side.original_total = 0


def _is_missing(book: Book, relation: int, b: int) -> bool:
    """Tell whether a literal has an argument without a value; count it then."""
    if not has_missing(book.look, relation, 0, b):
        return False
    book.missing += 1
    if b < book.n_positive:
        book.missing_positive += 1
        book.is_determinate = False
    return True


def scan(book: Book, relation: int, other: int, fresh: Fresh, negatable: bool) -> bool:
    """Count what a literal and its negation leave, binding by binding in their order; False if both are given up.

    The literal is the one in the first row of the arguments; `other` is the second argument of a comparison.
    """
    most_true, most_false, first, new_variables = 0.0, 0.0, -1, fresh.n_constant
    _clear(book.true, True)
    _clear(book.false, negatable)
    book.seen[:] = 0
    book.known_positive, book.missing, book.missing_positive = 0, 0, 0
    book.is_determinate = new_variables > 0
    for b in range(book.look.rows.shape[0]):
        if b == book.n_positive:
            most_true, most_false = _limit_negatives(book, new_variables)
            if not (book.true.possible or book.false.possible):
                return False
        if book.look.any_missing and _is_missing(book, relation, b):
            continue
        if relation < 0:
            n_matches = 1 if compare(book.look, relation, b, book.look.args[0, 0], other) else 0
        else:
            n_matches, outside = join(book.look, relation, 0, b, False)
            book.true.possible &= not outside
        if n_matches > 0:
            if relation >= 0:
                first = book.look.matches[0, 0] if first < 0 else first
                clear_suspects(fresh, book.look, n_matches, b, b < book.n_positive)
                clear_constants(fresh, book.look, n_matches, first)
            _count(book, book.true, book.false, SEEN_TRUE, b, n_matches, most_true)
            if not book.is_determinate and book.true.total > book.max_tuples:
                book.true.possible = False
        else:
            _count(book, book.false, book.true, SEEN_FALSE, b, 1, most_false)
        if not (book.true.possible or book.false.possible):
            return False
        book.is_determinate &= n_matches == 1 if b < book.n_positive else n_matches <= 1
    book.true.possible &= book.true.kept > 0
    book.false.possible &= book.false.kept > 0
    return True


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


def prunes(book: Book, relation: int, new_variables: int, negatable: bool) -> bool:
    """Tell whether a literal that was given up leaves no hope for more special ones."""
    positive, failed = book.state.positive - book.missing_positive, book.false.met - book.false.kept
    enough = positive - book.false.kept >= float(book.limits.kept)
    if not new_variables or book.true.total > book.max_tuples or enough:
        return False
    if not negatable:
        return bool(book.true.original_positive < book.limits.saved)
    most = worth.most_negatives(
        book.state.base, book.limits.useful, positive, positive, book.options.added, book.options.sample
    )
    return _fails_on_more(book, relation, book.missing + book.true.met + book.false.met, failed, most)


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
        calls.ways_now[k] = calls.ways[k]
    calls.used[:], calls.left[:] = False, True
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
