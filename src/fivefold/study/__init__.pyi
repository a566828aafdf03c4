from .engines import EngineError
from .job import Job, derive_seed, fingerprint, generator, seeded, shared, task
from .plan import Folds, Holdout, Plan, make_plan, read_plan
from .results import Mean, Means, Record, Shelf, Status
from .store import StoreError
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
