from .clauses import Clause, Condition, Definition, Variable
from .estimator import RelationalFoil
from .relations import OUTSIDE, Examples, Relation, Relations, Type
from .solver import Solver

__all__ = [
    "OUTSIDE",
    "Clause",
    "Condition",
    "Definition",
    "Examples",
    "Relation",
    "RelationalFoil",
    "Relations",
    "Solver",
    "Type",
    "Variable",
]
