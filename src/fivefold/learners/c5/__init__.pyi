from .rules import C5Rules

__all__ = [
    "C5Rules",
]
