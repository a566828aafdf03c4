"""Learners: classic algorithms as scikit-learn estimators, and the theories that they learn."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fivefold.learners.theories import (
        DecisionTree,
        HasTheory,
        Leaf,
        NominalCells,
        NominalEquals,
        NominalMultiway,
        NominalSubset,
        NumericCells,
        NumericSplit,
        RippleDownNode,
        RippleDownTree,
        RuleList,
        RuleSet,
        SingleAttributeRule,
    )

__all__ = [
    "DecisionTree",
    "HasTheory",
    "Leaf",
    "NominalCells",
    "NominalEquals",
    "NominalMultiway",
    "NominalSubset",
    "NumericCells",
    "NumericSplit",
    "RippleDownNode",
    "RippleDownTree",
    "RuleList",
    "RuleSet",
    "SingleAttributeRule",
]

_THEORIES = "fivefold.learners.theories"
_HOME = dict.fromkeys(__all__, _THEORIES)


def __getattr__(name: str) -> object:
    # A learner loads on first use, so that one does not pay for the compiled kernels of all.
    if name in _HOME:
        return getattr(importlib.import_module(_HOME[name]), name)
    raise AttributeError(f"module 'fivefold.learners' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
