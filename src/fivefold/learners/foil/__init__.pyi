from .concepts import Concepts, learn_concepts
from .estimator import Foil
from .relational.clauses import Clause, Condition, Definition, Variable
from .relational.estimator import RelationalFoil
from .relational.relations import OUTSIDE, Examples, Relation, Relations, Type

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
