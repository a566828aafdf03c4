"""Candidate rules: the paths to all nodes of a pruned tree, generalised, without duplicates."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fivefold.learners.c5.costs import Costs
from fivefold.learners.c5.kernels.generalising import Evidence, generalise
from fivefold.learners.c45.candidates import Branches, Population, by_attribute, tree_paths
from fivefold.learners.c45.kernels.covering import Bits, in_all
from fivefold.learners.c45.structures import Cases, Nodes

LEAST_LIFT = 0.95


@dataclass(frozen=True, eq=False)
class Candidates:
    """Rules to choose from.

    `covered` and `right` count cases without the weights that costs give them; `votes` are in thousandths.
    """

    branches: Branches
    conditions: list[NDArray[np.int32]]
    outcomes: NDArray[np.int32]
    covered: NDArray[np.float64]
    right: NDArray[np.float64]
    votes: NDArray[np.int64]
    covers: Bits


def find_candidates(
    cases: Cases,
    population: Population,
    costs: Costs,
    own: NDArray[np.float64],
    nodes: Nodes,
    full_cuts: NDArray[np.float64],
    bits: NDArray[np.float64],
) -> Candidates:
    """Make a rule of every node but the root; `own` are the weights of cases before costs."""
    branches, paths, targets = tree_paths(cases, nodes, full_cuts, inner=True)
    starts = np.cumsum([0, *map(len, paths)])
    flat = np.array([branch for path in paths for branch in path], dtype=np.int32)
    plain = not costs.matrix.size or bool(costs.scale.size)
    evidence = Evidence(
        branches.met,
        population.members,
        population.sizes,
        population.weights,
        np.empty((0, 0)) if plain else costs.errors[:-1],
        bits[branches.attribute],
        cases.classes.size,
    )
    kept, pays = generalise(evidence, flat, starts, targets)
    rules: dict[tuple[int, ...], NDArray[np.int32]] = {}
    for p in np.flatnonzero(pays):
        span = slice(starts[p], starts[p + 1])
        chosen = by_attribute(branches, flat[span][kept[span]])
        rules.setdefault((int(targets[p]), *chosen.tolist()), chosen)
    outcomes = np.array([key[0] for key in rules], dtype=np.int32)
    return _with_votes(cases, branches, list(rules.values()), outcomes, own)


def _with_votes(
    cases: Cases,
    branches: Branches,
    conditions: list[NDArray[np.int32]],
    outcomes: NDArray[np.int32],
    own: NDArray[np.float64],
) -> Candidates:
    n, k = cases.classes.size, cases.n_classes
    covers = np.zeros((len(conditions), branches.met.shape[1]), dtype=np.uint64)
    counts = np.zeros((len(conditions), k))
    for r, chosen in enumerate(conditions):
        covers[r] = in_all(branches.met, chosen)
        inside = covered_cases(covers[r], n)
        counts[r] = np.bincount(cases.classes[inside], weights=own[inside], minlength=k)
    covered, right = counts.sum(axis=1), counts[np.arange(len(conditions)), outcomes]
    prior = np.bincount(cases.classes, weights=own, minlength=k)[outcomes] / own.sum()
    useful = np.flatnonzero((right + 1) / ((covered + 2) * prior) >= LEAST_LIFT)
    votes = np.floor(1000 * (right + 1) / (covered + 2) + 0.5).astype(np.int64)
    return Candidates(
        branches,
        [conditions[r] for r in useful],
        outcomes[useful],
        covered[useful],
        right[useful],
        votes[useful],
        covers[useful],
    )


def covered_cases(covers: Bits, n: int) -> NDArray[np.bool_]:
    """Write a set of cases as flags."""
    return np.unpackbits(covers.view(np.uint8), bitorder="little", count=n).astype(np.bool_)
