"""The rules of all classes that are cheapest to send together with the errors of their votes."""

from __future__ import annotations

from typing import Any, NamedTuple

import numba
import numpy as np
from numpy.typing import NDArray

from fivefold.learners.c5.kernels.generalising import THEORY_WEIGHT

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
