"""scikit-learn's Gaussian naive Bayes: means and variances for each training set."""

from __future__ import annotations

import numbers
from typing import Any

import numpy as np

from fivefold.truth.cases import Cases, Codes
from fivefold.truth.fast.kernels.normal import classify
from fivefold.truth.fast.kernels.votes import UNSURE
from fivefold.truth.fast.neighbours import double_precision
from fivefold.truth.fast_paths import Answerer
from fivefold.truth.training_sets import TrainingSets


def gaussian(learner: Any, cases: Cases) -> Answerer | None:
    """Find all moments in one compiled call, where numbers are in double precision and priors are learnt."""
    matrix = double_precision(cases.X)
    smoothing = learner.var_smoothing
    if matrix is None or learner.priors is not None or not isinstance(smoothing, numbers.Real):
        return None
    if not 0 <= float(smoothing) < np.inf:
        return None

    def answer(sets: TrainingSets, places: range) -> list[Codes | None]:
        said = classify(
            matrix,
            cases.codes,
            sets.counts(places),
            sets.asked(places),
            float(smoothing),
            cases.classes.size,
        )
        rows = [said[row, sets.test(place)] for row, place in enumerate(places)]
        return [None if np.any(row == UNSURE) else row for row in rows]

    return answer
