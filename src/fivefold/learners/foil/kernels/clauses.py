"""Clauses on a table of cases: packed as bits, grown, trimmed, put together, and asked."""

from __future__ import annotations

from typing import Any, NamedTuple

import cython
import numpy as np
from numpy.typing import NDArray

if not cython.compiled:
    from fivefold.learners.foil.kernels.literals import (
        BITS,
        CUT,
        GAIN,
        LITERAL,
        POSITIVE,
        SIGN,
        TOTAL,
        WEAK,
        Checkpoints,
        Counts,
        Cut,
        Ints,
        Logs,
        Options,
        Shortlist,
        Singles,
        State,
        allowance,
        arrange,
        best_cut,
        best_gain,
        charge,
        gain,
        information,
        judge,
        least_kept,
        least_saved,
        lg,
        log_of,
        most_negatives,
        ratio,
        remember,
        single,
        take_checkpoint,
        useful_gain,
    )

    # the sets of a search: all cases of a class and all others, those of the class that no clause covers yet,
    # those that the clause in the making covers, and one to compute with
    ALL_POSITIVE, ALL_NEGATIVE, LEFT, HERE_POSITIVE, HERE_NEGATIVE, SPARE, N_SETS = range(7)
    # what a search knows of a node
    PARENT, OWN_LITERAL, OWN_SIGN, OWN_WEAK = range(4)
    OWN_BITS, OWN_CUT = range(2)

    def lowest_member(word: int) -> int:
        """Give the place of the lowest one of a word that is not zero."""
        return (int(word) & -int(word)).bit_length() - 1


Bits = NDArray[np.uint64]
ONE = np.uint64(1)
ALL = ~np.uint64(0)


class Clauses(NamedTuple):
    """Clauses one after the other: clause `i` has the literals from ``starts[i]`` up to ``starts[i + 1]``."""

    starts: Ints
    literals: Ints
    signs: NDArray[np.bool_]
    cuts: Singles


def _widened(array: Any, room: int) -> NDArray[Any]:
    """Copy an array to the beginning of a longer one."""
    old = np.asarray(array)
    new = np.zeros((room, *old.shape[1:]), dtype=old.dtype)
    new[: len(old)] = old
    return new


class Sets:
    """Sets of cases, one a row."""

    def __init__(self, rows: Bits) -> None:
        self.rows = rows

    def make_room(self, n: int) -> None:
        """Make room for so many sets at least."""
        self.rows = _widened(self.rows, 2 * n)


def count_common(a: Sets, i: int, b: Sets, j: int) -> int:
    """Count the common members of a set and another."""
    total = 0
    if cython.compiled:
        total = count_common_words(  # type: ignore[name-defined]  # noqa: F821
            cython.address(a.rows[i, 0]), cython.address(b.rows[j, 0]), a.rows.shape[1]
        )
    else:
        total = int(np.bitwise_count(a.rows[i] & b.rows[j]).sum())
    return total


def count(sets: Sets, i: int) -> int:
    """Count the members of a set."""
    return count_common(sets, i, sets, i)


def has(sets: Sets, i: int, case: int) -> bool:
    """Tell whether a case is a member."""
    return bool((sets.rows[i, case >> 6] >> (case & 63)) & ONE)


def first_of(sets: Sets, i: int) -> int:
    """Give the first member; -1 if there is none."""
    for w in range(sets.rows.shape[1]):
        if sets.rows[i, w]:
            return 64 * w + lowest_member(sets.rows[i, w])
    return -1


def all_in(a: Sets, i: int, b: Sets, j: int) -> bool:
    """Tell whether all members are in another set."""
    outside = ONE ^ ONE
    for w in range(a.rows.shape[1]):
        outside |= a.rows[i, w] & ~b.rows[j, w]
    return not outside


def remove(a: Sets, i: int, b: Sets, j: int) -> None:
    """Take the members of another set out."""
    for w in range(a.rows.shape[1]):
        a.rows[i, w] &= ~b.rows[j, w]


def copy(a: Sets, i: int, b: Sets, j: int) -> None:
    """Make a set equal to another."""
    for w in range(a.rows.shape[1]):
        a.rows[i, w] = b.rows[j, w]


class FoilTable:
    """The training cases; they never change while definitions are made.

    Row `k` of `tests` has the cases for which constant `k` is the value of its attribute. The constants of
    nominal attribute `a` are those from ``starts[a]`` up to ``starts[a + 1]``; `known` has the cases with a
    value of it, and `whole` says whether all have one. `numbers` has a row for each numeric attribute, with
    NaN for missing; `sorted_rows` the cases by rising number, the first `n_known` of them with a value.
    Literal `k` below the number of constants asks for constant `k`, one above for a numeric attribute.
    """

    def __init__(
        self, tests: Bits, starts: Ints, known: Bits, whole: NDArray[np.bool_], numbers: Singles,
        sorted_rows: NDArray[np.int32], n_known: Ints, logs: Logs,
    ) -> None:  # fmt: skip
        self.tests, self.starts, self.known, self.whole = Sets(tests), starts, Sets(known), whole
        self.numbers, self.sorted_rows, self.n_known, self.logs = numbers, sorted_rows, n_known, logs
        self.n_attributes, self.n_cases = whole.shape[0], numbers.shape[1]
        self.n_tests, self.n_words = tests.shape
        # the order of the cases matters where nominal values are missing
        self.in_order = not whole.all()


class ClauseStore:
    """Clauses one after the other, with room for more; behind them stands the one in the making."""

    def __init__(self) -> None:
        self.n_clauses, self.starts, self.kept = 0, np.zeros(16, dtype=np.int64), np.zeros(16, dtype=np.bool_)
        self.literals, self.cuts = np.zeros(64, dtype=np.int64), np.zeros(64, dtype=np.float32)
        self.signs, self.needed = np.zeros(64, dtype=np.bool_), np.zeros(64, dtype=np.bool_)

    def make_room(self, n: int) -> None:
        """Make room for so many literals at least."""
        self.literals, self.cuts = _widened(self.literals, 2 * n), _widened(self.cuts, 2 * n)
        self.signs, self.needed = _widened(self.signs, 2 * n), _widened(self.needed, 2 * n)

    def make_room_for_clauses(self) -> None:
        """Make room for twice as many clauses."""
        room = 2 * self.starts.shape[0]
        self.starts, self.kept = _widened(self.starts, room), _widened(self.kept, room)

    def clauses(self) -> Clauses:
        """Give all clauses."""
        n, end = self.n_clauses, self.starts[self.n_clauses]
        return Clauses(
            np.asarray(self.starts)[: n + 1].copy(), np.asarray(self.literals)[:end].copy(),
            np.asarray(self.signs)[:end].astype(np.bool_), np.asarray(self.cuts)[:end].copy(),
        )  # fmt: skip


class Search:
    """All that growing clauses fills; made once for all.

    A clause in the making is a path in a tree of nodes, so that checkpoints share what they have in common.
    `fixed` marks the nominal attributes that a literal of the clause has bound to a constant. `order` is that of
    the cases, `here` of those which the clause covers; both are empty unless some nominal value is missing.
    Literals tried now cost `bits` and make a clause of `new_bits`; the other numbers are what they have to reach.
    """

    bits: float
    new_bits: float
    useful: float
    margin: float
    least_kept: float
    least_saved: int

    def __init__(self, cases: FoilTable, options: Options) -> None:
        self.best, self.noted = Shortlist(options.alternatives + 1), Shortlist(1)
        self.points, self.state = Checkpoints(options.checkpoints), State()
        self.counts, self.cut = Counts(), Cut()
        n, words = cases.n_cases, cases.n_words
        self.sets = Sets(np.zeros((N_SETS, words), dtype=np.uint64))
        self.before = Sets(np.zeros((16, words), dtype=np.uint64))
        self.covers = Sets(np.zeros((4, words), dtype=np.uint64))
        self.fixed = np.zeros(cases.n_attributes, dtype=np.bool_)
        self.places, self.flags = np.empty(n, dtype=np.int64), np.empty(n, dtype=np.bool_)
        self.order = np.empty(n if cases.in_order else 0, dtype=np.int64)
        self.kept, self.here, self.n_order, self.n_here = np.empty_like(self.order), self.order, 0, 0
        self.nodes, self.node_reals = np.zeros((64, 4), dtype=np.int64), np.zeros((64, 2), dtype=np.float32)
        self.path, self.n_nodes = np.zeros(64, dtype=np.int64), 0

    def make_room(self) -> None:
        """Make room for twice as many nodes."""
        room = 2 * self.path.shape[0]
        self.nodes, self.node_reals = _widened(self.nodes, room), _widened(self.node_reals, room)
        self.path = _widened(self.path, room)


def _missing_before(cases: FoilTable, search: Search, test: int, attribute: int) -> tuple[int, int]:
    """Count the missing values before the last positive case that lacks the constant, and that has it.

    FOIL gives a side up while it scans the cases, so that only the missing values seen by then count.
    """
    missing, before_false, before_true = 0, 0, 0
    for i in range(search.state.positive):
        if not has(cases.known, attribute, search.here[i]):
            missing += 1
        elif has(cases.tests, test, search.here[i]):
            before_true = missing
        else:
            before_false = missing
    return before_false, before_true


def _too_few(search: Search, excluded: int, missing: int) -> bool:
    """Tell whether a side that excludes positives is dropped: too few to gain, and too few to be saved."""
    left = search.state.positive - excluded
    return excluded > 0 and left - missing < float(search.least_kept) - 1e-3 and left + 1 < search.least_saved


def _too_little(cases: FoilTable, search: Search, positive: int, negative: int, added: int) -> bool:
    """Tell whether a side keeps no positives, or too many negatives to have the useful gain."""
    if positive == 0 or negative == 0:
        return positive == 0
    base, useful = search.state.base, search.useful
    gained = gain(base, information(cases.logs, positive, positive + negative, added), positive, 0)
    # far from the limit the gain alone tells; near it the program's own inverse formula has to
    if gained > single(useful + search.margin) or gained < single(useful - search.margin):
        return gained < useful
    most = most_negatives(base, useful, positive, positive, added, 1.0)
    return negative > float(most) + 1e-3


def _renew_limits(options: Options, cases: FoilTable, search: Search) -> None:
    search.useful = useful_gain(search.best, options.fraction)
    search.least_kept = least_kept(search.useful, search.state.base)
    search.least_saved = least_saved(search.state, search.noted, cases.logs, search.new_bits)


def _count_plain(
    counts: Counts, true_positive: int, true_negative: int, false_positive: int, false_negative: int
) -> None:
    """Write the counts of a literal without new variables, where every binding is a tuple."""
    counts.true_kept = counts.true_positive = counts.true_original_positive = true_positive
    counts.true_total = counts.true_now = counts.true_original_total = true_positive + true_negative
    counts.false_positive = counts.false_original_positive = false_positive
    counts.false_total = counts.false_original_total = false_positive + false_negative


def _try_constant(
    options: Options, cases: FoilTable, search: Search, a: int, k: int, t_pos: int, t_neg: int, f_pos: int,
    f_neg: int,
) -> bool:  # fmt: skip
    """Try a constant; tell whether it or its negation keeps enough and not too much."""
    can_true = not _too_little(cases, search, t_pos, t_neg, options.added)
    can_false = options.negation and not _too_little(cases, search, f_pos, f_neg, options.added)
    if not (can_true or can_false):
        return False
    m_false, m_true, world = 0, 0, search.state.world
    if t_pos + f_pos < search.state.positive:
        m_false, m_true = _missing_before(cases, search, k, a)
    can_true = can_true and not _too_few(search, f_pos, m_false)
    can_false = can_false and not _too_few(search, t_pos, m_true)
    can_true = can_true and allowance(cases.logs, world, t_pos) > search.new_bits
    can_false = can_false and allowance(cases.logs, world, f_pos) > search.new_bits
    if can_true or can_false:
        _count_plain(search.counts, t_pos, t_neg, f_pos, f_neg)
        judge(
            search.state, options, cases.logs, search.best, search.noted, search.counts, can_true, can_false, k,
            search.bits, 0.0,
        )  # fmt: skip
        _renew_limits(options, cases, search)
    return True


def _try_constants(options: Options, cases: FoilTable, search: Search, a: int) -> None:
    """Try all constants of an attribute."""
    known_pos, known_neg = search.state.positive, search.state.total - search.state.positive
    if not cases.whole[a]:
        known_pos = count_common(cases.known, a, search.sets, HERE_POSITIVE)
        known_neg = count_common(cases.known, a, search.sets, HERE_NEGATIVE)
    rest_pos, rest_neg = known_pos, known_neg
    first, last = cases.starts[a], cases.starts[a + 1] - 1
    for k in range(first, last + 1):
        # what the other constants have not is left for the last one
        t_pos, t_neg = rest_pos, rest_neg
        if k < last:
            t_pos = count_common(cases.tests, k, search.sets, HERE_POSITIVE)
            t_neg = count_common(cases.tests, k, search.sets, HERE_NEGATIVE)
        rest_pos, rest_neg = rest_pos - t_pos, rest_neg - t_neg
        hopeful = _try_constant(
            options, cases, search, a, k, t_pos, t_neg, known_pos - t_pos, known_neg - t_neg
        )
        if not hopeful and options.negation and k == first and last - k == 1:
            break  # of two constants the second is the negation of the first


def _gather(
    sets: Bits, sorted_rows: NDArray[np.int32], m: int, n_known: int, places: Ints, flags: NDArray[np.bool_]
) -> int:
    """List the cases here that have a number, by rising number, and say which are positive."""
    total = 0
    for i in range(n_known):
        row = sorted_rows[m, i]
        is_positive = (sets[HERE_POSITIVE, row >> 6] >> (row & 63)) & ONE
        # written in any case: no branch, as there is no telling which way it would go
        places[total], flags[total] = row, is_positive
        total += is_positive | ((sets[HERE_NEGATIVE, row >> 6] >> (row & 63)) & ONE)
    return total


def _try_number(options: Options, cases: FoilTable, search: Search, m: int) -> None:
    """Try the best cut of a numeric attribute."""
    values = cases.numbers[m]
    if search.n_here:
        arrange(search.here, 0, search.state.positive - 1, values)
        arrange(search.here, search.state.positive, search.state.total - 1, values)
    total = _gather(search.sets.rows, cases.sorted_rows, m, cases.n_known[m], search.places, search.flags)
    best_cut(search.state, options, cases.logs, values, search.places, search.flags, total, search.cut)
    if search.cut.gained < 0:
        return
    t_pos, true = search.cut.true_positive, search.cut.true_total
    f_pos, false = search.cut.known_positive - t_pos, search.cut.known_total - true
    can_true = t_pos > 0 and allowance(cases.logs, search.state.world, t_pos) > search.new_bits
    can_false = f_pos > 0 and allowance(cases.logs, search.state.world, f_pos) > search.new_bits
    if can_true or can_false:
        whole = single(float(search.bits) + log_of(cases.logs, search.cut.n_values - 1))
        _count_plain(search.counts, t_pos, true - t_pos, f_pos, false - f_pos)
        judge(
            search.state, options, cases.logs, search.best, search.noted, search.counts, can_true, can_false,
            cases.n_tests + m, whole, search.cut.at,
        )  # fmt: skip


def relation_bits(n_relations: int, n_trials: int) -> float:
    """Give the bits that name a relation, its arguments and a sign."""
    bits = single(lg(n_relations) + lg(n_trials + 1e-3))
    return single(float(bits) + 1.0)


def _affordable(cases: FoilTable, search: Search, bits: float) -> bool:
    """Tell whether a clause may have a literal of so many bits; note what it and the clause then cost."""
    place, spent = search.state.n_literals, search.state.clause_bits
    search.bits, search.new_bits = bits, single(spent + charge(bits, place))
    most = allowance(cases.logs, search.state.world, search.state.original_positive)
    return float(bits) - lg(place + 1.001) <= single(most - float(spent))


def examine(options: Options, cases: FoilTable, search: Search) -> None:
    """Put the best literals on the shortlist and note the one that completes the best clause."""
    search.best.used = search.noted.used = 0
    n_tests, n_numeric = 0, cases.numbers.shape[0]
    for a in range(cases.n_attributes):
        if not search.fixed[a]:
            n_tests += cases.starts[a + 1] - cases.starts[a]
    n_relations = (1 if n_tests else 0) + (1 if n_numeric else 0)
    if n_tests and _affordable(cases, search, relation_bits(n_relations, n_tests)):
        search.margin = single(0.01 + 1e-5 * search.state.total)
        _renew_limits(options, cases, search)
        for a in range(cases.n_attributes):
            if not search.fixed[a]:
                _try_constants(options, cases, search, a)
    if (
        n_numeric
        and best_gain(search.best) < search.state.most
        and _affordable(cases, search, relation_bits(n_relations, n_numeric))
    ):
        for m in range(n_numeric):
            _try_number(options, cases, search, m)


def attribute_of(cases: FoilTable, literal: int) -> int:
    """Give the nominal attribute whose constant a literal asks for."""
    low, high = 0, cases.n_attributes
    while high - low > 1:
        middle = (low + high) // 2
        if cases.starts[middle] <= literal:
            low = middle
        else:
            high = middle
    return low


def restrict(cases: FoilTable, literal: int, sign: bool, cut: float, sets: Sets, i: int) -> None:
    """Keep the members for which a literal holds; a missing value satisfies none."""
    words = sets.rows.shape[1]
    if literal >= cases.n_tests:
        for w in range(words):
            left = sets.rows[i, w]
            while left:
                value = cases.numbers[literal - cases.n_tests, 64 * w + lowest_member(left)]
                if not (value > cut if sign else value <= cut):
                    sets.rows[i, w] ^= left & (~left + ONE)
                left &= left - ONE
    elif sign:
        for w in range(words):
            sets.rows[i, w] &= cases.tests.rows[literal, w]
    else:
        a = attribute_of(cases, literal)
        for w in range(words):
            sets.rows[i, w] &= cases.known.rows[a, w] & ~cases.tests.rows[literal, w]


def _keep_members(search: Search, order: Ints, n: int, a: int, b: int, kept: Ints) -> int:
    """Keep the cases of two sets, in their order."""
    place = 0
    for i in range(n):
        if has(search.sets, a, order[i]) or has(search.sets, b, order[i]):
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
        n, own = n + 1, search.nodes[own, PARENT]
    for place in range(n - 1, -1, -1):
        search.path[place] = node
        node = search.nodes[node, PARENT]
    return n


def _cost(search: Search, node: int) -> float:
    """Give what a clause costs when it is compared with another."""
    total = 0.0
    for place in range(_trace(search, node)):
        part = single(float(search.node_reals[search.path[place], OWN_BITS]) - lg(place + 1))
        if part > 0:
            total = single(total + part)
    return total


def _add_node(search: Search, parent: int, chosen: Shortlist, i: int, weak: int) -> int:
    node = search.n_nodes
    search.nodes[node, PARENT], search.nodes[node, OWN_WEAK] = parent, weak
    search.nodes[node, OWN_LITERAL] = chosen.whole[i, LITERAL]
    search.nodes[node, OWN_SIGN] = chosen.whole[i, SIGN]
    search.node_reals[node, OWN_BITS] = chosen.reals[i, BITS]
    search.node_reals[node, OWN_CUT] = chosen.reals[i, CUT]
    search.n_nodes += 1
    return node


def _add_alternatives(options: Options, cases: FoilTable, search: Search, node: int, base: float) -> None:
    """Keep the other listed literals that come near the best one as checkpoints."""
    least = single(options.fraction * best_gain(search.best))
    for i in range(1, search.best.used):
        if search.best.reals[i, GAIN] < least:
            continue
        positive, total = search.best.whole[i, POSITIVE], search.best.whole[i, TOTAL]
        after = information(cases.logs, positive, total, options.added)
        value = single(single(positive) * single(base - after))
        if remember(search.points, search.n_nodes, value):
            _add_node(search, node, search.best, i, search.best.whole[i, WEAK])


def _advance(cases: FoilTable, search: Search, node: int) -> None:
    """Charge one more literal, keep the cases for which it holds, and mark the attribute that it binds."""
    bits, cut = search.node_reals[node, OWN_BITS], search.node_reals[node, OWN_CUT]
    search.state.clause_bits = single(search.state.clause_bits + charge(bits, search.state.n_literals))
    search.state.n_literals += 1
    search.state.weak = search.nodes[node, OWN_WEAK]
    literal, sign = search.nodes[node, OWN_LITERAL], search.nodes[node, OWN_SIGN] == 1
    restrict(cases, literal, sign, cut, search.sets, HERE_POSITIVE)
    restrict(cases, literal, sign, cut, search.sets, HERE_NEGATIVE)
    if sign and literal < cases.n_tests:
        search.fixed[attribute_of(cases, literal)] = True


def _start_over(search: Search) -> None:
    """Go back to a clause without literals."""
    search.state.clause_bits, search.state.n_literals, search.state.weak = 0.0, 0, 0
    copy(search.sets, HERE_POSITIVE, search.sets, LEFT)
    copy(search.sets, HERE_NEGATIVE, search.sets, ALL_NEGATIVE)
    for a in range(search.fixed.shape[0]):
        search.fixed[a] = False


def _count_cases(options: Options, cases: FoilTable, state: State, sets: Sets) -> None:
    state.positive = state.original_positive = count(sets, HERE_POSITIVE)
    state.total = state.original_total = state.positive + count(sets, HERE_NEGATIVE)
    state.base = information(cases.logs, state.positive, state.total, options.added)
    state.most = single(single(state.positive) * state.base)


def _begin(options: Options, cases: FoilTable, search: Search, state: State) -> None:
    """Begin a clause; its first node stands for no literal."""
    search.points.used, search.n_nodes = 0, 1
    search.here, search.n_here = search.order, search.n_order
    _start_over(search)
    _count_cases(options, cases, state, search.sets)
    state.start_positive, state.all_positive = state.positive, count(search.sets, ALL_POSITIVE)
    state.world = state.all_positive + state.total - state.positive
    state.has_saved, state.saved_cover, state.saved_accuracy = False, 0, 0.0


def _saved_is_better(search: Search, saved: int, node: int) -> bool:
    """Tell whether the saved clause is more accurate than the one grown, or equally so and wider or cheaper."""
    cover, accuracy = search.state.saved_cover, search.state.saved_accuracy
    own = ratio(search.state.positive, search.state.total)
    if saved == 0 or accuracy != own:
        return saved > 0 and accuracy > own
    if cover != search.state.positive:
        return cover > search.state.positive
    return _cost(search, saved) < _cost(search, node)


def _save(state: State, noted: Shortlist) -> None:
    state.has_saved, state.saved_cover = True, noted.whole[0, POSITIVE]
    state.saved_accuracy = ratio(state.saved_cover, noted.whole[0, TOTAL])


def grow(options: Options, cases: FoilTable, search: Search) -> int:
    """Grow a clause for the positive cases that are left, against all negative ones; give its last node."""
    _begin(options, cases, search, search.state)
    base, recoveries, node, saved = search.state.base, options.checkpoints, 0, 0
    while search.state.positive < search.state.total:
        if search.n_nodes + options.alternatives + 2 > search.path.shape[0]:
            with cython.gil:
                search.make_room()
        examine(options, cases, search)
        if search.noted.used:
            saved = _add_node(search, node, search.noted, 0, 0)
            _save(search.state, search.noted)
        if search.best.used:
            _add_alternatives(options, cases, search, node, base)
            node = _add_node(search, node, search.best, 0, search.best.whole[0, WEAK])
            _advance(cases, search, node)
            _keep_here(search, search.here, search.n_here)
        elif saved == 0 and search.points.used > 0 and recoveries > 0:
            recoveries, node = recoveries - 1, take_checkpoint(search.points)
            _start_over(search)
            for place in range(_trace(search, node)):
                _advance(cases, search, search.path[place])
            _keep_here(search, search.order, search.n_order)
        else:
            break
        _count_cases(options, cases, search.state, search.sets)
    return saved if _saved_is_better(search, saved, node) else node


def _write(cases: FoilTable, search: Search, store: ClauseStore, node: int) -> int:
    """Write a grown clause behind the others, where there is room to trim it; give how many literals it has."""
    n, at = _trace(search, node), store.starts[store.n_clauses]
    if at + 2 * n + cases.n_attributes > store.literals.shape[0]:
        with cython.gil:
            store.make_room(at + 2 * n + cases.n_attributes)
    for i in range(n):
        own = search.path[i]
        store.literals[at + i] = search.nodes[own, OWN_LITERAL]
        store.signs[at + i] = search.nodes[own, OWN_SIGN] == 1
        store.cuts[at + i] = search.node_reals[own, OWN_CUT]
    return n


def _move(store: ClauseStore, source: int, target: int) -> None:
    store.literals[target], store.signs[target] = store.literals[source], store.signs[source]
    store.cuts[target] = store.cuts[source]


def _cover(cases: FoilTable, store: ClauseStore, n: int, sets: Sets, i: int, covered: Sets, j: int) -> None:
    """Find the members of a set for which all literals of the last clause hold."""
    at = store.starts[store.n_clauses]
    copy(covered, j, sets, i)
    for k in range(at, at + n):
        restrict(cases, store.literals[k], store.signs[k], store.cuts[k], covered, j)


def _asks_for_constant(cases: FoilTable, store: ClauseStore, k: int) -> bool:
    return bool(store.signs[k]) and bool(store.literals[k] < cases.n_tests)


def _write_implied(cases: FoilTable, search: Search, store: ClauseStore, at: int) -> int:
    """Write the constants of other attributes that all spare cases share, from the last; give their number."""
    first, n = first_of(search.sets, SPARE), 0
    for a in range(cases.n_attributes - 1, -1, -1):
        if search.fixed[a]:
            continue
        for k in range(cases.starts[a], cases.starts[a + 1]):
            if has(cases.tests, k, first):
                if all_in(search.sets, SPARE, cases.tests, k):
                    store.literals[at + n], store.signs[at + n], store.cuts[at + n] = k, True, 0.0
                    n += 1
                break
    return n


def _write_equalities_first(cases: FoilTable, search: Search, store: ClauseStore, n: int) -> int:
    """Write the implied constants, then those asked for, from the last, then the rest; give how many these are."""
    at: int = store.starts[store.n_clauses]
    for a in range(cases.n_attributes):
        search.fixed[a] = False
    for k in range(at, at + n):
        if _asks_for_constant(cases, store, k):
            search.fixed[attribute_of(cases, store.literals[k])] = True
    place = at + n + _write_implied(cases, search, store, at + n)
    for k in range(at + n - 1, at - 1, -1):
        if _asks_for_constant(cases, store, k):
            _move(store, k, place)
            store.cuts[place] = 0.0
            place += 1
    for k in range(at, at + n):
        if not _asks_for_constant(cases, store, k):
            _move(store, k, place)
            place += 1
    return place - at - n


def trim(cases: FoilTable, search: Search, store: ClauseStore, n: int) -> int:
    """Drop literals from the last to the first while no more negative cases are covered; give how many are left.

    Constants that all covered positive cases share are put in first, so that one of them may take the place of
    several literals.
    """
    at: int = store.starts[store.n_clauses]
    _cover(cases, store, n, search.sets, ALL_NEGATIVE, search.sets, SPARE)
    errors = count(search.sets, SPARE)
    _cover(cases, store, n, search.sets, LEFT, search.sets, SPARE)
    full, size = at + n, _write_equalities_first(cases, search, store, n)
    if size + 1 > search.before.rows.shape[0]:
        with cython.gil:
            search.before.make_room(size + 1)
    _mark_needed(cases, search, store, full, size, errors)
    left = 0
    for k in range(full, full + size):
        if store.needed[k]:
            _move(store, k, at + left)
            left += 1
    return left


def _mark_needed(
    cases: FoilTable, search: Search, store: ClauseStore, full: int, size: int, errors: int
) -> None:
    # before: those that pass all literals before the i-th; spare: those that pass the needed ones after it
    copy(search.before, 0, search.sets, ALL_NEGATIVE)
    for i in range(size):
        k = full + i
        copy(search.before, i + 1, search.before, i)
        restrict(cases, store.literals[k], store.signs[k], store.cuts[k], search.before, i + 1)
    copy(search.sets, SPARE, search.sets, ALL_NEGATIVE)
    for i in range(size - 1, -1, -1):
        k = full + i
        store.needed[k] = count_common(search.before, i, search.sets, SPARE) > errors
        if store.needed[k]:
            restrict(cases, store.literals[k], store.signs[k], store.cuts[k], search.sets, SPARE)


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
                _move(store, k, place)
                place += 1
            clause += 1
            store.starts[clause] = place
        start = end
    store.n_clauses = clause


def _good_enough(positive: int, negative: int, min_accuracy: float) -> bool:
    least = single(min_accuracy * single(positive + negative))
    return positive + 1e-3 >= float(least)


def _make_room(search: Search, store: ClauseStore, n: int) -> None:
    if store.n_clauses + 2 > store.starts.shape[0]:
        with cython.gil:
            store.make_room_for_clauses()
    if n + 1 > search.covers.rows.shape[0]:
        with cython.gil:
            search.covers.make_room(n + 1)


def define(options: Options, cases: FoilTable, search: Search, store: ClauseStore) -> None:
    """Learn the clauses of one class: all positive cases are its own, all negative ones the others."""
    first, n = store.n_clauses, 0
    copy(search.sets, LEFT, search.sets, ALL_POSITIVE)
    while count(search.sets, LEFT) > 0:
        _make_room(search, store, n)
        size = _write(cases, search, store, grow(options, cases, search))
        if options.pruning:
            size = trim(cases, search, store, size)
        if size == 0:
            break
        _cover(cases, store, size, search.sets, ALL_POSITIVE, search.covers, n)
        _cover(cases, store, size, search.sets, ALL_NEGATIVE, search.sets, SPARE)
        held, errors = count_common(search.covers, n, search.sets, LEFT), count(search.sets, SPARE)
        if not _good_enough(held, errors, options.min_accuracy):
            break
        store.starts[store.n_clauses + 1] = store.starts[store.n_clauses] + size
        store.n_clauses += 1
        remove(search.sets, LEFT, search.covers, n)
        search.n_order = _keep_members(search, search.order, search.n_order, LEFT, ALL_NEGATIVE, search.order)
        n += 1
    if options.pruning:
        _mark_kept(search, store, n)
        _drop_others(store, first, n)


def pack_codes(codes: NDArray[np.int32], sizes: Ints) -> tuple[Ints, Ints, Bits, Bits, NDArray[np.bool_]]:
    """Give the constants of each attribute with their cases, the cases with a value, and whether all have one.

    Only codes that occur become constants: `starts` says where those of each attribute begin.
    """
    n_attributes, words = codes.shape[0], (codes.shape[1] + 63) // 64
    places = np.full((n_attributes, max(sizes.max(initial=0), 1)), -1, dtype=np.int32)
    starts, constants = np.zeros(n_attributes + 1, dtype=np.int64), np.empty(places.size, dtype=np.int64)
    n_constants = _number_constants(codes, places, starts, constants)
    tests = np.zeros((n_constants, words), dtype=np.uint64)
    known = np.zeros((n_attributes, words), dtype=np.uint64)
    whole = np.ones(n_attributes, dtype=np.bool_)
    _pack_codes(codes, places, tests, known, whole)
    return starts, constants[:n_constants], tests, known, whole


def _number_constants(
    codes: NDArray[np.int32], places: NDArray[np.int32], starts: Ints, constants: Ints
) -> int:
    """List the codes that occur in each attribute, and give each its place among all constants."""
    n = 0
    with cython.nogil:
        for a in range(codes.shape[0]):
            for i in range(codes.shape[1]):
                if codes[a, i] >= 0:
                    places[a, codes[a, i]] = 0
            for code in range(places.shape[1]):
                if places[a, code] == 0:
                    constants[n], places[a, code] = code, n
                    n += 1
            starts[a + 1] = n
    return n


def _pack_codes(
    codes: NDArray[np.int32], places: NDArray[np.int32], tests: Bits, known: Bits, whole: NDArray[np.bool_]
) -> None:
    with cython.nogil:
        for a in range(codes.shape[0]):
            for i in range(codes.shape[1]):
                if codes[a, i] < 0:
                    whole[a] = False
                else:
                    tests[places[a, codes[a, i]], i >> 6] |= ONE << (i & 63)
                    known[a, i >> 6] |= ONE << (i & 63)


def define_classes(
    cases: FoilTable, options: Options, classes: NDArray[np.int32], wanted: Ints
) -> tuple[Ints, Clauses]:
    """Learn the clauses of each wanted class against all other cases.

    Those of the i-th are the clauses from ``firsts[i]`` up to ``firsts[i + 1]``.
    """
    firsts, store = np.zeros(len(wanted) + 1, dtype=np.int64), ClauseStore()
    _define_classes(options, cases, Search(cases, options), store, classes, wanted, firsts)
    return firsts, store.clauses()


def _define_classes(
    options: Options, cases: FoilTable, search: Search, store: ClauseStore, classes: NDArray[np.int32],
    wanted: Ints, firsts: Ints,
) -> None:  # fmt: skip
    with cython.nogil:
        for c in range(wanted.shape[0]):
            _part(cases, search, classes, wanted[c])
            define(options, cases, search, store)
            firsts[c + 1] = store.n_clauses


def _clear(sets: Sets, i: int) -> None:
    for w in range(sets.rows.shape[1]):
        sets.rows[i, w] = 0


def _part(cases: FoilTable, search: Search, classes: NDArray[np.int32], wanted: int) -> None:
    """Part the cases into those of the wanted class and all others; where their order matters these come last."""
    _clear(search.sets, ALL_POSITIVE)
    _clear(search.sets, ALL_NEGATIVE)
    search.n_order = 0
    for side in range(ALL_POSITIVE, ALL_NEGATIVE + 1):
        for i in range(classes.shape[0]):
            if (classes[i] == wanted) == (side == ALL_POSITIVE):
                search.sets.rows[side, i >> 6] |= ONE << (i & 63)
                if cases.in_order:
                    search.order[search.n_order] = i
                    search.n_order += 1


def _transpose(block: Bits) -> None:
    """Turn 64 words of 64 bits about their diagonal, in six rounds of ever smaller squares."""
    size, mask = 32, ALL >> 32
    while size:
        row = 0
        while row < 64:
            turned = ((block[row] >> size) ^ block[row + size]) & mask
            block[row + size] ^= turned
            block[row] ^= turned << size
            row = (row + size + 1) & ~size
        size >>= 1
        mask ^= mask << size


def _pack_rows(flags: NDArray[np.bool_], packed: Bits) -> None:
    """Write each row of flags as bits."""
    for r in range(flags.shape[0]):
        for i in range(flags.shape[1]):
            if flags[r, i]:
                packed[r, i >> 6] |= ONE << (i & 63)


def _pack_copies(rows: Bits, n_attributes: int, copies: Ints, r: int, block: Bits, tests: Sets) -> None:
    """Write the sets of a boolean table in which case `i` stands ``copies[r, i]`` times: False, True, False, ….

    `rows` has the attributes of each case as bits.
    """
    for part in range(rows.shape[1]):
        case, used = 0, 0
        for w in range(tests.rows.shape[1]):
            filled = 0
            while filled < 64 and case < copies.shape[1]:
                if used == copies[r, case]:
                    case, used = case + 1, 0
                else:
                    block[filled] = rows[case, part]
                    filled, used = filled + 1, used + 1
            for j in range(filled, 64):
                block[j] = 0
            _transpose(block)
            full = ALL >> (64 - filled) if filled else ALL ^ ALL
            for a in range(64 * part, min(64 * part + 64, n_attributes)):
                word = block[a - 64 * part]
                tests.rows[2 * a, w], tests.rows[2 * a + 1, w] = ~word & full, word


def _keep_occurring(cases: FoilTable, constants: Ints) -> None:
    """Keep the constants that some case has; say where those of each attribute start, and which they are."""
    kept = 0
    for k in range(2 * cases.n_attributes):
        if first_of(cases.tests, k) >= 0:
            if kept < k:
                copy(cases.tests, kept, cases.tests, k)
            constants[kept] = k
            kept += 1
        cases.starts[k // 2 + 1] = kept
    cases.n_tests = kept


def _part_copies(search: Search, y: NDArray[np.bool_], copies: Ints, r: int) -> None:
    _clear(search.sets, ALL_POSITIVE)
    _clear(search.sets, ALL_NEGATIVE)
    place = 0
    for i in range(y.shape[0]):
        side = ALL_POSITIVE if y[i] else ALL_NEGATIVE
        for _ in range(copies[r, i]):
            search.sets.rows[side, place >> 6] |= ONE << (place & 63)
            place += 1


def define_all(
    X: NDArray[np.bool_], y: NDArray[np.bool_], copies: Ints, logs: Logs, options: Options
) -> tuple[Ints, Clauses]:
    """Learn the concept of the true cases of `y` from each resample: case `i` stands in it ``copies[r, i]`` times.

    Clauses of resample `r` are those from ``firsts[r]`` up to ``firsts[r + 1]``. Literal ``2 a`` asks whether
    attribute `a` is false, ``2 a + 1`` whether it is true.
    """
    n_attributes, words = X.shape[1], int(copies.sum(axis=1).max(initial=1) + 63) // 64
    cases = FoilTable(
        np.zeros((2 * n_attributes, words), dtype=np.uint64), np.zeros(n_attributes + 1, dtype=np.int64),
        np.full((n_attributes, words), ALL), np.ones(n_attributes, dtype=np.bool_),
        np.empty((0, 0), dtype=np.float32), np.empty((0, 0), dtype=np.int32), np.empty(0, dtype=np.int64), logs,
    )  # fmt: skip
    firsts, store = np.zeros(len(copies) + 1, dtype=np.int64), ClauseStore()
    rows = np.zeros((X.shape[0], (n_attributes + 63) // 64), dtype=np.uint64)
    block, constants = np.zeros(64, dtype=np.uint64), np.zeros(2 * n_attributes, dtype=np.int64)
    _define_all(options, cases, Search(cases, options), store, X, y, copies, rows, block, constants, firsts)
    return firsts, store.clauses()


def _define_all(
    options: Options, cases: FoilTable, search: Search, store: ClauseStore, X: NDArray[np.bool_],
    y: NDArray[np.bool_], copies: Ints, rows: Bits, block: Bits, constants: Ints, firsts: Ints,
) -> None:  # fmt: skip
    with cython.nogil:
        _pack_rows(X, rows)
        for r in range(copies.shape[0]):
            _pack_copies(rows, cases.n_attributes, copies, r, block, cases.tests)
            _keep_occurring(cases, constants)
            _part_copies(search, y, copies, r)
            define(options, cases, search, store)
            for k in range(store.starts[firsts[r]], store.starts[store.n_clauses]):
                store.literals[k] = constants[store.literals[k]]
            firsts[r + 1] = store.n_clauses


def cover_all(X: NDArray[np.bool_], firsts: Ints, clauses: Clauses) -> NDArray[np.bool_]:
    """Tell for each concept which cases it covers."""
    covered = np.zeros((firsts.size - 1, X.shape[0]), dtype=np.bool_)
    _cover_all(X, firsts, clauses.starts, clauses.literals, clauses.signs, covered)
    return covered


def _cover_all(
    X: NDArray[np.bool_], firsts: Ints, starts: Ints, literals: Ints, signs: NDArray[np.bool_],
    covered: NDArray[np.bool_],
) -> None:  # fmt: skip
    with cython.nogil:
        for r in range(covered.shape[0]):
            for i in range(covered.shape[1]):
                c, held = firsts[r], False
                while c < firsts[r + 1] and not held:
                    k = starts[c]
                    while k < starts[c + 1] and (X[i, literals[k] >> 1] == literals[k] & 1) == signs[k]:
                        k += 1
                    held = k == starts[c + 1]
                    c += 1
                covered[r, i] = held


def addresses(clauses: Clauses, cases: FoilTable, constants: Ints) -> tuple[Ints, Ints]:
    """Give for each literal the row of its attribute and the code that it asks for, -1 for a comparison."""
    rows, codes = clauses.literals - constants.size, np.full(clauses.literals.size, -1)
    for k, literal in enumerate(clauses.literals.tolist()):
        if literal < constants.size:
            rows[k], codes[k] = attribute_of(cases, literal), constants[literal]
    return rows, codes


def fire(
    clauses: Clauses, rows: Ints, constants: Ints, codes: NDArray[np.int32], numbers: Singles
) -> NDArray[np.bool_]:
    """Tell which clause holds for which case.

    For each literal, `constants` has the code that it asks for, or -1 if it compares a number with a cut; `rows`
    has the row of its attribute in `codes` or in `numbers`. A missing value, -1 or NaN, satisfies no literal.
    """
    fired = np.ones((clauses.starts.size - 1, codes.shape[1]), dtype=np.bool_)
    _fire(clauses.starts, clauses.signs, clauses.cuts, rows, constants, codes, numbers, fired)
    return fired


def _fire(
    starts: Ints, signs: NDArray[np.bool_], cuts: Singles, rows: Ints, constants: Ints, codes: NDArray[np.int32],
    numbers: Singles, fired: NDArray[np.bool_],
) -> None:  # fmt: skip
    with cython.nogil:
        for c in range(fired.shape[0]):
            for k in range(starts[c], starts[c + 1]):
                if constants[k] < 0:
                    _compare(fired, c, numbers, rows[k], signs[k], cuts[k])
                else:
                    _match(fired, c, codes, rows[k], signs[k], constants[k])


def _compare(fired: NDArray[np.bool_], c: int, numbers: Singles, row: int, sign: bool, cut: float) -> None:
    """Leave a clause true only for the cases with a number above a cut, or up to it."""
    for i in range(fired.shape[1]):
        if sign:
            fired[c, i] &= numbers[row, i] > cut
        else:
            fired[c, i] &= numbers[row, i] <= cut


def _match(
    fired: NDArray[np.bool_], c: int, codes: NDArray[np.int32], row: int, sign: bool, code: int
) -> None:
    """Leave a clause true only for the cases with a code, or with another."""
    for i in range(fired.shape[1]):
        if sign:
            fired[c, i] &= codes[row, i] == code
        else:
            fired[c, i] &= (codes[row, i] >= 0) & (codes[row, i] != code)
