"""Studies: long comparisons that survive the death of the process."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fivefold.study.errors import EngineError, StoreError
    from fivefold.study.fingerprints import fingerprint
    from fivefold.study.job import Job, task
    from fivefold.study.means import Mean, Means
    from fivefold.study.plan import Plan, make_plan
    from fivefold.study.plan_file import read_plan
    from fivefold.study.seeds import derive_seed, generator, seeded
    from fivefold.study.sharing import shared
    from fivefold.study.shelf import Record, Shelf
    from fivefold.study.splits import Folds, Holdout
    from fivefold.study.status import Status
    from fivefold.study.study import Study
    from fivefold.study.views import View

_HOME = {
    "EngineError": "errors",
    "Folds": "splits",
    "Holdout": "splits",
    "Job": "job",
    "Mean": "means",
    "Means": "means",
    "Plan": "plan",
    "Record": "shelf",
    "Shelf": "shelf",
    "Status": "status",
    "StoreError": "errors",
    "Study": "study",
    "View": "views",
    "derive_seed": "seeds",
    "fingerprint": "fingerprints",
    "generator": "seeds",
    "make_plan": "plan",
    "read_plan": "plan_file",
    "seeded": "seeds",
    "shared": "sharing",
    "task": "job",
}

__all__ = [
    "EngineError",
    "Folds",
    "Holdout",
    "Job",
    "Mean",
    "Means",
    "Plan",
    "Record",
    "Shelf",
    "Status",
    "StoreError",
    "Study",
    "View",
    "derive_seed",
    "fingerprint",
    "generator",
    "make_plan",
    "read_plan",
    "seeded",
    "shared",
    "task",
]


def __getattr__(name: str) -> object:
    # `fivefold study --help` must not wait for numba and scikit-learn, which only some of these need.
    if name in _HOME:
        return getattr(importlib.import_module(f"fivefold.study.{_HOME[name]}"), name)
    raise AttributeError(f"module 'fivefold.study' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
