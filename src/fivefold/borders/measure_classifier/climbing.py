"""Hill climbing: paint something, keep it if the measure rises."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from fivefold.borders.measure_classifier.kernels.scoring import score
from fivefold.borders.terms import MeasureWeights

Floats = NDArray[np.float64]
Ints = NDArray[np.int32]
State: TypeAlias = tuple[Ints, Floats, float]

# Always drawn so many at a time, so that a longer climb begins like a shorter one.
_BLOCK = 512


class Canvas(Protocol):
    """Regions that are painted over, with one proposal on trial."""

    def state(self) -> State:
        """Give each training case's answer and distance to the border of its class, and the border's size."""

    def climb(self, shapes: Ints, weights: Floats, value: float) -> Floats:
        """Try shapes in turn; give the measures of those that were kept, NaN for the others."""

    def trial(self, shape: Ints) -> State | None:
        """Put one shape on trial; give answers, distances and size, or None if nothing changes."""

    def keep(self) -> None:
        """Accept what is on trial."""

    def drop(self) -> None:
        """Take what is on trial off again."""


@dataclass(frozen=True, eq=False)
class Climb:
    """How a climb went.

    Parameters
    ----------
    values : ndarray
        The measure at the start and after each proposal that was kept.
    at : ndarray of int
        The number of the proposal that each came from; 0 for the start.
    n_proposals : int
        How many were tried.
    """

    values: Floats
    at: NDArray[np.int64]
    n_proposals: int


def climb_hill(
    advance: Callable[[Ints, float], Floats],
    draw: Callable[[int], Ints],
    start: float,
    max_proposals: int,
    patience: int,
    told: Callable[[int, float], None],
) -> Climb:
    """Draw and try proposals until there have been enough, or too many in vain.

    Parameters
    ----------
    advance : callable
        Tries shapes from a value of the measure on; gives the measures of those kept, NaN for the others.
    draw : callable
        Draws a number of shapes.
    start : float
        The measure at the start.
    max_proposals, patience : int
        When to stop: after so many proposals, or so many in a row that were not kept.
    told : callable
        Told how many proposals were tried, and the measure, from time to time.
    """
    values, places, done = [start], [0], 0
    shapes = draw(0)
    while done < max_proposals and done - places[-1] < patience:
        if not len(shapes):
            shapes = draw(_BLOCK)
        # No more than patience allows, so that the climb ends where it would one by one.
        number = min(len(shapes), max_proposals - done, patience - (done - places[-1]))
        tried, shapes = advance(shapes[:number], values[-1]), shapes[number:]
        kept = np.flatnonzero(~np.isnan(tried))
        values += tried[kept].tolist()
        places += (done + 1 + kept).tolist()
        done += number
        told(done, values[-1])
    return Climb(np.array(values), np.array(places), done)


def climb_by(canvas: Canvas, measure: Callable[[State], float]) -> Callable[[Ints, float], Floats]:
    """Climb by any measure, asked for every proposal that changes something."""

    def advance(shapes: Ints, value: float) -> Floats:
        values = np.full(len(shapes), np.nan)
        for index, shape in enumerate(shapes):
            state = canvas.trial(shape)
            reached = -np.inf if state is None else measure(state)
            if reached > value:
                canvas.keep()
                value = values[index] = reached
            else:
                canvas.drop()
        return values

    return advance


def climb_by_weights(
    canvas: Canvas, weights: MeasureWeights, b: float, classes: Ints
) -> tuple[Callable[[Ints, float], Floats], float]:
    """Climb by the paper's measure, compiled; give also the measure at the start."""
    constants = np.array([weights.a0, weights.a1, weights.k1, weights.k2, weights.a2, b], dtype=np.float64)
    answers, distances, size = canvas.state()

    def advance(shapes: Ints, value: float) -> Floats:
        return canvas.climb(shapes, constants, value)

    return advance, score(answers == classes, distances, size, constants)
