"""Resubstitution: ask about the very cases that were learnt from."""

from __future__ import annotations

import numpy as np

from fivefold.truth.asking import Asking
from fivefold.truth.error_estimate import ErrorEstimate
from fivefold.truth.judging import Judged
from fivefold.truth.options import NoOptions
from fivefold.truth.sayings import RESUBSTITUTION, about_answers
from fivefold.truth.training_sets import Copies


def remember(asking: Asking) -> Judged:
    """Learn from all cases and ask all of them."""
    return asking.judge(Copies(np.ones((1, len(asking.cases)), dtype=np.int64)))


def resubstitution(asking: Asking, options: NoOptions) -> ErrorEstimate:
    """Give the measure on the training cases."""
    judged = remember(asking)
    scores = judged.scores()
    return ErrorEstimate(
        value=float(scores[0]),
        method="resubstitution",
        description="resubstitution",
        metric=asking.measure.name,
        metric_direction=asking.measure.direction,
        scores=scores,
        n_tested=np.array([len(asking.cases)]),
        repetition=np.zeros(1, dtype=np.int64),
        n_fits=1,
        per_example=judged.per_example(),
        warnings=(RESUBSTITUTION, *about_answers(judged)),
    )
