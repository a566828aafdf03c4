"""Compiled loops of the geometry: votes of nearest cases, distances to boxes and segments, bisectors."""

from __future__ import annotations

import cython
import numpy as np
from numpy.typing import NDArray

if not cython.compiled:
    from math import inf, sqrt

    from numpy import rint

Floats = NDArray[np.float64]
Codes = NDArray[np.int32]
Ints = NDArray[np.int64]
_TINY = 1e-13
# Of constants the compiler would make jumps, which the processor guesses wrong.
_START, _END = 0.0, 1.0


class Smallest:
    """The k smallest of some numbers, ascending, and whose they are; of equal ones those that came first."""

    def __init__(self, k: int) -> None:
        self.k, self.size = k, 0
        self.numbers, self.owners = np.empty(k), np.empty(k, dtype=np.int64)


def keep_smallest(smallest: Smallest, number: float, owner: int) -> None:
    """Insert a number, if it is one of the k smallest."""
    k, place = smallest.k, smallest.size
    if place == k:
        if number >= smallest.numbers[k - 1]:
            return
        place = k - 1
    else:
        smallest.size += 1
    while place > 0 and smallest.numbers[place - 1] > number:
        smallest.numbers[place] = smallest.numbers[place - 1]
        smallest.owners[place] = smallest.owners[place - 1]
        place -= 1
    smallest.numbers[place], smallest.owners[place] = number, owner


def winner(votes: Ints, highest: bool) -> int:
    """The class with most votes; among equals the lowest, or the highest if asked."""
    best = 0
    for c in range(1, votes.shape[0]):
        if votes[c] > votes[best] or (highest and votes[c] == votes[best]):
            best = c
    return best


def vote_nearest(
    points: Floats, cases: Floats, labels: Codes, k: int, n_classes: int, highest: bool, grain: float
) -> Codes:
    """Class of each point by the vote of its k nearest cases; of equally near ones the earlier ones."""
    out = np.empty(len(points), dtype=np.int32)
    points, cases = np.ascontiguousarray(points), np.ascontiguousarray(cases)
    _vote(points, cases, labels, grain, Smallest(k), np.zeros(n_classes, dtype=np.int64), highest, out)
    return out


def _vote(
    points: Floats,
    cases: Floats,
    labels: Codes,
    grain: float,
    nearest: Smallest,
    votes: Ints,
    highest: bool,
    out: Codes,
) -> None:
    with cython.nogil:
        for i in range(points.shape[0]):
            nearest.size = 0
            for j in range(cases.shape[0]):
                squared = 0.0
                for c in range(points.shape[1]):
                    gap = points[i, c] - cases[j, c]
                    squared += gap * gap
                keep_smallest(nearest, rint(squared / grain), j)
            votes[:] = 0
            for place in range(nearest.size):
                votes[labels[nearest.owners[place]]] += 1
            out[i] = winner(votes, highest)


def nearest_box(
    points: Floats, low: Floats, high: Floats, labels: Codes, answers: Codes, wanted: Codes
) -> Floats:
    """Distance from each point to the nearest box of the wanted class (-1: any but the answer)."""
    order, others = np.argsort(labels), wanted < 0
    labels, sought = labels[order], np.where(others, answers, wanted)
    first, last = np.searchsorted(labels, sought), np.searchsorted(labels, sought, "right")
    out = np.empty(len(points))
    _nearest_box(np.ascontiguousarray(points), low[order], high[order], first, last, others, out)
    return out


def _nearest_box(
    points: Floats, low: Floats, high: Floats, first: Ints, last: Ints, others: NDArray[np.bool_], out: Floats
) -> None:
    """Look from the first box to the last, or at all others, which stand before and after these."""
    with cython.nogil:
        for i in range(points.shape[0]):
            if others[i]:
                best = _nearer_box(points, i, low, high, 0, first[i], inf)
                best = _nearer_box(points, i, low, high, last[i], low.shape[0], best)
            else:
                best = _nearer_box(points, i, low, high, first[i], last[i], inf)
            out[i] = sqrt(best)


def _nearer_box(
    points: Floats, i: int, low: Floats, high: Floats, first: int, last: int, best: float
) -> float:
    """Square of the distance from a point to the nearest of some boxes, if it is below the best so far."""
    for j in range(first, last):
        squared = 0.0
        for k in range(points.shape[1]):
            gap = max(_START, low[j, k] - points[i, k], points[i, k] - high[j, k])
            squared += gap * gap
            if squared >= best:
                break
        best = min(best, squared)
    return best


def _overlap(low: Floats, high: Floats, a: int, b: int, axis: int) -> bool:
    """Tell whether two boxes have more than a face in common along every axis but one."""
    for k in range(low.shape[1]):
        if k != axis and min(high[a, k], high[b, k]) <= max(low[a, k], low[b, k]):
            return False
    return True


def shared_facets(low: Floats, high: Floats, labels: Codes, out: Ints) -> int:
    """Write triples (a, b, axis) of boxes of different classes where a ends and b begins along the axis.

    Gives their number, which may be larger than what there is room for.
    """
    m = 0
    with cython.nogil:
        for a in range(low.shape[0]):
            for b in range(low.shape[0]):
                if labels[a] == labels[b]:
                    continue
                for k in range(low.shape[1]):
                    if high[a, k] != low[b, k]:
                        continue
                    if _overlap(low, high, a, b, k):
                        if m < out.shape[0]:
                            out[m, 0], out[m, 1], out[m, 2] = a, b, k
                        m += 1
                    break
    return m


def nearest_segment(points: Floats, ends: Floats, sides: Codes, wanted: Codes) -> Floats:
    """Distance from each point to the nearest segment with the wanted class on a side (-1: any segment)."""
    out = np.empty(len(points))
    points, sides = np.ascontiguousarray(points), np.ascontiguousarray(sides)
    _nearest_segment(points, np.ascontiguousarray(ends), sides, wanted, out)
    return out


def _nearest_segment(points: Floats, ends: Floats, sides: Codes, wanted: Codes, out: Floats) -> None:
    with cython.nogil:
        for i in range(points.shape[0]):
            best = inf
            x, y = points[i, 0], points[i, 1]
            for j in range(ends.shape[0]):
                if wanted[i] >= 0 and sides[j, 0] != wanted[i] and sides[j, 1] != wanted[i]:
                    continue
                ax, ay = ends[j, 0, 0], ends[j, 0, 1]
                dx, dy = ends[j, 1, 0] - ax, ends[j, 1, 1] - ay
                squared = dx * dx + dy * dy
                t = _START
                if squared > 0.0:
                    t = min(_END, max(_START, ((x - ax) * dx + (y - ay) * dy) / squared))
                gx, gy = ax + t * dx - x, ay + t * dy - y
                best = min(best, gx * gx + gy * gy)
            out[i] = sqrt(best)


class Functions:
    """Linear functions of the unit square, the voters that each stands for, and room to follow a pair's line.

    gradients (n, 2), heights (n,): Function q is ``gradients[q] @ u + heights[q]``.
    starts (n + 1,), members: Classes of the voters of q are ``members[starts[q]:starts[q + 1]]``.
    k, highest: How many vote; whether the highest of several winners is taken, or the lowest.
    px, py, dx, dy, t0, t1: The line p + t d where both of a pair are equal, from t0 to t1.
    n_always, always: Functions that are lower all along it.
    votes, stretches: Votes of classes; stretches of a line (from, to, class on a side, class on the other).
    """

    def __init__(
        self,
        gradients: Floats,
        heights: Floats,
        starts: Ints,
        members: Codes,
        k: int,
        n_classes: int,
        highest: bool,
    ) -> None:
        self.gradients, self.heights = gradients, heights
        self.starts, self.members, self.k, self.highest = starts, members, k, highest
        self.px = self.py = self.dx = self.dy = self.t0 = self.t1 = 0.0
        self.n_always, self.always = 0, np.empty(len(heights), dtype=np.int64)
        self.votes, self.stretches = np.zeros(n_classes, dtype=np.int64), np.empty((2 * k + 1, 4))


def clip_line(functions: Functions) -> bool:
    """Cut a line off at the unit square; False if nothing is left."""
    functions.t0, functions.t1 = -inf, inf
    for axis in range(2):
        p = functions.py if axis else functions.px
        d = functions.dy if axis else functions.dx
        if abs(d) < _TINY:
            if p <= 0.0 or p >= 1.0:
                return False
            continue
        first, second = (0.0 - p) / d, (1.0 - p) / d
        functions.t0 = max(functions.t0, min(first, second))
        functions.t1 = min(functions.t1, max(first, second))
    return functions.t1 - functions.t0 > _TINY


def place_line(functions: Functions, g: int, h: int) -> bool:
    """Find the line where two functions are equal; False if there is none in the unit square."""
    nx = functions.gradients[h, 0] - functions.gradients[g, 0]
    ny = functions.gradients[h, 1] - functions.gradients[g, 1]
    squared = nx * nx + ny * ny
    label = functions.members[functions.starts[g]]
    if squared == 0.0 or (one_class(functions, g, label) and one_class(functions, h, label)):
        return False
    shift, size = -(functions.heights[h] - functions.heights[g]) / squared, sqrt(squared)
    functions.px, functions.py = shift * nx, shift * ny
    functions.dx, functions.dy = -ny / size, nx / size
    return clip_line(functions)


def one_class(functions: Functions, q: int, label: int) -> bool:
    """Tell whether all voters of a function are of a class."""
    for place in range(functions.starts[q], functions.starts[q + 1]):
        if functions.members[place] != label:
            return False
    return True


def nearer_along(functions: Functions, g: int, h: int, order: Ints, rises: Smallest, falls: Smallest) -> bool:
    """Find which functions lie below a pair's common height along its line, as far as the vote may hang on it.

    A function that is below from some place on is a rise, one that is below up to some place a fall (kept with the
    sign turned, so that both lists are ascending). Where k are below, the pair has no say: the stretch ends.
    """
    px, py, dx, dy = functions.px, functions.py, functions.dx, functions.dy
    t0, t1, k = functions.t0, functions.t1, functions.k
    rises.size = falls.size = functions.n_always = below = 0
    for place in range(order.shape[0]):
        q = order[place]
        if q in (g, h):
            continue
        gx = functions.gradients[q, 0] - functions.gradients[g, 0]
        gy = functions.gradients[q, 1] - functions.gradients[g, 1]
        height = gx * px + gy * py + functions.heights[q] - functions.heights[g]
        slope = gx * dx + gy * dy
        if abs(slope) <= _TINY * (abs(gx) + abs(gy)):
            through = height < 0.0
        else:
            time = -height / slope
            through = (slope < 0.0 and time <= t0) or (slope > 0.0 and time >= t1)
            if slope < 0.0 and t0 < time < t1:
                keep_smallest(rises, time, q)
                t1 = rises.numbers[k - 1] if rises.size == k else t1
            elif slope > 0.0 and t0 < time < t1:
                keep_smallest(falls, -time, q)
                t0 = -falls.numbers[k - 1] if falls.size == k else t0
        if through:
            functions.always[functions.n_always] = q
            functions.n_always += 1
            below += functions.starts[q + 1] - functions.starts[q]
        if below >= k or t1 - t0 <= _TINY:
            return False
    functions.t0, functions.t1 = t0, t1
    return t1 > t0


def count_voters(functions: Functions, q: int, step: int) -> int:
    """Add (or take away) the votes of a function; give by how many their number changes."""
    number: int = functions.starts[q + 1] - functions.starts[q]
    add_votes(functions, q, number, step)
    return step * number


def add_votes(functions: Functions, q: int, number: int, step: int) -> None:
    """Add (or take away) the votes of the first voters of a function."""
    for place in range(functions.starts[q], functions.starts[q] + number):
        functions.votes[functions.members[place]] += step


def side_winner(functions: Functions, first: int, second: int, places: int) -> int:
    """Let one function and then another fill the places that are left, and count the votes."""
    m = min(places, functions.starts[first + 1] - functions.starts[first])
    rest = min(places - m, functions.starts[second + 1] - functions.starts[second])
    add_votes(functions, first, m, 1)
    add_votes(functions, second, rest, 1)
    best = winner(functions.votes, functions.highest)
    add_votes(functions, first, m, -1)
    add_votes(functions, second, rest, -1)
    return best


def stretches(functions: Functions, g: int, h: int, rises: Smallest, falls: Smallest) -> int:
    """Write the stretches of a pair's line where its two sides have different winners; give their number."""
    t, k = functions.t0, functions.k
    functions.votes[:] = 0
    below, i, j, m = 0, 0, falls.size - 1, 0
    for place in range(functions.n_always):
        below += count_voters(functions, functions.always[place], 1)
    while i < rises.size and rises.numbers[i] <= t:
        below += count_voters(functions, rises.owners[i], 1)
        i += 1
    while j >= 0 and -falls.numbers[j] <= t:
        j -= 1
    for place in range(j + 1):
        below += count_voters(functions, falls.owners[place], 1)
    pair_size = functions.starts[g + 1] - functions.starts[g] + functions.starts[h + 1] - functions.starts[h]
    while t < functions.t1:
        up = rises.numbers[i] if i < rises.size else inf
        down = -falls.numbers[j] if j >= 0 else inf
        after = min(up, down, functions.t1)
        if after - t > _TINY and below < k < below + pair_size:
            left, right = side_winner(functions, g, h, k - below), side_winner(functions, h, g, k - below)
            if left != right:
                functions.stretches[m, 0], functions.stretches[m, 1] = t, after
                functions.stretches[m, 2], functions.stretches[m, 3] = left, right
                m += 1
        if after < functions.t1 and up <= down:
            below += count_voters(functions, rises.owners[i], 1)
            i += 1
        elif after < functions.t1:
            below += count_voters(functions, falls.owners[j], -1)
            j -= 1
        t = after
    return m


def borders_of_group(
    functions: Functions, g: int, order: Ints, rises: Smallest, falls: Smallest, out: Floats
) -> int:
    """Write the border segments (x, y, x, y, one class, other class) between one function and all later ones.

    The order is that in which other functions are tried: the likely lower ones first, so that most lines are soon
    given up. Gives the number of segments, which may be larger than what there is room for.
    """
    m = 0
    with cython.nogil:
        for h in range(g + 1, functions.heights.shape[0]):
            if not place_line(functions, g, h) or not nearer_along(functions, g, h, order, rises, falls):
                continue
            new = stretches(functions, g, h, rises, falls)
            for s in range(min(new, out.shape[0] - m)):
                for end in range(2):
                    t = functions.stretches[s, end]
                    out[m + s, 2 * end] = functions.px + t * functions.dx
                    out[m + s, 2 * end + 1] = functions.py + t * functions.dy
                    out[m + s, 4 + end] = functions.stretches[s, 2 + end]
            m += new
    return m
