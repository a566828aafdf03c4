from .border_measure import BorderMeasure, MeasureScorer, TrainingSet, measure, measure_scorer
from .measure_classifier import MeasureClassifier
from .partition import BorderSize, Segments
from .sizes import Options, border_distance, border_segments, border_size, estimate_border_size
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
