"""Rules from the paths of a tree: what C4.5 and C5.0 have in common."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fivefold.data.bitsets import pack
from fivefold.learners.base import Floats, Ints
from fivefold.learners.rules._c45_kernels import Bits
from fivefold.learners.rules.clauses import Clauses
from fivefold.learners.trees.nodes import LEAF, NUMERIC, Nodes, TrainingTable


@dataclass(frozen=True, eq=False)
class Branches:
    """The different conditions on the paths of a tree, in the order in which they are met.

    `cut` is in the scoring precision; a value x meets a condition if `low` < x <= `high`, in full precision, as
    in `Clauses`. `met` holds the cases that meet each.
    """

    attribute: Ints
    numeric: NDArray[np.bool_]
    branch: Ints
    cut: NDArray[Any]
    low: Floats
    high: Floats
    met: Bits


class Population(NamedTuple):
    """The training cases as sets: those of each class, and weights, which are empty if all are one."""

    members: Bits
    sizes: Floats
    weights: Floats


def population_of(cases: TrainingTable, weights: Floats) -> Population:
    """Write the classes of the training cases as sets."""
    members = pack(cases.classes == np.arange(cases.n_classes)[:, np.newaxis])
    sizes = np.bincount(cases.classes, weights=weights, minlength=cases.n_classes).astype(np.float64)
    return Population(members, sizes, weights if (weights != 1).any() else np.empty(0))


def tree_paths(
    cases: TrainingTable, nodes: Nodes, inner: bool
) -> tuple[Branches, Ints, NDArray[np.int64], Ints]:
    """Give the paths to the leaves that hold at least one case, one after the other, their starts and classes.

    The cuts of `nodes` are in full precision. With `inner`, the paths to all other nodes but the root too, each
    after those to the nodes below it.
    """
    known: dict[tuple[int, int, float], int] = {}
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
            place = known.setdefault(name, len(known))
            below.append((child[node] + v, (*path, place), False))
        waiting.extend(below)
    flat = np.array([branch for path in paths for branch in path], dtype=np.int32)
    starts = np.cumsum([0, *map(len, paths)])
    return _branches(cases, list(known)), flat, starts, np.array(targets, dtype=np.int32)


def _branches(cases: TrainingTable, names: list[tuple[int, int, float]]) -> Branches:
    tested = np.array([name[0] for name in names], dtype=np.int32)
    branch = np.array([name[1] for name in names], dtype=np.int32)
    full_cuts = np.array([name[2] for name in names], dtype=np.float64)
    cuts = full_cuts.astype(cases.values.dtype)
    flags = [_meets(cases, a, v, cut) for a, v, cut in zip(tested, branch, cuts, strict=True)]
    met = pack(np.array(flags, dtype=np.bool_).reshape(len(names), cases.classes.size))
    numeric, below = cases.numeric[tested], branch == 1
    low = np.where(numeric, np.where(below, -np.inf, full_cuts), branch - 2.0)
    high = np.where(numeric, np.where(below, full_cuts, np.inf), branch - 1.0)
    return Branches(tested, numeric, branch, cuts, low, high, met)


def _meets(cases: TrainingTable, attribute: int, branch: int, cut: Any) -> NDArray[np.bool_]:
    """Tell which cases meet a condition; unknown values meet none."""
    row = cases.place[attribute]
    if not cases.numeric[attribute]:
        return np.asarray(cases.codes[row] == branch)
    return np.asarray(cases.values[row] <= cut if branch == 1 else cases.values[row] > cut)


def by_attribute(branches: Branches, chosen: Ints) -> Ints:
    """Sort conditions by attribute, then cut, then branch."""
    return chosen[np.lexsort((branches.branch[chosen], branches.cut[chosen], branches.attribute[chosen]))]


def lg(x: float, real: Any) -> Any:
    """Give the logarithm to base 2 in the scoring precision."""
    return real.type(np.log(float(real.type(x))) / np.log(2.0))


def log_factorials(size: int, real: Any) -> Floats:
    """Give lg 0!, lg 1!, …, summed from logarithms in the scoring precision."""
    logs = np.array([float(lg(i, real)) if i > 1 else 0.0 for i in range(size)])
    return np.cumsum(logs)


def clauses_of(branches: Branches, rules: Sequence[Ints]) -> Clauses:
    """Write the conditions of rules one after the other."""
    used = np.array([k for rule in rules for k in rule], dtype=np.intp)
    starts = np.cumsum([0, *map(len, rules)], dtype=np.int64)
    attribute = branches.attribute[used].astype(np.int64)
    return Clauses(starts, attribute, branches.low[used], branches.high[used])
