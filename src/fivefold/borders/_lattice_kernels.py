"""Compiled loops of the measure-based learner: painting on lattices, distances to borders, hill climbing."""

from __future__ import annotations

from typing import NamedTuple

import numba
import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int32]
Floats = NDArray[np.float64]


class Mesh(NamedTuple):
    """The triangles of a lattice and the edges between them; nothing here ever changes.

    Square (i, j) is cut by both diagonals into the triangles 4 (i + G j) + 0, 1, 2, 3: bottom, right, top, left.

    side: Squares in a row, G.
    sides (E, 2): The two triangles of each edge.
    ends (E, 4): x, y of one end, then of the other.
    edges (4 G^2, 3): The edges of each triangle; -1 where it ends at the window.
    n_straight: How many edges lie between squares; the others, after them, are halves of diagonals.
    """

    side: int
    sides: Ints
    ends: Floats
    edges: Ints
    n_straight: int


class Paint(NamedTuple):
    """What is painted on a mesh, kept and on trial.

    kept, labels (4 G^2,): Class of each triangle: as accepted, and as on trial.
    border (E,): The edges between triangles of different classes, first in the array.
    place (E,): Where each edge stands in `border`; -1 where it is none.
    counts (2,): How many edges of the border are straight, and how many diagonal.
    """

    kept: Ints
    labels: Ints
    border: Ints
    place: Ints
    counts: NDArray[np.int64]


class Change(NamedTuple):
    """Room for what a proposal changes.

    triangles, edges: The triangles painted and the edges they touch, first in the arrays.
    sizes (3,): How many of both there are; and the number of the proposal.
    stamp (E,): The last proposal that touched each edge.
    picked (E,): Edges of one class.
    """

    triangles: Ints
    edges: Ints
    sizes: NDArray[np.int64]
    stamp: NDArray[np.int64]
    picked: Ints


class LatticeCases(NamedTuple):
    """The training cases, sorted by class, and their nearest edges.

    points (N, 2): Where they lie.
    classes, triangles (N,): Class of each, and triangle of the mesh.
    starts (k + 1,): Where each class begins.
    nearest, trial_nearest (N,): The nearest edge with the case's class on exactly one side, -1 if there is
        none; as accepted, on trial.
    squares, trial_squares (N,): Squares of its distances.
    right, distances (N,): Whether the paint on trial has the case's class, and its distances, for the measure.
    """

    points: Floats
    classes: Ints
    triangles: Ints
    starts: Ints
    nearest: Ints
    trial_nearest: Ints
    squares: Floats
    trial_squares: Floats
    right: NDArray[np.bool_]
    distances: Floats


class BoxCases(NamedTuple):
    """The training cases beside boxes.

    points (N, d): Where they lie.
    cells (N, d): The same in whole steps of the lattice.
    classes, answers, trial_answers (N,): Class of each, and class of the box it lies in: as accepted, on trial.
    right, distances (N,): Whether the boxes on trial have the case's class, and its distances, for the measure.
    """

    points: Floats
    cells: Ints
    classes: Ints
    answers: Ints
    trial_answers: Ints
    right: NDArray[np.bool_]
    distances: Floats


@numba.njit(cache=True)
def score(right: NDArray[np.bool_], distances: Floats, size: float, weights: Floats) -> float:
    """M = a0 |R|/N + a1 (k1 simiR - k2 simiW) - a2 L, for weights (a0, a1, k1, k2, a2, b)."""
    a0, a1, k1, k2, a2, b = weights
    fit, similar_right, similar_wrong = 0.0, 0.0, 0.0
    for case in range(right.size):
        similar = 1.0 - 2.0 ** (-b * distances[case])
        if right[case]:
            fit += 1.0
            similar_right += similar
        else:
            similar_wrong += similar
    gained = a0 * fit + a1 * (k1 * similar_right - k2 * similar_wrong)
    return float(gained / right.size - a2 * size)


@numba.njit(cache=True)
def best_score(n_right: int, n_cases: int, size: float, weights: Floats) -> float:
    """What the measure could reach at most, wherever the border runs: a bound that needs no distances."""
    a0, a1, k1, k2, a2, _ = weights
    fit = n_right / n_cases
    similar = max(a1 * k1, 0.0) * fit + max(-a1 * k2, 0.0) * (1.0 - fit)
    return float(a0 * fit + similar - a2 * size)


TILTED = 1


@numba.njit(cache=True)
def _mark(paint: Paint, change: Change, triangle: int, label: int) -> None:
    if paint.labels[triangle] != label:
        change.triangles[change.sizes[0]] = triangle
        change.sizes[0] += 1


@numba.njit(cache=True)
def _pick_triangles(mesh: Mesh, paint: Paint, change: Change, shape: Ints) -> None:
    """List the triangles inside of a rectangle that do not have its class yet.

    A tilted rectangle holds whole cells of x + y and x - y, of which each is two triangles.
    """
    side, label = mesh.side, shape[5]
    change.sizes[0] = 0
    for first in range(shape[1], shape[2]):
        for second in range(shape[3], shape[4]):
            if shape[0] != TILTED:
                square = 4 * (first + side * second)
                for part in range(4):
                    _mark(paint, change, square + part, label)
                continue
            odd = (first + second) & 1
            i, j = (first - odd + second) >> 1, (first - odd - second) >> 1
            if 0 <= i < side and 0 <= j < side:
                _mark(paint, change, 4 * (i + side * j) + odd, label)
            i, j = i + odd, j - 1 + odd
            if 0 <= i < side and 0 <= j < side:
                _mark(paint, change, 4 * (i + side * j) + 2 + odd, label)


@numba.njit(cache=True)
def _settle_edge(mesh: Mesh, paint: Paint, edge: int) -> None:
    """Enter an edge in the border, or strike it out, as the labels of its sides say."""
    divides = paint.labels[mesh.sides[edge, 0]] != paint.labels[mesh.sides[edge, 1]]
    place, kind = paint.place[edge], int(edge >= mesh.n_straight)
    size = paint.counts[0] + paint.counts[1]
    if divides and place < 0:
        paint.border[size] = edge
        paint.place[edge] = size
        paint.counts[kind] += 1
    elif not divides and place >= 0:
        last = paint.border[size - 1]
        paint.border[place] = last
        paint.place[last] = place
        paint.place[edge] = -1
        paint.counts[kind] -= 1


@numba.njit(cache=True)
def paint_shape(mesh: Mesh, paint: Paint, change: Change, shape: Ints) -> bool:
    """Put a rectangle on trial; False if it changes nothing.

    mesh, paint, change: The lattice, what is painted on it, and room for what changes.
    shape (6,): 1 if tilted; then the bounds of x and y, or of x + y and x - y, in steps of the lattice; then
        the class.
    """
    _pick_triangles(mesh, paint, change, shape)
    change.sizes[1] = 0
    change.sizes[2] += 1
    for index in range(change.sizes[0]):
        triangle = change.triangles[index]
        paint.labels[triangle] = shape[5]
        for corner in range(3):
            edge = mesh.edges[triangle, corner]
            if edge >= 0 and change.stamp[edge] != change.sizes[2]:
                change.stamp[edge] = change.sizes[2]
                change.edges[change.sizes[1]] = edge
                change.sizes[1] += 1
    for index in range(change.sizes[1]):
        _settle_edge(mesh, paint, change.edges[index])
    return bool(change.sizes[0] > 0)


@numba.njit(cache=True)
def keep_shape(paint: Paint, change: Change) -> None:
    """Accept what is on trial."""
    for index in range(change.sizes[0]):
        triangle = change.triangles[index]
        paint.kept[triangle] = paint.labels[triangle]


@numba.njit(cache=True)
def drop_shape(mesh: Mesh, paint: Paint, change: Change) -> None:
    """Take what is on trial off again."""
    for index in range(change.sizes[0]):
        triangle = change.triangles[index]
        paint.labels[triangle] = paint.kept[triangle]
    for index in range(change.sizes[1]):
        _settle_edge(mesh, paint, change.edges[index])


@numba.njit(cache=True)
def _splits(labels: Ints, sides: Ints, label: int) -> bool:
    return bool((labels[sides[0]] == label) != (labels[sides[1]] == label))


@numba.njit(cache=True)
def _reach(point: Floats, ends: Floats) -> float:
    """Square of the distance from a point to a segment."""
    along, up = ends[2] - ends[0], ends[3] - ends[1]
    x, y = point[0] - ends[0], point[1] - ends[1]
    share = min(1.0, max(0.0, (x * along + y * up) / (along * along + up * up)))
    x, y = x - share * along, y - share * up
    return float(x * x + y * y)


@numba.njit(cache=True)
def _look(mesh: Mesh, cases: LatticeCases, case: int, edges: Ints) -> None:
    """Let a case know of edges that may be nearer than the one it has."""
    for edge in edges:
        square = _reach(cases.points[case], mesh.ends[edge])
        if square < cases.trial_squares[case]:
            cases.trial_squares[case], cases.trial_nearest[case] = square, edge


@numba.njit(cache=True)
def _new_edges(mesh: Mesh, paint: Paint, change: Change, label: int) -> Ints:
    """Edges that bound a class now and did not before."""
    size = 0
    for edge in change.edges[: change.sizes[1]]:
        sides = mesh.sides[edge]
        if _splits(paint.labels, sides, label) and not _splits(paint.kept, sides, label):
            change.picked[size] = edge
            size += 1
    return change.picked[:size]


@numba.njit(cache=True)
def _all_edges(mesh: Mesh, paint: Paint, change: Change, label: int) -> Ints:
    """Every edge that bounds a class."""
    size = 0
    for edge in paint.border[: paint.counts[0] + paint.counts[1]]:
        if _splits(paint.labels, mesh.sides[edge], label):
            change.picked[size] = edge
            size += 1
    return change.picked[:size]


@numba.njit(cache=True)
def _box(mesh: Mesh, edges: Ints) -> tuple[float, float, float, float]:
    left, bottom, right, top = np.inf, np.inf, -np.inf, -np.inf
    for edge in edges:
        ends = mesh.ends[edge]
        left, right = min(left, ends[0], ends[2]), max(right, ends[0], ends[2])
        bottom, top = min(bottom, ends[1], ends[3]), max(top, ends[1], ends[3])
    return left, bottom, right, top


@numba.njit(cache=True)
def _reach_class(mesh: Mesh, paint: Paint, change: Change, cases: LatticeCases, label: int) -> None:
    """Update the cases of one class: from the new edges, or from all where the nearest has gone."""
    first, last = cases.starts[label], cases.starts[label + 1]
    new = _new_edges(mesh, paint, change, label)
    left, bottom, right, top = _box(mesh, new)
    lost = 0
    for case in range(first, last):
        edge = cases.trial_nearest[case]
        if edge >= 0 and not _splits(paint.labels, mesh.sides[edge], label):
            cases.trial_nearest[case], cases.trial_squares[case] = -1, np.inf
            lost += 1
            continue
        x, y = cases.points[case]
        x, y = max(left - x, 0.0, x - right), max(bottom - y, 0.0, y - top)
        if x * x + y * y < cases.trial_squares[case]:
            _look(mesh, cases, case, new)
    if lost:
        every = _all_edges(mesh, paint, change, label)
        for case in range(first, last):
            if cases.trial_nearest[case] < 0:
                _look(mesh, cases, case, every)


@numba.njit(cache=True)
def reach_border(mesh: Mesh, paint: Paint, change: Change, cases: LatticeCases) -> None:
    """Bring the distances on trial up to the paint on trial."""
    for case in range(cases.classes.size):
        cases.trial_nearest[case], cases.trial_squares[case] = cases.nearest[case], cases.squares[case]
    for label in range(cases.starts.size - 1):
        _reach_class(mesh, paint, change, cases, label)
    for case in range(cases.classes.size):
        cases.distances[case] = np.sqrt(cases.trial_squares[case])


@numba.njit(cache=True)
def count_right(paint: Paint, cases: LatticeCases) -> int:
    """Mark the cases that the paint on trial gets right, and count them."""
    total = 0
    for case in range(cases.classes.size):
        right = paint.labels[cases.triangles[case]] == cases.classes[case]
        cases.right[case] = right
        total += right
    return total


@numba.njit(cache=True)
def border_length(paint: Paint, step: float) -> float:
    """Length of the border on trial."""
    return float(step * (paint.counts[0] + paint.counts[1] / np.sqrt(2.0)))


@numba.njit(cache=True)
def try_shape(
    mesh: Mesh,
    paint: Paint,
    change: Change,
    cases: LatticeCases,
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
def keep_trial(paint: Paint, change: Change, cases: LatticeCases) -> None:
    """Accept what is on trial."""
    keep_shape(paint, change)
    for case in range(cases.classes.size):
        cases.nearest[case], cases.squares[case] = cases.trial_nearest[case], cases.trial_squares[case]


@numba.njit(cache=True)
def climb(
    mesh: Mesh,
    paint: Paint,
    change: Change,
    cases: LatticeCases,
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
