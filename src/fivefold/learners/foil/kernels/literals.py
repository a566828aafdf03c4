"""What a literal is worth.

Information and gain, bits, the best cut of a number, and the shortlist of literals.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import cython
import numpy as np
from numpy.typing import NDArray

if not cython.compiled:
    from math import exp, log

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


class Side:
    """What one side of a literal, itself or its negation, would leave, and what that is worth.

    Of the positive bindings it keeps `kept`, of all `met`, and extends them to `positive` and `total` ones, which
    stem from `original_positive` and `original_total` tuples. One that is not `possible` was given up.
    """

    possible: bool
    kept: int
    met: int
    positive: int
    total: int
    original_positive: int
    original_total: int
    gained: float
    weak: bool


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


class Listed(NamedTuple):
    """A literal in a list: what it asks, what it gains and costs.

    `positive` and `total` count the original tuples that are left if it is taken, `weak` the weak literals in a
    row that this makes. In a tree of clauses, `parent` is the place of the literal before it.
    """

    gain: float = 0.0
    bits: float = 0.0
    cut: float = 0.0
    literal: int = 0
    sign: int = 0
    positive: int = 0
    total: int = 0
    weak: int = 0
    parent: int = 0


_FIELDS = [
    (name, "f4" if isinstance(value, float) else "i8") for name, value in Listed._field_defaults.items()
]
_ROW = np.dtype((np.record, np.dtype(_FIELDS, align=True)))


class Literals:
    """Literals as rows of numbers, of which the first `used` count.

    Those of a shortlist stand by falling gain. Kernels look at the `table` through `rows`.
    """

    rows: Any

    def __init__(self, room: int) -> None:
        self.used, self.table = 0, np.zeros(room, dtype=_ROW)
        self.rows = self.table

    def make_room(self, room: int) -> None:
        """Make room for so many literals."""
        self.table = self.rows = widened(self.table, room)

    def read(self, i: int) -> Listed:
        """Give a literal by itself."""
        return Listed(*self.table[i].item())


def widened(array: Any, room: int) -> NDArray[Any]:
    """Copy an array to the beginning of a longer one."""
    old = np.asarray(array)
    new = np.zeros((room, *old.shape[1:]), dtype=old.dtype)
    new[: len(old)] = old
    return new


def best_gain(best: Literals) -> float:
    """Give the gain of the first literal; 0 if there is none."""
    return best.rows[0].gain if best.used else 0.0


class Limits:
    """When a side of a literal is given up.

    `useful` is the least gain that could still matter, `kept` the positives that it takes, `saved` the positives
    that a clause worth saving takes, `bits` the cost of the clause with the literal. `free` says that there is no
    good literal yet, so that one with new variables may keep any number of negatives.
    """

    useful: float
    kept: float
    bits: float
    saved: int
    free: bool


class Trial:
    """A round of trying literals: what they must reach, the two sides of the present one, and the best so far.

    `best` is the shortlist; `noted` is the one that would complete the best clause so far.
    """

    def __init__(self, state: State, options: Options, logs: Logs) -> None:
        self.state, self.options, self.logs, self.limits = state, options, logs, Limits()
        self.best, self.noted = Literals(options.alternatives + 1), Literals(1)
        self.true, self.false = Side(), Side()


def renew_limits(trial: Trial, least: float) -> None:
    """Say what it takes to become an alternative, or a saved clause; a gain below `least` never matters."""
    useful = float(trial.options.fraction) * best_gain(trial.best)
    if trial.best.used == trial.best.rows.shape[0]:
        useful = max(useful, float(trial.best.rows[trial.best.used - 1].gain))
    trial.limits.useful = max(single(useful), least)
    trial.limits.kept = single(float(single(trial.limits.useful / trial.state.base)) - 0.001)
    trial.limits.free = float(best_gain(trial.best)) < 1e-2
    trial.limits.saved = trial.state.all_positive
    if trial.state.n_literals < 5:
        cover = trial.noted.rows[0].positive if trial.noted.used else trial.state.saved_cover
        trial.limits.saved = least_cover(trial.logs, trial.state.world, cover, trial.limits.bits)


def is_allowed(trial: Trial, covered: int) -> bool:
    """Tell whether a clause that covers so many positive tuples may have the literal that is tried."""
    return allowance(trial.logs, trial.state.world, covered) > trial.limits.bits


def _place_of(best: Literals, sign: int, gained: float) -> int:
    """Give the place for a literal: equal ones stay ahead, but of the very same gain unnegated ones come first."""
    place = best.used
    while place > 0:
        above = best.rows[place - 1].gain
        if not float(gained) > float(above) + 1e-3 and not (
            gained == above and sign and not best.rows[place - 1].sign
        ):
            break
        place -= 1
    return place


def propose(
    best: Literals, side: Side, literal: int, sign: int, gained: float, bits: float, cut: float, weak: int
) -> None:
    """Put a side of a literal into the list if it is among the best."""
    rows, room = best.rows, best.rows.shape[0]
    place = _place_of(best, sign, gained)
    if place >= room:
        return
    best.used = min(best.used + 1, room)
    for j in range(best.used - 1, place, -1):
        rows[j] = rows[j - 1]
    rows[place].gain, rows[place].bits, rows[place].cut = gained, bits, cut
    rows[place].literal, rows[place].sign, rows[place].weak = literal, sign, weak
    rows[place].positive, rows[place].total = side.original_positive, side.original_total


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


def _weigh(trial: Trial, side: Side, excluded: int, new_variables: int) -> None:
    """Say what a side gains, and whether it is weak; one that was given up gains nothing."""
    side.gained, side.weak = 0.0, True
    if not side.possible:
        return
    before = 0.9999 * float(ratio(trial.state.positive, trial.state.total))
    side.weak = excluded <= 0 or side.positive / (side.total + 1e-3) <= before
    if side.original_positive == side.original_total == trial.state.start_positive:
        side.gained = trial.state.most
        return
    total = full_total(side.positive, side.total, trial.options.sample)
    after = information(trial.logs, side.positive, total, trial.options.added)
    side.gained = gain(trial.state.base, after, side.kept, new_variables)


def weigh_sides(trial: Trial, new_variables: int) -> bool:
    """Weigh a literal and its negation; tell whether one of them may follow the weak literals before it."""
    _weigh(trial, trial.true, trial.false.met, new_variables)
    _weigh(trial, trial.false, trial.true.met, 0)
    return trial.state.weak < trial.options.weak or not (trial.true.weak and trial.false.weak)


def _accuracy(side: Side) -> float:
    return ratio(side.original_positive, side.original_total) if side.possible else 0.0


def _note_side(trial: Trial, side: Side, literal: int, sign: int, bits: float, cut: float) -> None:
    accuracy, cover, best = _accuracy(side), trial.state.saved_cover, trial.state.saved_accuracy
    if float(accuracy) < float(trial.options.min_accuracy) - 1e-3:
        return
    if trial.noted.used:
        cover = trial.noted.rows[0].positive
        best = ratio(cover, trial.noted.rows[0].total)
    if accuracy > best or (accuracy == best and side.original_positive > cover):
        trial.noted.used = 0
        propose(trial.noted, side, literal, sign, accuracy, bits, cut, 0)


def note(trial: Trial, literal: int, bits: float, cut: float) -> None:
    """Note the literal if it would complete a clause that is better than the best one so far."""
    if _accuracy(trial.true) > _accuracy(trial.false):
        _note_side(trial, trial.true, literal, 1, bits, cut)
    else:
        _note_side(trial, trial.false, literal, 0, bits, cut)


def _list_side(trial: Trial, side: Side, literal: int, sign: int, bits: float, cut: float) -> None:
    idle = trial.state.has_saved and not float(trial.state.saved_accuracy) < 0.999 and side.weak
    if float(side.gained) > 1e-3 and not idle:
        weak = trial.state.weak + 1 if side.weak else 0
        propose(trial.best, side, literal, sign, side.gained, bits, cut, weak)


def list_sides(trial: Trial, literal: int, bits: float, cut: float) -> None:
    """Put the sides of a literal on the shortlist that gain and are not idle beside a perfect saved clause."""
    _list_side(trial, trial.true, literal, 1, bits, cut)
    _list_side(trial, trial.false, literal, 0, bits, cut)


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


def _better_side(trial: Trial, below: int, all_below: int, known: int, all_known: int) -> float:
    above = known - below
    all_above = full_total(above, all_known - all_below, trial.options.sample)
    all_below = full_total(below, all_below, trial.options.sample)
    best = gain(trial.state.base, information(trial.logs, above, all_above, trial.options.added), above, 0)
    other = gain(trial.state.base, information(trial.logs, below, all_below, trial.options.added), below, 0)
    return best if best > other else other


def best_cut(
    trial: Trial, values: Singles, places: Ints, positive: NDArray[np.bool_], total: int, cut: Cut
) -> None:
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
            worth = _better_side(trial, below, all_below, cut.known_positive, total)
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
