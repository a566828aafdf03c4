"""Train models on a part of the cases and keep what they say about the rest."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fivefold.checks.options import fraction
from fivefold.data import Table
from fivefold.errors import InputError
from fivefold.predictions import Predictions


@dataclass(frozen=True, eq=False)
class Trained:
    """A model that was trained here, and what it said about other cases.

    Parameters
    ----------
    predictions : Predictions
        What it said about the cases held out.
    model : fitted classifier
        The model itself.
    X : dataframe
        The cases that it was trained on.
    y : ndarray
        Their classes.
    """

    predictions: Predictions
    model: Any = field(repr=False)
    X: Any = field(repr=False)
    y: NDArray[Any] = field(repr=False)


def hold_out(
    models: Mapping[str, Any],
    table: Table,
    *,
    test_share: float = 1 / 3,
    random_state: int = 0,
    progress: Callable[[str], None] = lambda name: None,
) -> list[Trained]:
    """Fit each model to the same random part of the cases and collect its answers to the others.

    Parameters
    ----------
    models : mapping of name to scikit-learn classifier
        The models; each is cloned before it is fitted.
    table : Table
        The cases.
    test_share : float
        Share of the cases that is held out; drawn class by class where every class has two cases.
    random_state : int
        Seed of the draw.
    progress : callable
        Told the name of each model before it is fitted.
    """
    from sklearn.base import clone

    train, test = _split(table.y, fraction(test_share, "test_share"), random_state)
    X_train, X_test = _rows(table.X, train), _rows(table.X, test)
    classes = np.unique(table.y)
    trained = []
    for name, model in models.items():
        progress(name)
        fitted = clone(model).fit(X_train, table.y[train])
        said = replace(_ask(name, fitted, X_test, table.y[test], classes), rows=test)
        trained.append(Trained(said, fitted, X_train, table.y[train]))
    return trained


def _split(y: NDArray[Any], share: float, random_state: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    from sklearn.model_selection import train_test_split

    if not 1 <= round(share * y.size) <= y.size - 1:
        raise InputError("a test share that leaves cases on both sides", f"{share} of {y.size} cases")
    counts = np.unique(y, return_counts=True)[1]
    can_stratify = counts.min() >= 2 and min(share, 1 - share) * y.size >= counts.size
    train, test = train_test_split(
        np.arange(y.size), test_size=share, random_state=random_state, stratify=y if can_stratify else None
    )
    return np.sort(train), np.sort(test)


def _rows(frame: Any, rows: NDArray[np.int64]) -> Any:
    from sklearn.utils import _safe_indexing

    return _safe_indexing(frame, rows)


def _ask(name: str, model: Any, X: Any, y: NDArray[Any], classes: NDArray[Any]) -> Predictions:
    """Collect a model's answers and probabilities over all classes, also those it has not seen."""
    places = np.searchsorted(classes, model.classes_)
    sets = np.zeros((len(y), classes.size), dtype=np.bool_)
    if hasattr(model, "predict_sets"):
        sets[:, places] = model.predict_sets(X)
    else:
        sets = model.predict(X)[:, None] == classes[None, :]
    prob = None
    if hasattr(model, "predict_proba"):
        prob = np.zeros((len(y), classes.size))
        prob[:, places] = model.predict_proba(X)
    return Predictions.from_answers(
        y, _plain(sets, classes), probabilities=prob, classes=classes, features=X, name=name
    )


def _plain(sets: NDArray[np.bool_], classes: NDArray[Any]) -> Any:
    """Answers with one class each become labels, which are faster to judge."""
    return classes[sets.argmax(axis=1)] if np.all(sets.sum(axis=1) == 1) else sets
