"""Quinlan's FOIL: clauses for the classes of a table, and for relations."""

from fivefold.learners.foil.concepts import Concepts, learn_concepts
from fivefold.learners.foil.estimator import Foil
from fivefold.learners.foil.relational.clauses import Clause, Condition, Definition, Variable
from fivefold.learners.foil.relational.estimator import RelationalFoil
from fivefold.learners.foil.relational.relations import OUTSIDE, Examples, Relation, Relations, Type

__all__ = [
    "OUTSIDE",
    "Clause",
    "Concepts",
    "Condition",
    "Definition",
    "Examples",
    "Foil",
    "Relation",
    "RelationalFoil",
    "Relations",
    "Type",
    "Variable",
    "learn_concepts",
]
