"""Borders: how large a model's borders are, and how far from them its cases stand."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fivefold.borders.choosing import Options
    from fivefold.borders.measure_classifier import MeasureClassifier
    from fivefold.borders.measuring import BorderMeasure, measure
    from fivefold.borders.partition import BorderSize, Segments
    from fivefold.borders.scoring import MeasureScorer, TrainingSet, measure_scorer
    from fivefold.borders.sizes import border_distance, border_segments, border_size, estimate_border_size
    from fivefold.borders.terms import MeasureWeights, margin_similarity
    from fivefold.borders.window import Window

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

_HOME = {
    "BorderMeasure": "measuring",
    "BorderSize": "partition",
    "MeasureClassifier": "measure_classifier",
    "MeasureScorer": "scoring",
    "MeasureWeights": "terms",
    "Options": "choosing",
    "Segments": "partition",
    "TrainingSet": "scoring",
    "Window": "window",
    "border_distance": "sizes",
    "border_segments": "sizes",
    "border_size": "sizes",
    "estimate_border_size": "sizes",
    "margin_similarity": "terms",
    "measure": "measuring",
    "measure_scorer": "scoring",
}


def __getattr__(name: str) -> object:
    # Each name loads on first use: the geometry brings compiled kernels and most of scikit-learn.
    if name in _HOME:
        return getattr(importlib.import_module(f"fivefold.borders.{_HOME[name]}"), name)
    raise AttributeError(f"module 'fivefold.borders' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
