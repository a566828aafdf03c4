from .engines import EngineError
from .job import Job, derive_seed, fingerprint, generator, seeded, shared, task
from .plan import Folds, Holdout, Plan, make_plan, read_plan
from .results import FileCheck, Mean, Means, Shelf, Status, check_results
from .rows import Record
from .store import StoreError, StoreWarning
from .study import Study
from .trial import View

__all__ = [
    "EngineError",
    "FileCheck",
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
    "StoreWarning",
    "Study",
    "View",
    "check_results",
    "derive_seed",
    "fingerprint",
    "generator",
    "make_plan",
    "read_plan",
    "seeded",
    "shared",
    "task",
]
