from .bets_view import BetsView
from .bits_view import BitsView
from .compare import Comparison
from .evaluation import Evaluation
from .finding import Finding, Importance
from .from_models import evaluate
from .from_table import evaluate_predictions
from .judging import evaluate_models
from .model_views import ModelViews
from .ranking import Ranking, Standing
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
