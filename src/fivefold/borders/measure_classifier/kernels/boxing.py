"""Hill climbing with boxes in any number of dimensions."""

from __future__ import annotations

import numba
import numpy as np
from numpy.typing import NDArray

from fivefold.borders.measure_classifier.kernels.scoring import best_score, score
from fivefold.borders.measure_classifier.structures import BoxCases

Floats = NDArray[np.float64]
Ints = NDArray[np.int32]

# In many dimensions each painted box may cut every other into many; without a limit a fit to noise would not end.
MOST_BOXES = 128


@numba.njit(cache=True)
def cut_out(boxes: Ints, shape: Ints) -> Ints:
    """Paint a box over disjoint boxes: what it covers of them is cut off, and it is added itself.

    A row is d lower bounds, d upper bounds and a class. No rows are given if nothing changes.
    """
    d = shape.size // 2
    out = np.empty((boxes.shape[0] * 2 * d + 1, shape.size), dtype=np.int32)
    size, changes = 0, False
    for box in boxes:
        apart = False
        for j in range(d):
            apart = apart or box[j] >= shape[d + j] or shape[j] >= box[d + j]
        if apart:
            out[size] = box
            size += 1
            continue
        changes = changes or box[2 * d] != shape[2 * d]
        rest = box.copy()
        for j in range(d):
            if rest[j] < shape[j]:
                out[size] = rest
                out[size, d + j] = shape[j]
                rest[j] = shape[j]
                size += 1
            if rest[d + j] > shape[d + j]:
                out[size] = rest
                out[size, j] = shape[d + j]
                rest[d + j] = shape[d + j]
                size += 1
    out[size] = shape
    return out[: size + 1 if changes else 0]


@numba.njit(cache=True)
def _join(one: Ints, other: Ints) -> bool:
    """Add the other box to the first if both together are a box of one class."""
    d = one.size // 2
    if one[2 * d] != other[2 * d]:
        return False
    along = -1
    for j in range(d):
        if one[j] != other[j] or one[d + j] != other[d + j]:
            if along >= 0 or (one[d + j] != other[j] and other[d + j] != one[j]):
                return False
            along = j
    if along >= 0:
        one[along] = min(one[along], other[along])
        one[d + along] = max(one[d + along], other[d + along])
    return along >= 0


@numba.njit(cache=True)
def join_boxes(boxes: Ints) -> Ints:
    """Join boxes of one class that share a whole face, until there are none."""
    size, joined = boxes.shape[0], True
    while joined:
        joined = False
        first = 0
        while first < size:
            second = first + 1
            while second < size:
                if _join(boxes[first], boxes[second]):
                    size -= 1
                    boxes[second] = boxes[size]
                    joined = True
                else:
                    second += 1
            first += 1
    return boxes[:size].copy()


@numba.njit(cache=True)
def border_area(boxes: Ints, step: float) -> float:
    """Area of all faces between boxes of different classes."""
    d = boxes.shape[1] // 2
    total = 0.0
    for first in range(boxes.shape[0]):
        one = boxes[first]
        for second in range(first):
            other = boxes[second]
            if one[2 * d] == other[2 * d]:
                continue
            area, touching = 1.0, 0
            for j in range(d):
                overlap = min(one[d + j], other[d + j]) - max(one[j], other[j])
                if overlap < 0:
                    area = 0.0
                    break
                if overlap == 0:
                    touching += 1
                else:
                    area *= overlap * step
            if touching == 1:
                total += area
    return total


@numba.njit(cache=True)
def reach_boxes(boxes: Ints, cases: BoxCases, low: float, step: float) -> None:
    """Measure how far right cases are from other classes, and wrong ones from their own."""
    d = cases.points.shape[1]
    for case in range(cases.classes.size):
        right, best = cases.right[case], np.inf
        for box in boxes:
            if (box[2 * d] == cases.classes[case]) == right:
                continue
            square = 0.0
            for j in range(d):
                x = cases.points[case, j]
                gap = max(low + step * box[j] - x, 0.0, x - low - step * box[d + j])
                square += gap * gap
            best = min(best, square)
        cases.distances[case] = np.sqrt(best)


@numba.njit(cache=True)
def _count_right(cases: BoxCases, shape: Ints) -> int:
    """Answer every case anew under a painted box, and count the right answers."""
    d, total = cases.cells.shape[1], 0
    for case in range(cases.classes.size):
        inside = True
        for j in range(d):
            inside = inside and shape[j] <= cases.cells[case, j] < shape[d + j]
        cases.trial_answers[case] = shape[2 * d] if inside else cases.answers[case]
        cases.right[case] = cases.trial_answers[case] == cases.classes[case]
        total += cases.right[case]
    return total


@numba.njit(cache=True)
def try_box(
    boxes: Ints, cases: BoxCases, shape: Ints, low: float, step: float, weights: Floats, least: float
) -> tuple[float, Ints]:
    """Put a box on trial: give its measure and all boxes with it; -inf once it is sure not to exceed `least`."""
    n_right, n = _count_right(cases, shape), cases.classes.size
    if best_score(n_right, n, 0.0, weights) <= least and weights[4] >= 0.0:
        return -np.inf, boxes
    cut = cut_out(boxes, shape)
    if cut.shape[0] > MOST_BOXES:
        cut = join_boxes(cut)
    if cut.shape[0] == 0 or cut.shape[0] > MOST_BOXES:
        return -np.inf, boxes
    size = border_area(cut, step)
    if best_score(n_right, n, size, weights) <= least:
        return -np.inf, boxes
    reach_boxes(cut, cases, low, step)
    return score(cases.right, cases.distances, size, weights), cut


@numba.njit(cache=True)
def climb_boxes(
    boxes: Ints,
    cases: BoxCases,
    shapes: Ints,
    low: float,
    step: float,
    weights: Floats,
    start: float,
    values: Floats,
) -> Ints:
    """Try boxes one by one; write the measure of each that was kept, and NaN of the others."""
    best = start
    for index in range(shapes.shape[0]):
        value, cut = try_box(boxes, cases, shapes[index], low, step, weights, best)
        values[index] = np.nan
        if value > best:
            boxes = join_boxes(cut)
            for case in range(cases.classes.size):
                cases.answers[case] = cases.trial_answers[case]
            best = values[index] = value
    return boxes


@numba.njit(cache=True)
def label_cells(boxes: Ints, cells: Ints) -> Ints:
    """Give the class of the box that each cell lies in."""
    n, d = cells.shape
    found = np.empty(n, dtype=np.int32)
    for case in range(n):
        for box in boxes:
            inside = True
            for j in range(d):
                if not box[j] <= cells[case, j] < box[d + j]:
                    inside = False
                    break
            if inside:
                found[case] = box[2 * d]
                break
    return found
