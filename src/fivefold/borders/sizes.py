"""The size of a model's borders, exact where its form is known, else by its answers alone."""

from __future__ import annotations

from functools import partial
from typing import Any

from fivefold.borders.approximate import LinesPartition, Options, adaptive_partition, nearest_along_rays
from fivefold.borders.boxes import grid_partition, line_partition, model_cuts, tree_partition
from fivefold.borders.partition import BorderSize, Drawable, Floats, Partition, Segments, require_plane
from fivefold.borders.planes import MOST_COLUMNS, CellPartition, find_voters, linear_cuts, linear_partition
from fivefold.borders.window import CodedPredictor, as_window, last_step
from fivefold.errors import InputError
from fivefold.inputs.options import as_generator


def border_size(estimator: Any, window: Any, **finding: Any) -> float:
    """Give the size of all borders between classes inside a window.

    Length in the plane, area in space, and so on; on a line the number of border points.

    Parameters
    ----------
    estimator : fitted classifier
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
    return border_size_details(estimator, window, **finding).value


def border_size_details(estimator: Any, window: Any, **finding: Any) -> BorderSize:
    """Give `border_size` with how it was found and how wrong it may be; it has the same parameters.

    Examples
    --------
    >>> import fivefold as ff
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> stump = DecisionTreeClassifier().fit([[0, 0], [1, 0]], ["a", "b"])
    >>> print(ff.borders.border_size_details(stump, [(-1, 2), (-1, 1)]))
    2.000 (exact, by boxes)
    """
    predictor = CodedPredictor(estimator, as_window(window))
    return choose_partition(predictor, Options.read(finding)).size()


def border_segments(estimator: Any, window: Any, **finding: Any) -> tuple[Segments, list[Any]]:
    """Give the borders of a model of two columns as segments in the columns' own units, and the classes.

    Parameters
    ----------
    estimator, window, **finding
        As in `border_size`; lines give no segments.

    Returns
    -------
    tuple of Segments and list
        Their ends with the numbers of the classes on both sides, and the classes by number.

    Examples
    --------
    >>> import fivefold as ff
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> stump = DecisionTreeClassifier(max_depth=1).fit([[0, 0], [1, 0]], ["a", "b"])
    >>> borders, classes = ff.borders.border_segments(stump, [(-1, 2), (-1, 1)])
    >>> borders.ends.tolist(), borders.sides.tolist(), classes
    ([[[0.5, -1.0], [0.5, 1.0]]], [[0, 1]], ['a', 'b'])
    """
    frame = as_window(window)
    require_plane(frame.n_columns)
    predictor = CodedPredictor(estimator, frame)
    partition = choose_partition(predictor, Options.read(finding))
    if not isinstance(partition, Drawable):
        raise InputError("a method that follows borders", "method='lines'", "use 'auto' or 'adaptive'")
    borders = partition.segments()
    return Segments(frame.to_raw(borders.ends), borders.sides), predictor.classes


def choose_partition(predictor: CodedPredictor, options: Options, cases: Floats | None = None) -> Partition:
    """Describe the regions of a model; cases are places to look at closely."""
    d = predictor.window.n_columns
    voters = find_voters(predictor, options.ties, options.duplicates)
    if options.method in ("auto", "exact"):
        exact = voters.in_the_plane(predictor.window) if voters and d == 2 else _exact(predictor, options)
        if exact is not None:
            return exact
    if options.method == "exact" or (options.method == "adaptive" and d > 2):
        raise InputError(
            f"a model and a window for method={options.method!r}",
            f"{type(predictor.model).__name__} with {d} columns",
            "method='auto' takes what is possible: 'adaptive' one or two columns, 'lines' any number",
        )
    # the same votes, counted faster
    predictor = predictor if voters is None else predictor.by(voters.answers)
    if d > 2 or options.method == "lines":
        return _by_lines(predictor, options)
    if d == 1:
        return line_partition(predictor, options.resolution)
    return adaptive_partition(predictor, options.resolution, cases)


def _exact(predictor: CodedPredictor, options: Options) -> Partition | None:
    # a model may know its own regions, with its classes numbered as in classes_
    own = getattr(predictor.model, "border_partition", None)
    known: Partition | None = None if own is None else own(predictor.window)
    step = last_step(predictor)
    if known is not None or step is None:
        return known
    if predictor.window.n_columns == 1:
        points = linear_cuts(*step)
        if points is not None:
            return grid_partition([points], predictor, max_cells=points.size + 1)
    exact = linear_partition(*step, predictor) or tree_partition(*step, predictor)
    if isinstance(exact, CellPartition) and predictor.window.n_columns > MOST_COLUMNS:
        return None
    cuts = model_cuts(*step) if exact is None else None
    return exact if cuts is None else grid_partition(cuts, predictor, options.max_cells)


def _by_lines(predictor: CodedPredictor, options: Options) -> LinesPartition:
    # apart, so that the size is the same whether or not distances are asked for
    for_lines, for_rays = as_generator(options.random_state).spawn(2)
    step = last_step(predictor)
    cuts = None if step is None else model_cuts(*step)
    linear = None if step is None or options.method == "lines" else linear_partition(*step, predictor)
    if linear is not None:
        known = (linear.distances, linear.distance_method)
    else:
        rays = partial(nearest_along_rays, predictor, directions=options.n_directions, rng=for_rays)
        known = (rays, "upper bounds")
    return LinesPartition(predictor, options.n_lines, for_lines, *known, cuts)
