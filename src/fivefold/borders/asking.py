"""Asking a model for the class of any place in the window."""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fivefold.borders.cases import Cases, array_as_asked
from fivefold.borders.window import Window
from fivefold.errors import InputError, InputTypeError, show
from fivefold.inputs.labels import is_missing

Floats = NDArray[np.float64]
Codes = NDArray[np.int32]

_BATCH = 200_000


class Asker:
    """A model that is asked in units of the window's scale and answers with numbered classes.

    Parameters
    ----------
    model : object with ``predict``
        The model.
    window : Window
        The window.
    cases : Cases or None
        Cases in the form that the model was fitted on.
    """

    def __init__(self, model: Any, window: Window, cases: Cases | None = None) -> None:
        if isinstance(model, type) or not callable(getattr(model, "predict", None)):
            raise InputTypeError(
                "a fitted model with a method predict(X)", f"{show(model)} ({type(model).__name__})"
            )
        expected = getattr(model, "n_features_in_", window.n_columns)
        if expected != window.n_columns:
            raise InputError(
                f"{expected} columns, as the model was fitted on",
                f"{window.n_columns}",
                "borders are measured in all columns of the model; fit it on fewer to see a plane",
            )
        self.model = model
        self.window = window
        self.classes: list[Any] = []
        self._known: dict[Any, int] = {}
        names = window.names if cases is None else cases.names
        self._shaped = array_as_asked(model, names, None if cases is None else cases.library)
        self._answers: Callable[[Floats], Codes] = lambda U: self.predict(self.window.to_raw(U))
        self.encode(getattr(model, "classes_", ()))

    def encode(self, labels: Any) -> Codes:
        """Number labels; those not met before get the next number."""
        array = np.asarray(labels)
        if array.ndim != 1:
            raise InputError("one class for each case", f"answers of shape {array.shape}")
        if array.dtype.kind == "O":
            return np.fromiter((self._code(label) for label in array), dtype=np.int32, count=array.size)
        found, places = np.unique(array, return_inverse=True)
        codes = np.array([self._code(label) for label in found.tolist()], dtype=np.int32)
        return np.asarray(codes[places.reshape(-1)], dtype=np.int32)

    def by(self, answers: Callable[[Floats], Codes]) -> Asker:
        """Ask in another way that gives the same numbers to classes."""
        other = copy(self)
        other._answers = answers
        return other

    def answers(self, U: Floats) -> Codes:
        """Give the number of the class that the model has for each point."""
        return self._answers(U)

    def predict(self, points: Floats) -> Codes:
        """Give the number of the class that the model has for each point in the columns' own units."""
        batches = [
            self.encode(self.model.predict(self._shaped(points[start : start + _BATCH])))
            for start in range(0, points.shape[0], _BATCH)
        ]
        return np.concatenate(batches) if batches else np.empty(0, dtype=np.int32)

    def _code(self, label: Any) -> int:
        plain = label.item() if isinstance(label, np.generic) else label
        # a place without an answer is a region of its own, however the model writes it
        plain = None if is_missing(plain) else plain
        if plain not in self._known:
            self._known[plain] = len(self.classes)
            self.classes.append(plain)
        return self._known[plain]
