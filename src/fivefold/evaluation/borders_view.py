"""The borders view of one trained model: the shape of its regions around the cases it was trained on."""

from __future__ import annotations

import warnings
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any, TypedDict

import numpy as np
from numpy.typing import NDArray

from fivefold.borders.approximate import Options
from fivefold.borders.border_measure import BorderMeasure, measure
from fivefold.borders.partition import Drawable
from fivefold.borders.sizes import choose_partition
from fivefold.borders.terms import MeasureWeights
from fivefold.borders.window import CodedPredictor, Points, Window, read_points, table_builder
from fivefold.errors import InputError, InputTypeError, show
from fivefold.evaluation.findings import Finding, Importance
from fivefold.inputs.columns import Column, read_columns
from fivefold.results import HIGHER, LOWER, Count, Share, View, declared, forwarded, number, plain
from fivefold.training.fit_predict import take_rows

Floats = NDArray[np.float64]
Codes = NDArray[np.int32]
Rectangle = tuple[int, int, int, int, int]

MOST_CASES = 2000
# Distances in more than two dimensions are searched for along many lines from every case.
MOST_CASES_IN_SPACE = 500
MOST_POINTS = 600
MOST_POINTS_IN_CUTS = 150
GRID = 116
MOST_FEATURES = 4
_MOST_FOR_MIDDLE = 1000
_SLACK = 0.002
_RESOLUTION = 256
_GRAIN = 1e-7
_STEP = 0.04

Region = TypedDict("Region", {"class": Count, "x": float, "x2": float, "y": float, "y2": float})


class DrawnMap(TypedDict):
    """A map by rectangles of one class each, in the features' own units."""

    columns: list[Count]
    names: list[str]
    low: list[float]
    high: list[float]
    regions: list[Region]
    lines: list[list[tuple[float, float]]]
    middle: dict[str, float]


class DrawnCases(TypedDict):
    """Training cases in the maps; distances are below zero for wrong cases."""

    places: list[list[float]]
    classes: list[Count]
    right: list[bool]
    distances: list[float]


class Histogram(TypedDict):
    """Cases by their signed distance, in steps; the first and the last hold all that is beyond."""

    step: float
    bins: list[int]
    counts: list[Count]


@dataclass(frozen=True, eq=False)
class RegionMap:
    """Which class a model gives to every place of a plane."""

    columns: tuple[int, ...]
    names: tuple[str, ...]
    low: Floats
    high: Floats
    answers: Codes = field(repr=False)
    classes: tuple[Any, ...]
    lines: tuple[Floats, ...] = field(repr=False)
    middle: dict[str, float]

    def draw(self, places: Mapping[str, int]) -> DrawnMap:
        """Describe the map by rectangles of one class each, given the number of each class."""
        codes = np.array([places[str(label)] for label in self.classes])
        # where there is one feature, the picture is from 0 to 1 high
        left, bottom = self.low[0], self.low[1] if self.low.size > 1 else 0.0
        right, top = self.high[0], self.high[1] if self.high.size > 1 else 1.0
        n_rows, n_columns = self.answers.shape
        across, up = np.linspace(left, right, n_columns + 1), np.linspace(bottom, top, n_rows + 1)
        return {
            "columns": list(self.columns),
            "names": list(self.names),
            "low": [left, bottom],
            "high": [right, top],
            "regions": [
                {"class": value, "x": across[x], "x2": across[x2], "y": up[y], "y2": up[y2]}
                for value, x, x2, y, y2 in rectangles(codes[self.answers].tolist())
            ],
            "lines": [line.tolist() for line in self.lines],
            "middle": self.middle,
        }


@dataclass(frozen=True, eq=False)
class BordersView(View, view="borders"):
    """The measure of one model and maps of its regions.

    Parameters
    ----------
    model : str
        The model's name.
    result : BorderMeasure
        Fit, similarity and size of the borders on the cases that it was trained on.
    maps : tuple of RegionMap
        Its regions: one map of one or two features, cuts of more.
    points : ndarray of shape (m, d)
        Some or all of these cases, to be drawn.
    rows : ndarray of int of shape (m,)
        Which ones they are.
    n_trained : int
        How many cases it was trained on.
    """

    model: str
    result: BorderMeasure = field(repr=False)
    maps: tuple[RegionMap, ...] = field(repr=False)
    points: Floats = field(repr=False)
    rows: NDArray[np.int64] = field(repr=False)
    n_trained: Count = field(metadata=declared(meaning="How many cases the model was trained on."))

    measure = forwarded(
        "result.value",
        float,
        "Fit, similarity and size of the borders in one number.",
        "Measure",
        direction=HIGHER,
        tables=("page", "terminal"),
        column="border_measure",
    )
    fit = forwarded(
        "result.fit",
        Share,
        "Share of the training cases that are right.",
        "Fit",
        direction=HIGHER,
        tables=("page", "terminal"),
        note="share right",
    )
    similarity_right = forwarded(
        "result.similarity_right",
        float,
        "How far right cases are from the next border, from 0 to 1.",
        "Similarity, right",
        direction=HIGHER,
        tables=("page", "terminal"),
        heading="similar right",
        note="0 to 1",
    )
    similarity_wrong = forwarded(
        "result.similarity_wrong",
        float,
        "How far wrong cases are from a region of their own class, from 0 to 1.",
        "Similarity, wrong",
        direction=LOWER,
        tables=("page", "terminal"),
        heading="similar wrong",
        note="0 to 1",
    )
    border_size = forwarded(
        "result.border_size",
        float,
        "Size of all borders inside the window.",
        "Size of borders",
        direction=LOWER,
        tables=("page", "terminal"),
        heading="borders",
        below=("border_size_error",),
    )
    border_size_error = forwarded(
        "result.error",
        float,
        "How wrong the size of the borders may be; 0 if it is exact.",
        "± error",
        format="±.3f",
        tables=("terminal",),
        zero="exact",
    )

    @number("Of plain cuts", direction=LOWER, format=",.2f", tables=("page",), note="times")
    def times_plain_cuts(self) -> float:
        """Size of the borders against one plain cut for each class but one."""
        return self.result.sections / max(1, self.n_classes - 1)

    @number("Right but near", direction=LOWER, format=".1%", tables=("page",), note="share of right cases")
    def right_near_border(self) -> Share:
        """Share of the right cases that have a border nearer than the spacing."""
        right = self.result.right
        return float(np.mean(self.result.distances[right] < self.spacing)) if right.any() else 0.0

    @number()
    def spacing(self) -> float:
        """Distance of as many cases spread evenly: what counts as near."""
        return 1 / self.result.b

    border_size_method = forwarded(
        "result.method", str, "How the size was found.", "Size found by", format="text", tables=("page",)
    )
    distance_method = forwarded(
        "result.distance_method",
        str,
        "How the distances of the cases were found.",
        "Distances found by",
        format="text",
        tables=("page",),
    )
    n_cases = forwarded("result.right.size", Count, "Number of cases measured.")
    b = forwarded("result.b", float, "How steep similarity is.")
    weights = forwarded("result.weights", MeasureWeights, "What the terms of the measure weigh.")
    features = forwarded("result.window.names", list[str], "Names of the features.")

    @number()
    def classes(self) -> list[str]:
        """All classes among cases and answers, as text, in their own order."""
        answered = [label for drawn in self.maps for label in drawn.classes]
        labels = {*self.result.truth.tolist(), *answered}
        return [str(label) for label in sorted(labels, key=lambda label: (isinstance(label, str), label))]

    @number(key="maps")
    def drawn_maps(self) -> list[DrawnMap]:
        """Maps of the regions."""
        places = {label: place for place, label in enumerate(self.classes)}
        return [drawn.draw(places) for drawn in self.maps]

    @number()
    def cases(self) -> DrawnCases:
        """Training cases in the maps; distances are below zero for wrong cases."""
        places = {label: place for place, label in enumerate(self.classes)}
        truth = self.result.truth[self.rows].tolist()
        return {
            "places": self.points.tolist(),
            "classes": [places[str(label)] for label in truth],
            "right": self.result.right[self.rows].tolist(),
            "distances": self.result.distances[self.rows].tolist(),
        }

    @number()
    def histogram(self) -> Histogram:
        """Cases by their signed distance, in steps; the first and the last hold all that is beyond."""
        bins = np.clip(np.floor(self.result.distances / _STEP), -10, 19)
        # A right case upon the border belongs to the right ones, whatever the sign of its zero.
        bins = np.where(self.result.right, np.maximum(bins, 0), np.minimum(bins, -1)).astype(int)
        used, counts = np.unique(bins, return_counts=True)
        return {"step": _STEP, "bins": used.tolist(), "counts": counts.tolist()}

    @property
    def n_classes(self) -> int:
        """Number of classes among the cases."""
        return int(np.unique(self.result.truth).size)

    def finding(self) -> Finding:
        """Say what the shape of the regions means."""
        error = f" ± {self.border_size_error:.2f}" if self.border_size_error >= 0.005 else ""
        sentence = (
            f"{self.model}: {self._shape()}; {self._safety()}; {self._mistakes()}. "
            f"Its measure is {self.measure:.3f} (fit {self.fit:.3f}, "
            f"similarity {self.similarity_right:.3f} right and {self.similarity_wrong:.3f} wrong, "
            f"borders {self.border_size:.2f}{error})."
        )
        return Finding("borders", (self.model,), sentence, self._evidence(), Importance.DETAIL)

    def _shape(self) -> str:
        """Put the size of the borders into words."""
        if not self.border_size:
            return "it gives the same class everywhere it was asked, so there is no border"
        plain = max(1, self.n_classes - 1)
        need = f"{plain} plain cut{'s' if plain > 1 else ''}, which could separate {self.n_classes} classes"
        if self.times_plain_cuts < 1.25:
            return f"its borders are simple, no larger than about {need}"
        winding = "somewhat larger" if self.times_plain_cuts < 2 else "winding"
        return f"its borders are {winding}: {self.times_plain_cuts:.1f} times as large as {need}"

    def _safety(self) -> str:
        """Put the distances of the right cases into words."""
        right = self.result.distances[self.result.right]
        if not self.border_size or not right.size:
            return "no case is near another class" if right.size else "no case is right"
        if self.right_near_border < 0.1:
            half = f"half of those it gets right lie {np.median(right):.2f} or more from the nearest border"
            return f"it keeps clear of the cases ({half})"
        if self.right_near_border > 0.5:
            return f"half of the cases it gets right lie within {np.median(right):.2f} of a border"
        near = f"lie close to a border, within {self.spacing:.2f} of it"
        return f"{self.right_near_border:.0%} of the cases it gets right {near}"

    def _mistakes(self) -> str:
        """Put the distances of the wrong cases into words."""
        away = -self.result.distances[~self.result.right]
        if not away.size:
            return "it gets every training case right"
        far = int(np.count_nonzero(away > 2 * self.spacing))
        if away.size == 1:
            where = "far from any" if far else "near a"
            return f"1 of {self.n_cases:,} training cases is wrong and lies {where} region of its own class"
        cases = f"{away.size:,} of {self.n_cases:,} training cases are wrong"
        if not far:
            return f"{cases}, all of them near a region of their own class"
        some = "all" if far == away.size else f"{far:,}"
        return f"{cases}, {some} of them far from any region of their own class"

    def _evidence(self) -> dict[str, Any]:
        return {
            "measure": self.measure,
            "fit": self.fit,
            "similarity_right": self.similarity_right,
            "similarity_wrong": self.similarity_wrong,
            "border_size": self.border_size,
            "border_size_error": self.border_size_error,
            "border_size_method": self.border_size_method,
            "distances": self.distance_method,
            "times_plain_cuts": self.times_plain_cuts,
            "right_near_border": self.right_near_border,
            "near_means_within": self.spacing,
            "training_cases": self.n_cases,
        }


def look_at_borders(
    name: str, model: Any, X: Any, y: NDArray[Any], random_state: int = 0
) -> tuple[BordersView | None, str]:
    """Measure a fitted model's borders on the cases that it was trained on; or say why there are none."""
    columns = read_columns(X)
    reason = _why_not(columns)
    if reason:
        return None, reason
    rng, rows = np.random.default_rng(random_state), np.arange(len(y))
    most = MOST_CASES if len(columns) <= 2 else MOST_CASES_IN_SPACE
    if len(y) > most:
        rows = np.sort(rng.choice(len(y), most, replace=False))
    asked = take_rows(X, rows)
    try:
        with warnings.catch_warnings():
            # That a feature does not vary among the cases is no fault of the model, and the picture shows it.
            warnings.filterwarnings("ignore", "no two cases differ", UserWarning)
            result = measure(model, asked, y[rows], reference=X, random_state=random_state)
        maps = map_regions(model, X, result.window, random_state)
    except (InputError, InputTypeError) as error:
        return None, f"borders need {error.expected}, but got {error.got}"
    shown = MOST_POINTS if len(maps) == 1 else MOST_POINTS_IN_CUTS
    drawn = np.sort(rng.choice(len(rows), min(len(rows), shown), replace=False))
    values = np.column_stack([column.values for column in read_columns(asked)])
    return BordersView(name, result, maps, values[drawn], drawn, len(y)), ""


def draw_borders(
    estimators: Mapping[str, Any], X: Any, y: Any, *, theme: Any = None, random_state: int = 0
) -> Any:
    """Draw the regions of fitted models around the cases that they were trained on.

    Parameters
    ----------
    estimators : mapping of name to fitted classifier
        The models.
    X : dataframe or 2-D array-like
        The cases, in numeric columns without missing values.
    y : array-like
        Their classes.
    theme : Theme, optional
        Colours.
    random_state : int
        Seed of everything random.

    Returns
    -------
    altair.VConcatChart

    Examples
    --------
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> X, y = [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 1.0]], ["a", "b", "b", "a"]
    >>> chart = draw_borders({"tree": DecisionTreeClassifier().fit(X, y)}, X, y)
    >>> type(chart).__name__
    'VConcatChart'
    """
    from fivefold.report.charts.borders import border_chart

    drawn = []
    for name, model in estimators.items():
        view, why_not = look_at_borders(name, model, X, np.asarray(y), random_state)
        if view is None:
            raise InputError("a model and cases that have borders", f"{name}: {why_not}")
        drawn.append({"name": name, "borders": plain(view)})
    return border_chart({"models": drawn}, **({"theme": theme} if theme else {}))


def _why_not(columns: tuple[Column, ...]) -> str:
    for column in columns:
        if column.kind == "nominal":
            return f"the column {show(column.name)} is nominal, so there is no distance along it"
    for column in columns:
        absent = int(np.count_nonzero(column.missing))
        if absent:
            cases = f"{absent:,} case{' has' if absent == 1 else 's have'}"
            return f"{cases} no value of {show(column.name)}, so no place"
    varied = any(np.ptp(column.values) > 0 for column in columns)
    return "" if varied else "no two training cases differ"


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
    """Map the regions of a fitted model: one map of one or two features, or cuts through the medoid of more."""
    cases = read_points(X)
    if cases.values.shape[1] <= 2:
        return (_map(model, window, tuple(range(window.n_columns)), {}),)
    rng = np.random.default_rng(random_state)
    held = _medoid(cases.values, window, rng)
    chosen = _telling_features(model, cases, rng)
    maps = []
    for pair in combinations(chosen, 2):
        index, names = list(pair), tuple(window.names[i] for i in pair)
        ends = window.low[index], window.high[index]
        plane = Window(*ends, window.origin[index], window.scale[index], names)
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
    answers = model.predict(shaped(some))
    changed = []
    for column in range(d):
        other = some.copy()
        other[:, column] = rng.permutation(other[:, column])
        changed.append(int(np.count_nonzero(model.predict(shaped(other)) != answers)))
    return sorted(np.argsort(-np.array(changed), kind="stable")[:MOST_FEATURES].tolist())


def rectangles(grid: Sequence[Sequence[int]]) -> list[Rectangle]:
    """Cover a grid with rectangles: (value, first column, end, first row, end).

    Runs of equal cells in a row are joined with equal runs in the next rows.

    Examples
    --------
    >>> rectangles([[0, 0, 1], [0, 0, 1], [1, 1, 1]])
    [(0, 0, 2, 0, 2), (1, 2, 3, 0, 2), (1, 0, 3, 2, 3)]
    """
    done: list[Rectangle] = []
    open_runs: dict[tuple[int, int, int], int] = {}
    for row, cells in enumerate(grid):
        runs = _runs(cells)
        for run in [run for run in open_runs if run not in runs]:
            done.append((*run, open_runs.pop(run), row))
        for run in runs:
            open_runs.setdefault(run, row)
    done += [(*run, start, len(grid)) for run, start in open_runs.items()]
    return sorted(done, key=lambda rectangle: (rectangle[3], rectangle[1]))


def _runs(cells: Sequence[int]) -> list[tuple[int, int, int]]:
    starts = [0, *(i for i in range(1, len(cells)) if cells[i] != cells[i - 1])]
    ends = [*starts[1:], len(cells)]
    return [(cells[start], start, end) for start, end in zip(starts, ends, strict=True)]


def join_segments(ends: Floats, slack: float = 0.0) -> list[Floats]:
    """Join segments end to end, and leave out corners that hardly are any.

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
    for start, end in dict.fromkeys(tuple(sorted(pair)) for pair in pairs):
        left[start].append(end)
        left[end].append(start)
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
