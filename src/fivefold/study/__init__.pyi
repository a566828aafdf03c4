from .job import Job, fingerprint, shared, task
from .plan import Plan, make_plan, read_plan
from .results import Mean, Means, Record, Shelf, Status
from .seeds import derive_seed, generator, seeded
from .splits import Folds, Holdout
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
