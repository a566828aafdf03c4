"""Probabilities as a model gave them: checked, never clipped or rescaled."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from fivefold.errors import InputError
from fivefold.inputs import _kernels
from fivefold.inputs.answers import classes_for_columns, columns_in_class_order
from fivefold.inputs.frames import as_numbers, check_length
from fivefold.inputs.labels import encode_truth, given_classes, read_labels

SUM_TOLERANCE = 1e-5
_MOST_ROUNDING = 0.05
# what the kernel finds wrong with single numbers; beyond it is the sum
_LAST_OF_VALUES = 3


def as_probabilities(
    y_true: object, y_prob: object, classes: object = None
) -> tuple[NDArray[np.int32], NDArray[Any], NDArray[Any]]:
    """Check truth and probabilities together; give the coded truth, the probabilities and the classes.

    The probabilities keep their form: ``(n, k)`` in class order, or ``(n,)`` for the second of two classes.
    """
    truth = read_labels(y_true, "y_true")
    given = as_numbers(y_prob, "y_prob")
    check_length(given, len(truth), "y_prob")
    n_columns = given.shape[1] if given.ndim == 2 else 2
    universe = (
        given_classes(classes) if classes is not None else classes_for_columns(truth, n_columns, "y_prob")
    )
    return encode_truth(truth, universe), check_probabilities(given, universe, y_prob), universe


def check_probabilities(given: NDArray[Any], classes: NDArray[Any], original: object = None) -> NDArray[Any]:
    """Insist on numbers in [0, 1] whose rows sum to one."""
    precision = float(np.finfo(given.dtype).eps)
    if given.dtype not in (np.float32, np.float64):
        given = given.astype(np.float64)
    if given.ndim == 1:
        return _check_second_class(given, classes)
    if given.ndim != 2:
        raise InputError("y_prob of shape (n, k) or (n,)", f"an array of shape {given.shape}")
    if given.shape[1] != classes.size:
        raise InputError(
            f"one column of probabilities for each of the {classes.size} classes", f"{given.shape[1]} columns"
        )
    given = columns_in_class_order(given, classes, original)
    # rounding errors of a row add up like a random walk
    tolerance = max(SUM_TOLERANCE, float(np.sqrt(given.shape[1])) * precision)
    row, reason = _kernels.first_bad_row(given, tolerance)
    if reason > _LAST_OF_VALUES:
        row, reason = _kernels.first_bad_row(given, max(tolerance, _rounding(given, precision)))
    _refuse(row, reason, given)
    return given


def _rounding(given: NDArray[Any], precision: float) -> float:
    """Give by how much a sum can miss 1 because all was written with two to six digits; 0 where it was not.

    The probabilities stay as they were written; of one digit or none, as in 0.9 and 0.2, nothing is excused.
    """
    for digits in range(2, 7):
        if given.max() <= 1 and np.abs(given - np.round(given, digits)).max() <= 4 * precision:
            return float(min(_MOST_ROUNDING, given.shape[1] / 2 * 10.0**-digits + SUM_TOLERANCE))
    return 0.0


def _check_second_class(given: NDArray[Any], classes: NDArray[Any]) -> NDArray[Any]:
    if classes.size != 2:
        raise InputError(
            f"a matrix with one column for each of the {classes.size} classes",
            "one column of probabilities",
            "only a problem of two classes can be given by the probability of its second class",
        )
    _refuse(*_kernels.first_outside_unit(given), given)
    return given


def _refuse(row: int, reason: int, given: NDArray[Any]) -> None:
    if reason == 0:
        return
    shown = np.array2string(given[row], precision=6, threshold=8)
    if reason == 1:
        raise InputError("a number for every probability", f"{shown} in row {row}")
    if reason in (2, 3):
        raise InputError(
            "probabilities between 0 and 1",
            f"{shown} in row {row}",
            "scores must be turned into probabilities first",
        )
    raise InputError(
        "the probabilities of each case to sum to 1",
        f"{shown} with sum {float(given[row].sum()):.6g} in row {row}",
        "nothing is rescaled unasked; divide each row by its sum if that is what you mean",
    )
