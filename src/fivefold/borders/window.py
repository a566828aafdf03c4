"""The window that borders are measured in, the scale of its columns, and a model that is asked inside it."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from copy import copy
from dataclasses import dataclass
from typing import Any

import narwhals as nw
import numpy as np

from fivefold.borders.partition import Codes, Floats
from fivefold.errors import InputError, InputTypeError, show
from fivefold.inputs.columns import read_columns
from fivefold.inputs.frames import as_numbers, default_names
from fivefold.inputs.labels import is_missing, number_items
from fivefold.inputs.options import amount
from fivefold.plain_text import visible
from fivefold.results import brief

_BATCH = 200_000


@dataclass(frozen=True, eq=False)
class Window:
    r"""A box in the columns' own units, and the unit of length along each column.

    Lengths are measured in :math:`u = (x - \text{origin}) / \text{scale}`. For a window around cases the smallest
    value of each column has :math:`u = 0` and the largest :math:`u = 1`; the window goes a margin beyond.

    Parameters
    ----------
    low, high : ndarray of shape (d,)
        The ends of the box in the columns' own units.
    origin, scale : ndarray of shape (d,)
        Where each column's scale starts, and its unit.
    names : tuple of str
        The names of the columns.

    Examples
    --------
    >>> window = Window.around([[1.0, 10.0], [3.0, 30.0]])
    >>> window.low.tolist(), window.high.tolist()
    ([0.8, 8.0], [3.2, 32.0])
    >>> window.to_unit([[2.0, 10.0]]).tolist()
    [[0.5, 0.0]]
    """

    low: Floats
    high: Floats
    origin: Floats
    scale: Floats
    names: tuple[str, ...]

    @staticmethod
    def around(X: Any, *, margin: float = 0.1, normalise: bool = True) -> Window:
        """Put a window around cases.

        Parameters
        ----------
        X : dataframe or 2-D array-like
            The cases; numeric columns without missing values.
        margin : float
            How far the window goes beyond the cases on each side, as a share of their range.
        normalise : bool
            Whether to measure each column in units of its range; otherwise in its own unit.
        """
        cases = read_points(X)
        return window_of(cases, cases, margin, normalise)

    @property
    def n_columns(self) -> int:
        """The number of columns d."""
        return self.low.size

    @property
    def unit_low(self) -> Floats:
        """The lower ends in units of the scale."""
        return np.asarray((self.low - self.origin) / self.scale)

    @property
    def unit_high(self) -> Floats:
        """The upper ends in units of the scale."""
        return np.asarray((self.high - self.origin) / self.scale)

    @property
    def volume(self) -> float:
        """The content of the window in units of the scale."""
        return float(np.prod(self.unit_high - self.unit_low))

    @property
    def section(self) -> float:
        """The size of one plain cross-section, by which sizes in different dimensions compare."""
        return float(self.volume ** ((self.n_columns - 1) / self.n_columns))

    def to_unit(self, X: Any) -> Floats:
        """Turn the columns' own units into units of the scale."""
        return np.asarray((np.asarray(X, dtype=np.float64) - self.origin) / self.scale)

    def to_raw(self, U: Any) -> Floats:
        """Turn units of the scale into the columns' own units."""
        return np.asarray(np.asarray(U, dtype=np.float64) * self.scale + self.origin)

    def __str__(self) -> str:
        ends = zip(self.names, self.low, self.high, strict=True)
        return "; ".join(f"{visible(name)} from {low:.4g} to {high:.4g}" for name, low, high in ends)

    __repr__ = brief


def as_window(window: Any) -> Window:
    """Take a window as it is, or pairs (low, high) in the columns' own units."""
    if isinstance(window, Window):
        return window
    if not isinstance(window, (Sequence, np.ndarray)) or isinstance(window, str):
        raise InputError(
            "a Window, or a pair (low, high) for each column", show(window), "see Window.around(X)"
        )
    ends = np.asarray(as_numbers(list(window), "window"), dtype=np.float64)
    if ends.ndim != 2 or ends.shape[1] != 2:
        raise InputError("a pair (low, high) for each column", f"an array of shape {ends.shape}")
    bad = np.flatnonzero(~(np.isfinite(ends).all(axis=1) & (ends[:, 0] < ends[:, 1])))
    if bad.size:
        raise InputError("finite ends with low < high", f"{ends[bad[0]].tolist()} for column {bad[0]}")
    low, high = ends.T.copy()
    return Window(low, high, np.zeros(low.size), np.ones(low.size), default_names(low.size))


def window_of(cases: Points, reference: Points, margin: float, normalise: bool) -> Window:
    """Put a window around all cases, with the scale and the margin of the reference."""
    margin = amount(margin, "window_margin")
    least, most = reference.values.min(axis=0), reference.values.max(axis=0)
    with np.errstate(over="ignore"):
        spread = most - least
        far = ~np.isfinite(spread * (1 + 2 * margin))
    if far.any():
        named = show(np.asarray(reference.names)[far][0])
        raise InputError(
            f"values of {named} whose distance is a number",
            f"{least[far][0]:.3g} and {most[far][0]:.3g}",
            "divide the column by a large number",
        )
    constant = spread == 0
    if normalise and constant.any():
        named = visible(", ".join(np.asarray(reference.names)[constant]))
        warnings.warn(
            f"no two cases differ in {named}: its values stand at 0.5 in a window of its own unit",
            UserWarning,
            stacklevel=5,
        )
    reach = np.where(constant, 1.0, spread)
    least = np.where(constant, least - 0.5, least)
    most = np.where(constant, most + 0.5, most)
    low = np.minimum(least, cases.values.min(axis=0)) - margin * reach
    high = np.maximum(most, cases.values.max(axis=0)) + margin * reach
    if np.any(low == high):
        named, value = np.asarray(cases.names)[low == high][0], low[low == high][0]
        raise InputError(
            f"values of {show(named)} that differ, or are small enough to add 1 to",
            f"{value:.6g} in all cases",
            "leave the column out",
        )
    origin, scale = (least, reach) if normalise else (np.zeros(low.size), np.ones(low.size))
    return Window(low, high, origin, scale, cases.names)


@dataclass(frozen=True, eq=False)
class Points:
    """Cases as points in the columns' own units, and the data frame library they came from (None for arrays)."""

    values: Floats
    names: tuple[str, ...]
    library: Any


def read_points(X: Any) -> Points:
    """Read cases; nominal columns and missing values have no place in space and are refused."""
    columns = read_columns(X)
    for column in columns:
        if column.kind == "nominal":
            raise InputTypeError(
                "numeric columns only: there is no distance along a nominal one",
                f"the nominal column {show(column.name)} with the values {show(column.categories)}",
                "measure each of its categories by itself, or encode it as numbers before fitting",
            )
        absent = np.flatnonzero(column.missing)
        if absent.size:
            raise InputError(
                "a number in every cell",
                f"a missing value of {show(column.name)} in row {absent[0]} ({absent.size} in all)",
                "a case without a value has no place; drop or impute such cases",
            )
    values = np.column_stack([column.values for column in columns])
    if not values.shape[0]:
        raise InputError("at least one case", "0 rows")
    frame = nw.from_native(X, eager_only=True, pass_through=True)
    library = frame.implementation if isinstance(frame, nw.DataFrame) else None
    return Points(values, tuple(column.name for column in columns), library)


def table_builder(model: Any, names: Sequence[str], library: Any) -> Callable[[Floats], Any]:
    """Give points to a model in the form that it was fitted on: with names if it knows names."""
    known = getattr(model, "feature_names_in_", None)
    if known is None:
        return lambda points: points
    headings = [str(name) for name in (known if library is None else names)]
    backend: Any = "polars" if library is None else library

    def framed(points: Floats) -> Any:
        columns = {name: points[:, i] for i, name in enumerate(headings)}
        return nw.from_dict(columns, backend=backend).to_native()

    return framed


class CodedPredictor:
    """A model that is asked in units of the window's scale and answers with numbered classes."""

    def __init__(self, model: Any, window: Window, cases: Points | None = None) -> None:
        if isinstance(model, type) or not callable(getattr(model, "predict", None)):
            raise InputTypeError(
                "a fitted model with a method predict(X)", f"{show(model)} ({type(model).__name__})"
            )
        expected = getattr(model, "n_features_in_", window.n_columns)
        if expected != window.n_columns:
            raise InputError(
                f"{expected} columns, as the model was fitted on",
                f"{window.n_columns}",
                "borders are measured in all columns of the model; fit it on fewer to see a plane",
            )
        self.model = model
        self.window = window
        self.classes: list[Any] = []
        self._known: dict[Any, int] = {}
        names = window.names if cases is None else cases.names
        self._shaped = table_builder(model, names, None if cases is None else cases.library)
        self.answers: Callable[[Floats], Codes] = lambda U: self.predict(window.to_raw(U))
        self.encode(getattr(model, "classes_", ()))

    def encode(self, labels: Any) -> Codes:
        """Number labels; those not met before get the next number."""
        array = np.asarray(labels)
        if array.ndim != 1:
            raise InputError("one class for each case", f"answers of shape {array.shape}")
        codes, first = number_items(array)
        labels = array[first]
        order = np.arange(labels.size) if labels.dtype.kind == "O" else np.argsort(labels)
        numbers = np.empty(labels.size, dtype=np.int32)
        numbers[order] = [self._code(label) for label in labels[order].tolist()]
        return numbers[codes]

    def by(self, answers: Callable[[Floats], Codes]) -> CodedPredictor:
        """Ask in another way that gives the same numbers to classes."""
        other = copy(self)
        other.answers = answers
        return other

    def predict(self, points: Floats) -> Codes:
        """Give the number of the class that the model has for each point in the columns' own units."""
        batches = [
            self.encode(self.model.predict(self._shaped(points[start : start + _BATCH])))
            for start in range(0, points.shape[0], _BATCH)
        ]
        return np.concatenate(batches) if batches else np.empty(0, dtype=np.int32)

    def change_between(self, near: Floats, far: Floats, classes: Codes, halvings: int) -> Floats:
        """Find by bisection where the class of each near place ends on the way to the far one."""
        for _ in range(halvings):
            middle = (near + far) / 2
            same = (self.answers(middle) == classes)[:, np.newaxis]
            near, far = np.where(same, middle, near), np.where(same, far, middle)
        return np.asarray((near + far) / 2)

    def _code(self, label: Any) -> int:
        plain = label.item() if isinstance(label, np.generic) else label
        # a place without an answer is a region of its own, however the model writes it
        plain = None if is_missing(plain) else plain
        if plain not in self._known:
            self._known[plain] = len(self.classes)
            self.classes.append(plain)
        return self._known[plain]


@dataclass(frozen=True, eq=False)
class Affine:
    r"""The map :math:`z = A u + t` from units of the window's scale to what a model sees."""

    matrix: Floats
    offset: Floats

    @property
    def is_axis_parallel(self) -> bool:
        """Whether each column is mapped by itself and keeps its direction."""
        rows, columns = self.matrix.shape
        if rows != columns:
            return False
        diagonal = np.diagonal(self.matrix)
        return bool((diagonal > 0).all() and (self.matrix == np.diag(diagonal)).all())

    def apply(self, U: Floats) -> Floats:
        """Map points."""
        return np.asarray(U @ self.matrix.T + self.offset)

    def cut(self, column: int, value: float) -> float:
        """Map a cut of a column back to the window, if the map is axis-parallel."""
        return float((value - self.offset[column]) / self.matrix[column, column])


def last_step(predictor: CodedPredictor) -> tuple[Any, Affine] | None:
    """Give the part of a model that decides, and the map to what it sees; None if that map is not affine."""
    from sklearn.decomposition import PCA
    from sklearn.model_selection import GridSearchCV, RandomizedSearchCV
    from sklearn.pipeline import Pipeline
    from sklearn.preprocessing import MaxAbsScaler, MinMaxScaler, RobustScaler, StandardScaler

    affine = (StandardScaler, MinMaxScaler, MaxAbsScaler, RobustScaler, PCA)
    model, window = predictor.model, predictor.window
    while isinstance(model, (GridSearchCV, RandomizedSearchCV)):
        model = getattr(model, "best_estimator_", None)
    steps = []
    if isinstance(model, Pipeline):
        steps = [step for _, step in model.steps[:-1] if step not in (None, "passthrough")]
        model = model.steps[-1][1]
    if not all(isinstance(step, affine) and not getattr(step, "clip", False) for step in steps):
        return None
    sides = window.unit_high - window.unit_low
    # asked inside the window, where the numbers that a step subtracts are of the size of the columns' own
    probes = (window.unit_low + window.unit_high) / 2 + np.vstack([np.zeros(sides.size), np.diag(sides)])
    images = window.to_raw(probes)
    for step in steps:
        images = np.asarray(step.transform(table_builder(step, (), None)(images)), dtype=np.float64)
    matrix = (images[1:] - images[0]).T / sides
    return model, Affine(matrix, images[0] - matrix @ probes[0])
