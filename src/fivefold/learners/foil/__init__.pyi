from .concepts import Concepts, learn_concepts
from .estimator import Foil

__all__ = [
    "Concepts",
    "Foil",
    "learn_concepts",
]
