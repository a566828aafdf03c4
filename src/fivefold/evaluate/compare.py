"""Is the best model of a view really better than the others?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray
from scipy.stats import norm

from fivefold.evaluate.finding import Finding
from fivefold.formulas.multiplicity import holm
from fivefold.results.wording import say_p


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
        Unit of the difference.
    """

    view: str
    better: str
    worse: str
    difference: float
    standard_error: float
    p_value: float
    unit: str

    @property
    def proven(self) -> bool:
        """Whether chance is ruled out at the 5 % level."""
        return self.p_value < 0.05

    @property
    def interval(self) -> tuple[float, float]:
        """95 % interval of the difference, not adjusted."""
        return self.difference - 1.96 * self.standard_error, self.difference + 1.96 * self.standard_error

    def finding(self) -> Finding:
        """Say which model is better, or that it cannot be told."""
        low, high = self.interval
        measured = (
            f"{self.difference:.3f} {self.unit} (95 % interval {low:+.3f} to {high:+.3f}, "
            f"adjusted {say_p(self.p_value)})"
        )
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
        return Finding(self.view, (self.better, self.worse), f"{told}.", self._evidence())

    def _evidence(self) -> dict[str, object]:
        return {
            "difference": self.difference,
            "interval": self.interval,
            "adjusted_p_value": self.p_value,
            "unit": self.unit,
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
        f"{best} cannot be told apart from {', '.join(others[:-1])} and {others[-1]} on these cases "
        f"(adjusted {say_p(least)} at the least)."
    )
    evidence = {each.worse: each._evidence() for each in open_ones}
    return [*told, Finding(open_ones[0].view, (best, *others), sentence, evidence)]


def compare_with_best(
    view: str, names: Sequence[str], scores: Sequence[NDArray[np.float64]], unit: str
) -> tuple[Comparison, ...]:
    """Compare the model of the highest mean score with every other, on the same cases.

    The best is only known from the same cases, so the p-values are adjusted for all pairs of models, not only
    for those that are shown.
    """
    best = int(np.argmax([score.mean() for score in scores]))
    pairs = list(combinations(range(len(names)), 2))
    raw = [_paired(scores[one], scores[other]) for one, other in pairs]
    adjusted = holm(np.array([p_value for *_, p_value in raw]))
    return tuple(
        _comparison(view, names, best, pair, row, float(p_value), unit)
        for pair, row, p_value in zip(pairs, raw, adjusted, strict=True)
        if best in pair
    )


def _comparison(
    view: str,
    names: Sequence[str],
    best: int,
    pair: tuple[int, int],
    row: tuple[float, float, float],
    p_value: float,
    unit: str,
) -> Comparison:
    other = pair[1] if pair[0] == best else pair[0]
    difference, error, _ = row
    signed = difference if pair[0] == best else -difference
    return Comparison(view, names[best], names[other], signed, error, p_value, unit)


def _paired(one: NDArray[np.float64], other: NDArray[np.float64]) -> tuple[float, float, float]:
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
