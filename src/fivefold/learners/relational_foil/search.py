"""The search for a clause: all literals that could come next, and the growth by the best of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from fivefold.learners.foil.kernels import literals as worth
from fivefold.learners.foil.kernels.literals import Checkpoints, Cut, Listed, Side, State
from fivefold.learners.relational_foil.draft import Draft, Literal, literal_arrays, n_tuples, single
from fivefold.learners.relational_foil.kernels import literals as kernels
from fivefold.learners.relational_foil.kernels.bindings import (
    ABOVE,
    ABOVE_NUMBER,
    DETERMINATE,
    EQUAL,
    EQUALS_CONSTANT,
    MISSING_NUMBER,
    Bindings,
    Book,
)
from fivefold.learners.relational_foil.kernels.literals import Grown, Ledger, LiteralSearch, Shape

_TOO_MANY = 10_000_000


@dataclass
class SavedClause:
    """The best clause seen so far on the way to another."""

    literals: list[Literal] = field(default_factory=list)
    cover: int = 0
    accuracy: float = 0.0


class Growth:
    """The growth of one clause in a draft, literal by literal, with a few places to come back to."""

    def __init__(self, draft: Draft) -> None:
        self.draft, self.options = draft, draft.settings.options
        self.points = Checkpoints(self.options.checkpoints)
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
            elif trial.best.used:
                self._take_best(trial)
            else:
                growing = self._recover()
        draft.count_originals()
        if self._saved_is_better():
            draft.replay(self.saved.literals)
            draft.count_originals()

    def _save(self, trial: LiteralTrial) -> None:
        if trial.noted.used:
            last = trial.noted.read(0)
            literals = [*self.draft.literals, trial.literal(last)]
            self.saved = SavedClause(literals, last.positive, worth.ratio(last.positive, last.total))

    def _take_best(self, trial: LiteralTrial) -> None:
        draft = self.draft
        best, *others = (trial.best.read(i) for i in range(trial.best.used))
        literal = trial.literal(best)
        least = single(self.options.fraction * best.gain)
        for other in others:
            if other.gain >= least:
                self._remember(trial.literal(other), other.positive, other.total)
        if self._starts_anew(literal):
            draft.replay([own for own in [*draft.literals, literal] if self._on_head(own)])
            return
        draft.add(literal)

    def _remember(self, literal: Literal, positive: int, total: int) -> None:
        gained = single(self.start_info - self.draft.info(positive, total))
        value = single(single(positive) * gained)
        if worth.remember(self.points, len(self.prefixes), value):
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
        if self.saved.literals or not self.points.used or not self.recoveries:
            return False
        self.recoveries -= 1
        self.draft.replay(self.prefixes[worth.take_checkpoint(self.points)])
        self.draft.count_originals()
        self.draft.relate_variables()
        return True

    def _saved_is_better(self) -> bool:
        draft, saved = self.draft, self.saved
        if not saved.literals:
            return False
        own = (worth.ratio(draft.original_positive, draft.original_total), draft.original_positive)
        if (saved.accuracy, saved.cover) != own:
            return (saved.accuracy, saved.cover) > own
        return _cost(saved.literals) < _cost(draft.literals)


def _cost(literals: list[Literal]) -> float:
    """Give what a clause costs when it is compared with another."""
    total = 0.0
    for place, literal in enumerate(literals, 1):
        total = single(total + max(single(literal.bits - worth.lg(float(place))), 0.0))
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
    positive, new = bindings.n_positive, draft.n_variables + 1
    while new <= bindings.values.shape[1]:
        earlier = range(known + 1, draft.n_variables + 1)
        columns = bindings.values[:positive].T
        twin = next((old for old in earlier if np.array_equal(columns[new - 1], columns[old - 1])), None)
        if twin is None:
            new += 1
            continue
        kept = _equal_rows(bindings, new, twin)
        values = np.delete(bindings.values[kept], new - 1, axis=1)
        bindings = Bindings(values, bindings.origin[kept], positive)
        literal.args = [twin if v == new else v - 1 if v > new else v for v in literal.args]
    return bindings


def _equal_rows(bindings: Bindings, first: int, second: int) -> list[int]:
    """List the bindings but for negative ones in which two variables differ: the last takes the place of each."""
    differ = bindings.values[:, first - 1] != bindings.values[:, second - 1]
    rows, b = list(range(differ.size)), bindings.n_positive
    while b < len(rows):
        if not differ[rows[b]]:
            b += 1
        elif b == len(rows) - 1:
            rows.pop()
        else:
            rows[b] = rows.pop()
    return rows


class LiteralTrial:
    """One round of trying all literals that a clause could have next.

    After `run`, `best` and `noted` refer to literals by their places, which `literal` takes.
    """

    def __init__(self, draft: Draft, saved: SavedClause) -> None:
        self.draft, self.settings, self.state = draft, draft.settings, _state_of(draft, saved)
        self.book = Book(self.state, self.settings.options, draft.logs, draft.seen, self.settings.max_tuples)
        self._open_book()
        self.best, self.noted = self.book.best, self.book.noted
        self.shapes: dict[int, Shape] = {}
        self.search = LiteralSearch(
            self.book, Grown(*literal_arrays(draft.literals, draft.widest)), Ledger(draft.widest + 2), draft.arity,
            len(draft.literals) - draft.n_determinate, single(self.settings.determinate * self.state.most),
        )  # fmt: skip

    def _open_book(self) -> None:
        self.book.open(self.draft.lookup([0] * self.draft.widest), self.draft.bindings)

    def run(self) -> None:
        """Try all literals, relation by relation, until one has the greatest possible gain."""
        draft = self.draft
        order = draft.world.trial_order(draft.target)
        trials = {relation: self._count(relation) for relation in order}
        n_relations = sum(n > 0 for n in trials.values())
        most = worth.allowance(draft.logs, self.state.world, draft.original_positive)
        available = single(most - draft.bits)
        for relation in order:
            if worth.best_gain(self.best) >= self.state.most:
                break
            if trials[relation]:
                bits = single(worth.lg(float(n_relations)) + worth.lg(trials[relation] + 1e-3))
                if self.settings.costs_a_sign(relation):
                    bits = single(bits + 1.0)
                if single(bits - worth.lg(self.search.place + 1.001)) <= available:
                    self._try_all(relation, bits)

    def literal(self, listed: Listed) -> Literal:
        """Give a literal that was tried."""
        relation, other, *args = self.search.ledger.literals[listed.literal]
        n_args = 2 if relation in (EQUAL, ABOVE) else 1
        if relation >= 0:
            n_args = len(self.draft.world.types_of[relation])
        return Literal(relation, listed.sign, args[:n_args], other, listed.bits, listed.weak)

    @property
    def determinate(self) -> list[Literal]:
        """The determinate literals."""
        ledger = self.search.ledger
        return [
            self.literal(Listed(bits=ledger.bits[i], literal=ledger.determinate[i], sign=DETERMINATE))
            for i in range(ledger.n_determinate)
        ]

    def prefers_determinate(self) -> bool:
        """Tell whether determinate literals are better than the best one that gains."""
        return self.search.ledger.n_determinate > 0 and worth.best_gain(self.best) < self.search.determinate

    def _count(self, relation: int) -> int:
        draft = self.draft
        if relation < 0:
            return sum(1 for _ in comparisons(draft, relation))
        if (relation == draft.target and not draft.any_order) or _too_many(draft, relation):
            return 0
        self.shapes[relation] = shape_of(draft, relation)
        return kernels.count_lists(self.shapes[relation])

    def _try_all(self, relation: int, bits: float) -> None:
        negatable = self.settings.negatable(relation)
        if relation == ABOVE_NUMBER:
            for (variable,), _ in comparisons(self.draft, relation):
                self._try_threshold(variable, bits)
        elif relation < 0:
            for args, other in comparisons(self.draft, relation):
                kernels.try_comparison(self.search, relation, np.array(args), other, bits, negatable)
        else:
            kernels.try_relation(self.search, relation, self.shapes[relation], bits, negatable)

    def _try_threshold(self, variable: int, bits: float) -> None:
        """Try a comparison of a variable with the best number."""
        draft, state = self.draft, self.state
        cut, values = best_threshold(draft, self.book, variable)
        self._open_book()
        if cut.gained < 0:
            return
        spent = single(state.clause_bits + worth.charge(bits, self.search.place))
        for side, met in ((self.book.true, values > cut.at), (self.book.false, values <= cut.at)):
            _fill_side(side, draft.bindings, met)
            allowed = single(worth.allowance(draft.logs, state.world, side.original_positive)) > spent
            side.possible = allowed and side.kept > 0
        full = single(bits + worth.lg(float(cut.n_values - 1)))
        self.search.ledger.make_room()
        number = int(np.float32(cut.at).view(np.int32))
        kernels.judge_literal(self.search, ABOVE_NUMBER, np.array([variable]), number, full, cut.at, 0, False)


def _state_of(draft: Draft, saved: SavedClause) -> State:
    base = draft.info(draft.positive, draft.total)
    state = State()
    state.positive, state.total = draft.positive, draft.total
    state.original_positive, state.original_total = draft.original_positive, draft.original_total
    state.base, state.most = base, single(single(draft.positive) * base)
    state.world = draft.whole.world_size
    state.start_positive, state.all_positive = draft.start.n_positive, len(draft.whole.positive)
    state.clause_bits, state.n_literals, state.weak = draft.bits, len(draft.literals), draft.weak
    state.has_saved = bool(saved.literals)
    state.saved_cover, state.saved_accuracy = saved.cover, saved.accuracy
    return state


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
    types, room = world.types_of[relation], np.zeros(draft.arity, dtype=np.int8)
    return Shape(
        len(types), _fitting(draft, types), world.never_equal[relation],
        np.array(world.keys[relation], dtype=np.int64), world.symmetric[relation], draft.barred, draft.depths,
        draft.n_variables, draft.settings.max_variables, draft.settings.max_depth, relation == draft.target,
        draft.partial, draft.calls([room, *draft.earlier_orders, *draft.own_orders]),
    )  # fmt: skip


def _fitting(draft: Draft, types: Sequence[int]) -> NDArray[np.bool_]:
    """Say which variables each argument could equal: those of the clause, then the other arguments."""
    known = [draft.types[v] for v in range(1, draft.n_variables + 1)]
    table = np.zeros((len(types), 1 + len(known) + len(types)), dtype=bool)
    for i, own in enumerate(types):
        table[i, 1:] = [draft.world.compatible[kind][own] for kind in (*known, *types)]
    return table


def best_threshold(draft: Draft, book: Book, variable: int) -> tuple[Cut, NDArray[np.float32]]:
    """Find the best cut; on the way the bindings are sorted by the variable, as the program leaves them."""
    _sort(draft, variable)
    values = _numbers(draft.bindings, variable)
    rows = np.argsort(values, kind="stable")[: np.count_nonzero(~np.isnan(values))]
    flags = rows < draft.bindings.n_positive
    cut = Cut()
    worth.best_cut(book, values, rows, flags, rows.size, cut)
    return cut, values


def _numbers(bindings: Bindings, variable: int) -> NDArray[np.float32]:
    bits = np.ascontiguousarray(bindings.values[:, variable - 1])
    return np.where(bits == MISSING_NUMBER, np.float32(np.nan), bits.view(np.float32))


def _sort(draft: Draft, variable: int) -> None:
    bindings, values = draft.bindings, _numbers(draft.bindings, variable)
    order = np.arange(values.size)
    worth.arrange(order, 0, bindings.n_positive - 1, values)
    worth.arrange(order, bindings.n_positive, values.size - 1, values)
    arranged = Bindings(bindings.values[order], bindings.origin[order], bindings.n_positive)
    if bindings is draft.start:
        draft.start = arranged
    draft.bindings = arranged


def _fill_side(side: Side, bindings: Bindings, met: NDArray[np.bool_]) -> None:
    """Count the positive and all bindings that meet a comparison, and the tuples that these stem from."""
    n = bindings.n_positive
    positive, total = bindings.origin[:n][met[:n]], bindings.origin[met]
    side.kept = side.positive = positive.size
    side.met = side.total = total.size
    side.original_positive, side.original_total = n_tuples(positive), n_tuples(total)
