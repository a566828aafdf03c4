"""What a model answered: one class, several or none for each case.

The answers are held in one of two forms, told apart by their dimension: an ``(n,)`` array of class
positions with -1 for no answer, or an ``(n, k)`` boolean matrix of sets.
"""

from __future__ import annotations

from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from fivefold.errors import InputError, InputTypeError, show
from fivefold.inputs.frames import Labels, check_length
from fivefold.inputs.labels import (
    distinct,
    encode,
    encode_truth,
    given_classes,
    infer_classes,
    is_collection,
    is_missing,
    number_labels,
    plain_item,
    read_answers,
    read_labels,
    refuse_strange_answers,
    sort_classes,
)

Answers = NDArray[Any]


def as_answers(
    y_true: object, y_pred: object, classes: object = None
) -> tuple[NDArray[np.int32], Answers, NDArray[Any]]:
    """Check truth and answers together; give the coded truth, the coded answers and the classes."""
    truth = read_labels(y_true, "y_true")
    given = read_answers(y_pred, truth)
    check_length(given, len(truth), "y_pred")
    universe = given_classes(classes) if classes is not None else _infer(truth, given)
    return encode_truth(truth, universe), encode_answers(given, universe, y_pred), universe


def encode_answers(given: Labels | NDArray[Any], classes: NDArray[Any], original: object = None) -> Answers:
    """Code answers of any accepted form with a known universe of classes."""
    if isinstance(given, Labels):
        return encode(given, classes, "y_pred")
    if given.ndim > 1:
        return _matrix(columns_in_class_order(given, classes, original), classes)
    return _encode_collections(given, classes)


def _infer(truth: Labels, given: Labels | NDArray[Any]) -> NDArray[Any]:
    if isinstance(given, Labels):
        answers = given
    elif given.ndim > 1:
        return classes_for_columns(truth, given.shape[1], "y_pred")
    else:
        members = [label for answer in given for label in _members(answer)]
        answers = number_labels(np.fromiter(members, dtype=object, count=len(members)), "y_pred")
    if "" in distinct(answers, "y_pred") and "" not in distinct(truth, "y_true"):
        raise InputError(
            "y_pred to hold labels, None or NaN",
            "an empty text ('')",
            "no answer is None, NaN or an empty set, not an empty text",
        )
    universe = infer_classes([truth, answers], ["y_true", "y_pred"])
    true_classes = distinct(truth, "y_true")
    if len(true_classes) > 1:  # a few cases of one class may all be answered wrongly
        refuse_strange_answers(true_classes, distinct(answers, "y_pred"), "y_pred", "classes=")
    return universe


def classes_for_columns(truth: Labels, n_columns: int, name: str) -> NDArray[Any]:
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
            "y_pred to be an (n, k) boolean matrix of sets",
            f"an array of shape {given.shape}",
            "choose one confidence level: sets[:, :, i]",
        )
    if given.dtype != np.bool_:
        raise InputTypeError(
            "y_pred to be labels or a boolean matrix of sets",
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


def _members(answer: Any) -> list[Any]:
    if is_collection(type(answer)):
        return list(map(plain_item, answer))
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
