"""The borders view of one trained model: the shape of its regions around the cases it was trained on."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fivefold.borders.border_measure import BorderMeasure, measure
from fivefold.errors import InputError, InputTypeError, show
from fivefold.evaluate.finding import Finding, Importance
from fivefold.evaluate.region_maps import RegionMap, map_regions
from fivefold.inputs.columns import Column, read_columns

MOST_CASES = 2000
# Distances in more than two dimensions are searched for along many lines from every case.
MOST_CASES_IN_SPACE = 500
MOST_POINTS = 600
MOST_POINTS_IN_CUTS = 150


@dataclass(frozen=True, eq=False)
class BordersView:
    """The measure of one model and maps of its regions.

    Parameters
    ----------
    model : str
        The model's name.
    measure : BorderMeasure
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
    measure: BorderMeasure = field(repr=False)
    maps: tuple[RegionMap, ...] = field(repr=False)
    points: NDArray[np.float64] = field(repr=False)
    rows: NDArray[np.int64] = field(repr=False)
    n_trained: int

    @property
    def n_cases(self) -> int:
        """Number of cases measured."""
        return self.measure.right.size

    @property
    def spacing(self) -> float:
        """Distance of as many cases spread evenly: what counts as near."""
        return 1 / self.measure.b

    @property
    def n_classes(self) -> int:
        """Number of classes among the cases."""
        return int(np.unique(self.measure.truth).size)

    @property
    def near(self) -> float:
        """Share of the right cases that have a border nearer than the spacing."""
        found, right = self.measure, self.measure.right
        return float(np.mean(found.distances[right] < self.spacing)) if right.any() else 0.0

    @property
    def cuts(self) -> float:
        """Size of the borders against one plain cut for each class but one."""
        return self.measure.sections / max(1, self.n_classes - 1)

    def finding(self) -> Finding:
        """Say what the shape of the regions means."""
        found = self.measure
        told = (
            f"{self.model}: {self._shape()}; {self._safety()}; {self._mistakes()}. "
            f"Its measure is {found.value:.3f} (fit {found.fit:.3f}, "
            f"similarity {found.similarity_right:.3f} right and {found.similarity_wrong:.3f} wrong, "
            f"borders {found.border_size:.2f}{self._error()})."
        )
        return Finding("borders", (self.model,), told, self._evidence(), Importance.DETAIL)

    def _error(self) -> str:
        error = self.measure.error
        return f" ± {error:.2f}" if error >= 0.005 else ""

    def _shape(self) -> str:
        """Put the size of the borders into words."""
        if not self.measure.border_size:
            return "it gives one class to every place that could be seen, so there is no border"
        plain = max(1, self.n_classes - 1)
        need = f"{plain} plain cut{'s' if plain > 1 else ''}, which could part {self.n_classes} classes"
        if self.cuts < 1.25:
            return f"its borders are simple, no larger than about {need}"
        winding = "somewhat larger" if self.cuts < 2 else "winding"
        return f"its borders are {winding}: {self.cuts:.1f} times as large as {need}"

    def _safety(self) -> str:
        """Put the distances of the right cases into words."""
        right = self.measure.distances[self.measure.right]
        if not self.measure.border_size or not right.size:
            return "no case has to fear for its class" if right.size else "no case is right"
        if self.near < 0.1:
            half = f"half of those it gets right lie {np.median(right):.2f} or more from the nearest border"
            return f"it keeps clear of the cases ({half})"
        if self.near > 0.5:
            return f"half of the cases it gets right lie within {np.median(right):.2f} of a border"
        return f"{self.near:.0%} of the cases it gets right lie close to a border, within {self.spacing:.2f} of it"

    def _mistakes(self) -> str:
        """Put the distances of the wrong cases into words."""
        away = -self.measure.distances[~self.measure.right]
        if not away.size:
            return "it gets every training case right"
        far = int(np.count_nonzero(away > 2 * self.spacing))
        if away.size == 1:
            where = "far from any" if far else "near a"
            return f"1 of {self.n_cases:,} training cases is wrong, and lies {where} region of its own class"
        cases = f"{away.size:,} of {self.n_cases:,} training cases are wrong"
        if not far:
            return f"{cases}, all of them near a region of their own class"
        some = "all" if far == away.size else f"{far:,}"
        return f"{cases}, {some} of them far from any region of their own class"

    def _evidence(self) -> dict[str, Any]:
        found = self.measure
        return {
            "measure": found.value,
            "fit": found.fit,
            "similarity_right": found.similarity_right,
            "similarity_wrong": found.similarity_wrong,
            "border_size": found.border_size,
            "border_size_error": found.error,
            "border_size_method": found.method,
            "distances": found.distance_method,
            "times_plain_cuts": self.cuts,
            "right_near_border": self.near,
            "near_means_within": self.spacing,
            "training_cases": self.n_cases,
        }


def look_at_borders(
    name: str, model: Any, X: Any, y: NDArray[Any], random_state: int = 0
) -> tuple[BordersView | None, str]:
    """Measure a fitted model's borders on the cases that it was trained on; or say why there are none.

    Parameters
    ----------
    name : str
        The model's name.
    model : fitted classifier
        The model.
    X : dataframe or 2-D array-like
        The cases that it was trained on.
    y : ndarray
        Their classes.
    random_state : int
        Seed of random lines, and of the choice among many cases.
    """
    columns = read_columns(X)
    reason = _why_not(columns)
    if reason:
        return None, reason
    from sklearn.utils import _safe_indexing

    rng, rows = np.random.default_rng(random_state), np.arange(len(y))
    most = MOST_CASES if len(columns) <= 2 else MOST_CASES_IN_SPACE
    if len(y) > most:
        rows = np.sort(rng.choice(len(y), most, replace=False))
    some = _safe_indexing(X, rows)
    try:
        with warnings.catch_warnings():
            # That a feature does not vary among the cases is no fault of the model, and the picture shows it.
            warnings.filterwarnings("ignore", "no two cases differ", UserWarning)
            found = measure(model, some, y[rows], reference=X, random_state=random_state)
        maps = map_regions(model, X, found.window, random_state)
    except (InputError, InputTypeError) as error:
        return None, f"borders need {error.expected}, and there is {error.got}"
    shown = MOST_POINTS if len(maps) == 1 else MOST_POINTS_IN_CUTS
    drawn = np.sort(rng.choice(len(rows), min(len(rows), shown), replace=False))
    values = np.column_stack([column.values for column in read_columns(some)])
    return BordersView(name, found, maps, values[drawn], drawn, len(y)), ""


def _why_not(columns: tuple[Column, ...]) -> str:
    for column in columns:
        if column.kind == "nominal":
            return f"the column {show(column.name)} is nominal, and there is no distance along it"
    for column in columns:
        absent = int(np.count_nonzero(column.missing))
        if absent:
            cases = f"{absent:,} case{' has' if absent == 1 else 's have'}"
            return f"{cases} no value of {show(column.name)}, and so no place"
    varied = any(np.ptp(column.values) > 0 for column in columns)
    return "" if varied else "no two training cases differ"
