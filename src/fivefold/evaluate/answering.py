"""What a fitted model says about cases: classes, sets of classes, probabilities."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse

from fivefold.inputs.predictions import Predictions


def collect_answers(name: str, model: Any, X: Any, y: NDArray[Any], classes: NDArray[Any]) -> Predictions:
    """Collect a model's answers and probabilities over all classes, also those it has not seen.

    Parameters
    ----------
    name : str
        The model's name.
    model : fitted classifier
        It answers with `predict_sets` if it has that, else with `predict`.
    X, y : table and ndarray
        The cases and their classes.
    classes : ndarray
        All classes of the problem, in sorted order.
    """
    return Predictions.from_answers(
        y,
        _answers(model, X, classes),
        probabilities=None
        if why_no_probabilities(model)
        else _spread(model, model.predict_proba(X), classes),
        classes=classes,
        features=None if issparse(X) else X,
        name=name,
    )


def why_no_probabilities(model: Any) -> str:
    """Say why a model's probabilities cannot be used; an empty text if they can.

    Examples
    --------
    >>> from sklearn.svm import LinearSVC
    >>> why_no_probabilities(LinearSVC())
    'it states no probabilities (there is no predict_proba)'
    """
    if not hasattr(model, "predict_proba"):
        return "it states no probabilities (there is no predict_proba)"
    if not hasattr(model, "classes_"):
        return "it does not say to which class each of its probabilities belongs (there is no classes_)"
    return ""


def _answers(model: Any, X: Any, classes: NDArray[Any]) -> Any:
    if not hasattr(model, "predict_sets"):
        return np.asarray(model.predict(X))
    sets = _spread(model, model.predict_sets(X), classes)
    # answers with one class each become labels, which are faster to judge
    return classes[sets.argmax(axis=1)] if np.all(sets.sum(axis=1) == 1) else sets


def _spread(model: Any, columns: Any, classes: NDArray[Any]) -> NDArray[Any]:
    """Put a column for each class that the model knows into a table of all classes."""
    given = np.asarray(columns)
    places = np.searchsorted(classes, np.asarray(model.classes_))
    table = np.zeros((given.shape[0], classes.size), dtype=given.dtype)
    table[:, places] = given
    return table
