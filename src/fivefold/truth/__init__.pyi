from .bootstrap import DuplicateSensitivity, duplicate_sensitivity
from .comparison import Comparison, compare
from .cross_validation import ErrorBySize, error_by_size
from .error_estimate import ErrorEstimate, Interval
from .estimation import estimate_error
from .fast_refits import predict_after_refits
from .multisets import MultisetErrors, multiset_errors
from .paired_tests import (
    CorrectedT,
    CorrelatedBayes,
    CountsComparison,
    McNemar,
    compare_counts,
    corrected_t,
    correlated_bayes,
    mcnemar,
)
from .recommendation import Recommendation, recommend
from .rows_needed import RowsNeeded, rows_needed_for_difference, rows_needed_for_slice, rows_needed_to_compare
from .simulation import LearningCurve, Quality, Simulation, learning_curve, simulate

__all__ = [
    "Comparison",
    "CorrectedT",
    "CorrelatedBayes",
    "CountsComparison",
    "DuplicateSensitivity",
    "ErrorBySize",
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
    "error_by_size",
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
