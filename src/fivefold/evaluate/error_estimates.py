"""How often a learner errs after other training sets, where finding out is not too much work."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from fivefold.errors import InputError, InputTypeError
from fivefold.evaluate.training import Trained
from fivefold.truth.error_estimate import ErrorEstimate
from fivefold.truth.estimation import estimate_error

FOLDS = 5
DEALS = 10
# one fold or two left out of each deal
NESTED_FITS = FOLDS + DEALS * (FOLDS + FOLDS * (FOLDS - 1) // 2)
# cells of training cases that all fits together may read; a clock would give other results on another day
PATIENCE = 1_000_000.0


@dataclass(frozen=True, eq=False)
class LearnerError:
    """An estimate, or the reason why there is none or one without an interval.

    Parameters
    ----------
    estimate : ErrorEstimate or None
        The estimate.
    note : str
        What is missing, and why; empty if nothing is.
    """

    estimate: ErrorEstimate | None
    note: str = ""


def estimate_learner_error(
    trained: Trained, random_state: int, *, n_jobs: int | None = None, patience: float = PATIENCE
) -> LearnerError:
    """Cross-validate a learner on its training cases, nested for an interval.

    How much is done depends on the size of the training cases alone, so that the same call gives the same result
    on every machine. A longer patience adds what a shorter one leaves out, and changes nothing else.

    Parameters
    ----------
    trained : Trained
        The model, and the cases that it was trained on.
    random_state : int
        Seed of the folds, and of a learner that has none.
    n_jobs : int, optional
        How many fits run at the same time.
    patience : float
        How many cells (cases times columns) all fits together may read.
    """
    if FOLDS * trained.n_cells > patience:
        return LearnerError(None, f"the {FOLDS} fits of cross-validation {_too_much(patience)}")
    options: dict[str, Any] = {"n_splits": FOLDS, "n_jobs": n_jobs, "random_state": random_state}
    try:
        plain = estimate_error(trained.model, trained.X, trained.y, **options)
        if NESTED_FITS * trained.n_cells > patience:
            return LearnerError(
                plain, f"the {NESTED_FITS} fits of nested cross-validation {_too_much(patience)}"
            )
        options |= {"interval": "nested-cv", "nested_repeats": DEALS}
        return LearnerError(estimate_error(trained.model, trained.X, trained.y, **options))
    except (InputError, InputTypeError) as error:
        return LearnerError(None, f"cross-validation needs {error.expected}, and there is {error.got}")


def _too_much(patience: float) -> str:
    return f"would read more than {patience:,.0f} cells"
