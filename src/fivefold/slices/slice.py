"""A slice: a conjunction of conditions, and what a model does on the cases where it holds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from fivefold.data.conditions import Term
from fivefold.slices.python_query import python_query


@dataclass(frozen=True)
class HeldBack:
    """A slice measured again on cases that the search never saw.

    Parameters
    ----------
    n : int
        Held-back cases in the slice.
    rate, difference : float
        As in `Slice`, on these cases.
    interval : tuple of float
        Where the difference lies, for all slices at once.
    adjusted_p_value : float
        By Holm's method over all slices.
    """

    n: int
    rate: float
    difference: float
    interval: tuple[float, float]
    adjusted_p_value: float


@dataclass(frozen=True)
class WhoIsRight:
    """Where two models differ, which of them is right.

    Parameters
    ----------
    n_differ : int
        Cases of the slice on which the answers differ.
    n_first, n_second, n_neither : int
        How many of them the first model, the second or neither has right.
    adjusted_p_value : float
        McNemar's exact test of equal chances, by Holm's method over all slices.
    """

    n_differ: int
    n_first: int
    n_second: int
    n_neither: int
    adjusted_p_value: float


@dataclass(frozen=True)
class Slice:
    r"""A conjunction and how the cases in it differ from all cases.

    With A of T cases agreeing, and :math:`a` of the :math:`n` in the slice, the difference is
    :math:`a/n - A/T` and the effect size is :math:`a - nA/T`: what is *additional to average*, not the total.

    Parameters
    ----------
    terms : tuple of Term
        The conditions, all of which hold in the slice.
    n : int
        Cases in the slice.
    n_agree : int or None
        How many of them agree; None where numbers are sliced.
    rate : float
        Their share, or the mean of the numbers.
    difference : float
        The rate less that of all cases.
    effect_size : float
        The difference times n.
    interval : tuple of float
        Where the difference lies, for all slices at once.
    statistic : float
        Of the test: Pearson's chi-square, or z.
    p_value : float
        Of this test alone.
    adjusted_p_value : float
        After correction for all tests.
    sentence : str
        All this in words.
    held_back : HeldBack or None
        The slice measured again on cases held back.
    who_is_right : WhoIsRight or None
        For two models and a known truth.
    """

    terms: tuple[Term, ...]
    n: int
    n_agree: int | None
    rate: float
    difference: float
    effect_size: float
    interval: tuple[float, float]
    statistic: float
    p_value: float
    adjusted_p_value: float
    sentence: str
    held_back: HeldBack | None = None
    who_is_right: WhoIsRight | None = None

    @property
    def conditions(self) -> str:
        """The conditions in words."""
        return " and ".join(term.to_text() for term in self.terms)

    def to_sql(self) -> str:
        """Write the conditions as the text of a WHERE clause, names and values quoted."""
        return " AND ".join(term.to_sql() for term in self.terms)

    def to_python(self) -> str:
        """Write the conditions as a mask over a pandas frame `df`, names and values quoted."""
        return python_query(self.terms)

    def __str__(self) -> str:
        return self.sentence

    def row(self) -> Mapping[str, Any]:
        """Give the numbers by name."""
        plain = ("n", "n_agree", "rate", "difference", "effect_size")
        tests = ("statistic", "p_value", "adjusted_p_value")
        return {
            "conditions": self.conditions,
            **{name: getattr(self, name) for name in plain},
            "low": self.interval[0],
            "high": self.interval[1],
            **{name: getattr(self, name) for name in tests},
            **self._more(),
            "sql": self.to_sql(),
        }

    def _more(self) -> Mapping[str, Any]:
        more: dict[str, Any] = {}
        if self.held_back is not None:
            more["held_back_n"] = self.held_back.n
            more["held_back_difference"] = self.held_back.difference
            more["held_back_low"], more["held_back_high"] = self.held_back.interval
            more["held_back_p_value"] = self.held_back.adjusted_p_value
        if self.who_is_right is not None:
            more["first_right"] = self.who_is_right.n_first
            more["second_right"] = self.who_is_right.n_second
            more["neither_right"] = self.who_is_right.n_neither
            more["who_p_value"] = self.who_is_right.adjusted_p_value
        return more
