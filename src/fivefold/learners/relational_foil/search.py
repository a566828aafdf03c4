"""The search for a clause: all literals that could come next, and the growth by the best of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from fivefold.learners.foil.kernels.literals import (
    BITS,
    GAIN,
    LITERAL,
    POSITIVE,
    SIGN,
    TOTAL,
    WEAK,
    Counts,
    Cut,
    State,
    allowance,
    arrange,
    best_cut,
    best_gain,
    charge,
    lg,
    new_checkpoints,
    new_noted,
    new_shortlist,
    ratio,
    remember,
    take_checkpoint,
)
from fivefold.learners.relational_foil.draft import Draft, Literal, literal_arrays
from fivefold.learners.relational_foil.kernels.bindings import (
    ABOVE,
    ABOVE_NUMBER,
    DETERMINATE,
    EQUAL,
    EQUALS_CONSTANT,
    MISSING_NUMBER,
    MIXED,
    Bindings,
    Book,
    same_on_positive,
    without_differing,
)
from fivefold.learners.relational_foil.kernels.literals import (
    Calls,
    Grown,
    Ledger,
    LiteralSearch,
    Shape,
    count_lists,
    judge_literal,
    new_walk,
    try_comparison,
    try_relation,
)

_TOO_MANY = 10_000_000
_ROOM = 256


@dataclass
class SavedClause:
    """The best clause seen so far on the way to another."""

    literals: list[Literal] = field(default_factory=list)
    cover: int = 0
    accuracy: np.float32 = field(default_factory=lambda: np.float32(0))


class Growth:
    """The growth of one clause in a draft, literal by literal, with a few places to come back to."""

    def __init__(self, draft: Draft) -> None:
        self.draft, self.options = draft, draft.settings.options
        self.points = new_checkpoints(self.options.checkpoints)
        self.prefixes: list[list[Literal]] = []
        self.recoveries = self.options.checkpoints
        self.saved = SavedClause()
        self.start_info = draft.info(draft.positive, draft.total)

    def run(self) -> None:
        """Add literals until no negative binding is left, or none helps; then take the best clause seen."""
        draft = self.draft
        growing = True
        while growing and draft.positive < draft.total:
            if draft.literals:
                draft.count_originals()
                draft.relate_variables()
            trial = LiteralTrial(draft, self.saved)
            trial.run()
            self._save(trial)
            if trial.prefers_determinate():
                add_determinate(draft, trial.determinate)
            elif trial.best.used[0]:
                self._take_best(trial)
            else:
                growing = self._recover()
        draft.count_originals()
        if self._saved_is_better():
            draft.replay(self.saved.literals)
            draft.count_originals()

    def _save(self, trial: LiteralTrial) -> None:
        if trial.noted.used[0]:
            whole = trial.noted.whole
            last = trial.literal(whole[LITERAL], whole[SIGN], trial.noted.reals[BITS])
            cover = int(whole[POSITIVE])
            accuracy = np.float32(ratio(cover, int(whole[TOTAL])))
            self.saved = SavedClause([*self.draft.literals, last], cover, accuracy)

    def _take_best(self, trial: LiteralTrial) -> None:
        draft, best = self.draft, trial.best
        literals = [
            trial.literal(whole[LITERAL], whole[SIGN], reals[BITS], whole[WEAK])
            for whole, reals in zip(best.whole, best.reals[: best.used[0]], strict=False)
        ]
        least = np.float32(self.options.fraction * best.reals[0, GAIN])
        for i, alternative in enumerate(literals[1:], 1):
            if best.reals[i, GAIN] >= least:
                self._remember(alternative, int(best.whole[i, POSITIVE]), int(best.whole[i, TOTAL]))
        literal = literals[0]
        if self._starts_anew(literal):
            draft.replay([own for own in [*draft.literals, literal] if self._on_head(own)])
            return
        draft.bits = np.float32(draft.bits + charge(literal.bits, len(draft.literals) - draft.n_determinate))
        draft.weak = literal.weak
        draft.add(literal)

    def _remember(self, literal: Literal, positive: int, total: int) -> None:
        value = np.float32(
            np.float32(positive) * np.float32(self.start_info - self.draft.info(positive, total))
        )
        if remember(self.points, len(self.prefixes), value):
            self.prefixes.append([*self.draft.literals, literal])

    def _on_head(self, literal: Literal) -> bool:
        return all(v <= self.draft.arity for v in literal.args)

    def _starts_anew(self, literal: Literal) -> bool:
        """Tell whether a literal on the head alone makes what led to it pointless."""
        draft = self.draft
        return (
            literal.relation != draft.target
            and self._on_head(literal)
            and draft.n_variables > draft.arity
            and not all(earlier.sign == DETERMINATE for earlier in draft.literals)
        )

    def _recover(self) -> bool:
        if self.saved.literals or not self.points.used[0] or not self.recoveries:
            return False
        self.recoveries -= 1
        self.draft.replay(self.prefixes[take_checkpoint(self.points)])
        self.draft.count_originals()
        self.draft.relate_variables()
        return True

    def _saved_is_better(self) -> bool:
        draft, saved = self.draft, self.saved
        if not saved.literals:
            return False
        own = (np.float32(ratio(draft.original_positive, draft.original_total)), draft.original_positive)
        if (saved.accuracy, saved.cover) != own:
            return (saved.accuracy, saved.cover) > own
        return bool(_cost(saved.literals) < _cost(draft.literals))


def _cost(literals: list[Literal]) -> np.float32:
    """Give what a clause costs when it is compared with another."""
    total = np.float32(0)
    for place, literal in enumerate(literals, 1):
        total = np.float32(total + max(np.float32(float(literal.bits) - lg(float(place))), np.float32(0)))
    return total


def add_determinate(draft: Draft, literals: list[Literal]) -> None:
    """Add determinate literals, but for variables that repeat those of another one among them.

    They come all at once and without charge, as they only name what is there anyway.
    """
    known = draft.n_variables
    for literal in literals:
        shift = draft.n_variables - known
        literal.args = [v + shift if v > known else v for v in literal.args]
        if max(literal.args) > draft.settings.max_variables:
            break
        if literal.relation == draft.target:
            literal.orders = draft.call_orders(literal.args)
        bindings = _without_repeats(draft, literal, known)
        if bindings.values.shape[1] > draft.n_variables:
            draft.literals.append(literal)
            draft.accept(literal, bindings)
            draft.n_determinate += 1
            if literal.orders is not None:
                draft.own_orders.append(literal.orders)
    draft.weak += 1


def _without_repeats(draft: Draft, literal: Literal, known: int) -> Bindings:
    """Give the bindings with a literal, without new variables that equal one of its forerunners'."""
    bindings = draft.extended(literal)
    new = draft.n_variables + 1
    while new <= bindings.values.shape[1]:
        earlier = range(known + 1, draft.n_variables + 1)
        twin = next((old for old in earlier if same_on_positive(bindings, new, old)), None)
        if twin is None:
            new += 1
            continue
        kept = without_differing(bindings, new, twin)
        bindings = Bindings(np.delete(kept.values, new - 1, axis=1), kept.origin, kept.n_positive)
        literal.args = [twin if v == new else v - 1 if v > new else v for v in literal.args]
    return bindings


class LiteralTrial:
    """One round of trying all literals that a clause could have next.

    After `run`, `best` and `noted` refer to literals by their places, which `literal` takes.
    """

    def __init__(self, draft: Draft, saved: SavedClause) -> None:
        self.draft, self.settings = draft, draft.settings
        options = draft.settings.options
        self.best = new_shortlist(options.alternatives + 1)
        self.noted = new_noted()
        self.state = _state_of(draft, saved)
        self.search = LiteralSearch(
            draft.tables, draft.bindings, draft.numeric, self.state, options,
            Grown(*literal_arrays(draft.literals, draft.widest)),
            Book(np.zeros(17, dtype=np.int64), np.zeros(4, dtype=bool), draft.seen, draft.matches),
            self.best, self.noted, _ledger(_ROOM, draft.widest + 2), draft.logs, draft.factorials, draft.arity,
            np.float32(draft.bits), len(draft.literals) - draft.n_determinate,
            self.settings.determinate, self.settings.max_tuples, draft.world.has_missing,
        )  # fmt: skip

    def run(self) -> None:
        """Try all literals, relation by relation, until one has the greatest possible gain."""
        draft = self.draft
        order = draft.world.trial_order(draft.target)
        trials = {relation: self._count(relation) for relation in order}
        n_relations = sum(n > 0 for n in trials.values())
        most = allowance(draft.logs, draft.factorials, self.state.world, draft.original_positive)
        available = np.float32(most - float(draft.bits))
        for relation in order:
            if best_gain(self.best) >= self.state.most:
                break
            if trials[relation]:
                bits = np.float32(lg(float(n_relations)) + lg(trials[relation] + 1e-3))
                if self.settings.costs_a_sign(relation):
                    bits = np.float32(float(bits) + 1.0)
                if float(bits) - lg(self.search.place + 1.001) <= available:
                    self._try_all(relation, bits)

    def literal(self, place: int, sign: int, bits: np.float32, weak: int = 0) -> Literal:
        """Give a literal that was tried."""
        relation, other, *args = self.search.ledger.literals[place].tolist()
        n_args = 2 if relation in (EQUAL, ABOVE) else 1
        if relation >= 0:
            n_args = len(self.draft.world.types_of[relation])
        return Literal(relation, int(sign), args[:n_args], other, np.float32(bits), int(weak))

    @property
    def determinate(self) -> list[Literal]:
        """The determinate literals."""
        ledger = self.search.ledger
        n = ledger.used[1]
        return [
            self.literal(place, DETERMINATE, bits)
            for place, bits in zip(ledger.determinate[:n], ledger.bits[:n], strict=True)
        ]

    def prefers_determinate(self) -> bool:
        """Tell whether determinate literals are better than the best one that gains."""
        least = np.float32(self.settings.determinate * self.state.most)
        return bool(self.search.ledger.used[1]) and bool(best_gain(self.best) < least)

    def _count(self, relation: int) -> int:
        draft = self.draft
        if relation < 0:
            return sum(1 for _ in comparisons(draft, relation))
        if (relation == draft.target and not draft.any_order) or _too_many(draft, relation):
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
        """Try a comparison of a variable with the best number."""
        draft, state = self.draft, self.state
        cut, values = best_threshold(draft, state, variable)
        spent = np.float32(self.search.bits + np.float32(charge(bits, self.search.place)))
        self.search = self.search._replace(bindings=draft.bindings)
        if cut.gained < 0:
            return
        at = np.float32(cut.at)
        counts = _threshold_counts(draft.bindings, values, at)

        def allowed(covered: int) -> bool:
            return bool(allowance(draft.logs, draft.factorials, state.world, covered) > spent)

        full = np.float32(float(bits) + lg(float(cut.n_values - 1)))
        self._make_room()
        judge_literal(
            self.search, ABOVE_NUMBER, np.array([variable]), int(at.view(np.int32)), counts,
            allowed(counts.true_original_positive) and counts.true_kept > 0,
            allowed(counts.false_original_positive) and counts.false_positive > 0,
            full, at, 0, False,
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


def _state_of(draft: Draft, saved: SavedClause) -> State:
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


def _ledger(room: int, width: int) -> Ledger:
    return Ledger(
        np.zeros((room, width), dtype=np.int64),
        np.zeros(room, dtype=np.int64),
        np.zeros(room, dtype=np.float32),
        np.zeros(2, dtype=np.int64),
    )


def comparisons(draft: Draft, relation: int) -> Iterator[tuple[list[int], int]]:
    """List the arguments of a comparison, and the constant that it is with."""
    free = [v for v in range(1, draft.n_variables + 1) if not draft.barred[v]]
    if relation == EQUALS_CONSTANT:
        fixed = {literal.args[0] for literal in draft.literals if literal.asserts(EQUALS_CONSTANT)}
        for v in free:
            if v not in fixed:
                yield from (([v], constant) for constant in draft.world.theory[draft.types[v]])
    elif relation == ABOVE_NUMBER:
        yield from (([v], 0) for v in free if draft.numeric[v])
    else:
        for i, v in enumerate(free):
            yield from (([v, w], w) for w in free[i + 1 :] if _comparable(draft, relation, v, w))


def _comparable(draft: Draft, relation: int, v: int, w: int) -> bool:
    if relation == EQUAL:
        return draft.world.compatible[draft.types[v]][draft.types[w]]
    return relation == ABOVE and bool(draft.numeric[v]) and draft.types[v] == draft.types[w]


def _too_many(draft: Draft, relation: int) -> bool:
    """Tell whether a relation could have so many argument lists that it is passed over."""
    product = 1
    for kind in draft.world.types_of[relation]:
        fitting = sum(draft.world.compatible[draft.types[v]][kind] for v in range(1, draft.n_variables + 1))
        product *= 1 + fitting
    return product > _TOO_MANY


def shape_of(draft: Draft, relation: int) -> Shape:
    """Say what the argument lists of a relation may look like."""
    world = draft.world
    types = world.types_of[relation]
    return Shape(
        len(types), _fitting(draft, types), world.never_equal[relation],
        np.array(world.keys[relation], dtype=np.int64), world.symmetric[relation],
        np.array(draft.barred, dtype=bool), np.array(draft.depths, dtype=np.int64), draft.n_variables,
        draft.settings.max_variables, draft.settings.max_depth, relation == draft.target, _calls(draft),
    )  # fmt: skip


def _fitting(draft: Draft, types: Sequence[int]) -> NDArray[np.bool_]:
    """Say which variables each argument could equal: those of the clause, then the other arguments."""
    known = [draft.types[v] for v in range(1, draft.n_variables + 1)]
    table = np.zeros((len(types), 1 + len(known) + len(types)), dtype=bool)
    for i, own in enumerate(types):
        table[i, 1:] = [draft.world.compatible[kind][own] for kind in (*known, *types)]
    return table


def _calls(draft: Draft) -> Calls:
    partial = np.full((draft.arity + 1, draft.n_variables + 1), MIXED, dtype=np.int8)
    for pair, order in draft.partial.items():
        partial[pair] = order
    room = np.zeros(draft.arity, dtype=np.int8)
    orders = np.array([room, *draft.earlier_orders, *draft.own_orders], dtype=np.int8)
    return Calls(partial, orders, draft.ways, np.array(draft.head_types))


def best_threshold(draft: Draft, state: State, variable: int) -> tuple[Cut, NDArray[np.float32]]:
    """Find the best cut; on the way the bindings are sorted by the variable, as the program leaves them."""
    _sort(draft, variable)
    values = _numbers(draft.bindings, variable)
    rows = np.argsort(values, kind="stable")[: np.count_nonzero(~np.isnan(values))]
    flags = rows < draft.bindings.n_positive
    return best_cut(state, draft.settings.options, draft.logs, values, rows, flags, rows.size), values


def _numbers(bindings: Bindings, variable: int) -> NDArray[np.float32]:
    bits = np.ascontiguousarray(bindings.values[:, variable - 1])
    return np.where(bits == MISSING_NUMBER, np.float32(np.nan), bits.view(np.float32))


def _sort(draft: Draft, variable: int) -> None:
    bindings, values = draft.bindings, _numbers(draft.bindings, variable)
    order = np.arange(values.size)
    arrange(order, 0, bindings.n_positive - 1, values)
    arrange(order, bindings.n_positive, values.size - 1, values)
    arranged = Bindings(bindings.values[order], bindings.origin[order], bindings.n_positive)
    if bindings is draft.start:
        draft.start = arranged
    draft.bindings = arranged


def _threshold_counts(bindings: Bindings, values: NDArray[np.float32], cut: np.float32) -> Counts:
    positive = np.arange(values.size) < bindings.n_positive

    def count(side: NDArray[np.bool_]) -> tuple[int, int, int, int]:
        """Count positive and all bindings of a side, then the tuples that these stem from."""
        own, total = bindings.origin[side & positive], bindings.origin[side]
        return own.size, total.size, np.unique(own).size, np.unique(total).size

    kept, total, original_positive, original_total = count(values > cut)
    return Counts(kept, kept, total, total, original_positive, original_total, *count(values <= cut))
