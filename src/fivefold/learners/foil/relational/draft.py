"""A clause in the making: its literals, its bindings, and what is known of its variables."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from fivefold.learners.foil.cases import TABLES
from fivefold.learners.foil.kernels.scoring import charge, full_total, information
from fivefold.learners.foil.relational.kernels.extending import (
    LESS,
    MIXED,
    MORE,
    SAME,
    count_origins,
    extend,
    relate,
)
from fivefold.learners.foil.relational.kernels.scanning import Bindings
from fivefold.learners.foil.relational.literal import DETERMINATE, Literal
from fivefold.learners.foil.relational.recursion import call_orders
from fivefold.learners.foil.relational.settings import Settings
from fivefold.learners.foil.relational.start import Start
from fivefold.learners.foil.relational.world import World


class Draft:
    """The state of the search for one clause after the other of a target's definition."""

    def __init__(self, world: World, settings: Settings, target: int, start: Start) -> None:
        self.world, self.settings, self.target, self.whole = world, settings, target, start
        self.tables = world.tables
        self.logs, self.factorials = TABLES.up_to(1024)
        self.head_types = world.types_of[target]
        self.arity = len(self.head_types)
        rows = np.concatenate([start.positive, start.negative])
        self.start = Bindings(rows, np.arange(len(rows)), len(start.positive))
        self.seen = np.zeros(len(rows), dtype=np.uint8)
        longest = int(np.diff(self.tables.first).max(initial=0))
        self.found = np.empty(longest + 1, dtype=np.int64)
        self.earlier_orders: list[NDArray[np.int8]] = []
        self.restart()

    def restart(self) -> None:
        """Begin a clause."""
        self.literals: list[Literal] = []
        self.forget()
        self.count_originals()

    def forget(self) -> None:
        """Go back to the head alone."""
        room = self.settings.max_variables + 2
        self.bindings = self.start
        self.types = [-1, *self.head_types] + [-1] * room
        self.depths = [0] * (room + self.arity)
        self.numeric = np.zeros(room + self.arity, dtype=bool)
        for v, kind in enumerate(self.head_types, 1):
            self.numeric[v] = self.world.numeric[kind]
        self.barred = [False] * (room + self.arity)
        self.partial = {(v, v): SAME for v in range(1, self.arity + 1)}
        self.any_order = False
        self.own_orders: list[NDArray[np.int8]] = []
        self.n_determinate, self.weak, self.bits = 0, 0, np.float32(0)

    @property
    def n_variables(self) -> int:
        """How many variables there are."""
        return int(self.bindings.values.shape[1])

    @property
    def positive(self) -> int:
        """How many bindings are positive."""
        return int(self.bindings.n_positive)

    @property
    def total(self) -> int:
        """How many bindings there are."""
        return int(self.bindings.origin.size)

    def info(self, positive: int, total: int) -> np.float32:
        """Give the information of a set of bindings."""
        options = self.settings.options
        full = full_total(positive, total, options.sample)
        return np.float32(information(self.logs, positive, full, options.added))

    def count_originals(self) -> None:
        """Count the tuples from which the bindings stem."""
        self.original_positive, self.original_total = count_origins(self.bindings, self.seen)

    def extended(self, literal: Literal) -> Bindings:
        """Give the bindings with one more literal."""
        last = max(self.n_variables, *literal.args) if literal.sign else self.n_variables
        return extend(
            self.tables,
            literal.relation,
            np.array(literal.args),
            literal.other,
            literal.sign,
            self.bindings,
            last,
            self.numeric,
            self.world.has_missing,
            self.found,
        )

    def accept(self, literal: Literal, bindings: Bindings) -> None:
        """Take over the bindings with one more literal, and the types of its new variables."""
        old = self.n_variables
        if bindings.values.shape[1] > old:
            depth = 1 + max((self.depths[v] for v in literal.args if v <= old), default=0)
            for v, kind in zip(literal.args, self.world.types_of[literal.relation], strict=True):
                if v > old:
                    self.types[v], self.depths[v] = kind, depth
                    self.numeric[v] = self.world.numeric[kind]
        self.bindings = bindings

    def add(self, literal: Literal) -> None:
        """Add a literal at the end; of a recursive one note how its arguments stand to the head's."""
        if literal.relation == self.target:
            literal.orders = call_orders(self, literal.args)
            self.own_orders.append(literal.orders)
        self.literals.append(literal)
        self.accept(literal, self.extended(literal))

    def replay(self, literals: Sequence[Literal]) -> None:
        """Build a clause anew from its head."""
        self.literals = []
        self.forget()
        for literal in literals:
            if literal.relation == self.target:
                self.relate_variables()
            place = len(self.literals) - self.n_determinate
            self.add(literal)
            if literal.sign == DETERMINATE:
                self.n_determinate += 1
            else:
                self.bits = np.float32(self.bits + charge(literal.bits, place))
            self.weak = literal.weak

    def relate_variables(self) -> None:
        """Find out which variables are always equal, and how those of the head stand to all others."""
        ordered, ranks = self.world.orders
        self.partial = {(v, v): SAME for v in range(1, self.arity + 1)}
        for v in range(1, self.n_variables):
            if self.numeric[v]:
                continue
            for w in range(v + 1, self.n_variables + 1):
                if self.numeric[w] or not self.world.compatible[self.types[v]][self.types[w]]:
                    continue
                comparable = v <= self.arity and ordered[self.types[v]] and ordered[self.types[w]]
                found = relate(self.bindings.values, v, w, ranks[self.types[v]], comparable)
                self._note_relation(v, w, found)

    def _note_relation(self, v: int, w: int, found: int) -> None:
        if found == SAME:
            self.barred[w] = True
        if v > self.arity or found == MIXED:
            return
        self.partial[v, w] = found
        self.any_order |= found in (LESS, MORE)
        if w <= self.arity:
            self.partial[w, v] = {LESS: MORE, MORE: LESS}.get(found, found)
