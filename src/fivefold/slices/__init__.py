"""Slices: where a model errs and where two models differ, in conjunctions that a person can read."""

from fivefold.slices.contrast_set import ContrastSet, ContrastSets
from fivefold.slices.engines import Engine
from fivefold.slices.find_differences import find_differences
from fivefold.slices.find_errors import find_errors
from fivefold.slices.find_scores import find_scores
from fivefold.slices.guard import SliceGuard
from fivefold.slices.slice import HeldBack, Slice, WhoIsRight
from fivefold.slices.slice_set import Correction, SliceSet
from fivefold.slices.stability import Stability
from fivefold.slices.stucco import Stucco

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
