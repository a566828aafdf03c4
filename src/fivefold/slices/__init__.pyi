from .find import Engine, find_differences, find_errors
from .find_numbers import find_scores
from .guard import SliceGuard
from .slice_set import Correction, HeldBack, Slice, SliceSet, Stability, WhoIsRight
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
