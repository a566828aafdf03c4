"""Quinlan's FOIL: clauses for the classes of a table, and for relations."""

from fivefold.learners.foil.concepts import Concepts, learn_concepts
from fivefold.learners.foil.estimator import Foil

__all__ = ["Concepts", "Foil", "learn_concepts"]
