"""The classes of training cases: any column of labels to sorted classes and codes."""

from __future__ import annotations

from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray
from sklearn.utils import assert_all_finite, column_or_1d
from sklearn.utils.multiclass import check_classification_targets

from fivefold.errors import InputError, InputTypeError, show
from fivefold.inputs.labels import is_missing


def encode_classes(y: Any, n_cases: int) -> tuple[NDArray[Any], NDArray[np.int32]]:
    """Read the class of each training case; give the sorted classes, and each case's position among them.

    Examples
    --------
    >>> classes, codes = encode_classes(["yes", "no", "yes"], 3)
    >>> classes.tolist(), codes.tolist()
    (['no', 'yes'], [1, 0, 1])
    """
    labels = _as_labels(y)
    if len(labels) != n_cases:
        raise InputError(
            "one class for each case",
            f"{len(labels)} classes for {n_cases} cases (inconsistent numbers of samples)",
            "pass X and y of equal length",
        )
    if labels.dtype.kind in "OU":
        return _encode_text(labels)
    classes, codes = np.unique(labels, return_inverse=True)
    if labels.dtype.kind not in "biu" or 2 * classes.size > labels.size:
        # whole numbers are classes, unless there are so many that scikit-learn warns
        check_classification_targets(labels)
    return classes, codes.astype(np.int32)


def _as_labels(y: Any) -> NDArray[Any]:
    if y is None:
        raise InputError(
            "the class of each case", "y=None", "requires y to be passed, but the target y is None"
        )
    if type(y) is np.ndarray and y.ndim == 1 and y.dtype.kind in "biu":
        return y  # learners come here 100,000 times in one simulation
    series = nw.from_native(y, pass_through=True, allow_series=True)
    array = series.to_numpy() if isinstance(series, nw.Series) else np.asarray(y)
    labels: NDArray[Any] = column_or_1d(array, warn=True)
    if labels.dtype.kind in "fc":
        assert_all_finite(labels, input_name="y")
    return labels


def _encode_text(labels: NDArray[Any]) -> tuple[NDArray[Any], NDArray[np.int32]]:
    given = labels.tolist()
    odd = [kind for kind in set(map(type, given)) if kind is not str]
    if odd:
        row = next(i for i, label in enumerate(given) if type(label) in odd)
        _refuse(given[row], row)
    names = sorted(set(given))
    place = {name: code for code, name in enumerate(names)}
    codes = np.fromiter(map(place.__getitem__, given), dtype=np.int32, count=len(given))
    return np.array(names, dtype=labels.dtype), codes


def _refuse(label: object, row: int) -> None:
    if is_missing(label):
        raise InputError(
            "y to hold a class in every row",
            f"a missing value in row {row}",
            "drop the cases whose class is not known",
        )
    raise InputTypeError(
        "classes that are all text, or all whole numbers or booleans in an array of that type",
        f"{show(label)} ({type(label).__name__}) in row {row} of an array of objects",
        "Unknown label type: convert y, as in y.astype(str)",
    )
