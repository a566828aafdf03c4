"""Lists of rules as arrays of conditions, and what they say in terms of columns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fivefold.data.conditions import Above, AtMost, Equals, Term
from fivefold.inputs.columns import Column
from fivefold.learners.c45.candidates import Branches
from fivefold.learners.c45.kernels.sequencing import Conditions


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
