"""Scores against what was known before: information gained over the prior probabilities of the classes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from fivefold.errors import InputError
from fivefold.inputs._kernels import first_bad_row
from fivefold.inputs.frames import as_numbers
from fivefold.inputs.options import as_weights
from fivefold.inputs.probabilities import SUM_TOLERANCE, as_probabilities
from fivefold.results.case_scores import CaseScores, mean_of
from fivefold.results.metric import Direction, metric


@dataclass(frozen=True, eq=False)
class InformationGained(CaseScores):
    """Information gained about each true class over its prior probability."""

    title: ClassVar[str] = "Information gained"
    unit: ClassVar[str] = "bits per case"
    direction: ClassVar[Direction] = "higher is better"


def kononenko_bratko(
    y_true: object,
    y_prob: object,
    *,
    priors: object = None,
    classes: object = None,
    sample_weight: object = None,
) -> InformationGained:
    """Information gained in each case; `kononenko_bratko_score` gives their mean and says what it is.

    Parameters
    ----------
    y_true, y_prob, priors, classes, sample_weight
        As in `kononenko_bratko_score`.

    Examples
    --------
    >>> import fivefold as ff
    >>> ff.bets.kononenko_bratko([1, 0], [1.0, 0.5], priors=[0.5, 0.5]).per_example
    array([1., 0.])
    """
    stated, prior, weights = _stated_and_prior(y_true, y_prob, priors, classes, sample_weight)
    with np.errstate(divide="ignore"):
        gained = np.log2(stated) - np.log2(prior)
        lost = np.log2(1 - prior) - np.log2(np.maximum(1 - stated, 0))
    scores = np.where(stated >= prior, gained, lost)
    return InformationGained(scores, mean_of(scores, weights), weights)


def entropy_gains(
    y_true: object,
    y_prob: object,
    *,
    priors: object = None,
    classes: object = None,
    sample_weight: object = None,
) -> InformationGained:
    """Bits saved against the prior in each case; `entropy_gain` gives their mean and says what it is.

    Parameters
    ----------
    y_true, y_prob, priors, classes, sample_weight
        As in `kononenko_bratko_score`.

    Examples
    --------
    >>> import fivefold as ff
    >>> ff.bets.entropy_gains([1, 0], [1.0, 0.75], priors=[0.5, 0.5]).per_example
    array([ 1., -1.])
    """
    stated, prior, weights = _stated_and_prior(y_true, y_prob, priors, classes, sample_weight)
    with np.errstate(divide="ignore"):
        scores = np.log2(stated) - np.log2(prior)
    return InformationGained(scores, mean_of(scores, weights), weights)


@metric(
    "Kononenko-Bratko score",
    unit="bits per case",
    direction="higher is better",
    reads="probabilities",
    weighted=True,
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

    .. math:: \lg P' - \lg P \text{ if } P' \ge P \text{ else } \lg(1 - P) - \lg(1 - P').

    Parameters
    ----------
    y_true, y_prob, classes, sample_weight
        As in `information_reward`.
    priors : array-like of shape (k,), optional
        Class probabilities known beforehand, in class order; those of the training set. Without them the
        (weighted) class frequencies of ``y_true`` are taken.

    Returns
    -------
    float
        Mean bits; ``-inf`` only if a true class whose prior is 1 was given less.

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
    return kononenko_bratko(y_true, y_prob, priors=priors, classes=classes, sample_weight=sample_weight).mean


@metric(
    "Entropy gain", unit="bits per case", direction="higher is better", reads="probabilities", weighted=True
)
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
    return entropy_gains(y_true, y_prob, priors=priors, classes=classes, sample_weight=sample_weight).mean


def _stated_and_prior(
    y_true: object, y_prob: object, priors: object, classes: object, sample_weight: object
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64] | None]:
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


def _check_priors(priors: object, universe: NDArray[Any]) -> NDArray[np.float64]:
    known = as_numbers(priors, "priors").astype(np.float64)
    if known.shape != (universe.size,):
        raise InputError(
            f"one prior for each of the {universe.size} classes", f"an array of shape {known.shape}"
        )
    if first_bad_row(known[np.newaxis], SUM_TOLERANCE)[1]:
        raise InputError("priors that are not negative and sum to 1", str(known))
    return known
