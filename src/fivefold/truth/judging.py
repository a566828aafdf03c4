"""Answers after many training sets, and what they are worth."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fivefold.truth.cases import Cases
from fivefold.truth.measures import Measure
from fivefold.truth.refits import answers, ask
from fivefold.truth.training_sets import TrainingSets


@dataclass(frozen=True, eq=False)
class Judged:
    """What a learner said after each training set.

    Parameters
    ----------
    cases : Cases
        The table.
    sets : TrainingSets
        The training sets and the rows asked after each.
    measure : Measure
        What is measured.
    said : list
        For each training set the answers to the asked rows, or the score.
    """

    cases: Cases
    sets: TrainingSets
    measure: Measure
    said: list[Any]

    def scores(self) -> NDArray[np.float64]:
        """Measure each training set by itself; NaN where no row was asked."""
        return np.array([self._score(place) for place in range(len(self.sets))], dtype=np.float64)

    def _score(self, place: int) -> float:
        rows = self.sets.test(place)
        if rows.size == 0:
            return float("nan")
        if self.measure.kind == "scorer":
            return float(self.said[place])
        return self.measure.value(self.cases, rows, self.said[place])

    def together(self, places: range) -> float:
        """Measure the answers after several training sets as one; scores are averaged."""
        if self.measure.kind == "scorer":
            return float(np.mean([self.said[place] for place in places]))
        rows = np.concatenate([self.sets.test(place) for place in places])
        return self.measure.value(self.cases, rows, np.concatenate([self.said[place] for place in places]))

    def per_example(self) -> NDArray[np.float64] | None:
        """Give the share of wrong answers to each case; NaN for one that was never asked."""
        if self.measure.kind != "error":
            return None
        asked, wrong = np.zeros(len(self.cases)), np.zeros(len(self.cases))
        for place, said in enumerate(self.said):
            rows = self.sets.test(place)
            asked[rows] += 1
            wrong[rows] += said != self.cases.codes[rows]
        with np.errstate(invalid="ignore"):
            return np.asarray(wrong / asked)

    def n_silent(self) -> int:
        """Count the answers that were none."""
        if self.measure.kind in ("scorer", "probabilities"):
            return 0
        return sum(int(np.count_nonzero(said < 0)) for said in self.said)

    def n_undefined(self) -> int:
        """Count the test sets on which a scorer gave no number."""
        return int(np.isnan(self.said).sum()) if self.measure.kind == "scorer" else 0

    def n_one_class(self) -> int:
        """Count the training sets that hold one class only."""
        found = 0
        for place in range(len(self.sets)):
            present = self.cases.codes[self.sets.train(place)]
            found += bool(np.all(present == present[0]))
        return found


def judge(
    learner: Any,
    cases: Cases,
    sets: TrainingSets,
    measure: Measure,
    *,
    n_jobs: int | None,
    rng: np.random.Generator,
) -> Judged:
    """Let the learner learn from each training set and answer what is asked after it."""
    if measure.kind in ("error", "answers"):
        said: list[Any] = list(answers(learner, cases, sets, n_jobs=n_jobs, rng=rng))
    else:
        said = ask(learner, cases, sets, measure.ask(cases), n_jobs=n_jobs, rng=rng)
    return Judged(cases, sets, measure, said)
