from .estimator import Prism

__all__ = [
    "Prism",
]
