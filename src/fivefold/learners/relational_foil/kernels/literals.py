"""Argument lists one after the other, and whether a literal with them is of use."""

from __future__ import annotations

from dataclasses import dataclass

import cython
import numpy as np

if not cython.compiled:
    from fivefold.learners.foil.kernels import literals as worth
    from fivefold.learners.relational_foil.kernels import bindings
    from fivefold.learners.relational_foil.kernels.bindings import Book, Calls, Flags, Fresh, Ints, Orders

ONE = 1
_ROOM = 256


@dataclass(repr=False, eq=False)
class Shape:
    """What the argument lists of a relation may look like.

    ``fitting[i, v]`` says that argument `i` may be variable `v` of the clause, or with ``v = last + 1 + j`` the
    same as argument `j`; ``never_equal[i, j]`` that two arguments never are. `barred` are variables that equal
    another, `depths` how deep each is, `last` is the last variable of the clause. A recursive call must heed how
    argument `i` of the head stands to variable `v` (both from 1 on), ``partial[i, v]``, and the calls so far: all
    rows of `calls` but the first, which has room for one more.
    """

    arity: int
    fitting: Flags
    never_equal: Flags
    keys: Ints
    symmetric: bool
    barred: Flags
    depths: Ints
    last: int
    max_variables: int
    max_depth: int
    recursive: bool
    partial: Orders
    calls: Calls


class Walk:
    """Where the listing is: arguments are chosen up to `level`, and if it is `pruned`, no further are.

    Of the arguments before each place, `highest` is the highest variable, `free` are new, `depth` is that of the
    deepest bound one, `key` has a bit for each with a variable that is new there, and `in_order` says that a more
    general recursive call is in order. `tried` is the latest variable tried there, `born` where each new one is.
    """

    def __init__(self, shape: Shape) -> None:
        n = shape.arity + 1
        self.args, self.tried = np.zeros(shape.arity, dtype=np.int64), np.zeros(n, dtype=np.int64)
        self.highest, self.free = np.full(n, shape.last, dtype=np.int64), np.zeros(n, dtype=np.int64)
        self.depth, self.key = np.zeros(n, dtype=np.int64), np.zeros(n, dtype=np.int64)
        self.in_order = np.zeros(n, dtype=bool)
        self.born = np.zeros(shape.max_variables + shape.last + n, dtype=np.int64)
        self.level, self.pruned = 0, False


def _acceptable(keys: Ints, key: int) -> bool:
    for i in range(keys.shape[0]):
        if keys[i] | key == keys[i]:
            return True
    return bool(keys.shape[0] == 0)


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


def _go_below(walk: Walk, level: int, v: int, free: int, depth: int, key: int) -> None:
    below = level + 1
    walk.args[level] = v
    walk.tried[below], walk.highest[below], walk.free[below] = 0, max(walk.highest[level], v), free
    walk.depth[below], walk.key[below], walk.in_order[below] = depth, key, walk.in_order[level]


def _choose(shape: Shape, walk: Walk, level: int) -> bool:
    """Choose the next variable for a place; False if there is none."""
    highest = walk.highest[level]
    top = highest + 1 if highest < shape.max_variables and level < shape.arity - 1 else highest
    for v in range(walk.tried[level] + 1, top + 1):
        walk.tried[level] = v
        bound, new = v <= shape.last, v > highest
        if bound and shape.barred[v]:
            continue
        depth, free, key = walk.depth[level], walk.free[level], walk.key[level]
        if bound:
            depth = max(depth, shape.depths[v])
        else:
            free += 1
        if new:
            key |= ONE << level
            walk.born[v] = level
            if not _acceptable(shape.keys, key):
                return False
        if depth + (free > 0) <= shape.max_depth and _fits(shape, walk, level, v):
            _go_below(walk, level, v, free, depth, key)
            return True
    return False


def _may_call(shape: Shape, walk: Walk) -> bool:
    """Tell whether a recursive literal with these arguments leaves the recursion in order."""
    some = False
    for i in range(shape.arity):
        order = shape.partial[i + 1, walk.args[i]] if walk.args[i] <= shape.last else bindings.MIXED
        shape.calls.orders[0, i] = order
        some = some or order in (bindings.LESS, bindings.MORE)
    return some and bindings.recursion_ends(shape.calls)


def _fill(shape: Shape, walk: Walk, level: int) -> bool:
    """Put new variables into all places left; tell whether that is a list to try."""
    highest, left = walk.highest[level], shape.arity - level
    if highest + left > shape.max_variables or walk.free[level] >= level:
        return False
    if left > 0 and walk.depth[level] >= shape.max_depth:
        return False
    key = walk.key[level]
    for i in range(level, shape.arity):
        walk.args[i] = highest + 1 + i - level
        key |= ONE << i
    if not _acceptable(shape.keys, key):
        return False
    if shape.recursive and not walk.in_order[level]:
        walk.in_order[level] = _may_call(shape, walk)
        return bool(walk.in_order[level])
    return True


def advance(shape: Shape, walk: Walk) -> bool:
    """Go to the next argument list; False after the last."""
    level = walk.level
    if walk.pruned or level == shape.arity:
        level -= 1
    walk.pruned = False
    while level >= 0:
        if not _choose(shape, walk, level):
            level -= 1
            continue
        level += 1
        # a variable that is new itself was tried with the more general list before
        if walk.args[level - 1] <= walk.highest[level - 1] and _fill(shape, walk, level):
            walk.level = level
            return True
        if level == shape.arity:
            level -= 1
    return False


def count_lists(shape: Shape) -> int:
    """Count all argument lists."""
    walk, n = Walk(shape), 0
    with cython.nogil:
        while advance(shape, walk):
            n += 1
    return n


class Grown:
    """The literals of a clause so far as arrays; arguments that a literal does not have are 1."""

    def __init__(self, relations: Ints, signs: Ints, args: Ints) -> None:
        self.relations, self.signs, self.args = relations, signs, args
        self.highest = args.max(axis=1)


class Ledger:
    """The literals that may be referred to later: relation, other side of a comparison, arguments.

    `determinate` has the places of the determinate ones and `bits` what these cost.
    """

    def __init__(self, width: int) -> None:
        self.literals = np.zeros((_ROOM, width), dtype=np.int64)
        self.determinate, self.bits = np.zeros(_ROOM, dtype=np.int64), np.zeros(_ROOM, dtype=np.float32)
        self.used, self.n_determinate = 0, 0

    def make_room(self) -> None:
        """Give twice the room if it is full."""
        if self.used == self.literals.shape[0]:
            self.literals = np.concatenate([self.literals, self.literals])
            self.determinate = np.concatenate([self.determinate, self.determinate])
            self.bits = np.concatenate([self.bits, self.bits])


class LiteralSearch:
    """All that a literal is tried with.

    `arity` is that of the head, `place` how many literals of the clause do cost, `determinate` the gain that takes
    precedence over determinate literals.
    """

    def __init__(
        self, book: Book, grown: Grown, ledger: Ledger, arity: int, place: int, determinate: float
    ) -> None:
        self.book, self.grown, self.ledger, self.arity, self.place = book, grown, ledger, arity, place
        self.determinate, self.nothing_new = determinate, Fresh(0, 0)


def _renew_limits(search: LiteralSearch, bits: float) -> None:
    search.book.limits.bits = worth.single(search.book.state.clause_bits + worth.charge(bits, search.place))
    worth.renew_limits(search.book, search.determinate if search.ledger.n_determinate else 0.0)


def _binds_something_new(search: LiteralSearch, relation: int, args: Ints) -> bool:
    """Tell whether not all variables were bound by determinate literals on the same relation."""
    last = search.arity
    for i in range(args.shape[0]):
        if args[i] <= last:
            return True
    for k in range(search.grown.relations.shape[0]):
        if not search.grown.signs[k]:
            continue
        before, last = last, max(last, search.grown.highest[k])
        if search.grown.relations[k] != relation or search.grown.signs[k] != bindings.DETERMINATE:
            for i in range(args.shape[0]):
                if before < args[i] <= last:
                    return True
    return False


def _record(ledger: Ledger, relation: int, args: Ints, other: int) -> int:
    place = ledger.used
    ledger.used += 1
    ledger.literals[place, 0], ledger.literals[place, 1] = relation, other
    for i in range(args.shape[0]):
        ledger.literals[place, 2 + i] = args[i]
    return place


def judge_literal(
    search: LiteralSearch, relation: int, args: Ints, other: int, bits: float, cut: float, new_variables: int,
    determinate: bool,
) -> None:  # fmt: skip
    """Weigh the literal in the book; note it, and put it with the determinate ones or on the shortlist."""
    good = worth.weigh_sides(search.book, new_variables)
    if not (good or determinate):
        return
    place = _record(search.ledger, relation, args, other)
    worth.note(search.book, place, bits, cut)
    little = max(search.book.true.gained, search.book.false.gained) < search.determinate
    if determinate and little and _binds_something_new(search, relation, args):
        search.ledger.determinate[search.ledger.n_determinate] = place
        search.ledger.bits[search.ledger.n_determinate] = bits
        search.ledger.n_determinate += 1
    else:
        worth.list_sides(search.book, place, bits, cut)


def _try(
    search: LiteralSearch, relation: int, args: Ints, other: int, bits: float, fresh: Fresh, negatable: bool
) -> bool:
    """Try a literal; tell whether more special ones can be passed over."""
    new = fresh.n_constant
    for i in range(args.shape[0]):
        search.book.look.args[0, i] = args[i]
    if not bindings.scan(search.book, relation, other, fresh, negatable):
        return bindings.prunes(search.book, relation, new, negatable)
    determinate = search.book.is_determinate and not fresh.n_pairs and fresh.n_constant < new
    search.book.true.possible &= not fresh.n_pairs
    if (search.book.true.possible or search.book.false.possible) and not bindings.same_everywhere(fresh):
        judge_literal(search, relation, args, other, bits, 0.0, new - fresh.n_constant, determinate)
    return False


def _mentioned(grown: Grown, after: int, variable: int) -> bool:
    for k in range(after, grown.relations.shape[0]):
        for i in range(grown.args.shape[1]):
            if grown.args[k, i] == variable:
                return True
    return False


def _repeats(grown: Grown, k: int, args: Ints, last: int, known: int) -> bool:
    """Tell whether a list is that of a literal in the clause, or both have variables of their own in its place."""
    for i in range(args.shape[0]):
        own, other = args[i], grown.args[k, i]
        if own <= last:
            if own != other:
                return False
        elif other - known != own - last or _mentioned(grown, k + 1, other):
            return False
    return True


def _is_repeated(search: LiteralSearch, relation: int, args: Ints, last: int) -> bool:
    """Tell whether a literal is already in the clause, perhaps with other variables that no later literal has."""
    known = search.arity
    for k in range(search.grown.relations.shape[0]):
        if search.grown.relations[k] == relation and _repeats(search.grown, k, args, last, known):
            return True
        if search.grown.signs[k]:
            known = max(known, search.grown.highest[k])
    return False


def try_comparison(
    search: LiteralSearch, relation: int, args: Ints, other: int, bits: float, negatable: bool
) -> None:
    """Try a comparison."""
    search.ledger.make_room()
    with cython.nogil:
        _renew_limits(search, bits)
        _try(search, relation, args, other, bits, search.nothing_new, negatable)


def _try_lists(
    search: LiteralSearch, relation: int, shape: Shape, walk: Walk, fresh: Fresh, bits: float, negatable: bool
) -> bool:
    """Try literals until one has the greatest possible gain; tell whether the ledger is full before."""
    before = search.ledger.used
    _renew_limits(search, bits)
    while search.ledger.used < search.ledger.literals.shape[0]:
        if worth.best_gain(search.book.best) >= search.book.state.most or not advance(shape, walk):
            return False
        if _is_repeated(search, relation, walk.args, shape.last):
            continue
        if search.ledger.used > before:
            before = search.ledger.used
            _renew_limits(search, bits)
        bindings.suspect(fresh, walk.args, shape.last, shape.fitting)
        walk.pruned = _try(search, relation, walk.args, 0, bits, fresh, negatable)
    return True


def try_relation(search: LiteralSearch, relation: int, shape: Shape, bits: float, negatable: bool) -> None:
    """Try the literals of a relation until one has the greatest possible gain."""
    walk, fresh, full = Walk(shape), Fresh(shape.arity, shape.last), True
    while full:
        search.ledger.make_room()
        with cython.nogil:
            full = _try_lists(search, relation, shape, walk, fresh, bits, negatable)
