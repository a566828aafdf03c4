"""The classes of training cases: any column of labels to sorted classes and codes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray
from sklearn.utils import assert_all_finite, column_or_1d
from sklearn.utils.multiclass import check_classification_targets

from fivefold.errors import InputError, InputTypeError, show
from fivefold.inputs.frames import Labels
from fivefold.inputs.labels import (
    codes_of,
    is_missing,
    number_items,
    number_labels,
    read_text,
    refuse_missing,
)


def encode_classes(y: Any, n_cases: int) -> tuple[NDArray[Any], NDArray[np.int32]]:
    """Read the class of each training case; give the sorted classes, and each case's position among them.

    Examples
    --------
    >>> classes, codes = encode_classes(["yes", "no", "yes"], 3)
    >>> classes.tolist(), codes.tolist()
    (['no', 'yes'], [1, 0, 1])
    """
    text = read_text(y)
    labels = _as_labels(y) if text is None or set(map(type, text.values)) != {str} else text
    if len(labels) != n_cases:
        raise InputError(
            "one class for each case",
            f"{len(labels)} classes for {n_cases} cases (inconsistent numbers of samples)",
            "pass X and y of equal length",
        )
    if isinstance(labels, Labels):
        refuse_missing(labels.codes, "y")
        # the classes are of the type that the column's library makes of them
        kind = nw.from_native(y, series_only=True)[:1].to_numpy().dtype.kind
        return _sorted(labels.values, labels.codes, np.dtype(kind))
    if labels.dtype.kind in "OU":
        return _encode_text(labels)
    if labels.dtype.kind in "biu":
        numbered = number_labels(labels, "y")
        classes, codes = np.array(numbered.values, dtype=labels.dtype), numbered.codes
    else:
        classes, places = np.unique(labels, return_inverse=True)
        codes = places.astype(np.int32)
    if labels.dtype.kind not in "biu" or 2 * classes.size > labels.size:
        # whole numbers are classes, unless there are so many that scikit-learn warns
        check_classification_targets(labels)
    return classes, codes


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
    codes, first = number_items(labels)
    values = labels[first].tolist()
    odd = next((number for number, value in enumerate(values) if type(value) is not str), None)
    if odd is not None and is_missing(values[odd]):
        refuse_missing(np.where(codes == odd, -1, 0).astype(np.int32), "y")
    if odd is not None:
        raise InputTypeError(
            "classes that are all text, or all whole numbers or booleans in an array of that type",
            f"{show(values[odd])} ({type(values[odd]).__name__}) in row {first[odd]} of an array of objects",
            "Unknown label type: convert y, as in y.astype(str)",
        )
    return _sorted(values, codes, labels.dtype)


def _sorted(
    values: Sequence[str], codes: NDArray[np.int32], dtype: np.dtype[Any]
) -> tuple[NDArray[Any], NDArray[np.int32]]:
    names = sorted(set(values))
    return np.array(names, dtype=dtype), codes_of(values, names)[codes]
