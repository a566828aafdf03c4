"""Labels of the cases as numbers: groups, and whether answers agree."""

from __future__ import annotations

from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from fivefold.errors import InputError, show
from fivefold.inputs.answers import as_answers
from fivefold.inputs.columns import Column, read_columns
from fivefold.inputs.frames import check_length
from fivefold.inputs.labels import as_labels, encode, infer_classes

Coded = tuple[NDArray[np.int32], NDArray[np.int32], tuple[object, ...]]


def code_groups(groups: Any) -> tuple[NDArray[np.int32], tuple[object, ...]]:
    """Number the groups in sorted order; each case must have one, and there must be two."""
    column = _text_column(groups, "groups")
    if column is None:
        labels = as_labels(groups, "groups")
        classes = infer_classes([labels], ["groups"])
        codes, names = encode(labels, classes, "groups"), tuple(classes.tolist())
    else:
        present = np.flatnonzero(np.bincount(column.values[column.values >= 0], minlength=1))
        codes, names = _recoded(column, present), tuple(np.array(column.categories, dtype=object)[present])
    if (codes < 0).any():
        raise InputError("a group for every case", f"none in row {int(np.flatnonzero(codes < 0)[0])}")
    if len(names) < 2:
        raise InputError("at least two groups", f"only {show(list(names))}")
    return codes, names


def _recoded(column: Column, present: NDArray[np.intp]) -> NDArray[np.int32]:
    assert column.categories is not None
    places = np.full(len(column.categories) + 1, -1, dtype=np.int32)
    places[present] = np.arange(present.size, dtype=np.int32)
    return np.asarray(places[column.values])


def code_together(first: Any, second: Any, names: tuple[str, str]) -> Coded:
    """Code two columns of labels alike; -1 is missing."""
    one, two = _text_column(first, names[0]), _text_column(second, names[1])
    if one is None or two is None:
        arrays = [as_labels(values, name) for values, name in zip((first, second), names, strict=True)]
        check_length(arrays[1], arrays[0].shape[0], names[1])
        classes = infer_classes(arrays, names)
        codes = [encode(array, classes, name) for array, name in zip(arrays, names, strict=True)]
        return codes[0], codes[1], tuple(classes.tolist())
    check_length(two.values, len(one), names[1])
    universe = sorted({*_categories(one), *_categories(two)})
    place = {label: code for code, label in enumerate(universe)}
    tables = [
        np.array([*(place[c] for c in _categories(column)), -1], dtype=np.int32) for column in (one, two)
    ]
    return tables[0][one.values], tables[1][two.values], tuple(universe)


def agreement(y_true: Any, y_pred: Any) -> tuple[NDArray[np.bool_], NDArray[np.int32], tuple[object, ...]]:
    """Say where the answer is the truth and nothing but the truth; also give the coded truth and its classes.

    An answer of several classes, or of none, is no agreement.
    """
    if _text_column(y_true, "y_true") is not None and _text_column(y_pred, "y_pred") is not None:
        truth, said, names = code_together(y_true, y_pred, ("y_true", "y_pred"))
        if (truth < 0).any():
            row = int(np.flatnonzero(truth < 0)[0])
            raise InputError("y_true to hold a class in every row", f"a missing value in row {row}")
        return truth == said, truth, names
    truth, answers, classes = as_answers(y_true, y_pred)
    if answers.ndim == 1:
        right = answers == truth
    else:
        right = answers[np.arange(truth.size), truth] & (answers.sum(axis=1) == 1)
    return np.asarray(right), truth, tuple(classes.tolist())


def _text_column(values: Any, name: str) -> Column | None:
    """Read a text column of a frame in compiled code; None for anything else."""
    series = nw.from_native(values, series_only=True, pass_through=True)
    if not isinstance(series, nw.Series) or not isinstance(
        series.dtype, nw.String | nw.Categorical | nw.Enum
    ):
        return None
    column = read_columns(series.alias(name).to_frame().to_native())[0]
    texts = column.categories is not None and all(isinstance(c, str) for c in column.categories)
    return column if texts else None


def _categories(column: Column) -> tuple[Any, ...]:
    assert column.categories is not None
    return column.categories
