from .contrast_set import ContrastSet, ContrastSets
from .engines import Engine
from .find_differences import find_differences
from .find_errors import find_errors
from .find_scores import find_scores
from .guard import SliceGuard
from .slice import HeldBack, Slice, WhoIsRight
from .slice_set import Correction, SliceSet
from .stability import Stability
from .stucco import Stucco

__all__ = [
    "ContrastSet",
    "ContrastSets",
    "Correction",
    "Engine",
    "HeldBack",
    "Slice",
    "SliceGuard",
    "SliceSet",
    "Stability",
    "Stucco",
    "WhoIsRight",
    "find_differences",
    "find_errors",
    "find_scores",
]
