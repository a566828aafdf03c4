"""Distances to borders by search along lines: upper bounds, for classifiers known by their answers alone."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import KDTree

from fivefold.borders.asking import Asker
from fivefold.borders.lines import way_to_wall

Floats = NDArray[np.float64]
Codes = NDArray[np.int32]

_PARTNERS = 4
_STEPS = 16
_ROUGH, _FINE = 7, 20
_SHAKES = tuple(0.8**i for i in range(20))


def nearest_along_rays(
    asker: Asker, U: Floats, answers: Codes, wanted: Codes, directions: int, rng: np.random.Generator
) -> Floats:
    """Search for wanted classes towards other cases, along the axes, and in random directions.

    Then the best direction of each case is shaken, less and less, and searched again. Each search ends at a place
    of a wanted class, so the least of them is an upper bound of the distance.

    Parameters
    ----------
    asker : Asker
        The model.
    U : ndarray of shape (n, d)
        The cases.
    answers, wanted : ndarray of int
        The class of each case, and the class to look for: -1 for any but the answer.
    directions : int
        How many random directions to try.
    rng : Generator
        Where they come from.
    """
    search = _Search(asker, U, answers, wanted)
    search.towards_cases()
    d = U.shape[1]
    for direction in np.vstack([np.eye(d), -np.eye(d), _unit(rng.standard_normal((directions, d)))]):
        search.along(np.broadcast_to(direction, U.shape))
    for shake in _SHAKES:
        search.along(_unit(search.direction + shake / np.sqrt(d) * rng.standard_normal(U.shape)))
    search.polish()
    return search.best


def _unit(vectors: Floats) -> Floats:
    return np.asarray(vectors / np.sqrt(np.sum(vectors**2, axis=1, keepdims=True)))


class _Search:
    """The least distances so far, and the directions in which they were found."""

    def __init__(self, asker: Asker, U: Floats, answers: Codes, wanted: Codes) -> None:
        self.asker, self.U, self.answers, self.wanted = asker, U, answers, wanted
        self.best = np.full(U.shape[0], np.inf)
        self.direction = np.zeros(U.shape)

    def is_goal(self, classes: Codes, rows: NDArray[np.intp]) -> NDArray[np.bool_]:
        """Tell whether places are of a class that the cases of these rows look for."""
        goal, own = self.wanted[rows], self.answers[rows]
        return np.asarray(np.where(goal < 0, classes != own, classes == goal))

    def towards_cases(self) -> None:
        """Search towards the nearest cases with a wanted class."""
        keys = np.column_stack([self.wanted, np.where(self.wanted < 0, self.answers, -1)])
        for goal, own in np.unique(keys, axis=0):
            rows = np.flatnonzero((keys == (goal, own)).all(axis=1))
            partners = np.flatnonzero(self.answers == goal if goal >= 0 else self.answers != own)
            count = min(_PARTNERS, partners.size)
            if count:
                tree = KDTree(self.U[partners])
                away, found = tree.query(self.U[rows], k=[*range(1, count + 1)])
                for length, column in zip(away.T, found.T, strict=True):
                    step = self.U[partners[column]] - self.U[rows]
                    self._halve(rows, step / length[:, np.newaxis], np.zeros(rows.size), length)

    def along(self, directions: Floats) -> None:
        """Search along a direction for each case, as far as the best so far or the wall."""
        window = self.asker.window
        reach = way_to_wall(self.U, directions, window.unit_low, window.unit_high)
        reach = np.minimum(reach, self.best)
        n, d = self.U.shape
        t = reach[:, np.newaxis] * np.linspace(0.0, 1.0, _STEPS + 1)[1:]
        points = self.U[:, np.newaxis, :] + t[:, :, np.newaxis] * directions[:, np.newaxis, :]
        classes = self.asker.answers(points.reshape(-1, d))
        hits = self.is_goal(classes, np.repeat(np.arange(n), _STEPS)).reshape(n, _STEPS)
        rows = np.flatnonzero(hits.any(axis=1))
        first = hits[rows].argmax(axis=1)
        near = np.where(first > 0, t[rows, first - 1], 0.0)
        self._halve(rows, directions[rows], near, t[rows, first])

    def polish(self) -> None:
        """Search the last stretch of the best ways more closely."""
        rows = np.flatnonzero(np.isfinite(self.best))
        far = self.best[rows]
        self._halve(rows, self.direction[rows], 0.98 * far, far, _FINE)

    def _halve(
        self, rows: NDArray[np.intp], directions: Floats, near: Floats, far: Floats, times: int = _ROUGH
    ) -> None:
        """Bisect between a place that is not wanted and one that is, and keep the distance of the latter."""
        for _ in range(times):
            middle = (near + far) / 2
            classes = self.asker.answers(self.U[rows] + middle[:, np.newaxis] * directions)
            goal = self.is_goal(classes, rows)
            near, far = np.where(goal, near, middle), np.where(goal, middle, far)
        better = far < self.best[rows]
        self.best[rows[better]] = far[better]
        self.direction[rows[better]] = directions[better]
