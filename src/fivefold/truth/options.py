"""The options of each method: those it has, and no others."""

from __future__ import annotations

import numbers
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

from fivefold.errors import InputError, InputTypeError, show
from fivefold.inputs.options import one_of, positive_int, yes_or_no


@dataclass(frozen=True)
class NoOptions:
    """Resubstitution and leave-one-out leave no choice."""


@dataclass(frozen=True)
class HoldoutOptions:
    """What part of the cases is held out."""

    test_size: float | int = 1 / 3
    stratify: bool = True
    confidence: float = 0.95

    def __post_init__(self) -> None:
        yes_or_no(self.stratify, "stratify")
        as_confidence(self.confidence)

    def n_test(self, n_cases: int) -> int:
        """Give the number of test cases."""
        return n_test_rows(self.test_size, n_cases)


@dataclass(frozen=True)
class CvOptions:
    """How the cases are dealt into folds, and whether an interval is wanted."""

    n_splits: int = 10
    n_repeats: int = 1
    stratify: bool = True
    splits: Any = None
    interval: str | None = None
    nested_repeats: int = 50
    confidence: float = 0.95

    def __post_init__(self) -> None:
        positive_int(self.n_splits, "n_splits", least=2)
        positive_int(self.n_repeats, "n_repeats")
        positive_int(self.nested_repeats, "nested_repeats")
        yes_or_no(self.stratify, "stratify")
        as_confidence(self.confidence)
        if self.interval is not None:
            one_of(self.interval, ("nested-cv",), "interval, if not None,")
        if self.splits is not None and (self.n_repeats > 1 or self.interval is not None):
            raise InputError(
                "splits alone", "splits with n_repeats or interval", "these draw random folds of their own"
            )

    def check_size(self, n_cases: int) -> None:
        """Insist on as many cases as folds."""
        check_folds(self.n_splits, n_cases)


@dataclass(frozen=True)
class BootstrapOptions:
    """How many resamples, and whether repeated cases stay in them."""

    n_resamples: int = 50
    duplicates: bool = True

    def __post_init__(self) -> None:
        positive_int(self.n_resamples, "n_resamples")
        yes_or_no(self.duplicates, "duplicates")


@dataclass(frozen=True)
class CorrectedBootstrapOptions:
    """How many resamples, and whether the learner is tested for its sense of duplicates."""

    n_resamples: int = 50
    check_duplicates: bool = True

    def __post_init__(self) -> None:
        positive_int(self.n_resamples, "n_resamples")
        yes_or_no(self.check_duplicates, "check_duplicates")


OPTIONS: Mapping[str, type[Any]] = {
    "resubstitution": NoOptions,
    "holdout": HoldoutOptions,
    "cv": CvOptions,
    "loo": NoOptions,
    "bootstrap": BootstrapOptions,
    "632": CorrectedBootstrapOptions,
    "632+": CorrectedBootstrapOptions,
}


def read_options(method: Any, given: Mapping[str, Any]) -> Any:
    """Check that a method has all the options that were given, and that they make sense."""
    kind = OPTIONS[one_of(method, OPTIONS, "method")]
    allowed = [option.name for option in fields(kind)]
    unknown = [name for name in given if name not in allowed]
    if unknown:
        listed = f"the options {', '.join(allowed)}" if allowed else "no options"
        others = sorted(m for m, other in OPTIONS.items() if unknown[0] in {f.name for f in fields(other)})
        raise InputError(
            f'{listed} with method="{method}"',
            f"{unknown[0]}={show(given[unknown[0]])}",
            f"{unknown[0]} belongs to {', '.join(map(repr, others))}" if others else None,
        )
    return kind(**given)


def as_confidence(value: Any) -> float:
    """Return a confidence strictly between 0 and 1."""
    return inside_unit(value, "confidence")


def inside_unit(value: Any, name: str) -> float:
    """Return a number strictly between 0 and 1."""
    if isinstance(value, bool) or not isinstance(value, numbers.Real):
        raise InputTypeError(f"{name} to be a number", f"{show(value)} ({type(value).__name__})")
    if not 0 < float(value) < 1:
        raise InputError(f"{name} between 0 and 1", show(value))
    return float(value)


def check_folds(n_splits: int, n_cases: int) -> None:
    """Insist on as many cases as folds."""
    if n_splits > n_cases:
        raise InputError(
            "no more folds than cases",
            f"n_splits={n_splits} for {n_cases} cases",
            f"n_splits={n_cases} or fewer",
        )


def n_test_rows(test_size: Any, n_cases: int) -> int:
    """Give the number of test cases that a share or a number of cases stands for."""
    if isinstance(test_size, bool) or not isinstance(test_size, numbers.Real):
        raise InputTypeError(
            "test_size to be a share or a number of cases", f"{show(test_size)} ({type(test_size).__name__})"
        )
    whole = isinstance(test_size, numbers.Integral)
    n_test = int(float(test_size)) if whole else round(float(test_size) * n_cases)
    if not 1 <= n_test <= n_cases - 1:
        raise InputError("test_size that leaves cases on both sides", f"{show(test_size)} of {n_cases} cases")
    return n_test
