"""Minimum message length: trees as in Wallace and Patrick, and decision graphs as in Oliver."""

from fivefold.learners.mml.graph import MMLGraph
from fivefold.learners.mml.tree import MMLTree

__all__ = ["MMLGraph", "MMLTree"]
