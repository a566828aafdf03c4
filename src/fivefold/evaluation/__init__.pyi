from .bets_view import BetsView
from .bits_view import BitsView
from .borders_view import BordersView, draw_borders
from .confidence_view import ConfidenceView
from .evaluation import Evaluation, ModelViews
from .findings import (
    Advantage,
    Finding,
    Headline,
    Importance,
    Ranking,
    Remark,
    Score,
    ScoreColumn,
    ScoreRow,
    Standing,
)
from .five_views import evaluate, evaluate_models, evaluate_predictions
from .schema import load_schema
from .scorecard import Scorecard
from .slices_view import SlicesView
from .truth_view import TruthView
from .usual_view import UsualView

__all__ = [
    "Advantage",
    "BetsView",
    "BitsView",
    "BordersView",
    "ConfidenceView",
    "Evaluation",
    "Finding",
    "Headline",
    "Importance",
    "ModelViews",
    "Ranking",
    "Remark",
    "Score",
    "ScoreColumn",
    "ScoreRow",
    "Scorecard",
    "SlicesView",
    "Standing",
    "TruthView",
    "UsualView",
    "draw_borders",
    "evaluate",
    "evaluate_models",
    "evaluate_predictions",
    "load_schema",
]
