"""A clause in the making: its literals and bindings, whether its recursion ends, what it does not need."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fivefold.errors import InputError, show
from fivefold.inputs.options import fraction, one_of, positive_int
from fivefold.learners.foil.kernels.literals import Options, charge, full_total, information
from fivefold.learners.foil.training_table import logarithms, search_options
from fivefold.learners.relational_foil.kernels import bindings as kernels
from fivefold.learners.relational_foil.kernels.bindings import Bindings, Calls, Ints, Lookup, Orders, Prover
from fivefold.learners.relational_foil.world import Start, World


def single(x: float) -> float:
    """Round to 32 bits."""
    return float(np.float32(x))


@dataclass(frozen=True)
class Settings:
    """What a relational search may do: `options` it shares with the search on tables.

    `negation` says which literals may be negated; ``V <= x`` always is there beside ``V > x``. Determinate
    literals are taken unless a literal has the share `determinate` of the greatest possible gain.
    """

    options: Options
    negation: str
    determinate: float
    max_depth: int
    max_variables: int
    max_tuples: int

    def negatable(self, relation: int) -> bool:
        """Tell whether a literal on a relation may be negated."""
        if self.negation == "all" or relation in (kernels.ABOVE, kernels.ABOVE_NUMBER):
            return True
        return self.negation == "comparisons" and relation < 0

    def costs_a_sign(self, relation: int) -> bool:
        """Tell whether a literal on a relation pays a bit for its sign."""
        return self.negation == "all" or relation < 0


def settings_of(chosen: Mapping[str, Any], sample: float, arity: int) -> Settings:
    """Check what a user has chosen for a target of so many arguments, of whose negatives a share is taken."""
    if sample <= 0:
        raise InputError("sample to be above 0 and at most 1", show(sample))
    options = search_options(chosen["info"], True, chosen["pruning"], chosen["min_accuracy"])
    least, share = options.min_accuracy, single(sample)
    if sample < 0.99:
        least = single(least / single(least + single(share * single(1 - least))))
    negation = chosen["negation"]
    if isinstance(negation, bool):
        negation = "all" if negation else "none"
    options.min_accuracy, options.sample = least, share
    options.fraction = fraction(chosen["min_alternative"], "min_alternative")
    options.weak = positive_int(chosen["max_weak"], "max_weak", least=0)
    options.alternatives = positive_int(chosen["alternatives"], "alternatives", least=0)
    options.checkpoints = positive_int(chosen["checkpoints"], "checkpoints", least=0)
    return Settings(
        options,
        one_of(str(negation), ("all", "comparisons", "none"), "negation"),
        single(fraction(chosen["determinate"], "determinate")),
        positive_int(chosen["max_depth"], "max_depth", least=0),
        max(positive_int(chosen["max_variables"], "max_variables"), arity),
        positive_int(chosen["max_tuples"], "max_tuples"),
    )


@dataclass(eq=False)
class Literal:
    """A literal: its relation or comparison, its sign, and its variables, from 1 on.

    `other` is the constant, or the bits of the number, that a comparison is with; `bits` what the literal costs;
    `weak` how many weak literals in a row there are up to it. Of a recursive one `orders` says how each argument
    of the head stands to that of the call. While a clause is simplified, only `active` ones count.
    """

    relation: int
    sign: int
    args: list[int]
    other: int = 0
    bits: float = 0.0
    weak: int = 0
    orders: Orders | None = None
    active: bool = True

    def asserts(self, relation: int) -> bool:
        """Tell whether this is an unnegated literal on a relation."""
        return self.relation == relation and self.sign > 0


def literal_arrays(literals: Sequence[Literal], widest: int) -> tuple[Ints, Ints, Ints]:
    """Give relations, signs and arguments as arrays; arguments that a literal does not have are 1."""
    args = np.ones((len(literals), widest), dtype=np.int64)
    for row, literal in zip(args, literals, strict=True):
        row[: len(literal.args)] = literal.args
    relations = np.array([literal.relation for literal in literals], dtype=np.int64)
    return relations, np.array([literal.sign for literal in literals], dtype=np.int64), args


def n_tuples(origin: Ints) -> int:
    """Count the tuples from which bindings stem."""
    return int(np.unique(origin).size)


class Draft:
    """The state of the search for one clause after the other of a target's definition."""

    def __init__(self, world: World, settings: Settings, target: int, start: Start) -> None:
        self.world, self.settings, self.target, self.whole = world, settings, target, start
        self.tables = world.tables
        self.widest = max(self.tables.tuples.shape[1], 2)
        self.logs = logarithms(1024)
        self.head_types = world.types_of[target]
        self.arity = len(self.head_types)
        rows = np.concatenate([start.positive, start.negative])
        self.start = Bindings(rows, np.arange(len(rows)), len(start.positive))
        self.seen = np.zeros(len(rows), dtype=np.uint8)
        longest = int(np.diff(self.tables.first).max(initial=0))
        self.matches = np.empty((1, longest + 1), dtype=np.int64)
        self.earlier_orders: list[Orders] = []
        self.restart()

    def restart(self) -> None:
        """Begin a clause."""
        self.forget()
        self.count_originals()

    def forget(self) -> None:
        """Go back to the head alone."""
        room = self.settings.max_variables + self.arity + 2
        self.literals: list[Literal] = []
        self.bindings = self.start
        self.types = [-1, *self.head_types] + [-1] * (room - self.arity)
        self.depths, self.barred = np.zeros(room, dtype=np.int64), np.zeros(room, dtype=bool)
        self.numeric = np.zeros(room, dtype=bool)
        for v, kind in enumerate(self.head_types, 1):
            self.numeric[v] = self.world.numeric[kind]
        # how each variable of the head stands to all others
        self.partial = np.empty((self.arity + 1, room), dtype=np.int8)
        self._forget_orders()
        self.any_order = False
        self.own_orders: list[Orders] = []
        self.n_determinate, self.weak, self.bits = 0, 0, 0.0

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

    def info(self, positive: int, total: int) -> float:
        """Give the information of a set of bindings."""
        options = self.settings.options
        full = full_total(positive, total, options.sample)
        return information(self.logs, positive, full, options.added)

    def count_originals(self) -> None:
        """Count the tuples from which the bindings stem."""
        origin, n_positive = self.bindings.origin, self.bindings.n_positive
        self.original_positive, self.original_total = n_tuples(origin[:n_positive]), n_tuples(origin)

    def lookup(self, args: Sequence[int]) -> Lookup:
        """Give what a literal on the bindings is looked up with."""
        return Lookup(
            self.tables, self.bindings.values, np.array([args], dtype=np.int64), self.matches, self.numeric,
            self.n_variables, self.world.has_missing,
        )  # fmt: skip

    def extended(self, literal: Literal) -> Bindings:
        """Give the bindings with one more literal."""
        last = max(self.n_variables, *literal.args) if literal.sign else self.n_variables
        look = self.lookup(literal.args)
        return kernels.extend(look, literal.relation, literal.other, literal.sign, self.bindings, last)

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

    def _forget_orders(self) -> None:
        self.partial[:] = kernels.MIXED
        np.fill_diagonal(self.partial, kernels.SAME)

    def add(self, literal: Literal) -> None:
        """Add and charge a literal; of a recursive one note how its arguments stand to the head's."""
        if literal.relation == self.target:
            literal.orders = self.call_orders(literal.args)
            self.own_orders.append(literal.orders)
        if literal.sign == kernels.DETERMINATE:
            self.n_determinate += 1
        else:
            place = len(self.literals) - self.n_determinate
            self.bits = single(self.bits + charge(literal.bits, place))
        self.weak = literal.weak
        self.literals.append(literal)
        self.accept(literal, self.extended(literal))

    def replay(self, literals: Sequence[Literal]) -> None:
        """Build a clause anew from its head."""
        self.forget()
        for literal in literals:
            if literal.relation == self.target:
                self.relate_variables()
            self.add(literal)

    def relate_variables(self) -> None:
        """Find out which variables are always equal, and how those of the head stand to all others."""
        ordered, ranks = self.world.orders
        self._forget_orders()
        for v in range(1, self.n_variables):
            if self.numeric[v]:
                continue
            for w in range(v + 1, self.n_variables + 1):
                if self.numeric[w] or not self.world.compatible[self.types[v]][self.types[w]]:
                    continue
                comparable = v <= self.arity and ordered[self.types[v]] and ordered[self.types[w]]
                order = kernels.relate(self.bindings.values, v, w, ranks[self.types[v]], comparable)
                self._note_order(v, w, order)

    def _note_order(self, v: int, w: int, order: int) -> None:
        if order == kernels.SAME:
            self.barred[w] = True
        if v > self.arity or order == kernels.MIXED:
            return
        self.partial[v, w] = order
        self.any_order |= order in (kernels.LESS, kernels.MORE)
        if w <= self.arity:
            self.partial[w, v] = {kernels.LESS: kernels.MORE, kernels.MORE: kernels.LESS}.get(order, order)

    def call_orders(self, args: Sequence[int]) -> Orders:
        """Give how each argument of the head stands to that of a recursive call."""
        return self.partial[np.arange(1, self.arity + 1), args]

    @property
    def ways(self) -> Orders:
        """Which way calls must go along each argument: down where an order is given or denied, else either."""
        types = [self.world.task.types[t] for t in self.head_types]
        either = [kind.order == "discover" and not kind.continuous for kind in types]
        return np.where(either, kernels.SAME, kernels.MORE).astype(np.int8)

    def calls(self, orders: Sequence[Orders]) -> Calls:
        """Give recursive calls whose arguments stand to the head's as these orders say."""
        table = np.array(orders, dtype=np.int8).reshape(-1, self.arity)
        return Calls(table, self.ways, np.array(self.head_types))


def simplify(draft: Draft) -> None:
    """Drop what the clause of a draft does not need, and build it anew if something went."""
    errors = draft.original_total - draft.original_positive
    orders = [literal.orders for literal in draft.literals if literal.orders is not None]
    orders_before = [own.copy() for own in orders]
    literals = list(draft.literals)
    _promote(draft, literals)
    _insert_implied(draft, literals)
    changed = _drop_idle(draft, literals, errors)
    changed |= _drop_redundant(draft, literals, errors)
    if changed:
        literals = [literal for literal in literals if literal.active]
        _rename(draft, literals)
        draft.replay(literals)
        draft.count_originals()
        return
    draft.literals = literals
    for own, before in zip(orders, orders_before, strict=True):
        own[:] = before


def _first_binding(draft: Draft, literals: list[Literal], variable: int) -> int:
    """Give the place after the first literal that binds a variable; 0 for one of the head."""
    if variable <= draft.arity:
        return 0
    for place, literal in enumerate(literals, 1):
        if literal.sign and variable in literal.args:
            return place
    return len(literals) + 1


def _promote(draft: Draft, literals: list[Literal]) -> None:
    """Move equalities to where their variable is bound first."""
    for place, literal in enumerate(list(literals)):
        if literal.sign and literal.relation in (kernels.EQUAL, kernels.EQUALS_CONSTANT):
            to = min(_first_binding(draft, literals[:place], literal.args[-1]), place)
            literals.insert(to, literals.pop(place))


def _insert_implied(draft: Draft, literals: list[Literal]) -> None:
    """Put in the equalities that hold for all positive bindings although no literal says so."""
    world, rows = draft.world, draft.bindings.values[: draft.positive]
    for v in range(1, draft.n_variables + 1):
        kind, column = draft.types[v], rows[:, v - 1]
        if not world.numeric[kind] and column[0] in world.theory[kind] and (column == column[0]).all():
            if not any(
                literal.asserts(kernels.EQUALS_CONSTANT) and literal.args[0] == v for literal in literals
            ):
                _insert(draft, literals, Literal(kernels.EQUALS_CONSTANT, kernels.PLAIN, [v], int(column[0])))
            continue
        for w in range(v + 1, draft.n_variables + 1):
            if (
                world.compatible[kind][draft.types[w]]
                and (column == rows[:, w - 1]).all()
                and not _unknown(draft, v).any()
                and not any(literal.asserts(kernels.EQUAL) and literal.args == [v, w] for literal in literals)
            ):
                _insert(draft, literals, Literal(kernels.EQUAL, kernels.PLAIN, [v, w], w))


def _unknown(draft: Draft, v: int) -> NDArray[np.bool_]:
    column = draft.bindings.values[: draft.positive, v - 1]
    return np.asarray(
        np.isnan(column.copy().view(np.float32)) if draft.numeric[v] else column == kernels.MISSING
    )


def _insert(draft: Draft, literals: list[Literal], new: Literal) -> None:
    literals.insert(min(_first_binding(draft, literals, new.args[-1]), len(literals)), new)


def _drop_idle(draft: Draft, literals: list[Literal], errors: int) -> bool:
    """Drop determinate literals whose new variables no later literal uses, if no error comes of it."""
    bound, last = [], draft.arity
    for literal in literals:
        literal.active = True
        before, last = last, max(last, *literal.args) if literal.sign else last
        bound.append((before, last))
    used: set[int] = set()
    idle = []
    for place in range(len(literals) - 1, -1, -1):
        literal, (before, after) = literals[place], bound[place]
        needed = literal.sign != kernels.DETERMINATE or any(v in used for v in range(before + 1, after + 1))
        if needed or place == len(literals) - 1:
            used.update(literal.args)
        else:
            idle.append(literal)
    if not idle:
        return False
    for literal in idle:
        literal.active = False
    if _satisfactory(draft, literals, errors):
        return True
    for literal in literals:
        literal.active = True
    return False


def _drop_redundant(draft: Draft, literals: list[Literal], errors: int) -> bool:
    """Drop literals, the last first, that are not needed to keep negative tuples out."""
    changed = False
    for place in range(len(literals) - 1, -1, -1):
        literal = literals[place]
        if not literal.active or _binds_needed(draft, literals, place):
            continue
        literal.active = False
        if _satisfactory(draft, literals, errors):
            changed = True
            continue
        literal.active = True
        old = literal.args[-1]
        if literal.asserts(kernels.EQUAL) and old > draft.arity and not draft.numeric[old]:
            del literals[place]
            _replace(literals, old, literal.args[0])
    return changed


def _replace(literals: list[Literal], old: int, new: int) -> None:
    bound = False
    for literal in literals:
        if literal.sign or bound:
            bound |= old in literal.args
            literal.args = [new if v == old else v for v in literal.args]
            if literal.relation == kernels.EQUAL:
                literal.other = literal.args[1]


def _binds_needed(draft: Draft, literals: list[Literal], place: int) -> bool:
    """Tell whether a later negation or comparison needs a variable of a literal, or one would hang in the air."""
    # which literal alone binds a variable; None if several do, or the head
    unique: dict[int, int | None] = dict.fromkeys(range(1, draft.arity + 1))
    for i, literal in enumerate(literals):
        if not literal.active:
            continue
        if i > place and _depends(literal, unique, place):
            return True
        for v in literal.args if literal.sign else ():
            unique[v] = i if unique.get(v, i) == i else None
    return False


def _depends(literal: Literal, unique: dict[int, int | None], place: int) -> bool:
    owners = [unique[v] for v in literal.args if v in unique]
    if literal.relation < 0 or not literal.sign:
        return place in owners
    return all(owner == place for owner in owners)


def _satisfactory(draft: Draft, literals: list[Literal], errors: int) -> bool:
    """Tell whether the active literals cover no more negative tuples, and recursion stays in order."""
    calls = [literal for literal in literals if literal.active and literal.relation == draft.target]
    prover = prover_of(draft, literals, draft.n_variables, recording=bool(calls))
    good = kernels.no_worse(prover, draft.whole.positive, draft.whole.negative, errors)
    for place, literal in enumerate(literals):
        if literal in calls and literal.orders is not None:
            literal.orders[:] = prover.orders[place]
    if not good or not calls:
        return good
    own = [literal.orders for literal in calls if literal.orders is not None]
    return draft.any_order and kernels.recursion_ends(draft.calls([*draft.earlier_orders, *own]))


def prover_of(draft: Draft, literals: list[Literal], n_variables: int, *, recording: bool) -> Prover:
    """Write a clause with so many variables as arrays, with room for its proofs."""
    relations, signs, args = literal_arrays(literals, draft.widest)
    room = max(draft.settings.max_variables, int(args.max(initial=1)), draft.n_variables) + 1
    row = np.empty(room, dtype=np.int32)
    look = Lookup(
        draft.tables, row.reshape(1, -1), args, np.empty((len(literals), draft.matches.size), dtype=np.int64),
        _numeric(draft, literals, room), n_variables, draft.world.has_missing,
    )  # fmt: skip
    others = np.array([literal.other for literal in literals], dtype=np.int64)
    active = np.array([literal.active for literal in literals], dtype=bool)
    _, ranks = draft.world.orders
    return Prover(
        look, row, relations, signs, others, active, ranks[list(draft.head_types)], draft.target, recording
    )


def _numeric(draft: Draft, literals: list[Literal], room: int) -> NDArray[np.bool_]:
    """Say which variables of a clause are numbers; the draft itself may have gone on to another clause."""
    numeric = np.zeros(room + 1, dtype=bool)
    pairs = list(enumerate(draft.head_types, 1))
    for literal in literals:
        if literal.relation >= 0:
            pairs += zip(literal.args, draft.world.types_of[literal.relation], strict=True)
    for v, kind in pairs:
        numeric[v] |= draft.world.numeric[kind]
    return numeric


def _rename(draft: Draft, literals: list[Literal]) -> None:
    """Number the variables anew; those that only a negated literal has stay its own."""
    names: dict[int, int] = {}
    following = draft.arity + 1
    for literal in literals:
        before, start = dict(names), following
        renamed = []
        for v in literal.args:
            if v > draft.arity and v not in names:
                names[v] = following
                following += 1
            renamed.append(names.get(v, v))
        literal.args = renamed
        if literal.relation == kernels.EQUAL:
            literal.other = literal.args[1]
        if not literal.sign:
            names, following = before, start
