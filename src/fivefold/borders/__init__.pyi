from .approximate import Options
from .border_measure import (
    BorderMeasure,
    MeasureScorer,
    TrainingSet,
    border_distance,
    measure,
    measure_scorer,
)
from .choice import Choice, ChosenWeights, choose, choose_weights
from .lattice import BoxRegions, TriangleRegions
from .measure_classifier import Climb, MeasureClassifier
from .partition import BorderSize, Segments
from .sizes import border_segments, border_size, border_size_details
from .terms import MeasureWeights, margin_similarity
from .window import Window

__all__ = [
    "BorderMeasure",
    "BorderSize",
    "BoxRegions",
    "Choice",
    "ChosenWeights",
    "Climb",
    "MeasureClassifier",
    "MeasureScorer",
    "MeasureWeights",
    "Options",
    "Segments",
    "TrainingSet",
    "TriangleRegions",
    "Window",
    "border_distance",
    "border_segments",
    "border_size",
    "border_size_details",
    "choose",
    "choose_weights",
    "margin_similarity",
    "measure",
    "measure_scorer",
]
