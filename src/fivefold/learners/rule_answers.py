"""Rules without an order.

Which of them hold for a case decides its class, its set of classes and its probabilities.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Self

import numpy as np
from numpy.typing import NDArray

from fivefold.learners.base import Floats, Ints

Fired = NDArray[np.bool_]  # (n_rules, n_cases): which rule holds for which case


@dataclass(frozen=True, eq=False)
class RuleAnswers:
    """How rules without an order answer, as seen on the training cases.

    `outcomes` has the class of each rule; `covered` how many training cases of each class, in columns, each rule
    covers; `alone` how many have rules of one class, in rows, alone; `class_counts` how many there are of each.

    How sets are resolved is said in `Prism`; among rules of equal precision the one that covers more decides, then
    the one of the more frequent class, then the one of the first class.

    Examples
    --------
    >>> fired = np.array([[True, True, False, False], [False, True, True, False]])
    >>> answers = RuleAnswers.learn(fired, np.array([0, 1]), np.array([0, 0, 1, 1]), 2)
    >>> answers.sets(fired).tolist()
    [[True, False], [True, True], [False, True], [False, False]]
    >>> answers.choices(fired).tolist()
    [0, 0, 1, 0]
    >>> answers.probabilities(fired).round(3).tolist()
    [[0.667, 0.333], [0.75, 0.25], [0.333, 0.667], [0.5, 0.5]]
    """

    outcomes: Ints
    covered: NDArray[np.int64]
    alone: NDArray[np.int64]
    class_counts: NDArray[np.int64]

    @classmethod
    def learn(cls, fired: Fired, outcomes: Ints, classes: Ints, n_classes: int) -> Self:
        """Count how the rules do on the training cases."""
        sets = _sets(fired, outcomes, n_classes)
        alone = sets & (sets.sum(axis=1) == 1)[:, np.newaxis]
        covered, totals = count_classes(fired, classes, n_classes), np.bincount(classes, minlength=n_classes)
        return cls(outcomes, covered, count_classes(alone.T, classes, n_classes), totals)

    @property
    def correct(self) -> NDArray[np.int64]:
        """How many training cases of its own class each rule covers."""
        return np.asarray(self.covered[np.arange(self.outcomes.size), self.outcomes])

    @cached_property
    def ranking(self) -> NDArray[np.intp]:
        """The rules in the order in which they decide."""
        covered = self.covered.sum(axis=1)
        precision = (self.correct + 1) / (covered + self.class_counts.size)
        return np.lexsort((self.outcomes, -self.class_counts[self.outcomes], -covered, -precision))

    def sets(self, fired: Fired) -> NDArray[np.bool_]:
        """Give for each case the classes that its rules give, in a row."""
        return _sets(fired, self.outcomes, self.class_counts.size)

    def choices(self, fired: Fired) -> NDArray[np.intp]:
        """Give one class for each case."""
        answers = np.append(self.outcomes, self.class_counts.argmax())
        return np.asarray(answers[self._deciders(fired)], dtype=np.intp)

    def probabilities(self, fired: Fired) -> Floats:
        """Give the class probabilities of each case, in a row."""
        prior = self.class_counts / self.class_counts.sum()
        shares = np.vstack([_smoothed(self.covered), prior])[self._deciders(fired)]
        sets = self.sets(fired)
        answers = sets.argmax(axis=1)
        known = (sets.sum(axis=1) == 1) & (self.alone.sum(axis=1) > 0)[answers]
        shares[known] = _smoothed(self.alone)[answers[known]]
        return np.asarray(shares)

    def _deciders(self, fired: Fired) -> NDArray[np.intp]:
        """Give the rule that decides each case; the number of rules where none holds."""
        order = np.append(self.ranking, self.outcomes.size)
        always = np.ones((1, fired.shape[1]), dtype=bool)
        return np.asarray(order[np.vstack([fired, always])[order].argmax(axis=0)])


def _sets(fired: Fired, outcomes: Ints, n_classes: int) -> NDArray[np.bool_]:
    return np.stack([fired[outcomes == c].any(axis=0) for c in range(n_classes)], axis=1)


def count_classes(groups: Fired, classes: Ints, n_classes: int) -> NDArray[np.int64]:
    """Count the classes of each group of cases, in a row."""
    counts = [np.bincount(classes[members], minlength=n_classes) for members in groups]
    return np.array(counts, dtype=np.int64).reshape(len(groups), n_classes)


def _smoothed(counts: NDArray[np.int64]) -> Floats:
    return np.asarray((counts + 1) / (counts.sum(axis=1, keepdims=True) + counts.shape[1]))
