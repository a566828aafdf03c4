"""The compiled loops of C5.0's rules: generalising paths, sifting rules, and counting votes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import cython
import numpy as np
from numpy.typing import NDArray

if not cython.compiled:
    from math import inf, log

    from numpy import rint

    from fivefold.learners.rules import _c45_kernels as c45
    from fivefold.learners.rules._c45_kernels import Paths
    from fivefold.learners.rules._clause_kernels import ClauseViews, clause_holds

    NONE = -1

Bits = NDArray[np.uint64]
Flags = NDArray[np.bool_]
Floats = NDArray[np.float64]
Ints = NDArray[np.int32]
Places = NDArray[np.int64]

LN2 = log(2.0)
THEORY_WEIGHT = 0.23


class PricedPaths(Paths):
    """Paths with what they are judged by: what errors cost, and bits.

    `costs[p, r]` is what it costs to say class p where r is right; empty if every error costs one. `lengths`
    are the bits of each condition, `total` is the weight of all cases.
    """

    def __init__(self, costs: Floats, lengths: Floats, total: float, *paths: Any) -> None:
        super().__init__(*paths)
        self.costs, self.lengths, self.total = costs, lengths, total


def generalise(
    met: Bits, population: Any, paths: Ints, starts: Places, targets: Ints, costs: Floats, lengths: Floats
) -> tuple[Flags, Flags]:
    """Generalise every path; tell which of its conditions remain, and whether it saves more than it costs."""
    kept, pays = np.ones(paths.shape[0], dtype=np.bool_), np.zeros(targets.shape[0], dtype=np.bool_)
    total = population.sizes.cumsum()[-1]
    room = PricedPaths(costs, lengths, total, met, population, paths, starts, targets, kept)
    view = pays
    with cython.nogil:
        for p in range(view.shape[0]):
            view[p] = _drop(room, p)
    return kept, pays


def _drop(paths: PricedPaths, p: int) -> bool:
    first, length = paths.starts[p], paths.starts[p + 1] - paths.starts[p]
    target, left, cost = paths.targets[p], length, 0.0
    for d in range(length):
        cost += paths.lengths[paths.paths[first + d]] - log(d + 1) / LN2
    while True:
        c45.fill_after(paths, first, length)
        covered, wrong = _weigh(paths, target, paths.after, 0)
        pays = THEORY_WEIGHT * cost <= _saved(paths, target, covered, wrong)
        if left == 1:
            return pays and covered > 0.99
        worst, lowest = _least_useful(paths, p)
        if pays and lowest > _laplace(covered, wrong):
            return covered > 0.99
        paths.keep[first + worst] = False
        cost -= paths.lengths[paths.paths[first + worst]] - log(left) / LN2
        left -= 1


def _least_useful(paths: PricedPaths, p: int) -> tuple[int, float]:
    """Give the condition without which the error is lowest, the last among equals, and that error."""
    first, length = paths.starts[p], paths.starts[p + 1] - paths.starts[p]
    worst, lowest = -1, 2.0
    c45.start_before(paths)
    for d in range(length):
        if paths.keep[first + d]:
            covered, wrong = _weigh(paths, paths.targets[p], paths.before, d + 1)
            error = _laplace(covered, wrong)
            if error <= lowest:
                worst, lowest = d, error
            c45.pass_condition(paths, paths.paths[first + d])
    return worst, lowest


def _weigh(paths: PricedPaths, target: int, sets: Bits, d: int) -> tuple[float, float]:
    """Give the weight of the cases in the first of `sets` and after condition `d`, and what `target` costs."""
    covered, right = c45.weigh_both(sets, 0, paths.after, d, paths.members, target, paths.weights)
    if paths.costs.shape[0] == 0:
        return covered, covered - right
    wrong = 0.0
    for c in range(paths.costs.shape[0]):
        _, right = c45.weigh_both(sets, 0, paths.after, d, paths.members, c, paths.weights)
        wrong += paths.costs[target, c] * right
    return covered, min(wrong, covered)


def _laplace(covered: float, wrong: float) -> float:
    return cython.cast(cython.float, 0.5 if covered < 1e-4 else (wrong + 1) / (covered + 2))


def _saved(paths: PricedPaths, target: int, covered: float, wrong: float) -> float:
    """Give the bits that a rule saves in telling the cases of its class from the others."""
    size, total = paths.sizes[target], paths.total
    before = _split_bits(size, total - size)
    inside = _split_bits(covered - wrong, wrong)
    return before - inside - _split_bits(size - covered + wrong, total - size - wrong)


def _split_bits(a: float, b: float) -> float:
    return _n_lg_n(a + b) - _n_lg_n(a) - _n_lg_n(b)


def _n_lg_n(n: float) -> float:
    return n * log(n) / LN2 if n > 0 else 0.0


@dataclass(repr=False, eq=False)
class Ballot:
    """Rules and the cases that they cover.

    Rule `r` gives `votes[r]` thousandths to class `outcomes[r]` for `cases[begin[r]:begin[r + 1]]`; case `i` is
    covered by `rules[first[i]:first[i + 1]]`. `costs[p, r]` is what it costs to say p where r is right; its last
    row is for saying nothing.
    """

    outcomes: Ints
    votes: Places
    right: Floats
    lengths: Floats
    begin: Places
    cases: Ints
    first: Places
    rules: Ints
    classes: Ints
    weights: Floats
    costs: Floats


@dataclass(repr=False, eq=False)
class Prices:
    """The bits of an error, of a case that is right, and of telling which class is right after an error.

    `total` is the weight of all cases, `log_factorial` holds lg of 0!, 1!, ….
    """

    error: float
    right: float
    which: float
    total: float
    log_factorial: Floats


class Count:
    """The votes for each class, the first and the second choice of each case, and what each rule changes."""

    def __init__(self, n: int, n_rules: int, n_classes: int) -> None:
        self.votes, self.change = np.zeros((n, n_classes), dtype=np.int64), np.zeros(n_rules)
        self.top, self.second = np.empty((2, n), dtype=np.int32)


def first_theory(ballot: Ballot, n_classes: int, min_cases: float) -> Flags:
    """Cover each class with its best rules, as long as each adds more true than false cases."""
    n_rules, n = ballot.votes.shape[0], ballot.classes.shape[0]
    included = np.zeros(n_rules, dtype=np.bool_)
    for c in range(n_classes):
        _cover_class(ballot, c, min_cases, np.zeros(n_rules, np.bool_), np.zeros(n, np.bool_), included)
    return included


def _cover_class(
    ballot: Ballot, c: int, min_cases: float, used: Flags, covered: Flags, included: Flags
) -> None:
    left, false = 0.0, 0.0
    with cython.nogil:
        for i in range(covered.shape[0]):
            left += ballot.weights[i] if ballot.classes[i] == c else 0.0
        while left > false:
            best = _best_unused(ballot, used, c, min_cases)
            if best < 0:
                break
            used[best] = True
            new_true, new_false = _new_cases(ballot, covered, best, c)
            if new_true - new_false > min_cases + 1e-4:
                left -= new_true
                false += new_false
                included[best] = True
                for k in range(ballot.begin[best], ballot.begin[best + 1]):
                    covered[ballot.cases[k]] = True


def _best_unused(ballot: Ballot, used: Flags, c: int, min_cases: float) -> int:
    best = -1
    for r in range(used.shape[0]):
        able = ballot.outcomes[r] == c and not used[r] and ballot.right[r] >= min_cases
        if able and (best < 0 or ballot.votes[r] > ballot.votes[best]):
            best = r
    return best


def _new_cases(ballot: Ballot, covered: Flags, rule: int, c: int) -> tuple[float, float]:
    new_true, new_false = 0.0, 0.0
    for k in range(ballot.begin[rule], ballot.begin[rule + 1]):
        i = ballot.cases[k]
        if not covered[i]:
            if ballot.classes[i] == c:
                new_true += ballot.weights[i]
            else:
                new_false += ballot.weights[i]
    return new_true, new_false


def climb(ballot: Ballot, prices: Prices, included: Flags, n_classes: int) -> None:
    """Add or drop one rule at a time while the message gets shorter, or no longer by a drop."""
    count = Count(ballot.classes.shape[0], ballot.votes.shape[0], n_classes)
    with cython.nogil:
        errors, bits, chosen = _start(ballot, count, included)
        last = -1
        while True:
            rule = _best_change(ballot, prices, count, included, errors, bits, chosen, last)
            if rule < 0:
                break
            step = -1 if included[rule] else 1
            for k in range(ballot.begin[rule], ballot.begin[rule + 1]):
                i = ballot.cases[k]
                _count_case(ballot, count, included, i, -ballot.weights[i], rule)
                count.votes[i, ballot.outcomes[rule]] += step * ballot.votes[rule]
                _rank(count, i)
                _count_case(ballot, count, included, i, ballot.weights[i], rule)
            included[rule] = step > 0
            bits += step * ballot.lengths[rule]
            chosen += step
            errors += count.change[rule]
            count.change[rule] = -count.change[rule]
            last = rule


def _cost(ballot: Ballot, answer: int, truth: int) -> float:
    """Give what an answer costs; the last row is for none."""
    return ballot.costs[answer if answer >= 0 else ballot.costs.shape[0] - 1, truth]


def _start(ballot: Ballot, count: Count, included: Flags) -> tuple[float, float, int]:
    errors, bits, chosen = 0.0, 0.0, 0
    for r in range(included.shape[0]):
        if included[r]:
            bits += ballot.lengths[r]
            chosen += 1
            for k in range(ballot.begin[r], ballot.begin[r + 1]):
                count.votes[ballot.cases[k], ballot.outcomes[r]] += ballot.votes[r]
    for i in range(ballot.classes.shape[0]):
        _rank(count, i)
        errors += ballot.weights[i] * _cost(ballot, count.top[i], ballot.classes[i])
        _count_case(ballot, count, included, i, ballot.weights[i], NONE)
    return errors, bits, chosen


def _rank(count: Count, i: int) -> None:
    """Find the classes with most and second most votes, the first among equals; -1 for none."""
    top, second = NONE, NONE
    for c in range(count.votes.shape[1]):
        votes = count.votes[i, c]
        if votes > 0:
            if top < 0 or votes > count.votes[i, top]:
                top, second = c, top
            elif second < 0 or votes > count.votes[i, second]:
                second = c
    count.top[i], count.second[i] = top, second


def _count_case(
    ballot: Ballot, count: Count, included: Flags, i: int, weight: float, except_rule: int
) -> None:
    """Add a case to what each rule that covers it would change, except for one rule."""
    truth, top, second = ballot.classes[i], count.top[i], count.second[i]
    top_votes = count.votes[i, top] if top >= 0 else 0
    second_votes = count.votes[i, second] if second >= 0 else 0
    for k in range(ballot.first[i], ballot.first[i + 1]):
        r = ballot.rules[k]
        if r == except_rule:
            continue
        outcome = ballot.outcomes[r]
        new = top
        if included[r]:
            lead = second_votes - (top_votes - ballot.votes[r])
            if outcome == top and (lead > 0 or (lead == 0 and second < top)):
                new = second
        else:
            lead = count.votes[i, outcome] + ballot.votes[r] - top_votes
            if outcome != top and (lead > 0 or (lead == 0 and outcome < top)):
                new = outcome
        if new != top:
            count.change[r] += weight * (_cost(ballot, new, truth) - _cost(ballot, top, truth))


def _length(prices: Prices, chosen: int, bits: float, errors: float) -> float:
    """Give the length of the message in hundredths of a bit."""
    theory = THEORY_WEIGHT * max(0.0, bits - prices.log_factorial[chosen])
    labels = errors * (prices.error + prices.which) + (prices.total - errors) * prices.right
    return rint(100.0 * (theory + labels))


def _best_change(
    ballot: Ballot,
    prices: Prices,
    count: Count,
    included: Flags,
    errors: float,
    bits: float,
    chosen: int,
    last: int,
) -> int:
    """Give the rule whose change makes the message shortest, or leaves it as short by a drop; -1 for none."""
    shortest, best = _length(prices, chosen, bits, errors), -1
    for r in range(included.shape[0]):
        if r == last or (not included[r] and errors < 1e-3):
            continue
        step = -1 if included[r] else 1
        changed = errors + count.change[r]
        length = _length(prices, chosen + step, bits + step * ballot.lengths[r], changed)
        if length < shortest or (length == shortest and included[r]):
            shortest, best = length, r
    return best


def count_votes(
    clauses: Any, values: Floats, outcomes: Ints, votes: Floats, covers: Floats, n_classes: int
) -> tuple[Floats, Floats, Places]:
    """Give the sum of votes for each class, the vote of its most specific rule, and the number of rules."""
    n, rules, narrowest = values.shape[1], ClauseViews(clauses, values), np.empty(n_classes)
    sums, specific, fired = np.zeros((n, n_classes)), np.zeros((n, n_classes)), np.zeros(n, dtype=np.int64)
    with cython.nogil:
        for i in range(n):
            narrowest[:] = inf
            for r in range(outcomes.shape[0]):
                if not clause_holds(rules, r, i):
                    continue
                c = outcomes[r]
                sums[i, c] += votes[r]
                fired[i] += 1
                closer = covers[r] == narrowest[c] and votes[r] > specific[i, c]
                if covers[r] < narrowest[c] or closer:
                    narrowest[c], specific[i, c] = covers[r], votes[r]
    return np.asarray(sums), np.asarray(specific), np.asarray(fired)
