"""What a simulation shows: the truth in many training sets, and how near each estimate comes to it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from fivefold.data.dnf_concepts import Concept
from fivefold.results.metric import Direction
from fivefold.results.result import Result, make_frame

Floats = NDArray[np.float64]
SUMMARY = ("mean", "bias", "bias_standard_error", "spread", "rmse", "correlation")


@dataclass(frozen=True)
class Quality:
    """How an estimate compares with the true error over many training sets.

    Parameters
    ----------
    mean : float
        The mean estimate.
    bias, bias_standard_error : float
        The mean of estimate minus true error, and its standard error.
    spread : float
        The standard deviation of the estimate.
    rmse : float
        The root of the mean squared distance from the true error of the same training set.
    correlation : float
        The correlation with the true error; NaN if one of the two never changes.
    """

    mean: float
    bias: float
    bias_standard_error: float
    spread: float
    rmse: float
    correlation: float


@dataclass(frozen=True, eq=False)
class Simulation(Result):
    """The true error and its estimates in training sets drawn from a known concept.

    Parameters
    ----------
    learner : str
        The learner.
    concept : Concept
        What is true.
    n : int
        Cases in each training set.
    true_error : ndarray of shape (n_repeats,)
        The true error of what was learnt from each training set.
    true_error_standard_error : ndarray of shape (n_repeats,)
        0 where the true error is exact.
    estimates : dict from str to ndarray of shape (n_repeats,)
        What each method made of each training set.
    methods : dict from str to str
        The method of `estimate_error` behind each name.
    """

    title: ClassVar[str] = "Estimates against the truth"
    unit: ClassVar[str] = "share of wrong answers"
    direction: ClassVar[Direction] = "neither"

    learner: str
    concept: Concept
    n: int
    true_error: Floats = field(repr=False)
    true_error_standard_error: Floats = field(repr=False)
    estimates: Mapping[str, Floats] = field(repr=False)
    methods: Mapping[str, str]

    @property
    def n_repeats(self) -> int:
        """How many training sets there were."""
        return self.true_error.size

    @property
    def exact(self) -> bool:
        """Whether all true errors are exact."""
        return not self.true_error_standard_error.any()

    @property
    def true_mean(self) -> float:
        """The mean of the true error over training sets."""
        return float(self.true_error.mean())

    @property
    def true_spread(self) -> float:
        """The standard deviation of the true error itself over training sets."""
        return float(self.true_error.std(ddof=1))

    @cached_property
    def quality(self) -> dict[str, Quality]:
        """How near each estimate comes to the truth."""
        return {label: measure(values, self.true_error) for label, values in self.estimates.items()}

    @property
    def best(self) -> str:
        """The estimate with the smallest root mean squared error."""
        return min(self.quality, key=lambda label: self.quality[label].rmse)

    def columns(self) -> Mapping[str, Any]:
        """Give one row for each training set."""
        return {"repeat": np.arange(self.n_repeats), "true_error": self.true_error, **self.estimates}

    def summary(self, library: str = "polars") -> Any:
        """Give a data frame with one row for each estimate: bias, spread, correlation and so on."""
        table: dict[str, list[Any]] = {"estimate": list(self.quality)}
        for name in SUMMARY:
            table[name] = [getattr(found, name) for found in self.quality.values()]
        return make_frame(table, library)

    def sentence(self) -> str:
        """Say in plain words what was found."""
        heads = (
            f"Over {self.n_repeats} training sets of {self.n:,} cases the true error of {self.learner} is "
            f"{_percent(self.true_mean)} on average and varies by {_percent(self.true_spread)} from set to set."
        )
        return " ".join([heads, *(_judge(label, found) for label, found in self.quality.items())])

    def __str__(self) -> str:
        parts = [
            f"{label}: bias {100 * found.bias:+.1f}, spread {100 * found.spread:.1f}, r {found.correlation:.2f}"
            for label, found in self.quality.items()
        ]
        return f"true error {100 * self.true_mean:.1f} ± {100 * self.true_spread:.1f}%; {'; '.join(parts)}"


def measure(estimates: Floats, truth: Floats) -> Quality:
    """Compare the estimates with the true errors of the same training sets."""
    off = estimates - truth
    varied = np.ptp(estimates) > 0 and np.ptp(truth) > 0
    return Quality(
        mean=float(estimates.mean()),
        bias=float(off.mean()),
        bias_standard_error=float(off.std(ddof=1) / math.sqrt(off.size)),
        spread=float(estimates.std(ddof=1)),
        rmse=float(np.sqrt(np.mean(off**2))),
        correlation=float(np.corrcoef(estimates, truth)[0, 1]) if varied else float("nan"),
    )


def _judge(label: str, found: Quality) -> str:
    error = found.bias_standard_error
    if abs(found.bias) <= 2 * error:
        side = f"shows no bias ({100 * found.bias:+.1f} points, standard error {100 * error:.1f})"
    else:
        word = "high" if found.bias > 0 else "low"
        side = f"is too {word} by {_percent(abs(found.bias))} (standard error {100 * error:.1f} points)"
    follows = (
        ""
        if math.isnan(found.correlation)
        else f", and its correlation with the true error is {found.correlation:.2f}"
    )
    return f"The estimate {label} {side}, varies by {_percent(found.spread)}{follows}."


def _percent(share: float) -> str:
    return f"{100 * share:.1f}%"
