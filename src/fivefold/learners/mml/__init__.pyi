from .graph import MMLGraph
from .tree import MMLTree

__all__ = [
    "MMLGraph",
    "MMLTree",
]
