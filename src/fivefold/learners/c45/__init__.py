"""C4.5, release 8: trees and rules."""

from fivefold.learners.c45.rules import C45Rules
from fivefold.learners.c45.tree import C45Tree

__all__ = ["C45Rules", "C45Tree"]
