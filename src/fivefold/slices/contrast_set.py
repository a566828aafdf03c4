"""Contrast sets: conjunctions that hold more often in one group than in another."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, overload

from fivefold.data.conditions import Term
from fivefold.results.metric import Direction
from fivefold.results.result import Result
from fivefold.results.wording import say_p


@dataclass(frozen=True)
class ContrastSet:
    """A conjunction and how often it holds in each group.

    Parameters
    ----------
    terms : tuple of Term
        The conditions, all of which must hold.
    counts : tuple of int
        Cases of each group for which it holds.
    supports : tuple of float
        The same as a share of the group.
    difference : float
        The largest difference between two supports.
    statistic : float
        Pearson's chi-square of the 2 x G table.
    p_value : float
        Its tail, for this test alone.
    adjusted_p_value : float
        After correction for all tests made.
    shown : bool
        Whether the summary stage shows it: a single term, or one that its shown parts do not explain.
    """

    terms: tuple[Term, ...]
    counts: tuple[int, ...]
    supports: tuple[float, ...]
    difference: float
    statistic: float
    p_value: float
    adjusted_p_value: float
    shown: bool

    @property
    def text(self) -> str:
        """The conjunction in words."""
        return " and ".join(term.to_text() for term in self.terms)

    def to_sql(self) -> str:
        """Write the conjunction as the text of a WHERE clause."""
        return " AND ".join(term.to_sql() for term in self.terms)

    def __str__(self) -> str:
        shares = ", ".join(f"{support:.1%}" for support in self.supports)
        return f"{self.text}: {shares} ({say_p(self.adjusted_p_value)} after correction)"


@dataclass(frozen=True, eq=False)
class ContrastSets(Result, Sequence[ContrastSet]):
    """What a contrast-set miner found, and how many tests that took.

    Parameters
    ----------
    sets : tuple of ContrastSet
        Level by level, the larger chi-square first.
    groups : tuple
        The groups, in the order of counts and supports.
    sizes : tuple of int
        The number of cases in each.
    correction : str
        ``"layered"`` or ``"westfall-young"``.
    alpha : float
        The chance of any false finding that was allowed.
    n_tests : tuple of int
        Conjunctions of each length that the correction accounts for.
    alphas : tuple of float
        The level of one test at each length.
    """

    title: ClassVar[str] = "Contrast sets"
    unit: ClassVar[str] = "share of a group"
    direction: ClassVar[Direction] = "neither"

    sets: tuple[ContrastSet, ...] = field(repr=False)
    groups: tuple[object, ...]
    sizes: tuple[int, ...]
    correction: str
    alpha: float
    n_tests: tuple[int, ...]
    alphas: tuple[float, ...]

    @property
    def shown(self) -> tuple[ContrastSet, ...]:
        """The sets that the summary stage shows."""
        return tuple(one for one in self.sets if one.shown)

    def __len__(self) -> int:
        return len(self.sets)

    @overload
    def __getitem__(self, place: int) -> ContrastSet: ...
    @overload
    def __getitem__(self, place: slice) -> tuple[ContrastSet, ...]: ...
    def __getitem__(self, place: int | slice) -> ContrastSet | tuple[ContrastSet, ...]:
        return self.sets[place]

    def __iter__(self) -> Iterator[ContrastSet]:
        return iter(self.sets)

    def columns(self) -> Mapping[str, Any]:
        """Give one row for each set."""
        table: dict[str, Any] = {"terms": [one.text for one in self.sets]}
        for place, group in enumerate(self.groups):
            table[f"count {group}"] = [one.counts[place] for one in self.sets]
        for place, group in enumerate(self.groups):
            table[f"support {group}"] = [one.supports[place] for one in self.sets]
        for name in ("difference", "statistic", "p_value", "adjusted_p_value", "shown"):
            table[name] = [getattr(one, name) for one in self.sets]
        return table

    def __str__(self) -> str:
        return (
            f"{len(self.sets):,} contrast sets, {len(self.shown):,} of them shown, "
            f"of {sum(self.n_tests):,} tested ({self.correction}, alpha {self.alpha:g})"
        )
