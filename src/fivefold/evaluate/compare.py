"""Is the best model of a view really better than the others?"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np
from numpy.typing import NDArray
from scipy.stats import norm

from fivefold.evaluate.finding import Finding, Importance
from fivefold.formulas import holm
from fivefold.results.wording import say_p
from fivefold.truth.paired_tests import exact_p

Floats = NDArray[np.float64]
# Mean difference, its standard error, and the two-sided p-value of no difference.
Test = Callable[[Floats, Floats], tuple[float, float, float]]
POINTS = "points"


@dataclass(frozen=True)
class Comparison:
    """The best model of a view against another, case by case.

    Parameters
    ----------
    view : str
        The view.
    better, worse : str
        The two models.
    difference : float
        Mean advantage of the better one for each case, in ``unit``.
    standard_error : float
        Its standard error over the paired cases.
    p_value : float
        Two-sided, of no difference; adjusted by Holm's method for all pairs of models.
    unit : str
        Unit of the difference; a point is a hundredth of the cases.
    test : str
        The test.
    """

    view: str
    better: str
    worse: str
    difference: float
    standard_error: float
    p_value: float
    unit: str
    test: str = "normal, paired over cases"

    @property
    def proven(self) -> bool:
        """Whether chance is ruled out at the 5 % level."""
        return self.p_value < 0.05

    @property
    def told_apart(self) -> bool:
        """Whether the two differ beyond chance, or without limit because one called the truth impossible."""
        return self.proven or self.difference == np.inf

    @property
    def interval(self) -> tuple[float, float]:
        """95% interval of the difference, not adjusted."""
        return self.difference - 1.96 * self.standard_error, self.difference + 1.96 * self.standard_error

    def finding(self) -> Finding:
        """Say which model is better, or that it cannot be told."""
        measured = self.measured()
        if np.isnan(self.difference):
            told = f"{self.better} and {self.worse} cannot be compared: each called the truth impossible"
        elif np.isinf(self.difference):
            told = f"{self.better} is better without limit, for {self.worse} called the truth impossible"
        elif np.isnan(self.standard_error):
            told = f"{self.better} and {self.worse} cannot be told apart by one case"
        elif self.proven:
            told = f"{self.better} is better than {self.worse} by {measured}"
        else:
            told = f"{self.better} and {self.worse} cannot be told apart: the difference is {measured}"
        importance = Importance.VERDICT if self.told_apart else Importance.DETAIL
        sentence = f"By {self.view}, {told}."
        return Finding(self.view, (self.better, self.worse), sentence, self.evidence(), importance)

    def measured(self) -> str:
        """Write the difference with its interval and its p-value."""
        digits = 1 if self.unit == POINTS else 3
        low, high = (f"{end:+.{digits}f}" for end in self.interval)
        return (
            f"{self.difference:.{digits}f} {self.unit} (95% interval {low} to {high}, "
            f"adjusted {say_p(self.p_value)})"
        )

    def evidence(self) -> dict[str, object]:
        """Give the numbers behind the sentence."""
        return {
            "difference": self.difference,
            "interval": self.interval,
            "adjusted_p_value": self.p_value,
            "unit": self.unit,
            "test": self.test,
        }


def comparison_findings(comparisons: Sequence[Comparison]) -> list[Finding]:
    """Say what was proven one by one, and what was not in a single sentence."""
    told = [each.finding() for each in comparisons if each.proven or not np.isfinite(each.difference)]
    open_ones = [each for each in comparisons if not each.proven and np.isfinite(each.difference)]
    if len(open_ones) < 2 or np.isnan(open_ones[0].standard_error):
        return told + [each.finding() for each in open_ones]
    best, others = open_ones[0].better, [each.worse for each in open_ones]
    least = min(each.p_value for each in open_ones)
    sentence = (
        f"By {open_ones[0].view}, {best} cannot be told apart from {', '.join(others[:-1])} and {others[-1]} "
        f"(adjusted {say_p(least)} at the least)."
    )
    evidence = {each.worse: each.evidence() for each in open_ones}
    return [*told, Finding(open_ones[0].view, (best, *others), sentence, evidence, Importance.DETAIL)]


def compare_with_best(
    view: str, names: Sequence[str], scores: Sequence[Floats], unit: str
) -> tuple[Comparison, ...]:
    """Compare the model of the highest mean score with every other, on the same cases.

    The best is only known from the same cases, so the p-values are adjusted for all pairs of models, not only
    for those that are shown.
    """
    return _with_best(Comparison(view, "", "", 0.0, 0.0, 1.0, unit), names, scores, _paired)


def compare_accuracy(names: Sequence[str], right: Sequence[NDArray[np.bool_]]) -> tuple[Comparison, ...]:
    """Compare the model that is right most often with every other, by McNemar's exact test, in points."""
    like = Comparison("accuracy", "", "", 0.0, 0.0, 1.0, POINTS, "McNemar's, exact")
    return _with_best(like, names, [100.0 * each.astype(np.float64) for each in right], _mcnemar)


def _with_best(
    like: Comparison, names: Sequence[str], scores: Sequence[Floats], test: Test
) -> tuple[Comparison, ...]:
    best = int(np.argmax([score.mean() for score in scores]))
    pairs = list(combinations(range(len(names)), 2))
    raw = [test(scores[one], scores[other]) for one, other in pairs]
    adjusted = holm(np.array([p_value for *_, p_value in raw]))
    return tuple(
        _turned(like, names, best, pair, row, float(p_value))
        for pair, row, p_value in zip(pairs, raw, adjusted, strict=True)
        if best in pair
    )


def _turned(
    like: Comparison,
    names: Sequence[str],
    best: int,
    pair: tuple[int, int],
    row: tuple[float, float, float],
    p_value: float,
) -> Comparison:
    other = pair[1] if pair[0] == best else pair[0]
    difference, error, _ = row
    signed = difference if pair[0] == best else -difference
    return replace(
        like,
        better=names[best],
        worse=names[other],
        difference=signed,
        standard_error=error,
        p_value=p_value,
    )


def _mcnemar(one: Floats, other: Floats) -> tuple[float, float, float]:
    mean, error, _ = _paired(one, other)
    return mean, error, exact_p(int(np.sum(one > other)), int(np.sum(one < other)))


def _paired(one: Floats, other: Floats) -> tuple[float, float, float]:
    """Mean difference, its standard error, and the two-sided p-value of no difference."""
    with np.errstate(invalid="ignore"):
        difference = one - other
    difference[np.isneginf(one) & np.isneginf(other)] = 0.0
    limits = set(difference[np.isinf(difference)].tolist())
    if limits:
        return (limits.pop() if len(limits) == 1 else float("nan")), float("nan"), float("nan")
    mean = float(difference.mean())
    error = float(difference.std(ddof=1) / np.sqrt(difference.size)) if difference.size > 1 else float("nan")
    if error == 0.0:
        return mean, 0.0, 1.0 if mean == 0.0 else 0.0
    return mean, error, float(2 * norm.sf(abs(mean) / error))
