"""What one model said about cases whose class is known."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from fivefold.checks import as_answers, as_probabilities, encode_truth
from fivefold.checks.answers import classes_for_columns, encode_answers
from fivefold.checks.arrays import as_array, as_numbers, check_length
from fivefold.checks.labels import as_labels, given_classes
from fivefold.checks.probabilities import check_probabilities
from fivefold.errors import InputError, InputTypeError, show


@dataclass(frozen=True, eq=False)
class Predictions:
    """Truth, and for each case a set of classes, a probability vector, or both.

    Make one with `from_answers` or `from_probabilities`; everything is checked there, once, and the arrays
    are read-only afterwards.

    Parameters
    ----------
    name : str
        What the model is called.
    classes : ndarray of shape (k,)
        All classes of the problem.
    truth : ndarray of shape (n,)
        True class of each case as a position in ``classes``.
    answers : ndarray of shape (n,) or (n, k)
        The answer to each case: a position with -1 for none, or a row of booleans.
    probabilities : ndarray of shape (n,) or (n, k), or None
        Stated probabilities: of all classes, or of the second of two.
    features : data frame or None
        What else is known of the cases.
    answers_given : bool
        Whether the answers were given, or are the most probable classes.
    rows : ndarray of shape (n,) or None
        Where each case stood in a larger table from which these were held out, counted from 0.
    """

    name: str
    classes: NDArray[Any] = field(repr=False)
    truth: NDArray[np.int32] = field(repr=False)
    answers: NDArray[Any] = field(repr=False)
    probabilities: NDArray[Any] | None = field(default=None, repr=False)
    features: Any = field(default=None, repr=False)
    answers_given: bool = True
    rows: NDArray[np.int64] | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        if not isinstance(self.name, str) or not self.name:
            raise InputTypeError("a name for the model", show(self.name))
        for part in ("classes", "truth", "answers", "probabilities"):
            array = getattr(self, part)
            if array is not None:
                view = array.view()
                view.flags.writeable = False
                object.__setattr__(self, part, view)
        if self.features is not None and len(self.features) != self.n_cases:
            raise InputError(
                f"one row of features for each of the {self.n_cases} cases", f"{len(self.features)} rows"
            )

    @classmethod
    def from_answers(
        cls,
        y_true: object,
        predicted: object,
        *,
        probabilities: object = None,
        classes: object = None,
        features: Any = None,
        name: str = "model",
    ) -> Self:
        """Take labels, sets or a boolean matrix, with probabilities beside them if there are any.

        Parameters
        ----------
        y_true : array-like of shape (n,)
            The true classes.
        predicted : array-like
            Labels (``None`` or NaN for no answer), a boolean ``(n, k)`` matrix in class order (MAPIE's
            ``(n, k, 1)`` too), or a sequence of collections of labels.
        probabilities : array-like of shape (n, k) or (n,), optional
            Probabilities in class order, or of the second of two classes.
        classes : array-like, optional
            All classes; without it those that occur.
        features : data frame, optional
            What else is known of the cases.
        name : str
            What the model is called.

        Examples
        --------
        >>> import fivefold as ff
        >>> ff.Predictions.from_answers(["a", "b", "b"], ["a", None, {"a", "b"}], name="cautious")
        Predictions 'cautious': 3 cases, 2 classes, sets
        """
        if probabilities is None:
            truth, answers, universe = as_answers(y_true, predicted, classes)
            return cls(name, universe, truth, answers, None, features)
        labels = as_labels(y_true, "y_true")
        stated = as_numbers(probabilities, "probabilities")
        check_length(stated, labels.shape[0], "probabilities")
        columns = stated.shape[1] if stated.ndim == 2 else 2
        universe = (
            given_classes(classes)
            if classes is not None
            else classes_for_columns(labels, columns, "probabilities")
        )
        given = as_array(predicted, "predicted")
        check_length(given, labels.shape[0], "predicted")
        return cls(
            name,
            universe,
            encode_truth(labels, universe),
            encode_answers(given, universe, predicted),
            check_probabilities(stated, universe, probabilities),
            features,
        )

    @classmethod
    def from_probabilities(
        cls,
        y_true: object,
        y_prob: object,
        *,
        classes: object = None,
        features: Any = None,
        name: str = "model",
    ) -> Self:
        """Take probabilities; the answer to each case is its most probable class, the first of equals.

        Parameters
        ----------
        y_true, y_prob, classes
            As in `fivefold.bets.information_reward`.
        features : data frame, optional
            What else is known of the cases.
        name : str
            What the model is called.

        Examples
        --------
        >>> import fivefold as ff
        >>> ff.Predictions.from_probabilities(["a", "b"], [[0.9, 0.1], [0.5, 0.5]])
        Predictions 'model': 2 cases, 2 classes, labels, probabilities
        """
        truth, prob, universe = as_probabilities(y_true, y_prob, classes)
        chosen = prob > 0.5 if prob.ndim == 1 else prob.argmax(axis=1)
        return cls(name, universe, truth, chosen.astype(np.int32), prob, features, answers_given=False)

    @property
    def n_cases(self) -> int:
        """Number of cases."""
        return len(self.truth)

    @property
    def n_classes(self) -> int:
        """Number of classes."""
        return len(self.classes)

    @property
    def y_true(self) -> NDArray[Any]:
        """True classes as labels."""
        labels: NDArray[Any] = self.classes[self.truth]
        return labels

    def sets(self) -> NDArray[np.bool_]:
        """Answers as an (n, k) boolean matrix, whatever their form."""
        if self.answers.ndim == 2:
            return self.answers
        matrix = np.zeros((self.n_cases, self.n_classes), dtype=np.bool_)
        answered = np.flatnonzero(self.answers >= 0)
        matrix[answered, self.answers[answered]] = True
        return matrix

    def __len__(self) -> int:
        return self.n_cases

    def __repr__(self) -> str:
        kinds = "sets" if self.answers.ndim == 2 else "labels"
        stated = ", probabilities" if self.probabilities is not None else ""
        return f"Predictions {self.name!r}: {self.n_cases} cases, {self.n_classes} classes, {kinds}{stated}"
