"""What each literal that could come next is worth."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from fivefold.learners.foil.kernels.judging import new_noted
from fivefold.learners.foil.kernels.scoring import allowance, charge, lg
from fivefold.learners.foil.kernels.shortlist import best_gain, new_shortlist
from fivefold.learners.foil.relational.candidates import comparisons, shape_of, too_many
from fivefold.learners.foil.relational.draft import Draft
from fivefold.learners.foil.relational.kernels.arguments import count_lists, new_walk
from fivefold.learners.foil.relational.kernels.joining import ABOVE, ABOVE_NUMBER, EQUAL
from fivefold.learners.foil.relational.kernels.scanning import Book
from fivefold.learners.foil.relational.kernels.trying import (
    Grown,
    Ledger,
    Search,
    judge_literal,
    try_comparison,
    try_relation,
)
from fivefold.learners.foil.relational.literal import DETERMINATE, Literal
from fivefold.learners.foil.relational.thresholding import best_threshold
from fivefold.learners.foil.structures import State

_ROOM = 256


@dataclass(frozen=True)
class Candidate:
    """A literal that was tried: its relation, its variables, and what a comparison is with."""

    relation: int
    args: list[int]
    other: int


@dataclass
class Saved:
    """The best clause seen so far on the way to another."""

    literals: list[Literal] = field(default_factory=list)
    cover: int = 0
    accuracy: np.float32 = field(default_factory=lambda: np.float32(0))


class Evaluation:
    """One round of trying all literals that a clause could have next.

    After `run`, `best` and `noted` refer to candidates by their places, and `determinate` gives the determinate
    literals.
    """

    def __init__(self, draft: Draft, saved: Saved) -> None:
        self.draft, self.settings = draft, draft.settings
        options = draft.settings.options
        widest = max(draft.tables.tuples.shape[1], 2)
        self.best = new_shortlist(options.alternatives + 1)
        self.noted = new_noted()
        self.state = _state_of(draft, saved)
        self.search = Search(
            draft.tables,
            draft.bindings,
            draft.numeric,
            self.state,
            options,
            _grown_of(draft, widest),
            Book(np.zeros(17, dtype=np.int64), np.zeros(4, dtype=bool), draft.seen, draft.found),
            self.best,
            self.noted,
            _ledger(_ROOM, widest + 2),
            draft.logs,
            draft.factorials,
            draft.arity,
            np.float32(draft.bits),
            len(draft.literals) - draft.n_determinate,
            self.settings.determinate,
            self.settings.max_tuples,
            draft.world.has_missing,
        )

    def run(self) -> None:
        """Try all literals, relation by relation, until one has the greatest possible gain."""
        draft = self.draft
        order = draft.world.trial_order(draft.target)
        trials = {relation: self._count(relation) for relation in order}
        n_relations = sum(n > 0 for n in trials.values())
        most = allowance(draft.logs, draft.factorials, self.state.world, draft.original_positive)
        available = np.float32(most - float(draft.bits))
        for relation in order:
            if self.complete():
                break
            if trials[relation]:
                bits = np.float32(lg(float(n_relations)) + lg(trials[relation] + 1e-3))
                if self.settings.costs_a_sign(relation):
                    bits = np.float32(float(bits) + 1.0)
                if float(bits) - lg(self.search.place + 1.001) <= available:
                    self._try_all(relation, bits)

    def complete(self) -> bool:
        """Tell whether a literal has the greatest possible gain."""
        return bool(best_gain(self.best) >= self.state.most)

    def candidate(self, place: int) -> Candidate:
        """Give a literal that was tried."""
        relation, other, *args = self.search.ledger.literals[place].tolist()
        return Candidate(relation, args[: self._n_args(relation)], other)

    @property
    def determinate(self) -> list[Literal]:
        """The determinate literals."""
        ledger = self.search.ledger
        found = []
        for place, bits in zip(ledger.determinate, ledger.bits[: ledger.used[1]], strict=False):
            own = self.candidate(int(place))
            found.append(Literal(own.relation, DETERMINATE, own.args, bits=np.float32(bits)))
        return found

    def prefers_determinate(self) -> bool:
        """Tell whether determinate literals are better than the best one that gains."""
        least = np.float32(self.settings.determinate * self.state.most)
        return bool(self.search.ledger.used[1]) and bool(best_gain(self.best) < least)

    def _n_args(self, relation: int) -> int:
        if relation >= 0:
            return len(self.draft.world.types_of[relation])
        return 2 if relation in (EQUAL, ABOVE) else 1

    def _count(self, relation: int) -> int:
        draft = self.draft
        if relation < 0:
            return sum(1 for _ in comparisons(draft, relation))
        if (relation == draft.target and not draft.any_order) or too_many(draft, relation):
            return 0
        return int(count_lists(shape_of(draft, relation)))

    def _try_all(self, relation: int, bits: np.float32) -> None:
        negatable = self.settings.negatable(relation)
        if relation == ABOVE_NUMBER:
            for (variable,), _ in comparisons(self.draft, relation):
                self._try_threshold(variable, bits)
        elif relation < 0:
            for args, other in comparisons(self.draft, relation):
                self._make_room()
                try_comparison(self.search, relation, np.array(args), other, bits, negatable)
        else:
            shape = shape_of(self.draft, relation)
            walk = new_walk(shape)
            while try_relation(self.search, relation, shape, walk, bits, negatable):
                self._make_room()

    def _try_threshold(self, variable: int, bits: np.float32) -> None:
        draft, search = self.draft, self.search
        spent = np.float32(search.bits + np.float32(charge(bits, search.place)))
        found = best_threshold(draft, self.state, variable, spent)
        self.search = search._replace(bindings=draft.bindings)
        if found is not None:
            full = np.float32(float(bits) + lg(float(found.n_values - 1)))
            self._make_room()
            judge_literal(
                self.search, ABOVE_NUMBER, np.array([variable]), found.bits, found.counts, found.can_true,
                found.can_false, full, found.cut, 0, False,
            )  # fmt: skip

    def _make_room(self) -> None:
        """Give the ledger twice the room if it is full."""
        old = self.search.ledger
        if old.used[0] < len(old.literals):
            return
        new = _ledger(2 * len(old.literals), old.literals.shape[1])
        for own, other in zip(new, old, strict=True):
            own[: len(other)] = other
        self.search = self.search._replace(ledger=new)


def _state_of(draft: Draft, saved: Saved) -> State:
    base = draft.info(draft.positive, draft.total)
    return State(
        positive=draft.positive,
        total=draft.total,
        original_positive=draft.original_positive,
        original_total=draft.original_total,
        base=base,
        most=np.float32(np.float32(draft.positive) * base),
        world=draft.whole.world_size,
        start_positive=int(draft.start.n_positive),
        all_positive=len(draft.whole.positive),
        clause_bits=draft.bits,
        n_literals=len(draft.literals),
        weak=draft.weak,
        has_saved=bool(saved.literals),
        saved_cover=saved.cover,
        saved_accuracy=saved.accuracy,
    )


def _grown_of(draft: Draft, widest: int) -> Grown:
    args = np.ones((len(draft.literals), widest), dtype=np.int64)
    for place, one in enumerate(draft.literals):
        args[place, : len(one.args)] = one.args
    return Grown(
        np.array([one.relation for one in draft.literals], dtype=np.int64),
        np.array([one.sign for one in draft.literals], dtype=np.int64),
        args,
    )


def _ledger(room: int, width: int) -> Ledger:
    return Ledger(
        np.zeros((room, width), dtype=np.int64),
        np.zeros(room, dtype=np.int64),
        np.zeros(room, dtype=np.float32),
        np.zeros(2, dtype=np.int64),
    )
