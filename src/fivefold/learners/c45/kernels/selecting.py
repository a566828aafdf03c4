"""The subset of the rules of one class that is cheapest to send together with its exceptions."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numba
import numpy as np
from numpy.typing import NDArray

from fivefold.learners.c45.kernels.covering import Bits, count_bits, weigh_both
from fivefold.learners.c45.kernels.information import LN2

CODE_WEIGHT = 0.5


class Contest(NamedTuple):
    """The rules of one class: the cases that each covers, its code length, and the cases of the class.

    `log_factorial` holds lg of 0!, 1!, …; `size` is the weight of
    the class, `total` that of all cases.
    """

    covers: Bits
    lengths: NDArray[Any]
    target: Bits
    weights: NDArray[np.float64]
    log_factorial: NDArray[np.float64]
    size: float
    total: float
    lg_total: float


@numba.njit(cache=True, error_model="numpy")
def exception_bits(fires: float, right: float, size: float, total: float, lg_total: float, real: Any) -> Any:
    """Give the bits to name the exceptions to rules that fire on `fires` cases, `right` of them of the class."""
    false, missed = fires - right, size - right
    middle = real(0.5 * (false + missed))
    first, second = (middle, real(missed)) if fires > 0.5 * total else (real(false), middle)
    among_fired = _biased(fires, false, first, real)
    among_others = _biased(total - fires, missed, second, real)
    return real(lg_total + among_fired + among_others)


@numba.njit(cache=True, error_model="numpy")
def _biased(n: float, e: float, expected: Any, real: Any) -> Any:
    if expected <= 1e-6:
        return real(0.0 if e == 0 else 1e6)
    if expected >= n - 1e-6:
        return real(0.0 if e == n else 1e6)
    rate = real(expected / real(n))
    return real(-e * _lg(rate) - (n - e) * _lg(real(1.0 - rate)))


@numba.njit(cache=True, error_model="numpy")
def _lg(x: Any) -> float:
    return math.log(np.float64(x)) / LN2 if x > 0 else 0.0


@numba.njit(cache=True, error_model="numpy")
def _rule_bits(
    lengths: NDArray[Any], log_factorial: NDArray[np.float64], included: NDArray[np.bool_]
) -> tuple[Any, int]:
    real = lengths.dtype.type
    bits, chosen = real(0), 0
    for r in range(included.shape[0]):
        if included[r]:
            bits = real(bits + lengths[r])
            chosen += 1
    return real(bits - log_factorial[chosen]), chosen


@numba.njit(cache=True, error_model="numpy")
def _code_length(bits: Any, exceptions: Any, real: Any) -> Any:
    return real(real(real(CODE_WEIGHT) * bits) + exceptions)


@numba.njit(cache=True, error_model="numpy")
def best_of_all(contest: Contest) -> NDArray[np.bool_]:
    """Try every subset, in the order of binary counting; the first of the shortest wins."""
    real, n_rules = contest.lengths.dtype.type, contest.lengths.shape[0]
    best, shortest = np.zeros(n_rules, dtype=np.bool_), real(1e10)
    included = np.zeros(n_rules, dtype=np.bool_)
    for number in range(1 << n_rules):
        covered = np.zeros_like(contest.target)
        for r in range(n_rules):
            included[r] = (number >> r) & 1
            if included[r]:
                covered |= contest.covers[r]
        fires, right = weigh_both(covered, covered, contest.target, contest.weights)
        exceptions = exception_bits(fires, right, contest.size, contest.total, contest.lg_total, real)
        bits, _ = _rule_bits(contest.lengths, contest.log_factorial, included)
        length = _code_length(bits, exceptions, real)
        if length < shortest:
            shortest = length
            best[:] = included
    return best


class Cover(NamedTuple):
    """How the included rules cover the cases, and what each rule would change.

    Rule `r` covers `cases[begin[r]:begin[r + 1]]`; case `i` is covered by `rules[first[i]:first[i + 1]]`, of
    which `times[i]` are included. `fires` and `right` hold, for each rule, the weight of the cases that would
    change sides with it, and of those of the class among them.
    """

    begin: NDArray[np.int64]
    cases: NDArray[np.int32]
    first: NDArray[np.int64]
    rules: NDArray[np.int32]
    times: NDArray[np.int32]
    fires: NDArray[np.float64]
    right: NDArray[np.float64]


@numba.njit(cache=True, error_model="numpy")
def best_climbed(contest: Contest, starts: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Climb from each start, adding or dropping one rule at a time; the shortest code met anywhere wins."""
    real = contest.lengths.dtype.type
    best, shortest = np.zeros(starts.shape[1], dtype=np.bool_), real(1e10)
    cover = _new_cover(contest.covers)
    for t in range(starts.shape[0]):
        included = starts[t].copy()
        fires, right = _start(contest, cover, included)
        while True:
            bits, chosen = _rule_bits(contest.lengths, contest.log_factorial, included)
            exceptions = exception_bits(fires, right, contest.size, contest.total, contest.lg_total, real)
            length = _code_length(bits, exceptions, real)
            if length < shortest:
                shortest = length
                best[:] = included
            rule = _best_change(contest, cover, included, bits, chosen, fires, right, exceptions)
            if rule < 0:
                break
            step = -1 if included[rule] else 1
            fires += step * cover.fires[rule]
            right += step * cover.right[rule]
            _change(contest, cover, included, rule)
    return best


@numba.njit(cache=True, error_model="numpy")
def _new_cover(covers: Bits) -> Cover:
    begin, cases = listed(covers)
    first, rules = inverted(begin, cases, 64 * covers.shape[1])
    n_rules = covers.shape[0]
    times = np.zeros(64 * covers.shape[1], dtype=np.int32)
    return Cover(begin, cases, first, rules, times, np.zeros(n_rules), np.zeros(n_rules))


@numba.njit(cache=True, error_model="numpy")
def inverted(
    begin: NDArray[np.int64], cases: NDArray[np.int32], n: int
) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """List the rules that cover each case, and where in the list each case's begin."""
    first = np.zeros(n + 1, dtype=np.int64)
    for i in cases:
        first[i + 1] += 1
    first = np.cumsum(first)
    rules, filled = np.empty(cases.shape[0], dtype=np.int32), first.copy()
    for r in range(begin.shape[0] - 1):
        for k in range(begin[r], begin[r + 1]):
            rules[filled[cases[k]]] = r
            filled[cases[k]] += 1
    return first, rules


@numba.njit(cache=True, error_model="numpy")
def listed(covers: Bits) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """List the cases that each rule covers, and where in the list each rule's begin."""
    begin = np.zeros(covers.shape[0] + 1, dtype=np.int64)
    for r in range(covers.shape[0]):
        begin[r + 1] = begin[r]
        for w in range(covers.shape[1]):
            begin[r + 1] += count_bits(covers[r, w])
    cases, k = np.empty(begin[-1], dtype=np.int32), 0
    for r in range(covers.shape[0]):
        row = covers[r]
        for w in range(covers.shape[1]):
            for i in range(64 * w, 64 * w + 64 if row[w] else 0):
                if has(row, i):
                    cases[k] = i
                    k += 1
    return begin, cases


@numba.njit(cache=True, error_model="numpy")
def has(bits: Bits, i: int) -> Any:
    """Tell whether a set holds case `i`."""
    return (bits[i >> 6] >> np.uint64(i & 63)) & np.uint64(1) != 0


@numba.njit(cache=True, error_model="numpy")
def _start(contest: Contest, cover: Cover, included: NDArray[np.bool_]) -> tuple[float, float]:
    """Count the coverage of the included rules from scratch; give what fires, and what of it is right."""
    fires, right = 0.0, 0.0
    cover.fires[:] = 0.0
    cover.right[:] = 0.0
    times, first, rules = cover.times, cover.first, cover.rules
    for i in range(times.shape[0]):
        times[i] = 0
        for k in range(first[i], first[i + 1]):
            times[i] += included[rules[k]]
        if first[i] < first[i + 1]:
            weight = contest.weights[i] if contest.weights.shape[0] else 1.0
            in_class = weight if has(contest.target, i) else 0.0
            if times[i] > 0:
                fires += weight
                right += in_class
            if times[i] <= 1:
                _count(cover, included, first[i], first[i + 1], times[i] == 1, weight, in_class)
    return fires, right


@numba.njit(cache=True, error_model="numpy")
def _count(
    cover: Cover,
    included: NDArray[np.bool_],
    first: int,
    stop: int,
    once: bool,
    weight: float,
    in_class: float,
) -> None:
    """Add a case to the counts of the rules with which it would change sides.

    These are the one included rule where the case is covered once, and all others where it is not covered.
    """
    for k in range(first, stop):
        r = cover.rules[k]
        if included[r] == once:
            cover.fires[r] += weight
            cover.right[r] += in_class


@numba.njit(cache=True, error_model="numpy")
def _best_change(
    contest: Contest,
    cover: Cover,
    included: NDArray[np.bool_],
    bits: Any,
    chosen: int,
    fires: float,
    right: float,
    exceptions: Any,
) -> int:
    """Give the rule whose change shortens the code most, the first among equals; -1 if none does."""
    real = contest.lengths.dtype.type
    size, total, lg_total = contest.size, contest.total, contest.lg_total
    length = _code_length(bits, exceptions, real)
    drop, add = real(_lg(real(chosen))), real(_lg(real(chosen + 1)))
    best, most = -1, real(0)
    for r in range(included.shape[0]):
        step, order = (-1, drop) if included[r] else (1, add)
        new_bits = real(real(bits + step * contest.lengths[r]) - step * order)
        new = exceptions
        if cover.fires[r] != 0:
            new_fires, new_right = fires + step * cover.fires[r], right + step * cover.right[r]
            new = exception_bits(new_fires, new_right, size, total, lg_total, real)
        saved = real(length - _code_length(new_bits, new, real))
        if saved > most:
            best, most = r, saved
    return best


@numba.njit(cache=True, error_model="numpy")
def _change(contest: Contest, cover: Cover, included: NDArray[np.bool_], rule: int) -> None:
    """Add or drop a rule, and bring the counts of all rules up to date where its cases change sides."""
    step = -1 if included[rule] else 1
    times, first = cover.times, cover.first
    for k in range(cover.begin[rule], cover.begin[rule + 1]):
        i = cover.cases[k]
        times[i] += step
        # Only cases that are or were covered at most once count for any rule.
        if times[i] > 2 or (times[i] == 2 and step < 0):
            continue
        weight = contest.weights[i] if contest.weights.shape[0] else 1.0
        in_class = weight if has(contest.target, i) else 0.0
        before = times[i] - step
        if before <= 1:
            _count(cover, included, first[i], first[i + 1], before == 1, -weight, -in_class)
        included[rule] = step > 0
        if times[i] <= 1:
            _count(cover, included, first[i], first[i + 1], times[i] == 1, weight, in_class)
        included[rule] = step < 0
    included[rule] = step > 0
