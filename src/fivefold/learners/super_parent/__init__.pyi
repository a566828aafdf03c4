from .estimator import SuperParent

__all__ = [
    "SuperParent",
]
