"""The size of borders, the distance of cases from them, and borders in the plane as segments."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from fivefold.borders.asking import Asker
from fivefold.borders.choosing import Options, choose_partition
from fivefold.borders.looking import look_at
from fivefold.borders.partition import BorderSize, Drawable, Segments, require_plane
from fivefold.borders.window import as_window
from fivefold.errors import InputError


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
    asker = Asker(model, as_window(window))
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
    return look_at(
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
    asker = Asker(model, seen)
    partition = choose_partition(asker, Options(**finding))
    if not isinstance(partition, Drawable):
        raise InputError("a method that follows borders", "method='lines'", "use 'auto' or 'adaptive'")
    found = partition.segments()
    return Segments(seen.to_raw(found.ends), found.sides), asker.classes
