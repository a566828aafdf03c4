"""What recalibration would recover, measured on cases that the calibration map has not seen."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from scipy.stats import t as student
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.calibration import CalibratedClassifierCV
from sklearn.frozen import FrozenEstimator
from threadpoolctl import threadpool_limits

from fivefold.bets.calibration import (
    SELECTED,
    Events,
    Reliability,
    make_cells,
    measure_reliability,
    pick_events,
)
from fivefold.bets.decompositions import corp_decomposition
from fivefold.bets.ranking import auc
from fivefold.bets.scores import brier_score, mean_reward
from fivefold.errors import InputError
from fivefold.formulas import holm
from fivefold.inputs.options import RandomState, as_generator, one_of, positive_int
from fivefold.inputs.probabilities import as_probabilities
from fivefold.results import Direction, Result, say_p

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


@dataclass(frozen=True, eq=False)
class Recalibrated:
    """One calibration map, judged out of fold.

    Parameters
    ----------
    method : str
        The map, or "as given".
    probabilities : ndarray of shape (n, k)
        Probabilities of each case from a map that was fitted without it.
    log_reward : float
        Mean reward (log reading) in bits.
    gain : float
        Bits per case recovered against the given probabilities.
    p_value : float
        Of no gain, by the corrected resampled t-test over the folds (one-sided), adjusted by Holm's method for
        the number of maps.
    reliability : Reliability
        Calibration of the selected class.
    brier, area : float
        Brier score and AUC.
    """

    method: str
    probabilities: NDArray[np.float64] = field(repr=False)
    log_reward: float
    gain: float
    p_value: float
    reliability: Reliability = field(repr=False)
    brier: float
    area: float


@dataclass(frozen=True, eq=False)
class Recalibration(Result):
    """What each calibration map recovers.

    Parameters
    ----------
    maps : tuple of Recalibrated
        "as given" first, then each method.
    lost : float
        Bits per case that miscalibration costs by the isotonic decomposition of the selected class; it is
        fitted to the cases it is judged by and so an upper bound that chance inflates.
    n_splits : int
        Number of folds.
    """

    title: ClassVar[str] = "Recalibration"
    unit: ClassVar[str] = "bits per case"
    direction: ClassVar[Direction] = "higher is better"

    maps: tuple[Recalibrated, ...]
    lost: float
    n_splits: int

    @property
    def best(self) -> Recalibrated | None:
        """The map that recovers most, if the corrected test says that it recovers anything; else None."""
        proven = [tried for tried in self.maps[1:] if tried.gain > 0 and tried.p_value < 0.05]
        return max(proven, key=lambda tried: (tried.gain, tried.log_reward), default=None)

    def columns(self) -> Mapping[str, Any]:
        """Give one row for each map."""
        return {
            "method": [tried.method for tried in self.maps],
            "log_reward": [tried.log_reward for tried in self.maps],
            "gain": [tried.gain for tried in self.maps],
            "p_value": [tried.p_value for tried in self.maps],
            "miscalibration": [tried.reliability.miscalibration for tried in self.maps],
            "noise_floor": [tried.reliability.floor.mean for tried in self.maps],
            "brier": [tried.brier for tried in self.maps],
            "auc": [tried.area for tried in self.maps],
        }

    def __str__(self) -> str:
        if self.best is None:
            return f"no map recovers bits on unseen cases ({self.n_splits} folds); keep the probabilities"
        recovered = "without limit" if np.isinf(self.best.gain) else f"{self.best.gain:.3f} bits per case"
        return (
            f"{self.best.method} recovers {recovered} on unseen cases "
            f"({say_p(self.best.p_value)} adjusted for the maps tried, {self.n_splits} folds)"
        )


def recalibrate(
    y_true: object,
    y_prob: object,
    *,
    classes: object = None,
    methods: Sequence[str] = METHODS,
    n_splits: int = 5,
    random_state: RandomState = 0,
) -> Recalibration:
    """Report what calibration maps would recover, on cases that they were not fitted to.

    The cases are cut into stratified folds; each map is fitted to all folds but one and judged on that one.
    Keep the recalibrated model only if its gain is above zero by the corrected test, which is what ``best``
    says.

    Parameters
    ----------
    y_true, y_prob, classes
        As in `information_reward`. The model itself must not have been trained on these cases.
    methods : sequence of {"sigmoid", "isotonic", "temperature", "histogram"}
        scikit-learn's three maps, fitted to log-odds (isotonic: to probabilities), and smoothed frequencies of
        `miscalibration`'s cells. Isotonic maps may state certainty and be ruined by it: the gain is then -inf.
    n_splits : int
        Number of folds.
    random_state : int, Generator, RandomState or None
        Seed of the folds.

    References
    ----------
    C. Nadeau and Y. Bengio, "Inference for the generalization error", Machine Learning 52, 2003.

    Examples
    --------
    >>> import fivefold as ff
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> chance = rng.uniform(size=500)
    >>> happened = rng.uniform(size=500) < chance
    >>> boastful = chance**3 / (chance**3 + (1 - chance) ** 3)
    >>> ff.bets.recalibrate(happened, boastful, methods=["temperature"]).best.method
    'temperature'
    """
    truth, prob, universe = as_probabilities(y_true, y_prob, classes)
    for method in methods:
        one_of(method, METHODS, "methods")
    full = np.column_stack([1 - prob, prob]) if prob.ndim == 1 else prob
    full = np.asarray(full, dtype=np.float64)
    folds = _folds(truth, universe, positive_int(n_splits, "n_splits", least=2), random_state)
    given = _judge("as given", truth, full, universe, np.zeros(n_splits), folds)
    maps = [given]
    for method in methods:
        mapped = _out_of_fold(method, truth, full, folds)
        gains = _fold_gains(truth, full, mapped, folds)
        maps.append(_judge(method, truth, mapped, universe, gains, folds))
    adjusted = holm(np.array([tried.p_value for tried in maps[1:]]))
    maps[1:] = [replace(tried, p_value=float(p)) for tried, p in zip(maps[1:], adjusted, strict=True)]
    lost = corp_decomposition(truth, full, classes=np.arange(universe.size), event=SELECTED).miscalibration
    return Recalibration(tuple(maps), lost, n_splits)


Folds = list[tuple[NDArray[np.int64], NDArray[np.int64]]]


def _folds(
    truth: NDArray[np.int32], universe: NDArray[Any], n_splits: int, random_state: RandomState
) -> Folds:
    from sklearn.model_selection import StratifiedKFold

    counts = np.bincount(truth, minlength=universe.size)
    if counts.min() < n_splits:
        rare = int(counts.argmin())
        raise InputError(
            f"at least {n_splits} cases of every class, so that each fold has one",
            f"{counts[rare]} of {universe[rare].item()!r}",
            "use fewer folds or more cases",
        )
    seed = int(as_generator(random_state).integers(2**31))
    return list(StratifiedKFold(n_splits, shuffle=True, random_state=seed).split(truth, truth))


def _out_of_fold(
    method: str, truth: NDArray[np.int32], prob: NDArray[np.float64], folds: Folds
) -> NDArray[np.float64]:
    mapped = np.empty_like(prob)
    # The maps have a few parameters each: threads of BLAS would wait for one another longer than they work.
    with threadpool_limits(1, user_api="blas"):
        for train, test in folds:
            mapped[test] = fit_map(method, prob[train], truth[train])(prob[test])
    return mapped


def _fold_gains(
    truth: NDArray[np.int32], before: NDArray[np.float64], after: NDArray[np.float64], folds: Folds
) -> NDArray[np.float64]:
    k = before.shape[1]
    rewards = [
        [mean_reward(truth[test], prob[test], k, "log") for prob in (after, before)] for _, test in folds
    ]
    # where both are ruined nothing is gained
    return np.array([0.0 if new == old else new - old for new, old in rewards])


def _judge(
    method: str,
    truth: NDArray[np.int32],
    prob: NDArray[np.float64],
    universe: NDArray[Any],
    gains: NDArray[np.float64],
    folds: Folds,
) -> Recalibrated:
    positions = np.arange(universe.size)
    return Recalibrated(
        method,
        prob,
        mean_reward(truth, prob, universe.size, "log"),
        float(gains.mean()),
        _corrected_p_value(gains, len(folds[0][1]) / len(folds[0][0])),
        measure_reliability(pick_events(truth, prob, universe, SELECTED)),
        brier_score(truth, prob, classes=positions),
        auc(truth, prob, classes=positions),
    )


def _corrected_p_value(gains: NDArray[np.float64], test_to_train: float) -> float:
    """One-sided corrected resampled t-test of a mean gain above zero (Nadeau and Bengio)."""
    if not np.all(np.isfinite(gains)):
        # Probabilities that had ruled out what happened are wrong for certain; a map that never does so is better.
        return 0.0 if gains.min() > -np.inf else float("nan")
    variance = gains.var(ddof=1) * (1 / gains.size + test_to_train)
    if variance == 0:
        return 0.0 if gains.mean() > 0 else 1.0
    return float(student.sf(gains.mean() / np.sqrt(variance), gains.size - 1))
