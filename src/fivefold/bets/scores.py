"""The quadratic and the logarithmic score of whole distributions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from fivefold.bets import _kernels
from fivefold.inputs.options import as_weights
from fivefold.inputs.probabilities import as_probabilities
from fivefold.results.case_scores import CaseScores, mean_of
from fivefold.results.metric import Direction, metric


@dataclass(frozen=True, eq=False)
class BrierScores(CaseScores):
    """Squared distance of each case's probabilities from what happened."""

    title: ClassVar[str] = "Brier score"
    unit: ClassVar[str] = "squared probability"
    direction: ClassVar[Direction] = "lower is better"


@dataclass(frozen=True, eq=False)
class Surprise(CaseScores):
    """Bits of surprise at each case's true class."""

    title: ClassVar[str] = "Log score"
    unit: ClassVar[str] = "bits per case"
    direction: ClassVar[Direction] = "lower is better"


def brier(
    y_true: object, y_prob: object, *, classes: object = None, sample_weight: object = None
) -> BrierScores:
    """Squared distance for each case; `brier_score` gives their mean and says what it is.

    Parameters
    ----------
    y_true, y_prob, classes, sample_weight
        As in `information_reward`.

    Examples
    --------
    >>> import fivefold as ff
    >>> ff.bets.brier([1, 0], [0.5, 1.0]).per_example
    array([0.25, 1.  ])
    """
    truth, prob, universe = as_probabilities(y_true, y_prob, classes)
    weights = as_weights(sample_weight, truth.shape[0])
    squares = np.empty(truth.shape[0])
    _kernels.squared_errors(truth, prob, squares)
    if prob.ndim == 2 and universe.size == 2:
        squares /= 2
    return BrierScores(squares, mean_of(squares, weights), weights)


def surprise(
    y_true: object, y_prob: object, *, classes: object = None, sample_weight: object = None
) -> Surprise:
    """Bits of surprise for each case; `log_score` gives their mean and says what it is.

    Parameters
    ----------
    y_true, y_prob, classes, sample_weight
        As in `information_reward`.

    Examples
    --------
    >>> import fivefold as ff
    >>> ff.bets.surprise([1, 0], [0.5, 0.75]).per_example
    array([1., 2.])
    """
    truth, prob, _ = as_probabilities(y_true, y_prob, classes)
    weights = as_weights(sample_weight, truth.shape[0])
    logs = np.empty(truth.shape[0])
    given, total = (np.empty(0), truth.shape[0]) if weights is None else (weights, weights.sum())
    sum_of_logs = _kernels.rewards(truth, prob, False, 0.0, 0.0, np.inf, given, logs)
    return Surprise(0.0 - logs, float(0.0 - sum_of_logs / total), weights)


@metric(
    "Brier score",
    unit="squared probability",
    direction="lower is better",
    reads="probabilities",
    weighted=True,
)
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
    return brier(y_true, y_prob, classes=classes, sample_weight=sample_weight).mean


@metric("Log score", unit="bits per case", direction="lower is better", reads="probabilities", weighted=True)
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
    return surprise(y_true, y_prob, classes=classes, sample_weight=sample_weight).mean
