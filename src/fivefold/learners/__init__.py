"""Learners: classic algorithms as scikit-learn estimators, and the theories that they learn."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fivefold.learners.c5 import C5Rules
    from fivefold.learners.c45 import C45Rules, C45Tree
    from fivefold.learners.decision_stump import DecisionStump
    from fivefold.learners.discrimination import ParsimoniousDiscrimination
    from fivefold.learners.foil import Foil, RelationalFoil
    from fivefold.learners.id3 import ID3
    from fivefold.learners.induct import Induct
    from fivefold.learners.mml import MMLGraph, MMLTree
    from fivefold.learners.naive_bayes import NaiveBayes
    from fivefold.learners.one_r import OneR
    from fivefold.learners.prism import Prism
    from fivefold.learners.super_parent import SuperParent
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
    "ID3",
    "C5Rules",
    "C45Rules",
    "C45Tree",
    "DecisionStump",
    "DecisionTree",
    "Foil",
    "HasTheory",
    "Induct",
    "Leaf",
    "MMLGraph",
    "MMLTree",
    "NaiveBayes",
    "NominalCells",
    "NominalEquals",
    "NominalMultiway",
    "NominalSubset",
    "NumericCells",
    "NumericSplit",
    "OneR",
    "ParsimoniousDiscrimination",
    "Prism",
    "RelationalFoil",
    "RippleDownNode",
    "RippleDownTree",
    "RuleList",
    "RuleSet",
    "SingleAttributeRule",
    "SuperParent",
]

_LEARNERS = {
    "C45Rules": "c45",
    "C45Tree": "c45",
    "C5Rules": "c5",
    "DecisionStump": "decision_stump",
    "Foil": "foil",
    "ID3": "id3",
    "Induct": "induct",
    "MMLGraph": "mml",
    "MMLTree": "mml",
    "NaiveBayes": "naive_bayes",
    "OneR": "one_r",
    "ParsimoniousDiscrimination": "discrimination",
    "Prism": "prism",
    "RelationalFoil": "foil",
    "SuperParent": "super_parent",
}
_HOME = {name: f"fivefold.learners.{_LEARNERS.get(name, 'theories')}" for name in __all__}


def __getattr__(name: str) -> object:
    # A learner loads on first use, so that one does not pay for the compiled kernels of all.
    if name in _HOME:
        return getattr(importlib.import_module(_HOME[name]), name)
    raise AttributeError(f"module 'fivefold.learners' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
