"""The search for arcs: the best SuperParent, then its favourite child, as long as accuracy grows."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from fivefold.learners.super_parent._kernels import count_correct
from fivefold.learners.super_parent.tables import NO_PARENT, Cases, Parents, Tables

Score: TypeAlias = Callable[[Parents], int]


@dataclass(frozen=True, eq=False)
class Network:
    """The parent of each attribute, the arcs in the order in which they came, and the cases put right."""

    parents: Parents
    arcs: tuple[tuple[int, int], ...]
    correct: int


def leave_one_out_score(cases: Cases) -> Score:
    """Count the training cases that a network puts right when each is left out in turn."""
    tables = Tables.estimate(cases, cases.all_pairs)

    def score(parents: Parents) -> int:
        return int(count_correct(tables.joint(cases.codes, parents, cases.classes), cases.classes))

    return score


def cross_validation_score(cases: Cases, n_folds: int, rng: np.random.Generator) -> Score:
    """Count the training cases put right by networks of other folds; the folds have like shares of classes."""
    order = rng.permutation(cases.classes.size)
    order = order[np.argsort(cases.classes[order], kind="stable")]
    parts = []
    for first in range(n_folds):
        fold = order[first::n_folds]
        others = cases.take(np.setdiff1d(order, fold))
        parts.append((Tables.estimate(others, cases.all_pairs), cases.take(fold)))

    def score(parents: Parents) -> int:
        return sum(
            int(count_correct(tables.joint(fold.codes, parents), fold.classes)) for tables, fold in parts
        )

    return score


def find_network(score: Score, n_attributes: int) -> Network:
    """Add arcs to naive Bayes, one at a time."""
    parents = np.full(n_attributes, NO_PARENT, dtype=np.int64)
    best, arcs = score(parents), []
    while np.count_nonzero(parents == NO_PARENT) > 1:
        parent = int(np.argmax(super_parent_scores(score, parents)))
        children = possible_children(parents, parent)
        single = [score(with_arcs(parents, parent, [child])) for child in children]
        if max(single) <= best:
            break
        best, child = max(single), children[int(np.argmax(single))]
        parents = with_arcs(parents, parent, [child])
        arcs.append((parent, child))
    return Network(parents, tuple(arcs), best)


def super_parent_scores(score: Score, parents: Parents) -> list[int]:
    """Give the score of each attribute as the parent of all that can still have one."""
    return [score(with_arcs(parents, a, possible_children(parents, a))) for a in range(parents.size)]


def possible_children(parents: Parents, parent: int) -> list[int]:
    """Give the orphans to which an arc from `parent` makes no circle."""
    root = parent
    while parents[root] != NO_PARENT:
        root = int(parents[root])
    return [a for a in range(parents.size) if parents[a] == NO_PARENT and a not in (parent, root)]


def with_arcs(parents: Parents, parent: int, children: Iterable[int]) -> Parents:
    """Give the network with arcs from `parent` to `children` added."""
    more = parents.copy()
    more[list(children)] = parent
    return more
