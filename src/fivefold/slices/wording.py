"""What a slice says: the paper's sentences, with the evidence behind them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar

from fivefold.results import say_p


@dataclass(frozen=True)
class Evidence:
    """The numbers that a sentence needs."""

    conditions: str
    n: int
    n_agree: int | None
    rate: float
    average: float
    difference: float
    effect_size: float
    interval: tuple[float, float]
    adjusted_p_value: float
    n_tests: int
    alpha: float


@dataclass(frozen=True)
class Wording(ABC):
    """How to say what a slice shows."""

    unit: ClassVar[str] = " points"

    @abstractmethod
    def claim(self, told: Evidence) -> str:
        """Say what is so."""

    @abstractmethod
    def measured(self, told: Evidence) -> str:
        """Say the counts."""

    def sentence(self, told: Evidence) -> str:
        """Say what is so, and how that is known."""
        low, high = (self.amount(end) for end in told.interval)
        return (
            f"{self.claim(told)} {self.measured(told)}; {self.beyond(told)}"
            f"the difference lies between {low} and {high}{self.unit} with {1 - told.alpha:.0%} confidence for "
            f"all slices at once; {say_p(told.adjusted_p_value)} after correction for {told.n_tests:,} tests."
        )

    def beyond(self, told: Evidence) -> str:
        """Say that the paper's number of instances is no total, which it looks like."""
        return f"the {_count(told.effect_size)} are those beyond the average; "

    def amount(self, number: float) -> str:
        """Write a signed difference."""
        return f"{100 * number:+.1f}"


@dataclass(frozen=True)
class Errors(Wording):
    """A model is more or less accurate than average."""

    model: str = "The model"

    def claim(self, told: Evidence) -> str:
        """Say where the model is more or less accurate."""
        less = told.difference < 0
        return (
            f"{self.model} is {_percent(told.difference)} {'less' if less else 'more'} accurate than average on "
            f"cases with {told.conditions}. This represents {_count(told.effect_size)} "
            f"{'misclassified' if less else 'correctly classified'} instances."
        )

    def measured(self, told: Evidence) -> str:
        """Say how many answers are right."""
        return (
            f"There {told.n_agree:,} of {told.n:,} answers are right, {told.rate:.1%} against {told.average:.1%} "
            f"on average"
        )


@dataclass(frozen=True)
class Differences(Wording):
    """Two models agree more or less often than average."""

    first: str = "Model A"
    second: str = "Model B"

    def claim(self, told: Evidence) -> str:
        """Say where the models agree more or less."""
        less = told.difference < 0
        what = "instances with different predictions" if less else "instances with the same prediction"
        return (
            f"{self.first} and {self.second} are {_percent(told.difference)} {'less' if less else 'more'} likely "
            f"to agree than average on cases with {told.conditions}. "
            f"This represents {_count(told.effect_size)} {what}."
        )

    def measured(self, told: Evidence) -> str:
        """Say how many answers agree."""
        return (
            f"There they agree on {told.n_agree:,} of {told.n:,} cases, {told.rate:.1%} against "
            f"{told.average:.1%} on average"
        )


@dataclass(frozen=True)
class Scores(Wording):
    """A number for each case is higher or lower than average."""

    unit: ClassVar[str] = ""

    score: str = "The score"

    def claim(self, told: Evidence) -> str:
        """Say where the number is higher or lower."""
        return (
            f"{self.score} is {abs(told.difference):.3g} {'lower' if told.difference < 0 else 'higher'} than "
            f"average on cases with {told.conditions}. This represents {abs(told.effect_size):.4g} in all."
        )

    def measured(self, told: Evidence) -> str:
        """Say the mean."""
        return f"The mean of these {told.n:,} cases is {told.rate:.4g} against {told.average:.4g} on average"

    def beyond(self, told: Evidence) -> str:
        """Say nothing more: the effect is a sum of deviations already."""
        return ""

    def amount(self, number: float) -> str:
        """Write a signed difference."""
        return f"{number:+.3g}"


def _percent(difference: float) -> str:
    whole = f"{abs(difference):.0%}"
    return whole if whole != "0%" else f"{abs(difference):.1%}"


def _count(effect_size: float) -> str:
    return f"{abs(effect_size):.0f}"
