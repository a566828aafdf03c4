"""Clauses without an order, and what they answer on many cases."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from fivefold.learners.prism.clauses import Clause, Clauses
from fivefold.learners.rule_answers import Fired, RuleAnswers

_MOST = 50_000_000  # clauses times cases that are looked at together: as many bytes


@dataclass(frozen=True, eq=False)
class ClauseSet:
    """Clauses for classes, all of which speak that hold.

    Parameters
    ----------
    clauses : Clauses
        The clauses.
    answers : RuleAnswers
        How they answer.
    """

    clauses: Clauses
    answers: RuleAnswers

    @classmethod
    def learn(
        cls,
        clauses: Sequence[Clause],
        outcomes: NDArray[np.int32],
        values: NDArray[np.float64],
        classes: NDArray[np.int32],
        n_classes: int,
    ) -> Self:
        """See how clauses do on the training cases."""
        own = Clauses.of(clauses)
        return cls(own, RuleAnswers.learn(own.holds(values), outcomes, classes, n_classes))

    def choices(self, values: NDArray[np.float64]) -> NDArray[np.intp]:
        """Give one class for each case."""
        return self._in_blocks(self.answers.choices, values)

    def sets(self, values: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Give the classes of each case in a row."""
        return self._in_blocks(self.answers.sets, values)

    def probabilities(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Give the class probabilities of each case in a row."""
        return self._in_blocks(self.answers.probabilities, values)

    def _in_blocks(
        self, answer: Callable[[Fired], NDArray[Any]], values: NDArray[np.float64]
    ) -> NDArray[Any]:
        size = max(_MOST // max(self.answers.outcomes.size, 1), 1)
        starts = range(0, max(values.shape[1], 1), size)
        return np.concatenate([answer(self.clauses.holds(values[:, i : i + size])) for i in starts])
