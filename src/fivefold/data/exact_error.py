"""How wrong a model is about a formula over fair bits: exactly where its rules can be read, else by simulation.

A conjunction is a pair of masks: the attributes that must be true, and those that must be false. Exact shares come
by Shannon expansion of the formula and the rules together.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray

from fivefold.data.conditions import Above, AtMost, Equals, NotEquals, OneOf, Term, Within
from fivefold.errors import InputError, show
from fivefold.inputs.frames import default_names
from fivefold.inputs.labels import is_missing
from fivefold.inputs.options import amount
from fivefold.results import LOWER, Result

Bools = NDArray[np.bool_]
Conjunction: TypeAlias = tuple[int, int]
Formula: TypeAlias = tuple[Conjunction, ...]
Undecided: TypeAlias = tuple[tuple[int, int, int], ...]  # number of the rule, and what is left of it
State: TypeAlias = tuple[int, Undecided, Formula]
ALWAYS: Formula = ((0, 0),)
BLOCK = 1 << 16
LARGEST_TABLE = 12  # attributes


@dataclass(frozen=True)
class TrueError(Result, float, title="True error", unit="share of wrong answers", direction=LOWER):
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

    value: float
    missed: float
    false_alarms: float
    standard_error: float = 0.0
    n_cases: int | None = None

    def __new__(cls, value: float, *_: Any, **__: Any) -> Self:
        """Make the number itself of the value."""
        return super().__new__(cls, amount(value, "value"))

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


@dataclass(frozen=True)
class ErrorShares:
    """The shares of wrong answers within the concept and outside it, and how many cases gave each."""

    missed: float
    false_alarms: float
    n_each: int | None = None


def formula_shares(hypothesis: Formula, formula: Formula, max_states: int) -> ErrorShares | None:
    """Judge another formula: a case for which one of its conjunctions holds is taken to be of the concept."""
    rules = Rules(dict(enumerate(hypothesis)), dict.fromkeys(range(len(hypothesis)), True))
    cells = expand(rules, formula, max_states)
    return None if cells is None else _shares(cells, {held: (held > 0, held == 0) for held in cells})


def exact_shares(
    model: Any, formula: Formula, n_attributes: int, max_states: int, probe: Bools
) -> ErrorShares | None:
    """Judge a model by its rules; None if it has none, too many, or if they do not settle its answers.

    A model whose answer depends on nothing but which of its rules hold, or on the first of them if it says so,
    gives one answer in each cell of the expansion, and is asked for it. The cases of `probe` are asked beside
    them, and must get the answers of their cells.
    """
    rules = read_rules(model, n_attributes)
    cells = None if rules is None else expand(rules, formula, max_states)
    if rules is None or cells is None:
        return None
    examples = _as_cases([cell.example for cell in cells.values()], n_attributes)
    claimed, denied = claims(model, np.concatenate([examples, probe]))
    answers = {held: (bool(claimed[k]), bool(denied[k])) for k, held in enumerate(cells)}
    for k, held in enumerate(_held(rules, probe), start=len(cells)):
        if answers[held] != (claimed[k], denied[k]):
            return None
    return _shares(cells, answers)


def simulated_shares(
    model: Any, formula: Formula, n_attributes: int, n_cases: int, rng: np.random.Generator
) -> ErrorShares:
    """Judge a model by fresh cases, half of them of the concept."""
    half = -(-n_cases // 2)
    X = draw(formula, np.arange(2 * half) < half, n_attributes, rng)
    claimed, denied = claims(model, X)
    return ErrorShares(float(np.mean(~claimed[:half])), float(np.mean(~denied[half:])), half)


def claims(model: Any, X: Bools) -> tuple[Bools, Bools]:
    """Say which cases a model takes to be of the concept, and which not; one may be neither."""
    answers = np.asarray(model.predict(_named(model, X))).astype(object)
    claimed, denied = (np.equal(answers, value).astype(bool) for value in (True, False))
    for answer in answers[~claimed & ~denied]:
        if not is_missing(answer):
            hint = "fit it with the y that sample gives"
            raise InputError("a model that answers True or False (or 1 or 0, or None)", show(answer), hint)
    return claimed, denied


def _named(model: Any, X: Bools) -> Any:
    """Give cases the names of the attributes that the model was fitted with, if there were any."""
    names = getattr(model, "feature_names_in_", None)
    if names is None:
        return X
    import polars as pl

    return pl.DataFrame(X, schema=list(names))


def _shares(cells: Mapping[int, Division], answers: Mapping[int, tuple[bool, bool]]) -> ErrorShares:
    true, false = (sum(part) for part in zip(*((c.true, c.false) for c in cells.values()), strict=True))
    missed = sum(cell.true for held, cell in cells.items() if not answers[held][0])
    false_alarms = sum(cell.false for held, cell in cells.items() if not answers[held][1])
    return ErrorShares(missed / true, false_alarms / false)


def _held(rules: Rules, X: Bools) -> list[int]:
    masks = [0] * X.shape[0]
    for number, rule in rules.conjunctions.items():
        for row in np.flatnonzero(holds((rule,), X)).tolist():
            masks[row] |= 1 << number
    return [rules.cell(mask) for mask in masks]


def _as_cases(masks: list[int], n_attributes: int) -> Bools:
    width = -(-n_attributes // 8)
    raw = np.frombuffer(b"".join(mask.to_bytes(width, "little") for mask in masks), dtype=np.uint8)
    bits = np.unpackbits(raw.reshape(len(masks), width), axis=1, bitorder="little")
    return np.asarray(bits[:, :n_attributes].astype(bool))


def read_rules(model: Any, n_attributes: int) -> Rules | None:
    """Give the rules of a model that can hold; None if it has none that can be read."""
    if callable(getattr(model, "rules", None)):
        return _from_rules(model, n_attributes)
    if hasattr(model, "classes_") and hasattr(getattr(model, "tree_", None), "children_left"):
        return Rules(_from_tree(model.tree_))
    return None


def _first_decides(model: Any) -> bool:
    """Say whether a model declares that the first rule that holds decides: its theory is a list or one concept."""
    theory: Any = model.theory() if callable(getattr(model, "theory", None)) else None
    if not hasattr(theory, "rules"):
        return False
    return not hasattr(theory, "target") or theory.target is not None


def _from_rules(model: Any, n_attributes: int) -> Rules | None:
    names = getattr(model, "feature_names_in_", default_names(n_attributes))
    places, conjunctions, outcomes = {name: place for place, name in enumerate(names)}, {}, {}
    for number, rule in enumerate(model.rules()):
        if any(term.column not in places for term in rule.terms):
            return None
        conjunction = _conjunction((places[term.column], *_truth(term)) for term in rule.terms)
        if conjunction is not None:
            conjunctions[number], outcomes[number] = conjunction, rule.outcome
    return Rules(conjunctions, outcomes if _first_decides(model) else None)


def _conjunction(tests: Iterable[tuple[int, bool, bool]]) -> Conjunction | None:
    """Join tests, each an attribute and whether it passes when false and when true; None if nothing passes."""
    true = false = 0
    for place, when_false, when_true in tests:
        if not when_false:
            true |= 1 << place
        if not when_true:
            false |= 1 << place
    return None if true & false else (true, false)


@lru_cache(maxsize=4096)
def _truth(term: Term) -> tuple[bool, bool]:
    """Say whether a term holds for False and for True."""
    return _holds(term, False), _holds(term, True)


def _holds(term: Term, value: bool) -> bool:
    if isinstance(term, (Equals, NotEquals)):
        return (term.value == value) == isinstance(term, Equals)
    if isinstance(term, OneOf):
        return value in term.values
    if isinstance(term, (AtMost, Above)):
        return (value <= term.cut) == isinstance(term, AtMost)
    return isinstance(term, Within) and term.low < value <= term.high


def _from_tree(tree: Any) -> dict[int, Conjunction]:
    """Give the way to each leaf of a scikit-learn tree, by the number of the leaf."""
    left, right = tree.children_left.tolist(), tree.children_right.tolist()
    features, cuts = tree.feature.tolist(), tree.threshold.tolist()
    ways: dict[int, Conjunction] = {}
    waiting: list[tuple[int, list[tuple[int, bool, bool]]]] = [(0, [])]
    while waiting:
        node, tests = waiting.pop()
        if left[node] == right[node]:
            way = _conjunction(tests)
            if way is not None:
                ways[node] = way
            continue
        low, high = (value <= cuts[node] for value in (0, 1))
        waiting.append((left[node], [*tests, (features[node], low, high)]))
        waiting.append((right[node], [*tests, (features[node], not low, not high)]))
    return ways


@dataclass(frozen=True)
class Rules:
    """The rules of a model that can hold at all, by their numbers."""

    conjunctions: Mapping[int, Conjunction]
    outcomes: Mapping[int, Hashable] | None = None  # None if more depends on the rules than which holds first

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
        decided = self.outcomes[_lowest(held)]
        return 1 << next(number for number, outcome in self.outcomes.items() if outcome == decided)


@dataclass
class Division:
    """All cases for which the same rules hold, or the same rule decides."""

    true: float  # the probability of such a case of the concept,
    false: float  # and of one outside it
    example: int  # the true attributes of one of them


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


def expand(rules: Rules, concept: Formula, max_states: int) -> dict[int, Division] | None:
    """Divide all cases by which rules hold for them, as `Rules.cell` gives it; None beyond `max_states` states.

    A state is what is left of the rules and of the concept, with the rules that hold already. Ways that lead to
    the same state are continued once. Each step decides an attribute, so that states with more attributes to
    decide come first, and the weight of a state is complete when its turn comes.
    """
    waiting: list[dict[State, tuple[float, int]]] = [{}]
    first = [(number, *rule) for number, rule in sorted(rules.conjunctions.items())]
    _put(waiting, _arrive(rules, 0, first, concept), 1.0, 0)
    cells: dict[int, Division] = {}
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
    to_decide = _asked((true, false) for _, true, false in state[1]).bit_count()
    while len(waiting) <= to_decide:
        waiting.append({})
    before, example = waiting[to_decide].get(state, (0.0, example))
    waiting[to_decide][state] = before + weight, example


def _lowest(mask: int) -> int:
    return (mask & -mask).bit_length() - 1


def _settle(cells: dict[int, Division], held: int, left: Formula, weight: float, example: int) -> None:
    true = weight * probability(left)
    cell = cells.setdefault(held, Division(0.0, 0.0, example))
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


def _asked(formula: Iterable[Conjunction]) -> int:
    """Give the attributes that some conjunction asks for."""
    attributes = 0
    for true, false in formula:
        attributes |= true | false
    return attributes


def holds(formula: Formula, X: Bools) -> Bools:
    """Say for each case whether one of the conjunctions holds."""
    truth = np.zeros(X.shape[0], dtype=bool)
    for true, false in formula:
        truth |= X[:, _mask_places(true)].all(axis=1) & ~X[:, _mask_places(false)].any(axis=1)
    return truth


def draw(formula: Formula, truth: Bools, n_attributes: int, rng: np.random.Generator) -> Bools:
    """Draw a case for each given truth, uniformly among all cases with that truth."""
    X = rng.integers(0, 2, size=(truth.size, n_attributes), dtype=np.uint8).astype(bool)
    places = _mask_places(_asked(formula))

    def fitting(values: Bools, value: bool) -> Bools:
        cases = np.zeros((len(values), n_attributes), dtype=bool)
        cases[:, places] = values
        return np.asarray(values[holds(formula, cases) == value])

    for value in (False, True):
        rows = np.flatnonzero(truth == value)
        if len(places) <= LARGEST_TABLE:
            every = (np.arange(1 << len(places))[:, np.newaxis] >> np.arange(len(places))) & 1 == 1
            wanted = fitting(every, value)
            drawn = wanted[rng.integers(len(wanted), size=rows.size)]
        else:
            drawn = np.empty((0, len(places)), dtype=bool)
            while len(drawn) < rows.size:
                tried = rng.integers(0, 2, size=(BLOCK, len(places)), dtype=np.uint8).astype(bool)
                drawn = np.concatenate([drawn, fitting(tried, value)])
        X[rows[:, np.newaxis], places] = drawn[: rows.size]
    return X


def _mask_places(mask: int) -> list[int]:
    return [place for place in range(mask.bit_length()) if mask >> place & 1]
