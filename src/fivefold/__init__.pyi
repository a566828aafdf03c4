from . import bets, bits, borders, data, learners, papers, slices, study, truth
from .evaluation.five_views import evaluate, evaluate_predictions
from .inputs.answers import clean_answers
from .inputs.predictions import Predictions

__all__ = [
    "Predictions",
    "bets",
    "bits",
    "borders",
    "clean_answers",
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
