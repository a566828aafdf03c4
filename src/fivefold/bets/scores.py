"""Scores of stated probabilities: the information reward, Brier's and the log score, gains over priors."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import chdtri

from fivefold.bets import _kernels
from fivefold.errors import InputError
from fivefold.formulas import Floats, Pooled, mean_interval
from fivefold.inputs._kernels import AT_ONCE, count_codes, first_bad_row, pair_codes
from fivefold.inputs.answers import SUM_TOLERANCE, as_probabilities
from fivefold.inputs.few_numbers import FewNumbers
from fivefold.inputs.frames import as_few, as_numbers
from fivefold.inputs.groups import Groups, read_groups
from fivefold.inputs.options import as_weights, one_of, positive_int
from fivefold.results import (
    HIGHER,
    LOWER,
    CaseScores,
    Interval,
    in_pieces,
    mean_of,
    metric,
    say_rows,
    say_won,
)

_NOTHING = np.empty(0)


@dataclass(frozen=True, eq=False)
class Reward(CaseScores, title="Information reward", unit="bits per case", direction=HIGHER):
    """Rewards of all cases in bits.

    Parameters
    ----------
    per_example, mean, weights
        As in `CaseScores`.
    multiclass : str
        The reading that was used for more than two classes.
    n_classes : int
        Number of classes.
    bounds : (float, float)
        The least and the most that the stated probabilities allow a case to bring, whatever happens.
    groups : Groups or None
        Which cases belong together, for the interval.
    """

    multiclass: str = "contrast"
    n_classes: int = 2
    bounds: Interval = (-np.inf, np.inf)
    groups: Groups | None = None

    @cached_property
    def interval(self) -> Interval:
        """95 % interval of the mean reward of new cases; NaN if a reward is infinite.

        What has not happened yet counts, so it reaches down without end where a class was given probability 0.
        See `fivefold.formulas.mean_interval`.
        """
        if not np.isfinite(self.mean):
            return float("nan"), float("nan")
        if self.weights is None and self.groups is None:
            return mean_interval(Pooled.of(lambda: in_pieces(self.per_example)), *self.bounds)
        if self.weights is None:
            return mean_interval(np.asarray(self.per_example), *self.bounds, groups=self.groups)
        pull = self.weights / self.weights.mean()
        heard = np.where(pull > 0, self.per_example - self.mean, 0.0)
        low, high = (self.mean + float(pull.max()) * (bound - self.mean) for bound in self.bounds)
        return mean_interval(self.mean + pull * heard, low, high, groups=self.groups)

    def uncertainty(self) -> str:
        """Say the interval, for the standard error is all but 0 before the first rare event."""
        low, high = self.interval
        return "" if np.isnan(low) else f"95% interval {low:.4f} to {high:.4f}; "

    @cached_property
    def impossible(self) -> NDArray[np.int64]:
        """Rows that happened although the model gave them probability 0."""
        return np.flatnonzero(np.isneginf(self.per_example))

    def sentence(self, rows: NDArray[np.int64] | None = None) -> str:
        """Say in words what the reward is, and which rows had been called impossible, if any (ruin).

        Parameters
        ----------
        rows : ndarray of shape (n,), optional
            Where each case stands, if not in its own place; rows count from 0.
        """
        if np.isfinite(self.mean):
            return f"A gambler betting by these probabilities {say_won(self.mean)} bits per case."
        happened = self.impossible if rows is None else np.unique(rows[self.impossible])
        return (
            f"These probabilities are 0 for the true class in {say_rows(happened)}, so betting by them loses "
            "everything (ruin)."
        )


@dataclass(frozen=True, eq=False)
class BrierScores(CaseScores, title="Brier score", unit="squared probability", direction=LOWER):
    """Squared distance of each case's probabilities from what happened."""


@dataclass(frozen=True, eq=False)
class Surprise(CaseScores, title="Log score", unit="bits per case", direction=LOWER):
    """Bits of surprise at each case's true class."""


@dataclass(frozen=True, eq=False)
class InformationGained(CaseScores, title="Information gained", unit="bits per case", direction=HIGHER):
    """Information gained about each true class over its prior probability."""


@metric(Reward, reads="probabilities", weighted=True)
def information_reward(
    y_true: object,
    y_prob: object,
    *,
    classes: object = None,
    multiclass: str = "contrast",
    clip: int | None = None,
    sample_weight: object = None,
) -> float:
    r"""Mean reward in bits of betting by the model's probabilities.

    For two classes :math:`1 + \lg P(\text{actual})`: one bit for being certain and right, nothing for
    shrugging at one half, and no limit to what a confident mistake costs: ``-inf`` if something happened that had
    been given probability 0. For more classes there are two readings:

    * ``"contrast"``, the paper's: the selected (most probable) class against all others,
      :math:`1 + \lg P(\text{selected})` when right and :math:`1 + \lg(1 - P(\text{selected}))` when wrong.
      Its zero is one half whatever the number of classes, and it does not judge the other classes.
    * ``"log"``: :math:`\lg n + \lg P(\text{actual})`, a proper score of the whole distribution whose zero is
      the uniform one.

    Parameters
    ----------
    y_true : array-like of shape (n,)
        The true classes.
    y_prob : array-like of shape (n, k) or (n,)
        Probabilities in class order, or of the second of two classes. Data frame columns named like the
        classes are matched by name.
    classes : array-like, optional
        All classes in the order of the columns; without it the sorted classes of ``y_true``.
    multiclass : {"contrast", "log"}
        The reading for more than two classes.
    clip : int, optional
        Nothing is clipped unless a sample size n (the paper's: of the training set) is given; then
        probabilities are kept within [0.5/(n+1), (n+0.5)/(n+1)].
    sample_weight : array-like of shape (n,), optional
        Weights of the cases.

    References
    ----------
    K. B. Korb, L. R. Hope and M. J. Hughes, "The evaluation of predictive learners: some theoretical and
    empirical results", ECML 2001; I. J. Good, "Rational decisions", 1952.

    Examples
    --------
    >>> import fivefold as ff
    >>> ff.bets.information_reward(["rain", "dry"], [0.5, 0.0], classes=["dry", "rain"])
    0.5
    >>> ff.bets.information_reward(["rain", "dry"], [0.5, 1.0], classes=["dry", "rain"])
    -inf
    """
    truth, prob, universe = as_probabilities(y_true, y_prob, classes)
    weights = as_weights(sample_weight, truth.shape[0])
    return mean_reward(truth, prob, universe.size, multiclass, clip, weights)


def information_reward_details(
    y_true: object,
    y_prob: object,
    *,
    classes: object = None,
    multiclass: str = "contrast",
    clip: int | None = None,
    sample_weight: object = None,
    groups: object = None,
) -> Reward:
    """Give `information_reward` with the reward of each case; it has the same parameters.

    The interval of the mean respects `groups`, which says which cases belong together.

    Examples
    --------
    >>> import fivefold as ff
    >>> rewards = ff.bets.information_reward_details(["rain", "dry"], [0.5, 1.0], classes=["dry", "rain"])
    >>> rewards.per_example
    array([  0., -inf])
    >>> rewards.sentence()
    'These probabilities are 0 for the true class in row 1, so betting by them loses everything (ruin).'
    """
    truth, prob, universe = as_probabilities(y_true, y_prob, classes)
    weights = as_weights(sample_weight, truth.shape[0])
    read = partial(mean_reward, n_classes=universe.size, multiclass=multiclass, clip=clip, weights=weights)
    few = as_few(prob)
    if few is None or weights is not None:
        per_example = np.empty(truth.shape[0])
        mean = read(truth, prob, out=per_example)
    else:
        per_example, mean = _score_few(truth, few, read), read(truth, prob)
    stated = prob if few is None else few.levels[few.counts > 0]
    bounds = _reward_bounds(stated, universe.size, multiclass, clip)
    belonging = read_groups(groups, truth.shape[0])
    return Reward(per_example, mean, weights, multiclass, universe.size, bounds, belonging)


@metric(BrierScores, reads="probabilities", weighted=True, view="bets", place=1, key="brier", heading="Brier")
def brier_score(
    y_true: object, y_prob: object, *, classes: object = None, sample_weight: object = None
) -> float:
    r"""Mean squared distance between the stated probabilities and what happened.

    For two classes :math:`(p - y)^2` of the second class, for more :math:`\sum_k (p_k - [k = y])^2`, as
    scikit-learn has it.

    Parameters
    ----------
    y_true, y_prob, classes, sample_weight
        As in `information_reward`.

    Examples
    --------
    >>> import fivefold as ff
    >>> ff.bets.brier_score([1, 0], [0.5, 0.5])
    0.25
    """
    return brier_score_details(y_true, y_prob, classes=classes, sample_weight=sample_weight).value


def brier_score_details(
    y_true: object, y_prob: object, *, classes: object = None, sample_weight: object = None
) -> BrierScores:
    """Give `brier_score` with the squared distance of each case; it has the same parameters.

    Examples
    --------
    >>> import fivefold as ff
    >>> ff.bets.brier_score_details([1, 0], [0.5, 1.0]).per_example
    array([0.25, 1.  ])
    """
    truth, prob, universe = as_probabilities(y_true, y_prob, classes)
    weights = as_weights(sample_weight, truth.shape[0])
    few = as_few(prob)
    if few is None or weights is not None:
        squares = np.empty(truth.shape[0])
        _square_errors(truth, prob, squares)
    else:
        squares = _score_few(truth, few, _square_errors)
    if prob.ndim == 2 and universe.size == 2:
        different: Floats = getattr(as_few(squares), "levels", squares)
        different /= 2
    return BrierScores(squares, mean_of(squares, weights), weights)


def _square_errors(truth: NDArray[np.int32], prob: NDArray[Any], out: Floats) -> None:
    for start in range(0, truth.shape[0], AT_ONCE):
        rows = slice(start, start + AT_ONCE)
        _kernels.squared_errors(truth[rows], *_kernels.columns(np.asarray(prob[rows])), out[rows])


@metric(Surprise, reads="probabilities", weighted=True)
def log_score(
    y_true: object, y_prob: object, *, classes: object = None, sample_weight: object = None
) -> float:
    r"""Mean bits of surprise at what happened, :math:`-\overline{\lg P(\text{actual})}`.

    Scikit-learn's ``log_loss`` in bits, without its clipping: infinite if something impossible happened.

    Parameters
    ----------
    y_true, y_prob, classes, sample_weight
        As in `information_reward`.

    Examples
    --------
    >>> import fivefold as ff
    >>> ff.bets.log_score([1, 0], [0.5, 0.75])
    1.5
    """
    return log_score_details(y_true, y_prob, classes=classes, sample_weight=sample_weight).value


def log_score_details(
    y_true: object, y_prob: object, *, classes: object = None, sample_weight: object = None
) -> Surprise:
    """Give `log_score` with the bits of surprise of each case; it has the same parameters.

    Examples
    --------
    >>> import fivefold as ff
    >>> ff.bets.log_score_details([1, 0], [0.5, 0.75]).per_example
    array([1., 2.])
    """
    truth, prob, _ = as_probabilities(y_true, y_prob, classes)
    weights = as_weights(sample_weight, truth.shape[0])
    logs = np.empty(truth.shape[0])
    # of a single class the zero of the reward is that of the logarithm
    mean = mean_reward(truth, prob, 1, "log", weights=weights, out=logs)
    return Surprise(0.0 - logs, 0.0 - mean, weights)


@metric(
    "Kononenko-Bratko score", unit="bits per case", direction=HIGHER, reads="probabilities", weighted=True
)
def kononenko_bratko_score(
    y_true: object,
    y_prob: object,
    *,
    priors: object = None,
    classes: object = None,
    sample_weight: object = None,
) -> float:
    r"""Mean information gained about the true class over its prior probability.

    With :math:`P` the prior and :math:`P'` the stated probability of the true class,

    .. math:: \lg P' - \lg P \text{ if } P' \ge P \text{ else } \lg(1 - P) - \lg(1 - P'),

    which is ``-inf`` only if a true class whose prior is 1 was given less.

    Parameters
    ----------
    y_true, y_prob, classes, sample_weight
        As in `information_reward`.
    priors : array-like of shape (k,), optional
        Class probabilities known beforehand, in class order; those of the training set. Without them the
        (weighted) class frequencies of ``y_true`` are taken.

    References
    ----------
    I. Kononenko and I. Bratko, "Information-based evaluation criterion for classifier's performance",
    Machine Learning 6, 1991.

    Examples
    --------
    >>> import fivefold as ff
    >>> ff.bets.kononenko_bratko_score([1, 0], [1.0, 0.0], priors=[0.5, 0.5])
    1.0
    """
    return kononenko_bratko_score_details(
        y_true, y_prob, priors=priors, classes=classes, sample_weight=sample_weight
    ).value


def kononenko_bratko_score_details(
    y_true: object,
    y_prob: object,
    *,
    priors: object = None,
    classes: object = None,
    sample_weight: object = None,
) -> InformationGained:
    """Give `kononenko_bratko_score` with the information gained of each case; it has the same parameters.

    Examples
    --------
    >>> import fivefold as ff
    >>> ff.bets.kononenko_bratko_score_details([1, 0], [1.0, 0.5], priors=[0.5, 0.5]).per_example
    array([1., 0.])
    """
    stated, prior, weights = _stated_and_prior(y_true, y_prob, priors, classes, sample_weight)
    with np.errstate(divide="ignore", invalid="ignore"):  # of both sides, one is taken
        gained = np.log2(stated) - np.log2(prior)
        lost = np.log2(1 - prior) - np.log2(np.maximum(1 - stated, 0))
    scores = np.where(stated >= prior, gained, lost)
    return InformationGained(scores, mean_of(scores, weights), weights)


@metric("Entropy gain", unit="bits per case", direction=HIGHER, reads="probabilities", weighted=True)
def entropy_gain(
    y_true: object,
    y_prob: object,
    *,
    priors: object = None,
    classes: object = None,
    sample_weight: object = None,
) -> float:
    r"""Mean bits saved against the prior, :math:`\overline{\lg P'(\text{actual}) - \lg P(\text{actual})}`.

    Weka's "SF entropy gain" per case, without its floor: ``-inf`` if something happened that had been given
    probability 0.

    Parameters
    ----------
    y_true, y_prob, priors, classes, sample_weight
        As in `kononenko_bratko_score`.

    Examples
    --------
    >>> import fivefold as ff
    >>> ff.bets.entropy_gain([1, 0], [1.0, 0.5], priors=[0.5, 0.5])
    0.5
    """
    return entropy_gain_details(
        y_true, y_prob, priors=priors, classes=classes, sample_weight=sample_weight
    ).value


def entropy_gain_details(
    y_true: object,
    y_prob: object,
    *,
    priors: object = None,
    classes: object = None,
    sample_weight: object = None,
) -> InformationGained:
    """Give `entropy_gain` with the bits saved of each case; it has the same parameters.

    Examples
    --------
    >>> import fivefold as ff
    >>> ff.bets.entropy_gain_details([1, 0], [1.0, 0.75], priors=[0.5, 0.5]).per_example
    array([ 1., -1.])
    """
    stated, prior, weights = _stated_and_prior(y_true, y_prob, priors, classes, sample_weight)
    with np.errstate(divide="ignore", invalid="ignore"):
        scores = np.where(stated == prior, 0.0, np.log2(stated) - np.log2(prior))
    return InformationGained(scores, mean_of(scores, weights), weights)


def mean_reward(
    truth: NDArray[np.int32],
    prob: NDArray[Any],
    n_classes: int,
    multiclass: str = "contrast",
    clip: int | None = None,
    weights: Floats | None = None,
    out: Floats = _NOTHING,
) -> float:
    """Mean reward of checked input; each case's reward goes into ``out`` if it has room."""
    one_of(multiclass, ("contrast", "log"), "multiclass")
    low, high = (0.0, np.inf) if clip is None else _clip_range(positive_int(clip, "clip"))
    contrast = multiclass == "contrast" and n_classes > 2
    zero_point = 1.0 if multiclass == "contrast" else float(np.log2(n_classes))
    given = _NOTHING if weights is None else weights
    total = 0.0
    for start in range(0, truth.shape[0], AT_ONCE):
        rows = slice(start, start + AT_ONCE)
        stated, pull, room = _kernels.columns(np.asarray(prob[rows])), given[rows], out[rows]
        total = _kernels.rewards(truth[rows], *stated, contrast, zero_point, low, high, pull, room, total)
    return float(total / (truth.shape[0] if weights is None else weights.sum()))


def _score_few(truth: NDArray[np.int32], prob: FewNumbers, score: Callable[..., object]) -> Any:
    """Score each case by its class and its probabilities, of which few are different."""
    k, m = int(truth.max()) + 1, len(prob.levels)
    scores = np.empty(m * k)
    score(np.tile(np.arange(k, dtype=np.int32), m), np.repeat(prob.levels, k, axis=0), out=scores)
    return FewNumbers(pair_codes(prob.codes, truth, k, m * k), scores)


def base_rate_reward(truth: NDArray[np.int32], n_classes: int, multiclass: str = "contrast") -> float:
    """Mean reward of always stating the shares that the classes have among these cases."""
    cases = count_codes(truth, n_classes).astype(np.float64)
    stated = np.broadcast_to(cases / cases.sum(), (n_classes, n_classes))
    return mean_reward(np.arange(n_classes, dtype=np.int32), stated, n_classes, multiclass, None, cases)


def over_base_rate(reward: Reward, truth: NDArray[np.int32]) -> Interval:
    """95 % interval of what bets on all classes win beyond stating the true shares of the classes.

    Case by case, for both vary together. The shares among these cases win more here than the true ones: by half of
    a chi-square number of nats in all, which few samples exceed by as much as is added to the upper end.
    """
    if not np.isfinite(reward.mean):
        return float("nan"), float("nan")
    counts, groups = count_codes(truth, reward.n_classes), reward.groups
    # a class that was not seen counts as if the next case were of it
    base = np.log2(reward.n_classes * np.maximum(counts, 1) / truth.size)

    def pieces() -> Iterator[Floats]:
        parts = zip(in_pieces(reward.per_example), in_pieces(truth), strict=True)
        return (won - base[classes] for won, classes in parts)

    over: Any = Pooled.of(pieces) if groups is None else np.concatenate(list(pieces()))
    bounds = reward.bounds[0] - float(base.max()), reward.bounds[1] - float(base.min())
    low, high = mean_interval(over, *bounds, groups=groups)
    n_draws = truth.size if groups is None else groups.n_groups
    return low, float(high + chdtri(reward.n_classes - 1, 0.025) / (2 * np.log(2) * n_draws))


def _reward_bounds(prob: NDArray[Any], n_classes: int, multiclass: str, clip: int | None) -> Interval:
    if multiclass == "contrast" and n_classes > 2:
        prob = prob.max(axis=1)
    least, most = float(prob.min()), float(prob.max())
    if prob.ndim == 1:
        least, most = min(least, 1 - most), max(most, 1 - least)
    low, high = (0.0, 1.0) if clip is None else _clip_range(clip)
    zero_point = 1.0 if multiclass == "contrast" else float(np.log2(n_classes))
    with np.errstate(divide="ignore"):
        ends = zero_point + np.log2(np.clip([least, most], low, high))
    return float(ends[0]), float(ends[1])


def _clip_range(n: int) -> tuple[float, float]:
    return 0.5 / (n + 1), (n + 0.5) / (n + 1)


def _stated_and_prior(
    y_true: object, y_prob: object, priors: object, classes: object, sample_weight: object
) -> tuple[Floats, Floats, Floats | None]:
    """Give the stated and the prior probability of each true class, and the weights."""
    truth, prob, universe = as_probabilities(y_true, y_prob, classes)
    weights = as_weights(sample_weight, truth.shape[0])
    if priors is None:
        counts = np.bincount(truth, weights=weights, minlength=universe.size)
        known = counts / counts.sum()
    else:
        known = _check_priors(priors, universe)
    both = np.column_stack([1 - prob, prob]) if prob.ndim == 1 else prob
    stated = both[np.arange(truth.shape[0]), truth]
    impossible = np.flatnonzero(known[truth] == 0)
    if impossible.size and priors is not None:
        raise InputError(
            "priors above 0 for every class that occurs",
            f"0 for {universe[truth[impossible[0]]]!r}, which is the class of row {impossible[0]}",
            "add one to each count of the training set",
        )
    return stated.astype(np.float64), known[truth], weights


def _check_priors(priors: object, universe: NDArray[Any]) -> Floats:
    known = as_numbers(priors, "priors").astype(np.float64)
    if known.shape != (universe.size,):
        raise InputError(
            f"one prior for each of the {universe.size} classes", f"an array of shape {known.shape}"
        )
    if first_bad_row(known[np.newaxis], SUM_TOLERANCE)[1]:
        raise InputError("priors that are not negative and sum to 1", str(known))
    return known
