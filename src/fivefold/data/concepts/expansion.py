"""Shannon expansion: exact probabilities of formulas and rules over fair, independent bits.

A conjunction is a pair of masks: the attributes that must be true, and those that must be false.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeAlias

__all__ = ["Cell", "Conjunction", "Rules", "expand", "probability"]

Conjunction: TypeAlias = tuple[int, int]
Formula: TypeAlias = tuple[Conjunction, ...]
Undecided: TypeAlias = tuple[tuple[int, int, int], ...]  # number of the rule, and what is left of it
State: TypeAlias = tuple[int, Undecided, Formula]

ALWAYS: Formula = ((0, 0),)


@dataclass(frozen=True)
class Rules:
    """The rules of a model that can hold at all.

    Parameters
    ----------
    conjunctions : mapping from int to Conjunction
        What each rule asks for, by its number.
    outcomes : mapping from int to label, or None
        What each rule says, if the first that holds decides; None if more may depend on which rules hold.
    """

    conjunctions: Mapping[int, Conjunction]
    outcomes: Mapping[int, Hashable] | None = None

    def needed(self, held: int, undecided: list[tuple[int, int, int]]) -> tuple[int, Undecided]:
        """Forget the rules that can make no difference any more."""
        if self.outcomes is None or not held:
            return held, tuple(undecided)
        first = _lowest(held)
        while undecided and (
            undecided[-1][0] > first or self.outcomes[undecided[-1][0]] == self.outcomes[first]
        ):
            undecided.pop()
        return 1 << first, tuple(undecided)

    def cell(self, held: int) -> int:
        """Give the same for all sets of rules that are known to get the same answer."""
        if self.outcomes is None or not held:
            return held
        said = self.outcomes[_lowest(held)]
        return 1 << next(number for number, outcome in self.outcomes.items() if outcome == said)


@dataclass
class Cell:
    """All cases for which the same rules hold, or the same rule decides.

    Parameters
    ----------
    true, false : float
        The probability of such a case of the concept, and of one outside it.
    example : int
        The true attributes of one of them.
    """

    true: float
    false: float
    example: int


@lru_cache(maxsize=1 << 16)
def probability(formula: Formula) -> float:
    """Give the exact share of all cases for which one of the conjunctions holds."""
    if not formula or formula == ALWAYS:
        return float(len(formula))
    bit = _next_bit(formula)
    return (probability(given(formula, bit, True)) + probability(given(formula, bit, False))) / 2


@lru_cache(maxsize=1 << 16)
def given(formula: Formula, bit: int, value: bool) -> Formula:
    """Give what is left of a formula once an attribute is known."""
    left = set()
    for true, false in formula:
        if not (false if value else true) & bit:
            left.add((true & ~bit, false & ~bit))
    return ALWAYS if (0, 0) in left else tuple(sorted(left))


def expand(rules: Rules, concept: Formula, max_states: int) -> dict[int, Cell] | None:
    """Divide all cases by which rules hold for them.

    Parameters
    ----------
    rules : Rules
        The rules.
    concept : Formula
        What is true.
    max_states : int
        How many states the expansion may have.

    Returns
    -------
    dict from int to Cell, or None
        By the set of rules that hold, as a mask of their numbers, or as `Rules.cell` gives it; None if there are
        too many states.

    Notes
    -----
    A state is what is left of the rules and of the concept, with the rules that hold already. Ways that lead to
    the same state are continued once. Each step decides an attribute, so that states with more attributes to
    decide come first, and the weight of a state is complete when its turn comes.
    """
    waiting: list[dict[State, tuple[float, int]]] = [{}]
    first = [(number, *rule) for number, rule in sorted(rules.conjunctions.items())]
    _put(waiting, _arrive(rules, 0, first, concept), 1.0, 0)
    cells: dict[int, Cell] = {}
    states = 0
    while waiting:
        for state, (weight, example) in waiting.pop().items():
            held, undecided, left = state
            states += 1
            if states > max_states:
                return None
            if not undecided:
                _settle(cells, rules.cell(held), left, weight, example)
                continue
            bit = _next_bit([(true, false) for _, true, false in undecided])
            for value in (False, True):
                reached = _decide(rules, state, bit, value)
                _put(waiting, reached, weight / 2, example | bit if value else example)
    return cells


def _decide(rules: Rules, state: State, bit: int, value: bool) -> State:
    """Give the state that follows when an attribute is known."""
    held, undecided, left = state
    known = [
        (number, true & ~bit, false & ~bit)
        for number, true, false in undecided
        if not (false if value else true) & bit
    ]
    return _arrive(rules, held, known, given(left, bit, value))


def _arrive(rules: Rules, held: int, known: list[tuple[int, int, int]], left: Formula) -> State:
    """Move the rules of which nothing is left to those that hold."""
    for number, true, false in known:
        if not true | false:
            held |= 1 << number
    held, undecided = rules.needed(held, [rule for rule in known if rule[1] | rule[2]])
    return held, undecided, left


def _put(waiting: list[dict[State, tuple[float, int]]], state: State, weight: float, example: int) -> None:
    attributes = 0
    for _, true, false in state[1]:
        attributes |= true | false
    to_decide = attributes.bit_count()
    while len(waiting) <= to_decide:
        waiting.append({})
    before, example = waiting[to_decide].get(state, (0.0, example))
    waiting[to_decide][state] = before + weight, example


def _lowest(mask: int) -> int:
    return (mask & -mask).bit_length() - 1


def _settle(cells: dict[int, Cell], held: int, left: Formula, weight: float, example: int) -> None:
    true = weight * probability(left)
    cell = cells.setdefault(held, Cell(0.0, 0.0, example))
    cell.true += true
    cell.false += weight - true


def _next_bit(formula: Sequence[Conjunction]) -> int:
    """Choose an attribute that all conjunctions ask for, as the tests of a tree do, or else the weightiest."""
    common = -1
    for true, false in formula:
        common &= true | false
    if common:
        return common & -common
    weights: dict[int, float] = {}
    for true, false in formula:
        asked = true | false
        weight = 0.5 ** asked.bit_count()
        while asked:
            bit = asked & -asked
            asked ^= bit
            weights[bit] = weights.get(bit, 0.0) + weight
    return max(weights, key=weights.__getitem__)
