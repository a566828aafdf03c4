"""Borders of any classifier by its answers alone: a refined grid in the plane, random lines in space."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import KDTree

from fivefold.borders.partition import BorderSize, Codes, Floats, PlanarPartition, Segments
from fivefold.borders.window import CodedPredictor, Window
from fivefold.errors import InputTypeError, show
from fivefold.inputs.options import close_names, one_of, positive_int

Ints = NDArray[np.int64]
_CORNERS = np.array([(0, 0), (1, 0), (1, 1), (0, 1)])
_HALVINGS, _FEWEST_HALVINGS = 24, 4
_MOST_QUESTIONS = 500_000
_COARSEST = 64
_UNKNOWN = -1
# the cells below, right, above and left, in the order of the edges that marching uses
_ACROSS = ((0, -1), (1, 0), (0, 1), (-1, 0))
_AROUND = tuple((i, j) for i in (-1, 0, 1) for j in (-1, 0, 1))
_LINE_STEPS = 128
_MOST_CUTS = 1000
_BATCH = 1000
_PARTNERS = 4
_RAY_STEPS = 16
_ROUGH, _FINE = 7, 20
_SHAKES = tuple(0.8**i for i in range(20))


@dataclass(frozen=True)
class Options:
    """How borders are found.

    Parameters
    ----------
    method : {"auto", "exact", "adaptive", "lines"}
        ``"exact"`` insists on geometry that is known in closed form: trees, ensembles of trees and rules by
        boxes, linear models by planes, k nearest neighbours in the plane by bisectors. ``"adaptive"`` refines a
        grid by the model's answers (one or two columns). ``"lines"`` draws random lines (any number of columns).
        ``"auto"`` takes the first of these that is possible.
    ties : {"lowest", "highest"}
        Which class wins a tied vote of nearest neighbours, in exact geometry: the lowest, as in scikit-learn, or
        the highest, which gives the published numbers.
    duplicates : {"majority", "paper"}
        What becomes of cases at one place with different classes. ``"majority"``: one nearest neighbour there is
        of the class most frequent there. ``"paper"``: of the class of the first; and a case counts as right if any
        case at its place has the class that the model gives.
    resolution : int
        The least number of cells along each side of the finest grid, which has 64 times a power of two.
    n_lines : int
        The number of random lines.
    n_directions : int
        The random directions tried from each case.
    max_cells : int
        The most cells of the grid of an ensemble or of rules; with more, the grid is not exact but adaptive.
    random_state : int, Generator, RandomState or None
        The seed of lines and directions.
    """

    method: str = "auto"
    ties: str = "lowest"
    duplicates: str = "majority"
    resolution: int = 512
    n_lines: int = 1000
    n_directions: int = 16
    max_cells: int = 1_000_000
    random_state: Any = 0

    def __post_init__(self) -> None:
        one_of(self.method, ("auto", "exact", "adaptive", "lines"), "method")
        one_of(self.ties, ("lowest", "highest"), "ties")
        one_of(self.duplicates, ("majority", "paper"), "duplicates")
        positive_int(self.resolution, "resolution", least=128)
        positive_int(self.n_lines, "n_lines", least=2)
        positive_int(self.n_directions, "n_directions", least=0)
        positive_int(self.max_cells, "max_cells")

    @classmethod
    def read(cls, given: Mapping[str, Any]) -> Options:
        """Take options by name; refuse one that does not exist."""
        known = [field.name for field in fields(cls)]
        for name in given.keys() - known:
            raise InputTypeError("a known option", f"{name}={show(given[name])}", close_names(name, known))
        return cls(**given)


def adaptive_partition(predictor: CodedPredictor, resolution: int, cases: Floats | None) -> PlanarPartition:
    r"""Find the borders of any classifier by its answers alone.

    Cells whose corners differ, and cells with a case whose answer their corners lack, are split with their
    neighbours until there are `resolution` to a side. Changes on edges are found by bisection and joined. Chords
    are shorter than the curves, so lengths at two resolutions are extrapolated: :math:`2 L(h/2) - L(h)`, with
    :math:`|L(h/2) - L(h)|` as the error. A region thinner than a cell may be missed, and no error tells.
    """
    cases = np.empty((0, 2)) if cases is None else cases
    answers = predictor.answers(cases)
    mesh = coarse = _trace(predictor, _COARSEST, np.arange(_COARSEST**2))
    while mesh.grid < resolution:
        quarters = _split(mesh, predictor, cases, answers)
        if not quarters.size:
            break
        coarse, mesh = mesh, _trace(predictor, 2 * mesh.grid, quarters)
    borders = march(predictor, mesh)
    fine, rough = (float(found.lengths.sum()) for found in (borders, march(predictor, coarse)))
    size = BorderSize(2 * fine - rough, "adaptive grid", abs(fine - rough))
    return PlanarPartition(borders, size, predictor.answers)


@dataclass(frozen=True, eq=False)
class GridCells:
    """Some cells of a grid, numbered row times grid plus column, ascending, and the classes at their corners.

    The four corners of a cell, `labels` of shape (m, 4), stand counter-clockwise from the lower left.
    """

    grid: int
    cells: Ints
    labels: Codes

    @property
    def mixed(self) -> NDArray[np.bool_]:
        """Which cells have corners of different classes."""
        return np.asarray((self.labels != self.labels[:, :1]).any(axis=1))


def _trace(predictor: CodedPredictor, grid: int, cells: Ints) -> GridCells:
    """Ask for the classes at the corners of cells, and follow borders into cells that were not given."""
    labels = np.full((grid + 1) ** 2, _UNKNOWN, dtype=np.int32)
    given = np.zeros(grid**2, dtype=bool)
    new = cells
    while new.size:
        given[new] = True
        corners = corners_of(new, grid)
        unknown = np.unique(corners[labels[corners] == _UNKNOWN])
        labels[unknown] = predictor.answers(corner_points(predictor, grid, unknown))
        crossed = labels[corners] != np.roll(labels[corners], -1, axis=1)
        beyond = [_shifted(new[across], grid, step) for across, step in zip(crossed.T, _ACROSS, strict=True)]
        new = np.unique(np.concatenate(beyond))
        new = new[~given[new]]
    all_cells = np.flatnonzero(given)
    return GridCells(grid, all_cells, labels[corners_of(all_cells, grid)])


def _shifted(cells: Ints, grid: int, step: tuple[int, int]) -> Ints:
    i, j = cells // grid + step[0], cells % grid + step[1]
    inside = (i >= 0) & (i < grid) & (j >= 0) & (j < grid)
    return np.asarray((i * grid + j)[inside])


def _split(mesh: GridCells, predictor: CodedPredictor, cases: Floats, answers: Codes) -> Ints:
    """Give the quarters of mixed cells, of cells with a case like no corner, and of their neighbours."""
    strangers = _cells_of_strangers(mesh, predictor, cases, answers)
    chosen = np.concatenate([mesh.cells[mesh.mixed], strangers])
    chosen = np.unique(np.concatenate([_shifted(chosen, mesh.grid, step) for step in _AROUND]))
    i, j = 2 * (chosen // mesh.grid), 2 * (chosen % mesh.grid)
    return np.unique(np.concatenate([(i + a) * 2 * mesh.grid + j + b for a, b in _CORNERS]))


def _cells_of_strangers(mesh: GridCells, predictor: CodedPredictor, cases: Floats, answers: Codes) -> Ints:
    """Give the cells with a case of a class that none of their corners has."""
    low, high = predictor.window.unit_low, predictor.window.unit_high
    steps = np.floor((cases - low) / (high - low) * mesh.grid).astype(np.int64)
    steps = np.clip(steps, 0, mesh.grid - 1)
    cells = steps[:, 0] * mesh.grid + steps[:, 1]
    place = np.minimum(np.searchsorted(mesh.cells, cells), mesh.cells.size - 1)
    lacking = (mesh.labels[place] != answers[:, np.newaxis]).all(axis=1)
    return np.asarray(cells[(mesh.cells[place] == cells) & lacking])


def march(predictor: CodedPredictor, mesh: GridCells) -> Segments:
    """Join the changes on the edges of mixed cells by segments.

    Two changes are joined; three meet at their mean, where three classes do; of four, those next to each corner
    that differs from the centre are joined, or all meet if the centre is like no corner.
    """
    grid, cells, labels = mesh.grid, mesh.cells[mesh.mixed], mesh.labels[mesh.mixed]
    crossed = labels != np.roll(labels, -1, axis=1)
    places = _changes(predictor, grid, cells, labels, crossed)
    count = crossed.sum(axis=1)
    centre = np.full(cells.size, -1, dtype=np.int32)
    four = count == 4
    middles = np.column_stack([cells // grid, cells % grid])[four] + 0.5
    centre[four] = predictor.answers(grid_points(predictor, grid, middles))
    saddle = four & (labels == centre[:, np.newaxis]).any(axis=1)
    star = (count == 3) | (four & ~saddle)
    parts = [
        _joined(places[count == 2], crossed[count == 2], labels[count == 2]),
        _stars(places[star], crossed[star], labels[star]),
        _cut_corners(places[saddle], labels[saddle], centre[saddle]),
    ]
    ends, sides = (np.concatenate(own) for own in zip(*parts, strict=True))
    return Segments(ends, sides)


def _changes(
    predictor: CodedPredictor, grid: int, cells: Ints, labels: Codes, crossed: NDArray[np.bool_]
) -> Floats:
    """Find by bisection where the class changes on each crossed edge; (m, 4, 2), NaN where not crossed."""
    corners = corners_of(cells, grid)
    starts, ends = corners[crossed], np.roll(corners, -1, axis=1)[crossed]
    first = np.where(starts < ends, labels[crossed], np.roll(labels, -1, axis=1)[crossed])
    # an edge is known by its lower corner and by whether it is upright
    numbers = 2 * np.minimum(starts, ends) + (np.abs(ends - starts) == 1)
    edges, first_at, back = np.unique(numbers, return_index=True, return_inverse=True)
    near = corner_points(predictor, grid, edges // 2)
    far = corner_points(predictor, grid, edges // 2 + np.where(edges % 2, 1, grid + 1))
    # where borders are everywhere, their places need not be known that well
    halvings = int(np.clip(_MOST_QUESTIONS // max(edges.size, 1), _FEWEST_HALVINGS, _HALVINGS))
    places = np.full((*labels.shape, 2), np.nan)
    places[crossed] = predictor.change_between(near, far, first[first_at], halvings)[back.reshape(-1)]
    return places


def _joined(places: Floats, crossed: NDArray[np.bool_], labels: Codes) -> tuple[Floats, Codes]:
    first = crossed.argmax(axis=1)
    rows = np.arange(first.size)
    sides = np.column_stack([labels[rows, first], labels[rows, (first + 1) % 4]])
    return places[crossed].reshape(-1, 2, 2), sides


def _stars(places: Floats, crossed: NDArray[np.bool_], labels: Codes) -> tuple[Floats, Codes]:
    meeting = np.broadcast_to(np.nanmean(places, axis=1)[:, np.newaxis, :], places.shape)
    ends = np.stack([places[crossed], meeting[crossed]], axis=1)
    return ends, np.column_stack([labels[crossed], np.roll(labels, -1, axis=1)[crossed]])


def _cut_corners(places: Floats, labels: Codes, centre: Codes) -> tuple[Floats, Codes]:
    off = labels != centre[:, np.newaxis]
    ends = np.stack([places[off], np.roll(places, 1, axis=1)[off]], axis=1)
    beside = np.broadcast_to(centre[:, np.newaxis], labels.shape)[off]
    return ends, np.column_stack([labels[off], beside])


def corners_of(cells: Ints, grid: int) -> Ints:
    """Number the corners of cells, counter-clockwise from the lower left."""
    i, j = cells // grid, cells % grid
    return np.asarray((i[:, np.newaxis] + _CORNERS[:, 0]) * (grid + 1) + j[:, np.newaxis] + _CORNERS[:, 1])


def corner_points(predictor: CodedPredictor, grid: int, corners: Ints) -> Floats:
    """Give the places of numbered corners."""
    return grid_points(predictor, grid, np.column_stack([corners // (grid + 1), corners % (grid + 1)]))


def grid_points(predictor: CodedPredictor, grid: int, steps: Any) -> Floats:
    """Give the places that are so many steps along each axis."""
    low, high = predictor.window.unit_low, predictor.window.unit_high
    return np.asarray(low + np.asarray(steps) / grid * (high - low))


class LinesPartition:
    """A classifier that is known only by its answers.

    `cuts` are where the class may change along each axis, if it is known that it changes nowhere else.
    """

    def __init__(
        self,
        predictor: CodedPredictor,
        n_lines: int,
        rng: np.random.Generator,
        distances: Callable[[Floats, Codes, Codes], Floats],
        distance_method: str,
        cuts: Sequence[Floats] | None,
    ) -> None:
        self._predictor, self._n_lines, self._rng = predictor, n_lines, rng
        self.answers, self.distances, self.distance_method = predictor.answers, distances, distance_method
        few = cuts is not None and sum(places.size for places in cuts) <= _MOST_CUTS
        self._cuts = cuts if few else None

    def size(self) -> BorderSize:
        r"""Estimate the size of all borders from the changes of class along random lines.

        Isotropic uniform random lines that hit the convex window :math:`K` cross a surface :math:`B` in it so
        often that :math:`|B| = \tfrac12 |\partial K| \, E[N]`. Changes along a walk of step :math:`h` miss corners
        in proportion to :math:`h`; :math:`2 N(h) - N(2h)` does not. Where a model's cuts are known, it is asked
        once between each two of them, and no change is missed.
        """
        chords = random_chords(self._predictor.window, self._n_lines, self._rng)
        batches = range(0, self._n_lines, _BATCH)
        crossings = np.concatenate([self._crossings(*(a[i : i + _BATCH] for a in chords)) for i in batches])
        half_surface = float(np.sum(_facets(self._predictor.window)))
        error = half_surface * float(crossings.std(ddof=1)) / np.sqrt(self._n_lines)
        return BorderSize(half_surface * float(crossings.mean()), f"{self._n_lines} random lines", error)

    def _crossings(self, start: Floats, direction: Floats, length: Floats) -> Floats:
        """Count how often the class changes along each line."""
        if self._cuts is None:
            t = length[:, np.newaxis] * np.linspace(0.0, 1.0, _LINE_STEPS + 1)
        else:
            t = _between_cuts(start, direction, length, self._cuts)
        points = start[:, np.newaxis, :] + t[:, :, np.newaxis] * direction[:, np.newaxis, :]
        classes = self._predictor.answers(points.reshape(-1, start.shape[1])).reshape(t.shape)
        fine = np.sum(classes[:, 1:] != classes[:, :-1], axis=1)
        if self._cuts is None:
            return np.asarray(2.0 * fine - np.sum(classes[:, 2::2] != classes[:, :-2:2], axis=1))
        return np.asarray(fine, dtype=np.float64)


def random_chords(window: Window, n: int, rng: np.random.Generator) -> tuple[Floats, Floats, Floats]:
    """Draw isotropic uniform random lines that hit the window: where they enter, their direction, their length.

    A point uniform on the surface and a direction with a density proportional to the cosine of its angle to the
    normal give such lines; the direction is a uniform point of the flat unit ball, lifted to the sphere.
    """
    low, high = window.unit_low, window.unit_high
    d = low.size
    facets = _facets(window)
    axis = rng.choice(d, size=n, p=facets / facets.sum())
    upper = rng.random(n) < 0.5
    start = low + rng.random((n, d)) * (high - low)
    rows = np.arange(n)
    start[rows, axis] = np.where(upper, high[axis], low[axis])
    flat = rng.standard_normal((n, d))
    flat[rows, axis] = 0.0
    if d > 1:
        flat *= (rng.random(n) ** (1 / (d - 1)) / np.sqrt(np.sum(flat**2, axis=1)))[:, np.newaxis]
    flat[rows, axis] = np.sqrt(np.maximum(0.0, 1 - np.sum(flat**2, axis=1))) * np.where(upper, -1.0, 1.0)
    return start, flat, way_to_wall(start, flat, low, high)


def _between_cuts(start: Floats, direction: Floats, length: Floats, cuts: Sequence[Floats]) -> Floats:
    """Give places along lines, one between each two cuts that they cross."""
    columns = [np.zeros(length.size), length]
    for k, places in enumerate(cuts):
        flat = direction[:, [k]] == 0
        way = (places - start[:, [k]]) / np.where(flat, 1.0, direction[:, [k]])
        columns.append(np.where(flat, 0.0, np.clip(way, 0.0, length[:, np.newaxis])))
    stops = np.sort(np.column_stack(columns), axis=1)
    return np.asarray((stops[:, 1:] + stops[:, :-1]) / 2)


def way_to_wall(start: Floats, direction: Floats, low: Floats, high: Floats) -> Floats:
    """Give how far it is to the walls of the window along a direction."""
    wall = np.where(direction > 0, high, low)
    away = np.divide(wall - start, direction, out=np.full(start.shape, np.inf), where=direction != 0)
    return np.asarray(np.maximum(away, 0.0).min(axis=1))


def _facets(window: Window) -> Floats:
    """Give the content of the facet across each axis; their sum is half of the surface."""
    return np.asarray(window.volume / (window.unit_high - window.unit_low))


def nearest_along_rays(
    predictor: CodedPredictor,
    U: Floats,
    answers: Codes,
    wanted: Codes,
    directions: int,
    rng: np.random.Generator,
) -> Floats:
    """Search for wanted classes towards other cases, along the axes, and in random directions.

    Then the best direction of each case is shaken, less and less, and searched again. Each search ends at a place
    of a wanted class (-1: of any but the answer), so the least of them is an upper bound of the distance.
    """
    search = _Search(predictor, U, answers, wanted)
    search.towards_cases()
    d = U.shape[1]
    for direction in np.vstack([np.eye(d), -np.eye(d), _unit(rng.standard_normal((directions, d)))]):
        search.along(np.broadcast_to(direction, U.shape))
    for shake in _SHAKES:
        search.along(_unit(search.direction + shake / np.sqrt(d) * rng.standard_normal(U.shape)))
    search.polish()
    return search.best


class _Search:
    """The least distances so far, and the directions in which they were found."""

    def __init__(self, predictor: CodedPredictor, U: Floats, answers: Codes, wanted: Codes) -> None:
        self.predictor, self.U, self.answers, self.wanted = predictor, U, answers, wanted
        self.best = np.full(U.shape[0], np.inf)
        self.direction = np.zeros(U.shape)

    def is_goal(self, classes: Codes, rows: NDArray[np.intp]) -> NDArray[np.bool_]:
        """Tell whether places are of a class that the cases of these rows look for."""
        goal, own = self.wanted[rows], self.answers[rows]
        return np.asarray(np.where(goal < 0, classes != own, classes == goal))

    def towards_cases(self) -> None:
        """Search towards the nearest cases with a wanted class."""
        keys = np.column_stack([self.wanted, np.where(self.wanted < 0, self.answers, -1)])
        for goal, own in np.unique(keys, axis=0):
            rows = np.flatnonzero((keys == (goal, own)).all(axis=1))
            partners = np.flatnonzero(self.answers == goal if goal >= 0 else self.answers != own)
            count = min(_PARTNERS, partners.size)
            if count:
                tree = KDTree(self.U[partners])
                away, nearest = tree.query(self.U[rows], k=[*range(1, count + 1)])
                for length, column in zip(away.T, nearest.T, strict=True):
                    step = self.U[partners[column]] - self.U[rows]
                    self._halve(rows, step / length[:, np.newaxis], np.zeros(rows.size), length)

    def along(self, directions: Floats) -> None:
        """Search along a direction for each case, as far as the best so far or the wall."""
        window = self.predictor.window
        reach = way_to_wall(self.U, directions, window.unit_low, window.unit_high)
        reach = np.minimum(reach, self.best)
        n, d = self.U.shape
        t = reach[:, np.newaxis] * np.linspace(0.0, 1.0, _RAY_STEPS + 1)[1:]
        points = self.U[:, np.newaxis, :] + t[:, :, np.newaxis] * directions[:, np.newaxis, :]
        classes = self.predictor.answers(points.reshape(-1, d))
        hits = self.is_goal(classes, np.repeat(np.arange(n), _RAY_STEPS)).reshape(n, _RAY_STEPS)
        rows = np.flatnonzero(hits.any(axis=1))
        first = hits[rows].argmax(axis=1)
        near = np.where(first > 0, t[rows, first - 1], 0.0)
        self._halve(rows, directions[rows], near, t[rows, first])

    def polish(self) -> None:
        """Search the last stretch of the best ways more closely."""
        rows = np.flatnonzero(np.isfinite(self.best))
        far = self.best[rows]
        self._halve(rows, self.direction[rows], 0.98 * far, far, _FINE)

    def _halve(
        self, rows: NDArray[np.intp], directions: Floats, near: Floats, far: Floats, times: int = _ROUGH
    ) -> None:
        """Bisect between a place that is not wanted and one that is, and keep the distance of the latter."""
        for _ in range(times):
            middle = (near + far) / 2
            classes = self.predictor.answers(self.U[rows] + middle[:, np.newaxis] * directions)
            goal = self.is_goal(classes, rows)
            near, far = np.where(goal, near, middle), np.where(goal, middle, far)
        better = far < self.best[rows]
        self.best[rows[better]] = far[better]
        self.direction[rows[better]] = directions[better]


def _unit(vectors: Floats) -> Floats:
    return np.asarray(vectors / np.sqrt(np.sum(vectors**2, axis=1, keepdims=True)))
