"""Nearest neighbours: distances once, votes for each training set."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from fivefold.truth.cases import Cases, Codes
from fivefold.truth.fast.kernels.votes import UNSURE, vote
from fivefold.truth.fast_paths import Answerer
from fivefold.truth.training_sets import TrainingSets

MOST_CASES = 4_000


def votes(learner: Any, cases: Cases) -> Answerer | None:
    """Count votes among the nearest cases of each training set.

    scikit-learn's search breaks ties of the k-th distance as its sorting happens to fall, and its distances carry
    rounding errors. A training set is therefore left to it if for any asked row cases of different classes lie
    within rounding of the k-th distance.
    """
    matrix = double_precision(cases.X)
    if matrix is None or not _plain(learner) or len(cases) > MOST_CASES:
        return None
    from scipy.spatial.distance import cdist

    power = _power(learner)
    squared = cdist(matrix, matrix, "sqeuclidean" if power == 2 else "cityblock")
    order = np.argsort(squared, axis=1, kind="stable").astype(np.int32)
    sorted_distances = np.take_along_axis(squared, order, axis=1)
    slack = _rounding(matrix, power)
    k, n_classes = int(learner.n_neighbors), cases.classes.size

    def answer(sets: TrainingSets, places: range) -> list[Codes | None]:
        said = vote(
            order, sorted_distances, slack, cases.codes, sets.counts(places), sets.asked(places), k, n_classes
        )
        rows = [said[row, sets.test(place)] for row, place in enumerate(places)]
        return [None if np.any(row == UNSURE) else row for row in rows]

    return answer


def _plain(learner: Any) -> bool:
    k = learner.n_neighbors
    return bool(
        isinstance(k, int | np.integer)
        and k >= 1
        and learner.weights == "uniform"
        and _power(learner) is not None
        and learner.metric_params is None
    )


def _power(learner: Any) -> int | None:
    named = {"euclidean": 2, "l2": 2, "manhattan": 1, "cityblock": 1, "l1": 1}
    if learner.metric == "minkowski":
        return int(learner.p) if learner.p in (1, 2) else None
    return named.get(learner.metric) if isinstance(learner.metric, str) else None


def double_precision(X: Any) -> NDArray[np.float64] | None:
    """Give the table as scikit-learn would compute with it, if it would do so in double precision."""
    if not isinstance(X, np.ndarray) or X.ndim != 2 or X.shape[1] == 0:
        return None
    if X.dtype.kind not in "iub" and X.dtype != np.float64:
        return None
    matrix = np.ascontiguousarray(X, dtype=np.float64)
    return matrix if np.all(np.isfinite(matrix)) else None


def _rounding(matrix: NDArray[np.float64], power: int | None) -> float:
    """Bound the rounding errors of (squared) distances, also where they come from |x|² - 2xy + |y|²."""
    size = float((matrix**2).sum(axis=1).max() if power == 2 else 2 * np.abs(matrix).sum(axis=1).max())
    n_attributes: int = matrix.shape[1]
    return 16 * (n_attributes + 4) * float(np.finfo(np.float64).eps) * size
