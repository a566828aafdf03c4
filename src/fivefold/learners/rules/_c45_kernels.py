"""The compiled loops of C4.5's rules.

Sets of cases as bits, generalising paths, and choosing subsets. Numbers of the scoring precision are kept in 64
bits and rounded to 32 after each step where that is the precision (`single`).
"""

from __future__ import annotations

from typing import Any

import cython
import numpy as np
from numpy.typing import NDArray

if not cython.compiled:
    from math import log

    from fivefold.data.bitsets import count_word, lowest_member
    from fivefold.learners.trees._c45_double import extra_errors as wide_extra
    from fivefold.learners.trees._c45_single import extra_errors as narrow_extra

    ONE = np.uint64(1)

Bits = NDArray[np.uint64]
Flags = NDArray[np.bool_]
Floats = NDArray[np.float64]
Ints = NDArray[np.int32]
Places = NDArray[np.int64]

LN2 = log(2.0)
CODE_WEIGHT = 0.5


def real(x: float, single: bool) -> float:
    """Round to the scoring precision."""
    return cython.cast(cython.float, x) if single else x


def weigh_word(word: Any, place: int, weights: Floats) -> float:
    """Give the weight of the cases in the word at `place`; no weights means one for each case."""
    if weights.shape[0] == 0:
        return float(count_word(word))
    total = 0.0
    while word:
        total += weights[64 * place + lowest_member(word)]
        word &= word - ONE
    return total


def weigh_both(
    some: Bits, a: int, others: Bits, b: int, targets: Bits, t: int, weights: Floats
) -> tuple[float, float]:
    """Give the weight of the cases in rows `a` and `b` of two lists of sets, and of those of them in row `t`."""
    counted, hit = 0, 0
    if weights.shape[0] == 0:
        for w in range(some.shape[1]):
            word = some[a, w] & others[b, w]
            counted += count_word(word)
            hit += count_word(word & targets[t, w])
        return float(counted), float(hit)
    total, right = 0.0, 0.0
    for w in range(some.shape[1]):
        word = some[a, w] & others[b, w]
        total += weigh_word(word, w, weights)
        right += weigh_word(word & targets[t, w], w, weights)
    return total, right


def weight_of_both(a: Bits, b: Bits, weights: Floats) -> float:
    """Give the weight of the cases in both sets."""
    some, others = a.reshape(1, -1), b.reshape(1, -1)
    return weigh_both(some, 0, others, 0, others, 0, weights)[0]


def has(bits: Bits, row: int, i: int) -> bool:
    """Tell whether a set in a list of sets holds case `i`."""
    return (bits[row, i >> 6] >> (i & 63)) & ONE != 0


class Paths:
    """Paths of a tree, the cases that meet each condition on them, and the room to drop conditions.

    Path `p` is `paths[starts[p]:starts[p + 1]]`, places in `met`, for the class `targets[p]`; `keep` says which
    conditions remain. `members` holds the cases of each class. `after[d]` has the cases that meet the kept
    conditions from `d` on, `before[0]` those that meet the kept ones before, `before[1]` all.
    """

    def __init__(
        self, met: Bits, population: Any, paths: Ints, starts: Places, targets: Ints, keep: Flags
    ) -> None:
        self.met, self.paths, self.starts, self.targets, self.keep = met, paths, starts, targets, keep
        self.members, self.sizes, self.weights = population
        self.after = np.empty((np.diff(starts).max(initial=1) + 1, met.shape[1]), dtype=np.uint64)
        before = np.empty((2, met.shape[1]), dtype=np.uint64)
        before[1] = np.bitwise_or.reduce(population.members, axis=0)
        self.before = before


def fill_after(paths: Paths, first: int, length: int) -> None:
    """Intersect the kept conditions of a path from the last to the first."""
    for w in range(paths.met.shape[1]):
        word = paths.before[1, w]
        paths.after[length, w] = word
        for d in range(length - 1, -1, -1):
            if paths.keep[first + d]:
                word &= paths.met[paths.paths[first + d], w]
            paths.after[d, w] = word


def start_before(paths: Paths) -> None:
    """Begin at the first condition: no case is out yet."""
    for w in range(paths.met.shape[1]):
        paths.before[0, w] = paths.before[1, w]


def pass_condition(paths: Paths, k: int) -> None:
    """Go on to the next condition: the cases that do not meet condition `k` are out."""
    for w in range(paths.met.shape[1]):
        paths.before[0, w] &= paths.met[k, w]


class Limit:
    """CF and the squared normal deviate of C4.5's upper limit, in both precisions; `single` says which counts."""

    def __init__(self, limit: NDArray[Any]) -> None:
        self.narrow, self.wide = limit.astype(np.float32), limit.astype(np.float64)
        self.single = limit.dtype == np.float32


def generalise(
    met: Bits, population: Any, paths: Ints, starts: Places, targets: Ints, limit: NDArray[Any]
) -> tuple[Flags, NDArray[Any]]:
    """Generalise every path; tell which of its conditions remain and its error, -1 for no rule."""
    kept, errors = np.ones(paths.shape[0], dtype=np.bool_), np.full(targets.shape[0], -1.0)
    sizes = population.sizes
    defaults = (1.0 - (sizes + 1.0) / (sizes.cumsum()[-1] + 2.0)).astype(limit.dtype).astype(np.float64)
    room, upper = Paths(met, population, paths, starts, targets, kept), Limit(limit)
    with cython.nogil:
        for p in range(errors.shape[0]):
            errors[p] = _drop(room, p, upper, defaults[room.targets[p]])
    return kept, np.asarray(errors).astype(limit.dtype)


def _drop(paths: Paths, p: int, limit: Limit, default: float) -> float:
    first, length = paths.starts[p], paths.starts[p + 1] - paths.starts[p]
    left = length
    while left:
        fill_after(paths, first, length)
        covered, right = weigh_both(
            paths.after, 0, paths.after, 0, paths.members, paths.targets[p], paths.weights
        )
        pessimistic, actual = _error_rates(covered, right, limit, default)
        worst = _least_useful(paths, p, limit, default, pessimistic, actual)
        if worst < 0:
            return pessimistic if covered > 0 and pessimistic < default else -1.0
        paths.keep[first + worst] = False
        left -= 1
    return -1.0


def _least_useful(
    paths: Paths, p: int, limit: Limit, default: float, pessimistic: float, actual: float
) -> int:
    """Give the condition without which the error is lowest, the last among equals; -1 if all are needed."""
    first, length = paths.starts[p], paths.starts[p + 1] - paths.starts[p]
    worst, lowest, any_useless = -1, default, False
    start_before(paths)
    for d in range(length):
        if not paths.keep[first + d]:
            continue
        covered, right = weigh_both(
            paths.before, 0, paths.after, d + 1, paths.members, paths.targets[p], paths.weights
        )
        without, actual_without = _error_rates(covered, right, limit, default)
        if worst < 0 or without <= lowest:
            worst, lowest = d, without
        if without <= pessimistic or actual_without <= actual:
            any_useless = True
        pass_condition(paths, paths.paths[first + d])
    return worst if any_useless else -1


def _error_rates(covered: float, right: float, limit: Limit, default: float) -> tuple[float, float]:
    if covered <= 0:
        return default, 0.0
    single = limit.single
    n, e = real(covered, single), real(covered - right, single)
    extra = narrow_extra(n, e, limit.narrow) if single else wide_extra(n, e, limit.wide)
    return real(real(e + extra, single) / n, single), real(e / n, single)


def sort_as_release8(path: Ints, keep: Flags, attribute: Ints, numeric: Flags, cut: Floats) -> Ints:
    """Give the kept conditions of a path in the order of release 8.

    That is the order of a selection sort, over a place for every condition of the path, whose comparison
    puts a nominal test before a numeric one as well as a low attribute before a high one.
    """
    order, free = path.copy(), keep.copy()
    return order[: _sort_as_release8(order, free, attribute, numeric, cut)]


def _sort_as_release8(order: Ints, free: Flags, attribute: Ints, numeric: Flags, cut: Floats) -> int:
    for d in range(order.shape[0]):
        first = -1
        for k in range(d, order.shape[0]):
            if free[k] and (first < 0 or _before(order[k], order[first], attribute, numeric, cut)):
                first = k
        if first < 0:
            return d
        order[d], order[first] = order[first], order[d]
        free[first] = free[d]
        free[d] = False
    return order.shape[0]


def _before(a: int, b: int, attribute: Ints, numeric: Flags, cut: Floats) -> bool:
    if attribute[a] < attribute[b] or numeric[a] < numeric[b]:
        return True
    return attribute[a] == attribute[b] and cut[a] < cut[b]


class Contest:
    """The rules of one class: the cases that each covers, its code length, and the cases of the class.

    `target` and `covered` are lists of a single set, the latter to work with. `log_factorial` holds lg of 0!, 1!,
    …; `size` is the weight of the class, `total` that of all cases.
    """

    def __init__(
        self, covers: Bits, lengths: NDArray[Any], population: Any, c: int, log_factorial: Floats
    ) -> None:
        self.covers, self.lengths, self.log_factorial = covers, lengths.astype(np.float64), log_factorial
        self.target, self.weights = population.members[c : c + 1], population.weights
        self.covered = np.zeros((1, covers.shape[1]), dtype=np.uint64)
        self.size, self.total = population.sizes[c], population.sizes.sum()
        self.lg_total = np.log(float(lengths.dtype.type(self.total))) / np.log(2.0)
        self.single = lengths.dtype == np.float32


def exception_bits(contest: Contest, fires: float, right: float) -> float:
    """Give the bits to name the exceptions to rules that fire on `fires` cases, `right` of them of the class."""
    single = contest.single
    false, missed = fires - right, contest.size - right
    first = second = real(0.5 * (false + missed), single)
    if fires > 0.5 * contest.total:
        second = real(missed, single)
    else:
        first = real(false, single)
    among_fired = _biased(fires, false, first, single)
    among_others = _biased(contest.total - fires, missed, second, single)
    return real(contest.lg_total + among_fired + among_others, single)


def _biased(n: float, e: float, expected: float, single: bool) -> float:
    if expected <= 1e-6:
        return 0.0 if e == 0 else 1e6
    if expected >= n - 1e-6:
        return 0.0 if e == n else 1e6
    rate = real(expected / real(n, single), single)
    return real(-e * _lg(rate) - (n - e) * _lg(real(1.0 - rate, single)), single)


def _lg(x: float) -> float:
    return log(x) / LN2 if x > 0 else 0.0


def _rule_bits(contest: Contest, included: Flags) -> tuple[float, int]:
    bits, chosen = 0.0, 0
    for r in range(included.shape[0]):
        if included[r]:
            bits = real(bits + contest.lengths[r], contest.single)
            chosen += 1
    return real(bits - contest.log_factorial[chosen], contest.single), chosen


def _code_length(bits: float, exceptions: float, single: bool) -> float:
    return real(real(CODE_WEIGHT * bits, single) + exceptions, single)


def best_of_all(contest: Contest) -> Flags:
    """Try every subset, in the order of binary counting; the first of the shortest wins."""
    n_rules, shortest = contest.lengths.shape[0], 1e10
    found = np.zeros(n_rules, dtype=np.bool_)
    best, included = found, np.zeros_like(found)
    with cython.nogil:
        for number in range(ONE << n_rules):
            contest.covered[:] = 0
            for r in range(n_rules):
                included[r] = (number >> r) & 1
                if included[r]:
                    for w in range(contest.covers.shape[1]):
                        contest.covered[0, w] |= contest.covers[r, w]
            fires, right = weigh_both(
                contest.covered, 0, contest.covered, 0, contest.target, 0, contest.weights
            )
            bits, _ = _rule_bits(contest, included)
            length = _code_length(bits, exception_bits(contest, fires, right), contest.single)
            if length < shortest:
                shortest = length
                best[:] = included
    return found


class Cover:
    """How the included rules cover the cases, and what each rule would change.

    Rule `r` covers `cases[begin[r]:begin[r + 1]]`; case `i` is covered by `rules[first[i]:first[i + 1]]`, of
    which `times[i]` are included. `fires` and `right` hold, for each rule, the weight of the cases that would
    change sides with it, and of those of the class among them.
    """

    def __init__(self, covers: Bits) -> None:
        n = 64 * covers.shape[1]
        begin, cases = listed(covers)
        self.begin, self.cases, self.times = begin, cases, np.zeros(n, dtype=np.int32)
        self.first, self.rules = inverted(begin, cases, n)
        self.fires, self.right = np.zeros((2, covers.shape[0]))


def best_climbed(contest: Contest, covers: Bits, starts: Flags) -> Flags:
    """Climb from each start, adding or dropping one rule at a time; the shortest code met anywhere wins."""
    cover, best, shortest = Cover(covers), np.zeros(covers.shape[0], dtype=np.bool_), 1e10
    for start in starts:
        shortest = _climb(contest, cover, start.copy(), best, shortest)
    return best


def _climb(contest: Contest, cover: Cover, included: Flags, best: Flags, shortest: float) -> float:
    with cython.nogil:
        fires, right = _start(contest, cover, included)
        while True:
            bits, chosen = _rule_bits(contest, included)
            exceptions = exception_bits(contest, fires, right)
            length = _code_length(bits, exceptions, contest.single)
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
    return shortest


def inverted(begin: Places, cases: Ints, n: int) -> tuple[Places, Ints]:
    """List the rules that cover each case, and where in the list each case's begin."""
    first = np.zeros(n + 1, dtype=np.int64)
    np.cumsum(np.bincount(cases, minlength=n), out=first[1:])
    rules = np.empty(cases.shape[0], dtype=np.int32)
    filled = first.copy()
    with cython.nogil:
        for r in range(begin.shape[0] - 1):
            for k in range(begin[r], begin[r + 1]):
                rules[filled[cases[k]]] = r
                filled[cases[k]] += 1
    return first, np.asarray(rules)


def listed(covers: Bits) -> tuple[Places, Ints]:
    """List the cases that each rule covers, and where in the list each rule's begin."""
    begin = np.cumsum([0, *np.bitwise_count(covers).sum(axis=1, dtype=np.int64)])
    words, cases, k = covers, np.empty(begin[-1], dtype=np.int32), 0
    with cython.nogil:
        for r in range(words.shape[0]):
            for w in range(words.shape[1]):
                word = words[r, w]
                while word:
                    cases[k] = 64 * w + lowest_member(word)
                    k += 1
                    word &= word - ONE
    return begin, np.asarray(cases)


def _start(contest: Contest, cover: Cover, included: Flags) -> tuple[float, float]:
    """Count the coverage of the included rules from scratch; give what fires, and what of it is right."""
    fires, right = 0.0, 0.0
    cover.fires[:] = 0.0
    cover.right[:] = 0.0
    for i in range(cover.times.shape[0]):
        first, stop = cover.first[i], cover.first[i + 1]
        cover.times[i] = 0
        for k in range(first, stop):
            cover.times[i] += included[cover.rules[k]]
        if first < stop:
            weight = contest.weights[i] if contest.weights.shape[0] else 1.0
            in_class = weight if has(contest.target, 0, i) else 0.0
            if cover.times[i] > 0:
                fires += weight
                right += in_class
            if cover.times[i] <= 1:
                _count(cover, included, i, cover.times[i] == 1, weight, in_class)
    return fires, right


def _count(cover: Cover, included: Flags, i: int, once: bool, weight: float, in_class: float) -> None:
    """Add a case to the counts of the rules with which it would change sides.

    These are the one included rule where the case is covered once, and all others where it is not covered.
    """
    for k in range(cover.first[i], cover.first[i + 1]):
        r = cover.rules[k]
        if included[r] == once:
            cover.fires[r] += weight
            cover.right[r] += in_class


def _best_change(
    contest: Contest,
    cover: Cover,
    included: Flags,
    bits: float,
    chosen: int,
    fires: float,
    right: float,
    exceptions: float,
) -> int:
    """Give the rule whose change shortens the code most, the first among equals; -1 if none does."""
    single = contest.single
    length = _code_length(bits, exceptions, single)
    drop, add = real(_lg(real(chosen, single)), single), real(_lg(real(chosen + 1, single)), single)
    best, most = -1, 0.0
    for r in range(included.shape[0]):
        step, order = (-1, drop) if included[r] else (1, add)
        new_bits = real(real(bits + step * contest.lengths[r], single) - step * order, single)
        new = exceptions
        if cover.fires[r] != 0:
            new = exception_bits(contest, fires + step * cover.fires[r], right + step * cover.right[r])
        saved = real(length - _code_length(new_bits, new, single), single)
        if saved > most:
            best, most = r, saved
    return best


def _change(contest: Contest, cover: Cover, included: Flags, rule: int) -> None:
    """Add or drop a rule, and bring the counts of all rules up to date where its cases change sides."""
    step = -1 if included[rule] else 1
    for k in range(cover.begin[rule], cover.begin[rule + 1]):
        i = cover.cases[k]
        before = cover.times[i]
        now = before + step
        cover.times[i] = now
        # Only cases that are or were covered at most once count for any rule.
        if now > 2 or (now == 2 and step < 0):
            continue
        weight = contest.weights[i] if contest.weights.shape[0] else 1.0
        in_class = weight if has(contest.target, 0, i) else 0.0
        if before <= 1:
            _count(cover, included, i, before == 1, -weight, -in_class)
        included[rule] = step > 0
        if now <= 1:
            _count(cover, included, i, now == 1, weight, in_class)
        included[rule] = step < 0
    included[rule] = step > 0


def drop_harmful(covers: Bits, outcomes: Ints, default: int, classes: Ints, weights: Floats) -> Flags:
    """Tell which rules to keep: the first rule without which more cases are right is dropped, again and again."""
    alive = np.ones(outcomes.shape[0], dtype=np.bool_)
    covering = np.empty((64 * covers.shape[1], 2), dtype=np.int32)
    while True:
        covering[:] = -1
        advantage = np.zeros(outcomes.shape[0])
        _first_two(covers, alive, covering)
        _weigh_advantages(covering, outcomes, default, classes, weights, advantage)
        harmful = np.flatnonzero(advantage < 0)
        if not harmful.size:
            return alive
        alive[harmful[0]] = False


def _first_two(covers: Bits, alive: Flags, covering: Ints) -> None:
    """Write down for each case the first two living rules that cover it."""
    with cython.nogil:
        for r in range(alive.shape[0] - 1, -1, -1):
            if not alive[r]:
                continue
            for w in range(covers.shape[1]):
                word = covers[r, w]
                while word:
                    i = 64 * w + lowest_member(word)
                    covering[i, 1] = covering[i, 0]
                    covering[i, 0] = r
                    word &= word - ONE


def _weigh_advantages(
    covering: Ints, outcomes: Ints, default: int, classes: Ints, weights: Floats, advantage: Floats
) -> None:
    """Sum the weight of the cases that are right by each rule and wrong without it, less that of the reverse."""
    with cython.nogil:
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
