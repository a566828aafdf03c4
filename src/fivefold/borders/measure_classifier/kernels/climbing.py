"""Hill climbing on a mesh of triangles."""

from __future__ import annotations

import numba
import numpy as np
from numpy.typing import NDArray

from fivefold.borders.measure_classifier.kernels.painting import drop_shape, keep_shape, paint_shape
from fivefold.borders.measure_classifier.kernels.reaching import count_right, reach_border
from fivefold.borders.measure_classifier.kernels.scoring import best_score, score
from fivefold.borders.measure_classifier.structures import Cases, Change, Mesh, Paint

Floats = NDArray[np.float64]
Ints = NDArray[np.int32]


@numba.njit(cache=True)
def border_length(paint: Paint, step: float) -> float:
    """Length of the border on trial."""
    return float(step * (paint.counts[0] + paint.counts[1] / np.sqrt(2.0)))


@numba.njit(cache=True)
def try_shape(
    mesh: Mesh,
    paint: Paint,
    change: Change,
    cases: Cases,
    shape: Ints,
    step: float,
    weights: Floats,
    least: float,
) -> float:
    """Put a rectangle on trial and give its measure; -inf once it is sure not to exceed `least`."""
    if not paint_shape(mesh, paint, change, shape):
        return -np.inf
    size = border_length(paint, step)
    n_right = count_right(paint, cases)
    if best_score(n_right, cases.classes.size, size, weights) <= least:
        return -np.inf
    reach_border(mesh, paint, change, cases)
    return score(cases.right, cases.distances, size, weights)


@numba.njit(cache=True)
def keep_trial(paint: Paint, change: Change, cases: Cases) -> None:
    """Accept what is on trial."""
    keep_shape(paint, change)
    for case in range(cases.classes.size):
        cases.nearest[case], cases.squares[case] = cases.trial_nearest[case], cases.trial_squares[case]


@numba.njit(cache=True)
def climb(
    mesh: Mesh,
    paint: Paint,
    change: Change,
    cases: Cases,
    shapes: Ints,
    step: float,
    weights: Floats,
    start: float,
    values: Floats,
) -> None:
    """Try rectangles one by one; write into `values` the measure of each that was kept, and NaN of the others."""
    best = start
    for index in range(shapes.shape[0]):
        value = try_shape(mesh, paint, change, cases, shapes[index], step, weights, best)
        if value > best:
            keep_trial(paint, change, cases)
            best = values[index] = value
        else:
            drop_shape(mesh, paint, change)
            values[index] = np.nan
