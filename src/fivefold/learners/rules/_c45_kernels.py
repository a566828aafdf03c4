"""The compiled loops of C4.5's rules.

Sets of cases as bits, generalising paths, choosing subsets, and the first rule that holds.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numba
import numpy as np
from numpy.typing import NDArray

from fivefold.data.bit_words import count_word
from fivefold.learners.trees.nodes import TrainingTable

Bits = NDArray[np.uint64]
_ONE = np.uint64(1)
LN2 = math.log(2.0)


@numba.njit(cache=True, error_model="numpy")
def weigh_word(word: Any, place: int, weights: NDArray[np.float64]) -> Any:
    """Give the weight of the cases in the word at `place`; no weights means one for each case."""
    if weights.shape[0] == 0:
        return np.float64(count_word(word))
    total = 0.0
    while word:
        lowest = word & (~word + _ONE)
        total += weights[64 * place + count_word(lowest - _ONE)]
        word ^= lowest
    return total


@numba.njit(cache=True, error_model="numpy")
def weigh_both(a: Bits, b: Bits, target: Bits, weights: NDArray[np.float64]) -> tuple[float, float]:
    """Give the weight of the cases in `a` and `b`, and of those among them that are in `target`."""
    if weights.shape[0] == 0:
        counted, hit = 0, 0
        for w in range(a.shape[0]):
            word = a[w] & b[w]
            counted += count_word(word)
            hit += count_word(word & target[w])
        return np.float64(counted), np.float64(hit)
    total, right = 0.0, 0.0
    for w in range(a.shape[0]):
        total += weigh_word(a[w] & b[w], w, weights)
        right += weigh_word(a[w] & b[w] & target[w], w, weights)
    return total, right


@numba.njit(cache=True, error_model="numpy")
def pack(flags: NDArray[np.bool_]) -> Bits:
    """Write flags as bits."""
    packed = np.zeros((flags.shape[0] + 63) // 64, dtype=np.uint64)
    for i in range(flags.shape[0]):
        packed[i >> 6] |= np.uint64(flags[i]) << np.uint64(i & 63)
    return packed


@numba.njit(cache=True, error_model="numpy")
def meeting(cases: TrainingTable, attribute: NDArray[np.int32], branch: NDArray[np.int32], cut: Any) -> Bits:
    """Give for each condition the cases that meet it; unknown values meet none."""
    n = cases.classes.shape[0]
    met = np.zeros((attribute.shape[0], (n + 63) // 64), dtype=np.uint64)
    for k in range(attribute.shape[0]):
        row = cases.place[attribute[k]]
        if not cases.numeric[attribute[k]]:
            for i in range(n):
                met[k, i >> 6] |= np.uint64(cases.codes[row, i] == branch[k]) << np.uint64(i & 63)
        elif branch[k] == 1:
            for i in range(n):
                met[k, i >> 6] |= np.uint64(cases.values[row, i] <= cut[k]) << np.uint64(i & 63)
        else:
            for i in range(n):
                met[k, i >> 6] |= np.uint64(cases.values[row, i] > cut[k]) << np.uint64(i & 63)
    return met


@numba.njit(cache=True, error_model="numpy")
def in_all(met: Bits, chosen: NDArray[np.int32]) -> Bits:
    """Give the cases that meet all chosen conditions, of which there must be one."""
    common: Bits = met[chosen[0]].copy()
    for k in chosen[1:]:
        common &= met[k]
    return common


@numba.njit(cache=True, error_model="numpy")
def everyone(n: int) -> Bits:
    """Give the set of all `n` cases."""
    return pack(np.ones(n, dtype=np.bool_))


@numba.njit(cache=True, error_model="numpy")
def generalise(
    met: Bits,
    members: Bits,
    sizes: NDArray[np.float64],
    weights: NDArray[np.float64],
    paths: NDArray[np.int32],
    starts: NDArray[np.int64],
    targets: NDArray[np.int32],
    limit: NDArray[Any],
    n: int,
) -> tuple[NDArray[np.bool_], NDArray[Any]]:
    """Generalise every path; tell which of its conditions remain and its error, -1 for no rule.

    Path `p` is `paths[starts[p]:starts[p + 1]]`, places in `met`, for the class `targets[p]`. `members`
    holds the cases of each class and `sizes` their weight.
    """
    kept = np.ones(paths.shape[0], dtype=np.bool_)
    errors = np.full(targets.shape[0], -1, dtype=limit.dtype)
    longest = 1
    for p in range(targets.shape[0]):
        longest = max(longest, starts[p + 1] - starts[p])
    after = np.empty((longest + 1, met.shape[1]), dtype=np.uint64)
    all_cases, total = everyone(n), sizes.sum()
    for p in range(targets.shape[0]):
        path = paths[starts[p] : starts[p + 1]]
        after[path.shape[0]] = all_cases
        default = limit.dtype.type(1.0 - (sizes[targets[p]] + 1.0) / (total + 2.0))
        keep = kept[starts[p] : starts[p + 1]]
        errors[p] = _drop(met, members[targets[p]], weights, path, keep, after, limit, default)
    return kept, errors


@numba.njit(cache=True, error_model="numpy")
def _drop(
    met: Bits,
    target: Bits,
    weights: NDArray[np.float64],
    path: NDArray[np.int32],
    keep: NDArray[np.bool_],
    after: Bits,
    limit: NDArray[Any],
    default: Any,
) -> Any:
    none = limit.dtype.type(-1)
    left = path.shape[0]
    while left:
        for d in range(path.shape[0] - 1, -1, -1):
            after[d] = after[d + 1] & met[path[d]] if keep[d] else after[d + 1]
        covered, right = weigh_both(after[0], after[0], target, weights)
        pessimistic, actual = _error_rates(covered, right, limit, default)
        worst = _least_useful(met, target, weights, path, keep, after, limit, default, pessimistic, actual)
        if worst < 0:
            return pessimistic if covered > 0 and pessimistic < default else none
        keep[worst] = False
        left -= 1
    return none


@numba.njit(cache=True, error_model="numpy")
def _least_useful(
    met: Bits,
    target: Bits,
    weights: NDArray[np.float64],
    path: NDArray[np.int32],
    keep: NDArray[np.bool_],
    after: Bits,
    limit: NDArray[Any],
    default: Any,
    pessimistic: Any,
    actual: Any,
) -> int:
    """Give the condition without which the error is lowest, the last among equals; -1 if all are needed."""
    before = after[path.shape[0]].copy()
    worst, lowest, any_useless = -1, default, False
    for d in range(path.shape[0]):
        if not keep[d]:
            continue
        covered, right = weigh_both(before, after[d + 1], target, weights)
        without, actual_without = _error_rates(covered, right, limit, default)
        if worst < 0 or without <= lowest:
            worst, lowest = d, without
        any_useless |= without <= pessimistic or actual_without <= actual
        before &= met[path[d]]
    return worst if any_useless else -1


@numba.njit(cache=True, error_model="numpy")
def extra_errors(n: Any, e: Any, limit: NDArray[Any]) -> Any:
    """Give the errors to add to `e` errors in `n` cases for the upper limit at the confidence level."""
    real = limit.dtype.type
    if e >= 0.9999:
        return _extra_beyond_one(n, e, limit)
    none = real(n * (1 - math.exp(math.log(np.float64(limit[0])) / n)))
    if e < 1e-6:
        return none
    single = _extra_beyond_one(n, real(1), limit)
    return real(none + real(e * real(single - none)))


@numba.njit(cache=True, error_model="numpy")
def _extra_beyond_one(n: Any, e: Any, limit: NDArray[Any]) -> Any:
    real = limit.dtype.type
    z2 = limit[1]
    h = np.float64(e) + 0.5
    if h >= n:
        return real(0.67 * (n - e))
    p = real((h + z2 / 2 + math.sqrt(z2 * (h * (1 - h / n) + z2 / 4))) / (n + z2))
    return real(real(n * p) - e)


@numba.njit(cache=True, error_model="numpy")
def _error_rates(covered: float, right: float, limit: NDArray[Any], default: Any) -> tuple[Any, Any]:
    real = limit.dtype.type
    if covered <= 0:
        return default, real(0)
    n, e = real(covered), real(covered - right)
    return real(real(e + extra_errors(n, e, limit)) / n), real(e / n)


@numba.njit(cache=True, error_model="numpy")
def sort_as_release8(
    path: NDArray[np.int32],
    keep: NDArray[np.bool_],
    attribute: NDArray[np.int32],
    numeric: NDArray[np.bool_],
    cut: NDArray[Any],
) -> NDArray[np.int32]:
    """Give the kept conditions of a path in the order of release 8.

    That is the order of a selection sort, over a place for every condition of the path, whose comparison
    puts a nominal test before a numeric one as well as a low attribute before a high one.
    """
    order, free = path.copy(), keep.copy()
    sorted_so_far = 0
    for d in range(path.shape[0]):
        first = -1
        for k in range(d, path.shape[0]):
            if free[k] and (first < 0 or _before(order[k], order[first], attribute, numeric, cut)):
                first = k
        if first < 0:
            break
        order[d], order[first] = order[first], order[d]
        free[first] = free[d]
        free[d] = False
        sorted_so_far += 1
    return order[:sorted_so_far]


@numba.njit(cache=True, error_model="numpy")
def _before(
    a: int, b: int, attribute: NDArray[np.int32], numeric: NDArray[np.bool_], cut: NDArray[Any]
) -> Any:
    if attribute[a] < attribute[b] or numeric[a] < numeric[b]:
        return True
    return attribute[a] == attribute[b] and cut[a] < cut[b]


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
            begin[r + 1] += count_word(covers[r, w])
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


class Conditions(NamedTuple):
    """The conditions of rules; those of rule `r` stand at `starts[r]` … `starts[r + 1]` - 1.

    A nominal condition asks for the value `branch`, counted from 1; a numeric one for at most the `cut`
    where `branch` is 1, for more where it is 2.
    """

    starts: NDArray[np.int64]
    attribute: NDArray[np.int32]
    numeric: NDArray[np.bool_]
    branch: NDArray[np.int32]
    cut: NDArray[np.float64]


@numba.njit(cache=True, error_model="numpy")
def first_two(covers: Bits, alive: NDArray[np.bool_], n: int) -> NDArray[np.int32]:
    """Give for each case the first two living rules that cover it; -1 where there is none."""
    rules = np.full((n, 2), -1, dtype=np.int32)
    for r in range(alive.shape[0] - 1, -1, -1):
        if not alive[r]:
            continue
        for w in range(covers.shape[1]):
            for i in range(64 * w, min(n, 64 * w + 64) if covers[r, w] else 0):
                if (covers[r, w] >> np.uint64(i & 63)) & np.uint64(1):
                    rules[i, 1] = rules[i, 0]
                    rules[i, 0] = r
    return rules


@numba.njit(cache=True, error_model="numpy")
def drop_harmful(
    covers: Bits,
    outcomes: NDArray[np.int32],
    default: int,
    classes: NDArray[np.int32],
    weights: NDArray[np.float64],
) -> NDArray[np.bool_]:
    """Tell which rules to keep: the first rule without which more cases are right is dropped, again and again."""
    alive = np.ones(outcomes.shape[0], dtype=np.bool_)
    while True:
        advantage = np.zeros(outcomes.shape[0])
        covering = first_two(covers, alive, classes.shape[0])
        for i in range(classes.shape[0]):
            rule = covering[i, 0]
            if rule < 0:
                continue
            other = outcomes[covering[i, 1]] if covering[i, 1] >= 0 else default
            if other == outcomes[rule]:
                continue
            if outcomes[rule] == classes[i]:
                advantage[rule] += weights[i]
            elif other == classes[i]:
                advantage[rule] -= weights[i]
        harmful = -1
        for r in range(outcomes.shape[0] - 1, -1, -1):
            if advantage[r] < 0:
                harmful = r
        if harmful < 0:
            return alive
        alive[harmful] = False


@numba.njit(cache=True, error_model="numpy")
def holds(conditions: Conditions, rule: int, values: Any, codes: Any, place: Any, row: int) -> bool:
    """Tell whether a case meets all conditions of a rule; an unknown value meets none."""
    for k in range(conditions.starts[rule], conditions.starts[rule + 1]):
        at = place[conditions.attribute[k]]
        if not conditions.numeric[k]:
            met = codes[at, row] == conditions.branch[k]
        elif conditions.branch[k] == 1:
            met = values[at, row] <= conditions.cut[k]
        else:
            met = values[at, row] > conditions.cut[k]
        if not met:
            return False
    return True


@numba.njit(cache=True, error_model="numpy")
def first_to_hold(conditions: Conditions, values: Any, codes: Any, place: Any, n: int) -> NDArray[np.int32]:
    """Give the first rule that holds for each case; the number of rules where none does."""
    n_rules = conditions.starts.shape[0] - 1
    deciders = np.full(n, n_rules, dtype=np.int32)
    for i in range(n):
        for r in range(n_rules):
            if holds(conditions, r, values, codes, place, i):
                deciders[i] = r
                break
    return deciders
