"""Fivefold: what accuracy hides about a classifier, in five views of a model."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fivefold import bets, bits, borders, data, learners, papers, slices, study, truth
    from fivefold.evaluate import evaluate, evaluate_predictions
    from fivefold.predictions import Predictions

__version__ = "0.1.0.dev0"

__all__ = [
    "Predictions",
    "bets",
    "bits",
    "borders",
    "data",
    "evaluate",
    "evaluate_predictions",
    "learners",
    "papers",
    "slices",
    "study",
    "truth",
]

_HOME = {"Predictions": "fivefold.predictions", "evaluate_predictions": "fivefold.evaluate"}


def __getattr__(name: str) -> object:
    # Submodules load on first use so that `fivefold --help` does not wait for numba and scikit-learn.
    if name in _HOME:
        return getattr(importlib.import_module(_HOME[name]), name)
    if name in __all__:
        return importlib.import_module(f"fivefold.{name}")
    raise AttributeError(f"module 'fivefold' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
