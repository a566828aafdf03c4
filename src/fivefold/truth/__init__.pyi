from .compare import Comparison, compare
from .differences import CorrectedT, CorrelatedBayes, corrected_t, correlated_bayes
from .duplicates import DuplicateSensitivity, duplicate_sensitivity
from .error_estimate import ErrorEstimate, Interval
from .estimate_error import estimate_error
from .learning_curve import LearningCurve, learning_curve
from .mcnemar import CountsComparison, McNemar, compare_counts, mcnemar
from .multisets import MultisetErrors, multiset_errors
from .recommend import recommend
from .recommendation import Recommendation
from .refits import predict_after_refits
from .rows_needed import RowsNeeded, rows_needed_for_difference, rows_needed_for_slice, rows_needed_to_compare
from .simulate import simulate
from .simulation import Quality, Simulation

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
