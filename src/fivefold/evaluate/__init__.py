"""One call that runs the views on the predictions of several models and says where they disagree."""

from fivefold.evaluate.bets_view import BetsView
from fivefold.evaluate.bits_view import BitsView
from fivefold.evaluate.compare import Comparison
from fivefold.evaluate.evaluation import Evaluation, evaluate_models, evaluate_predictions
from fivefold.evaluate.finding import Finding
from fivefold.evaluate.model_views import ModelViews
from fivefold.evaluate.slices_view import SlicesView

__all__ = [
    "BetsView",
    "BitsView",
    "Comparison",
    "Evaluation",
    "Finding",
    "ModelViews",
    "SlicesView",
    "evaluate_models",
    "evaluate_predictions",
]
