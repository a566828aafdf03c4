from .opening import read_cases

__all__ = [
    "read_cases",
]
