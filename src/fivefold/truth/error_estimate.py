"""The result of an estimate of error: the number, its spread, and what must be known about it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from fivefold.results import Direction, Result
from fivefold.truth.refits import RefitAnswers

Floats = NDArray[np.float64]


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
        The estimate that it was made around. For nested cross-validation that is not the plain one: it allows for
        the smaller training sets of the folds and is averaged over all deals.
    """

    low: float
    high: float
    confidence: float
    kind: str
    reason: str
    estimate: float

    def __str__(self) -> str:
        return f"{100 * self.confidence:g}% interval {self.low:.4f} to {self.high:.4f} ({self.kind})"


@dataclass(frozen=True, eq=False)
class ErrorEstimate(Result):
    """An estimate of how often a learner will be wrong on new cases, or of another measure.

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

    title: ClassVar[str] = "Error estimate"
    unit: ClassVar[str] = "share of cases"
    direction: ClassVar[Direction] = "lower is better"

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
        said = []
        if self.interval is not None:
            low, high = self.say(self.interval.low), self.say(self.interval.high)
            around = (
                f" around {self.say(self.interval.estimate)}" if self.interval.kind == "nested-cv" else ""
            )
            said.append(f"{100 * self.interval.confidence:g}% interval {low} to {high}{around}")
        if self.sd_repetitions is not None:
            said.append(f"s.d. between repetitions {self.say(self.sd_repetitions)}")
        elif self.standard_error is not None:
            said.append(f"Monte-Carlo s.e. {self.say(self.standard_error)}")
        if self.warnings:
            said.append(f"{len(self.warnings)} warning{'s' if len(self.warnings) > 1 else ''}, see .warnings")
        return f" ({'; '.join(said)})" if said else ""


RESUBSTITUTION = (
    "Resubstitution asks the learner about the very cases it has learnt from: it says how well they are "
    "remembered, not how new cases will fare."
)
NO_INTERVAL = (
    "This is one data set: a rule learnt from another sample of the same size may err much more or less, and the "
    'spread of the folds does not show it. For an interval ask for method="cv" with interval="nested-cv".'
)
ONE_SPLIT = "Another random split would give another number; the interval holds for this one fitted rule."


def about_answers(judged: RefitAnswers) -> list[str]:
    """Say what happened that the learner's own answers do not show."""
    said = []
    silent, lonely = judged.n_silent(), judged.n_one_class()
    if silent:
        said.append(f"{_many(silent, 'answer was', 'answers were')} empty and counted as wrong.")
    if undefined := judged.n_undefined():
        said.append(
            f"{judged.measure.title} is not defined on {undefined} of {len(judged.sets)} test sets, so the "
            "estimate is not a number; larger or stratified test sets may help."
        )
    if lonely:
        said.append(
            f"{_many(lonely, 'training set', 'training sets')} of {len(judged.sets)} held cases of one class "
            "only; there the answer is that class, and the learner was not asked."
        )
    return said


def about_small_folds(smallest_class: int, n_splits: int) -> list[str]:
    """Say that some folds have no case of a class."""
    if smallest_class >= n_splits:
        return []
    return [
        f"The rarest class has {_many(smallest_class, 'case', 'cases')} for {n_splits} folds: some folds cannot "
        "show whether it is recognised."
    ]


def about_memory(resubstitution: float, out_of_bag: float) -> list[str]:
    """Say that .632 is a fixed share of the out-of-bag error where nothing is got wrong in training."""
    if resubstitution > 0 or out_of_bag == 0:
        return []
    return [
        "The learner makes no error on its own training cases, so the .632 estimate is just 0.632 times the "
        "out-of-bag error. It is then too low where the true error is large and too high where it is small; "
        "which, depends on the learning curve (in Bailey and Elkan's experiments the turn was near 20 to 25%)."
    ]


def about_duplicates(disagreement: float, out_of_bag: float, n_resamples: int) -> str:
    """Say that repeated cases teach this learner nothing."""
    return (
        f"This learner hardly notices repeated cases: with and without them its rules differ on "
        f"{100 * disagreement:.1f}% of the out-of-bag cases ({n_resamples} resamples, out-of-bag error "
        f"{100 * out_of_bag:.1f}%). The out-of-bag error is then that of about 0.632 n cases, and the "
        "weights of .632 were made for learners that do notice. Where the learning curve is steep, prefer "
        "cross-validation."
    )


def about_skipped(skipped: int, n_resamples: int) -> list[str]:
    """Say that some resamples left no case to ask."""
    if not skipped:
        return []
    return [
        f"{_many(skipped, 'resample', 'resamples')} of {n_resamples} held every case and left none to ask."
    ]


def _many(count: int, one: str, several: str) -> str:
    return f"{count} {one if count == 1 else several}"
