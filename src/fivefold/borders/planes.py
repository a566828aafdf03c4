"""Exact borders of linear models and of nearest neighbours: planes and bisectors."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import null_space
from scipy.optimize import linprog, nnls
from scipy.sparse import issparse
from scipy.spatial import ConvexHull, HalfspaceIntersection

from fivefold.borders._kernels import Functions, Smallest, borders_of_group, vote_nearest
from fivefold.borders.partition import BorderSize, Codes, Floats, PlanarPartition, Segments
from fivefold.borders.window import Affine, CodedPredictor, Window, last_step

MOST_COLUMNS = 8
MOST_CASES = 5_000
_TINY = 1e-10
_GRAIN = 1e-10


def linear_partition(
    model: Any, affine: Affine, predictor: CodedPredictor
) -> PlanarPartition | CellPartition | None:
    """Intersect the linear functions of a model in two or more columns; None if it has none."""
    functions = _functions(model, affine)
    if functions is None:
        return None
    codes = predictor.encode(model.classes_)
    if predictor.window.n_columns > 2:
        return CellPartition(*functions, codes, predictor)
    starts, members = np.arange(codes.size + 1), np.arange(codes.size, dtype=np.int32)
    borders = lowest_borders(*functions, starts, members, codes, predictor.window)
    return PlanarPartition.exact(borders, "by lines", predictor.answers)


def linear_cuts(model: Any, affine: Affine) -> Floats | None:
    """Give the points of one column where the linear functions of a model cross; None if it has none."""
    functions = _functions(model, affine)
    if functions is None:
        return None
    slopes, heights = functions[0][:, 0], functions[1]
    pairs = [(i, j) for i, j in combinations(range(slopes.size), 2) if slopes[i] != slopes[j]]
    return np.array([(heights[j] - heights[i]) / (slopes[i] - slopes[j]) for i, j in pairs])


def _functions(model: Any, affine: Affine) -> tuple[Floats, Floats] | None:
    """Give functions of the window whose lowest is a linear model's answer; None for models of other kinds."""
    from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
    from sklearn.linear_model import (
        LogisticRegression,
        Perceptron,
        RidgeClassifier,
        RidgeClassifierCV,
        SGDClassifier,
    )
    from sklearn.svm import LinearSVC
    from sklearn.utils.validation import check_is_fitted

    by_weights = (LogisticRegression, Perceptron, RidgeClassifier, RidgeClassifierCV, SGDClassifier)
    if not isinstance(model, (LinearDiscriminantAnalysis, LinearSVC, *by_weights)):
        return None
    check_is_fitted(model)
    if issparse(model.coef_):
        return None
    weights = np.atleast_2d(np.asarray(model.coef_, dtype=np.float64))
    constants = np.broadcast_to(np.asarray(model.intercept_, dtype=np.float64), weights.shape[:1])
    gradients, heights = -weights @ affine.matrix, -(weights @ affine.offset + constants)
    if model.classes_.size == 2:
        gradients, heights = np.vstack([np.zeros_like(gradients), gradients]), np.append(0.0, heights)
    return np.ascontiguousarray(gradients), heights


class CellPartition:
    """The cells where each of some linear functions is the lowest, cut off at the window.

    Function i is ``gradients[i] @ u + heights[i]`` and stands for the class ``codes[i]``.
    """

    distance_method = "exact"

    def __init__(self, gradients: Floats, heights: Floats, codes: Codes, predictor: CodedPredictor) -> None:
        self._gradients, self._heights, self._codes = gradients, heights, codes
        self.answers = predictor.answers
        d = gradients.shape[1]
        low, high = predictor.window.unit_low, predictor.window.unit_high
        self._walls = np.vstack([np.eye(d), -np.eye(d)]), np.concatenate([high, -low])

    def size(self) -> BorderSize:
        """Give the content of all facets between cells."""
        pairs = combinations(range(self._heights.size), 2)
        return BorderSize(sum(self._facet(i, j) for i, j in pairs), "exact, by planes")

    def distances(self, U: Floats, answers: Codes, wanted: Codes) -> Floats:
        """Give the distance to the cell of the wanted class, or out of the cell of the answer."""
        place = {int(code): i for i, code in enumerate(self._codes)}
        out = np.full(U.shape[0], np.inf)
        for row, (u, answer, goal) in enumerate(zip(U, answers.tolist(), wanted.tolist(), strict=True)):
            if goal < 0:
                out[row] = self._way_out(u, place[answer])
            elif goal in place:
                others = np.delete(np.arange(self._heights.size), place[goal])
                out[row] = _distance_to_polytope(u, *self._below(place[goal], others))
        return out

    def _way_out(self, u: Floats, i: int) -> float:
        """The cell is convex, so the nearest place outside it lies beyond one of its planes."""
        gradients = self._gradients - self._gradients[i]
        rise = gradients @ u + self._heights - self._heights[i]
        steep = np.sqrt(np.sum(gradients**2, axis=1))
        away = np.divide(rise, steep, out=np.full(rise.shape, np.inf), where=steep > 0)
        best = np.inf
        for j in np.argsort(away):
            way = max(away[j], 0.0)
            if j == i or way >= best:
                continue
            foot = u - way * gradients[j] / steep[j]
            if not (self._walls[0] @ foot <= self._walls[1]).all():
                way = _distance_to_polytope(u, *self._below(int(j), np.array([i])))
            best = min(best, way)
        return float(best)

    def _below(self, i: int, others: NDArray[np.intp]) -> tuple[Floats, Floats]:
        """Give normals and bounds of the part of the window where function i is below some others."""
        normals = np.vstack([self._gradients[i] - self._gradients[others], self._walls[0]])
        return normals, np.concatenate([self._heights[others] - self._heights[i], self._walls[1]])

    def _facet(self, i: int, j: int) -> float:
        """Give the content of the facet between two cells, in coordinates of its own plane."""
        normal, shift = self._gradients[i] - self._gradients[j], self._heights[j] - self._heights[i]
        if not normal.any():
            return 0.0
        basis = null_space(normal[np.newaxis, :])
        origin = normal * shift / (normal @ normal)
        normals, bounds = self._below(i, np.delete(np.arange(self._heights.size), [i, j]))
        return _polytope_content(normals @ basis, bounds - normals @ origin)


def _distance_to_polytope(u: Floats, normals: Floats, bounds: Floats) -> float:
    """Least distance programming by non-negative least squares (Lawson and Hanson 1974, chapter 23)."""
    scale = np.sqrt(np.sum(normals**2, axis=1))
    flat = scale == 0
    if (bounds[flat] < 0).any():
        return np.inf
    normals, slack = normals[~flat] / scale[~flat, np.newaxis], (bounds - normals @ u)[~flat] / scale[~flat]
    system = np.vstack([-normals.T, -slack])
    goal = np.append(np.zeros(u.size), 1.0)
    weights, _ = nnls(system, goal)
    residual = system @ weights - goal
    if np.abs(residual).max() < _TINY:
        return np.inf
    return float(np.sqrt(np.sum((residual[:-1] / residual[-1]) ** 2)))


def _polytope_content(normals: Floats, bounds: Floats) -> float:
    """Give the content of {y: normals · y <= bounds}; zero if it is empty or flat."""
    scale = np.sqrt(np.sum(normals**2, axis=1))
    flat = scale < _TINY
    if (bounds[flat] < 0).any():
        return 0.0
    normals, bounds = normals[~flat] / scale[~flat, np.newaxis], bounds[~flat] / scale[~flat]
    d = normals.shape[1]
    centre = linprog(
        np.append(np.zeros(d), -1.0),
        A_ub=np.column_stack([normals, np.ones(bounds.size)]),
        b_ub=bounds,
        bounds=[(None, None)] * d + [(0, None)],
    )
    if not centre.success or centre.x[-1] < _TINY:
        return 0.0
    corners = HalfspaceIntersection(np.column_stack([normals, -bounds]), centre.x[:-1]).intersections
    return float(ConvexHull(corners).volume)


@dataclass(frozen=True, eq=False)
class Neighbours:
    """Training cases that vote by nearness, in the order in which equally near ones are asked.

    Those at one place stand together, each place from its `start` on; `codes` are the numbers by which classes
    are known outside, and the highest class wins a tie instead of the lowest if asked.

    Cases at the same place vote in the order of the training cases, as scikit-learn has them; but if only one
    neighbour votes and the rule is ``"majority"``, it is one of the class most frequent at its place. Places at
    the same distance vote in the order of their first training cases.
    """

    places: Floats
    labels: Codes
    starts: NDArray[np.int64]
    codes: Codes
    k: int
    highest: bool
    affine: Affine

    def answers(self, U: Floats) -> Codes:
        """Give the class of each point."""
        spread = float(np.ptp(self.places, axis=0).max())
        points, grain = self.affine.apply(U), max(_GRAIN * spread**2, np.finfo(float).tiny)
        n_classes = int(self.codes.size)
        voted = vote_nearest(points, self.places, self.labels, self.k, n_classes, self.highest, grain)
        return np.asarray(self.codes[voted], dtype=np.int32)

    def in_the_plane(self, window: Window) -> PlanarPartition:
        r"""Follow the bisectors.

        With :math:`f_q(u) = |z(u) - z_q|^2 - |z(u)|^2`, which is linear in :math:`u`, the neighbours of a place
        are the cases with the lowest :math:`f_q`. Borders lie on lines :math:`f_i = f_j`, on those stretches where
        exchanging i for j among the k lowest changes the outcome of the vote.
        """
        centre = self.affine.apply((window.unit_low + window.unit_high) / 2)
        places, offset = self.places[self.starts[:-1]] - centre, self.affine.offset - centre
        gradients, heights = -2 * places @ self.affine.matrix, np.sum(places**2, axis=1) - 2 * places @ offset
        voters = (self.starts, self.labels, self.codes)
        borders = lowest_borders(gradients, heights, *voters, window, k=self.k, highest=self.highest)
        return PlanarPartition.exact(borders, "by bisectors", self.answers)


def find_voters(predictor: CodedPredictor, ties: str, duplicates: str) -> Neighbours | None:
    """Read a model of nearest neighbours; None if it is of another kind, too large, or votes otherwise."""
    step = last_step(predictor)
    if step is None or not _is_plain(step[0]):
        return None
    model, affine = step
    # scikit-learn keeps the cases of fitting time under private names only
    places, labels = np.asarray(model._fit_X, dtype=np.float64), model._y.astype(np.int32)
    highest, k = ties == "highest", int(model.n_neighbors)
    majority = k == 1 and duplicates == "majority"
    order, starts = _voting_order(places, labels, int(model.classes_.size), highest, majority)
    codes = predictor.encode(model.classes_)
    return Neighbours(places[order], labels[order], starts, codes, k, highest, affine)


def _is_plain(model: Any) -> bool:
    """Tell whether a model is k nearest neighbours by unweighted votes and Euclidean distances."""
    from sklearn.neighbors import KNeighborsClassifier

    return (
        isinstance(model, KNeighborsClassifier)
        and hasattr(model, "_fit_X")
        and model.weights in ("uniform", None)
        and model.effective_metric_ == "euclidean"
        and not model.outputs_2d_
        and not issparse(model._fit_X)
        and model.n_neighbors <= model.n_samples_fit_ <= MOST_CASES
    )


def _voting_order(
    places: Floats, labels: Codes, n_classes: int, highest: bool, majority: bool
) -> tuple[NDArray[np.intp], NDArray[np.int64]]:
    """Order the cases by the first case at their place; within a place, those that vote first come first."""
    _, first, group = np.unique(places, axis=0, return_index=True, return_inverse=True)
    group = group.reshape(-1)
    rank = np.zeros(labels.size, dtype=np.int64)
    if majority:
        counts = np.zeros((first.size, n_classes), dtype=np.int64)
        np.add.at(counts, (group, labels), 1)
        rank = -counts[group, labels] * n_classes + (-labels if highest else labels)
    order = np.lexsort((np.arange(labels.size), rank, first[group]))
    sizes = np.bincount(group)[np.argsort(first)]
    return order, np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)


def lowest_borders(
    gradients: Floats,
    heights: Floats,
    starts: NDArray[np.int64],
    members: Codes,
    codes: Codes,
    window: Window,
    *,
    k: int = 1,
    highest: bool = False,
) -> Segments:
    """Find where the winner of the vote of the k lowest functions changes.

    Function q is ``gradients[q] @ u + heights[q]``; it stands for voters ``starts[q]`` up to ``starts[q + 1]``,
    who vote in this order: `members` are their classes, `codes` the numbers by which these are known outside. Of
    several winners the lowest is taken, or the highest.
    """
    # in parts of the window, so that what counts as too short to matter does not hang on the columns' units
    sides, corner = window.unit_high - window.unit_low, window.unit_low
    heights = heights + gradients @ corner
    gradients = np.ascontiguousarray(gradients * sides)
    functions = Functions(gradients, heights, starts, members, k, codes.size, highest)
    rises, falls = Smallest(k), Smallest(k)
    parts, room = [], np.empty((64, 6))
    for g in range(heights.size):
        order = np.argsort(np.sum((gradients - gradients[g]) ** 2, axis=1))
        count = borders_of_group(functions, g, order, rises, falls, room)
        if count > room.shape[0]:
            room = np.empty((2 * count, 6))
            borders_of_group(functions, g, order, rises, falls, room)
        parts.append(room[:count].copy())
    segments = np.concatenate(parts)
    ends = corner + sides * segments[:, :4].reshape(-1, 2, 2)
    return Segments(ends, codes[segments[:, 4:].astype(np.intp)])
