"""The literals that a clause could have next, in the order in which they are tried."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from fivefold.learners.foil.relational.draft import Draft
from fivefold.learners.foil.relational.kernels.arguments import Calls, Shape
from fivefold.learners.foil.relational.kernels.extending import MIXED
from fivefold.learners.foil.relational.kernels.joining import ABOVE, ABOVE_NUMBER, EQUAL, EQUALS_CONSTANT
from fivefold.learners.foil.relational.recursion import ways_of

TOO_MANY = 10_000_000


def comparisons(draft: Draft, relation: int) -> Iterator[tuple[list[int], int]]:
    """List the arguments of a comparison, and the constant that it is with."""
    free = [v for v in range(1, draft.n_variables + 1) if not draft.barred[v]]
    if relation == EQUALS_CONSTANT:
        fixed = {one.args[0] for one in draft.literals if one.relation == EQUALS_CONSTANT and one.sign > 0}
        for v in free:
            if v not in fixed:
                yield from (([v], constant) for constant in draft.world.theory[draft.types[v]])
    elif relation == ABOVE_NUMBER:
        yield from (([v], 0) for v in free if draft.numeric[v])
    else:
        for i, v in enumerate(free):
            for w in free[i + 1 :]:
                if _comparable(draft, relation, v, w):
                    yield [v, w], w


def _comparable(draft: Draft, relation: int, v: int, w: int) -> bool:
    if relation == EQUAL:
        return draft.world.compatible[draft.types[v]][draft.types[w]]
    return relation == ABOVE and bool(draft.numeric[v]) and draft.types[v] == draft.types[w]


def too_many(draft: Draft, relation: int) -> bool:
    """Tell whether a relation could have so many argument lists that it is passed over."""
    product = 1
    for kind in draft.world.types_of[relation]:
        fitting = sum(draft.world.compatible[draft.types[v]][kind] for v in range(1, draft.n_variables + 1))
        product *= 1 + fitting
        if product > TOO_MANY:
            return True
    return False


def shape_of(draft: Draft, relation: int) -> Shape:
    """Say what the argument lists of a relation may look like."""
    world, last = draft.world, draft.n_variables
    types = world.types_of[relation]
    recursive = relation == draft.target
    return Shape(
        len(types),
        _fitting(draft, types),
        world.never_equal[relation],
        np.array(world.keys[relation], dtype=np.int64),
        world.symmetric[relation],
        np.array(draft.barred, dtype=bool),
        np.array(draft.depths, dtype=np.int64),
        last,
        draft.settings.max_variables,
        draft.settings.max_depth,
        recursive,
        _calls(draft),
    )


def _fitting(draft: Draft, types: Sequence[int]) -> NDArray[np.bool_]:
    """Say which variables each argument could equal: those of the clause, then the other arguments."""
    known = [draft.types[v] for v in range(1, draft.n_variables + 1)]
    table = np.zeros((len(types), 1 + len(known) + len(types)), dtype=bool)
    for i, own in enumerate(types):
        table[i, 1:] = [draft.world.compatible[kind][own] for kind in (*known, *types)]
    return table


def _calls(draft: Draft) -> Calls:
    partial = np.full((draft.arity + 1, draft.n_variables + 1), MIXED, dtype=np.int8)
    for pair, found in draft.partial.items():
        partial[pair] = found
    room = np.zeros(draft.arity, dtype=np.int8)
    orders = np.array([room, *draft.earlier_orders, *draft.own_orders], dtype=np.int8)
    return Calls(partial, orders, ways_of(draft), np.array(draft.head_types))
