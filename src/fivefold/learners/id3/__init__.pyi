from .estimator import ID3

__all__ = [
    "ID3",
]
