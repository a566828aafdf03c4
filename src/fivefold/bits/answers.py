"""How often a model answers, with how many classes, and how often the truth is among them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from fivefold.bits import _kernels
from fivefold.inputs.answers import as_answers
from fivefold.results.metric import Direction
from fivefold.results.result import Result


@dataclass(frozen=True, eq=False)
class AnswerSummary(Result):
    """Counts of answers by their size.

    Parameters
    ----------
    n_cases, n_classes : int
        Cases and classes.
    by_size : ndarray of shape (n_classes + 1,)
        Number of cases answered with 0, 1, … classes.
    right_by_size : ndarray of shape (n_classes + 1,)
        Those among them whose true class is in the answer.
    """

    title: ClassVar[str] = "Answers"
    unit: ClassVar[str] = "cases"
    direction: ClassVar[Direction] = "neither"

    n_cases: int
    n_classes: int
    by_size: NDArray[np.int64]
    right_by_size: NDArray[np.int64]

    @property
    def coverage(self) -> float:
        """Share of cases whose true class is in the answer."""
        return float(self.right_by_size.sum() / self.n_cases)

    @property
    def accuracy(self) -> float:
        """Share of cases answered with the true class alone; several or no classes count as wrong."""
        return float(self.right_by_size[1] / self.n_cases)

    @property
    def mean_size(self) -> float:
        """Mean number of classes in an answer."""
        return float(self.by_size @ np.arange(self.n_classes + 1) / self.n_cases)

    @property
    def share_empty(self) -> float:
        """Share of cases without an answer."""
        return float(self.by_size[0] / self.n_cases)

    @property
    def share_single(self) -> float:
        """Share of cases answered with one class."""
        return float(self.by_size[1] / self.n_cases)

    @property
    def share_several(self) -> float:
        """Share of cases answered with more than one class, all of them included."""
        return float(self.by_size[2:].sum() / self.n_cases)

    @property
    def share_full(self) -> float:
        """Share of cases answered with every class, which says nothing."""
        return float(self.by_size[-1] / self.n_cases)

    def columns(self) -> Mapping[str, Any]:
        """Give one row for each size of answer."""
        sizes = np.arange(self.n_classes + 1)
        return {"size": sizes, "cases": self.by_size, "right": self.right_by_size}

    def __str__(self) -> str:
        return (
            f"{self.n_cases} cases: {self.share_single:.1%} answered with one class, {self.share_several:.1%} "
            f"with several, {self.share_empty:.1%} with none; truth in the answer {self.coverage:.1%}"
        )


def summarise(truth: NDArray[np.int32], answers: NDArray[Any], n_classes: int) -> AnswerSummary:
    """Count coded answers."""
    by_size, right = _kernels.tally(truth, answers, n_classes)
    return AnswerSummary(truth.shape[0], n_classes, by_size, right)


def summarise_answers(y_true: object, predicted: object, *, classes: object = None) -> AnswerSummary:
    """Count answers by size: coverage, mean size and the shares of empty, single and full answers.

    Parameters
    ----------
    y_true, predicted, classes
        As in `code_length`.

    Examples
    --------
    >>> import fivefold as ff
    >>> answers = ff.bits.summarise_answers(["a", "b", "c"], [{"a"}, {"a", "b"}, None], classes=["a", "b", "c"])
    >>> answers.mean_size, round(answers.coverage, 3), round(answers.accuracy, 3)
    (1.0, 0.667, 0.333)
    """
    truth, answers, universe = as_answers(y_true, predicted, classes)
    return summarise(truth, answers, universe.size)
