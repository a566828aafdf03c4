"""The argument lists of a relation, one after the other, more general ones before special ones."""

from __future__ import annotations

from typing import Any, NamedTuple

import numba
import numpy as np

from fivefold.learners.foil.relational.kernels.extending import LESS, MIXED, MORE
from fivefold.learners.foil.relational.kernels.joining import Ints
from fivefold.learners.foil.relational.kernels.recursing import recursion_ends


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
