"""The measure-based learner: hill climbing with random rectangles."""

from fivefold.borders.measure_classifier.estimator import MeasureClassifier

__all__ = ["MeasureClassifier"]
