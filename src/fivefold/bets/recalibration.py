"""What recalibration would recover, measured on cases that the calibration map has not seen."""

from __future__ import annotations

import math
import zlib
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, ndtri, softmax
from threadpoolctl import threadpool_limits

from fivefold.bets._kernels import logistic
from fivefold.bets.calibration import SELECTED, Events, make_cells
from fivefold.bets.decompositions import corp_decomposition
from fivefold.bets.ranking import auc
from fivefold.bets.scores import brier_score, mean_reward
from fivefold.errors import InputError
from fivefold.formulas import Floats, mean_interval
from fivefold.inputs.answers import as_probabilities, of_all_classes
from fivefold.inputs.groups import Groups, in_one_order, read_groups
from fivefold.inputs.labels import plain_item
from fivefold.inputs.options import RandomState, as_generator, instance_of, one_of, positive_int
from fivefold.results import HIGHER, Interval, Result
from fivefold.training.splits import deal, deal_groups

METHODS = ("sigmoid", "isotonic", "temperature", "histogram")
# scikit-learn adds the same to probabilities before it takes their logarithm.
_TINY = 1e-12

# of the logarithm of a temperature, as in scikit-learn
_MOST_TEMPERATURE = 10.0
_MOST_STEPS, _MOST_HALVINGS = 50, 10
_LEAST_GAIN = 1e-12
_SINGULAR = 1e-9
_INNER_FOLDS = 3
_FEW_CASES = 1_000  # are dealt twice, because the deal weighs beside the interval
# More than so many surprises are seen in 97.5 of 100 samples, and no case has more than one.
_SURPRISES = 4
_MANY_CASES = 10_000

Map = Callable[[Floats], Floats]
Reader = Callable[[Floats, int], Floats]
# a loss, its first slopes and its second slopes
Sloped = tuple[float, Floats, Floats]
Classes = NDArray[np.int32]
Rows = NDArray[np.int64]
Deals = Sequence[Floats]  # probabilities from one deal of the cases after the other
# the rows that fit, the inner fold of each of them, and the rows that are judged
Folds = Sequence[tuple[Rows, Rows, Rows]]


def fit_map(method: str, prob: Floats, truth: Classes) -> Map:
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

    def apply(new: Floats) -> Floats:
        mapped = new.copy()
        mass = new[:, present].sum(axis=1, keepdims=True)
        mapped[:, present] = mass * among(_shares(new[:, present]))
        return mapped

    return apply


def _shares(prob: Floats) -> Floats:
    """Rescale rows to sum to one; a row without any probability is even."""
    mass = prob.sum(axis=1, keepdims=True)
    even = np.full_like(prob, 1 / prob.shape[1])
    return np.asarray(np.divide(prob, mass, out=even, where=mass > 0))


def _fit_whole(method: str, prob: Floats, truth: Classes) -> Map:
    if method == "temperature":
        sharpness = _fit_temperature(_logits(prob), truth)
        return lambda new: np.asarray(softmax(sharpness * _logits(new), axis=1))
    fit = {"histogram": _fit_steps, "isotonic": _fit_isotonic, "sigmoid": _fit_sigmoid}[method]
    read: Reader = _log_odds if method == "sigmoid" else lambda given, label: given[:, label]
    labels = range(1 if prob.shape[1] == 2 else 0, prob.shape[1])
    steps = [fit(read(prob, label), truth == label) for label in labels]
    return partial(_apply_steps, steps, read)


def _log_odds(prob: Floats, label: int) -> Floats:
    """Logarithm of a class's probability; of two classes that of the odds of the second."""
    logs = np.log(prob[:, label] + _TINY)
    return logs - np.log(prob[:, 0] + _TINY) if prob.shape[1] == 2 else logs


def _logits(prob: Floats) -> Floats:
    """What a temperature divides; of two classes scikit-learn takes the log-odds and their opposite."""
    if prob.shape[1] > 2:
        return np.log(prob + _TINY)
    odds = _log_odds(prob, 1)
    return np.column_stack([-odds, odds])


def _apply_steps(steps: Sequence[Map], read: Reader, new: Floats) -> Floats:
    """Map class by class, and rescale to sum to one; where no class is left, all are as likely."""
    if new.shape[1] == 2:
        second = steps[0](read(new, 1))
        return np.column_stack([1 - second, second])
    return _shares(np.column_stack([step(read(new, label)) for label, step in enumerate(steps)]))


def _fit_isotonic(p: Floats, happened: NDArray[np.bool_]) -> Map:
    from scipy.optimize import isotonic_regression

    stated, place = np.unique(p, return_inverse=True)
    cases = np.bincount(place)
    share = isotonic_regression(np.bincount(place, weights=happened) / cases, weights=cases).x
    return lambda new: np.minimum(np.interp(new, stated, share), 1.0)


def _fit_sigmoid(odds: Floats, happened: NDArray[np.bool_]) -> Map:
    """Fit Platt's map, a logistic curve, to targets that are drawn a little from 0 and 1."""
    n_right = np.count_nonzero(happened)
    n_wrong = happened.size - n_right
    target = np.where(happened, (n_right + 1) / (n_right + 2), 1 / (n_wrong + 2))

    def measure(at: Floats) -> Sloped:
        loss, *slopes = logistic(odds, target, *at)
        return loss, np.array(slopes[:2]), np.array([slopes[2:4], slopes[3:]])

    a, b = _descend(measure, np.array([0.0, np.log((n_right + 1) / (n_wrong + 1))]), np.inf)
    return lambda new: np.asarray(expit(a * new + b))


def _fit_temperature(logits: Floats, truth: Classes) -> float:
    """Find the inverse temperature of the highest likelihood, by its logarithm."""
    others = np.arange(logits.shape[1]) != truth[:, None]
    gaps = logits[others].reshape(truth.size, -1) - logits[np.arange(truth.size), truth][:, None]

    def measure(at: Floats) -> Sloped:
        sharpness = float(np.exp(at[0]))
        if gaps.shape[1] == 1:
            loss, first, _, spread, *_ = logistic(gaps[:, 0], np.zeros(truth.size), sharpness, 0.0)
        else:
            loss, first, spread = _multinomial(gaps, sharpness)
        # by the logarithm the loss need not be convex: without what bends it down it is
        bend = sharpness**2 * spread + max(sharpness * first, 0.0)
        return loss, np.array([sharpness * first]), np.array([[bend]])

    return float(np.exp(_descend(measure, np.zeros(1), _MOST_TEMPERATURE)[0]))


def _multinomial(gaps: Floats, sharpness: float) -> tuple[float, float, float]:
    """Give the log loss where the logits of other classes exceed the true one's by `gaps`, and its slopes."""
    z = sharpness * gaps
    top = np.maximum(z.max(axis=1), 0.0)
    risen = np.exp(z - top[:, None])
    total = risen.sum(axis=1) + np.exp(-top)
    p = risen / total[:, None]
    mean = (p * gaps).sum(axis=1)
    spread = float((p * gaps**2).sum() - mean @ mean)
    return float((top + np.log(total)).sum()), float(mean.sum()), spread


def _descend(measure: Callable[[Floats], Sloped], at: Floats, bound: float) -> Floats:
    """Minimise a function, given with its slope and its bend, by Newton's method; a step too long is halved."""
    loss, first, second = measure(at)
    for _ in range(_MOST_STEPS):
        step = _solve(second, first)
        if first @ step <= _LEAST_GAIN * loss:
            return np.maximum(np.minimum(at - step, bound), -bound)
        for halving in range(_MOST_HALVINGS):
            new = np.maximum(np.minimum(at - step / 2**halving, bound), -bound)
            reached = measure(new)
            if reached[0] < loss:
                break
        else:
            return at
        at, (loss, first, second) = new, reached
    return at


def _solve(second: Floats, first: Floats) -> Floats:
    """Solve one or two equations by hand, ten times as fast; where they hardly differ, by least squares."""
    a, b, d = float(second[0, 0]), float(second[0, -1]), float(second[-1, -1])
    if first.size == 1 and a > 0:
        return first / a
    if (rest := a * d - b * b) > _SINGULAR * a * d:
        return np.array([d * first[0] - b * first[1], a * first[1] - b * first[0]]) / rest
    return np.asarray(np.linalg.lstsq(second, first, rcond=None)[0])


def _fit_steps(p: Floats, happened: NDArray[np.bool_]) -> Map:
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
        Probabilities of each case from a map that was fitted without it, as the cases were dealt first.
    log_reward : float
        Mean reward (log reading) in bits, on average over the deals.
    gain : float
        Bits per case recovered against the given probabilities; NaN if these had ruled out what happened.
    brier, area : float
        Brier score and AUC of these probabilities.
    """

    method: str
    probabilities: Floats = field(repr=False)
    log_reward: float
    gain: float
    brier: float
    area: float


@dataclass(frozen=True, eq=False)
class Recalibration(Result, title="Recalibration", unit="bits per case", direction=HIGHER):
    """What each calibration map recovers.

    Parameters
    ----------
    maps : tuple of Recalibrated
        "as given" first, then each method.
    gain : float
        Bits per case that recalibration wins on cases that neither chose nor fitted the map; NaN if the given
        probabilities had ruled out what happened.
    interval : (float, float)
        Its 95 % interval; NaN where the gain is.
    method : str
        The map that most folds chose, and so the one whose gain this is; "as given" if all call something
        impossible.
    lost : float
        Bits per case that miscalibration costs by the isotonic decomposition of the selected class; it is
        fitted to the cases it is judged by, so that chance adds to it.
    n_splits : int
        Number of folds.
    """

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
        names = ("method", "log_reward", "gain", "brier")
        columns = {name: [getattr(tried, name) for tried in self.maps] for name in names}
        return columns | {"auc": [tried.area for tried in self.maps]}

    def __str__(self) -> str:
        if np.isnan(self.gain):
            saves = "no map" if self.best is None else self.best.method
            return f"{saves} saves from ruin: the given probabilities had ruled out what happened"
        low, high = self.interval
        measured = f"(95% interval {low:+z.3f} to {high:+z.3f}, {self.n_splits} folds)"
        if self.best is None:
            return f"no map is proven to win bits on unseen cases {measured}; keep the probabilities"
        return f"recalibration ({self.best.method}) wins {self.gain:.3f} bits per case on unseen cases {measured}"


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

    The cases are dealt into folds at random; each map is fitted to all folds but one and judged on that one. The
    gain is that of choosing, too: for each fold the map is chosen within the other folds, so that no case judges
    what it chose. Up to 1,000 cases are dealt twice, and gains are the average; other orders of the rows give the
    same folds. A map that states probability 0, in a fold or when all cases fit it, is never chosen. Keep the
    recalibrated model only if the interval of the gain is above zero, as ``best`` says.

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
    instance_of(methods, (Collection,), "methods to be a list of names")
    for method in methods:
        one_of(method, METHODS, "methods")
    full = of_all_classes(prob)
    belonging = read_groups(groups, truth.size)
    rng, n_folds = as_generator(random_state), positive_int(n_splits, "n_splits", least=2)
    counts = np.bincount(truth, minlength=universe.size)
    if counts.min() < n_folds:
        rare = f"{counts.min()} of {plain_item(universe[counts.argmin()])!r}"
        need = f"at least {n_folds} cases of every class, as many as folds"
        raise InputError(need, rare, "use fewer folds or more cases")
    dealt = [_folds(truth, full, n_folds, rng, belonging) for _ in range(1 + (truth.size <= _FEW_CASES))]
    # The maps have a few parameters each: threads of BLAS would wait for one another longer than they work.
    with threadpool_limits(1, user_api="blas"):
        mapped = {method: [_out_of_fold(method, truth, full, folds) for folds in dealt] for method in methods}
        kept = {method: fit_map(method, full, truth)(full) for method in methods}
        safe = {name: probs for name, probs in mapped.items() if min(map(np.min, [*probs, kept[name]])) > 0}
        nested, chosen = _nested(truth, full, safe, dealt)
    stated = {"as given": [full], **mapped}
    gain = _gain(truth, full, nested, (stated[chosen], [kept.get(chosen, full)]), n_splits, belonging)
    maps = tuple(_judge(method, truth, probs, full) for method, probs in stated.items())
    lost = corp_decomposition(truth, full, classes=np.arange(universe.size), event=SELECTED).miscalibration
    return Recalibration(maps, *gain, chosen, lost, n_splits)


def recalibrate_in_order(
    y_true: object, y_prob: object, *, classes: object = None, method: str = "temperature", first: int = 10
) -> Floats:
    """Recalibrate every case by what had happened before it, as where answers become known one after the other.

    After ``first`` cases, which keep their probabilities, and whenever their number has doubled, a map is fitted
    anew to all cases so far. So every probability could have been stated in time.

    Parameters
    ----------
    y_true, y_prob, classes
        As in `information_reward`, in the order in which the cases came.
    method : {"temperature", "sigmoid", "isotonic", "histogram"}
        The map, as in `recalibrate`.
    first : int
        After how many cases the first map is fitted.

    Examples
    --------
    >>> import fivefold as ff
    >>> rng = np.random.default_rng(0)
    >>> chance = rng.uniform(size=500)
    >>> happened = rng.uniform(size=500) < chance
    >>> boastful = chance**3 / (chance**3 + (1 - chance) ** 3)
    >>> again = ff.bets.recalibrate_in_order(happened, boastful)
    >>> [round(ff.bets.information_reward(happened, stated), 2) for stated in (boastful, again, chance)]
    [-0.0, 0.26, 0.29]
    """
    truth, prob, _ = as_probabilities(y_true, y_prob, classes)
    one_of(method, METHODS, "method")
    seen = positive_int(first, "first", least=2)
    full = of_all_classes(prob)
    again = full.copy()
    with threadpool_limits(1, user_api="blas"):
        while seen < truth.size:
            again[seen : 2 * seen] = fit_map(method, full[:seen], truth[:seen])(full[seen : 2 * seen])
            seen *= 2
    return again[:, 1] if prob.ndim == 1 else again


def _nested(
    truth: Classes, full: Floats, safe: Mapping[str, Deals], dealt: Sequence[Folds]
) -> tuple[list[Floats], str]:
    """Give each case, once for each deal, the probabilities of the map that the cases of the other folds choose.

    With them goes the map that most folds chose. The one that looks best on all cases may owe that to chance, and
    the gain would not be its own.
    """
    votes, stated, nested = Counter[str](), {"as given": [full] * len(dealt), **safe}, []
    for place, folds in enumerate(dealt):
        nested.append(full.copy())
        for train, inner, test in folds:
            chosen = _choose_inside(truth[train], full[train], list(safe), inner)
            nested[-1][test] = stated[chosen][place][test]
            votes[chosen] += 1
    return nested, max(votes, key=lambda method: (votes[method], _log_reward(truth, stated[method])))


def _choose_inside(truth: Classes, full: Floats, methods: Sequence[str], inner: Rows) -> str:
    """Choose a map by cross-validation; of many cases one inner fold suffices to tell the maps apart."""
    if len(methods) < 2:
        return methods[0] if methods else "as given"
    parts = range(_INNER_FOLDS if truth.size <= _MANY_CASES else 1)
    folds = [(np.flatnonzero(inner != part), inner, np.flatnonzero(inner == part)) for part in parts]
    judged = np.concatenate([rows for *_, rows in folds])
    tried = {method: _out_of_fold(method, truth, full, folds)[judged] for method in methods}
    safe = [method for method, prob in tried.items() if prob.min() > 0]
    return max(safe, key=lambda method: _log_reward(truth[judged], [tried[method]]), default="as given")


def _gain(
    truth: Classes, full: Floats, nested: Deals, kept: Sequence[Deals], n_splits: int, groups: Groups | None
) -> tuple[float, Interval]:
    """Mean gain of nested probabilities, and its interval for the map kept (given out of fold, and fitted)."""
    with np.errstate(divide="ignore", invalid="ignore"):
        gains = np.mean([np.where(prob == full, 0, np.log2(prob) - np.log2(full)) for prob in nested], axis=0)
    rows = np.arange(truth.size)
    seen = gains[rows, truth]
    if np.any(full[rows, truth] <= 0):
        return float("nan"), (float("nan"), float("nan"))
    gain, unit = float(seen.mean()), _gain_of_chance(seen, groups)
    unseen, fitted = (_log_reward(truth, probs) - _log_reward(truth, [full]) - gain for probs in kept)
    fitted = max(fitted, unit)
    spread = float(ndtri(0.975)) * math.sqrt(unit * (fitted - unit))
    worst, best = (float(np.sort(end)[:_SURPRISES].mean()) for end in (gains.min(axis=1), -gains.max(axis=1)))
    bounds = min(worst, float(seen.min())), max(-best, float(seen.max()))
    low, high = mean_interval(seen, *bounds, groups=groups)
    middle = gain + fitted / (2 * n_splits - 1)
    low = min(middle + unit / 2 - math.hypot(gain - low, spread), gain)
    # where some folds chose another map it may have won less
    return gain, (low, middle + max(unseen, 0.0) + unit + math.hypot(high - gain, spread))


def _gain_of_chance(seen: Floats, groups: Groups | None) -> float:
    r"""Bits a case by which one fitted number looks better on the cases that fitted it: 1 / (n ln 2).

    The spread of the gains out of fold does not tell what the map owes to chance. Let :math:`w` be how far the
    :math:`p` fitted numbers are from what was given, in standard errors, and :math:`z` the part of it that is
    chance. Then :math:`n` cases show :math:`w^2 / 2 - p` nats out of fold, with a spread of :math:`|w|`, and new
    cases bring :math:`w^2 / 2 - wz`. So along :math:`w` one more is won than was seen, on average over samples
    half of one and more; across it chance adds :math:`p - 1` to the variance. Fitted to all cases instead of a
    share :math:`s`, a map wins :math:`(1 / s - 1) p / 2` more, out of :math:`(1 / s + 1) p / 2` by which it wins
    more within folds than out of them. Cases that belong together count as fewer.
    """
    alike = 1.0
    if groups is not None:
        rest = seen - seen.mean()
        alike = max(float(np.sum(groups.totals(rest) ** 2)) / max(float(rest @ rest), 1e-300), 1.0)
    return alike / (seen.size * math.log(2))


def _folds(
    truth: Classes, full: Floats, n_splits: int, rng: np.random.Generator, groups: Groups | None
) -> Folds:
    # the same cases are dealt alike in any order of the rows, other cases otherwise by the same seed
    keys = np.column_stack([truth, np.round(full, 9)])
    ranked = np.lexsort(keys.T)
    rng = np.random.default_rng([int(rng.integers(2**31)), zlib.crc32(keys[ranked].tobytes())])
    if groups is not None:  # of cases that are alike that of one group is not that of another
        other = np.any(np.diff(keys[ranked], axis=0), axis=1)
        contents = np.append(0, np.cumsum(other))[np.argsort(ranked)]
        rows, groups = in_one_order(contents, groups)
        ranked = rows[np.argsort(contents[rows], kind="stable")]
    # not class by class: folds that share how often each class comes would tell a map what it is judged by
    order = ranked[rng.permutation(truth.size)]
    parts = deal(order, n_splits)
    if groups is not None:
        parts[rows] = deal_groups(groups, n_splits, rng)
    inner = deal(order, n_splits * _INNER_FOLDS) // n_splits
    trains = [np.flatnonzero(parts != fold) for fold in range(n_splits)]
    return [(train, inner[train], np.flatnonzero(parts == fold)) for fold, train in enumerate(trains)]


def _out_of_fold(method: str, truth: Classes, prob: Floats, folds: Folds) -> Floats:
    mapped = np.empty_like(prob)
    for train, _, test in folds:
        mapped[test] = fit_map(method, prob[train], truth[train])(prob[test])
    return mapped


def _judge(method: str, truth: Classes, probs: Deals, given: Floats) -> Recalibrated:
    reward, before = _log_reward(truth, probs), _log_reward(truth, [given])
    gain = reward - before if np.isfinite(before) else float("nan")
    judged = given if probs[0] is given else _shares(probs[0])  # classes may still be rounded as given
    brier, area = (score(truth, judged, classes=np.arange(given.shape[1])) for score in (brier_score, auc))
    return Recalibrated(method, probs[0], reward, gain, brier, area)


def _log_reward(truth: Classes, probs: Deals) -> float:
    """Mean reward over all cases and deals."""
    return float(np.mean([mean_reward(truth, prob, prob.shape[1], "log") for prob in probs]))
