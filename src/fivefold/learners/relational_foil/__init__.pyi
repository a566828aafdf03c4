from .clauses import Clause, Condition, Definition, Variable
from .estimator import RelationalFoil
from .relations import OUTSIDE, Examples, Relation, Relations, Type

__all__ = [
    "OUTSIDE",
    "Clause",
    "Condition",
    "Definition",
    "Examples",
    "Relation",
    "RelationalFoil",
    "Relations",
    "Type",
    "Variable",
]
