from . import bets, bits, borders, data, learners, papers, slices, study, truth
from .evaluate.from_models import evaluate
from .evaluate.from_table import evaluate_predictions
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
