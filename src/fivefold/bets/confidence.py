"""Confidence: how accurate is a model on the answers of which it is surest?"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtrit

from fivefold.errors import InputError, show
from fivefold.formulas import Floats, worth
from fivefold.inputs.answers import as_answers
from fivefold.inputs.frames import as_numbers, check_length
from fivefold.inputs.groups import Groups, read_groups
from fivefold.inputs.options import fraction
from fivefold.results import HIGHER, Interval, Result

_NORMAL = 1.959963984540054


@dataclass(frozen=True, eq=False)
class RiskCoverage(Result, title="Area under accuracy and coverage", unit="mean accuracy", direction=HIGHER):
    """Accuracy against the share of the cases that is answered, the surest first.

    Parameters
    ----------
    value : float
        Area under the curve: the mean accuracy over all shares answered.
    interval : tuple of float
        95% interval of the area.
    accuracy : float
        Accuracy when all are answered.
    best : float
        The area if all right answers were surer than all wrong ones.
    n_cases : int
        Cases that have an answer and a confidence.
    coverage, selective_accuracy, threshold : ndarray
        A point of the curve for each confidence that occurs, falling: the share at least as sure, the share of
        these that is right, and the confidence.
    """

    value: float
    interval: Interval
    accuracy: float
    best: float
    n_cases: int
    coverage: Floats = field(repr=False)
    selective_accuracy: Floats = field(repr=False)
    threshold: Floats = field(repr=False)

    @property
    def risk(self) -> float:
        """Area under the curve of risk, which is one less accuracy: smaller is better."""
        return 1.0 - self.value

    def at(self, coverage: float) -> float:
        """Give the accuracy on this share of the cases, the surest; equally sure ones count by their share."""
        n = fraction(coverage, "coverage") * self.n_cases
        if n == 0:
            raise InputError("coverage above 0", show(coverage))
        cases = np.append(0.0, self.coverage * self.n_cases)
        right = np.append(0.0, self.selective_accuracy * cases[1:])
        return float(np.interp(n, cases, right) / n)

    def columns(self) -> Mapping[str, Any]:
        """Give one row for each confidence that occurs."""
        return {"threshold": self.threshold, "coverage": self.coverage, "accuracy": self.selective_accuracy}

    def __str__(self) -> str:
        low, high = self.interval
        return (
            f"mean accuracy {self.value:.1%} over all shares answered ({low:.1%} to {high:.1%}); "
            f"{self.at(0.5):.1%} on the surest half, {self.accuracy:.1%} on all"
        )


def risk_coverage(
    y_true: object, y_pred: object, confidence: object, *, classes: object = None, groups: object = None
) -> float:
    r"""Mean accuracy over all shares of the cases that could be answered, the surest first.

    With the cases in falling order of confidence and :math:`r_i` one where the answer is right,

    .. math:: \frac{1}{n} \sum_{m=1}^{n} \frac{1}{m} \sum_{i=1}^{m} r_i.

    Equally sure answers count as in the mean over all their orders. One less this is the area under the curve of
    risk and coverage (AURC). It looks at the order of the confidence alone: see `calibration_test` for the rest.

    Parameters
    ----------
    y_true : array-like
        The true classes.
    y_pred : array-like
        The answers; None is none, and such cases are left out.
    confidence : array-like of numbers
        How sure each answer is, on any scale; NaN or None is not known, and such cases are left out.
    classes : array-like, optional
        All classes of the problem, where not all of them occur.
    groups : array-like, optional
        Which cases belong together, for the interval.

    References
    ----------
    R. El-Yaniv and Y. Wiener, On the foundations of noise-free selective classification, JMLR 11, 2010.

    Examples
    --------
    >>> import fivefold as ff
    >>> ff.bets.risk_coverage(["a", "b", "a", "b"], ["a", "b", "b", "b"], [0.9, 0.8, 0.6, 0.7])
    0.9375
    """
    return risk_coverage_details(y_true, y_pred, confidence, classes=classes, groups=groups).value


def risk_coverage_details(
    y_true: object, y_pred: object, confidence: object, *, classes: object = None, groups: object = None
) -> RiskCoverage:
    """Give `risk_coverage` with its curve and interval; it has the same parameters.

    Examples
    --------
    >>> import fivefold as ff
    >>> details = ff.bets.risk_coverage_details(["a", "b"] * 50, ["a"] * 100, [0.9, 0.6] * 50)
    >>> print(details)
    mean accuracy 84.4% over all shares answered (72.1% to 91.9%); 100.0% on the surest half, 50.0% on all
    >>> details.at(0.75)
    0.6666666666666666
    """
    truth, answers, _ = as_answers(y_true, y_pred, classes)
    sure = as_numbers(confidence, "confidence").astype(np.float64)
    if sure.ndim != 1:
        raise InputError("confidence to be one-dimensional", f"an array of shape {sure.shape}")
    check_length(sure, len(truth), "confidence")
    belonging = None if groups is None else read_groups(groups, len(truth))
    alone = answers.ndim == 1
    hit = answers == truth if alone else answers[np.arange(truth.size), truth] & (answers.sum(axis=1) == 1)
    right = np.asarray(hit, dtype=np.bool_)
    known = (answers >= 0 if alone else answers.any(axis=1)) & ~np.isnan(sure)
    if not known.any():
        raise InputError("at least one answer with a confidence", "none")
    return trace_coverage(right[known], sure[known], belonging and belonging.part(known))


def trace_coverage(
    right: NDArray[np.bool_], confidence: Floats, groups: Groups | None = None
) -> RiskCoverage:
    """Trace the curve of checked answers."""
    order = np.argsort(-confidence, kind="stable")
    sure, n = confidence[order], right.size
    ends = np.append(np.flatnonzero(np.diff(sure)), n - 1) + 1
    sizes = np.diff(ends, prepend=0)
    hits = np.add.reduceat(right[order].astype(np.int64), ends - sizes)
    accuracy = np.cumsum(hits) / ends
    means = _mean_accuracy(hits, sizes, ends)
    value = float(means @ sizes) / n
    block = np.empty(n, dtype=np.int64)
    block[order] = np.repeat(np.arange(sizes.size), sizes)
    interval = _interval(value, _influence(right, block, means, sizes, ends) - value, right, groups)
    best = float(np.minimum(1.0, hits.sum() / np.arange(1, n + 1)).mean())
    return RiskCoverage(value, interval, float(right.mean()), best, n, ends / n, accuracy, sure[ends - 1])


def _mean_accuracy(hits: NDArray[np.int64], sizes: NDArray[np.int64], ends: NDArray[np.int64]) -> Floats:
    """Mean accuracy while the cases of each block come one by one, each as right as the block is on average."""
    before, hits_before = ends - sizes, np.cumsum(hits) - hits
    rate = hits / sizes
    # the mean of (h + j r) / (b + j) for j = 1 … m, by harmonic numbers
    means = rate + (hits_before - before * rate) * _harmonic(before, ends) / sizes
    return np.where(sizes == 1, np.cumsum(hits) / ends, means)


def _harmonic(before: NDArray[np.int64], ends: NDArray[np.int64]) -> Floats:
    """Sum 1 / i from before + 1 to ends."""
    sums = np.append(0.0, np.cumsum(1.0 / np.arange(1, int(ends[-1]) + 1)))
    return np.asarray(sums[ends] - sums[before])


def _influence(
    right: NDArray[np.bool_],
    block: NDArray[np.int64],
    means: Floats,
    sizes: NDArray[np.int64],
    ends: NDArray[np.int64],
) -> Floats:
    r"""How far each case moves the area, plus the area: :math:`a_i + \sum_{m \geq i} (r_i - a_m) / m`."""
    inverse = _harmonic(ends - sizes, ends)
    # of the own block each case has half, as if it stood in the middle
    later = np.cumsum(inverse[::-1])[::-1] - inverse / 2
    weighed = means * inverse
    held = np.cumsum(weighed[::-1])[::-1] - weighed / 2
    return np.asarray(means[block] + right * later[block] - held[block])


def _interval(value: float, moves: Floats, right: NDArray[np.bool_], groups: Groups | None) -> Interval:
    """Wilson's interval for as many cases as tell so much; never more than if the order were drawn by lot.

    Where few cases count, wrong answers that were surest above all, Student's quantiles take care of that.
    """
    n = right.size
    i = np.arange(1, n + 1)
    by_lot = 1.0 / float(np.sum((np.cumsum((1.0 / i)[::-1])[::-1] / n) ** 2))
    squares = (moves if groups is None else groups.totals(moves)) ** 2
    total, n_draws = float(squares.sum()), squares.size
    by_lot *= 1.0 if groups is None else worth(right, groups) / n
    cases = by_lot
    if total > 0:
        df = max(1.0, min(n_draws - 1.0, 3 * total**2 / float(squares @ squares) - 1))
        spread = total / n**2 * n_draws / max(1, n_draws - 1) * float(stdtrit(df, 0.975) / _NORMAL) ** 2
        cases = min(by_lot, value * (1 - value) / spread)
    cases = max(cases, 1e-9)
    shrink = 1 + _NORMAL**2 / cases
    middle = (value + _NORMAL**2 / (2 * cases)) / shrink
    reach = _NORMAL * np.sqrt(value * (1 - value) / cases + (_NORMAL / (2 * cases)) ** 2) / shrink
    # rounding must not take an end of 0 or 1 past the value
    return min(value, max(0.0, float(middle - reach))), max(value, min(1.0, float(middle + reach)))
