"""Compiled loops of the measure-based learner: painting on lattices, distances to borders, hill climbing."""

from __future__ import annotations

import cython
import numpy as np
from numpy.typing import NDArray

if not cython.compiled:
    from math import exp2, inf, nan, sqrt

Ints = NDArray[np.int32]
Floats = NDArray[np.float64]
Marks = NDArray[np.bool_]

# In many dimensions each painted box may cut every other into many; without a limit a fit to noise would not end.
# A box that bounds three features cuts each other one into six at most: that much room there is for a trial.
MOST_BOXES, MOST_BOUNDED = 128, 3


class Paint:
    """What is painted on the triangles of a mesh, kept and on trial; at first everything has one class.

    side, sides, ends, edges, n_straight: The mesh, as `fivefold.borders.lattice.Mesh` describes it.
    kept, labels (4 G^2,): Class of each triangle: as accepted, and as on trial.
    border (E,): The edges between triangles of different classes, first in the array.
    place (E,): Where each edge stands in `border`; -1 where it is none.
    straight, diagonal: How many edges of the border are straight, and how many diagonal.
    triangles, touched: What a proposal paints and the edges of it, `n_triangles` and `n_touched` of them.
    stamp (E,), proposal: The last proposal that touched each edge, and the number of this one.
    picked (E,): Edges of one class.
    """

    def __init__(
        self, side: int, sides: Ints, ends: Floats, edges: Ints, n_straight: int, start: int
    ) -> None:
        self.side, self.sides, self.ends, self.edges, self.n_straight = side, sides, ends, edges, n_straight
        n_edges, n_triangles = len(sides), len(edges)
        self.kept, self.labels = (np.full(n_triangles, start, dtype=np.int32) for _ in range(2))
        self.border, self.touched, self.picked = (np.zeros(n_edges, dtype=np.int32) for _ in range(3))
        self.place, self.stamp = np.full(n_edges, -1, dtype=np.int32), np.zeros(n_edges, dtype=np.int64)
        self.triangles = np.zeros(n_triangles, dtype=np.int32)
        self.straight = self.diagonal = self.n_triangles = self.n_touched = self.proposal = 0


class LatticeCases:
    """The training cases, sorted by class, and their nearest edges.

    points (N, 2): Where they lie.
    classes, triangles (N,): Class of each, and triangle of the mesh.
    starts (k + 1,): Where each class begins.
    nearest, trial_nearest (N,): The nearest edge with the case's class on exactly one side, -1 if there is
        none; as accepted, on trial.
    squares, trial_squares (N,): Squares of its distances.
    right, distances (N,): Whether the paint on trial has the case's class, and its distances, for the measure.
    """

    def __init__(self, points: Floats, classes: Ints, triangles: Ints, starts: Ints) -> None:
        self.points, self.classes, self.triangles, self.starts = points, classes, triangles, starts
        n = len(classes)
        self.nearest, self.trial_nearest = (np.full(n, -1, dtype=np.int32) for _ in range(2))
        self.squares, self.trial_squares = np.full(n, np.inf), np.full(n, np.inf)
        self.right, self.distances = np.zeros(n, dtype=np.bool_), np.zeros(n)


class BoxPaint:
    """Boxes that do not overlap, and the training cases beside them; at first there is one box.

    A row is d lower bounds, d upper bounds and a class.

    boxes, n_boxes: The boxes as accepted, first in the array, and their number.
    trial, n_trial: Those on trial.
    low, step: Where the lattice begins, and its width.
    points, cells (N, d): Where the cases lie; the same in whole steps of the lattice.
    classes, answers, trial_answers (N,): Class of each, and class of the box it lies in: as accepted, on trial.
    right, distances (N,): Whether the boxes on trial have the case's class, and its distances, for the measure.
    """

    def __init__(
        self, box: Ints, low: float, step: float, points: Floats, cells: Ints, classes: Ints
    ) -> None:
        self.d, self.low, self.step = len(box) // 2, low, step
        boxes = np.zeros((MOST_BOXES, len(box)), dtype=np.int32)
        boxes[0] = box
        self.boxes, self.n_boxes = boxes, 1
        self.trial = np.empty((2 * MOST_BOUNDED * MOST_BOXES + 1, len(box)), dtype=np.int32)
        self.n_trial = 0
        self.points, self.cells, self.classes = points, cells, classes
        n = len(classes)
        self.answers, self.trial_answers = (np.full(n, box[2 * self.d], dtype=np.int32) for _ in range(2))
        self.right, self.distances = np.zeros(n, dtype=np.bool_), np.zeros(n)


def score(right: Marks, distances: Floats, size: float, weights: Floats) -> float:
    """M = a0 |R|/N + a1 (k1 simiR - k2 simiW) - a2 L, for weights (a0, a1, k1, k2, a2, b)."""
    fit, similar_right, similar_wrong = 0.0, 0.0, 0.0
    for case in range(right.shape[0]):
        similar = 1.0 - exp2(-weights[5] * distances[case])
        if right[case]:
            fit += 1.0
            similar_right += similar
        else:
            similar_wrong += similar
    gained = weights[0] * fit + weights[1] * (weights[2] * similar_right - weights[3] * similar_wrong)
    return float(gained / right.shape[0] - weights[4] * size)


def best_score(n_right: int, n_cases: int, size: float, weights: Floats) -> float:
    """What the measure could reach at most, wherever the border runs: a bound that needs no distances."""
    fit = float(n_right) / n_cases
    gained, lost = max(weights[1] * weights[2], 0.0), max(-weights[1] * weights[3], 0.0)
    return float(weights[0] * fit + (gained * fit + lost * (1.0 - fit)) - weights[4] * size)


def _mark(paint: Paint, i: int, j: int, part: int, label: int) -> None:
    """List a triangle of a square, if that lies in the window and does not have the class yet."""
    triangle = 4 * (i + paint.side * j) + part
    if 0 <= i < paint.side and 0 <= j < paint.side and paint.labels[triangle] != label:
        paint.triangles[paint.n_triangles] = triangle
        paint.n_triangles += 1


def _pick_triangles(paint: Paint, shapes: Ints, row: int) -> None:
    """List the triangles inside of a rectangle that do not have its class yet.

    A tilted rectangle holds whole cells of x + y and x - y, of which each is two triangles.
    """
    tilted, label = shapes[row, 0] != 0, shapes[row, 5]
    paint.n_triangles = 0
    for first in range(shapes[row, 1], shapes[row, 2]):
        for second in range(shapes[row, 3], shapes[row, 4]):
            if tilted:
                odd = (first + second) & 1
                i, j = (first - odd + second) >> 1, (first - odd - second) >> 1
                _mark(paint, i, j, odd, label)
                _mark(paint, i + odd, j - 1 + odd, 2 + odd, label)
            else:
                for part in range(4):
                    _mark(paint, first, second, part, label)


def _settle_edge(paint: Paint, edge: int) -> None:
    """Enter an edge in the border, or strike it out, as the labels of its sides say."""
    divides = paint.labels[paint.sides[edge, 0]] != paint.labels[paint.sides[edge, 1]]
    place, size, change = paint.place[edge], paint.straight + paint.diagonal, 0
    if divides and place < 0:
        paint.border[size] = edge
        paint.place[edge] = size
        change = 1
    elif not divides and place >= 0:
        last = paint.border[size - 1]
        paint.border[place] = last
        paint.place[last] = place
        paint.place[edge] = -1
        change = -1
    if edge < paint.n_straight:
        paint.straight += change
    else:
        paint.diagonal += change


def paint_shape(paint: Paint, shapes: Ints, row: int) -> bool:
    """Put a rectangle on trial; False if it changes nothing.

    Its row of `shapes`: 1 if tilted; then the bounds of x and y, or of x + y and x - y, in steps of the lattice;
    then the class.
    """
    _pick_triangles(paint, shapes, row)
    paint.n_touched = 0
    paint.proposal += 1
    for index in range(paint.n_triangles):
        triangle = paint.triangles[index]
        paint.labels[triangle] = shapes[row, 5]
        for corner in range(3):
            edge = paint.edges[triangle, corner]
            if edge >= 0 and paint.stamp[edge] != paint.proposal:
                paint.stamp[edge] = paint.proposal
                paint.touched[paint.n_touched] = edge
                paint.n_touched += 1
    for index in range(paint.n_touched):
        _settle_edge(paint, paint.touched[index])
    return paint.n_triangles > 0


def drop_shape(paint: Paint) -> None:
    """Take what is on trial off again."""
    for index in range(paint.n_triangles):
        triangle = paint.triangles[index]
        paint.labels[triangle] = paint.kept[triangle]
    for index in range(paint.n_touched):
        _settle_edge(paint, paint.touched[index])


def _splits(paint: Paint, edge: int, label: int) -> bool:
    first, second = paint.labels[paint.sides[edge, 0]], paint.labels[paint.sides[edge, 1]]
    return bool((first == label) != (second == label))


def _did_split(paint: Paint, edge: int, label: int) -> bool:
    first, second = paint.kept[paint.sides[edge, 0]], paint.kept[paint.sides[edge, 1]]
    return bool((first == label) != (second == label))


def _look(paint: Paint, cases: LatticeCases, case: int, n_picked: int) -> None:
    """Let a case know of edges that may be nearer than the one it has."""
    for index in range(n_picked):
        edge = paint.picked[index]
        left, bottom = paint.ends[edge, 0], paint.ends[edge, 1]
        along, up = paint.ends[edge, 2] - left, paint.ends[edge, 3] - bottom
        x, y = cases.points[case, 0] - left, cases.points[case, 1] - bottom
        share = min(1.0, max(0.0, (x * along + y * up) / (along * along + up * up)))
        x, y = x - share * along, y - share * up
        if x * x + y * y < cases.trial_squares[case]:
            cases.trial_squares[case], cases.trial_nearest[case] = x * x + y * y, edge


def _pick_new_edges(paint: Paint, label: int) -> int:
    """Pick the edges that bound a class now and did not before; give their number."""
    size = 0
    for index in range(paint.n_touched):
        edge = paint.touched[index]
        if _splits(paint, edge, label) and not _did_split(paint, edge, label):
            paint.picked[size] = edge
            size += 1
    return size


def _pick_all_edges(paint: Paint, label: int) -> int:
    """Pick every edge that bounds a class; give their number."""
    size = 0
    for index in range(paint.straight + paint.diagonal):
        edge = paint.border[index]
        if _splits(paint, edge, label):
            paint.picked[size] = edge
            size += 1
    return size


def _box(paint: Paint, n_picked: int) -> tuple[float, float, float, float]:
    left, bottom, right, top = inf, inf, -inf, -inf
    for index in range(n_picked):
        edge = paint.picked[index]
        left = min(left, paint.ends[edge, 0], paint.ends[edge, 2])
        right = max(right, paint.ends[edge, 0], paint.ends[edge, 2])
        bottom = min(bottom, paint.ends[edge, 1], paint.ends[edge, 3])
        top = max(top, paint.ends[edge, 1], paint.ends[edge, 3])
    return left, bottom, right, top


def _reach_class(paint: Paint, cases: LatticeCases, label: int) -> None:
    """Update the cases of one class: from the new edges, or from all where the nearest has gone."""
    n_picked, lost = _pick_new_edges(paint, label), False
    left, bottom, right, top = _box(paint, n_picked)
    for case in range(cases.starts[label], cases.starts[label + 1]):
        edge = cases.trial_nearest[case]
        if edge >= 0 and not _splits(paint, edge, label):
            cases.trial_nearest[case], cases.trial_squares[case] = -1, inf
            lost = True
            continue
        x, y = cases.points[case, 0], cases.points[case, 1]
        x, y = max(left - x, 0.0, x - right), max(bottom - y, 0.0, y - top)
        if x * x + y * y < cases.trial_squares[case]:
            _look(paint, cases, case, n_picked)
    if lost:
        n_picked = _pick_all_edges(paint, label)
        for case in range(cases.starts[label], cases.starts[label + 1]):
            if cases.trial_nearest[case] < 0:
                _look(paint, cases, case, n_picked)


def reach_border(paint: Paint, cases: LatticeCases) -> None:
    """Bring the distances on trial up to the paint on trial."""
    for case in range(cases.classes.shape[0]):
        cases.trial_nearest[case], cases.trial_squares[case] = cases.nearest[case], cases.squares[case]
    for label in range(cases.starts.shape[0] - 1):
        _reach_class(paint, cases, label)
    for case in range(cases.classes.shape[0]):
        cases.distances[case] = sqrt(cases.trial_squares[case])


def count_right(paint: Paint, cases: LatticeCases) -> int:
    """Mark the cases that the paint on trial gets right, and count them."""
    total = 0
    for case in range(cases.classes.shape[0]):
        right = paint.labels[cases.triangles[case]] == cases.classes[case]
        cases.right[case] = right
        total += right
    return total


def border_length(paint: Paint, step: float) -> float:
    """Length of the border on trial."""
    return step * (paint.straight + paint.diagonal / sqrt(2.0))


def _try_shape(
    paint: Paint, cases: LatticeCases, shapes: Ints, row: int, step: float, weights: Floats, least: float
) -> float:
    """Put a rectangle on trial and give its measure; -inf once it is sure not to exceed `least`."""
    if not paint_shape(paint, shapes, row):
        return -inf
    size = border_length(paint, step)
    n_right = count_right(paint, cases)
    if best_score(n_right, cases.classes.shape[0], size, weights) <= least:
        return -inf
    reach_border(paint, cases)
    return score(cases.right, cases.distances, size, weights)


def keep_trial(paint: Paint, cases: LatticeCases) -> None:
    """Accept what is on trial."""
    for index in range(paint.n_triangles):
        triangle = paint.triangles[index]
        paint.kept[triangle] = paint.labels[triangle]
    for case in range(cases.classes.shape[0]):
        cases.nearest[case], cases.squares[case] = cases.trial_nearest[case], cases.trial_squares[case]


def climb(
    paint: Paint, cases: LatticeCases, shapes: Ints, step: float, weights: Floats, best: float, values: Floats
) -> None:
    """Try rectangles one by one; write into `values` the measure of each that was kept, and NaN of the others."""
    with cython.nogil:
        for row in range(shapes.shape[0]):
            value = _try_shape(paint, cases, shapes, row, step, weights, best)
            if value > best:
                keep_trial(paint, cases)
                best = values[row] = value
            else:
                drop_shape(paint)
                values[row] = nan


def _apart(paint: BoxPaint, box: int, shapes: Ints, row: int) -> bool:
    d = paint.d
    for j in range(d):
        if paint.boxes[box, j] >= shapes[row, d + j] or shapes[row, j] >= paint.boxes[box, d + j]:
            return True
    return False


def _copy_box(to: Ints, place: int, boxes: Ints, box: int) -> None:
    for j in range(boxes.shape[1]):
        to[place, j] = boxes[box, j]


def _cut_off(paint: BoxPaint, rest: int, bound: int, opposite: int, value: int) -> int:
    """Cut off what lies beyond a bound of the box in the last row; give the row after it, where the rest is."""
    _copy_box(paint.trial, rest + 1, paint.trial, rest)
    paint.trial[rest, opposite] = value
    paint.trial[rest + 1, bound] = value
    return rest + 1


def _cut_out(paint: BoxPaint, shapes: Ints, row: int) -> None:
    """Put a box on trial over all others: what it covers of them is cut off, and it is added itself.

    It bounds three features at most. No boxes are on trial if nothing changes.
    """
    d, size, changes = paint.d, 0, False
    for box in range(paint.n_boxes):
        _copy_box(paint.trial, size, paint.boxes, box)
        if _apart(paint, box, shapes, row):
            size += 1
            continue
        changes = changes or paint.boxes[box, 2 * d] != shapes[row, 2 * d]
        for j in range(d):
            if paint.trial[size, j] < shapes[row, j]:
                size = _cut_off(paint, size, j, d + j, shapes[row, j])
            if paint.trial[size, d + j] > shapes[row, d + j]:
                size = _cut_off(paint, size, d + j, j, shapes[row, d + j])
    _copy_box(paint.trial, size, shapes, row)
    paint.n_trial = size + 1 if changes else 0


def _join(boxes: Ints, a: int, b: int) -> bool:
    """Add box b to box a if both together are a box of one class."""
    d, along = boxes.shape[1] // 2, -1
    if boxes[a, 2 * d] != boxes[b, 2 * d]:
        return False
    for j in range(d):
        if boxes[a, j] != boxes[b, j] or boxes[a, d + j] != boxes[b, d + j]:
            if along >= 0 or (boxes[a, d + j] != boxes[b, j] and boxes[b, d + j] != boxes[a, j]):
                return False
            along = j
    if along >= 0:
        boxes[a, along] = min(boxes[a, along], boxes[b, along])
        boxes[a, d + along] = max(boxes[a, d + along], boxes[b, d + along])
    return along >= 0


def _join_trial(paint: BoxPaint) -> None:
    """Join boxes on trial of one class that share a whole face, until there are none."""
    size, joined = paint.n_trial, True
    while joined:
        joined = False
        first = 0
        while first < size:
            second = first + 1
            while second < size:
                if _join(paint.trial, first, second):
                    size -= 1
                    _copy_box(paint.trial, second, paint.trial, size)
                    joined = True
                else:
                    second += 1
            first += 1
    paint.n_trial = size


def border_area(boxes: Ints, step: float) -> float:
    """Area of all faces between boxes of different classes."""
    d = boxes.shape[1] // 2
    total = 0.0
    for a in range(boxes.shape[0]):
        for b in range(a):
            if boxes[a, 2 * d] == boxes[b, 2 * d]:
                continue
            area, touching = 1.0, 0
            for j in range(d):
                overlap = min(boxes[a, d + j], boxes[b, d + j]) - max(boxes[a, j], boxes[b, j])
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


def reach_boxes(paint: BoxPaint, boxes: Ints) -> None:
    """Measure how far right cases are from other classes, and wrong ones from their own."""
    d, low, step = paint.d, paint.low, paint.step
    for case in range(paint.classes.shape[0]):
        best = inf
        for box in range(boxes.shape[0]):
            if (boxes[box, 2 * d] == paint.classes[case]) == paint.right[case]:
                continue
            square = 0.0
            for j in range(d):
                x = paint.points[case, j]
                gap = max(low + step * boxes[box, j] - x, 0.0, x - low - step * boxes[box, d + j])
                square += gap * gap
            best = min(best, square)
        paint.distances[case] = sqrt(best)


def _inside(boxes: Ints, box: int, cells: Ints, cell: int) -> bool:
    d = cells.shape[1]
    for j in range(d):
        if not boxes[box, j] <= cells[cell, j] < boxes[box, d + j]:
            return False
    return True


def _count_right(paint: BoxPaint, shapes: Ints, row: int) -> int:
    """Answer every case anew under a painted box, and count the right answers."""
    d, total = paint.d, 0
    for case in range(paint.classes.shape[0]):
        inside = _inside(shapes, row, paint.cells, case)
        answer = shapes[row, 2 * d] if inside else paint.answers[case]
        paint.trial_answers[case] = answer
        paint.right[case] = answer == paint.classes[case]
        total += paint.right[case]
    return total


def _put_on_trial(paint: BoxPaint, shapes: Ints, row: int) -> bool:
    """Cut a box out of all others; False if that changes nothing or makes too many."""
    _cut_out(paint, shapes, row)
    if paint.n_trial > paint.boxes.shape[0]:
        _join_trial(paint)
    return 0 < paint.n_trial <= paint.boxes.shape[0]


def _try_box(paint: BoxPaint, shapes: Ints, row: int, weights: Floats, least: float) -> float:
    """Put a box on trial: give its measure; -inf once it is sure not to exceed `least`."""
    n_right, n = _count_right(paint, shapes, row), paint.classes.shape[0]
    if best_score(n_right, n, 0.0, weights) <= least and weights[4] >= 0.0:
        return -inf
    if not _put_on_trial(paint, shapes, row):
        return -inf
    boxes = paint.trial[: paint.n_trial]
    size = border_area(boxes, paint.step)
    if best_score(n_right, n, size, weights) <= least:
        return -inf
    reach_boxes(paint, boxes)
    return score(paint.right, paint.distances, size, weights)


def try_box(paint: BoxPaint, shapes: Ints) -> bool:
    """Put the first of some boxes on trial; False if that changes nothing."""
    _count_right(paint, shapes, 0)
    changes = _put_on_trial(paint, shapes, 0)
    if changes:
        reach_boxes(paint, paint.trial[: paint.n_trial])
    return changes


def keep_boxes(paint: BoxPaint) -> None:
    """Accept the boxes on trial."""
    _join_trial(paint)
    for box in range(paint.n_trial):
        _copy_box(paint.boxes, box, paint.trial, box)
    paint.n_boxes = paint.n_trial
    for case in range(paint.classes.shape[0]):
        paint.answers[case] = paint.trial_answers[case]


def climb_boxes(paint: BoxPaint, shapes: Ints, weights: Floats, best: float, values: Floats) -> None:
    """Try boxes one by one; write the measure of each that was kept, and NaN of the others."""
    with cython.nogil:
        for row in range(shapes.shape[0]):
            value = _try_box(paint, shapes, row, weights, best)
            values[row] = nan
            if value > best:
                keep_boxes(paint)
                best = values[row] = value


def label_cells(boxes: Ints, cells: Ints) -> Ints:
    """Give the class of the box that each cell lies in."""
    labels = np.empty(len(cells), dtype=np.int32)
    _label_cells(boxes, cells, labels)
    return labels


def _label_cells(boxes: Ints, cells: Ints, labels: Ints) -> None:
    d = cells.shape[1]
    with cython.nogil:
        for case in range(cells.shape[0]):
            for box in range(boxes.shape[0]):
                if _inside(boxes, box, cells, case):
                    labels[case] = boxes[box, 2 * d]
                    break
