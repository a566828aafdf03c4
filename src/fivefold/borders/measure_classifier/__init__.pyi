from .estimator import MeasureClassifier

__all__ = [
    "MeasureClassifier",
]
