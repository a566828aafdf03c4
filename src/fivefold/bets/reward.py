"""The information reward: what a gambler wins who bets by the model's probabilities."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from fivefold.bets import _kernels
from fivefold.inputs.options import as_weights, one_of, positive_int
from fivefold.inputs.probabilities import as_probabilities
from fivefold.results.case_scores import CaseScores
from fivefold.results.metric import Direction, metric
from fivefold.results.wording import say_rows, say_won

_NOTHING = np.empty(0)


@dataclass(frozen=True, eq=False)
class Reward(CaseScores):
    """Rewards of all cases in bits.

    Parameters
    ----------
    per_example, mean, weights
        As in `CaseScores`.
    multiclass : str
        The reading that was used for more than two classes.
    n_classes : int
        Number of classes.
    """

    title: ClassVar[str] = "Information reward"
    unit: ClassVar[str] = "bits per case"
    direction: ClassVar[Direction] = "higher is better"

    multiclass: str = "contrast"
    n_classes: int = 2

    @property
    def impossible(self) -> NDArray[np.int64]:
        """Rows that happened although the model gave them probability 0."""
        return np.flatnonzero(np.isneginf(self.per_example))

    def sentence(self, rows: NDArray[np.int64] | None = None) -> str:
        """Say in words what the reward is, and which rows ruin the gambler if any do.

        Parameters
        ----------
        rows : ndarray of shape (n,), optional
            Where each case stands, if not in its own place; rows count from 0.
        """
        if np.isfinite(self.mean):
            return f"A gambler betting by these probabilities {say_won(self.mean)} bits per case."
        ruined = self.impossible if rows is None else rows[self.impossible]
        return (
            f"A gambler betting by these probabilities is ruined: what happened in {say_rows(ruined)} "
            f"had been given probability 0."
        )


def reward(
    y_true: object,
    y_prob: object,
    *,
    classes: object = None,
    multiclass: str = "contrast",
    clip: int | None = None,
    sample_weight: object = None,
) -> Reward:
    """Reward of each case; `information_reward` gives their mean and says what it is.

    Parameters
    ----------
    y_true, y_prob, classes, multiclass, clip, sample_weight
        As in `information_reward`.

    Examples
    --------
    >>> import fivefold as ff
    >>> told = ff.bets.reward(["rain", "dry"], [0.5, 1.0], classes=["dry", "rain"])
    >>> told.per_example
    array([  0., -inf])
    >>> told.sentence()
    'A gambler betting by these probabilities is ruined: what happened in row 1 had been given probability 0.'
    """
    truth, prob, universe = as_probabilities(y_true, y_prob, classes)
    weights = as_weights(sample_weight, truth.shape[0])
    per_example = np.empty(truth.shape[0])
    mean = mean_reward(truth, prob, universe.size, multiclass, clip, weights, per_example)
    return Reward(per_example, mean, weights, multiclass, universe.size)


@metric(
    "Information reward",
    unit="bits per case",
    direction="higher is better",
    reads="probabilities",
    weighted=True,
)
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
    shrugging at one half, and no limit to what a confident mistake costs. For more classes there are two
    readings:

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

    Returns
    -------
    float
        Mean bits; ``-inf`` when something happened that had been given probability 0.

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


def mean_reward(
    truth: NDArray[np.int32],
    prob: NDArray[Any],
    n_classes: int,
    multiclass: str = "contrast",
    clip: int | None = None,
    weights: NDArray[np.float64] | None = None,
    out: NDArray[np.float64] = _NOTHING,
) -> float:
    """Mean reward of checked input; each case's reward goes into ``out`` if it has room."""
    one_of(multiclass, ("contrast", "log"), "multiclass")
    low, high = (0.0, np.inf) if clip is None else _clip_range(positive_int(clip, "clip"))
    contrast = multiclass == "contrast" and n_classes > 2
    zero_point = 1.0 if multiclass == "contrast" else float(np.log2(n_classes))
    given = _NOTHING if weights is None else weights
    total = _kernels.rewards(truth, prob, contrast, zero_point, low, high, given, out)
    return float(total / (truth.shape[0] if weights is None else weights.sum()))


def _clip_range(n: int) -> tuple[float, float]:
    return 0.5 / (n + 1), (n + 0.5) / (n + 1)
