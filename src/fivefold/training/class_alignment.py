"""Class alignment: what a model says of the classes it knows, put among all classes of the problem."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from fivefold.errors import InputError, InputTypeError
from fivefold.inputs.labels import encode


def class_positions(labels: Any, classes: NDArray[Any]) -> NDArray[np.int32]:
    """Give predicted labels as positions in the sorted `classes`; -1 where there is no answer."""
    return encode(np.asarray(labels), classes, "predictions")


def labels_at(positions: NDArray[np.int32], classes: NDArray[Any]) -> NDArray[Any]:
    """Give the labels at some positions; None where there is no answer."""
    known = classes
    if not positions.size or positions.min() < 0:
        known = np.append(classes.astype(object), [None])
    return np.asarray(known[positions])


def align_columns(columns: Any, known: Any, classes: NDArray[Any]) -> NDArray[Any]:
    """Put the columns of the `known` classes among those of all `classes`; the others hold zero.

    Examples
    --------
    >>> align_columns([[0.25, 0.75]], ["b", "c"], np.array(["a", "b", "c"])).tolist()
    [[0.0, 0.25, 0.75]]
    """
    given, places = np.asarray(columns), class_positions(known, classes)
    if given.ndim != 2 or given.shape[1] != places.size:
        expected = f"a column of answers for each of the {places.size} classes that the model knows"
        raise InputError(expected, f"an array of shape {given.shape}")
    table = np.zeros((given.shape[0], classes.size), dtype=given.dtype)
    table[:, places] = given
    return table


def predicted_probabilities(model: Any, X: Any, classes: NDArray[Any]) -> NDArray[np.float64]:
    """Give a model's probabilities of all classes; one that its training rows lack has probability zero."""
    if not callable(getattr(model, "predict_proba", None)):
        raise InputTypeError("an estimator with predict_proba", f"{type(model).__name__} without")
    return align_columns(model.predict_proba(X), model.classes_, classes)


def predicted_sets(model: Any, X: Any, classes: NDArray[Any], **options: Any) -> NDArray[np.bool_]:
    """Give the set of classes that a model answers for each row, as a boolean matrix over all classes."""
    return align_columns(model.predict_sets(X, **options), model.classes_, classes)
