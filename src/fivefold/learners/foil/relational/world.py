"""A task as numbers: constants, types, the order in which relations are tried, and their tuples as arrays."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from functools import cached_property
from math import prod

import numpy as np
from numpy.typing import NDArray

from fivefold.learners.foil.relational.kernels.joining import (
    ABOVE,
    ABOVE_NUMBER,
    EQUAL,
    EQUALS_CONSTANT,
    MISSING,
    MISSING_NUMBER,
    OUTSIDE,
    Tables,
    Values,
)
from fivefold.learners.foil.relational.ordering import find_orders
from fivefold.learners.foil.relational.relations import OUTSIDE as OUTSIDE_VALUE
from fivefold.learners.foil.relational.relations import Relation, Relations, Tuple


@dataclass(frozen=True, eq=False)
class World:
    """A task as the search sees it.

    Parameters
    ----------
    task : Relations
        The task.
    codes : dict
        The number of each constant; 1 is a missing value, 2 one outside the closed world.
    """

    task: Relations
    codes: dict[Hashable, int]

    @classmethod
    def of(cls, task: Relations) -> World:
        """Number the constants."""
        codes: dict[Hashable, int] = {None: MISSING, OUTSIDE_VALUE: OUTSIDE}
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
                numbers = [np.nan if row[i] is None else row[i] for row in rows]
                # adding zero makes -0 a 0, which is the same number with other bits
                bits = (np.array(numbers, dtype=np.float32) + np.float32(0)).view(np.int32)
                encoded[:, i] = np.where(np.isnan(np.array(numbers, dtype=np.float32)), MISSING_NUMBER, bits)
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
        """Which types have an order, and the rank of each constant in that of each type, 0 if it is not of it."""
        return find_orders(
            self.task.types,
            self.members,
            self.compatible,
            self.positive,
            self.negative,
            self.types_of,
            self.simplest_first,
        )

    @cached_property
    def tables(self) -> Tables:
        """All relations as arrays for compiled code."""
        return tables_of(
            self.positive, [[self.numeric[t] for t in own] for own in self.types_of], len(self.codes)
        )

    @cached_property
    def symmetric(self) -> list[bool]:
        """Which relations are binary and hold both ways round."""
        found = []
        for rows, types in zip(self.positive, self.types_of, strict=True):
            pairs = {tuple(row) for row in rows.tolist()}
            discrete = len(types) == 2 and not any(self.numeric[t] for t in types)
            found.append(discrete and pairs == {pair[::-1] for pair in pairs})
        return found

    @cached_property
    def never_equal(self) -> list[NDArray[np.bool_]]:
        """For each relation, which pairs of arguments are never the same."""
        found = []
        for rows in self.positive:
            same = (rows[:, :, np.newaxis] == rows[:, np.newaxis, :]) & (rows != OUTSIDE)[:, :, np.newaxis]
            found.append(~same.any(axis=0))
        return found

    @cached_property
    def keys(self) -> list[list[int]]:
        """The keys of each relation as bits: one where an argument may be unbound."""
        return [
            [sum(1 << i for i, mark in enumerate(key) if mark == "-") for key in r.keys]
            for r in self.task.relations
        ]

    def trial_order(self, target: int) -> list[int]:
        """Give the relations in the order in which their literals are tried."""
        order = [EQUALS_CONSTANT, EQUAL, target]
        if any(self.numeric):
            order += [ABOVE_NUMBER, ABOVE]
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


def tables_of(relations: list[Values], numeric: list[list[bool]], n_constants: int) -> Tables:
    """Put all tuples into one array and index them by relation, argument and constant."""
    arity = np.array([rows.shape[1] for rows in relations], dtype=np.int64)
    first = np.concatenate(([0], np.cumsum([len(rows) for rows in relations]))).astype(np.int64)
    widest = int(arity.max())
    tuples = np.zeros((int(first[-1]), widest), dtype=np.int32)
    heads = np.zeros((len(relations), widest, n_constants + 2), dtype=np.int64)
    postings = np.zeros((widest, int(first[-1])), dtype=np.int64)
    continuous = np.zeros((len(relations), widest), dtype=bool)
    for r, rows in enumerate(relations):
        start = int(first[r])
        tuples[start : start + len(rows), : rows.shape[1]] = rows
        for a in range(rows.shape[1]):
            continuous[r, a] = numeric[r][a]
            if not numeric[r][a]:
                counts = np.bincount(rows[:, a], minlength=n_constants + 1)
                heads[r, a] = start + np.concatenate(([0], np.cumsum(counts)))
                postings[a, start : start + len(rows)] = start + np.argsort(rows[:, a], kind="stable")
    return Tables(tuples, first, arity, heads, postings, continuous)
