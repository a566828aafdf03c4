from .rules import C45Rules
from .tree import C45Tree

__all__ = [
    "C45Rules",
    "C45Tree",
]
