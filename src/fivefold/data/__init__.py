"""Tables of nominal and numeric columns: reading, the classic data sets, discretisation, known concepts."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

from fivefold.data.catalog import SetDescription, describe, names
from fivefold.data.load import load
from fivefold.data.read import read
from fivefold.data.table import Table

if TYPE_CHECKING:
    from fivefold.data.concepts import Concept, TrueError, concept, concept_names
    from fivefold.data.discretise import CutPoints, EqualWidth, Quantiles
    from fivefold.data.mdlp import MDLP

__all__ = [
    "MDLP",
    "Concept",
    "CutPoints",
    "EqualWidth",
    "Quantiles",
    "SetDescription",
    "Table",
    "TrueError",
    "concept",
    "concept_names",
    "describe",
    "load",
    "names",
    "read",
]

_HOME = {
    "Concept": "concepts",
    "CutPoints": "discretise",
    "EqualWidth": "discretise",
    "MDLP": "mdlp",
    "Quantiles": "discretise",
    "TrueError": "concepts",
    "concept": "concepts",
    "concept_names": "concepts",
}


def __getattr__(name: str) -> object:
    # Reading a file must not wait for scikit-learn and numba, which only discretisation needs.
    if name in _HOME:
        return getattr(importlib.import_module(f"fivefold.data.{_HOME[name]}"), name)
    raise AttributeError(f"module 'fivefold.data' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
