"""The lengths of rules in bits, and the choice and order of the rules that are kept."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from fivefold.learners.c45.candidates import Candidates, Population
from fivefold.learners.c45.kernels.covering import weigh_both
from fivefold.learners.c45.kernels.selecting import Contest, best_climbed, best_of_all
from fivefold.learners.c45.structures import Cases

EXHAUSTIVE_UP_TO = 10
N_CLIMBS = 11


def question_lengths(cases: Cases, weights: NDArray[np.float64], real: Any) -> tuple[NDArray[Any], Any]:
    """Give the bits to name a value or cut of each attribute, and those to name an attribute."""
    lengths = np.zeros(cases.forks.size, dtype=real)
    for a, place in enumerate(cases.place):
        if cases.numeric[a]:
            lengths[a] = _cut_bits(cases, int(place), real)
        else:
            lengths[a] = _value_bits(cases.codes[place], int(cases.forks[a]), weights, real)
    total = real.type(0)
    for length in lengths:
        total += length
    naming = real.type(0)
    for share in lengths / total if total > 0 else lengths:
        if share > 0:
            naming = real.type(naming - float(share) * np.log(float(share)) / np.log(2.0))
    return lengths, naming


def _cut_bits(cases: Cases, place: int, real: Any) -> Any:
    unknown = bool(np.isnan(cases.values[place]).any())
    values = int(cases.edges[place + 1] - cases.edges[place]) + unknown
    return real.type(1) + _lg(values, real) / real.type(2) if values > 1 else real.type(0)


def _value_bits(codes: NDArray[np.int32], forks: int, weights: NDArray[np.float64], real: Any) -> Any:
    counts = np.bincount(codes, weights=weights, minlength=forks + 1)
    total, bits = float(weights.sum()), real.type(0)
    for n in counts[1:]:
        if n > 0:
            bits = real.type(bits + n / total * float(_lg(total, real) - _lg(n, real)))
    return bits


def _lg(x: float, real: Any) -> Any:
    return real.type(np.log(float(real.type(x))) / np.log(2.0))


def rule_lengths(candidates: Candidates, lengths: NDArray[Any], naming: Any) -> NDArray[Any]:
    """Give the bits of each rule: its conditions, how many there are, less the order that does not matter."""
    real = lengths.dtype
    log_factorial = log_factorials(max((len(c) for c in candidates.conditions), default=0) + 1, real)
    found = np.zeros(len(candidates.conditions), dtype=real)
    for r, conditions in enumerate(candidates.conditions):
        bits = real.type(0)
        for branch in conditions:
            bits += naming + lengths[candidates.branches.attribute[branch]]
        k = len(conditions)
        found[r] = float(bits + _lg(k, real)) - log_factorial[k]
    return found


def log_factorials(size: int, real: Any) -> NDArray[np.float64]:
    """Give lg 0!, lg 1!, …, summed from logarithms in the scoring precision."""
    logs = np.array([float(_lg(i, real)) if i > 1 else 0.0 for i in range(size)])
    return np.cumsum(logs)


def select_rules(
    candidates: Candidates,
    lengths: NDArray[Any],
    population: Population,
    rng: np.random.RandomState,
) -> list[NDArray[np.intp]]:
    """Choose, for each class, the subset of its rules with the shortest code."""
    log_factorial = log_factorials(len(lengths) + 2, lengths.dtype)
    total = float(population.sizes.sum())
    chosen = []
    for c, target in enumerate(population.members):
        own = np.flatnonzero(candidates.outcomes == c)
        if not own.size:
            chosen.append(own)
            continue
        contest = Contest(
            candidates.covers[own],
            lengths[own],
            target,
            population.weights,
            log_factorial,
            float(population.sizes[c]),
            total,
            float(np.log(float(lengths.dtype.type(total))) / np.log(2.0)),
        )
        chosen.append(own[_search(contest, rng)])
    return chosen


def _search(contest: Contest, rng: np.random.RandomState) -> NDArray[np.bool_]:
    n_rules = contest.lengths.size
    if n_rules <= EXHAUSTIVE_UP_TO:
        best: NDArray[np.bool_] = best_of_all(contest)
        return best
    share = (np.arange(N_CLIMBS) / 10.0).astype(contest.lengths.dtype)
    climbed: NDArray[np.bool_] = best_climbed(
        contest, rng.random_sample((N_CLIMBS, n_rules)) < share[:, np.newaxis]
    )
    return climbed


def order_rules(
    candidates: Candidates, chosen: list[NDArray[np.intp]], population: Population
) -> tuple[NDArray[np.intp], int]:
    """Put the classes whose rules are least often wrong first; give the order and the default class."""
    unions = [np.bitwise_or.reduce(candidates.covers[own], axis=0) for own in chosen]
    left = np.bitwise_or.reduce(population.members, axis=0)
    order: list[NDArray[np.intp]] = []
    waiting = list(range(len(chosen)))
    while waiting:
        wrong = [_weigh(unions[c] & ~population.members[c], left, population) for c in waiting]
        c = waiting.pop(int(np.argmin(wrong)))
        order.append(chosen[c][np.argsort(candidates.errors[chosen[c]], kind="stable")])
        left = left & ~unions[c]
    uncovered = [_weigh(members, left, population) for members in population.members]
    default = max(range(len(chosen)), key=lambda c: (uncovered[c], population.sizes[c], -c))
    return np.concatenate(order), default


def _weigh(a: NDArray[np.uint64], b: NDArray[np.uint64], population: Population) -> float:
    return float(weigh_both(a, b, b, population.weights)[0])
