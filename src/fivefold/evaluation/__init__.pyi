from .bets_view import BetsView
from .bits_view import BitsView
from .comparisons import Comparison, ModelViews, Ranking, Standing
from .evaluation import Evaluation
from .findings import Finding, Importance
from .five_views import evaluate, evaluate_models, evaluate_predictions
from .slices_view import SlicesView
from .truth_view import TruthView

__all__ = [
    "BetsView",
    "BitsView",
    "Comparison",
    "Evaluation",
    "Finding",
    "Importance",
    "ModelViews",
    "Ranking",
    "SlicesView",
    "Standing",
    "TruthView",
    "evaluate",
    "evaluate_models",
    "evaluate_predictions",
]
