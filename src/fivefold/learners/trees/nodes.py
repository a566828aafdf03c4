"""The arrays of a tree: its nodes, and the training table that it grows from."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

LEAF, NOMINAL, NUMERIC = 0, 1, 2

Floats = NDArray[Any]
Ints = NDArray[np.int32]


class TrainingTable(NamedTuple):
    """The training cases, one row an attribute; they never change while a tree is made.

    `codes` counts the values of a nominal attribute from 1, 0 is unknown; `values` has NaN for unknown.
    `place[a]` is the row of attribute `a` in the one or the other, `forks[a]` the number of branches that
    a test on it has. A numeric attribute with three has one for unknown values. `distinct` holds the
    different values of each numeric attribute in ascending order, `edges` where each attribute's begin.
    """

    values: Floats
    codes: Ints
    classes: Ints
    numeric: NDArray[np.bool_]
    place: Ints
    forks: Ints
    distinct: Floats
    edges: NDArray[np.int64]
    n_classes: int


class Nodes(NamedTuple):
    """The nodes of a tree; the children of a node stand together from `child` on.

    `used` holds the number of nodes in use, or -1 once there was no room for another.
    """

    kind: Ints
    leaf: Ints
    attribute: Ints
    child: Ints
    forks: Ints
    cut: Floats
    items: Floats
    errors: Floats
    counts: Floats
    used: NDArray[np.int64]


class GrowthOptions(NamedTuple):
    """What the user may set, as numbers.

    `many` is the number of values from which on there are too many; `penalty` is 0 for cuts that cost nothing,
    1 for lg of the cuts tried, 2 for lg of the different values less one. The least gain of a test is
    `average_weight` times the average gain plus `code_weight` times the bits to name one of the possible tests,
    by case.
    """

    min_cases: float
    many: float
    all_many: bool
    penalty: int
    average_weight: float = 1.0
    code_weight: float = 0.0


def new_nodes(capacity: int, n_classes: int, real: Any) -> Nodes:
    """Make room for `capacity` nodes."""
    whole = [np.zeros(capacity, dtype=np.int32) for _ in range(5)]
    broken = [np.zeros(capacity, dtype=real) for _ in range(3)]
    counts = np.zeros((capacity, n_classes), dtype=real)
    return Nodes._make([*whole, *broken, counts, np.zeros(1, dtype=np.int64)])


def nodes_of(tests: Sequence[tuple[int, int, int, int, float]], items: Floats, counts: Floats) -> Nodes:
    """Write nodes as arrays, each with kind, attribute, first child, number of branches and cut of its test.

    A node has the commonest class of its counts; one without cases has no errors.
    """
    kind, attribute, child, forks, cut = map(np.array, zip(*tests, strict=True))
    whole = (own.astype(np.int32) for own in (kind, counts.argmax(axis=1), attribute, child, forks))
    errors = items - np.where(items > 0, counts.max(axis=1), 0.0)
    return Nodes._make([*whole, cut, items, errors, counts, np.array([len(counts)])])


def tree_depth(cases: TrainingTable) -> int:
    """Give a depth that no tree of the cases exceeds."""
    # A nominal test uses its attribute up, a numeric one leaves at least one case behind.
    return cases.classes.size + cases.forks.size + 2
