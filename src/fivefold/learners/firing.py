"""Learners whose rules have no order: which of them hold for a case decides its answer."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from fivefold.inputs.columns import Column
from fivefold.learners.base import Learner
from fivefold.learners.rule_answers import RuleAnswers


class FiringLearner(Learner):
    """A learner that knows which of its rules hold; `_answers` makes classes, sets and probabilities of that."""

    _answers: RuleAnswers

    @abstractmethod
    def _fired(self, columns: Sequence[Column]) -> NDArray[np.bool_]:
        """Say which rule, in a row, holds for which case."""

    def _choices(self, columns: Sequence[Column]) -> NDArray[np.intp]:
        return self._answers.choices(self._fired(columns))

    def _probabilities(self, columns: Sequence[Column]) -> NDArray[np.float64]:
        return self._answers.probabilities(self._fired(columns))

    def _sets(self, columns: Sequence[Column], missing_fails: bool) -> NDArray[np.bool_]:
        return self._answers.sets(self._fired(columns))
