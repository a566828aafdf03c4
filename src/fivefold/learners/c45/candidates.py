"""Candidate rules: the paths of a tree, generalised, without duplicates."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fivefold.learners.c45.kernels.covering import Bits, in_all, meeting, pack
from fivefold.learners.c45.kernels.generalising import generalise, sort_as_release8
from fivefold.learners.c45.structures import LEAF, NUMERIC, Cases, Nodes

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


def population_of(cases: Cases, weights: NDArray[np.float64]) -> Population:
    """Write the classes of the training cases as sets."""
    members = np.array([pack(cases.classes == c) for c in range(cases.n_classes)])
    sizes = np.bincount(cases.classes, weights=weights, minlength=cases.n_classes).astype(np.float64)
    return Population(members, sizes, weights if (weights != 1).any() else np.empty(0))


def find_candidates(
    cases: Cases,
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
    cases: Cases, nodes: Nodes, full_cuts: NDArray[np.float64], inner: bool
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
    cases: Cases, names: list[tuple[int, int, float]], full_cuts: NDArray[np.float64], real: Any
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
