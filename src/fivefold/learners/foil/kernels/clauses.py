"""Clauses on a table of cases: grown, trimmed, put together, and asked."""

from __future__ import annotations

from typing import NamedTuple

import cython
import numpy as np
from numpy.typing import NDArray

from fivefold.data.bitsets import pack
from fivefold.learners.foil.kernels.literals import widened

if not cython.compiled:
    from fivefold.learners.foil.kernels import cases as sets
    from fivefold.learners.foil.kernels import literals as worth
    from fivefold.learners.foil.kernels.cases import Bits, FoilTable, Resampled, Sets
    from fivefold.learners.foil.kernels.literals import Ints, Literals, Options, Singles, Trial, lg, single

    # the sets of a search: all cases of a class and all others, those of the class that no clause covers yet,
    # those that the clause in the making covers, and one to compute with
    ALL_POSITIVE, ALL_NEGATIVE, LEFT, HERE_POSITIVE, HERE_NEGATIVE, SPARE, N_SETS = range(7)


class Clauses(NamedTuple):
    """Clauses one after the other: clause `i` has the literals from ``starts[i]`` up to ``starts[i + 1]``."""

    starts: Ints
    literals: Ints
    signs: NDArray[np.bool_]
    cuts: Singles


class ClauseStore:
    """Clauses one after the other, with room for more; behind them stands the one in the making."""

    def __init__(self) -> None:
        self.n_clauses, self.starts, self.kept = 0, np.zeros(16, dtype=np.int64), np.zeros(16, dtype=np.bool_)
        self.literals, self.needed = Literals(64), np.zeros(64, dtype=np.bool_)

    def make_room(self, n: int) -> None:
        """Make room for so many literals at least."""
        self.literals.make_room(2 * n)
        self.needed = widened(self.needed, 2 * n)

    def make_room_for_clauses(self) -> None:
        """Make room for twice as many clauses."""
        room = 2 * self.starts.shape[0]
        self.starts, self.kept = widened(self.starts, room), widened(self.kept, room)

    def clauses(self) -> Clauses:
        """Give all clauses."""
        starts = np.asarray(self.starts)[: self.n_clauses + 1].copy()
        rows = self.literals.table[: starts[-1]]
        return Clauses(starts, rows["literal"].copy(), rows["sign"].astype(np.bool_), rows["cut"].copy())


class Search(Trial):
    """The `cases` from which clauses are grown, and all that growing fills; made once for all.

    A clause in the making is a path in a tree of nodes, so that checkpoints share what they have in common.
    `fixed` marks the nominal attributes that a literal of the clause has bound to a constant. `order` is that of
    the cases, `here` of those which the clause covers; both are empty unless some nominal value is missing.
    Literals tried now cost `bits`.
    """

    bits: float
    margin: float

    def __init__(self, cases: FoilTable, options: Options) -> None:
        super().__init__(worth.State(), options, cases.logs)
        self.cases, self.points, self.cut = cases, worth.Checkpoints(options.checkpoints), worth.Cut()
        self.nodes, self.path = Literals(64), np.zeros(64, dtype=np.int64)
        n, words = cases.n_cases, cases.n_words
        self.sets = Sets(np.zeros((N_SETS, words), dtype=np.uint64))
        self.before = Sets(np.zeros((16, words), dtype=np.uint64))
        self.covers = Sets(np.zeros((4, words), dtype=np.uint64))
        self.fixed = np.zeros(cases.n_attributes, dtype=np.bool_)
        self.places, self.flags = np.empty(n, dtype=np.int64), np.empty(n, dtype=np.bool_)
        self.order = np.empty(n if cases.in_order else 0, dtype=np.int64)
        self.kept, self.here, self.n_order, self.n_here = np.empty_like(self.order), self.order, 0, 0

    def make_room(self) -> None:
        """Make room for twice as many nodes."""
        self.path = widened(self.path, 2 * self.path.shape[0])
        self.nodes.make_room(self.path.shape[0])


def _missing_before(search: Search, test: int, attribute: int) -> tuple[int, int]:
    """Count the missing values before the last positive case that lacks the constant, and that has it.

    FOIL gives a side up while it scans the cases, so that only the missing values seen by then count.
    """
    missing, before_false, before_true = 0, 0, 0
    for i in range(search.state.positive):
        if not sets.has(search.cases.known, attribute, search.here[i]):
            missing += 1
        elif sets.has(search.cases.tests, test, search.here[i]):
            before_true = missing
        else:
            before_false = missing
    return before_false, before_true


def _too_few(search: Search, excluded: int, missing: int) -> bool:
    """Tell whether a side that excludes positives is dropped: too few to gain, and too few to be saved."""
    left = search.state.positive - excluded
    return (
        excluded > 0 and left - missing < float(search.limits.kept) - 1e-3 and left + 1 < search.limits.saved
    )


def _too_little(search: Search, positive: int, negative: int) -> bool:
    """Tell whether a side keeps no positives, or too many negatives to have the useful gain."""
    if positive == 0 or negative == 0:
        return positive == 0
    base, useful, added = search.state.base, search.limits.useful, search.options.added
    gained = worth.gain(
        base, worth.information(search.logs, positive, positive + negative, added), positive, 0
    )
    # far from the limit the gain alone tells; near it the program's own inverse formula has to
    if gained > single(useful + search.margin) or gained < single(useful - search.margin):
        return gained < useful
    most = worth.most_negatives(base, useful, positive, positive, added, 1.0)
    return negative > float(most) + 1e-3


def _judge(
    search: Search, literal: int, t_pos: int, true: int, f_pos: int,
    false: int, bits: float, cut: float,
) -> None:  # fmt: skip
    """Weigh a literal for which so many positive and all cases are true or false; note it, and list its sides."""
    _fill(search.true, t_pos, true)
    _fill(search.false, f_pos, false)
    if worth.weigh_sides(search, 0):
        worth.note(search, literal, bits, cut)
        worth.list_sides(search, literal, bits, cut)


def _fill(side: worth.Side, positive: int, total: int) -> None:
    side.kept = side.positive = side.original_positive = positive
    side.met = side.total = side.original_total = total


def _try_constant(
    search: Search, a: int, k: int, t_pos: int, t_neg: int, f_pos: int,
    f_neg: int,
) -> bool:  # fmt: skip
    """Try a constant; tell whether it or its negation keeps enough and not too much."""
    can_true = not _too_little(search, t_pos, t_neg)
    can_false = search.options.negation and not _too_little(search, f_pos, f_neg)
    if not (can_true or can_false):
        return False
    m_false, m_true = 0, 0
    if t_pos + f_pos < search.state.positive:
        m_false, m_true = _missing_before(search, k, a)
    can_true = can_true and not _too_few(search, f_pos, m_false) and worth.is_allowed(search, t_pos)
    can_false = can_false and not _too_few(search, t_pos, m_true) and worth.is_allowed(search, f_pos)
    if can_true or can_false:
        search.true.possible, search.false.possible = can_true, can_false
        _judge(search, k, t_pos, t_pos + t_neg, f_pos, f_pos + f_neg, search.bits, 0.0)
        worth.renew_limits(search, 0.0)
    return True


def _try_constants(search: Search, a: int) -> None:
    """Try all constants of an attribute."""
    known_pos, known_neg = search.state.positive, search.state.total - search.state.positive
    if not search.cases.whole[a]:
        known_pos = sets.count_common(search.cases.known, a, search.sets, HERE_POSITIVE)
        known_neg = sets.count_common(search.cases.known, a, search.sets, HERE_NEGATIVE)
    rest_pos, rest_neg = known_pos, known_neg
    first, last = search.cases.starts[a], search.cases.starts[a + 1] - 1
    for k in range(first, last + 1):
        # what the other constants have not is left for the last one
        t_pos, t_neg = rest_pos, rest_neg
        if k < last:
            t_pos = sets.count_common(search.cases.tests, k, search.sets, HERE_POSITIVE)
            t_neg = sets.count_common(search.cases.tests, k, search.sets, HERE_NEGATIVE)
        rest_pos, rest_neg = rest_pos - t_pos, rest_neg - t_neg
        hopeful = _try_constant(search, a, k, t_pos, t_neg, known_pos - t_pos, known_neg - t_neg)
        if not hopeful and search.options.negation and k == first and last - k == 1:
            break  # of two constants the second is the negation of the first


def _gather(
    rows: Bits, sorted_rows: NDArray[np.int32], m: int, n_known: int, places: Ints, flags: NDArray[np.bool_]
) -> int:
    """List the cases here that have a number, by rising number, and say which are positive."""
    total = 0
    for i in range(n_known):
        row = sorted_rows[m, i]
        is_positive = (rows[HERE_POSITIVE, row >> 6] >> (row & 63)) & 1
        # written in any case: no branch, as there is no telling which way it would go
        places[total], flags[total] = row, is_positive
        total += is_positive | ((rows[HERE_NEGATIVE, row >> 6] >> (row & 63)) & 1)
    return total


def _try_number(search: Search, m: int) -> None:
    """Try the best cut of a numeric attribute."""
    values = search.cases.numbers[m]
    if search.n_here:
        worth.arrange(search.here, 0, search.state.positive - 1, values)
        worth.arrange(search.here, search.state.positive, search.state.total - 1, values)
    total = _gather(
        search.sets.rows, search.cases.sorted_rows, m, search.cases.n_known[m], search.places, search.flags
    )
    worth.best_cut(search, values, search.places, search.flags, total, search.cut)
    if search.cut.gained < 0:
        return
    t_pos, true = search.cut.true_positive, search.cut.true_total
    f_pos, false = search.cut.known_positive - t_pos, search.cut.known_total - true
    can_true = t_pos > 0 and worth.is_allowed(search, t_pos)
    can_false = f_pos > 0 and worth.is_allowed(search, f_pos)
    if can_true or can_false:
        search.true.possible, search.false.possible = can_true, can_false
        bits = single(float(search.bits) + worth.log_of(search.logs, search.cut.n_values - 1))
        _judge(search, search.cases.n_tests + m, t_pos, true, f_pos, false, bits, search.cut.at)


def relation_bits(n_relations: int, n_trials: int) -> float:
    """Give the bits that name a relation, its arguments and a sign."""
    bits = single(lg(n_relations) + lg(n_trials + 1e-3))
    return single(float(bits) + 1.0)


def _affordable(search: Search, bits: float) -> bool:
    """Tell whether a clause may have a literal of so many bits; note what it and the clause then cost."""
    place, spent = search.state.n_literals, search.state.clause_bits
    search.bits, search.limits.bits = bits, single(spent + worth.charge(bits, place))
    most = worth.allowance(search.logs, search.state.world, search.state.original_positive)
    return float(bits) - lg(place + 1.001) <= single(most - float(spent))


def examine(search: Search) -> None:
    """Put the best literals on the shortlist and note the one that completes the best clause."""
    search.best.used = search.noted.used = 0
    n_tests, n_numeric = 0, search.cases.numbers.shape[0]
    for a in range(search.cases.n_attributes):
        if not search.fixed[a]:
            n_tests += search.cases.starts[a + 1] - search.cases.starts[a]
    n_relations = (1 if n_tests else 0) + (1 if n_numeric else 0)
    if n_tests and _affordable(search, relation_bits(n_relations, n_tests)):
        search.margin = single(0.01 + 1e-5 * search.state.total)
        worth.renew_limits(search, 0.0)
        for a in range(search.cases.n_attributes):
            if not search.fixed[a]:
                _try_constants(search, a)
    if (
        n_numeric
        and worth.best_gain(search.best) < search.state.most
        and _affordable(search, relation_bits(n_relations, n_numeric))
    ):
        for m in range(n_numeric):
            _try_number(search, m)


def _keep_members(search: Search, order: Ints, n: int, a: int, b: int, kept: Ints) -> int:
    """Keep the cases of two sets, in their order."""
    place = 0
    for i in range(n):
        if sets.has(search.sets, a, order[i]) or sets.has(search.sets, b, order[i]):
            kept[place] = order[i]
            place += 1
    return place


def _keep_here(search: Search, order: Ints, n: int) -> None:
    search.n_here = _keep_members(search, order, n, HERE_POSITIVE, HERE_NEGATIVE, search.kept)
    search.here = search.kept


def _trace(search: Search, node: int) -> int:
    """Write the literals of a clause into the path, from the first to the last; give how many they are."""
    n, own = 0, node
    while own > 0:
        n, own = n + 1, search.nodes.rows[own].parent
    for place in range(n - 1, -1, -1):
        search.path[place] = node
        node = search.nodes.rows[node].parent
    return n


def _cost(search: Search, node: int) -> float:
    """Give what a clause costs when it is compared with another."""
    total = 0.0
    for place in range(_trace(search, node)):
        part = single(float(search.nodes.rows[search.path[place]].bits) - lg(place + 1))
        if part > 0:
            total = single(total + part)
    return total


def _add_node(search: Search, parent: int, chosen: Literals, i: int) -> int:
    node = search.nodes.used
    search.nodes.rows[node] = chosen.rows[i]
    search.nodes.rows[node].parent = parent
    search.nodes.used += 1
    return node


def _add_alternatives(search: Search, node: int, base: float) -> None:
    """Keep the other listed literals that come near the best one as checkpoints."""
    least = single(search.options.fraction * worth.best_gain(search.best))
    for i in range(1, search.best.used):
        if search.best.rows[i].gain < least:
            continue
        positive, total = search.best.rows[i].positive, search.best.rows[i].total
        after = worth.information(search.logs, positive, total, search.options.added)
        value = single(single(positive) * single(base - after))
        if worth.remember(search.points, search.nodes.used, value):
            _add_node(search, node, search.best, i)


def _advance(search: Search, node: int) -> None:
    """Charge one more literal, keep the cases for which it holds, and mark the attribute that it binds."""
    bits, literal = search.nodes.rows[node].bits, search.nodes.rows[node].literal
    search.state.clause_bits = single(search.state.clause_bits + worth.charge(bits, search.state.n_literals))
    search.state.n_literals += 1
    search.state.weak = search.nodes.rows[node].weak
    sets.restrict(search.cases, search.nodes, node, search.sets, HERE_POSITIVE)
    sets.restrict(search.cases, search.nodes, node, search.sets, HERE_NEGATIVE)
    if search.nodes.rows[node].sign and literal < search.cases.n_tests:
        search.fixed[sets.attribute_of(search.cases, literal)] = True


def _start_over(search: Search) -> None:
    """Go back to a clause without literals."""
    search.state.clause_bits, search.state.n_literals, search.state.weak = 0.0, 0, 0
    sets.copy(search.sets, HERE_POSITIVE, search.sets, LEFT)
    sets.copy(search.sets, HERE_NEGATIVE, search.sets, ALL_NEGATIVE)
    search.fixed[:] = False


def _count_cases(search: Search, state: worth.State) -> None:
    state.positive = state.original_positive = sets.count(search.sets, HERE_POSITIVE)
    state.total = state.original_total = state.positive + sets.count(search.sets, HERE_NEGATIVE)
    state.base = worth.information(search.logs, state.positive, state.total, search.options.added)
    state.most = single(single(state.positive) * state.base)


def _begin(search: Search, state: worth.State) -> None:
    """Begin a clause; its first node stands for no literal."""
    search.points.used, search.nodes.used = 0, 1
    search.here, search.n_here = search.order, search.n_order
    _start_over(search)
    _count_cases(search, state)
    state.start_positive, state.all_positive = state.positive, sets.count(search.sets, ALL_POSITIVE)
    state.world = state.all_positive + state.total - state.positive
    state.has_saved, state.saved_cover, state.saved_accuracy = False, 0, 0.0


def _saved_is_better(search: Search, saved: int, node: int) -> bool:
    """Tell whether the saved clause is more accurate than the one grown, or equally so and wider or cheaper."""
    cover, accuracy = search.state.saved_cover, search.state.saved_accuracy
    own = worth.ratio(search.state.positive, search.state.total)
    if saved == 0 or accuracy != own:
        return saved > 0 and accuracy > own
    if cover != search.state.positive:
        return cover > search.state.positive
    return _cost(search, saved) < _cost(search, node)


def grow(search: Search) -> int:
    """Grow a clause for the positive cases that are left, against all negative ones; give its last node."""
    _begin(search, search.state)
    base, recoveries, node, saved = search.state.base, search.options.checkpoints, 0, 0
    while search.state.positive < search.state.total:
        if search.nodes.used + search.options.alternatives + 2 > search.path.shape[0]:
            with cython.gil:
                search.make_room()
        examine(search)
        if search.noted.used:
            saved = _add_node(search, node, search.noted, 0)
            search.state.has_saved, search.state.saved_cover = True, search.noted.rows[0].positive
            search.state.saved_accuracy = worth.ratio(search.state.saved_cover, search.noted.rows[0].total)
        if search.best.used:
            _add_alternatives(search, node, base)
            node = _add_node(search, node, search.best, 0)
            _advance(search, node)
            _keep_here(search, search.here, search.n_here)
        elif saved == 0 and search.points.used > 0 and recoveries > 0:
            recoveries, node = recoveries - 1, worth.take_checkpoint(search.points)
            _start_over(search)
            for place in range(_trace(search, node)):
                _advance(search, search.path[place])
            _keep_here(search, search.order, search.n_order)
        else:
            break
        _count_cases(search, search.state)
    return saved if _saved_is_better(search, saved, node) else node


def _write(search: Search, store: ClauseStore, node: int) -> int:
    """Write a grown clause behind the others, where there is room to trim it; give how many literals it has."""
    n, at = _trace(search, node), store.starts[store.n_clauses]
    if at + 2 * n + search.cases.n_attributes > store.needed.shape[0]:
        with cython.gil:
            store.make_room(at + 2 * n + search.cases.n_attributes)
    for i in range(n):
        store.literals.rows[at + i] = search.nodes.rows[search.path[i]]
    return n


def _cover(search: Search, store: ClauseStore, n: int, some: Sets, i: int, covered: Sets, j: int) -> None:
    """Find the members of a set for which all literals of the last clause hold."""
    at = store.starts[store.n_clauses]
    sets.copy(covered, j, some, i)
    for k in range(at, at + n):
        sets.restrict(search.cases, store.literals, k, covered, j)


def _asks_for_constant(cases: FoilTable, literals: Literals, k: int) -> bool:
    return bool(literals.rows[k].sign) and bool(literals.rows[k].literal < cases.n_tests)


def _write_implied(search: Search, literals: Literals, at: int) -> int:
    """Write the constants of other attributes that all spare cases share, from the last; give their number."""
    first, n = sets.first_of(search.sets, SPARE), 0
    for a in range(search.cases.n_attributes - 1, -1, -1):
        if search.fixed[a]:
            continue
        for k in range(search.cases.starts[a], search.cases.starts[a + 1]):
            if sets.has(search.cases.tests, k, first):
                if sets.all_in(search.sets, SPARE, search.cases.tests, k):
                    literals.rows[at + n].literal, literals.rows[at + n].sign = k, 1
                    literals.rows[at + n].cut = 0.0
                    n += 1
                break
    return n


def _write_equalities_first(search: Search, store: ClauseStore, n: int) -> int:
    """Write the implied constants, then those asked for, from the last, then the rest; give how many these are."""
    at: int = store.starts[store.n_clauses]
    search.fixed[:] = False
    for k in range(at, at + n):
        if _asks_for_constant(search.cases, store.literals, k):
            search.fixed[sets.attribute_of(search.cases, store.literals.rows[k].literal)] = True
    place = at + n + _write_implied(search, store.literals, at + n)
    for k in range(at + n - 1, at - 1, -1):
        if _asks_for_constant(search.cases, store.literals, k):
            store.literals.rows[place] = store.literals.rows[k]
            place += 1
    for k in range(at, at + n):
        if not _asks_for_constant(search.cases, store.literals, k):
            store.literals.rows[place] = store.literals.rows[k]
            place += 1
    return place - at - n


def trim(search: Search, store: ClauseStore, n: int) -> int:
    """Drop literals from the last to the first while no more negative cases are covered; give how many are left.

    Constants that all covered positive cases share are put in first, so that one of them may take the place of
    several literals.
    """
    at: int = store.starts[store.n_clauses]
    _cover(search, store, n, search.sets, ALL_NEGATIVE, search.sets, SPARE)
    errors = sets.count(search.sets, SPARE)
    _cover(search, store, n, search.sets, LEFT, search.sets, SPARE)
    full, size = at + n, _write_equalities_first(search, store, n)
    if size + 1 > search.before.rows.shape[0]:
        with cython.gil:
            search.before.make_room(size + 1)
    _mark_needed(search, store, full, size, errors)
    left = 0
    for k in range(full, full + size):
        if store.needed[k]:
            store.literals.rows[at + left] = store.literals.rows[k]
            left += 1
    return left


def _mark_needed(search: Search, store: ClauseStore, full: int, size: int, errors: int) -> None:
    # before: those that pass all literals before the i-th; spare: those that pass the needed ones after it
    sets.copy(search.before, 0, search.sets, ALL_NEGATIVE)
    for i in range(size):
        sets.copy(search.before, i + 1, search.before, i)
        sets.restrict(search.cases, store.literals, full + i, search.before, i + 1)
    sets.copy(search.sets, SPARE, search.sets, ALL_NEGATIVE)
    for i in range(size - 1, -1, -1):
        k = full + i
        store.needed[k] = sets.count_common(search.before, i, search.sets, SPARE) > errors
        if store.needed[k]:
            sets.restrict(search.cases, store.literals, k, search.sets, SPARE)


def _covers_alone(search: Search, store: ClauseStore, n: int, clause: int) -> bool:
    """Tell whether a clause covers a positive case that none of the other kept ones does."""
    for w in range(search.sets.rows.shape[1]):
        own = search.covers.rows[clause, w] & search.sets.rows[ALL_POSITIVE, w]
        for j in range(n):
            if store.kept[j] and j != clause:
                own &= ~search.covers.rows[j, w]
        if own:
            return True
    return False


def _mark_kept(search: Search, store: ClauseStore, n: int) -> None:
    """Mark the clauses to keep: the last one goes that alone covers no positive case, then again."""
    for j in range(n):
        store.kept[j], store.needed[j] = True, False
    last = 0
    while last >= 0:
        last = -1
        for j in range(n):
            if store.kept[j] and not store.needed[j]:
                store.needed[j] = _covers_alone(search, store, n, j)
                if not store.needed[j]:
                    last = j
        if last >= 0:
            store.kept[last] = False


def _drop_others(store: ClauseStore, first: int, n: int) -> None:
    """Close up the clauses from the first on: only the kept ones of them stay."""
    clause, place, start = first, store.starts[first], store.starts[first]
    for j in range(n):
        end = store.starts[first + j + 1]
        if store.kept[j]:
            for k in range(start, end):
                store.literals.rows[place] = store.literals.rows[k]
                place += 1
            clause += 1
            store.starts[clause] = place
        start = end
    store.n_clauses = clause


def _make_room(search: Search, store: ClauseStore, n: int) -> None:
    if store.n_clauses + 2 > store.starts.shape[0]:
        with cython.gil:
            store.make_room_for_clauses()
    if n + 1 > search.covers.rows.shape[0]:
        with cython.gil:
            search.covers.make_room(n + 1)


def define(search: Search, store: ClauseStore) -> None:
    """Learn the clauses of one class: all positive cases are its own, all negative ones the others."""
    first, n = store.n_clauses, 0
    sets.copy(search.sets, LEFT, search.sets, ALL_POSITIVE)
    while sets.count(search.sets, LEFT) > 0:
        _make_room(search, store, n)
        size = _write(search, store, grow(search))
        if search.options.pruning:
            size = trim(search, store, size)
        if size == 0:
            break
        _cover(search, store, size, search.sets, ALL_POSITIVE, search.covers, n)
        _cover(search, store, size, search.sets, ALL_NEGATIVE, search.sets, SPARE)
        held, errors = sets.count_common(search.covers, n, search.sets, LEFT), sets.count(search.sets, SPARE)
        if held + 1e-3 < float(single(search.options.min_accuracy * single(held + errors))):
            break
        store.starts[store.n_clauses + 1] = store.starts[store.n_clauses] + size
        store.n_clauses += 1
        sets.remove(search.sets, LEFT, search.covers, n)
        search.n_order = _keep_members(search, search.order, search.n_order, LEFT, ALL_NEGATIVE, search.order)
        n += 1
    if search.options.pruning:
        _mark_kept(search, store, n)
        _drop_others(store, first, n)


def define_classes(
    cases: FoilTable, options: Options, classes: NDArray[np.int32], wanted: Ints
) -> tuple[Ints, Clauses]:
    """Learn the clauses of each wanted class against all other cases.

    Those of the i-th are the clauses from ``firsts[i]`` up to ``firsts[i + 1]``.
    """
    search, store, once = Search(cases, options), ClauseStore(), np.ones((1, len(classes)), dtype=np.int64)
    firsts = view = np.zeros(len(wanted) + 1, dtype=np.int64)
    with cython.nogil:
        for c in range(wanted.shape[0]):
            search.n_order = sets.members(classes, wanted[c], once, 0, search.sets, search.order)
            define(search, store)
            view[c + 1] = store.n_clauses
    return firsts, store.clauses()


def define_all(
    X: NDArray[np.bool_], y: NDArray[np.bool_], copies: Ints, logs: worth.Logs, options: Options
) -> tuple[Ints, Clauses]:
    """Learn the concept of the true cases of `y` from each resample: case `i` stands in it ``copies[r, i]`` times.

    Clauses of resample `r` are those from ``firsts[r]`` up to ``firsts[r + 1]``. Literal ``2 a`` asks whether
    attribute `a` is false, ``2 a + 1`` whether it is true.
    """
    n_attributes, words = X.shape[1], int(copies.sum(axis=1).max(initial=1) + 63) // 64
    cases = FoilTable(
        np.zeros((2 * n_attributes, words), dtype=np.uint64), np.zeros(n_attributes + 1, dtype=np.int64),
        np.full((n_attributes, words), ~np.uint64(0)), np.ones(n_attributes, dtype=np.bool_),
        np.empty((0, 0), dtype=np.float32), np.empty((0, 0), dtype=np.int32), np.empty(0, dtype=np.int64), logs,
    )  # fmt: skip
    firsts, store = np.zeros(len(copies) + 1, dtype=np.int64), ClauseStore()
    table, classes = Resampled(pack(X), n_attributes), y.astype(np.int32)
    _define_all(Search(cases, options), store, table, classes, copies, firsts)
    return firsts, store.clauses()


def _define_all(
    search: Search,
    store: ClauseStore,
    table: Resampled,
    classes: NDArray[np.int32],
    copies: Ints,
    firsts: Ints,
) -> None:
    with cython.nogil:
        for r in range(copies.shape[0]):
            sets.pack_copies(table, search.cases, copies, r)
            sets.members(classes, 1, copies, r, search.sets, search.order)
            define(search, store)
            for k in range(store.starts[firsts[r]], store.starts[store.n_clauses]):
                store.literals.rows[k].literal = table.constants[store.literals.rows[k].literal]
            firsts[r + 1] = store.n_clauses


def cover(
    firsts: Ints, starts: Ints, signs: NDArray[np.bool_], cuts: Singles, rows: Ints, constants: Ints,
    codes: NDArray[np.int32], numbers: Singles,
) -> NDArray[np.bool_]:  # fmt: skip
    """Tell which group of clauses, those from ``firsts[g]`` up to ``firsts[g + 1]``, covers which case.

    For each literal, `constants` has the code that it asks for, or -1 if it compares a number with a cut; `rows`
    has the row of its attribute in `codes` or in `numbers`. A missing value, -1 or NaN, satisfies no literal.
    """
    covered = view = np.zeros((len(firsts) - 1, codes.shape[1]), dtype=np.bool_)
    held = np.empty(codes.shape[1], dtype=np.bool_)
    with cython.nogil:
        for g in range(view.shape[0]):
            for c in range(firsts[g], firsts[g + 1]):
                held[:] = True
                for k in range(starts[c], starts[c + 1]):
                    if constants[k] < 0:
                        _compare(held, numbers, rows[k], signs[k], cuts[k])
                    else:
                        _match(held, codes, rows[k], signs[k], constants[k])
                for i in range(held.shape[0]):
                    view[g, i] |= held[i]
    return covered


def _compare(held: NDArray[np.bool_], numbers: Singles, row: int, sign: bool, cut: float) -> None:
    """Leave a clause true only for the cases with a number above a cut, or up to it."""
    for i in range(held.shape[0]):
        if sign:
            held[i] &= numbers[row, i] > cut
        else:
            held[i] &= numbers[row, i] <= cut


def _match(held: NDArray[np.bool_], codes: NDArray[np.int32], row: int, sign: bool, code: int) -> None:
    """Leave a clause true only for the cases with a code, or with another."""
    for i in range(held.shape[0]):
        if sign:
            held[i] &= codes[row, i] == code
        else:
            held[i] &= (codes[row, i] >= 0) & (codes[row, i] != code)
