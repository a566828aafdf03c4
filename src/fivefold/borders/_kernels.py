"""Compiled loops of the geometry: votes of nearest cases, distances to boxes and segments, bisectors."""

from __future__ import annotations

import numba
import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Codes = NDArray[np.int32]


@numba.njit(cache=True)
def winner(votes: NDArray[np.int64], highest: bool) -> int:
    """The class with most votes; among equals the lowest, or the highest if asked."""
    best = 0
    for c in range(1, votes.size):
        if votes[c] > votes[best] or (highest and votes[c] == votes[best]):
            best = c
    return best


@numba.njit(cache=True)
def vote_nearest(
    points: Floats, cases: Floats, labels: Codes, k: int, n_classes: int, highest: bool, grain: float
) -> Codes:
    """Class of each point by the vote of its k nearest cases; of equally near ones the earlier ones."""
    out = np.empty(points.shape[0], dtype=np.int32)
    near = np.empty(k)
    who = np.empty(k, dtype=np.int64)
    votes = np.empty(n_classes, dtype=np.int64)
    for i in range(points.shape[0]):
        m = 0
        for j in range(cases.shape[0]):
            squared = 0.0
            for c in range(points.shape[1]):
                gap = points[i, c] - cases[j, c]
                squared += gap * gap
            squared = np.rint(squared / grain)
            if m == k and squared >= near[k - 1]:
                continue
            place = m if m < k else k - 1
            while place > 0 and near[place - 1] > squared:
                near[place], who[place] = near[place - 1], who[place - 1]
                place -= 1
            near[place], who[place] = squared, j
            m = min(m + 1, k)
        votes[:] = 0
        for place in range(m):
            votes[labels[who[place]]] += 1
        out[i] = winner(votes, highest)
    return out


@numba.njit(cache=True)
def nearest_box(
    points: Floats, low: Floats, high: Floats, labels: Codes, answers: Codes, wanted: Codes
) -> Floats:
    """Distance from each point to the nearest box of the wanted class (-1: any but the answer)."""
    n, d = points.shape
    out = np.empty(n)
    for i in range(n):
        best = np.inf
        for j in range(labels.size):
            if (wanted[i] < 0 and labels[j] == answers[i]) or (wanted[i] >= 0 and labels[j] != wanted[i]):
                continue
            squared = 0.0
            for k in range(d):
                gap = max(low[j, k] - points[i, k], points[i, k] - high[j, k], 0.0)
                squared += gap * gap
                if squared >= best:
                    break
            best = min(best, squared)
        out[i] = np.sqrt(best)
    return out


@numba.njit(cache=True)
def shared_facets(low: Floats, high: Floats, labels: Codes, out: NDArray[np.int64]) -> int:
    """Write triples (a, b, axis) of boxes of different classes where a ends and b begins along the axis.

    Gives their number, which may be larger than what there is room for.
    """
    n, d = low.shape
    m = 0
    for a in range(n):
        for b in range(n):
            if labels[a] == labels[b]:
                continue
            for k in range(d):
                if high[a, k] != low[b, k]:
                    continue
                overlap = True
                for other in range(d):
                    if other != k and min(high[a, other], high[b, other]) <= max(
                        low[a, other], low[b, other]
                    ):
                        overlap = False
                        break
                if overlap:
                    if m < out.shape[0]:
                        out[m, 0], out[m, 1], out[m, 2] = a, b, k
                    m += 1
                break
    return m


@numba.njit(cache=True)
def nearest_segment(points: Floats, ends: Floats, sides: Codes, wanted: Codes) -> Floats:
    """Distance from each point to the nearest segment with the wanted class on a side (-1: any segment)."""
    out = np.empty(points.shape[0])
    for i in range(points.shape[0]):
        best = np.inf
        x, y = points[i, 0], points[i, 1]
        for j in range(ends.shape[0]):
            if wanted[i] >= 0 and sides[j, 0] != wanted[i] and sides[j, 1] != wanted[i]:
                continue
            ax, ay = ends[j, 0, 0], ends[j, 0, 1]
            dx, dy = ends[j, 1, 0] - ax, ends[j, 1, 1] - ay
            squared = dx * dx + dy * dy
            t = 0.0
            if squared > 0.0:
                t = min(1.0, max(0.0, ((x - ax) * dx + (y - ay) * dy) / squared))
            gx, gy = ax + t * dx - x, ay + t * dy - y
            best = min(best, gx * gx + gy * gy)
        out[i] = np.sqrt(best)
    return out


Ints = NDArray[np.int64]
_TINY = 1e-13


@numba.njit(cache=True)
def clip_line(px: float, py: float, dx: float, dy: float, low: Floats, high: Floats) -> tuple[float, float]:
    """Stretch of the line p + t d inside a rectangle; empty if the first end is not below the second."""
    t0, t1 = -np.inf, np.inf
    for p, d, a, b in ((px, dx, low[0], high[0]), (py, dy, low[1], high[1])):
        if abs(d) < _TINY:
            if p <= a or p >= b:
                return 0.0, 0.0
            continue
        first, second = (a - p) / d, (b - p) / d
        t0 = max(t0, min(first, second))
        t1 = min(t1, max(first, second))
    return t0, t1


@numba.njit(cache=True)
def keep_nearest_events(times: Floats, groups: Ints, m: int, k: int, time: float, group: int) -> int:
    """Insert an event into a sorted list of at most k; give its new length."""
    if m == k and time >= times[k - 1]:
        return m
    place = m if m < k else k - 1
    while place > 0 and times[place - 1] > time:
        times[place], groups[place] = times[place - 1], groups[place - 1]
        place -= 1
    times[place], groups[place] = time, group
    return min(m + 1, k)


@numba.njit(cache=True)
def add_votes(votes: Ints, members: Codes, start: int, stop: int, step: int) -> None:
    """Add (or take away) the votes of some members of a group."""
    for place in range(start, stop):
        votes[members[place]] += step


@numba.njit(cache=True)
def nearer_along(
    pair: tuple[int, int],
    line: Floats,
    order: Ints,
    gradients: Floats,
    heights: Floats,
    starts: Ints,
    k: int,
    rises: tuple[Floats, Ints],
    falls: tuple[Floats, Ints],
    always: Ints,
) -> tuple[float, float, int, int, int]:
    """Find which groups lie below the pair's common height along their line, as far as the vote may hang on it.

    A group that is below from some place on is a rise, one that is below up to some place a fall (kept with the
    sign turned, so that both lists are ascending). Where k are below, the pair has no say: the stretch ends.
    """
    g, h = pair
    px, py, dx, dy, t0, t1 = line
    n_rise, n_fall, n_always, below = 0, 0, 0, 0
    for q in order:
        if q in (g, h):
            continue
        gx, gy = gradients[q, 0] - gradients[g, 0], gradients[q, 1] - gradients[g, 1]
        height = gx * px + gy * py + heights[q] - heights[g]
        slope = gx * dx + gy * dy
        if abs(slope) <= _TINY * (abs(gx) + abs(gy)):
            through = height < 0.0
        else:
            time = -height / slope
            through = (slope < 0.0 and time <= t0) or (slope > 0.0 and time >= t1)
            if slope < 0.0 and t0 < time < t1:
                n_rise = keep_nearest_events(rises[0], rises[1], n_rise, k, time, q)
                t1 = rises[0][k - 1] if n_rise == k else t1
            elif slope > 0.0 and t0 < time < t1:
                n_fall = keep_nearest_events(falls[0], falls[1], n_fall, k, -time, q)
                t0 = -falls[0][k - 1] if n_fall == k else t0
        if through:
            always[n_always] = q
            n_always += 1
            below += starts[q + 1] - starts[q]
        if below >= k or t1 - t0 <= _TINY:
            return 0.0, 0.0, 0, 0, 0
    return t0, t1, n_rise, n_fall, n_always


@numba.njit(cache=True)
def side_winner(
    votes: Ints, members: Codes, starts: Ints, first: int, second: int, places: int, highest: bool
) -> int:
    """Let the first group and then the second fill the places that are left, and count the votes."""
    m = min(places, starts[first + 1] - starts[first])
    rest = min(places - m, starts[second + 1] - starts[second])
    add_votes(votes, members, starts[first], starts[first] + m, 1)
    add_votes(votes, members, starts[second], starts[second] + rest, 1)
    best = winner(votes, highest)
    add_votes(votes, members, starts[first], starts[first] + m, -1)
    add_votes(votes, members, starts[second], starts[second] + rest, -1)
    return best


@numba.njit(cache=True)
def stretches(
    pair: tuple[int, int],
    found: tuple[float, float, int, int, int],
    rises: tuple[Floats, Ints],
    falls: tuple[Floats, Ints],
    always: Ints,
    starts: Ints,
    members: Codes,
    votes: Ints,
    k: int,
    highest: bool,
    out: Floats,
) -> int:
    """Write the stretches of a pair's line where its two sides have different winners: (from, to, one, other)."""
    g, h = pair
    t, t1, n_rise, n_fall, n_always = found
    votes[:] = 0
    below, i, j, m = 0, 0, n_fall - 1, 0
    for place in range(n_always):
        below += starts[always[place] + 1] - starts[always[place]]
        add_votes(votes, members, starts[always[place]], starts[always[place] + 1], 1)
    while i < n_rise and rises[0][i] <= t:
        below += starts[rises[1][i] + 1] - starts[rises[1][i]]
        add_votes(votes, members, starts[rises[1][i]], starts[rises[1][i] + 1], 1)
        i += 1
    while j >= 0 and -falls[0][j] <= t:
        j -= 1
    for place in range(j + 1):
        q = falls[1][place]
        below += starts[q + 1] - starts[q]
        add_votes(votes, members, starts[q], starts[q + 1], 1)
    pair_size = starts[g + 1] - starts[g] + starts[h + 1] - starts[h]
    while t < t1:
        up = rises[0][i] if i < n_rise else np.inf
        down = -falls[0][j] if j >= 0 else np.inf
        after = min(up, down, t1)
        if after - t > _TINY and below < k < below + pair_size:
            one = side_winner(votes, members, starts, g, h, k - below, highest)
            other = side_winner(votes, members, starts, h, g, k - below, highest)
            if one != other:
                out[m, 0], out[m, 1], out[m, 2], out[m, 3] = t, after, one, other
                m += 1
        if after < t1:
            q, step = (rises[1][i], 1) if up <= down else (falls[1][j], -1)
            below += step * (starts[q + 1] - starts[q])
            add_votes(votes, members, starts[q], starts[q + 1], step)
            i += step > 0
            j -= step < 0
        t = after
    return m


@numba.njit(cache=True)
def one_class(members: Codes, starts: Ints, g: int, h: int) -> bool:
    """Tell whether all members of two groups are of the same class."""
    first = members[starts[g]]
    for q in (g, h):
        for place in range(starts[q], starts[q + 1]):
            if members[place] != first:
                return False
    return True


@numba.njit(cache=True)
def borders_of_group(
    g: int,
    order: Ints,
    gradients: Floats,
    heights: Floats,
    starts: Ints,
    members: Codes,
    k: int,
    n_classes: int,
    highest: bool,
    low: Floats,
    high: Floats,
    out: Floats,
) -> int:
    """Write the border segments (x, y, x, y, one class, other class) between one function and all later ones.

    The order is that in which other functions are tried: the likely lower ones first, so that most lines are soon
    given up. Gives the number of segments, which may be larger than what there is room for.
    """
    n = heights.size
    rises = (np.empty(k), np.empty(k, dtype=np.int64))
    falls = (np.empty(k), np.empty(k, dtype=np.int64))
    always, votes = np.empty(n, dtype=np.int64), np.empty(n_classes, dtype=np.int64)
    told, line, m = np.empty((2 * k + 1, 4)), np.empty(6), 0
    for h in range(g + 1, n):
        nx, ny = gradients[h, 0] - gradients[g, 0], gradients[h, 1] - gradients[g, 1]
        squared = nx * nx + ny * ny
        if squared == 0.0 or one_class(members, starts, g, h):
            continue
        shift, size = -(heights[h] - heights[g]) / squared, np.sqrt(squared)
        line[0], line[1], line[2], line[3] = shift * nx, shift * ny, -ny / size, nx / size
        line[4], line[5] = clip_line(line[0], line[1], line[2], line[3], low, high)
        if line[5] - line[4] <= _TINY:
            continue
        found = nearer_along((g, h), line, order, gradients, heights, starts, k, rises, falls, always)
        if found[1] <= found[0]:
            continue
        new = stretches((g, h), found, rises, falls, always, starts, members, votes, k, highest, told)
        for s in range(min(new, out.shape[0] - m)):
            out[m + s, 0], out[m + s, 1] = line[0] + told[s, 0] * line[2], line[1] + told[s, 0] * line[3]
            out[m + s, 2], out[m + s, 3] = line[0] + told[s, 1] * line[2], line[1] + told[s, 1] * line[3]
            out[m + s, 4], out[m + s, 5] = told[s, 2], told[s, 3]
        m += new
    return m
