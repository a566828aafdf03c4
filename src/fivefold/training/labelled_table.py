"""A table with one class for each row, checked once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fivefold.errors import InputError, InputTypeError, show
from fivefold.inputs.labels import as_labels, distinct, encode, encode_truth, sort_classes

Ints = NDArray[np.int64]
Codes = NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class LabelledTable:
    """A table of attributes and the class of each row.

    Parameters
    ----------
    X : table
        The attributes, as the caller gave them.
    classes : ndarray
        The classes in sorted order.
    codes : ndarray of int32
        The class of each row as a position in `classes`.
    """

    X: Any
    classes: NDArray[Any]
    codes: Codes

    def __len__(self) -> int:
        return len(self.codes)

    def rows(self, rows: Ints) -> Any:
        """Give the attributes of some rows, in the kind of table that came in."""
        if isinstance(self.X, np.ndarray):
            return self.X[rows]
        from sklearn.utils import _safe_indexing

        return _safe_indexing(self.X, rows)

    def labels(self, rows: Ints) -> NDArray[Any]:
        """Give the classes of some rows."""
        chosen: NDArray[Any] = self.classes[self.codes[rows]]
        return chosen

    def places(self, labels: Any) -> Codes:
        """Give predicted labels as positions in `classes`; -1 where there is no answer."""
        given = as_labels(np.asarray(labels), "predictions")
        if given.dtype.kind == self.classes.dtype.kind:
            found = np.minimum(np.searchsorted(self.classes, given), self.classes.size - 1)
            if np.array_equal(self.classes[found], given):
                return found.astype(np.int32)
        return encode(given, self.classes, "predictions")


def read_labelled_table(X: Any, y: Any) -> LabelledTable:
    """Check a table and its classes; labels may be of any kind."""
    labels = as_labels(y, "y")
    _check_rows(X, labels.shape[0])
    found = distinct(labels, "y")
    if len(found) < 2:
        raise InputError(
            "y to hold at least two classes",
            f"only {show(found[0])}" if found else "only missing values",
            "where there is one class there is nothing to learn",
        )
    classes = sort_classes(found)
    return LabelledTable(_as_table(X), classes, encode_truth(labels, classes, "y"))


def _as_table(X: Any) -> Any:
    # scikit-learn's learners read lists of rows through this same call, once for each fit
    if isinstance(X, list | tuple) and all(isinstance(v, int | float | np.number) for row in X for v in row):
        return np.asarray(X)
    return X


def _check_rows(X: Any, n_labels: int) -> None:
    try:
        n_rows = int(X.shape[0] if hasattr(X, "shape") else len(X))
    except (TypeError, IndexError):
        raise InputTypeError(
            "X to be a data frame, an array or a list of rows", f"{show(X)} ({type(X).__name__})"
        ) from None
    if n_rows != n_labels:
        raise InputError("one class for each row of X", f"{n_labels} classes for {n_rows} rows")
    if getattr(X, "ndim", 2) != 2:
        raise InputError("X to have rows and columns", f"an array of shape {X.shape}", "X.reshape(-1, 1)?")


def check_learner(learner: Any, name: str = "learner") -> None:
    """Insist on an object that can be fitted and can predict."""
    if isinstance(learner, type):
        raise InputTypeError(
            f"{name} to be an object", f"the class {learner.__name__}", f"write {learner.__name__}()"
        )
    lacking = [method for method in ("fit", "predict") if not callable(getattr(learner, method, None))]
    if lacking:
        raise InputTypeError(
            f"{name} to have fit and predict",
            f"{show(learner)} ({type(learner).__name__}) without {' and '.join(lacking)}",
        )
