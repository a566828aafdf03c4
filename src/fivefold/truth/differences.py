"""Two learners on the same folds.

Is the mean difference more than chance, when folds share training cases?
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtr, stdtrit

from fivefold.errors import InputError, show
from fivefold.inputs.frames import as_numbers
from fivefold.results.wording import say_p
from fivefold.truth.options import as_confidence, inside_unit


@dataclass(frozen=True)
class CorrectedT:
    """The corrected resampled t test.

    Parameters
    ----------
    difference : float
        Mean difference.
    standard_error : float
        Its corrected standard error.
    t, df, p_value : float
        The statistic, its degrees of freedom and the two-sided p-value.
    low, high : float
        Interval for the difference.
    confidence : float
        Of that interval.
    """

    difference: float
    standard_error: float
    t: float
    df: int
    p_value: float
    low: float
    high: float
    confidence: float

    question = "Would the mean difference between the two learners be zero over all data sets like this one?"

    def __str__(self) -> str:
        return f"corrected resampled t({self.df}) = {self.t:.2f}, {say_p(self.p_value)}"


@dataclass(frozen=True)
class CorrelatedBayes:
    """The Bayesian correlated t test: how probable each conclusion is.

    Parameters
    ----------
    p_below, p_equivalent, p_above : float
        Probability that the mean difference lies below, inside and above the region of practical equivalence.
    rope : float
        Half the width of that region: differences up to it make no practical difference.
    location, scale : float
        Of the posterior Student t distribution.
    df : int
        Its degrees of freedom.
    """

    p_below: float
    p_equivalent: float
    p_above: float
    rope: float
    location: float
    scale: float
    df: int

    question = (
        "How probable is it that the one is better, that the other is, and that it makes no difference?"
    )

    def __str__(self) -> str:
        return (
            f"P(difference < -{self.rope:g}) = {self.p_below:.3f}, P(within ±{self.rope:g}) = "
            f"{self.p_equivalent:.3f}, P(> {self.rope:g}) = {self.p_above:.3f}"
        )


def corrected_t(differences: Any, *, test_share: float, confidence: float = 0.95) -> CorrectedT:
    r"""Test the mean difference of two learners over folds or random splits of one data set.

    .. math:: t = \frac{\bar d}{\sqrt{(1/J + \rho / (1 - \rho))\, s^2}}, \qquad \text{df} = J - 1,

    with J differences in all, their variance :math:`s^2`, and the share :math:`\rho` of the cases that is tested
    at a time, so that :math:`\rho / (1 - \rho)` is test cases over training cases. The plain t test leaves this
    term out and finds differences where there are none.

    Parameters
    ----------
    differences : array-like
        The difference of the two learners in each fold or split.
    test_share : float
        The share of the cases that is tested at a time: 1/k with k folds.
    confidence : float
        Of the interval.

    Returns
    -------
    CorrectedT
        Where all differences are equal there is no spread to judge by: p is 1 if they are zero, else 0.

    References
    ----------
    C. Nadeau and Y. Bengio (2003). Inference for the generalization error. Machine Learning 52, 239-281.

    Examples
    --------
    >>> found = corrected_t([0.02, 0.05, 0.01, 0.04, 0.03, 0.0, 0.06, 0.02, 0.03, 0.04], test_share=0.1)
    >>> print(found)
    corrected resampled t(9) = 3.58, p = 0.006
    """
    values, mean, scale = _read(differences, test_share)
    confidence, df = as_confidence(confidence), values.size - 1
    t = mean / scale if scale > 0 else float(np.copysign(np.inf, mean)) if mean else 0.0
    half = float(stdtrit(df, 0.5 + confidence / 2)) * scale
    p_value = float(2 * stdtr(df, -abs(t)))
    return CorrectedT(mean, scale, t, df, p_value, mean - half, mean + half, confidence)


def correlated_bayes(differences: Any, *, test_share: float, rope: float = 0.01) -> CorrelatedBayes:
    r"""Give the probabilities that one learner is better, that the other is, and that both are equivalent.

    The posterior of the mean difference is a Student t distribution with J - 1 degrees of freedom around
    :math:`\bar d` with scale :math:`s \sqrt{1/J + \rho/(1-\rho)}`, where :math:`\rho` is the correlation between
    folds, taken to be the share of the cases that is tested at a time.

    Parameters
    ----------
    differences : array-like
        The difference of the two learners in each fold or split.
    test_share : float
        The share of the cases that is tested at a time: 1/k with k folds.
    rope : float
        Differences from -rope to rope make no practical difference.

    Returns
    -------
    CorrelatedBayes

    References
    ----------
    G. Corani and A. Benavoli (2015). A Bayesian approach for comparing cross-validated algorithms on multiple data
    sets. Machine Learning 100, 285-304.

    Examples
    --------
    >>> found = correlated_bayes([0.02, 0.05, 0.01, 0.04, 0.03, 0.0, 0.06, 0.02, 0.03, 0.04], test_share=0.1)
    >>> print(found)
    P(difference < -0.01) = 0.001, P(within ±0.01) = 0.020, P(> 0.01) = 0.980
    """
    values, mean, scale = _read(differences, test_share)
    if not isinstance(rope, int | float) or isinstance(rope, bool) or not 0 <= rope < np.inf:
        raise InputError("rope to be a number from 0", show(rope))
    df = values.size - 1
    below, above = _below(-rope, mean, scale, df), _below(-rope, -mean, scale, df)
    return CorrelatedBayes(below, 1.0 - below - above, above, float(rope), mean, scale, df)


def _below(limit: float, mean: float, scale: float, df: int) -> float:
    if scale == 0:
        return float(mean < limit)
    return float(stdtr(df, (limit - mean) / scale))


def _read(differences: Any, test_share: Any) -> tuple[NDArray[np.float64], float, float]:
    values = as_numbers(differences, "differences").astype(np.float64)
    if values.ndim != 1 or values.size < 2:
        raise InputError("at least two differences", f"an array of shape {values.shape}")
    bad = np.flatnonzero(~np.isfinite(values))
    if bad.size:
        raise InputError("finite differences", f"{values[bad[0]]} in place {bad[0]}")
    share = inside_unit(test_share, "test_share")
    spread = float(values.std(ddof=1)) if np.ptp(values) > 0 else 0.0
    return values, float(values.mean()), spread * float(np.sqrt(1 / values.size + share / (1 - share)))
