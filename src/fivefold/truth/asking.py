"""All that an estimator needs to put its questions: the learner, the cases, the measure, and chance."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from fivefold.truth.cases import Cases
from fivefold.truth.judging import Judged, judge
from fivefold.truth.measures import Measure
from fivefold.truth.training_sets import TrainingSets


@dataclass(frozen=True, eq=False)
class Asking:
    """A learner and the cases it is to be judged by.

    Parameters
    ----------
    learner : classifier
        Cloned before every fit.
    cases : Cases
        The table.
    measure : Measure
        What is measured.
    n_jobs : int or None
        How many fits run at the same time.
    rng : Generator
        The source of all chance: what is drawn, and the seeds of learners that have none.
    """

    learner: Any
    cases: Cases
    measure: Measure
    n_jobs: int | None
    rng: np.random.Generator

    def judge(self, sets: TrainingSets) -> Judged:
        """Let the learner learn from each training set and answer what is asked after it."""
        return judge(self.learner, self.cases, sets, self.measure, n_jobs=self.n_jobs, rng=self.rng)
