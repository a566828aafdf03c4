"""Affine maps from the window to the space that the last step of a model sees."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.decomposition import PCA
from sklearn.model_selection import GridSearchCV, RandomizedSearchCV
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import MaxAbsScaler, MinMaxScaler, RobustScaler, StandardScaler

from fivefold.borders.asking import Asker
from fivefold.borders.cases import array_as_asked

Floats = NDArray[np.float64]

_AFFINE = (StandardScaler, MinMaxScaler, MaxAbsScaler, RobustScaler, PCA)


@dataclass(frozen=True, eq=False)
class Affine:
    r"""The map :math:`z = A u + t` from units of the window's scale to what a model sees."""

    matrix: Floats
    offset: Floats

    @property
    def is_axis_parallel(self) -> bool:
        """Whether each column is mapped by itself and keeps its direction."""
        rows, columns = self.matrix.shape
        if rows != columns:
            return False
        diagonal = np.diagonal(self.matrix)
        return bool((diagonal > 0).all() and (self.matrix == np.diag(diagonal)).all())

    def apply(self, U: Floats) -> Floats:
        """Map points."""
        return np.asarray(U @ self.matrix.T + self.offset)

    def cut(self, column: int, value: float) -> float:
        """Map a cut of a column back to the window, if the map is axis-parallel."""
        return float((value - self.offset[column]) / self.matrix[column, column])


def last_step(asker: Asker) -> tuple[Any, Affine] | None:
    """Give the part of a model that decides, and the map to what it sees; None if that map is not affine."""
    model, window = asker.model, asker.window
    while isinstance(model, (GridSearchCV, RandomizedSearchCV)):
        model = getattr(model, "best_estimator_", None)
    steps = []
    if isinstance(model, Pipeline):
        steps = [step for _, step in model.steps[:-1] if step not in (None, "passthrough")]
        model = model.steps[-1][1]
    if not all(isinstance(step, _AFFINE) and not getattr(step, "clip", False) for step in steps):
        return None
    sides = window.unit_high - window.unit_low
    # asked inside the window, where the numbers that a step subtracts are of the size of the columns' own
    probes = (window.unit_low + window.unit_high) / 2 + np.vstack([np.zeros(sides.size), np.diag(sides)])
    images = window.to_raw(probes)
    for step in steps:
        images = np.asarray(step.transform(array_as_asked(step, (), None)(images)), dtype=np.float64)
    matrix = (images[1:] - images[0]).T / sides
    return model, Affine(matrix, images[0] - matrix @ probes[0])
