from .case_scores import CaseScores, mean_of
from .metric import METRICS, Metric, metric
from .result import Result, make_frame

__all__ = ["METRICS", "CaseScores", "Metric", "Result", "make_frame", "mean_of", "metric"]
