"""What recalibration would recover, measured on cases that the calibration map has not seen."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.calibration import CalibratedClassifierCV
from sklearn.frozen import FrozenEstimator
from threadpoolctl import threadpool_limits

from fivefold.bets.calibration import SELECTED, Events, make_cells
from fivefold.bets.decompositions import corp_decomposition
from fivefold.bets.ranking import auc
from fivefold.bets.scores import brier_score, mean_reward
from fivefold.errors import InputError
from fivefold.formulas import mean_interval
from fivefold.inputs.groups import Groups, read_groups
from fivefold.inputs.options import RandomState, as_generator, one_of, positive_int
from fivefold.inputs.probabilities import as_probabilities
from fivefold.results import Direction, Interval, Result
from fivefold.training.splits import deal_groups

METHODS = ("sigmoid", "isotonic", "temperature", "histogram")
# scikit-learn adds the same to probabilities before it takes their logarithm.
_TINY = 1e-12

_INNER_FOLDS = 3
_MANY_CASES = 10_000

Map = Callable[[NDArray[np.float64]], NDArray[np.float64]]
Folds = Sequence[tuple[NDArray[np.int64], NDArray[np.int64]]]


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
        Bits per case recovered against the given probabilities; NaN if these had ruled out what happened.
    brier, area : float
        Brier score and AUC.
    """

    method: str
    probabilities: NDArray[np.float64] = field(repr=False)
    log_reward: float
    gain: float
    brier: float
    area: float


@dataclass(frozen=True, eq=False)
class Recalibration(Result):
    """What each calibration map recovers.

    Parameters
    ----------
    maps : tuple of Recalibrated
        "as given" first, then each method.
    gain : float
        Bits per case that recalibration wins on cases that neither chose nor fitted the map; NaN if the given
        probabilities had ruled out what happened.
    interval : (float, float)
        Its 95 % interval.
    method : str
        The map that wins most in cross-validation of all cases; "as given" if all call something impossible.
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
    gain: float
    interval: Interval
    method: str
    lost: float
    n_splits: int

    @property
    def best(self) -> Recalibrated | None:
        """The map to keep, if recalibration gains for certain or saves from ruin; else None."""
        if self.interval[0] > 0 or np.isnan(self.gain):
            return next((tried for tried in self.maps[1:] if tried.method == self.method), None)
        return None

    def columns(self) -> Mapping[str, Any]:
        """Give one row for each map."""
        return {
            "method": [tried.method for tried in self.maps],
            "log_reward": [tried.log_reward for tried in self.maps],
            "gain": [tried.gain for tried in self.maps],
            "brier": [tried.brier for tried in self.maps],
            "auc": [tried.area for tried in self.maps],
        }

    def __str__(self) -> str:
        if self.best is None:
            return f"no map recovers bits on unseen cases ({self.n_splits} folds); keep the probabilities"
        if np.isnan(self.gain):
            return f"{self.best.method} saves from ruin: the given probabilities had ruled out what happened"
        low, high = self.interval
        return (
            f"recalibration ({self.best.method}) wins {self.gain:.3f} bits per case on unseen cases "
            f"(95% interval {low:.3f} to {high:.3f}, {self.n_splits} folds)"
        )


def recalibrate(
    y_true: object,
    y_prob: object,
    *,
    classes: object = None,
    methods: Sequence[str] = METHODS,
    n_splits: int = 5,
    groups: object = None,
    random_state: RandomState = 0,
) -> Recalibration:
    """Report what calibration maps would recover, on cases that they were not fitted to.

    The cases are cut into stratified folds; each map is fitted to all folds but one and judged on that one. The
    gain is that of choosing, too: for each fold the map is chosen by cross-validation within the other folds, so
    that no case judges what it chose. A map that states probability 0 is never chosen. Keep the recalibrated
    model only if the interval of the gain is above zero, which is what ``best`` says.

    Parameters
    ----------
    y_true, y_prob, classes
        As in `information_reward`. The model itself must not have been trained on these cases.
    methods : sequence of {"sigmoid", "isotonic", "temperature", "histogram"}
        scikit-learn's three maps, fitted to log-odds (isotonic: to probabilities), and smoothed frequencies of
        `miscalibration`'s cells. Isotonic maps may state certainty and be ruined by it: the gain is then -inf.
    n_splits : int
        Number of folds.
    groups : array-like, optional
        Which cases belong together: folds keep them whole, and the interval respects them.
    random_state : int, Generator, RandomState or None
        Seed of the folds.

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
    belonging = read_groups(groups, truth.size)
    folds = _folds(truth, universe, positive_int(n_splits, "n_splits", least=2), random_state, belonging)
    # The maps have a few parameters each: threads of BLAS would wait for one another longer than they work.
    with threadpool_limits(1, user_api="blas"):
        mapped = {method: _out_of_fold(method, truth, full, folds) for method in methods}
        nested = _nested(truth, full, mapped, folds)
    stated = {"as given": full, **mapped}
    maps = tuple(_judge(method, truth, prob, full) for method, prob in stated.items())
    lost = corp_decomposition(truth, full, classes=np.arange(universe.size), event=SELECTED).miscalibration
    gain = _gain(truth, full, nested, belonging)
    return Recalibration(tuple(maps), *gain, _choose(truth, mapped), lost, n_splits)


def _nested(
    truth: NDArray[np.int32],
    full: NDArray[np.float64],
    mapped: Mapping[str, NDArray[np.float64]],
    folds: Folds,
) -> NDArray[np.float64]:
    """Give each case the probabilities of the map that the cases of the other folds choose and fit."""
    nested = full.copy()
    safe = {method: prob for method, prob in mapped.items() if prob.min() > 0}
    for train, test in folds:
        chosen = _choose_inside(truth[train], full[train], list(safe)) if len(safe) > 1 else "".join(safe)
        nested[test] = safe.get(chosen, full)[test]
    return nested


def _choose_inside(truth: NDArray[np.int32], full: NDArray[np.float64], methods: Sequence[str]) -> str:
    """Choose a map by cross-validation; of many cases a third suffices to tell the maps apart."""
    asked = np.arange(truth.size) % _INNER_FOLDS
    parts = range(_INNER_FOLDS if truth.size <= _MANY_CASES else 1)
    inner = [(np.flatnonzero(asked != part), np.flatnonzero(asked == part)) for part in parts]
    judged = np.concatenate([rows for _, rows in inner])
    tried = {method: _out_of_fold(method, truth, full, inner)[judged] for method in methods}
    return _choose(truth[judged], tried)


def _choose(truth: NDArray[np.int32], stated: Mapping[str, NDArray[np.float64]]) -> str:
    """Name the map of the highest reward among those that call nothing impossible."""
    rewards = {
        method: mean_reward(truth, prob, prob.shape[1], "log")
        for method, prob in stated.items()
        if prob.min() > 0
    }
    return max(rewards, key=lambda method: rewards[method], default="as given")


def _gain(
    truth: NDArray[np.int32],
    full: NDArray[np.float64],
    nested: NDArray[np.float64],
    groups: Groups | None,
) -> tuple[float, Interval]:
    """Mean gain of the nested probabilities over the given ones, and its interval."""
    with np.errstate(divide="ignore", invalid="ignore"):
        gains = np.where(nested == full, 0.0, np.log2(nested) - np.log2(full))
    seen = gains[np.arange(truth.size), truth]
    if np.any(full[np.arange(truth.size), truth] <= 0):
        return float("nan"), (float("nan"), float("nan"))
    limits = mean_interval(seen, float(gains.min()), float(gains.max()), groups=groups)
    return float(seen.mean()), limits


def _folds(
    truth: NDArray[np.int32],
    universe: NDArray[Any],
    n_splits: int,
    random_state: RandomState,
    groups: Groups | None,
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
    if groups is not None:
        parts = deal_groups(groups, n_splits, as_generator(random_state), truth)
        return [(np.flatnonzero(parts != fold), np.flatnonzero(parts == fold)) for fold in range(n_splits)]
    seed = int(as_generator(random_state).integers(2**31))
    return list(StratifiedKFold(n_splits, shuffle=True, random_state=seed).split(truth, truth))


def _out_of_fold(
    method: str, truth: NDArray[np.int32], prob: NDArray[np.float64], folds: Folds
) -> NDArray[np.float64]:
    mapped = np.empty_like(prob)
    for train, test in folds:
        mapped[test] = fit_map(method, prob[train], truth[train])(prob[test])
    return mapped


def _judge(
    method: str, truth: NDArray[np.int32], prob: NDArray[np.float64], given: NDArray[np.float64]
) -> Recalibrated:
    k = prob.shape[1]
    positions = np.arange(k)
    reward, before = (mean_reward(truth, stated, k, "log") for stated in (prob, given))
    return Recalibrated(
        method,
        prob,
        reward,
        reward - before if np.isfinite(before) else float("nan"),
        brier_score(truth, prob, classes=positions),
        auc(truth, prob, classes=positions),
    )
