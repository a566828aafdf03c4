"""From literals of numbers to clauses that people read."""

from __future__ import annotations

import numpy as np

from fivefold.learners.foil.relational.clauses import Argument, Clause, Condition, Variable
from fivefold.learners.foil.relational.kernels.joining import ABOVE, EQUAL, EQUALS_CONSTANT
from fivefold.learners.foil.relational.literal import Literal
from fivefold.learners.foil.relational.world import World


def decode(world: World, target: int, literals: list[Literal]) -> Clause:
    """Write a clause with names; equalities go into the arguments that they equate."""
    arity = len(world.types_of[target])
    names: dict[int, Argument] = {v: Variable(_letters(v)) for v in range(1, arity + 1)}
    for literal in literals:
        if literal.sign:
            names.update((v, Variable(_letters(v))) for v in literal.args if v not in names)
    _equate(world, literals, names)
    body, bound = [], arity
    for literal in literals:
        if not (literal.sign and literal.relation in (EQUAL, EQUALS_CONSTANT)):
            body.append(_condition(world, literal, names, bound))
        if literal.sign:
            bound = max(bound, *literal.args)
    head = tuple(names[v] for v in range(1, arity + 1))
    return Clause(world.task.relations[target].name, head, tuple(body))


def _equate(world: World, literals: list[Literal], names: dict[int, Argument]) -> None:
    equal = [one for one in literals if one.sign and one.relation == EQUAL]
    constant = [one for one in literals if one.sign and one.relation == EQUALS_CONSTANT]
    for one in equal:
        _replace(names, names[one.args[1]], names[one.args[0]])
    for one in constant:
        _replace(names, names[one.args[0]], world.constants[one.other])


def _replace(names: dict[int, Argument], old: Argument, new: Argument) -> None:
    for v, name in names.items():
        if name == old:
            names[v] = new


def _condition(world: World, literal: Literal, names: dict[int, Argument], bound: int) -> Condition:
    negated = not literal.sign
    if literal.relation >= 0:
        free: dict[int, Argument] = {}
        arguments = []
        for v in literal.args:
            if negated and v > bound:
                free.setdefault(v, Variable(f"_{len(free) + 1}"))
            arguments.append(free.get(v, names.get(v)))
        return Condition(world.task.relations[literal.relation].name, tuple(arguments), negated)
    first = names[literal.args[0]]
    if literal.relation == EQUAL:
        return Condition("=", (first, names[literal.args[1]]), negated)
    if literal.relation == EQUALS_CONSTANT:
        return Condition("=", (first, world.constants[literal.other]), negated)
    if literal.relation == ABOVE:
        return Condition(">", (first, names[literal.args[1]]), negated)
    return Condition(">", (first, float(np.int32(literal.other).view(np.float32))), negated)


def _letters(variable: int) -> str:
    """Name a variable: A to Z, then AA, AB, and so on."""
    place = variable - 1
    return chr(65 + place) if place < 26 else chr(65 + (place - 26) // 26) + chr(65 + (place - 26) % 26)
