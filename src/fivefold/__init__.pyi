from . import bets, bits, borders, data, learners, papers, slices, study, truth
from .evaluation.five_views import evaluate, evaluate_predictions
from .inputs.predictions import Predictions

__all__ = [
    "Predictions",
    "bets",
    "bits",
    "borders",
    "data",
    "evaluate",
    "evaluate_predictions",
    "learners",
    "papers",
    "slices",
    "study",
    "truth",
]

__version__: str
