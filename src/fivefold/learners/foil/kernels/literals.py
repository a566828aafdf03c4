"""What a literal is worth.

Information and gain, bits, the best cut of a number, and the shortlist of literals.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numba
import numpy as np
from numpy.typing import NDArray

from fivefold.data.bit_words import count_word

Bits = NDArray[np.uint64]
Ints = NDArray[np.int64]
Singles = NDArray[np.float32]


class FoilTable(NamedTuple):
    """The training cases; they never change while definitions are made.

    Row `k` of `tests` has the cases for which constant `k` is the value of its attribute. The constants of
    nominal attribute `a` are those from ``starts[a]`` up to ``starts[a + 1]``; `known` has the cases with a
    value of it, and `whole` says whether all have one. `numbers` has a row for each numeric attribute, with
    NaN for missing; `sorted_rows` the cases by rising number, the first `n_known` of them with a value.
    Literal `k` below the number of constants asks for constant `k`, one above for a numeric attribute.
    """

    tests: Bits
    starts: Ints
    known: Bits
    whole: NDArray[np.bool_]
    numbers: Singles
    sorted_rows: NDArray[np.int32]
    n_known: Ints
    logs: NDArray[np.float64]
    factorials: NDArray[np.float64]


class Options(NamedTuple):
    """What a user may choose, and the limits of the search.

    `added` is 1 for the program's information and 0 for the papers'; `fraction` is how near an alternative
    must come to the best gain, `weak` the most weak literals in a row, `sample` the share of the negative tuples
    that was taken.
    """

    added: int
    negation: bool
    pruning: bool
    min_accuracy: Any
    fraction: Any
    weak: int
    alternatives: int
    checkpoints: int
    sample: Any


class State(NamedTuple):
    """A clause in the making: its cases and counts, its cost so far, and the best clause seen on the way.

    `original_positive` and `original_total` count the tuples that the `positive` and `total` bindings stem from,
    `start_positive` the positive tuples that no clause has covered, `all_positive` those of the whole task.
    """

    positive: int
    total: int
    original_positive: int
    original_total: int
    base: Any
    most: Any
    world: int
    start_positive: int
    all_positive: int
    clause_bits: Any
    n_literals: int
    weak: int
    has_saved: bool
    saved_cover: int
    saved_accuracy: Any


class Counts(NamedTuple):
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


class Noted(NamedTuple):
    """The literal of a state that completes the best clause so far, with the fields of a shortlist.

    `used` is 0 as long as there is none.
    """

    whole: Ints
    reals: Singles
    used: Ints


class Clauses(NamedTuple):
    """Clauses one after the other: clause `i` has the literals from ``starts[i]`` up to ``starts[i + 1]``."""

    starts: Ints
    literals: Ints
    signs: NDArray[np.bool_]
    cuts: Singles


_ONE = np.uint64(1)


@numba.njit(cache=True)
def count(bits: Bits) -> int:
    """Count the members of a set."""
    total = 0
    for w in range(bits.size):
        total += count_word(bits[w])
    return total


@numba.njit(cache=True)
def count_both(a: Bits, b: Bits) -> int:
    """Count the common members of two sets."""
    total = 0
    for w in range(a.size):
        total += count_word(a[w] & b[w])
    return total


@numba.njit(cache=True)
def count_row(rows: Bits, row: int, bits: Bits) -> int:
    """Count the common members of one row of sets and another set; no view of the row is made."""
    total = 0
    for w in range(bits.size):
        total += count_word(rows[row, w] & bits[w])
    return total


@numba.njit(cache=True)
def has(bits: Bits, i: int) -> bool:
    """Tell whether case `i` is a member."""
    return bool((bits[i >> 6] >> np.uint64(i & 63)) & _ONE)


@numba.njit(cache=True)
def first_of(bits: Bits) -> int:
    """Give the first member; -1 if there is none."""
    for w in range(bits.size):
        word = bits[w]
        if word:
            return int(64 * w + count_word((word & (~word + _ONE)) - _ONE))
    return -1


@numba.njit(cache=True)
def all_in_row(bits: Bits, rows: Bits, row: int) -> bool:
    """Tell whether all members are in one row of sets."""
    outside = np.uint64(0)
    for w in range(bits.size):
        outside |= bits[w] & ~rows[row, w]
    return bool(outside == 0)


@numba.njit(cache=True)
def remove(bits: Bits, others: Bits) -> None:
    """Take the members of another set out."""
    for w in range(bits.size):
        bits[w] &= ~others[w]


@numba.njit(cache=True)
def pack_rows(flags: NDArray[np.bool_]) -> Bits:
    """Write each row of flags as bits."""
    rows, n = flags.shape
    packed = np.zeros((rows, (n + 63) // 64), dtype=np.uint64)
    for r in range(rows):
        for i in range(n):
            packed[r, i >> 6] |= np.uint64(flags[r, i]) << np.uint64(i & 63)
    return packed


Logs = NDArray[np.float64]

# The program's own constants: shorter than exact, and seen in the last digits of every gain.
LN2 = 0.693147
_LOG2_E = 1.44269
_LOG2_ROOT_2PI = 1.32575
_TABLED = 1000
SLACK = 1.1  # how far a clause may cost more than the tuples that it explains


@numba.njit(cache=True)
def lg(x: float) -> float:
    """Give the logarithm to base 2, as near as FOIL's constant allows."""
    return math.log(x) / LN2


@numba.njit(cache=True)
def log_table(size: int) -> Logs:
    """Give the logarithms of the whole numbers below `size`; that of 0, which is never used, as 0."""
    logs = np.zeros(size)
    for i in range(1, size):
        logs[i] = lg(np.float64(np.float32(i)))
    return logs


@numba.njit(cache=True)
def _stirling(n: int, log: float) -> float:
    return (n + 0.5) * log - n * _LOG2_E + _LOG2_ROOT_2PI - (n * 0.7623) / 820000


@numba.njit(cache=True)
def factorial_table(logs: Logs) -> Logs:
    """Give the logarithms of the factorials: sums of 32 bits up to 999!, then Stirling's formula."""
    factorials = np.zeros(logs.size)
    total = np.float32(0.0)
    for n in range(1, logs.size):
        if n < _TABLED:
            total = np.float32(np.float64(total) + logs[n])
            factorials[n] = np.float64(total)
        else:
            factorials[n] = _stirling(n, logs[n])
    return factorials


@numba.njit(cache=True)
def log_of(logs: Logs, n: int) -> float:
    """Give the logarithm of a whole number, from the table as far as that goes."""
    return float(logs[n]) if n < logs.size else lg(np.float64(np.float32(n)))


@numba.njit(cache=True)
def _factorial(logs: Logs, factorials: Logs, n: int) -> float:
    return float(factorials[n]) if n < factorials.size else _stirling(n, log_of(logs, n))


@numba.njit(cache=True)
def allowance(logs: Logs, factorials: Logs, world: int, covered: int) -> float:
    """Give the bits that a clause may cost: 1.1 (lg U + lg C(U, c)) for c positive tuples out of U."""
    ways = _factorial(logs, factorials, world) - _factorial(logs, factorials, covered)
    return float(SLACK * (log_of(logs, world) + (ways - _factorial(logs, factorials, world - covered))))


@numba.njit(cache=True)
def least_cover(logs: Logs, factorials: Logs, world: int, cover: int, bits: Any) -> int:
    """Give the least cover above `cover` that allows more than `bits`; more than all tuples if there is none."""
    least = cover + 1
    while least <= world and allowance(logs, factorials, world, least) <= bits:
        least += 1
    return least


@numba.njit(cache=True)
def information(logs: Logs, positive: int, total: int, added: int) -> Any:
    """Give lg((t + a) / (p + a)), with a = 1 as in the program or 0 as in the papers."""
    return np.float32(log_of(logs, total + added) - log_of(logs, positive + added))


@numba.njit(cache=True)
def full_total(positive: int, total: int, sample: Any) -> int:
    """Give how many tuples there would be had not only a sample of the negative ones been taken."""
    return int(np.float32(np.float32(total - positive) / sample)) + positive


@numba.njit(cache=True)
def gain(base: Any, after: Any, kept: int, new_variables: int) -> Any:
    """Give s (I(now) - I(after)) for s positive bindings kept; a little for new variables without a gain."""
    if kept == 0:
        return np.float32(0.0)
    difference = np.float32(base - after)
    if difference < 1e-3 and new_variables > 0:
        return np.float32(0.0009 + new_variables * 0.0001)
    return np.float32(np.float32(kept) * difference)


@numba.njit(cache=True)
def most_negatives(base: Any, useful: Any, kept: int, positive: int, added: int, sample: Any) -> Any:
    """Give how many negative bindings a literal may keep and still have the useful gain."""
    if kept <= 0:
        return np.float32(0.0)
    after = np.float32(base - np.float32(useful / np.float32(kept)))
    share = np.float32(sample * np.float32(positive + added))
    return np.float32(np.float64(share) * (math.exp(LN2 * np.float64(after)) - 1.0))


@numba.njit(cache=True)
def charge(bits: Any, place: int) -> Any:
    """Give what a literal of so many bits costs as the one in this place (from 0) of a clause, never below 0."""
    extra = np.float32(np.float64(bits) - lg(place + 1.001))
    return extra if extra > 0 else np.float32(0.0)


GAIN, BITS, CUT = range(3)
LITERAL, SIGN, POSITIVE, TOTAL, WEAK = range(5)


class Shortlist(NamedTuple):
    """The best literals, one a row: gain, bits and cut in `reals`; the rest in `whole`; their number in `used`.

    `POSITIVE` and `TOTAL` count the original tuples that are left if the literal is taken, `WEAK` the weak
    literals in a row that this makes.
    """

    reals: NDArray[np.float32]
    whole: NDArray[np.int64]
    used: NDArray[np.int64]


@numba.njit(cache=True)
def new_shortlist(room: int) -> Shortlist:
    """Make an empty list with room for so many literals."""
    return Shortlist(
        np.zeros((room, 3), dtype=np.float32),
        np.zeros((room, 5), dtype=np.int64),
        np.zeros(1, dtype=np.int64),
    )


@numba.njit(cache=True)
def best_gain(best: Shortlist) -> Any:
    """Give the gain of the first literal; 0 if there is none."""
    return best.reals[0, GAIN] if best.used[0] else np.float32(0.0)


@numba.njit(cache=True)
def useful_gain(best: Shortlist, fraction: Any) -> Any:
    """Give the least gain that could still matter: enough to become an alternative."""
    reals, n = best.reals, best.used[0]
    least = np.float64(fraction) * np.float64(reals[0, GAIN]) if n else 0.0
    if n == reals.shape[0]:
        least = max(least, np.float64(reals[n - 1, GAIN]))
    return np.float32(least)


@numba.njit(cache=True)
def least_saved(state: State, noted: Noted, logs: Logs, factorials: Logs, new_bits: Any) -> int:
    """Give how many positives a literal must leave to make a clause that could be saved."""
    if state.n_literals >= 5:
        return int(state.all_positive)
    cover = noted.whole[POSITIVE] if noted.used[0] else state.saved_cover
    return least_cover(logs, factorials, state.world, cover, new_bits)


@numba.njit(cache=True)
def least_kept(useful: Any, base: Any) -> Any:
    """Give how many positives a side must keep to have the useful gain."""
    return np.float32(np.float64(np.float32(useful / base)) - 0.001)


@numba.njit(cache=True)
def propose(
    best: Shortlist, literal: int, sign: int, gained: Any, bits: Any, cut: Any, positive: int,
    total: int, weak: int,
) -> None:  # fmt: skip
    """Put a literal into the list if it is among the best; of equal ones the earlier stays ahead.

    Of literals with the very same gain an unnegated one goes before a negated one.
    """
    reals, whole, used = best.reals, best.whole, best.used
    room, place = reals.shape[0], used[0]
    while place > 0:
        above = reals[place - 1, GAIN]
        better = np.float64(gained) > np.float64(above) + 1e-3
        if not better and not (gained == above and sign and not whole[place - 1, SIGN]):
            break
        place -= 1
    if place >= room:
        return
    n = min(used[0] + 1, room)
    used[0] = n
    for j in range(n - 1, place, -1):
        for k in range(3):
            reals[j, k] = reals[j - 1, k]
        for k in range(5):
            whole[j, k] = whole[j - 1, k]
    reals[place, GAIN], reals[place, BITS], reals[place, CUT] = gained, bits, cut
    whole[place, LITERAL], whole[place, SIGN], whole[place, WEAK] = literal, sign, weak
    whole[place, POSITIVE], whole[place, TOTAL] = positive, total


class Checkpoints(NamedTuple):
    """Clauses to go back to: what each is worth, where it is kept, and their number in `used`."""

    values: NDArray[np.float32]
    clauses: NDArray[np.int64]
    used: NDArray[np.int64]


@numba.njit(cache=True)
def new_checkpoints(room: int) -> Checkpoints:
    """Make an empty list with room for so many checkpoints."""
    return Checkpoints(
        np.zeros(room, dtype=np.float32), np.zeros(room, dtype=np.int64), np.zeros(1, dtype=np.int64)
    )


@numba.njit(cache=True)
def remember(points: Checkpoints, clause: int, value: Any) -> bool:
    """Keep a clause if there is room, or if it is worth more than one that is kept."""
    room = points.values.size
    place = points.used[0]
    while place > 0 and points.values[place - 1] < value:
        place -= 1
    if place >= room:
        return False
    points.used[0] = min(points.used[0] + 1, room)
    for j in range(points.used[0] - 1, place, -1):
        points.values[j], points.clauses[j] = points.values[j - 1], points.clauses[j - 1]
    points.values[place], points.clauses[place] = value, clause
    return True


@numba.njit(cache=True)
def take_checkpoint(points: Checkpoints) -> int:
    """Take the clause that is worth most off the list."""
    clause = points.clauses[0]
    for j in range(1, points.used[0]):
        points.values[j - 1], points.clauses[j - 1] = points.values[j], points.clauses[j]
    points.used[0] -= 1
    return int(clause)


@numba.njit(cache=True)
def new_noted() -> Noted:
    """Make an empty note."""
    return Noted(np.zeros(5, dtype=np.int64), np.zeros(3, dtype=np.float32), np.zeros(1, dtype=np.int64))


@numba.njit(cache=True)
def plain_counts(true_positive: int, true_negative: int, false_positive: int, false_negative: int) -> Counts:
    """Write the counts of a literal without new variables, where every binding is a tuple."""
    true, false = true_positive + true_negative, false_positive + false_negative
    return Counts(
        true_positive, true_positive, true, true, true_positive, true,
        false_positive, false, false_positive, false,
    )  # fmt: skip


@numba.njit(cache=True)
def ratio(part: int, whole: int) -> Any:
    """Give a share in 32 bits."""
    return np.float32(np.float32(part) / np.float32(whole))


@numba.njit(cache=True)
def _is_weak(state: State, positive: int, total: int, excluded: int) -> bool:
    if excluded <= 0:
        return True
    return bool(positive / (total + 1e-3) <= 0.9999 * np.float64(ratio(state.positive, state.total)))


@numba.njit(cache=True)
def weigh_true(state: State, options: Options, logs: Logs, counts: Counts, new_variables: int) -> Any:
    """Give the gain of the literal and whether it is weak."""
    complete = counts.true_original_positive == counts.true_original_total
    if complete and counts.true_original_positive == state.start_positive:
        gained = state.most
    else:
        total = full_total(counts.true_positive, counts.true_total, options.sample)
        after = information(logs, counts.true_positive, total, options.added)
        gained = gain(state.base, after, counts.true_kept, new_variables)
    return gained, _is_weak(state, counts.true_positive, counts.true_total, counts.false_total)


@numba.njit(cache=True)
def weigh_false(state: State, options: Options, logs: Logs, counts: Counts) -> Any:
    """Give the gain of the negated literal and whether it is weak."""
    complete = counts.false_original_positive == counts.false_original_total
    if complete and counts.false_original_positive == state.start_positive:
        gained = state.most
    else:
        total = full_total(counts.false_positive, counts.false_total, options.sample)
        after = information(logs, counts.false_positive, total, options.added)
        gained = gain(state.base, after, counts.false_positive, 0)
    return gained, _is_weak(state, counts.false_positive, counts.false_total, counts.true_now)


@numba.njit(cache=True)
def note(
    state: State, options: Options, noted: Noted, counts: Counts, can_true: bool, can_false: bool,
    literal: int, bits: Any, cut: Any,
) -> None:  # fmt: skip
    """Note the literal if it would complete a clause that is better than the best one so far."""
    accuracy, sign = np.float32(0.0), 0
    if can_true:
        accuracy, sign = ratio(counts.true_original_positive, counts.true_original_total), 1
    if can_false:
        other = ratio(counts.false_original_positive, counts.false_original_total)
        if not (can_true and accuracy > other):
            accuracy, sign = other, 0
    if np.float64(accuracy) < np.float64(options.min_accuracy) - 1e-3:
        return
    whole, reals, used = noted.whole, noted.reals, noted.used
    cover, best = state.saved_cover, state.saved_accuracy
    if used[0]:
        cover = whole[POSITIVE]
        best = ratio(cover, whole[TOTAL])
    covered = counts.true_original_positive if sign else counts.false_original_positive
    if accuracy > best or (accuracy == best and covered > cover):
        used[0], reals[BITS], reals[CUT] = 1, bits, cut
        whole[LITERAL], whole[SIGN], whole[POSITIVE] = literal, sign, covered
        whole[TOTAL] = counts.true_original_total if sign else counts.false_original_total


@numba.njit(cache=True)
def list_side(
    state: State, best: Shortlist, literal: int, sign: int, gained: Any, weak: bool, bits: Any, cut: Any,
    positive: int, total: int,
) -> None:  # fmt: skip
    """Put one side of a literal on the shortlist, if it gains and is not idle beside a perfect saved clause."""
    idle = state.has_saved and not np.float64(state.saved_accuracy) < 0.999 and weak
    if np.float64(gained) > 1e-3 and not idle:
        propose(best, literal, sign, gained, bits, cut, positive, total, state.weak + 1 if weak else 0)


@numba.njit(cache=True)
def judge(
    state: State, options: Options, logs: Logs, best: Shortlist, noted: Noted, counts: Counts,
    can_true: bool, can_false: bool, literal: int, bits: Any, cut: Any,
) -> None:  # fmt: skip
    """Weigh a literal without new variables; note it and list its sides as they deserve."""
    true_gain, weak_true = np.float32(0.0), True
    false_gain, weak_false = np.float32(0.0), True
    if can_true:
        true_gain, weak_true = weigh_true(state, options, logs, counts, 0)
    if can_false:
        false_gain, weak_false = weigh_false(state, options, logs, counts)
    if state.weak >= options.weak and weak_true and weak_false:
        return
    note(state, options, noted, counts, can_true, can_false, literal, bits, cut)
    list_side(
        state, best, literal, 1, true_gain, weak_true, bits, cut,
        counts.true_original_positive, counts.true_original_total,
    )  # fmt: skip
    list_side(
        state, best, literal, 0, false_gain, weak_false, bits, cut,
        counts.false_original_positive, counts.false_original_total,
    )  # fmt: skip


class Cut(NamedTuple):
    """The best cut: what lies above it, what has a number at all, and how many different numbers there are.

    `gained` is negative where no cut lies between the classes.
    """

    at: Any
    gained: Any
    true_positive: int
    true_total: int
    known_positive: int
    known_total: int
    n_values: int


@numba.njit(cache=True)
def _better_side(
    state: State, options: Options, logs: Logs, below: int, all_below: int, known: int, all_known: int
) -> Any:
    above = known - below
    all_above = full_total(above, all_known - all_below, options.sample)
    all_below = full_total(below, all_below, options.sample)
    best = gain(state.base, information(logs, above, all_above, options.added), above, 0)
    other = gain(state.base, information(logs, below, all_below, options.added), below, 0)
    return best if best > other else other


@numba.njit(cache=True)
def best_cut(
    state: State, options: Options, logs: Logs, values: Singles, places: Ints, positive: Any, total: int,
) -> Cut:  # fmt: skip
    """Find the number x for which x < value gains most, itself or negated; the lowest of equal ones.

    `places` are the cases with a number, by rising number; of these `total`, ``positive[i]`` says of which class
    the i-th is. Only a number that is the last before a change of class is tried.
    """
    known = 0
    for i in range(total):
        known += positive[i]
    at, gained, chosen, all_chosen = np.float32(0.0), np.float32(-1e10), 0, 0
    below, all_below, n_values = 0, 0, 0
    before, signs_before, i = np.float32(0.0), 0, 0
    while i < total:
        value, signs, here, all_here = values[places[i]], 0, 0, 0
        while i < total and values[places[i]] == value:
            here += positive[i]
            all_here += 1
            signs |= 1 if positive[i] else 2
            i += 1
        if n_values and (signs_before | signs) == 3:
            worth = _better_side(state, options, logs, below, all_below, known, total)
            if worth > gained:
                gained, at, chosen, all_chosen = worth, before, known - below, total - all_below
        below, all_below = below + here, all_below + all_here
        before, signs_before, n_values = value, signs, n_values + 1
    return Cut(at, gained, chosen, all_chosen, known, total, n_values)


@numba.njit(cache=True)
def gather(positive: Bits, negative: Bits, sorted_rows: Any, n_known: int, places: Ints, flags: Any) -> int:
    """List the cases of a state that have a number, by rising number, and say which are positive."""
    total = 0
    for i in range(n_known):
        row = sorted_rows[i]
        is_positive = has(positive, row)
        if is_positive or has(negative, row):
            places[total], flags[total] = row, is_positive
            total += 1
    return total


@numba.njit(cache=True)
def _swap(order: Ints, a: int, b: int) -> None:
    order[a], order[b] = order[b], order[a]


@numba.njit(cache=True)
def arrange(order: Ints, first: int, last: int, values: Singles) -> None:
    """Bring cases into the order in which FOIL leaves them after looking for a cut.

    Missing numbers come first, then the others by rising number. Equal ones do not keep their order: the steps of
    the program's own sort are followed, since what it does with missing values depends on the order of the cases.
    """
    start = first
    for i in range(first, last + 1):
        if np.isnan(values[order[i]]):
            _swap(order, start, i)
            start += 1
    waiting = [(start, last)]
    while len(waiting) > 0:
        low, high = waiting.pop()
        if low >= high:
            continue
        pivot, middle = values[order[(low + high) // 2]], low
        for i in range(low, high + 1):
            if values[order[i]] < pivot:
                _swap(order, middle, i)
                middle += 1
        waiting.append((low, middle - 1))
        for i in range(middle, high + 1):
            if values[order[i]] == pivot:
                _swap(order, middle, i)
                middle += 1
        waiting.append((middle, high))
