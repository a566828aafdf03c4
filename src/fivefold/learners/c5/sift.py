"""Choosing rules of all classes together, and the default class."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fivefold.learners.c5.candidates import Candidates, covered_cases
from fivefold.learners.c5.costs import Costs, cheapest_class
from fivefold.learners.c5.kernels.sifting import Ballot, Prices, climb, first_theory
from fivefold.learners.c45.coding import log_factorials
from fivefold.learners.c45.kernels.selecting import inverted, listed
from fivefold.learners.c45.structures import Cases

HIGHEST_RATE, RATE_IF_HIGHER = 0.5, 0.45


def question_bits(cases: Cases) -> NDArray[np.float64]:
    """Give the bits of a condition on each attribute: which attribute, and which value or cut of it."""
    n = cases.classes.size
    bits = np.full(cases.forks.size, np.log2(cases.forks.size))
    for a, place in enumerate(cases.place):
        if cases.numeric[a]:
            cuts = int(cases.edges[place + 1] - cases.edges[place]) - 1
            bits[a] += 1 + 0.5 * np.log2(cuts) if cuts > 1 else 0.0
        else:
            counts = np.bincount(cases.codes[place], minlength=int(cases.forks[a]) + 1)[1:]
            counts = counts[counts > 0]
            bits[a] += float((counts / n * np.log2(n / counts)).sum())
    return bits


def sift_rules(
    candidates: Candidates,
    bits: NDArray[np.float64],
    cases: Cases,
    weights: NDArray[np.float64],
    costs: Costs,
    tree_errors: float,
    min_cases: float,
) -> NDArray[np.intp]:
    """Choose rules by the length of the message of the rules and the errors of their votes."""
    if not candidates.conditions:
        return np.empty(0, dtype=np.intp)
    k = cases.n_classes
    sizes = np.array([len(conditions) for conditions in candidates.conditions], dtype=np.int64)
    most = max(sizes.size, int(sizes.max()))
    log_factorial = log_factorials(most + 2, np.dtype(np.float64))
    lengths = np.array([bits[candidates.branches.attribute[c]].sum() for c in candidates.conditions])
    begin, covered = listed(candidates.covers)
    ballot = Ballot(
        candidates.outcomes,
        candidates.votes,
        candidates.right,
        lengths + np.log2(sizes) - log_factorial[sizes],
        begin,
        covered,
        *inverted(begin, covered, cases.classes.size),
        cases.classes,
        weights,
        costs.errors,
    )
    included = first_theory(ballot, k, min_cases)
    climb(ballot, _prices(tree_errors, float(weights.sum()), k, log_factorial), included, k)
    chosen = np.flatnonzero(included)
    return chosen[np.lexsort((chosen, -candidates.votes[chosen], candidates.outcomes[chosen]))]


def _prices(errors: float, total: float, k: int, log_factorial: NDArray[np.float64]) -> Prices:
    rate = (errors + k - 1) / (total + k)
    rate = RATE_IF_HIGHER if rate > HIGHEST_RATE else rate
    return Prices(-np.log2(rate), -np.log2(1 - rate), np.log2(k - 1), total, log_factorial)


def default_class(
    candidates: Candidates, chosen: NDArray[np.intp], cases: Cases, weights: NDArray[np.float64], costs: Costs
) -> int:
    """Choose the class of cases without a rule: frequent among them, and frequent altogether."""
    n, k = cases.classes.size, cases.n_classes
    free = ~covered_cases(np.bitwise_or.reduce(candidates.covers[chosen], axis=0), n)
    left = np.bincount(cases.classes[free], weights=weights[free], minlength=k)
    shares = np.bincount(cases.classes, weights=weights, minlength=k) / weights.sum()
    scores = (left + 1) / (left.sum() + 1e-3 + 2) + shares
    matrix = np.empty((0, 0)) if costs.scale.size else costs.matrix
    return int(cheapest_class(scores[np.newaxis], matrix)[0])
