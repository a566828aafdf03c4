from .find import Engine, find_differences, find_errors
from .guard import SliceGuard
from .score_search import find_scores
from .significance import Correction
from .slice_set import HeldBack, Slice, SliceSet, WhoIsRight
from .stability import Stability
from .stucco import ContrastSet, ContrastSets, Stucco

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
