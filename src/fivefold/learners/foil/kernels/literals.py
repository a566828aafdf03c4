"""What a literal is worth.

Information and gain, bits, the best cut of a number, and the shortlist of literals.
"""

from __future__ import annotations

import cython
import numpy as np
from numpy.typing import NDArray

if not cython.compiled:
    from math import exp, log

    GAIN, BITS, CUT = range(3)
    LITERAL, SIGN, POSITIVE, TOTAL, WEAK = range(5)

    def single(x: float) -> float:
        """Round to 32 bits."""
        return float(np.float32(x))


Ints = NDArray[np.int64]
Singles = NDArray[np.float32]

# The program's own constants: shorter than exact, and seen in the last digits of every gain.
LN2 = 0.693147
LOG2_E = 1.44269
LOG2_ROOT_2PI = 1.32575
TABLED = 1000
SLACK = 1.1  # how far a clause may cost more than the tuples that it explains


class Options:
    """What a user may choose, and the limits of the search.

    `added` is 1 for the program's information and 0 for the papers'; `fraction` is how near an alternative
    must come to the best gain, `weak` the most weak literals in a row, `sample` the share of the negative tuples
    that was taken.
    """

    added: int
    negation: bool
    pruning: bool
    min_accuracy: float
    fraction: float
    weak: int
    alternatives: int
    checkpoints: int
    sample: float


class State:
    """A clause in the making: its cases and counts, its cost so far, and the best clause seen on the way.

    `original_positive` and `original_total` count the tuples that the `positive` and `total` bindings stem from,
    `start_positive` the positive tuples that no clause has covered, `all_positive` those of the whole task.
    """

    positive: int
    total: int
    original_positive: int
    original_total: int
    base: float
    most: float
    world: int
    start_positive: int
    all_positive: int
    clause_bits: float
    n_literals: int
    weak: int
    has_saved: bool
    saved_cover: int
    saved_accuracy: float


class Counts:
    """What a literal (true) and its negation (false) would leave.

    `true_kept` counts the positive bindings that the literal extends, `true_positive` and `true_total` what
    they are extended to, `true_now` all bindings that it extends; the original counts are of tuples.
    """

    true_kept: int
    true_positive: int
    true_total: int
    true_now: int
    true_original_positive: int
    true_original_total: int
    false_positive: int
    false_total: int
    false_original_positive: int
    false_original_total: int


class Logs:
    """The logarithms of the whole numbers below `size`, and of their factorials; that of 0, never used, is 0."""

    def __init__(self, size: int) -> None:
        self.numbers, self.factorials = np.zeros(size), np.zeros(size)
        _tabulate(self.numbers, self.factorials)


def lg(x: float) -> float:
    """Give the logarithm to base 2, as near as FOIL's constant allows."""
    return log(x) / LN2


def _stirling(n: int, log: float) -> float:
    return (n + 0.5) * log - n * LOG2_E + LOG2_ROOT_2PI - (n * 0.7623) / 820000


def _tabulate(logs: NDArray[np.float64], factorials: NDArray[np.float64]) -> None:
    """Fill the tables; factorials are sums of 32 bits up to 999!, then Stirling's formula."""
    total = 0.0
    for n in range(1, logs.shape[0]):
        logs[n] = lg(single(n))
        if n < TABLED:
            total = single(total + logs[n])
            factorials[n] = total
        else:
            factorials[n] = _stirling(n, logs[n])


def log_of(logs: Logs, n: int) -> float:
    """Give the logarithm of a whole number, from the table as far as that goes."""
    if n < logs.numbers.shape[0]:
        return float(logs.numbers[n])
    return lg(single(n))


def _factorial(logs: Logs, n: int) -> float:
    if n < logs.factorials.shape[0]:
        return float(logs.factorials[n])
    return _stirling(n, log_of(logs, n))


def allowance(logs: Logs, world: int, covered: int) -> float:
    """Give the bits that a clause may cost: 1.1 (lg U + lg C(U, c)) for c positive tuples out of U."""
    ways = _factorial(logs, world) - _factorial(logs, covered)
    return SLACK * (log_of(logs, world) + (ways - _factorial(logs, world - covered)))


def least_cover(logs: Logs, world: int, cover: int, bits: float) -> int:
    """Give the least cover above `cover` that allows more than `bits`; more than all tuples if there is none."""
    least = cover + 1
    while least <= world and allowance(logs, world, least) <= bits:
        least += 1
    return least


def information(logs: Logs, positive: int, total: int, added: int) -> float:
    """Give lg((t + a) / (p + a)), with a = 1 as in the program or 0 as in the papers."""
    return single(log_of(logs, total + added) - log_of(logs, positive + added))


def full_total(positive: int, total: int, sample: float) -> int:
    """Give how many tuples there would be had not only a sample of the negative ones been taken."""
    return cython.cast(cython.longlong, single(single(total - positive) / sample)) + positive


def gain(base: float, after: float, kept: int, new_variables: int) -> float:
    """Give s (I(now) - I(after)) for s positive bindings kept; a little for new variables without a gain."""
    if kept == 0:
        return 0.0
    difference = single(base - after)
    if difference < 1e-3 and new_variables > 0:
        return single(0.0009 + new_variables * 0.0001)
    return single(single(kept) * difference)


def most_negatives(base: float, useful: float, kept: int, positive: int, added: int, sample: float) -> float:
    """Give how many negative bindings a literal may keep and still have the useful gain."""
    if kept <= 0:
        return 0.0
    after = single(base - single(useful / single(kept)))
    share = single(sample * single(positive + added))
    return single(float(share) * (exp(LN2 * float(after)) - 1.0))


def charge(bits: float, place: int) -> float:
    """Give what a literal of so many bits costs as the one in this place (from 0) of a clause, never below 0."""
    extra = single(float(bits) - lg(place + 1.001))
    return extra if extra > 0 else 0.0


def ratio(part: int, whole: int) -> float:
    """Give a share in 32 bits."""
    return single(single(part) / single(whole))


class Shortlist:
    """The best literals, one a row: gain, bits and cut in `reals`; the rest in `whole`; their number is `used`.

    `POSITIVE` and `TOTAL` count the original tuples that are left if the literal is taken, `WEAK` the weak
    literals in a row that this makes. A list of one is also where the literal of a state is noted that completes
    the best clause so far.
    """

    def __init__(self, room: int) -> None:
        self.reals = np.zeros((room, 3), dtype=np.float32)
        self.whole = np.zeros((room, 5), dtype=np.int64)
        self.used = 0


def best_gain(best: Shortlist) -> float:
    """Give the gain of the first literal; 0 if there is none."""
    return best.reals[0, GAIN] if best.used else 0.0


def useful_gain(best: Shortlist, fraction: float) -> float:
    """Give the least gain that could still matter: enough to become an alternative."""
    least = float(fraction) * best_gain(best)
    if best.used == best.reals.shape[0]:
        least = max(least, float(best.reals[best.used - 1, GAIN]))
    return single(least)


def least_saved(state: State, noted: Shortlist, logs: Logs, new_bits: float) -> int:
    """Give how many positives a literal must leave to make a clause that could be saved."""
    if state.n_literals >= 5:
        return state.all_positive
    cover = noted.whole[0, POSITIVE] if noted.used else state.saved_cover
    return least_cover(logs, state.world, cover, new_bits)


def least_kept(useful: float, base: float) -> float:
    """Give how many positives a side must keep to have the useful gain."""
    return single(float(single(useful / base)) - 0.001)


def _place_of(best: Shortlist, sign: int, gained: float) -> int:
    """Give the place for a literal: equal ones stay ahead, but of the very same gain unnegated ones come first."""
    place = best.used
    while place > 0:
        above = best.reals[place - 1, GAIN]
        if not float(gained) > float(above) + 1e-3 and not (
            gained == above and sign and not best.whole[place - 1, SIGN]
        ):
            break
        place -= 1
    return place


def propose(
    best: Shortlist, literal: int, sign: int, gained: float, bits: float, cut: float, positive: int,
    total: int, weak: int,
) -> None:  # fmt: skip
    """Put a literal into the list if it is among the best."""
    reals, whole, room = best.reals, best.whole, best.reals.shape[0]
    place = _place_of(best, sign, gained)
    if place >= room:
        return
    best.used = min(best.used + 1, room)
    for j in range(best.used - 1, place, -1):
        for k in range(3):
            reals[j, k] = reals[j - 1, k]
        for k in range(5):
            whole[j, k] = whole[j - 1, k]
    reals[place, GAIN], reals[place, BITS], reals[place, CUT] = gained, bits, cut
    whole[place, LITERAL], whole[place, SIGN], whole[place, WEAK] = literal, sign, weak
    whole[place, POSITIVE], whole[place, TOTAL] = positive, total


class Checkpoints:
    """Clauses to go back to: what each is worth, where it is kept, and how many are `used`."""

    def __init__(self, room: int) -> None:
        self.values = np.zeros(room, dtype=np.float32)
        self.clauses = np.zeros(room, dtype=np.int64)
        self.used = 0


def remember(points: Checkpoints, clause: int, value: float) -> bool:
    """Keep a clause if there is room, or if it is worth more than one that is kept."""
    room, place = points.values.shape[0], points.used
    while place > 0 and points.values[place - 1] < value:
        place -= 1
    if place >= room:
        return False
    points.used = min(points.used + 1, room)
    for j in range(points.used - 1, place, -1):
        points.values[j], points.clauses[j] = points.values[j - 1], points.clauses[j - 1]
    points.values[place], points.clauses[place] = value, clause
    return True


def take_checkpoint(points: Checkpoints) -> int:
    """Take the clause that is worth most off the list."""
    clause: int = points.clauses[0]
    for j in range(1, points.used):
        points.values[j - 1], points.clauses[j - 1] = points.values[j], points.clauses[j]
    points.used -= 1
    return clause


def _is_weak(state: State, positive: int, total: int, excluded: int) -> bool:
    if excluded <= 0:
        return True
    return positive / (total + 1e-3) <= 0.9999 * float(ratio(state.positive, state.total))


def weigh_true(
    state: State, options: Options, logs: Logs, counts: Counts, new_variables: int
) -> tuple[float, bool]:
    """Give the gain of the literal and whether it is weak."""
    weak = _is_weak(state, counts.true_positive, counts.true_total, counts.false_total)
    complete = counts.true_original_positive == counts.true_original_total
    if complete and counts.true_original_positive == state.start_positive:
        return state.most, weak
    total = full_total(counts.true_positive, counts.true_total, options.sample)
    after = information(logs, counts.true_positive, total, options.added)
    return gain(state.base, after, counts.true_kept, new_variables), weak


def weigh_false(state: State, options: Options, logs: Logs, counts: Counts) -> tuple[float, bool]:
    """Give the gain of the negated literal and whether it is weak."""
    weak = _is_weak(state, counts.false_positive, counts.false_total, counts.true_now)
    complete = counts.false_original_positive == counts.false_original_total
    if complete and counts.false_original_positive == state.start_positive:
        return state.most, weak
    total = full_total(counts.false_positive, counts.false_total, options.sample)
    after = information(logs, counts.false_positive, total, options.added)
    return gain(state.base, after, counts.false_positive, 0), weak


def note(
    state: State, options: Options, noted: Shortlist, counts: Counts, can_true: bool, can_false: bool,
    literal: int, bits: float, cut: float,
) -> None:  # fmt: skip
    """Note the literal if it would complete a clause that is better than the best one so far."""
    accuracy, sign = 0.0, 0
    if can_true:
        accuracy, sign = ratio(counts.true_original_positive, counts.true_original_total), 1
    if can_false:
        other = ratio(counts.false_original_positive, counts.false_original_total)
        if not (can_true and accuracy > other):
            accuracy, sign = other, 0
    if float(accuracy) < float(options.min_accuracy) - 1e-3:
        return
    cover, best = state.saved_cover, state.saved_accuracy
    if noted.used:
        cover = noted.whole[0, POSITIVE]
        best = ratio(cover, noted.whole[0, TOTAL])
    covered = counts.true_original_positive if sign else counts.false_original_positive
    total = counts.true_original_total if sign else counts.false_original_total
    if accuracy > best or (accuracy == best and covered > cover):
        noted.used = 0
        propose(noted, literal, sign, accuracy, bits, cut, covered, total, 0)


def list_side(
    state: State, best: Shortlist, literal: int, sign: int, gained: float, weak: bool, bits: float, cut: float,
    positive: int, total: int,
) -> None:  # fmt: skip
    """Put one side of a literal on the shortlist, if it gains and is not idle beside a perfect saved clause."""
    idle = state.has_saved and not float(state.saved_accuracy) < 0.999 and weak
    if float(gained) > 1e-3 and not idle:
        propose(best, literal, sign, gained, bits, cut, positive, total, state.weak + 1 if weak else 0)


def list_sides(
    state: State, best: Shortlist, counts: Counts, literal: int, true_gain: float, weak_true: bool,
    false_gain: float, weak_false: bool, bits: float, cut: float,
) -> None:  # fmt: skip
    """Put both sides of a literal on the shortlist as they deserve."""
    list_side(
        state, best, literal, 1, true_gain, weak_true, bits, cut,
        counts.true_original_positive, counts.true_original_total,
    )  # fmt: skip
    list_side(
        state, best, literal, 0, false_gain, weak_false, bits, cut,
        counts.false_original_positive, counts.false_original_total,
    )  # fmt: skip


def judge(
    state: State, options: Options, logs: Logs, best: Shortlist, noted: Shortlist, counts: Counts,
    can_true: bool, can_false: bool, literal: int, bits: float, cut: float,
) -> None:  # fmt: skip
    """Weigh a literal without new variables; note it and list its sides as they deserve."""
    true_gain, weak_true = 0.0, True
    false_gain, weak_false = 0.0, True
    if can_true:
        true_gain, weak_true = weigh_true(state, options, logs, counts, 0)
    if can_false:
        false_gain, weak_false = weigh_false(state, options, logs, counts)
    if state.weak >= options.weak and weak_true and weak_false:
        return
    note(state, options, noted, counts, can_true, can_false, literal, bits, cut)
    list_sides(state, best, counts, literal, true_gain, weak_true, false_gain, weak_false, bits, cut)


class Cut:
    """The best cut: what lies above it, what has a number at all, and how many different numbers there are.

    `gained` is negative where no cut lies between the classes.
    """

    at: float
    gained: float
    true_positive: int
    true_total: int
    known_positive: int
    known_total: int
    n_values: int


def _better_side(
    state: State, options: Options, logs: Logs, below: int, all_below: int, known: int, all_known: int
) -> float:
    above = known - below
    all_above = full_total(above, all_known - all_below, options.sample)
    all_below = full_total(below, all_below, options.sample)
    best = gain(state.base, information(logs, above, all_above, options.added), above, 0)
    other = gain(state.base, information(logs, below, all_below, options.added), below, 0)
    return best if best > other else other


def best_cut(
    state: State, options: Options, logs: Logs, values: Singles, places: Ints, positive: NDArray[np.bool_],
    total: int, cut: Cut,
) -> None:  # fmt: skip
    """Find the number x for which x < value gains most, itself or negated; the lowest of equal ones.

    `places` are the cases with a number, by rising number; of these `total`, ``positive[i]`` says of which class
    the i-th is. Only a number that is the last before a change of class is tried.
    """
    cut.at, cut.gained, cut.true_positive, cut.true_total = 0.0, single(-1e10), 0, 0
    cut.known_positive, cut.known_total, cut.n_values = 0, total, 0
    for i in range(total):
        cut.known_positive += positive[i]
    below, all_below, before, signs_before, i = 0, 0, 0.0, 0, 0
    while i < total:
        value, signs, here, all_here = values[places[i]], 0, 0, 0
        while i < total and values[places[i]] == value:
            here += positive[i]
            all_here += 1
            signs |= 1 if positive[i] else 2
            i += 1
        if cut.n_values and (signs_before | signs) == 3:
            worth = _better_side(state, options, logs, below, all_below, cut.known_positive, total)
            if worth > cut.gained:
                cut.gained, cut.at = worth, before
                cut.true_positive, cut.true_total = cut.known_positive - below, total - all_below
        below, all_below = below + here, all_below + all_here
        before, signs_before = value, signs
        cut.n_values += 1


def _swap(order: Ints, a: int, b: int) -> None:
    order[a], order[b] = order[b], order[a]


def arrange(order: Ints, first: int, last: int, values: Singles) -> None:
    """Bring cases into the order in which FOIL leaves them after looking for a cut.

    Missing numbers come first, then the others by rising number. Equal ones do not keep their order: the steps of
    the program's own sort are followed, since what it does with missing values depends on the order of the cases.
    """
    start = first
    for i in range(first, last + 1):
        if values[order[i]] != values[order[i]]:
            _swap(order, start, i)
            start += 1
    _sort(order, start, last, values)


def _sort(order: Ints, low: int, high: int, values: Singles) -> None:
    while low < high:
        pivot, middle = values[order[(low + high) // 2]], low
        for i in range(low, high + 1):
            if values[order[i]] < pivot:
                _swap(order, middle, i)
                middle += 1
        end = middle - 1
        for i in range(middle, high + 1):
            if values[order[i]] == pivot:
                _swap(order, middle, i)
                middle += 1
        # the shorter part first, so that few calls are ever open
        if end - low < high - middle:
            _sort(order, low, end, values)
            low = middle
        else:
            _sort(order, middle, high, values)
            high = end
