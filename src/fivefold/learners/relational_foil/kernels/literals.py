"""Argument lists one after the other, and whether a literal with them is of use."""

from __future__ import annotations

from typing import Any, NamedTuple

import numba
import numpy as np

from fivefold.learners.foil.kernels.literals import (
    Counts,
    Logs,
    Noted,
    Options,
    Shortlist,
    State,
    best_gain,
    charge,
    least_kept,
    least_saved,
    list_side,
    most_negatives,
    note,
    useful_gain,
    weigh_false,
    weigh_true,
)
from fivefold.learners.relational_foil.kernels import bindings as scanned
from fivefold.learners.relational_foil.kernels.bindings import (
    DETERMINATE,
    LESS,
    MIXED,
    MORE,
    Bindings,
    Book,
    Fresh,
    Ints,
    Limits,
    Tables,
    fails_on_more,
    new_fresh,
    recursion_ends,
    scan,
    suspect,
)


class Calls(NamedTuple):
    """What a recursive call must heed.

    ``partial[i, v]`` says how argument `i` of the head stands to variable `v` (both from 1 on). The rows of
    `orders` but the first are the calls so far; the first has room for one more. `ways` and `types` are those of
    the head.
    """

    partial: Any
    orders: Any
    ways: Any
    types: Ints


class Shape(NamedTuple):
    """What the argument lists of a relation may look like.

    ``fitting[i, v]`` says that argument `i` may be variable `v` of the clause, or with ``v = last + 1 + j`` the
    same as argument `j`; ``never_equal[i, j]`` that two arguments never are. `barred` are variables that equal
    another, `depths` how deep each is, `last` is the last variable of the clause.
    """

    arity: int
    fitting: Any
    never_equal: Any
    keys: Ints
    symmetric: bool
    barred: Any
    depths: Ints
    last: int
    max_variables: int
    max_depth: int
    recursive: bool
    calls: Calls


class Walk(NamedTuple):
    """Where the listing is: arguments are chosen up to ``level[0]``, and ``level[1]`` asks to choose no further.

    Of the arguments before each place, `highest` is the highest variable, `free` are new, `depth` is that of the
    deepest bound one, `key` has a bit for each with a variable that is new there, and `in_order` says that a more
    general recursive call is in order. `tried` is the latest variable tried there, `born` where each new one is.
    """

    args: Ints
    tried: Ints
    highest: Ints
    free: Ints
    depth: Ints
    key: Ints
    in_order: Any
    born: Ints
    level: Ints


@numba.njit(cache=True)
def new_walk(shape: Shape) -> Walk:
    """Start a listing."""
    n = shape.arity + 1
    highest = np.zeros(n, dtype=np.int64)
    highest[0] = shape.last
    return Walk(
        np.zeros(shape.arity, dtype=np.int64),
        np.zeros(n, dtype=np.int64),
        highest,
        np.zeros(n, dtype=np.int64),
        np.zeros(n, dtype=np.int64),
        np.zeros(n, dtype=np.int64),
        np.zeros(n, dtype=np.bool_),
        np.zeros(shape.max_variables + shape.last + n, dtype=np.int64),
        np.zeros(2, dtype=np.int64),
    )


@numba.njit(cache=True)
def _acceptable(keys: Ints, key: int) -> bool:
    for own in keys:
        if own | key == own:
            return True
    return keys.size == 0


@numba.njit(cache=True)
def _fits(shape: Shape, walk: Walk, level: int, v: int) -> bool:
    """Tell whether a variable may stand in a place: by its type, and beside the arguments before."""
    for i in range(level):
        if walk.args[i] == v and shape.never_equal[i, level]:
            return False
    if shape.symmetric and level == 1 and v < walk.args[0]:
        return False
    if v > walk.highest[level]:
        return True
    return bool(shape.fitting[level, v if v <= shape.last else shape.last + 1 + walk.born[v]])


@numba.njit(cache=True)
def _choose(shape: Shape, walk: Walk, level: int) -> bool:
    """Choose the next variable for a place; False if there is none."""
    highest = walk.highest[level]
    top = highest + (highest < shape.max_variables and level < shape.arity - 1)
    for v in range(walk.tried[level] + 1, top + 1):
        walk.tried[level] = v
        bound, new = v <= shape.last, v > highest
        if bound and shape.barred[v]:
            continue
        depth = max(walk.depth[level], shape.depths[v]) if bound else walk.depth[level]
        free = walk.free[level] + (not bound)
        key = walk.key[level] | (1 << level if new else 0)
        if new:
            walk.born[v] = level
            if not _acceptable(shape.keys, key):
                return False
        if depth + (free > 0) > shape.max_depth or not _fits(shape, walk, level, v):
            continue
        walk.args[level] = v
        below = level + 1
        walk.tried[below], walk.highest[below], walk.free[below] = 0, max(highest, v), free
        walk.depth[below], walk.key[below], walk.in_order[below] = depth, key, walk.in_order[level]
        return True
    return False


@numba.njit(cache=True)
def _may_call(shape: Shape, args: Ints) -> bool:
    """Tell whether a recursive literal with these arguments leaves the recursion in order."""
    calls, some = shape.calls, False
    for i in range(shape.arity):
        order = int(calls.partial[i + 1, args[i]]) if args[i] <= shape.last else MIXED
        calls.orders[0, i] = order
        some |= order in (LESS, MORE)
    return some and recursion_ends(calls.orders, calls.ways, calls.types)


@numba.njit(cache=True)
def _fill(shape: Shape, walk: Walk, level: int) -> bool:
    """Put new variables into all places left; tell whether that is a list to try."""
    highest, left = walk.highest[level], shape.arity - level
    if highest + left > shape.max_variables or walk.free[level] >= level:
        return False
    if left and walk.depth[level] >= shape.max_depth:
        return False
    key = walk.key[level]
    for i in range(level, shape.arity):
        walk.args[i] = highest + 1 + i - level
        key |= 1 << i
    if not _acceptable(shape.keys, key):
        return False
    if shape.recursive and not walk.in_order[level]:
        walk.in_order[level] = _may_call(shape, walk.args)
        return bool(walk.in_order[level])
    return True


@numba.njit(cache=True)
def advance(shape: Shape, walk: Walk) -> bool:
    """Go to the next argument list; False after the last."""
    level = walk.level[0]
    if walk.level[1] or level == shape.arity:
        level -= 1
    walk.level[1] = 0
    while level >= 0:
        if not _choose(shape, walk, level):
            level -= 1
            continue
        level += 1
        # a variable that is new itself was tried with the more general list before
        if walk.args[level - 1] <= walk.highest[level - 1] and _fill(shape, walk, level):
            walk.level[0] = level
            return True
        if level == shape.arity:
            level -= 1
    return False


@numba.njit(cache=True)
def count_lists(shape: Shape) -> int:
    """Count all argument lists."""
    walk, n = new_walk(shape), 0
    while advance(shape, walk):
        n += 1
    return n


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


class LiteralSearch(NamedTuple):
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
def _limits(search: LiteralSearch, bits: Any) -> Limits:
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
def _prunes(search: LiteralSearch, relation: int, args: Ints, limits: Limits, negatable: bool) -> bool:
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
        search.book.matches,
    )  # fmt: skip


@numba.njit(cache=True)
def _binds_something_new(search: LiteralSearch, relation: int, args: Ints) -> bool:
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
    search: LiteralSearch, relation: int, args: Ints, other: int, counts: Counts, can_true: bool,
    can_false: bool, bits: Any, cut: Any, new_variables: int, determinate: bool,
) -> None:  # fmt: skip
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
    search: LiteralSearch, relation: int, args: Ints, other: int, bits: Any, limits: Limits,
    fresh: Fresh, negatable: bool,
) -> bool:  # fmt: skip
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
        determinate = bool(flags[scanned.IS_DETERMINATE] and not same and fixed < new)
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
def _repeats(search: LiteralSearch, relation: int, args: Ints, last: int) -> bool:
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
def try_comparison(
    search: LiteralSearch, relation: int, args: Ints, other: int, bits: Any, negatable: bool
) -> None:
    """Try a comparison."""
    _try(search, relation, args, other, bits, _limits(search, bits), new_fresh(0, 0), negatable)


@numba.njit(cache=True)
def try_relation(
    search: LiteralSearch, relation: int, shape: Shape, walk: Walk, bits: Any, negatable: bool
) -> bool:
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
