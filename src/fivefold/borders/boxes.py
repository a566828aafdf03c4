"""Exact borders of trees, rules and ensembles of trees: boxes, and grids of all cuts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fivefold.borders._kernels import nearest_box, shared_facets
from fivefold.borders.partition import BorderSize, Codes, Floats, Segments, require_plane
from fivefold.borders.window import Affine, CodedPredictor
from fivefold.data.conditions import Above, AtMost, Term, Within
from fivefold.inputs.frames import default_names
from fivefold.learners.theories import (
    DecisionTree,
    HasTheory,
    Leaf,
    Node,
    NumericCells,
    NumericSplit,
    RippleDownTree,
    SingleAttributeRule,
    Theory,
)

Cut = tuple[int, float]
_NO_ROOM = np.empty((0, 3), dtype=np.int64)
_HALVINGS = 40


class BoxPartition:
    """Boxes that fill the window, each of one class; `low` and `high` are their ends, of shape (m, d)."""

    distance_method = "exact"

    def __init__(self, low: Floats, high: Floats, labels: Codes, answers: Callable[[Floats], Codes]) -> None:
        self._low, self._high, self._labels = low, high, labels
        self.answers = answers
        self._facets = np.empty((shared_facets(low, high, labels, _NO_ROOM), 3), dtype=np.int64)
        shared_facets(low, high, labels, self._facets)

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


class GridPartition:
    """Cells between cuts along each axis, each of one class.

    `edges` are the cuts along each axis with both ends of the window, ascending; `error` is that in their number.
    """

    def __init__(
        self,
        edges: Sequence[Floats],
        labels: Codes,
        answers: Callable[[Floats], Codes],
        method: str = "exact, on the grid of all cuts",
        error: float = 0.0,
    ) -> None:
        self._edges, self._labels, self.answers = edges, labels, answers
        self._method, self._error = method, error
        self.distance_method = method.partition(",")[0]
        self._low, self._high, self._cells = self._border_cells()

    def size(self) -> BorderSize:
        """Give the size of all faces between neighbouring cells of different classes."""
        total = 0.0
        for axis in range(self._labels.ndim):
            faces: Floats = self._changes(axis).astype(np.float64)
            for other in reversed(range(self._labels.ndim)):
                # the widths of the last axis that is left are summed away first; the axis itself has none
                widths = np.diff(self._edges[other]) if other != axis else np.ones(faces.shape[other])
                faces = faces @ widths
            total += float(faces)
        return BorderSize(total, self._method, self._error)

    def segments(self) -> Segments:
        """Give the faces between cells of different classes, if this is a plane."""
        require_plane(self._labels.ndim)
        ends, sides = [], []
        for axis in (0, 1):
            where = np.nonzero(self._changes(axis))
            along = where[1 - axis]
            segment = np.empty((along.size, 2, 2))
            segment[:, :, axis] = self._edges[axis][where[axis] + 1][:, np.newaxis]
            segment[:, 0, 1 - axis] = self._edges[1 - axis][along]
            segment[:, 1, 1 - axis] = self._edges[1 - axis][along + 1]
            after = tuple(place + (i == axis) for i, place in enumerate(where))
            ends.append(segment)
            sides.append(np.column_stack([self._labels[where], self._labels[after]]))
        return Segments(np.concatenate(ends), np.concatenate(sides))

    def distances(self, U: Floats, answers: Codes, wanted: Codes) -> Floats:
        """Give the distance to the nearest cell of the wanted class."""
        return nearest_box(U, self._low, self._high, self._cells, answers, wanted)

    def _changes(self, axis: int) -> NDArray[np.bool_]:
        labels = np.moveaxis(self._labels, axis, 0)
        return np.asarray(np.moveaxis(labels[1:] != labels[:-1], 0, axis))

    def _border_cells(self) -> tuple[Floats, Floats, Codes]:
        """Give the cells with a neighbour of another class: no other is nearest to a point outside it."""
        on_border = np.zeros(self._labels.shape, dtype=bool)
        for axis in range(self._labels.ndim):
            changes, cells = np.moveaxis(self._changes(axis), axis, 0), np.moveaxis(on_border, axis, 0)
            cells[1:] |= changes
            cells[:-1] |= changes
        where = np.nonzero(on_border)
        low, high = (
            np.column_stack([edges[place + end] for edges, place in zip(self._edges, where, strict=True)])
            for end in (0, 1)
        )
        return low, high, self._labels[where]


def tree_partition(model: Any, affine: Affine, predictor: CodedPredictor) -> BoxPartition | None:
    """Give the leaves of a tree as boxes; None if the model is no tree of numeric tests."""
    theory = theory_of(model)
    if not isinstance(theory, DecisionTree) or not affine.is_axis_parallel:
        return None
    if not all(isinstance(node, (Leaf, NumericSplit)) for node in theory.nodes()):
        return None
    place = _column_places(model, affine.offset.size)
    low, high = _leaf_boxes(theory.root, place, affine, predictor.window.unit_low, predictor.window.unit_high)
    labels = predictor.answers((low + high) / 2)
    return BoxPartition(low, high, labels, predictor.answers)


def _leaf_boxes(
    root: Node, place: dict[str, int], affine: Affine, low: Floats, high: Floats
) -> tuple[Floats, Floats]:
    """Go down a tree of numeric tests; leaves that have no part in the window are left out."""
    waiting: list[tuple[Node, Floats, Floats]] = [(root, low, high)]
    leaves = []
    while waiting:
        node, a, b = waiting.pop()
        if not isinstance(node, NumericSplit):
            leaves.append((a, b))
            continue
        k = place[node.column]
        cut = affine.cut(k, node.cut)
        here = np.arange(a.size) == k
        if a[k] < cut:
            waiting.append((node.left, a, np.where(here, min(b[k], cut), b)))
        if b[k] > cut:
            waiting.append((node.right, np.where(here, max(a[k], cut), a), b))
    lows, highs = zip(*leaves, strict=True)
    return np.array(lows), np.array(highs)


def grid_partition(cuts: Sequence[Floats], predictor: CodedPredictor, max_cells: int) -> GridPartition | None:
    """Ask a model for the class of each cell between its cuts; None if there are too many cells."""
    low, high = predictor.window.unit_low, predictor.window.unit_high
    edges = [
        np.concatenate([[a], np.unique(inner[(inner > a) & (inner < b)]), [b]])
        for inner, a, b in zip(cuts, low, high, strict=True)
    ]
    shape = tuple(edge.size - 1 for edge in edges)
    if np.prod(shape, dtype=np.float64) > max_cells:
        return None
    middles = np.meshgrid(*[(edge[1:] + edge[:-1]) / 2 for edge in edges], indexing="ij")
    labels = predictor.answers(np.column_stack([middle.ravel() for middle in middles]))
    return GridPartition(edges, labels.reshape(shape), predictor.answers)


def line_partition(predictor: CodedPredictor, resolution: int) -> GridPartition:
    """Walk along the line in twice the resolution's steps and find each change by bisection."""
    low, high = predictor.window.unit_low[0], predictor.window.unit_high[0]
    walk = np.linspace([low], [high], 2 * resolution + 1)
    classes = predictor.answers(walk)
    changed = classes[1:] != classes[:-1]
    first = classes[:-1][changed]
    changes = predictor.change_between(walk[:-1][changed], walk[1:][changed], first, _HALVINGS)
    edges = np.concatenate([[low], changes[:, 0], [high]])
    labels = np.concatenate([first, classes[-1:]])
    missed = abs(int(changed.sum()) - int(np.sum(classes[2::2] != classes[:-2:2])))
    return GridPartition([edges], labels, predictor.answers, "adaptive walk", float(missed))


def model_cuts(model: Any, affine: Affine) -> list[NDArray[np.float64]] | None:
    """Give the cuts of each column in units of the window; None if the model has other borders."""
    if not affine.is_axis_parallel:
        return None
    d = affine.offset.size
    all_cuts = _ensemble_cuts(model)
    if all_cuts is None:
        all_cuts = _theory_cuts(theory_of(model), _column_places(model, d))
    if all_cuts is None:
        return None
    by_column: list[list[float]] = [[] for _ in range(d)]
    for column, cut in all_cuts:
        by_column[column].append(affine.cut(column, cut))
    return [np.array(sorted(set(cuts)), dtype=np.float64) for cuts in by_column]


def _ensemble_cuts(model: Any) -> list[Cut] | None:
    """Collect the cuts of all trees of an ensemble; None if it is none, or if one of its members is no tree."""
    from sklearn.ensemble import (
        AdaBoostClassifier,
        BaggingClassifier,
        ExtraTreesClassifier,
        GradientBoostingClassifier,
        RandomForestClassifier,
    )
    from sklearn.utils.validation import check_is_fitted

    forests = (ExtraTreesClassifier, RandomForestClassifier)
    if not isinstance(model, (AdaBoostClassifier, BaggingClassifier, GradientBoostingClassifier, *forests)):
        return None
    check_is_fitted(model)
    members = np.asarray(model.estimators_, dtype=object).ravel()
    if not all(hasattr(member, "tree_") for member in members):
        return None
    columns = getattr(model, "estimators_features_", None)
    cuts: list[Cut] = []
    for i, member in enumerate(members):
        tree = member.tree_
        tests = tree.children_left != tree.children_right
        tested = tree.feature[tests] if columns is None else np.asarray(columns[i])[tree.feature[tests]]
        cuts.extend(zip(tested.tolist(), tree.threshold[tests].tolist(), strict=True))
    return cuts


def _theory_cuts(theory: Theory | None, place: dict[str, int]) -> list[Cut] | None:
    """Collect the cuts of a description; None if it has other tests than of numbers."""
    tests: list[Node | Term]
    match theory:
        case SingleAttributeRule(column=column, cells=NumericCells(cuts=cuts)):
            return [(place[column], cut) for cut in cuts]
        case None | SingleAttributeRule():
            return None
        case DecisionTree():
            tests = [node for node in theory.nodes() if not isinstance(node, Leaf)]
        case RippleDownTree():
            tests = [term for rule in theory.nodes() for term in rule.terms]
        case _:
            tests = [term for rule in theory.rules for term in rule.terms]
    found: list[Cut] = []
    for test in tests:
        if isinstance(test, Within):
            found += [(place[test.column], end) for end in (test.low, test.high) if np.isfinite(end)]
        elif isinstance(test, (NumericSplit, AtMost, Above)):
            found.append((place[test.column], test.cut))
        else:
            return None
    return found


def _column_places(model: Any, n_columns: int) -> dict[str, int]:
    """Number the columns by the names that a model's description has for them."""
    columns, named = getattr(model, "columns_", None), getattr(model, "feature_names_in_", None)
    names: Iterable[str] = default_names(n_columns) if named is None else map(str, named)
    if columns is not None:
        names = (column.name for column in columns)
    return {name: place for place, name in enumerate(names)}


def theory_of(model: Any) -> Theory | None:
    """Give what a model says it has learnt, if it can."""
    from sklearn.tree import DecisionTreeClassifier

    from fivefold.learners.trees.sklearn_trees import sklearn_tree_theory

    if isinstance(model, DecisionTreeClassifier):
        return sklearn_tree_theory(model)
    return model.theory() if isinstance(model, HasTheory) else None
