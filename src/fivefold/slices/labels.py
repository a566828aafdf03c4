"""Labels of the cases as numbers: groups, and whether answers agree."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from fivefold.errors import InputError, show
from fivefold.inputs.answers import as_answers
from fivefold.inputs.frames import check_length
from fivefold.inputs.labels import distinct, encode, infer_classes, read_labels, sort_classes

Codes = NDArray[np.int32]


def code_groups(groups: Any) -> tuple[Codes, tuple[object, ...]]:
    """Number the groups in sorted order; each case must have one, and there must be two."""
    labels = read_labels(groups, "groups")
    values = distinct(labels, "groups")
    if (labels.codes < 0).any():
        raise InputError("a group for every case", f"none in row {int(np.flatnonzero(labels.codes < 0)[0])}")
    if len(values) < 2:
        raise InputError("at least two groups", f"only {show(values)}")
    names = sort_classes(values)
    return encode(labels, names, "groups"), tuple(names.tolist())


def code_together(first: Any, second: Any, names: tuple[str, str]) -> tuple[Codes, Codes, tuple[object, ...]]:
    """Code two columns of labels alike; -1 is missing."""
    columns = [read_labels(values, name) for values, name in zip((first, second), names, strict=True)]
    check_length(columns[1], len(columns[0]), names[1])
    classes = infer_classes(columns, names)
    codes = [encode(column, classes, name) for column, name in zip(columns, names, strict=True)]
    return codes[0], codes[1], tuple(classes.tolist())


def agreement(y_true: Any, y_pred: Any) -> tuple[NDArray[np.bool_], Codes, tuple[object, ...]]:
    """Say where the answer is the truth and nothing but the truth; also give the coded truth and its classes.

    An answer of several classes, or of none, is no agreement.
    """
    truth, answers, classes = as_answers(y_true, y_pred)
    if answers.ndim == 1:
        right = answers == truth
    else:
        right = answers[np.arange(truth.size), truth] & (answers.sum(axis=1) == 1)
    return np.asarray(right), truth, tuple(classes.tolist())
