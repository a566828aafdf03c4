"""C5.0: rules that vote."""

from fivefold.learners.c5.rules import C5Rules

__all__ = ["C5Rules"]
