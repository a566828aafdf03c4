from .estimator import OneR

__all__ = [
    "OneR",
]
