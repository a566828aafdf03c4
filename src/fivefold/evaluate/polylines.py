"""Many short segments as a few long lines, for drawing."""

from __future__ import annotations

from collections import defaultdict

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
_GRAIN = 1e-7


def join_segments(ends: Floats, slack: float = 0.0) -> list[Floats]:
    """Join segments end to end, and leave out corners that hardly are any.

    Parameters
    ----------
    ends : ndarray of shape (m, 2, 2)
        Both ends of each segment, in units in which the picture is about one wide.
    slack : float
        How far a line may move when corners are left out.

    Returns
    -------
    list of ndarray of shape (p, 2)
        Lines; a closed one ends where it began.

    Examples
    --------
    >>> join_segments(np.array([[[0, 0], [1, 0]], [[2, 0], [1, 0]], [[2, 0], [2, 1]]], dtype=float))
    [array([[0., 0.], [2., 0.], [2., 1.]])]
    """
    keys = np.rint(ends / _GRAIN).astype(np.int64)
    corners = [tuple(map(tuple, pair)) for pair in keys.tolist()]
    places = {
        key: place
        for pair, two in zip(corners, ends, strict=True)
        for key, place in zip(pair, two, strict=True)
    }
    walks = _walks([pair for pair in corners if pair[0] != pair[1]])
    return [_straighten(np.array([places[key] for key in walk]), slack) for walk in walks]


def _walks(pairs: list[tuple[tuple[int, ...], ...]]) -> list[list[tuple[int, ...]]]:
    """Walk along segments from every end and junction, and then around what is left."""
    left: dict[tuple[int, ...], list[tuple[int, ...]]] = defaultdict(list)
    for one, other in dict.fromkeys(tuple(sorted(pair)) for pair in pairs):
        left[one].append(other)
        left[other].append(one)
    joints = [key for key, others in left.items() if len(others) != 2]
    return [
        _walk(left, set(joints), key) for key in [*joints, *left] for _ in range(len(left[key])) if left[key]
    ]


def _walk(
    left: dict[tuple[int, ...], list[tuple[int, ...]]], joints: set[tuple[int, ...]], start: tuple[int, ...]
) -> list[tuple[int, ...]]:
    walk, here = [start], start
    while left[here] and (here == start or here not in joints):
        after = left[here].pop()
        left[after].remove(here)
        walk.append(after)
        here = after
        if here == start:
            break
    return walk


def _straighten(line: Floats, slack: float) -> Floats:
    """Keep the corners without which the line would move by more than the slack (Douglas and Peucker)."""
    kept = np.zeros(len(line), dtype=np.bool_)
    kept[[0, -1]] = True
    stack = [(0, len(line) - 1)]
    while stack:
        first, last = stack.pop()
        if last - first < 2:
            continue
        away = _distances(line[first + 1 : last], line[first], line[last])
        farthest = int(away.argmax())
        if away[farthest] > slack + 1e-9:
            middle = first + 1 + farthest
            kept[middle] = True
            stack += [(first, middle), (middle, last)]
    return line[kept]


def _distances(points: Floats, start: Floats, end: Floats) -> Floats:
    along = end - start
    length = float(along @ along)
    share = np.clip((points - start) @ along / length, 0.0, 1.0) if length else np.zeros(len(points))
    return np.asarray(np.hypot(*(points - start - share[:, None] * along).T))
