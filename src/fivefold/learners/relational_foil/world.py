"""A task as numbers: constants, their orders, and the tuples with which a definition starts."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, product
from math import prod

import numpy as np
from numpy.typing import NDArray

from fivefold.errors import InputError, show
from fivefold.learners.relational_foil.kernels import bindings as kernels
from fivefold.learners.relational_foil.kernels.bindings import Tables, Values
from fivefold.learners.relational_foil.relations import OUTSIDE, Relation, Relations, Tuple

_Pairs = list[tuple[int, int]]
_ENUMERABLE = 10  # how many times the tuple limit a closed world may have to be listed in full


@dataclass(frozen=True, eq=False)
class World:
    """A task as the search sees it: `codes` numbers its constants; 1 is missing, 2 outside the closed world."""

    task: Relations
    codes: dict[Hashable, int]

    @classmethod
    def of(cls, task: Relations) -> World:
        """Number the constants."""
        codes: dict[Hashable, int] = {None: kernels.MISSING, OUTSIDE: kernels.OUTSIDE}
        for kind in task.types:
            for constant in kind.constants:
                codes.setdefault(constant, len(codes) + 1)
        return cls(task, codes)

    @cached_property
    def constants(self) -> list[Hashable]:
        """The constant of each number."""
        names: list[Hashable] = [None] * (len(self.codes) + 1)
        for constant, code in self.codes.items():
            names[code] = constant
        return names

    @cached_property
    def type_places(self) -> dict[str, int]:
        """The place of each type."""
        return {kind.name: place for place, kind in enumerate(self.task.types)}

    @cached_property
    def members(self) -> list[list[int]]:
        """The numbers of the constants of each type, as they are given."""
        return [[self.codes[c] for c in kind.constants] for kind in self.task.types]

    @cached_property
    def theory(self) -> list[list[int]]:
        """The numbers of the constants of each type that may stand in a clause."""
        return [[self.codes[c] for c in kind.theory] for kind in self.task.types]

    @cached_property
    def numeric(self) -> list[bool]:
        """Which types are continuous."""
        return [kind.continuous for kind in self.task.types]

    @cached_property
    def compatible(self) -> list[list[bool]]:
        """Which types share a constant; a continuous one goes with itself alone."""
        sets = [set(own) for own in self.members]
        n = len(sets)
        return [[a == b or bool(sets[a] & sets[b]) for b in range(n)] for a in range(n)]

    @cached_property
    def types_of(self) -> list[tuple[int, ...]]:
        """The types of the arguments of each relation."""
        return [tuple(self.type_places[name] for name in r.types) for r in self.task.relations]

    def encode(self, rows: Iterable[Tuple], types: tuple[int, ...]) -> Values:
        """Write tuples as numbers; a constant that the task does not have is 0, which equals no other."""
        rows = list(rows)
        encoded = np.empty((len(rows), len(types)), dtype=np.int32)
        for i, kind in enumerate(types):
            if self.numeric[kind]:
                numbers = np.array([np.nan if row[i] is None else row[i] for row in rows], dtype=np.float32)
                # adding zero makes -0 a 0, which is the same number with other bits
                bits = (numbers + np.float32(0)).view(np.int32)
                encoded[:, i] = np.where(np.isnan(numbers), kernels.MISSING_NUMBER, bits)
            else:
                encoded[:, i] = [self.codes.get(row[i], 0) for row in rows]
        return encoded

    @cached_property
    def positive(self) -> list[Values]:
        """The tuples for which each relation holds."""
        return [self.encode(r.positive, t) for r, t in zip(self.task.relations, self.types_of, strict=True)]

    @cached_property
    def negative(self) -> list[Values | None]:
        """The tuples that are given as those for which each relation does not hold."""
        return [
            None if r.negative is None else self.encode(r.negative, t)
            for r, t in zip(self.task.relations, self.types_of, strict=True)
        ]

    @cached_property
    def has_missing(self) -> bool:
        """Whether some tuple has a missing value."""
        rows = (row for r in self.task.relations for row in (*r.positive, *(r.negative or ())))
        return any(value is None for row in rows for value in row)

    @cached_property
    def orders(self) -> tuple[list[bool], NDArray[np.int32]]:
        """Which types have an order, and the rank of each constant in it, from 1; 0 if it is not of the type."""
        ranks = np.zeros((len(self.members), len(self.codes) + 1), dtype=np.int32)
        ordered = []
        for t, (kind, own) in enumerate(zip(self.task.types, self.members, strict=True)):
            order: list[int] | None = own
            if kind.order == "discover" and not kind.continuous:
                order = _discover(self, t)
            ordered.append(order is not None and kind.order != "none" and not kind.continuous)
            ranks[t, order or own] = np.arange(1, len(own) + 1)
            ranks[t, kernels.MISSING] = len(own) + 1
        return ordered, ranks

    @cached_property
    def tables(self) -> Tables:
        """All tuples in one array, with an index by relation, argument and constant."""
        n_codes, arity = len(self.codes), np.array([len(types) for types in self.types_of])
        first = np.cumsum([0, *map(len, self.positive)])
        tuples = np.zeros((first[-1], arity.max()), dtype=np.int32)
        heads = np.zeros((arity.size, arity.max(), n_codes + 2), dtype=np.int64)
        postings = np.zeros((arity.max(), first[-1]), dtype=np.int64)
        continuous = np.zeros((arity.size, arity.max()), dtype=bool)
        for r, (start, rows) in enumerate(zip(first[:-1], self.positive, strict=True)):
            own = slice(start, start + len(rows))
            tuples[own, : arity[r]] = rows
            for a, kind in enumerate(self.types_of[r]):
                continuous[r, a] = self.numeric[kind]
                if not self.numeric[kind]:
                    counts = np.bincount(rows[:, a], minlength=n_codes + 1)
                    heads[r, a, 1:] = np.cumsum(counts)
                    heads[r, a] += start
                    postings[a, own] = start + np.argsort(rows[:, a], kind="stable")
        return Tables(tuples, first, arity, heads, postings, continuous)

    @cached_property
    def symmetric(self) -> list[bool]:
        """Which relations are binary and hold both ways round."""
        flags = []
        for rows, types in zip(self.positive, self.types_of, strict=True):
            pairs = {tuple(row) for row in rows.tolist()}
            discrete = len(types) == 2 and not any(self.numeric[t] for t in types)
            flags.append(discrete and pairs == {pair[::-1] for pair in pairs})
        return flags

    @cached_property
    def never_equal(self) -> list[NDArray[np.bool_]]:
        """For each relation, which pairs of arguments are never the same."""
        tables = []
        for rows in self.positive:
            same = (rows[:, :, np.newaxis] == rows[:, np.newaxis, :]) & (rows != kernels.OUTSIDE)[
                :, :, np.newaxis
            ]
            tables.append(~same.any(axis=0))
        return tables

    @cached_property
    def keys(self) -> list[list[int]]:
        """The keys of each relation as bits: one where an argument may be unbound."""
        return [
            [sum(1 << i for i, mark in enumerate(key) if mark == "-") for key in r.keys]
            for r in self.task.relations
        ]

    def trial_order(self, target: int) -> list[int]:
        """Give the relations in the order in which their literals are tried."""
        order = [kernels.EQUALS_CONSTANT, kernels.EQUAL, target]
        if any(self.numeric):
            order += [kernels.ABOVE_NUMBER, kernels.ABOVE]
        return order + [r for r in self.simplest_first if r != target]

    @cached_property
    def simplest_first(self) -> list[int]:
        """The relations by arity, then by how near they are to holding for half of all tuples."""
        relations = self.task.relations
        return sorted(
            range(len(relations)), key=lambda r: (len(relations[r].types), self._imbalance(relations[r]))
        )

    def _imbalance(self, relation: Relation) -> float:
        n = len(relation.positive)
        if relation.negative is not None:
            total = n + len(relation.negative)
        else:
            kinds = (self.task.types[self.type_places[name]] for name in relation.types)
            total = prod(len(kind.constants) for kind in kinds if not kind.continuous)
        return float(np.float32(abs(0.5 - float(np.float32(n) / np.float32(total)))))


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
        start = Start(positive, negative, len(positive) + len(negative))
    else:
        start = _closed_world(world, target, sample, max_tuples, rng)
    n = len(start.positive) + len(start.negative)
    if n > max_tuples:
        raise InputError(
            f"at most {max_tuples} tuples of {show(name)}", f"{n}", "use sample=... or raise max_tuples"
        )
    return start


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


def _discover(world: World, kind: int) -> list[int] | None:
    """Give the order that agrees with most of the consistent pairs of arguments; None if there is no such pair."""
    members = world.members[kind]
    place = {constant: i for i, constant in enumerate(members)}
    consistent: list[_Pairs] = []
    for r in world.simplest_first:
        fitting = [a for a, t in enumerate(world.types_of[r]) if world.compatible[t][kind]]
        given = [rows for rows in (world.positive[r], world.negative[r]) if rows is not None]
        for rows, (a, b) in product(given, combinations(fitting, 2)):
            pairs = _pairs(rows, a, b, place)
            if pairs is not None and _PartialOrder(len(members)).add(pairs):
                consistent.append(pairs)
    if not consistent:
        return None
    best = _largest(consistent, len(members))
    return [members[i] for i in sorted(range(len(members)), key=lambda i: (best.below[i].bit_count(), i))]


def _pairs(rows: Values, a: int, b: int, place: dict[int, int]) -> _Pairs | None:
    """List the pairs of constants that two arguments have; None if one is not of the type."""
    pairs = []
    for first, second in rows[:, [a, b]].tolist():
        if {first, second} & {kernels.MISSING, kernels.OUTSIDE}:
            continue
        if first not in place or second not in place:
            return None
        pairs.append((place[first], place[second]))
    return pairs


class _PartialOrder:
    """A partial order of constants, as the sets of those on either side of each, written as bits."""

    def __init__(self, n: int) -> None:
        self.below = [0] * n
        self.above = [0] * n

    def copy(self) -> _PartialOrder:
        twin = _PartialOrder(0)
        twin.below, twin.above = list(self.below), list(self.above)
        return twin

    def add(self, pairs: _Pairs) -> bool:
        """Take the first of each pair as the greater one, and all that follows; False if that cannot be."""
        return all(self._add(a, b) for a, b in pairs)

    def _add(self, a: int, b: int) -> bool:
        if self.below[a] >> b & 1:
            return True
        if a == b or self.below[b] >> a & 1:
            return False
        greater, smaller = self.above[a] | 1 << a, self.below[b] | 1 << b
        for i in _bits(greater):
            self.below[i] |= smaller
        for i in _bits(smaller):
            self.above[i] |= greater
        return True


def _bits(mask: int) -> list[int]:
    return [i for i in range(mask.bit_length()) if mask >> i & 1]


def _largest(consistent: list[_Pairs], n: int) -> _PartialOrder:
    """Find the order with which most of the pairs agree, each one way round or the other."""
    best, most = _PartialOrder(n), 0

    def search(included: int, following: int, order: _PartialOrder) -> None:
        nonlocal best, most
        if included > most:
            best, most = order.copy(), included
        if following >= len(consistent) or included + len(consistent) - following <= most:
            return
        pairs = consistent[following]
        # of the first pair one way is enough: the other gives the same orders turned round
        ways = [pairs, [(b, a) for a, b in pairs]] if included else [pairs]
        for way in ways:
            twin = order.copy()
            if twin.add(way):
                search(included + 1, following + 1, twin)
        search(included, following + 1, order)

    search(0, 0, _PartialOrder(n))
    return best
