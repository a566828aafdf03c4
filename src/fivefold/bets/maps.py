"""Calibration maps: functions from stated to recalibrated probabilities."""

from __future__ import annotations

from collections.abc import Callable
from typing import Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.calibration import CalibratedClassifierCV
from sklearn.frozen import FrozenEstimator

from fivefold.bets.cells import Events, make_cells

METHODS = ("sigmoid", "isotonic", "temperature", "histogram")
# scikit-learn adds the same to probabilities before it takes their logarithm.
_TINY = 1e-12

Map = Callable[[NDArray[np.float64]], NDArray[np.float64]]


def fit_map(method: str, prob: NDArray[np.float64], truth: NDArray[np.int32]) -> Map:
    """Fit one of ``METHODS`` to probabilities of shape (n, k) and class positions.

    A class without any case teaches nothing: it keeps the probabilities that it was given, and the map shares out
    the rest among the others.
    """
    present = np.unique(truth)
    if present.size == prob.shape[1]:
        return _fit_whole(method, prob, truth)
    if present.size == 1:
        return lambda new: new
    among = _fit_whole(method, _shares(prob[:, present]), np.searchsorted(present, truth).astype(np.int32))

    def apply(new: NDArray[np.float64]) -> NDArray[np.float64]:
        mapped = new.copy()
        mass = new[:, present].sum(axis=1, keepdims=True)
        mapped[:, present] = mass * among(_shares(new[:, present]))
        return mapped

    return apply


def _shares(prob: NDArray[np.float64]) -> NDArray[np.float64]:
    """Rescale rows to sum to one; a row without any probability is even."""
    mass = prob.sum(axis=1, keepdims=True)
    even = np.full_like(prob, 1 / prob.shape[1])
    shares: NDArray[np.float64] = np.divide(prob, mass, out=even, where=mass > 0)
    return shares


def _fit_whole(method: str, prob: NDArray[np.float64], truth: NDArray[np.int32]) -> Map:
    if method == "histogram":
        return _fit_histogram(prob, truth)
    stated = (_StatedProbabilities if method == "isotonic" else _StatedLogOdds)(prob.shape[1]).fit(
        prob, truth
    )
    # nothing is fitted to the cases but the map itself, so one fold of all cases serves; the usual five are more
    # than a rare class has
    everything = np.arange(len(truth))
    calibrated = CalibratedClassifierCV(FrozenEstimator(stated), method=method, cv=[(everything, everything)])
    calibrated.fit(prob, truth)
    return lambda new: np.asarray(calibrated.predict_proba(new), dtype=np.float64)


class _StatedProbabilities(ClassifierMixin, BaseEstimator):
    """A "classifier" whose input is the probabilities that another one stated."""

    def __init__(self, n_classes: int) -> None:
        self.n_classes = n_classes

    def fit(self, X: NDArray[np.float64], y: NDArray[np.int32]) -> Self:
        self.classes_ = np.arange(self.n_classes)
        return self

    def predict_proba(self, X: NDArray[np.float64]) -> NDArray[np.float64]:
        return X

    def predict(self, X: NDArray[np.float64]) -> NDArray[np.int64]:
        chosen: NDArray[np.int64] = np.argmax(X, axis=1)
        return chosen


class _StatedLogOdds(_StatedProbabilities):
    """The same with log-odds, which scikit-learn prefers to probabilities where it finds them."""

    def decision_function(self, X: NDArray[np.float64]) -> NDArray[np.float64]:
        logs = np.log(X + _TINY)
        odds: NDArray[np.float64] = logs[:, 1] - logs[:, 0] if self.n_classes == 2 else logs
        return odds


def _fit_histogram(prob: NDArray[np.float64], truth: NDArray[np.int32]) -> Map:
    """Smoothed share (hits + 1) / (cases + 2) of each cell, class by class, rescaled to sum to one."""
    k = prob.shape[1]
    steps = [_fit_steps(prob[:, label], truth == label) for label in range(1 if k == 2 else 0, k)]

    def apply(new: NDArray[np.float64]) -> NDArray[np.float64]:
        if k == 2:
            second = steps[0](new[:, 1])
            return np.column_stack([1 - second, second])
        columns = np.column_stack([step(new[:, label]) for label, step in enumerate(steps)])
        rescaled: NDArray[np.float64] = columns / columns.sum(axis=1, keepdims=True)
        return rescaled

    return apply


def _fit_steps(p: NDArray[np.float64], happened: NDArray[np.bool_]) -> Map:
    cells = make_cells(Events(np.ascontiguousarray(p), happened), 10, "together")
    last = cells.p[cells.ends - 1]
    edges = (last[:-1] + cells.p[cells.ends[:-1]]) / 2
    value = (cells.hits + 1) / (cells.cases + 2)
    return lambda new: value[np.searchsorted(edges, new, side="left")]
