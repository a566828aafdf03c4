"""The tuples of the target with which a definition starts."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from math import prod

import numpy as np

from fivefold.errors import InputError, show
from fivefold.learners.foil.relational.kernels.joining import Values
from fivefold.learners.foil.relational.world import World

_ENUMERABLE = 10  # how many times the tuple limit a closed world may have to be listed in full


@dataclass(frozen=True, eq=False)
class Start:
    """The positive and negative tuples of a target, and how many there would be without sampling."""

    positive: Values
    negative: Values
    world_size: int


def start_of(world: World, target: int, sample: float, max_tuples: int, rng: np.random.RandomState) -> Start:
    """Give the tuples of a target: as they are given, or those of the closed world or a sample of these."""
    positive, negative = world.positive[target], world.negative[target]
    name = world.task.relations[target].name
    if negative is not None:
        found = Start(positive, negative, len(positive) + len(negative))
    else:
        found = _closed_world(world, target, sample, max_tuples, rng)
    n = len(found.positive) + len(found.negative)
    if n > max_tuples:
        raise InputError(
            f"at most {max_tuples} tuples of {show(name)}", f"{n}", "use sample=... or raise max_tuples"
        )
    return found


def _closed_world(
    world: World, target: int, sample: float, max_tuples: int, rng: np.random.RandomState
) -> Start:
    relation, types = world.task.relations[target], world.types_of[target]
    if any(world.numeric[t] for t in types):
        raise InputError(
            f"negative tuples of {show(relation.name)}, which has a continuous argument",
            "none",
            "a closed world of numbers has no end: give the tuples for which the relation does not hold",
        )
    positive = world.positive[target]
    true = {tuple(row) for row in positive.tolist()}
    size = prod(len(world.members[t]) for t in types)
    remaining = size - len(true)
    wanted = int(np.float32(sample) * np.float32(remaining)) if sample < 1 else remaining
    if len(positive) + wanted > max_tuples:
        negative = np.empty((wanted, len(types)), dtype=np.int32)  # the caller will say that it is too many
    elif size <= _ENUMERABLE * max_tuples:
        others = [row for row in product(*(world.members[t] for t in types)) if row not in true]
        if wanted < len(others):
            others = [others[i] for i in np.sort(rng.choice(len(others), wanted, replace=False))]
        negative = np.array(others, dtype=np.int32).reshape(-1, len(types))
    else:
        negative = _random_tuples([world.members[t] for t in types], true, wanted, rng)
    return Start(positive, negative, remaining + len(positive))


def _random_tuples(
    members: list[list[int]], true: set[tuple[int, ...]], wanted: int, rng: np.random.RandomState
) -> Values:
    """Draw tuples of a world that is too large to list; the same may come twice."""
    rows: list[tuple[int, ...]] = []
    while len(rows) < wanted:
        row = tuple(own[rng.randint(len(own))] for own in members)
        if row not in true:
            rows.append(row)
    return np.array(rows, dtype=np.int32).reshape(-1, len(members))
