"""Which estimates of error to make, and what to call them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from fivefold.errors import InputError, InputTypeError, show


@dataclass(frozen=True)
class Recipe:
    """How an estimate is made: a method of `estimate_error` and its options."""

    method: str
    options: Mapping[str, Any] = field(default_factory=dict)


Methods: TypeAlias = Mapping[str, Recipe]
MethodsGiven: TypeAlias = str | Iterable[str] | Mapping[str, str | Mapping[str, Any]]


def read_methods(methods: MethodsGiven) -> Methods:
    """Read one method, several, or a mapping from a name of one's own to a method and its options.

    Examples
    --------
    >>> read_methods({"ten folds": {"method": "cv", "n_splits": 10}})
    {'ten folds': Recipe(method='cv', options={'n_splits': 10})}
    """
    if isinstance(methods, str):
        methods = [methods]
    named = methods if isinstance(methods, Mapping) else {each: each for each in methods}
    if not named:
        raise InputError("at least one method", "none")
    return {_label(label): _recipe(label, given) for label, given in named.items()}


def _label(label: object) -> str:
    if not isinstance(label, str) or label == "true_error":
        raise InputTypeError("methods to be named by text", show(label))
    return label


def _recipe(label: str, given: object) -> Recipe:
    if isinstance(given, str):
        return Recipe(given)
    if not isinstance(given, Mapping) or not isinstance(given.get("method"), str):
        raise InputTypeError(
            f"a method, or a mapping with a method and its options, for {show(label)}",
            show(given),
            "write {'method': 'cv', 'n_splits': 10}",
        )
    if "metric" in given:
        raise InputError("estimates of error only", f"metric={show(given['metric'])} for {show(label)}")
    return Recipe(given["method"], {name: value for name, value in given.items() if name != "method"})
