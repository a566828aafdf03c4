"""Maps of a model's regions: the plane itself, or cuts through the middle of the cases."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fivefold.borders.partition import Drawable
from fivefold.borders.sizes import Options, choose_partition
from fivefold.borders.window import CodedPredictor, Points, Window, read_points, table_builder
from fivefold.evaluate.polylines import join_segments

Floats = NDArray[np.float64]
Codes = NDArray[np.int32]

GRID = 116
MOST_FEATURES = 4
_MOST_FOR_MIDDLE = 1000
_SLACK = 0.002
_RESOLUTION = 256


@dataclass(frozen=True, eq=False)
class RegionMap:
    """Which class a model gives to every place of a plane.

    Parameters
    ----------
    columns : tuple of int
        The features across and up; one alone if there is no other.
    names : tuple of str
        Their names.
    low, high : ndarray
        The ends of the window along them, in their own units.
    answers : ndarray of int of shape (rows, columns)
        The class at each cell of a grid, as a position in `classes`; the lowest row first.
    classes : tuple
        The classes.
    lines : tuple of ndarray of shape (p, 2)
        The borders.
    middle : mapping of str to float
        Where the other features are held, if this is a cut.
    """

    columns: tuple[int, ...]
    names: tuple[str, ...]
    low: Floats
    high: Floats
    answers: Codes = field(repr=False)
    classes: tuple[Any, ...]
    lines: tuple[Floats, ...] = field(repr=False)
    middle: dict[str, float]


class _Cut:
    """A model in the plane of two features, with the others held."""

    def __init__(self, model: Any, cases: Points, held: Floats, columns: tuple[int, ...]) -> None:
        self._held, self._columns = held, list(columns)
        self._model, self._shaped = model, table_builder(model, cases.names, cases.library)
        self.classes_ = model.classes_

    def predict(self, X: Floats) -> NDArray[Any]:
        points = np.tile(self._held, (len(X), 1))
        points[:, self._columns] = X
        answers: NDArray[Any] = self._model.predict(self._shaped(points))
        return answers


def map_regions(model: Any, X: Any, window: Window, random_state: int = 0) -> tuple[RegionMap, ...]:
    """Map the regions of a fitted model: one map of one or two features, or cuts through the medoid of more.

    Parameters
    ----------
    model : fitted classifier
        The model.
    X : dataframe or 2-D array-like
        Cases that it was fitted on.
    window : Window
        What to show.
    random_state : int
        For the choice among many features, and among many cases.
    """
    cases = read_points(X)
    if cases.values.shape[1] <= 2:
        return (_map(model, window, tuple(range(window.n_columns)), {}),)
    rng = np.random.default_rng(random_state)
    held = _medoid(cases.values, window, rng)
    chosen = _telling_features(model, cases, rng)
    maps = []
    for pair in combinations(chosen, 2):
        plane = _plane(window, pair)
        middle = {name: float(held[i]) for i, name in enumerate(cases.names) if i not in pair}
        maps.append(_map(_Cut(model, cases, held, pair), plane, pair, middle))
    return tuple(maps)


def _map(model: Any, window: Window, columns: tuple[int, ...], middle: dict[str, float]) -> RegionMap:
    asker = CodedPredictor(model, window)
    # The regions that are drawn are those that are measured, where the two could differ by a tie.
    partition = choose_partition(asker, Options(resolution=_RESOLUTION))
    low, high = window.unit_low, window.unit_high
    ticks = [a + (b - a) * (np.arange(GRID) + 0.5) / GRID for a, b in zip(low, high, strict=True)]
    places = np.stack([axis.ravel() for axis in np.meshgrid(*ticks)], axis=1)
    answers = partition.answers(places).reshape(-1, GRID)
    if isinstance(partition, Drawable) and window.n_columns == 2:
        joined = join_segments(partition.segments().ends, _SLACK)
        lines = [window.to_raw(line) for line in joined]
    else:
        turns = np.flatnonzero(np.diff(answers[0])) + 1
        across = window.to_raw(low + (high - low) * turns[:, None] / GRID)
        lines = [np.array([[x, 0.0], [x, 1.0]]) for x in across[:, 0]]
    return RegionMap(
        columns, window.names, window.low, window.high, answers, tuple(asker.classes), tuple(lines), middle
    )


def _plane(window: Window, pair: tuple[int, ...]) -> Window:
    index = list(pair)
    names = tuple(window.names[i] for i in index)
    return Window(window.low[index], window.high[index], window.origin[index], window.scale[index], names)


def _medoid(values: Floats, window: Window, rng: np.random.Generator) -> Floats:
    """Find the case that is nearest to all others, or to many of them."""
    some = values
    if len(values) > _MOST_FOR_MIDDLE:
        some = values[rng.choice(len(values), _MOST_FOR_MIDDLE, replace=False)]
    U = window.to_unit(some)
    total = np.array([np.linalg.norm(U - u, axis=1).sum() for u in U])
    return np.asarray(some[total.argmin()])


def _telling_features(model: Any, cases: Points, rng: np.random.Generator) -> list[int]:
    """Choose the features that change most answers when their values are shuffled, in their own order."""
    n, d = cases.values.shape
    if d <= MOST_FEATURES:
        return list(range(d))
    shaped = table_builder(model, cases.names, cases.library)
    some = cases.values[rng.choice(n, min(n, _MOST_FOR_MIDDLE), replace=False)]
    said = model.predict(shaped(some))
    changed = []
    for column in range(d):
        other = some.copy()
        other[:, column] = rng.permutation(other[:, column])
        changed.append(int(np.count_nonzero(model.predict(shaped(other)) != said)))
    return sorted(np.argsort(-np.array(changed), kind="stable")[:MOST_FEATURES].tolist())
