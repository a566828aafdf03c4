"""True error: how often a model is wrong about a concept that is known."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Self

from fivefold.results import Result
from fivefold.results.metric import Direction

__all__ = ["TrueError"]


@dataclass(frozen=True)
class TrueError(Result, float):
    """The probability that a model is wrong about the next case: a number that knows how it was found.

    Parameters
    ----------
    value : float
        The probability.
    missed, false_alarms : float
        The share of wrong answers among cases of the concept, and among all others, before any noise.
    standard_error : float
        0 if the value is exact, else the standard error of the simulation.
    n_cases : int or None
        None if the value is exact, else the number of simulated cases.

    Examples
    --------
    >>> print(TrueError(0.125, 0.25, 0.0))
    true error 12.500% (exact)
    >>> print(TrueError(0.125, 0.25, 0.0, 0.001, 20_000))
    true error 12.50% ± 0.10 (simulated with 20,000 cases)
    >>> TrueError(0.125, 0.25, 0.0) < 0.2
    True
    """

    title: ClassVar[str] = "True error"
    unit: ClassVar[str] = "share of wrong answers"
    direction: ClassVar[Direction] = "lower is better"

    value: float
    missed: float
    false_alarms: float
    standard_error: float = 0.0
    n_cases: int | None = None

    def __new__(cls, value: float, *_: Any, **__: Any) -> Self:
        """Make the number itself of the value."""
        return super().__new__(cls, value)

    @property
    def exact(self) -> bool:
        """Whether the value was computed and not simulated."""
        return self.n_cases is None

    def columns(self) -> Mapping[str, Any]:
        """Give the numbers as one row."""
        return {
            "true_error": [self.value],
            "missed": [self.missed],
            "false_alarms": [self.false_alarms],
            "standard_error": [self.standard_error],
            "exact": [self.exact],
        }

    def __str__(self) -> str:
        if self.n_cases is None:
            return f"true error {100 * self.value:.3f}% (exact)"
        return (
            f"true error {100 * self.value:.2f}% ± {100 * self.standard_error:.2f} "
            f"(simulated with {self.n_cases:,} cases)"
        )
