"""Confidence: how accurate is a model on the answers of which it is surest?"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtrit

from fivefold.errors import InputError, show
from fivefold.formulas import Floats, binomial_limits, worth
from fivefold.inputs.answers import as_answers
from fivefold.inputs.frames import as_numbers, check_length
from fivefold.inputs.groups import Groups, read_groups
from fivefold.inputs.options import fraction
from fivefold.results import HIGHER, Interval, Result


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
    mean accuracy 84.4% over all shares answered (73.6% to 92.1%); 100.0% on the surest half, 50.0% on all
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
    starts, block = ends - sizes, np.repeat(np.arange(sizes.size), sizes)
    hits = np.add.reduceat(right[order].astype(np.int64), starts)
    # the accuracy while the cases of each block come one by one, each as right as the block is on average
    m, of_block = np.arange(1.0, n + 1), np.arange(1, n + 1) - starts[block]
    path = ((np.cumsum(hits) - hits)[block] + of_block * (hits / sizes)[block]) / m
    value = float(path.mean())
    counts, moves = np.empty((2, n))
    counts[order], moves[order] = _influence(right[order], path, of_block / sizes[block], starts)
    best = float(np.minimum(1.0, hits.sum() / m).mean())
    accuracy, interval = np.cumsum(hits) / ends, _interval(value, moves - value, counts, right, groups)
    return RiskCoverage(value, interval, float(right.mean()), best, n, ends / n, accuracy, sure[ends - 1])


def _influence(
    right: NDArray[np.bool_], path: Floats, taken: Floats, starts: NDArray[np.int64]
) -> tuple[Floats, Floats]:
    r"""How much each case counts, :math:`\sum_{m \geq i} 1 / m`, and how far it moves the area, plus the area.

    That is :math:`a_i + \sum_{m \geq i} (r_i - a_m) / m`. Cases that are equally sure stand at each place of their
    block as often; so many are taken by then.
    """
    sizes = np.diff(starts, append=path.size)

    def from_here(values: Floats) -> Floats:
        """Sum over all later blocks, and over its own so far as the case is taken."""
        whole = np.add.reduceat(values, starts)
        return np.repeat(
            np.cumsum(whole[::-1])[::-1] - whole + np.add.reduceat(values * taken, starts), sizes
        )

    inverse = 1.0 / np.arange(1, path.size + 1)
    counts, means = from_here(inverse), np.repeat(np.add.reduceat(path, starts) / sizes, sizes)
    return counts, means + right * counts - from_here(path * inverse)


def _interval(
    value: float, moves: Floats, counts: Floats, right: NDArray[np.bool_], groups: Groups | None
) -> Interval:
    """Clopper and Pearson's interval for as many cases as tell so much; not more than if errors fell by lot.

    Where few errors count, those that were surest above all, Student's quantiles make it wider; so far as answers
    are equally sure they count alike, and how few errors there are is known to the limits already.
    """
    n = right.size
    by_lot = n**2 / float(counts @ counts)
    squares = (moves if groups is None else groups.totals(moves)) ** 2
    total, n_draws, alike = float(squares.sum()), squares.size, max(2 * by_lot / n - 1, 1e-9)
    if groups is not None:
        by_lot, total = by_lot * worth(right, groups) / n, total * n_draws / max(n_draws - 1, 1)
    cases = by_lot
    if 0 < value < 1 and total > 0:
        errors = min(int(right.sum()), n - int(right.sum()))
        counted = max(min(3 * float(squares.sum()) ** 2 / float(squares @ squares), n_draws) - 1, 1.0)
        known = max(min(3 * errors, n_draws) - 1, 1.0) / alike
        wider = min(float(stdtrit(known, 0.025) / stdtrit(counted, 0.025)), 1.0) ** 2
        cases = min(by_lot, wider * value * (1 - value) * n**2 / total)
    low, high = binomial_limits(value * cases, cases)
    # rounding must not take an end of 0 or 1 past the value
    return min(value, low), max(value, high)
