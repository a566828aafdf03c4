"""A grown clause made simpler: implied equalities in, literals that keep nothing out away."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fivefold.learners.foil.relational.draft import Draft
from fivefold.learners.foil.relational.kernels.joining import EQUAL, EQUALS_CONSTANT, MISSING
from fivefold.learners.foil.relational.kernels.proving import Body, Prover, no_worse
from fivefold.learners.foil.relational.literal import DETERMINATE, PLAIN, Literal
from fivefold.learners.foil.relational.recursion import in_order


def simplify(draft: Draft) -> None:
    """Drop what the clause of a draft does not need, and build it anew if something went."""
    errors = draft.original_total - draft.original_positive
    saved = [None if one.orders is None else one.orders.copy() for one in draft.literals]
    owners = list(draft.literals)
    literals = list(draft.literals)
    _promote(draft, literals)
    _insert_implied(draft, literals)
    changed = _drop_idle(draft, literals, errors)
    changed |= _drop_redundant(draft, literals, errors)
    if changed:
        literals = [one for one in literals if one.active]
        _rename(draft, literals)
        draft.replay(literals)
        draft.count_originals()
        return
    draft.literals = literals
    for one, orders in zip(owners, saved, strict=True):
        if orders is not None and one.orders is not None:
            one.orders[:] = orders


def _first_binding(draft: Draft, literals: list[Literal], variable: int) -> int:
    """Give the place after the first literal that binds a variable; 0 for one of the head."""
    if variable <= draft.arity:
        return 0
    for place, one in enumerate(literals, 1):
        if one.sign and variable in one.args:
            return place
    return len(literals) + 1


def _promote(draft: Draft, literals: list[Literal]) -> None:
    """Move equalities to where their variable is bound first."""
    for place, one in enumerate(list(literals)):
        if one.sign and one.relation in (EQUAL, EQUALS_CONSTANT):
            to = min(_first_binding(draft, literals[:place], one.args[-1]), place)
            literals.insert(to, literals.pop(place))


def _insert_implied(draft: Draft, literals: list[Literal]) -> None:
    """Put in the equalities that hold for all positive bindings although no literal says so."""
    world, rows = draft.world, draft.bindings.values[: draft.positive]
    for v in range(1, draft.n_variables + 1):
        kind, column = draft.types[v], rows[:, v - 1]
        if not world.numeric[kind] and column[0] in world.theory[kind] and (column == column[0]).all():
            known = any(one.relation == EQUALS_CONSTANT and one.sign and one.args[0] == v for one in literals)
            if not known:
                _insert(draft, literals, Literal(EQUALS_CONSTANT, PLAIN, [v], int(column[0])))
            continue
        for w in range(v + 1, draft.n_variables + 1):
            if (
                world.compatible[kind][draft.types[w]]
                and (column == rows[:, w - 1]).all()
                and not _unknown(draft, v).any()
                and not any(one.relation == EQUAL and one.sign and one.args == [v, w] for one in literals)
            ):
                _insert(draft, literals, Literal(EQUAL, PLAIN, [v, w], w))


def _unknown(draft: Draft, v: int) -> NDArray[np.bool_]:
    column = draft.bindings.values[: draft.positive, v - 1]
    return np.asarray(np.isnan(column.copy().view(np.float32)) if draft.numeric[v] else column == MISSING)


def _insert(draft: Draft, literals: list[Literal], new: Literal) -> None:
    literals.insert(min(_first_binding(draft, literals, new.args[-1]), len(literals)), new)


def _drop_idle(draft: Draft, literals: list[Literal], errors: int) -> bool:
    """Drop determinate literals whose new variables no later literal uses, if no error comes of it."""
    bound, last = [], draft.arity
    for one in literals:
        one.active = True
        before, last = last, max(last, *one.args) if one.sign else last
        bound.append((before, last))
    used: set[int] = set()
    idle = []
    for place in range(len(literals) - 1, -1, -1):
        one, (before, after) = literals[place], bound[place]
        needed = one.sign != DETERMINATE or any(v in used for v in range(before + 1, after + 1))
        if needed or place == len(literals) - 1:
            used.update(one.args)
        else:
            idle.append(one)
    if not idle:
        return False
    for one in idle:
        one.active = False
    if _satisfactory(draft, literals, errors):
        return True
    for one in literals:
        one.active = True
    return False


def _drop_redundant(draft: Draft, literals: list[Literal], errors: int) -> bool:
    """Drop literals, the last first, that are not needed to keep negative tuples out."""
    changed = False
    for place in range(len(literals) - 1, -1, -1):
        one = literals[place]
        if not one.active or _binds_needed(draft, literals, place):
            continue
        one.active = False
        if _satisfactory(draft, literals, errors):
            changed = True
            continue
        one.active = True
        if (
            one.relation == EQUAL
            and one.sign
            and one.args[1] > draft.arity
            and not draft.numeric[one.args[1]]
        ):
            del literals[place]
            _replace(literals, one.args[1], one.args[0])
    return changed


def _replace(literals: list[Literal], old: int, new: int) -> None:
    bound = False
    for one in literals:
        if one.sign or bound:
            bound |= old in one.args
            one.args = [new if v == old else v for v in one.args]
            if one.relation == EQUAL:
                one.other = one.args[1]


def _binds_needed(draft: Draft, literals: list[Literal], place: int) -> bool:
    """Tell whether a later negation or comparison needs a variable of a literal, or one would hang in the air."""
    # which literal alone binds a variable; None if several do, or the head
    unique: dict[int, int | None] = dict.fromkeys(range(1, draft.arity + 1))
    for i, one in enumerate(literals):
        if not one.active:
            continue
        if i > place and _depends(one, unique, place):
            return True
        for v in one.args if one.sign else ():
            unique[v] = i if unique.get(v, i) == i else None
    return False


def _depends(literal: Literal, unique: dict[int, int | None], place: int) -> bool:
    owners = [unique[v] for v in literal.args if v in unique]
    if literal.relation < 0 or not literal.sign:
        return place in owners
    return all(owner == place for owner in owners)


def _satisfactory(draft: Draft, literals: list[Literal], errors: int) -> bool:
    """Tell whether the active literals cover no more negative tuples, and recursion stays in order."""
    calls = [one for one in literals if one.active and one.relation == draft.target]
    prover, body = prover_of(draft, literals, recording=bool(calls))
    good = no_worse(
        draft.tables, body, prover, draft.whole.positive, draft.whole.negative, draft.n_variables, errors
    )
    for place, one in enumerate(literals):
        if one in calls and one.orders is not None:
            one.orders[:] = prover.orders[place, : draft.arity]
    if not good or not calls:
        return bool(good)
    own = [one.orders for one in calls if one.orders is not None]
    return draft.any_order and in_order(draft, [*draft.earlier_orders, *own])


def prover_of(draft: Draft, literals: list[Literal], *, recording: bool) -> tuple[Prover, Body]:
    """Write a clause as arrays, with room for its proofs."""
    n, widest = len(literals), max(draft.tables.tuples.shape[1], 2)
    args = np.ones((n, widest), dtype=np.int64)
    for place, one in enumerate(literals):
        args[place, : len(one.args)] = one.args
    body = Body(
        np.array([one.relation for one in literals], dtype=np.int64),
        np.array([one.sign for one in literals], dtype=np.int64),
        args,
        np.array([one.other for one in literals], dtype=np.int64),
        np.array([one.active for one in literals], dtype=bool),
    )
    room = max(draft.settings.max_variables, int(args.max(initial=1)), draft.n_variables) + 1
    _, ranks = draft.world.orders
    prover = Prover(
        np.empty((n, draft.found.size), dtype=np.int64),
        np.empty(room, dtype=np.int32),
        np.empty(room, dtype=np.int64),
        np.zeros((n, draft.arity), dtype=np.int8),
        np.array([int(recording)]),
        draft.target,
        ranks[list(draft.head_types)],
        _numeric(draft, literals, room),
        draft.world.has_missing,
    )
    return prover, body


def _numeric(draft: Draft, literals: list[Literal], room: int) -> NDArray[np.bool_]:
    """Say which variables of a clause are numbers; the draft itself may have gone on to another clause."""
    numeric = np.zeros(room + 1, dtype=bool)
    pairs = list(enumerate(draft.head_types, 1))
    for one in literals:
        if one.relation >= 0:
            pairs += zip(one.args, draft.world.types_of[one.relation], strict=True)
    for v, kind in pairs:
        numeric[v] |= draft.world.numeric[kind]
    return numeric


def _rename(draft: Draft, literals: list[Literal]) -> None:
    """Number the variables anew; those that only a negated literal has stay its own."""
    names: dict[int, int] = {}
    following = draft.arity + 1
    for one in literals:
        before, start = dict(names), following
        renamed = []
        for v in one.args:
            if v > draft.arity and v not in names:
                names[v] = following
                following += 1
            renamed.append(names.get(v, v))
        one.args = renamed
        if one.relation == EQUAL:
            one.other = one.args[1]
        if not one.sign:
            names, following = before, start
