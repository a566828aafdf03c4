"""The compiled loops of C5.0's rules: generalising paths, sifting rules, and counting votes."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numba
import numpy as np
from numpy.typing import NDArray

from fivefold.learners.rules._c45_kernels import LN2, Bits, Conditions, everyone, holds, weigh_both

THEORY_WEIGHT = 0.23


class PathEvidence(NamedTuple):
    """The training cases as sets: those that meet each condition, and those of each class.

    `costs[p, r]` is what it costs to say class p where r is right; empty if every error costs one. `lengths`
    are the bits of each condition.
    """

    met: Bits
    members: Bits
    sizes: NDArray[np.float64]
    weights: NDArray[np.float64]
    costs: NDArray[np.float64]
    lengths: NDArray[np.float64]
    n: int


@numba.njit(cache=True, error_model="numpy")
def generalise(
    evidence: PathEvidence, paths: NDArray[np.int32], starts: NDArray[np.int64], targets: NDArray[np.int32]
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Generalise every path; tell which of its conditions remain, and whether it saves more than it costs.

    Path `p` is `paths[starts[p]:starts[p + 1]]`, places in `evidence.met`, for the class `targets[p]`.
    """
    kept = np.ones(paths.shape[0], dtype=np.bool_)
    pays = np.zeros(targets.shape[0], dtype=np.bool_)
    longest = 1
    for p in range(targets.shape[0]):
        longest = max(longest, starts[p + 1] - starts[p])
    after = np.empty((longest + 1, evidence.met.shape[1]), dtype=np.uint64)
    all_cases = everyone(evidence.n)
    for p in range(targets.shape[0]):
        path = paths[starts[p] : starts[p + 1]]
        after[path.shape[0]] = all_cases
        pays[p] = _drop(evidence, targets[p], path, kept[starts[p] : starts[p + 1]], after)
    return kept, pays


@numba.njit(cache=True, error_model="numpy")
def _drop(
    evidence: PathEvidence, target: int, path: NDArray[np.int32], keep: NDArray[np.bool_], after: Bits
) -> bool:
    left, cost = path.shape[0], 0.0
    for d in range(left):
        cost += evidence.lengths[path[d]] - math.log(d + 1) / LN2
    while True:
        for d in range(path.shape[0] - 1, -1, -1):
            after[d] = after[d + 1] & evidence.met[path[d]] if keep[d] else after[d + 1]
        covered, wrong = _weigh(evidence, target, after[0], after[0])
        pays = THEORY_WEIGHT * cost <= _saved(evidence, target, covered, wrong)
        if left == 1:
            return pays and covered > 0.99
        worst, lowest = _least_useful(evidence, target, path, keep, after)
        if pays and lowest > _laplace(covered, wrong):
            return covered > 0.99
        keep[worst] = False
        cost -= evidence.lengths[path[worst]] - math.log(left) / LN2
        left -= 1


@numba.njit(cache=True, error_model="numpy")
def _least_useful(
    evidence: PathEvidence, target: int, path: NDArray[np.int32], keep: NDArray[np.bool_], after: Bits
) -> tuple[int, Any]:
    """Give the condition without which the error is lowest, the last among equals, and that error."""
    before = after[path.shape[0]].copy()
    worst, lowest = -1, np.float32(2)
    for d in range(path.shape[0]):
        if keep[d]:
            covered, wrong = _weigh(evidence, target, before, after[d + 1])
            error = _laplace(covered, wrong)
            if error <= lowest:
                worst, lowest = d, error
            before &= evidence.met[path[d]]
    return worst, lowest


@numba.njit(cache=True, error_model="numpy")
def _weigh(evidence: PathEvidence, target: int, a: Bits, b: Bits) -> tuple[float, float]:
    """Give the weight of the cases in both sets, and what it costs to call them all `target`."""
    covered, right = weigh_both(a, b, evidence.members[target], evidence.weights)
    if evidence.costs.shape[0] == 0:
        return covered, covered - right
    wrong = 0.0
    for c in range(evidence.costs.shape[0]):
        wrong += evidence.costs[target, c] * weigh_both(a, b, evidence.members[c], evidence.weights)[1]
    return covered, min(wrong, covered)


@numba.njit(cache=True, error_model="numpy")
def _laplace(covered: float, wrong: float) -> Any:
    return np.float32(0.5 if covered < 1e-4 else (wrong + 1) / (covered + 2))


@numba.njit(cache=True, error_model="numpy")
def _saved(evidence: PathEvidence, target: int, covered: float, wrong: float) -> float:
    """Give the bits that a rule saves in telling the cases of its class from the others."""
    size, total = evidence.sizes[target], evidence.sizes.sum()
    before = _split_bits(size, total - size)
    inside = _split_bits(covered - wrong, wrong)
    return before - inside - _split_bits(size - covered + wrong, total - size - wrong)


@numba.njit(cache=True, error_model="numpy")
def _split_bits(a: float, b: float) -> float:
    return _n_lg_n(a + b) - _n_lg_n(a) - _n_lg_n(b)


@numba.njit(cache=True, error_model="numpy")
def _n_lg_n(n: float) -> float:
    return n * math.log(n) / LN2 if n > 0 else 0.0


NONE = -1


class Ballot(NamedTuple):
    """Rules and the cases that they cover.

    Rule `r` gives `votes[r]` thousandths to class `outcomes[r]` for `cases[begin[r]:begin[r + 1]]`; case `i` is
    covered by `rules[first[i]:first[i + 1]]`. `costs[p, r]` is what it costs to say p where r is right; its last
    row is for saying nothing.
    """

    outcomes: NDArray[np.int32]
    votes: NDArray[np.int64]
    right: NDArray[np.float64]
    lengths: NDArray[np.float64]
    begin: NDArray[np.int64]
    cases: NDArray[np.int32]
    first: NDArray[np.int64]
    rules: NDArray[np.int32]
    classes: NDArray[np.int32]
    weights: NDArray[np.float64]
    costs: NDArray[np.float64]


class Prices(NamedTuple):
    """The bits of an error, of a case that is right, and of telling which class is right after an error.

    `total` is the weight of all cases, `log_factorial` holds lg of 0!, 1!, ….
    """

    error: float
    right: float
    which: float
    total: float
    log_factorial: NDArray[np.float64]


class Count(NamedTuple):
    """The votes for each class, the first and the second choice of each case, and what each rule changes."""

    votes: NDArray[np.int64]
    top: NDArray[np.int32]
    second: NDArray[np.int32]
    change: NDArray[np.float64]


@numba.njit(cache=True, error_model="numpy")
def first_theory(ballot: Ballot, n_classes: int, min_cases: float) -> NDArray[np.bool_]:
    """Cover each class with its best rules, as long as each adds more true than false cases."""
    included = np.zeros(ballot.votes.shape[0], dtype=np.bool_)
    for c in range(n_classes):
        used = np.zeros(ballot.votes.shape[0], dtype=np.bool_)
        covered = np.zeros(ballot.classes.shape[0], dtype=np.bool_)
        left, false = (ballot.weights * (ballot.classes == c)).sum(), 0.0
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
    return included


@numba.njit(cache=True, error_model="numpy")
def _best_unused(ballot: Ballot, used: NDArray[np.bool_], c: int, min_cases: float) -> int:
    best = -1
    for r in range(used.shape[0]):
        able = ballot.outcomes[r] == c and not used[r] and ballot.right[r] >= min_cases
        if able and (best < 0 or ballot.votes[r] > ballot.votes[best]):
            best = r
    return best


@numba.njit(cache=True, error_model="numpy")
def _new_cases(ballot: Ballot, covered: NDArray[np.bool_], rule: int, c: int) -> tuple[float, float]:
    new_true, new_false = 0.0, 0.0
    for k in range(ballot.begin[rule], ballot.begin[rule + 1]):
        i = ballot.cases[k]
        if not covered[i]:
            if ballot.classes[i] == c:
                new_true += ballot.weights[i]
            else:
                new_false += ballot.weights[i]
    return new_true, new_false


@numba.njit(cache=True, error_model="numpy")
def climb(ballot: Ballot, prices: Prices, included: NDArray[np.bool_], n_classes: int) -> None:
    """Add or drop one rule at a time while the message gets shorter, or no longer by a drop."""
    n = ballot.classes.shape[0]
    votes = np.zeros((n, n_classes), dtype=np.int64)
    top, second = np.empty(n, dtype=np.int32), np.empty(n, dtype=np.int32)
    count = Count(votes, top, second, np.zeros(included.shape[0]))
    errors, bits, chosen = _start(ballot, count, included)
    last = -1
    while True:
        rule = _best_change(ballot, prices, count, included, errors, bits, chosen, last)
        if rule < 0:
            return
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


@numba.njit(cache=True, error_model="numpy")
def _start(ballot: Ballot, count: Count, included: NDArray[np.bool_]) -> tuple[float, float, int]:
    errors, bits, chosen = 0.0, 0.0, 0
    for r in range(included.shape[0]):
        if included[r]:
            bits += ballot.lengths[r]
            chosen += 1
            for k in range(ballot.begin[r], ballot.begin[r + 1]):
                count.votes[ballot.cases[k], ballot.outcomes[r]] += ballot.votes[r]
    for i in range(ballot.classes.shape[0]):
        _rank(count, i)
        errors += ballot.weights[i] * ballot.costs[count.top[i], ballot.classes[i]]
        _count_case(ballot, count, included, i, ballot.weights[i], NONE)
    return errors, bits, chosen


@numba.njit(cache=True, error_model="numpy")
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


@numba.njit(cache=True, error_model="numpy")
def _count_case(
    ballot: Ballot, count: Count, included: NDArray[np.bool_], i: int, weight: float, except_rule: int
) -> None:
    """Add a case to what each rule that covers it would change, except for one rule."""
    real, top, second = ballot.classes[i], count.top[i], count.second[i]
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
            count.change[r] += weight * (ballot.costs[new, real] - ballot.costs[top, real])


@numba.njit(cache=True, error_model="numpy")
def _length(prices: Prices, chosen: int, bits: float, errors: float) -> Any:
    """Give the length of the message in hundredths of a bit."""
    theory = THEORY_WEIGHT * max(0.0, bits - prices.log_factorial[chosen])
    labels = errors * (prices.error + prices.which) + (prices.total - errors) * prices.right
    return np.int64(np.rint(100.0 * (theory + labels)))


@numba.njit(cache=True, error_model="numpy")
def _best_change(
    ballot: Ballot,
    prices: Prices,
    count: Count,
    included: NDArray[np.bool_],
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


@numba.njit(cache=True, error_model="numpy")
def count_votes(
    conditions: Conditions,
    outcomes: NDArray[np.int32],
    votes: NDArray[np.float64],
    covers: NDArray[np.float64],
    n_classes: int,
    values: Any,
    codes: Any,
    place: Any,
    n: int,
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.int64]]:
    """Give the sum of votes for each class, the vote of its most specific rule, and the number of rules."""
    sums, specific = np.zeros((n, n_classes)), np.zeros((n, n_classes))
    fired = np.zeros(n, dtype=np.int64)
    narrowest = np.empty(n_classes)
    for i in range(n):
        narrowest[:] = np.inf
        for r in range(outcomes.shape[0]):
            if not holds(conditions, r, values, codes, place, i):
                continue
            c = outcomes[r]
            sums[i, c] += votes[r]
            fired[i] += 1
            closer = covers[r] == narrowest[c] and votes[r] > specific[i, c]
            if covers[r] < narrowest[c] or closer:
                narrowest[c], specific[i, c] = covers[r], votes[r]
    return sums, specific, fired
