"""Rules from the paths of a tree: the candidates, their lengths in bits, and those that are kept."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fivefold.data.conditions import Above, AtMost, Equals, Term
from fivefold.inputs.columns import Column
from fivefold.learners.rules._c45_kernels import (
    Bits,
    Conditions,
    Contest,
    best_climbed,
    best_of_all,
    generalise,
    in_all,
    meeting,
    pack,
    sort_as_release8,
    weigh_both,
)
from fivefold.learners.trees.nodes import LEAF, NUMERIC, Nodes, TrainingTable

NEVER_FIRES_ABOVE = 0.7


@dataclass(frozen=True, eq=False)
class Branches:
    """The different conditions on the paths of a tree, in the order in which they are met.

    `cut` is in the scoring precision and `full_cut` in full; `met` holds the cases that meet each.
    """

    attribute: NDArray[np.int32]
    numeric: NDArray[np.bool_]
    branch: NDArray[np.int32]
    cut: NDArray[Any]
    full_cut: NDArray[np.float64]
    met: Bits


@dataclass(frozen=True, eq=False)
class Candidates:
    """Rules to choose from: the conditions of each, its class, its pessimistic error, and what it covers."""

    branches: Branches
    conditions: list[NDArray[np.int32]]
    outcomes: NDArray[np.int32]
    errors: NDArray[Any]
    covers: Bits


@dataclass(frozen=True, eq=False)
class Population:
    """The training cases as sets: those of each class, and weights, which are empty if all are one."""

    members: Bits
    sizes: NDArray[np.float64]
    weights: NDArray[np.float64]


def population_of(cases: TrainingTable, weights: NDArray[np.float64]) -> Population:
    """Write the classes of the training cases as sets."""
    members = np.array([pack(cases.classes == c) for c in range(cases.n_classes)])
    sizes = np.bincount(cases.classes, weights=weights, minlength=cases.n_classes).astype(np.float64)
    return Population(members, sizes, weights if (weights != 1).any() else np.empty(0))


def find_candidates(
    cases: TrainingTable,
    population: Population,
    nodes: Nodes,
    full_cuts: NDArray[np.float64],
    limit: NDArray[Any],
    quirks: bool,
) -> Candidates:
    """Generalise the path to every leaf that holds at least one case."""
    branches, paths, targets = tree_paths(cases, nodes, full_cuts, inner=False)
    starts = np.cumsum([0, *map(len, paths)])
    flat = np.array([branch for path in paths for branch in path], dtype=np.int32)
    n = cases.classes.size
    kept, errors = generalise(
        branches.met,
        population.members,
        population.sizes,
        population.weights,
        flat,
        starts,
        targets,
        limit,
        n,
    )
    merged: dict[tuple[Any, ...], tuple[NDArray[np.int32], Any]] = {}
    for p in np.flatnonzero(errors >= 0):
        span = slice(starts[p], starts[p + 1])
        chosen = _sorted_conditions(branches, flat[span], kept[span], quirks)
        key = (int(targets[p]), *(_identity(branches, k, quirks) for k in chosen))
        # Of duplicates the first stays, with the largest error of all.
        first, error = merged.get(key, (chosen, errors[p]))
        merged[key] = first, max(error, errors[p])
    return _with_covers(branches, merged, limit.dtype)


def _with_covers(
    branches: Branches, merged: dict[tuple[Any, ...], tuple[NDArray[np.int32], Any]], real: Any
) -> Candidates:
    covers = np.zeros((len(merged), branches.met.shape[1]), dtype=np.uint64)
    for r, (chosen, error) in enumerate(merged.values()):
        if error <= NEVER_FIRES_ABOVE:
            covers[r] = in_all(branches.met, chosen)
    return Candidates(
        branches,
        [chosen for chosen, _ in merged.values()],
        np.array([key[0] for key in merged], dtype=np.int32),
        np.array([error for _, error in merged.values()], dtype=real),
        covers,
    )


def tree_paths(
    cases: TrainingTable, nodes: Nodes, full_cuts: NDArray[np.float64], inner: bool
) -> tuple[Branches, list[tuple[int, ...]], NDArray[np.int32]]:
    """Give the paths to the leaves that hold at least one case, and their classes.

    With `inner`, the paths to all other nodes but the root too, each after those to the nodes below it.
    """
    known: dict[tuple[int, int, float], int] = {}
    origin: list[int] = []
    paths: list[tuple[int, ...]] = []
    targets: list[int] = []
    kind, leaf, attribute = nodes.kind.tolist(), nodes.leaf.tolist(), nodes.attribute.tolist()
    child, forks, cut = nodes.child.tolist(), nodes.forks.tolist(), nodes.cut.tolist()
    waiting: list[tuple[int, tuple[int, ...], bool]] = [(0, (), False)]
    while waiting:
        node, path, finished = waiting.pop()
        if kind[node] == LEAF or finished:
            if nodes.items[node] >= 1 and (path or not inner):
                paths.append(path)
                targets.append(leaf[node])
            continue
        below = [(node, path, True)] if inner else []
        for v in reversed(range(forks[node])):
            name = (attribute[node], v + 1, cut[node] if kind[node] == NUMERIC else 0.0)
            if name not in known:
                known[name] = len(origin)
                origin.append(node)
            below.append((child[node] + v, (*path, known[name]), False))
        waiting.extend(below)
    return (
        _branches(cases, list(known), full_cuts[origin], nodes.cut.dtype),
        paths,
        np.array(targets, dtype=np.int32),
    )


def _branches(
    cases: TrainingTable, names: list[tuple[int, int, float]], full_cuts: NDArray[np.float64], real: Any
) -> Branches:
    tested = np.array([name[0] for name in names], dtype=np.int32)
    branch = np.array([name[1] for name in names], dtype=np.int32)
    cuts = np.array([name[2] for name in names], dtype=real)
    met = meeting(cases, tested, branch, cuts)
    return Branches(tested, cases.numeric[tested], branch, cuts, full_cuts, met)


def _sorted_conditions(
    branches: Branches, path: NDArray[np.int32], keep: NDArray[np.bool_], quirks: bool
) -> NDArray[np.int32]:
    if quirks:
        ordered: NDArray[np.int32] = sort_as_release8(
            path, keep, branches.attribute, branches.numeric, branches.cut
        )
        return ordered
    return by_attribute(branches, path[keep])


def by_attribute(branches: Branches, chosen: NDArray[np.int32]) -> NDArray[np.int32]:
    """Sort conditions by attribute, then cut, then branch."""
    return chosen[np.lexsort((branches.branch[chosen], branches.cut[chosen], branches.attribute[chosen]))]


def _identity(branches: Branches, k: int, quirks: bool) -> tuple[Any, ...]:
    """Tell what makes a condition the same as another: in release 8 not the direction of a numeric one."""
    numeric = bool(branches.numeric[k])
    side = 0 if numeric and quirks else int(branches.branch[k])
    return int(branches.attribute[k]), side, float(branches.cut[k])


EXHAUSTIVE_UP_TO = 10
N_CLIMBS = 11


def question_lengths(
    cases: TrainingTable, weights: NDArray[np.float64], real: Any
) -> tuple[NDArray[Any], Any]:
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


def _cut_bits(cases: TrainingTable, place: int, real: Any) -> Any:
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


def conditions_of(branches: Branches, rules: Sequence[NDArray[np.int32]]) -> Conditions:
    """Write the conditions of rules one after the other, cuts in full precision."""
    starts = np.cumsum([0, *map(len, rules)])
    used = np.concatenate([*rules, np.empty(0, dtype=np.int32)]).astype(np.int32)
    return Conditions(
        starts,
        branches.attribute[used],
        branches.numeric[used],
        branches.branch[used],
        branches.full_cut[used],
    )


def terms_of(conditions: Conditions, rule: int, columns: Sequence[Column]) -> tuple[Term, ...]:
    """Give the conditions of a rule as terms."""
    span = range(conditions.starts[rule], conditions.starts[rule + 1])
    return tuple(_term(conditions, k, columns[conditions.attribute[k]]) for k in span)


def _term(conditions: Conditions, k: int, column: Column) -> Term:
    branch, cut = int(conditions.branch[k]), float(conditions.cut[k])
    if conditions.numeric[k]:
        return AtMost(column.name, cut) if branch == 1 else Above(column.name, cut)
    categories: tuple[Any, ...] = column.categories or ()
    return Equals(column.name, categories[branch - 1])


def decided_counts(
    decided_by: NDArray[np.int32],
    classes: NDArray[np.int32],
    weights: NDArray[np.float64],
    n_deciders: int,
    n_classes: int,
) -> NDArray[np.float64]:
    """Count the classes of the cases that each rule decides."""
    cells = np.bincount(decided_by * n_classes + classes, weights=weights, minlength=n_deciders * n_classes)
    return cells.reshape(n_deciders, n_classes).astype(np.float64)
