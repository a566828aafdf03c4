"""One call that judges models in five views and says where the views disagree.

The package answers to a call itself, because ``fivefold.evaluate`` is the name of both.
"""

import inspect
import sys
from types import ModuleType
from typing import Any

from fivefold.evaluate.bets_view import BetsView
from fivefold.evaluate.bits_view import BitsView
from fivefold.evaluate.compare import Comparison
from fivefold.evaluate.evaluation import Evaluation
from fivefold.evaluate.finding import Finding, Importance
from fivefold.evaluate.from_models import evaluate
from fivefold.evaluate.from_table import evaluate_predictions
from fivefold.evaluate.judging import evaluate_models
from fivefold.evaluate.model_views import ModelViews
from fivefold.evaluate.ranking import Ranking, Standing
from fivefold.evaluate.slices_view import SlicesView
from fivefold.evaluate.truth_view import TruthView

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


class _CallablePackage(ModuleType):
    """A package that is called like its main function."""

    __signature__ = inspect.signature(evaluate)

    def __call__(self, *args: Any, **kwargs: Any) -> Evaluation:
        return evaluate(*args, **kwargs)


sys.modules[__name__].__class__ = _CallablePackage
