"""Engines made of learners: rules that C5.0 would make, and parsimonious discrimination."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from math import floor, inf, isinf
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fivefold.data.conditions import Above, AtMost, During, Equals, Has, NotEquals, OneOf, Rule, Term, Within
from fivefold.inputs.columns import Column, to_polars, with_text_categories
from fivefold.learners.rules.c5_rules import C5Rules
from fivefold.learners.rules.discrimination import ParsimoniousDiscrimination
from fivefold.slices.dates import Dates
from fivefold.slices.items import count_conjunctions
from fivefold.slices.texts import Contains

AGREE, DISAGREE = "agree", "disagree"
MIN_CASES = (2, 5, 10, 20, 40, 80, 160, 320, 640)
OVERLAPS = tuple(number / 100 for number in range(0, 100, 5))


class C5Engine:
    """Propose the rules of a C5.0 rule set that tells agreement from disagreement.

    The cost of an error is inversely proportional to the frequency of its class, and the least number of cases in
    two branches is, as in the paper, the one whose rules have the largest median effect, among those that give
    rules for both.

    Parameters
    ----------
    min_cases : sequence of int
        The least numbers of cases to try.
    cost_power : float
        The power of the cost: 1 as in the paper, 0.5 for its square root, 0 for equal costs.

    References
    ----------
    S. D. Bay and M. J. Pazzani, "Characterizing model errors and differences", ICML 2000.
    """

    def __init__(self, min_cases: Sequence[int] = MIN_CASES, cost_power: float = 1.0) -> None:
        self.min_cases = min_cases
        self.cost_power = cost_power
        self.chosen: int | None = None

    def propose(self, columns: Sequence[Column], agree: NDArray[np.bool_]) -> Iterable[Sequence[Term]]:
        """Propose the conditions of each rule."""
        X, labels = to_polars(tuple(columns)), _labels(agree)
        costs = np.zeros((2, 2))
        costs[1, 0], costs[0, 1] = agree.size / (2 * agree.sum()), agree.size / (2 * (~agree).sum())
        costs[costs > 0] **= self.cost_power
        best, proposals = -1.0, list[tuple[Term, ...]]()
        for least in self.min_cases:
            rules = C5Rules(min_cases=least, costs=costs).fit(X, labels).rules()
            conjunctions = _conjunctions(rules, columns)
            if {rule.outcome for rule in rules if rule.terms} != {AGREE, DISAGREE}:
                continue
            counts = count_conjunctions(columns, agree, conjunctions)
            effect = float(np.median(np.abs(counts[:, 1] - counts.sum(axis=1) * agree.mean())))
            if effect > best:
                best, proposals, self.chosen = effect, conjunctions, least
        return proposals

    def __str__(self) -> str:
        return "C5 rules" if self.chosen is None else f"C5 rules with -m {self.chosen}"


class DiscriminationEngine:
    """Propose what tells agreement and disagreement apart with as few columns as possible.

    The least overlap of the two is taken at which any column tells them apart.

    Parameters
    ----------
    overlaps : sequence of float
        The overlaps to try, in ascending order.

    References
    ----------
    R. E. Valdés-Pérez and V. Pericliev, "Maximally parsimonious discrimination", AAAI 1997.
    """

    def __init__(self, overlaps: Sequence[float] = OVERLAPS) -> None:
        self.overlaps = overlaps
        self.chosen: float | None = None

    def propose(self, columns: Sequence[Column], agree: NDArray[np.bool_]) -> Iterable[Sequence[Term]]:
        """Propose the profiles of both."""
        X, labels = to_polars(tuple(columns)), _labels(agree)
        for overlap in self.overlaps:
            model = ParsimoniousDiscrimination(max_overlap=overlap, open_ranges=True).fit(X, labels)
            if not model.uncontrasted_:
                self.chosen = overlap
                return _conjunctions(model.rules(), columns)
        return []

    def __str__(self) -> str:
        name = "parsimonious discrimination"
        return name if self.chosen is None else f"{name} with an overlap of {self.chosen:.0%}"


def _labels(agree: NDArray[np.bool_]) -> NDArray[np.str_]:
    return np.where(agree, AGREE, DISAGREE)


def _conjunctions(rules: Iterable[Rule], columns: Sequence[Column]) -> list[tuple[Term, ...]]:
    named = {column.name: column for column in columns}
    return [
        tuple(_own_values(term, named[term.column]) for term in rule.terms) for rule in rules if rule.terms
    ]


def _own_values(term: Term, column: Column) -> Term:
    """Put the column's own values in place of the texts that stood for them in the frame."""
    if column.derived is not None:
        return _derived(term, column)
    if column.categories is None:
        return term
    codes = np.arange(len(column.categories), dtype=np.int32)
    text = with_text_categories(replace(column, values=codes))
    assert text.categories is not None
    own: dict[Any, Any] = {
        text.categories[place]: column.categories[code] for code, place in enumerate(text.values)
    }
    match term:
        case Equals(value=value) | NotEquals(value=value):
            return replace(term, value=own[value])
        case OneOf(values=values):
            return replace(term, values=tuple(own[value] for value in values))
    return term


def _derived(term: Term, column: Column) -> Term:
    """Ask a date or a text what a rule asks the column that was made of it."""
    if isinstance(column.derived, Dates):
        low, high = -inf, inf
        match term:
            case AtMost(cut=cut):
                high = cut
            case Above(cut=cut):
                low = cut
            case Within():
                low, high = term.low, term.high
        # of whole numbers those above 4.5, or above 4, begin with 5
        start, end = (number if isinf(number) else floor(number) + 1.0 for number in (low, high))
        return During(column.name, start, end, of=column.derived)
    own = _own_values(term, replace(column, derived=None))
    if isinstance(column.derived, Contains):
        return Has(
            column.name, own in (Equals(column.name, True), NotEquals(column.name, False)), of=column.derived
        )
    return replace(own, of=column.derived)
