from .job import Job, fingerprint, shared, task
from .plan import Folds, Holdout, Plan, derive_seed, generator, make_plan, read_plan, seeded
from .results import Mean, Means, Record, Shelf, Status
from .store import EngineError, StoreError
from .study import Study
from .trial import View

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
