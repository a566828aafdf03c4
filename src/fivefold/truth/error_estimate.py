"""The result of an estimate of error: the number, its spread, and what must be known about it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from fivefold.formulas import binomial_limits, share_limits
from fivefold.results import LOWER, Direction, Result

Floats = NDArray[np.float64]


def error_limits(estimate: float, n_effective: float, apart: float, confidence: float) -> tuple[float, float]:
    """Give the ends of the interval of an error from refits that is worth so many independent cases.

    It lies around two readings, `apart` below the estimate and as far above it.

    The normal ends come too near where errors are few, since more of them may just not have been met. The exact
    binomial ends do where refits err on cases left out that the rule learnt from all cases knows: errors of theirs
    do not prove that it errs at all. So the wider one holds on either side.

    Examples
    --------
    >>> [round(end, 3) for end in error_limits(0.0, 60, 0.0, 0.95)]
    [0.0, 0.06]
    >>> [round(end, 3) for end in error_limits(0.02, 50, 0.0, 0.95)]
    [0.0, 0.106]
    """
    shares = np.array([max(0.0, estimate - apart), min(1.0, estimate + apart)])
    half = ndtri(0.5 + confidence / 2) * np.sqrt(shares * (1 - shares) / n_effective)
    low, high = share_limits(shares * n_effective, n_effective, confidence)
    least, most = min(low[0], shares[0] - half[0]), max(high[1], shares[1] + half[1])
    return max(0.0, float(least)), min(1.0, float(most))


@dataclass(frozen=True)
class Interval:
    """Where the truth lies, with a confidence, and why this interval may be believed.

    Parameters
    ----------
    low, high : float
        Its ends.
    confidence : float
        The share of such intervals that hold the truth.
    kind : {"binomial", "nested-cv"}
        How it was made.
    reason : str
        What it speaks of, and why it is right here.
    estimate : float
        The estimate that it was made around. For nested cross-validation that is not the plain one but half way
        between two readings: one allows for the smaller training sets of the folds and is averaged over all deals,
        the other is the error with folds of a tenth of the size left out.
    n_effective : float
        How many cases, independent of each other and of what was learnt, would tell as much.
    apart : float
        How far each of the two readings is from the estimate.
    """

    low: float
    high: float
    confidence: float
    kind: str
    reason: str
    estimate: float
    n_effective: float
    apart: float = 0.0

    def at(self, confidence: float) -> tuple[float, float]:
        """Give the ends at another confidence."""
        if self.kind == "binomial":
            return binomial_limits(self.estimate * self.n_effective, self.n_effective, confidence)
        return error_limits(self.estimate, self.n_effective, self.apart, confidence)

    def __str__(self) -> str:
        return f"{100 * self.confidence:g}% interval {self.low:.4f} to {self.high:.4f} ({self.kind})"


@dataclass(frozen=True, eq=False)
class ErrorEstimate(Result, title="Error estimate", unit="share of cases", direction=LOWER):
    """An estimate of how often an estimator will be wrong on new cases, or of another measure.

    Parameters
    ----------
    value : float
        The estimate.
    method : str
        How it was made, as the caller named it.
    description : str
        The same in words.
    metric : str
        What was measured; ``"error"`` is the share of wrong answers.
    metric_direction : str
        Which way is better.
    scores : ndarray
        The measure after each training set (fold or resample); for a metric that was measured on all answers of a
        repetition together, one number for each repetition.
    n_tested : ndarray of int
        How many cases were asked for each score.
    repetition : ndarray of int
        The repetition to which each score belongs.
    n_fits : int
        How many training sets there were.
    per_example : ndarray of shape (n_cases,) or None
        How often each case was answered wrongly, as a share of the times it was asked; NaN where it never was.
        None for other measures than errors.
    sd_folds : float or None
        Standard deviation of the scores of folds or resamples, within repetitions. It is no measure of the
        uncertainty of `value`: folds share most of their training cases.
    sd_repetitions : float or None
        Standard deviation of the estimate between repetitions with other random folds: what more repetitions
        would smooth out, and nothing else.
    standard_error : float or None
        Monte-Carlo standard error of `value`: how far it is from what infinitely many resamples or repetitions of
        the *same* cases would give.
    parts : mapping of str to float
        What the estimate was put together from, such as the resubstitution error of the .632 estimate.
    interval : Interval or None
        An interval for the truth, where one was asked for or is free.
    warnings : tuple of str
        What must be known before the number is used, in sentences.
    """

    value: float
    method: str
    description: str
    metric: str
    metric_direction: Direction
    scores: Floats = field(repr=False)
    n_tested: NDArray[np.int64] = field(repr=False)
    repetition: NDArray[np.int64] = field(repr=False)
    n_fits: int
    per_example: Floats | None = field(default=None, repr=False)
    sd_folds: float | None = None
    sd_repetitions: float | None = None
    standard_error: float | None = None
    parts: Mapping[str, float] = field(default_factory=dict)
    interval: Interval | None = None
    warnings: tuple[str, ...] = ()

    @property
    def best_guess(self) -> float:
        """The estimate in the middle of the interval, or the plain one where there is no interval.

        A single deal of folds can lie outside of the interval that many deals give.
        """
        return self.value if self.interval is None else self.interval.estimate

    def columns(self) -> Mapping[str, Any]:
        """Give one row for each score."""
        return {"repetition": self.repetition, "n_tested": self.n_tested, self.metric: self.scores}

    def __str__(self) -> str:
        return (
            f"{self.metric.replace('_', ' ')} by {self.description}: {self.say(self.value)}{self._spread()}"
        )

    def say(self, value: float) -> str:
        """Write a value of this measure: errors in per cent."""
        return f"{100 * value:.1f}%" if self.metric == "error" else f"{value:.4f}"

    def _spread(self) -> str:
        notes = []
        if (limits := self.interval) is not None:
            around = f" around {self.say(limits.estimate)}" if limits.kind == "nested-cv" else ""
            ends = f"{self.say(limits.low)} to {self.say(limits.high)}"
            notes.append(f"{100 * limits.confidence:g}% interval {ends}{around}")
        if self.sd_repetitions is not None:
            notes.append(f"s.d. between repetitions {self.say(self.sd_repetitions)}")
        elif self.standard_error is not None:
            notes.append(f"Monte-Carlo s.e. {self.say(self.standard_error)}")
        if n := len(self.warnings):
            notes.append(f"{n} warning{'s' if n > 1 else ''}, see .warnings")
        return f" ({'; '.join(notes)})" if notes else ""
