"""The size of borders, the distance of cases from them, and borders in the plane as segments."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fivefold.borders.approximate import LinesPartition, adaptive_partition, nearest_along_rays
from fivefold.borders.boxes import grid_partition, line_partition, model_cuts, tree_partition
from fivefold.borders.partition import BorderSize, Drawable, HasPartition, Partition, Segments, require_plane
from fivefold.borders.planes import MOST_COLUMNS, CellPartition, Neighbours, linear_partition
from fivefold.borders.window import (
    CodedPredictor,
    Points,
    Window,
    as_margin,
    as_window,
    last_step,
    read_points,
    window_of,
)
from fivefold.errors import InputError, show
from fivefold.inputs.frames import check_length
from fivefold.inputs.labels import as_labels, distinct, is_missing
from fivefold.inputs.options import as_generator, one_of, positive_int

Floats = NDArray[np.float64]
Codes = NDArray[np.int32]


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


def choose_partition(asker: CodedPredictor, options: Options, cases: Floats | None = None) -> Partition:
    """Describe the regions of a model; cases are places to look at closely."""
    d = asker.window.n_columns
    voters = find_voters(asker, options)
    if options.method in ("auto", "exact"):
        exact = voters.in_the_plane(asker.window) if voters and d == 2 else _exact(asker, options)
        if exact is not None:
            return exact
    if options.method == "exact" or (options.method == "adaptive" and d > 2):
        raise InputError(
            f"a model and a window for method={options.method!r}",
            f"{type(asker.model).__name__} with {d} columns",
            "method='auto' takes what is possible: 'adaptive' one or two columns, 'lines' any number",
        )
    # the same votes, counted faster
    asker = asker if voters is None else asker.by(voters.answers)
    if d > 2 or options.method == "lines":
        return _by_lines(asker, options)
    return (
        line_partition(asker, options.resolution)
        if d == 1
        else adaptive_partition(asker, options.resolution, cases)
    )


def find_voters(asker: CodedPredictor, options: Options) -> Neighbours | None:
    """Read a model of nearest neighbours whose votes can be counted by the asked rules; None if it is no such."""
    found = last_step(asker)
    return None if found is None else Neighbours.of(*found, asker, options.ties, options.duplicates)


def _exact(asker: CodedPredictor, options: Options) -> Partition | None:
    known = asker.model.border_partition(asker.window) if isinstance(asker.model, HasPartition) else None
    found = last_step(asker)
    if known is not None or found is None:
        return known
    exact = linear_partition(*found, asker) or tree_partition(*found, asker)
    if isinstance(exact, CellPartition) and asker.window.n_columns > MOST_COLUMNS:
        return None
    cuts = model_cuts(*found) if exact is None else None
    return exact if cuts is None else grid_partition(cuts, asker, options.max_cells)


def _by_lines(asker: CodedPredictor, options: Options) -> LinesPartition:
    # apart, so that the size is the same whether or not distances are asked for
    for_lines, for_rays = as_generator(options.random_state).spawn(2)
    found = last_step(asker)
    cuts = None if found is None else model_cuts(*found)
    linear = None if found is None or options.method == "lines" else linear_partition(*found, asker)
    if linear is not None:
        return LinesPartition(
            asker, options.n_lines, for_lines, linear.distances, cuts, linear.distance_method
        )

    def distances(U: Floats, answers: Codes, wanted: Codes) -> Floats:
        return nearest_along_rays(asker, U, answers, wanted, options.n_directions, for_rays)

    return LinesPartition(asker, options.n_lines, for_lines, distances, cuts)


@dataclass(frozen=True, eq=False)
class CaseDistances:
    """A model's regions and where the cases stand in them.

    Parameters
    ----------
    window : Window
        The window.
    partition : Partition
        The model's regions.
    n_reference : int
        The number of cases that the window was put around.
    truth, predicted : ndarray
        The classes of the cases and the model's answers.
    right : ndarray of bool
        Which cases count as right.
    distances : ndarray
        Signed distances, below zero for wrong cases.
    """

    window: Window
    partition: Partition
    n_reference: int
    truth: NDArray[Any]
    predicted: NDArray[Any]
    right: NDArray[np.bool_]
    distances: Floats


def case_distances(
    model: Any,
    X: Any,
    y: Any,
    *,
    options: Options,
    window: Any,
    reference: Any,
    window_margin: float,
    normalise: bool,
) -> CaseDistances:
    """Read the cases, describe the model's regions, and measure how far each case is from the next border."""
    cases = read_points(X)
    truth = as_labels(y, "y")
    check_length(truth, cases.values.shape[0], "y")
    _check_known(truth)
    frame = cases if reference is None else read_points(reference)
    seen = _window(cases, frame, window, window_margin, normalise)
    asker = CodedPredictor(model, seen, cases)
    own = _own_classes(asker, truth)
    U = seen.to_unit(cases.values)
    partition = choose_partition(asker, options, U)
    voters = find_voters(asker, options)
    # in the columns' own units: a case on a cut must not be moved across it by rounding
    answers = asker.predict(cases.values) if voters is None else voters.answers(U)
    right = answers == own
    if options.duplicates == "paper":
        right = _right_somewhere(cases.values, right)
    wanted = np.where(right, -1, own).astype(np.int32)
    away = partition.distances(U, answers, wanted)
    return CaseDistances(
        window=seen,
        partition=partition,
        n_reference=frame.values.shape[0],
        truth=truth,
        predicted=_label_array(asker.classes)[answers],
        right=right,
        distances=np.where(right, away, -away),
    )


def _window(cases: Points, reference: Points, window: Any, margin: float, normalise: bool) -> Window:
    if reference.values.shape[1] != cases.values.shape[1]:
        raise InputError(
            f"{cases.values.shape[1]} columns of reference, as in X", f"{reference.values.shape[1]}"
        )
    if window is None:
        return window_of(cases, reference, as_margin(margin), normalise)
    given = as_window(window)
    if given.n_columns != cases.values.shape[1]:
        raise InputError(
            f"cases with the {given.n_columns} columns of the window", f"{cases.values.shape[1]}"
        )
    outside = ((cases.values < given.low) | (cases.values > given.high)).any(axis=1)
    if outside.any():
        row = int(np.flatnonzero(outside)[0])
        raise InputError(
            f"all cases inside the window ({given})",
            f"{cases.values[row].tolist()} in row {row}",
            "only borders inside the window count; choose a larger one",
        )
    return given


def _check_known(truth: NDArray[Any]) -> None:
    """Insist on a class in every row."""
    distinct(truth, "y")
    if truth.dtype.kind in "Of":
        absent = [row for row, label in enumerate(truth) if is_missing(label)]
        if absent:
            raise InputError(
                "y to hold a class in every row",
                f"a missing value in row {absent[0]} ({len(absent)} in all)",
                "drop the cases whose class is not known",
            )


def _own_classes(asker: CodedPredictor, truth: NDArray[Any]) -> Codes:
    """Number the true classes; that they are all unknown to the model is a matter of coding, as a rule."""
    known = len(asker.classes)
    own = asker.encode(truth)
    if known and (own >= known).all():
        raise InputError(
            f"y to hold classes of the model, {show(asker.classes[:known])}",
            show(asker.classes[known:]),
            "write the classes as they were when the model was fitted",
        )
    return own


def _right_somewhere(places: Floats, right: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Count a case as right if a case at the same place is."""
    _, group = np.unique(places, axis=0, return_inverse=True)
    hits = np.bincount(group.reshape(-1), weights=right)
    return np.asarray(hits[group.reshape(-1)] > 0)


def _label_array(labels: list[Any]) -> NDArray[Any]:
    if len({type(label) for label in labels}) == 1:
        return np.asarray(labels)
    array = np.empty(len(labels), dtype=object)
    array[:] = labels
    return array


def border_size(model: Any, window: Any, **finding: Any) -> float:
    """Give the size of all borders between classes inside a window.

    Length in the plane, area in space, and so on; on a line the number of border points.

    Parameters
    ----------
    model : fitted classifier
        Anything with ``predict``.
    window : Window or sequence of (low, high)
        Where to look. Pairs are ends in the columns' own units, and so is the size; a `Window` has a scale.
    **finding
        How borders are found, as in `Options`.

    Examples
    --------
    >>> import fivefold as ff
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> cross = DecisionTreeClassifier(max_leaf_nodes=4, random_state=0)
    >>> cross = cross.fit([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0])
    >>> ff.borders.border_size(cross, [(0, 1), (0, 1)])
    2.0
    """
    return estimate_border_size(model, window, **finding).value


def estimate_border_size(model: Any, window: Any, **finding: Any) -> BorderSize:
    """Give the size of all borders with how it was found and how wrong it may be; see `border_size`."""
    asker = CodedPredictor(model, as_window(window))
    return choose_partition(asker, Options(**finding)).size()


def border_distance(
    model: Any,
    X: Any,
    y: Any,
    *,
    window_margin: float = 0.1,
    window: Any = None,
    reference: Any = None,
    normalise: bool = True,
    **finding: Any,
) -> NDArray[np.float64]:
    """Give the signed distance of each case from the borders of a model.

    Above zero: the case is right, and this is how far the nearest border is. Below zero: it is wrong, and this is
    how far the nearest region of its own class is. Infinite where there is none inside the window.

    Parameters
    ----------
    model, X, y, window_margin, window, reference, normalise, **finding
        As in `measure`.

    Examples
    --------
    >>> import fivefold as ff
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> stump = DecisionTreeClassifier().fit([[0.0], [10.0]], ["low", "high"])
    >>> ff.borders.border_distance(stump, [[0.0], [4.0], [10.0]], ["low", "high", "high"]).round(3).tolist()
    [0.5, -0.1, 0.5]
    """
    return case_distances(
        model,
        X,
        y,
        options=Options(**finding),
        window=window,
        reference=reference,
        window_margin=window_margin,
        normalise=normalise,
    ).distances


def border_segments(model: Any, window: Any, **finding: Any) -> tuple[Segments, list[Any]]:
    """Give the borders of a model of two columns as segments in the columns' own units, and the classes.

    Parameters
    ----------
    model : fitted classifier
        Anything with ``predict``.
    window : Window or sequence of (low, high)
        Where to look.
    **finding
        How borders are found, as in `Options`; not by lines.

    Returns
    -------
    Segments
        Their ends and the numbers of the classes on both sides.
    list
        The classes by number.

    Examples
    --------
    >>> import fivefold as ff
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> stump = DecisionTreeClassifier(max_depth=1).fit([[0, 0], [1, 0]], ["a", "b"])
    >>> borders, classes = ff.borders.border_segments(stump, [(-1, 2), (-1, 1)])
    >>> borders.ends.tolist(), borders.sides.tolist(), classes
    ([[[0.5, -1.0], [0.5, 1.0]]], [[0, 1]], ['a', 'b'])
    """
    seen = as_window(window)
    require_plane(seen.n_columns)
    asker = CodedPredictor(model, seen)
    partition = choose_partition(asker, Options(**finding))
    if not isinstance(partition, Drawable):
        raise InputError("a method that follows borders", "method='lines'", "use 'auto' or 'adaptive'")
    found = partition.segments()
    return Segments(seen.to_raw(found.ends), found.sides), asker.classes
