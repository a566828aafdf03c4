"""Exact borders of linear models: the class whose linear function is largest."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse
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

from fivefold.borders.affine import Affine
from fivefold.borders.asking import Asker
from fivefold.borders.cells import CellPartition
from fivefold.borders.grids import grid_partition
from fivefold.borders.lowest import lowest_borders
from fivefold.borders.partition import BorderSize, Partition
from fivefold.borders.planar import PlanarPartition

Floats = NDArray[np.float64]

_LINEAR = (
    LinearDiscriminantAnalysis,
    LinearSVC,
    LogisticRegression,
    Perceptron,
    RidgeClassifier,
    RidgeClassifierCV,
    SGDClassifier,
)


def linear_partition(model: Any, affine: Affine, asker: Asker) -> Partition | None:
    """Intersect the linear functions of a model; None if it has none."""
    if not isinstance(model, _LINEAR):
        return None
    check_is_fitted(model)
    if issparse(model.coef_):
        return None
    gradients, heights = _functions(model, affine)
    if asker.window.n_columns == 1:
        return grid_partition([_crossings(gradients[:, 0], heights)], asker, max_cells=heights.size**2)
    if asker.window.n_columns == 2:
        return _planar(model, gradients, heights, asker)
    return CellPartition(gradients, heights, asker.encode(model.classes_), asker)


def _functions(model: Any, affine: Affine) -> tuple[Floats, Floats]:
    """Give functions of the window whose lowest is the model's answer."""
    weights = np.atleast_2d(np.asarray(model.coef_, dtype=np.float64))
    constants = np.broadcast_to(np.asarray(model.intercept_, dtype=np.float64), weights.shape[:1])
    gradients, heights = -weights @ affine.matrix, -(weights @ affine.offset + constants)
    if model.classes_.size == 2:
        gradients, heights = np.vstack([np.zeros_like(gradients), gradients]), np.append(0.0, heights)
    return np.ascontiguousarray(gradients), heights


def _crossings(slopes: Floats, heights: Floats) -> Floats:
    pairs = [(i, j) for i, j in combinations(range(slopes.size), 2) if slopes[i] != slopes[j]]
    return np.array([(heights[j] - heights[i]) / (slopes[i] - slopes[j]) for i, j in pairs])


def _planar(model: Any, gradients: Floats, heights: Floats, asker: Asker) -> PlanarPartition:
    n = heights.size
    borders = lowest_borders(
        gradients,
        heights,
        np.arange(n + 1),
        np.arange(n, dtype=np.int32),
        asker.encode(model.classes_),
        asker.window,
    )
    size = BorderSize(float(borders.lengths.sum()), "exact, by lines")
    return PlanarPartition(borders, size, asker.answers)
