"""Concepts whose truth is known: formulas over boolean attributes, and how wrong a model is about them."""

from fivefold.data.concepts.catalogue import concept, concept_names
from fivefold.data.concepts.dnf import Concept
from fivefold.data.concepts.true_error import TrueError

__all__ = ["Concept", "TrueError", "concept", "concept_names"]
