"""A score for each case, and their mean."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from fivefold.results.metric import Direction
from fivefold.results.result import Result


@dataclass(frozen=True, eq=False)
class CaseScores(Result):
    """Scores of all cases in the given order.

    Parameters
    ----------
    per_example : ndarray of shape (n,)
        Score of each case.
    mean : float
        Their (weighted) mean.
    weights : ndarray of shape (n,) or None
        The weights, if there were any.
    """

    title: ClassVar[str] = "Score"
    unit: ClassVar[str] = "per case"
    direction: ClassVar[Direction] = "neither"

    per_example: NDArray[np.float64] = field(repr=False)
    mean: float
    weights: NDArray[np.float64] | None = field(default=None, repr=False)

    @property
    def sum(self) -> float:
        """(Weighted) sum of the scores; as in the mean, a weight of zero silences even an infinite score."""
        return self.mean * float(self.per_example.size if self.weights is None else self.weights.sum())

    @property
    def standard_error(self) -> float:
        """Standard error of the mean, for cases drawn independently; NaN if a score is infinite."""
        n = self.per_example.shape[0]
        if n < 2 or not np.isfinite(self.mean):
            return float("nan")
        share = np.full(n, 1 / n) if self.weights is None else self.weights / self.weights.sum()
        return float(np.sqrt(n / (n - 1) * np.sum((share * (self.per_example - self.mean)) ** 2)))

    def columns(self) -> Mapping[str, Any]:
        """Give one row for each case."""
        return {self.title.lower().replace(" ", "_"): self.per_example}

    def __str__(self) -> str:
        error = self.standard_error
        spread = f" ± {error:.4f}" if np.isfinite(error) else ""
        return f"{self.title}: {self.mean:.4f}{spread} {self.unit} ({self.direction})"


def mean_of(per_example: NDArray[np.float64], weights: NDArray[np.float64] | None) -> float:
    """(Weighted) mean in which a weight of zero silences even an infinite score."""
    if weights is None:
        return float(per_example.mean())
    heard = weights > 0
    return float(np.average(per_example[heard], weights=weights[heard]))
