"""What a model answered: one class, several or none for each case.

The answers are held in one of two forms, told apart by their dimension: an ``(n,)`` array of class
positions with -1 for no answer, or an ``(n, k)`` boolean matrix of sets.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from fivefold.errors import InputError, InputTypeError, show
from fivefold.inputs.frames import as_array, check_length
from fivefold.inputs.labels import (
    as_labels,
    distinct,
    encode,
    encode_truth,
    given_classes,
    infer_classes,
    is_missing,
    sort_classes,
)

Answers = NDArray[Any]


def as_answers(
    y_true: object, predicted: object, classes: object = None
) -> tuple[NDArray[np.int32], Answers, NDArray[Any]]:
    """Check truth and answers together; give the coded truth, the coded answers and the classes."""
    truth = as_labels(y_true, "y_true")
    given = _unwrap_boolean_rows(as_array(predicted, "predicted"), truth)
    check_length(given, truth.shape[0], "predicted")
    universe = given_classes(classes) if classes is not None else _infer(truth, given)
    return encode_truth(truth, universe), encode_answers(given, universe, predicted), universe


def encode_answers(given: NDArray[Any], classes: NDArray[Any], original: object = None) -> Answers:
    """Code answers of any accepted form with a known universe of classes."""
    if given.ndim > 1:
        return _matrix(columns_in_class_order(given, classes, original), classes)
    if _holds_collections(given):
        return _encode_collections(given, classes)
    return encode(given, classes, "predicted")


def _unwrap_boolean_rows(given: NDArray[Any], truth: NDArray[Any]) -> NDArray[Any]:
    """Read a list of lists of booleans as a matrix, unless the labels themselves are booleans."""
    if (
        given.dtype != object
        or given.ndim != 1
        or all(isinstance(label, (bool, np.bool_)) for label in truth)
    ):
        return given
    lengths = {len(row) for row in given if isinstance(row, (list, tuple))}
    is_matrix = len(lengths) == 1 and all(
        isinstance(row, (list, tuple)) and row and all(isinstance(item, (bool, np.bool_)) for item in row)
        for row in given
    )
    return np.array(given.tolist(), dtype=np.bool_) if is_matrix else given


def _infer(truth: NDArray[Any], given: NDArray[Any]) -> NDArray[Any]:
    if given.ndim > 1:
        return classes_for_columns(truth, given.shape[1], "predicted")
    if _holds_collections(given):
        members = [label for answer in given for label in _members(answer)]
        given = np.fromiter(members, dtype=object, count=len(members))
    if "" in distinct(given, "predicted") and "" not in distinct(truth, "y_true"):
        raise InputError(
            "predicted to hold labels, None or NaN",
            "an empty text ('')",
            "no answer is None, NaN or an empty set, not an empty text",
        )
    return infer_classes([truth, given], ["y_true", "predicted"])


def classes_for_columns(truth: NDArray[Any], n_columns: int, name: str) -> NDArray[Any]:
    """Name the columns of a matrix by the classes that occur in the truth, if there are as many."""
    labels = distinct(truth, "y_true")
    if len(labels) != n_columns:
        raise InputError(
            f"{name} to have one column for each class",
            f"{n_columns} columns, and {len(labels)} different classes in y_true",
            "pass classes= with every class, in the order of the columns",
        )
    return sort_classes(labels)


def _matrix(given: NDArray[Any], classes: NDArray[Any]) -> NDArray[np.bool_]:
    if given.ndim == 3 and given.shape[2] == 1:
        given = given[:, :, 0]
    if given.ndim != 2:
        raise InputError(
            "predicted to be an (n, k) boolean matrix of sets",
            f"an array of shape {given.shape}",
            "choose one confidence level: sets[:, :, i]",
        )
    if given.dtype != np.bool_:
        raise InputTypeError(
            "predicted to be labels or a boolean matrix of sets",
            f"a matrix of {given.dtype}",
            "for probabilities use fivefold.bets; for sets written as 0 and 1 pass matrix.astype(bool)",
        )
    if given.shape[1] != classes.size:
        raise InputError(f"one column for each of the {classes.size} classes", f"{given.shape[1]} columns")
    return np.ascontiguousarray(given)


def columns_in_class_order(given: NDArray[Any], classes: NDArray[Any], original: object) -> NDArray[Any]:
    """Put the columns of a data frame that are named like the classes into the order of the classes.

    Numbered columns have no names: they stand in class order already.
    """
    frame = nw.from_native(original, eager_only=True, pass_through=True)
    if not isinstance(frame, nw.DataFrame):
        return given
    names, wanted = list(frame.columns), [str(label) for label in classes.tolist()]
    if not all(isinstance(name, str) for name in names) or sorted(names) != sorted(wanted):
        return given
    return given[:, [names.index(label) for label in wanted]]


def _holds_collections(given: NDArray[Any]) -> bool:
    if given.dtype != object:
        return False
    return any(_is_collection(answer) for answer in given)


def _is_collection(answer: object) -> bool:
    return isinstance(answer, Collection) and not isinstance(answer, (str, bytes, dict))


def _members(answer: Any) -> list[Any]:
    if _is_collection(answer):
        return [item.item() if isinstance(item, np.generic) else item for item in answer]
    return [] if is_missing(answer) else [answer]


def _encode_collections(given: NDArray[Any], classes: NDArray[Any]) -> NDArray[np.bool_]:
    lookup = {label: code for code, label in enumerate(classes.tolist())}
    sets = np.zeros((given.shape[0], classes.size), dtype=np.bool_)
    for row, answer in enumerate(given):
        for label in _members(answer):
            if label not in lookup:
                raise InputError(
                    f"sets of the classes {', '.join(map(repr, classes.tolist()[:8]))}",
                    f"{show(label)} in row {row}",
                    "pass classes= with every class; a boolean matrix must be a numpy array or a data frame",
                )
            sets[row, lookup[label]] = True
    return sets
