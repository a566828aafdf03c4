"""What a metric is called, its unit and its direction; and how every result shows itself."""

from fivefold.results.case_scores import CaseScores, mean_of
from fivefold.results.metric import METRICS, Metric, metric
from fivefold.results.result import Result, make_frame

__all__ = ["METRICS", "CaseScores", "Metric", "Result", "make_frame", "mean_of", "metric"]
