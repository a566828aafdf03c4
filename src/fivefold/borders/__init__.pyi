from .choosing import Options
from .measure_classifier.estimator import MeasureClassifier
from .measuring import BorderMeasure, measure
from .partition import BorderSize, Segments
from .scoring import MeasureScorer, TrainingSet, measure_scorer
from .sizes import border_distance, border_segments, border_size, estimate_border_size
from .terms import MeasureWeights, margin_similarity
from .window import Window

__all__ = [
    "BorderMeasure",
    "BorderSize",
    "MeasureClassifier",
    "MeasureScorer",
    "MeasureWeights",
    "Options",
    "Segments",
    "TrainingSet",
    "Window",
    "border_distance",
    "border_segments",
    "border_size",
    "estimate_border_size",
    "margin_similarity",
    "measure",
    "measure_scorer",
]
