"""Truth: how well will a learner do on new cases, and how far can an estimate of that be trusted?"""

from __future__ import annotations

from fivefold.truth.compare import Comparison, compare
from fivefold.truth.differences import CorrectedT, CorrelatedBayes, corrected_t, correlated_bayes
from fivefold.truth.duplicates import DuplicateSensitivity, duplicate_sensitivity
from fivefold.truth.error_estimate import ErrorEstimate, Interval
from fivefold.truth.estimate_error import estimate_error
from fivefold.truth.learning_curve import LearningCurve, learning_curve
from fivefold.truth.mcnemar import CountsComparison, McNemar, compare_counts, mcnemar
from fivefold.truth.multisets import MultisetErrors, multiset_errors
from fivefold.truth.recommend import recommend
from fivefold.truth.recommendation import Recommendation
from fivefold.truth.refits import predict_after_refits
from fivefold.truth.rows_needed import (
    RowsNeeded,
    rows_needed_for_difference,
    rows_needed_for_slice,
    rows_needed_to_compare,
)
from fivefold.truth.simulate import simulate
from fivefold.truth.simulation import Quality, Simulation

__all__ = [
    "Comparison",
    "CorrectedT",
    "CorrelatedBayes",
    "CountsComparison",
    "DuplicateSensitivity",
    "ErrorEstimate",
    "Interval",
    "LearningCurve",
    "McNemar",
    "MultisetErrors",
    "Quality",
    "Recommendation",
    "RowsNeeded",
    "Simulation",
    "compare",
    "compare_counts",
    "corrected_t",
    "correlated_bayes",
    "duplicate_sensitivity",
    "estimate_error",
    "learning_curve",
    "mcnemar",
    "multiset_errors",
    "predict_after_refits",
    "recommend",
    "rows_needed_for_difference",
    "rows_needed_for_slice",
    "rows_needed_to_compare",
    "simulate",
]
