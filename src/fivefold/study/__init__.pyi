from .errors import EngineError, StoreError
from .fingerprints import fingerprint
from .job import Job, task
from .means import Mean, Means
from .plan import Plan, make_plan
from .plan_file import read_plan
from .seeds import derive_seed, generator, seeded
from .sharing import shared
from .shelf import Record, Shelf
from .splits import Folds, Holdout
from .status import Status
from .study import Study
from .views import View

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
