"""Regions made of axis-parallel boxes: trees, exactly and in any dimension."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.tree import DecisionTreeClassifier

from fivefold.borders.affine import Affine
from fivefold.borders.asking import Asker
from fivefold.borders.kernels.nearest import nearest_box, shared_facets
from fivefold.borders.partition import BorderSize, Segments, require_plane
from fivefold.learners._nodes import Leaf, Node, NumericSplit
from fivefold.learners.sklearn_trees import tree_theory
from fivefold.learners.theories import DecisionTree, HasTheory, Theory

Floats = NDArray[np.float64]
Codes = NDArray[np.int32]

_NO_ROOM = np.empty((0, 3), dtype=np.int64)


class BoxPartition:
    """Boxes that fill the window, each of one class.

    Parameters
    ----------
    low, high : ndarray of shape (m, d)
        The ends of the boxes.
    labels : ndarray of int
        The class of each box.
    answers : callable
        The class of each point.
    """

    distance_method = "exact"

    def __init__(self, low: Floats, high: Floats, labels: Codes, answers: Callable[[Floats], Codes]) -> None:
        self._low, self._high, self._labels = low, high, labels
        self._answers = answers
        self._facets = np.empty((shared_facets(low, high, labels, _NO_ROOM), 3), dtype=np.int64)
        shared_facets(low, high, labels, self._facets)

    def answers(self, U: Floats) -> Codes:
        """Give the class of each point."""
        return self._answers(U)

    def size(self) -> BorderSize:
        """Give the size of all facets that boxes of different classes share."""
        low, high = self._shared()
        sides = high - low
        sides[np.arange(sides.shape[0]), self._facets[:, 2]] = 1.0
        return BorderSize(float(np.prod(sides, axis=1).sum()), "exact, by boxes")

    def segments(self) -> Segments:
        """Give the shared edges, if this is a plane."""
        require_plane(self._low.shape[1])
        low, high = self._shared()
        flat = np.arange(low.shape[0]), self._facets[:, 2]
        low[flat] = high[flat] = self._low[self._facets[:, 1], self._facets[:, 2]]
        return Segments(np.stack([low, high], axis=1), self._labels[self._facets[:, :2]])

    def distances(self, U: Floats, answers: Codes, wanted: Codes) -> Floats:
        """Give the distance to the nearest box of the wanted class."""
        return nearest_box(U, self._low, self._high, self._labels, answers, wanted)

    def _shared(self) -> tuple[Floats, Floats]:
        """Give the ends of what neighbours have in common along the other axes."""
        a, b = self._facets[:, 0], self._facets[:, 1]
        return np.maximum(self._low[a], self._low[b]), np.minimum(self._high[a], self._high[b])


def tree_partition(model: Any, affine: Affine, asker: Asker) -> BoxPartition | None:
    """Give the leaves of a tree as boxes; None if the model is no tree of numeric tests."""
    theory = theory_of(model)
    if not isinstance(theory, DecisionTree) or not affine.is_axis_parallel:
        return None
    if not all(isinstance(node, (Leaf, NumericSplit)) for node in theory.nodes()):
        return None
    place = {name: i for i, name in enumerate(column_names(model, affine.offset.size))}
    low, high = _leaf_boxes(theory.root, place, affine, asker.window.unit_low, asker.window.unit_high)
    labels = asker.answers((low + high) / 2)
    return BoxPartition(low, high, labels, asker.answers)


def column_names(model: Any, n_columns: int) -> Sequence[str]:
    """Give the names by which a model's description calls its columns."""
    columns = getattr(model, "columns_", None)
    if columns is not None:
        return [column.name for column in columns]
    named = getattr(model, "feature_names_in_", None)
    return [f"x{i}" for i in range(n_columns)] if named is None else [str(name) for name in named]


def theory_of(model: Any) -> Theory | None:
    """Give what a model says it has learnt, if it can."""
    if isinstance(model, DecisionTreeClassifier):
        return tree_theory(model)
    return model.theory() if isinstance(model, HasTheory) else None


def _leaf_boxes(
    root: Node, place: dict[str, int], affine: Affine, low: Floats, high: Floats
) -> tuple[Floats, Floats]:
    """Go down a tree of numeric tests; leaves that have no part in the window are left out."""
    waiting: list[tuple[Node, Floats, Floats]] = [(root, low, high)]
    lows, highs = [], []
    while waiting:
        node, a, b = waiting.pop()
        if not isinstance(node, NumericSplit):
            lows.append(a)
            highs.append(b)
            continue
        k = place[node.column]
        cut = affine.cut(k, node.cut)
        if a[k] < cut:
            below = b.copy()
            below[k] = min(b[k], cut)
            waiting.append((node.left, a, below))
        if b[k] > cut:
            above = a.copy()
            above[k] = max(a[k], cut)
            waiting.append((node.right, above, b))
    return np.array(lows), np.array(highs)
