"""Regions painted on a lattice, measured the slow way: every piece against every other."""

from itertools import combinations

import numpy as np


def lattice_triangles(side, low, step):
    """Corners of all triangles: squares row by row, and in each bottom, right, top, left."""
    triangles = []
    for j in range(side):
        for i in range(side):
            corners = [np.array([i + a, j + b]) for a, b in ((0, 0), (1, 0), (1, 1), (0, 1))]
            centre = np.array([i + 0.5, j + 0.5])
            triangles += [np.array([corners[part], corners[(part + 1) % 4], centre]) for part in range(4)]
    return low + step * np.array(triangles)


def shared_edges(triangles):
    """Pairs of triangles with two corners in common, and how far apart these are."""
    keys = [{tuple(np.round(corner, 9)) for corner in triangle} for triangle in triangles]
    return {
        (first, second): float(np.linalg.norm(np.subtract(*(keys[first] & keys[second]))))
        for first, second in combinations(range(len(keys)), 2)
        if len(keys[first] & keys[second]) == 2
    }


def triangle_distances(point, triangles):
    """Distance from a point to each triangle: none inside, else to the nearest side."""
    starts, ends = triangles, np.roll(triangles, -1, axis=1)
    along, away = ends - starts, point - starts
    turns = along[..., 0] * away[..., 1] - along[..., 1] * away[..., 0]
    inside = (turns >= 0).all(axis=1) | (turns <= 0).all(axis=1)
    share = np.clip((along * away).sum(axis=2) / (along**2).sum(axis=2), 0, 1)
    gaps = np.linalg.norm(away - share[..., None] * along, axis=2).min(axis=1)
    return np.where(inside, 0.0, gaps)


def inside_rectangle(shape, triangles, low, step):
    """Tell which triangles lie in a straight or tilted rectangle given in steps of the lattice."""
    x, y = ((triangles.mean(axis=1) - low) / step).T
    first, second = (x + y, x - y) if shape[0] else (x, y)
    return (shape[1] <= first) & (first <= shape[2]) & (shape[3] <= second) & (second <= shape[4])


def border_distances(points, classes, answers, triangles, labels):
    """Distance of right cases to another class, and of wrong ones to their own."""
    distances = []
    for point, own, answer in zip(points, classes, answers, strict=True):
        wanted = triangles[(labels == own) != (answer == own)]
        distances.append(triangle_distances(point, wanted).min(initial=np.inf))
    return np.array(distances)


def measure(right, distances, size, weights, b):
    """Evaluate the formula of the measure term by term."""
    a0, a1, a2, k1, k2 = weights
    similar = [1 - 2 ** (-b * distance) for distance in distances]
    n = len(right)
    gained = sum(s for s, r in zip(similar, right, strict=True) if r) / n
    lost = sum(s for s, r in zip(similar, right, strict=True) if not r) / n
    return a0 * sum(right) / n + a1 * (k1 * gained - k2 * lost) - a2 * size
