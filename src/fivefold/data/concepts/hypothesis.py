"""What a model asks of boolean attributes: its rules or the ways to its leaves, as masks."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from functools import lru_cache
from typing import Any

from fivefold.data.concepts.expansion import Conjunction, Rules
from fivefold.data.terms import Above, AtMost, Equals, NotEquals, OneOf, Term, Within

__all__ = ["read_rules"]


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


def _places(model: Any, n_attributes: int) -> dict[str, int]:
    named = getattr(model, "feature_names_in_", None)
    names = [f"x{place}" for place in range(n_attributes)] if named is None else list(named)
    return {name: place for place, name in enumerate(names)}


def _from_rules(model: Any, n_attributes: int) -> Rules | None:
    places, found, outcomes = _places(model, n_attributes), {}, {}
    for number, rule in enumerate(model.rules()):
        if any(term.column not in places for term in rule.terms):
            return None
        conjunction = _conjunction((places[term.column], *_truth(term)) for term in rule.terms)
        if conjunction is not None:
            found[number], outcomes[number] = conjunction, rule.outcome
    return Rules(found, outcomes if _first_decides(model) else None)


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
        return _is_among(value, term.values)
    if isinstance(term, (AtMost, Above)):
        return (value <= term.cut) == isinstance(term, AtMost)
    return isinstance(term, Within) and term.low < value <= term.high


def _is_among(value: bool, values: tuple[Hashable, ...]) -> bool:
    return any(each == value for each in values)


def _from_tree(tree: Any) -> dict[int, Conjunction]:
    """Give the way to each leaf of a scikit-learn tree, by the number of the leaf."""
    left, right = tree.children_left.tolist(), tree.children_right.tolist()
    features, cuts = tree.feature.tolist(), tree.threshold.tolist()
    found: dict[int, Conjunction] = {}
    waiting: list[tuple[int, list[tuple[int, bool, bool]]]] = [(0, [])]
    while waiting:
        node, tests = waiting.pop()
        if left[node] == right[node]:
            way = _conjunction(tests)
            if way is not None:
                found[node] = way
            continue
        low, high = (value <= cuts[node] for value in (0, 1))
        waiting.append((left[node], [*tests, (features[node], low, high)]))
        waiting.append((right[node], [*tests, (features[node], not low, not high)]))
    return found
