from .estimator import Induct
from .significance import chance_of_rule

__all__ = [
    "Induct",
    "chance_of_rule",
]
