"""The classes of training cases: any column of labels to sorted classes and codes, and back to names."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import narwhals as nw
import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone
from sklearn.utils import assert_all_finite, column_or_1d
from sklearn.utils.metaestimators import available_if
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


class NumberedClasses(ClassifierMixin, MetaEstimatorMixin, BaseEstimator):
    """A model that takes its classes as numbers 0, 1, …, asked and told by their names.

    Parameters
    ----------
    estimator : classifier
        The model, such as XGBoost's.
    names : sequence, optional
        What its class numbers are called, if it is fitted already.

    Examples
    --------
    >>> from sklearn.dummy import DummyClassifier
    >>> fitted = DummyClassifier().fit([[0], [0], [0]], [0, 1, 1])
    >>> NumberedClasses(fitted, ["no", "yes"]).predict([[0]])
    array(['yes'], dtype='<U3')
    """

    def __init__(self, estimator: Any, names: Any = None) -> None:
        self.estimator = estimator
        self.names = names

    @property
    def cv(self) -> Any:
        """How the model deals the cases, if it is a search."""
        return getattr(self.estimator, "cv", None)

    def fit(self, X: Any, y: Any, **options: Any) -> Self:
        """Fit a clone of the model to the numbers of the classes that occur."""
        self.names_, numbers = np.unique(np.asarray(y), return_inverse=True)
        self.estimator_ = clone(self.estimator).fit(X, numbers, **options)
        return self

    def __sklearn_is_fitted__(self) -> bool:
        return self.names is not None or hasattr(self, "estimator_")

    @property
    def classes_(self) -> NDArray[Any]:
        """The names of the classes that the model knows."""
        numbers = getattr(self._fitted, "classes_", np.arange(len(self._all_names)))
        return np.asarray(self._all_names[np.asarray(numbers).astype(np.int64)])

    @property
    def _fitted(self) -> Any:
        return getattr(self, "estimator_", self.estimator)

    @property
    def _all_names(self) -> NDArray[Any]:
        return np.asarray(getattr(self, "names_", self.names))

    def predict(self, X: Any) -> NDArray[Any]:
        """Answer with the names of classes."""
        return np.asarray(self._all_names[np.asarray(self._fitted.predict(X)).astype(np.int64)])

    @available_if(lambda self: hasattr(self.estimator, "predict_proba"))
    def predict_proba(self, X: Any) -> Any:
        """State the probabilities of the classes in the order of `classes_`."""
        return self._fitted.predict_proba(X)
