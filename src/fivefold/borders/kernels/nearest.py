"""Distances to boxes and segments, and the facets that boxes share."""

from __future__ import annotations

import numba
import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Codes = NDArray[np.int32]


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
