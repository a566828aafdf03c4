"""Borders of any classifier in any dimension.

Random lines for the size, searches along lines for distances.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from fivefold.borders.asking import Asker
from fivefold.borders.partition import BorderSize
from fivefold.borders.window import Window

Floats = NDArray[np.float64]
Codes = NDArray[np.int32]

_STEPS = 128
_MOST_CUTS = 1000
_BATCH = 1000


class LinesPartition:
    """A classifier that is known only by its answers.

    Parameters
    ----------
    asker : Asker
        The model.
    n_lines : int
        How many random lines to draw.
    rng : Generator
        Where they come from.
    distances : callable
        How distances are found.
    cuts : sequence of ndarray, optional
        Where the class may change along each axis, if it is known that it changes nowhere else.
    distance_method : str
        What the distances are.
    """

    def __init__(
        self,
        asker: Asker,
        n_lines: int,
        rng: np.random.Generator,
        distances: Callable[[Floats, Codes, Codes], Floats],
        cuts: Sequence[Floats] | None = None,
        distance_method: str = "upper bounds",
    ) -> None:
        self._asker, self._n_lines, self._rng = asker, n_lines, rng
        self._distances, self._cuts = distances, cuts
        self.distance_method = distance_method

    def answers(self, U: Floats) -> Codes:
        """Give the class of each point."""
        return self._asker.answers(U)

    def size(self) -> BorderSize:
        r"""Estimate the size of all borders from the changes of class along random lines.

        Isotropic uniform random lines that hit the convex window :math:`K` cross a surface :math:`B` in it so
        often that :math:`|B| = \tfrac12 |\partial K| \, E[N]`. Changes along a walk of step :math:`h` miss corners
        in proportion to :math:`h`; :math:`2 N(h) - N(2h)` does not. Where a model's cuts are known, it is asked
        once between each two of them, and no change is missed.
        """
        chords = random_chords(self._asker.window, self._n_lines, self._rng)
        batches = range(0, self._n_lines, _BATCH)
        crossings = np.concatenate([self._crossings(*(a[i : i + _BATCH] for a in chords)) for i in batches])
        half_surface = float(np.sum(_facets(self._asker.window)))
        error = half_surface * float(crossings.std(ddof=1)) / np.sqrt(self._n_lines)
        return BorderSize(half_surface * float(crossings.mean()), f"{self._n_lines} random lines", error)

    def _crossings(self, start: Floats, direction: Floats, length: Floats) -> Floats:
        """Count how often the class changes along each line."""
        cuts = self._cuts
        known = cuts is not None and sum(places.size for places in cuts) <= _MOST_CUTS
        if cuts is not None and known:
            t = _between_cuts(start, direction, length, cuts)
        else:
            t = length[:, np.newaxis] * np.linspace(0.0, 1.0, _STEPS + 1)
        points = start[:, np.newaxis, :] + t[:, :, np.newaxis] * direction[:, np.newaxis, :]
        classes = self._asker.answers(points.reshape(-1, start.shape[1])).reshape(t.shape)
        fine = np.sum(classes[:, 1:] != classes[:, :-1], axis=1)
        if known:
            return np.asarray(fine, dtype=np.float64)
        return np.asarray(2.0 * fine - np.sum(classes[:, 2::2] != classes[:, :-2:2], axis=1))

    def distances(self, U: Floats, answers: Codes, wanted: Codes) -> Floats:
        """Give distances to the nearest place of a wanted class."""
        return self._distances(U, answers, wanted)


def random_chords(window: Window, n: int, rng: np.random.Generator) -> tuple[Floats, Floats, Floats]:
    """Draw isotropic uniform random lines that hit the window: where they enter, their direction, their length.

    A point uniform on the surface and a direction with a density proportional to the cosine of its angle to the
    normal give such lines; the direction is a uniform point of the flat unit ball, lifted to the sphere.
    """
    low, high = window.unit_low, window.unit_high
    d = low.size
    facets = _facets(window)
    axis = rng.choice(d, size=n, p=facets / facets.sum())
    upper = rng.random(n) < 0.5
    start = low + rng.random((n, d)) * (high - low)
    rows = np.arange(n)
    start[rows, axis] = np.where(upper, high[axis], low[axis])
    flat = rng.standard_normal((n, d))
    flat[rows, axis] = 0.0
    if d > 1:
        flat *= (rng.random(n) ** (1 / (d - 1)) / np.sqrt(np.sum(flat**2, axis=1)))[:, np.newaxis]
    flat[rows, axis] = np.sqrt(np.maximum(0.0, 1 - np.sum(flat**2, axis=1))) * np.where(upper, -1.0, 1.0)
    return start, flat, way_to_wall(start, flat, low, high)


def _between_cuts(start: Floats, direction: Floats, length: Floats, cuts: Sequence[Floats]) -> Floats:
    """Give places along lines, one between each two cuts that they cross."""
    columns = [np.zeros(length.size), length]
    for k, places in enumerate(cuts):
        flat = direction[:, k] == 0
        slope = np.where(flat, 1.0, direction[:, k])
        for place in places:
            columns.append(np.where(flat, 0.0, np.clip((place - start[:, k]) / slope, 0.0, length)))
    stops = np.sort(np.column_stack(columns), axis=1)
    return np.asarray((stops[:, 1:] + stops[:, :-1]) / 2)


def way_to_wall(start: Floats, direction: Floats, low: Floats, high: Floats) -> Floats:
    """Give how far it is to the walls of the window along a direction."""
    wall = np.where(direction > 0, high, low)
    away = np.divide(wall - start, direction, out=np.full(start.shape, np.inf), where=direction != 0)
    return np.asarray(np.maximum(away, 0.0).min(axis=1))


def _facets(window: Window) -> Floats:
    """Give the content of the facet across each axis; their sum is half of the surface."""
    return np.asarray(window.volume / (window.unit_high - window.unit_low))
