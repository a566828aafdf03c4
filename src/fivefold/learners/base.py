"""What all learners share.

Reading cases and classes, checking parameters, answering, and describing themselves.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from html import escape
from typing import Any, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import NotFittedError
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted, validate_data

from fivefold.data.conditions import Rule
from fivefold.inputs.columns import CategoricalFeatures, Column, read_columns
from fivefold.inputs.options import as_weights, one_of
from fivefold.learners.labels import encode_classes
from fivefold.plain_text import visible

Columns: TypeAlias = Sequence[Column]
Ints: TypeAlias = NDArray[np.int32]
Floats: TypeAlias = NDArray[np.float64]
Weights: TypeAlias = NDArray[np.float64] | None  # None for one for each case


class Learner(ClassifierMixin, BaseEstimator, ABC):
    """A classifier of cases with nominal and numeric attributes, some of which may be missing.

    A subclass has a parameter ``categorical_features``, learns in `_learn`, and answers in `_probabilities`.

    Attributes
    ----------
    classes_ : ndarray
        The classes in sorted order.
    columns_ : tuple of Column
        The attributes as they were read, without their values.
    n_features_in_ : int
        How many attributes there are.
    feature_names_in_ : ndarray of str
        Their names; only where the cases came with names.
    """

    categorical_features: CategoricalFeatures
    classes_: NDArray[Any]
    columns_: tuple[Column, ...]
    _poor_score = False  # whether it may fail to learn what scikit-learn's checks ask of a classifier

    def fit(self, X: Any, y: Any) -> Self:
        """Learn from cases.

        Parameters
        ----------
        X : dataframe or 2-D array-like
            The cases. Nominal columns are taken as they are; None and NaN are missing.
        y : array-like
            The class of each case.

        Returns
        -------
        self
        """
        return self._fit(X, y, None)

    def _fit(self, X: Any, y: Any, sample_weight: Any) -> Self:
        columns = read_columns(X, categorical_features=self.categorical_features)
        self._note_names(X, reset=True)
        self.classes_, classes = encode_classes(y, len(columns[0]))
        self.columns_ = tuple(column.schema() for column in columns)
        weights = as_weights(sample_weight, classes.size)
        if weights is not None and not weights.all():
            # A case of weight zero is a case that is not there.
            kept = weights > 0
            columns = tuple(Column(c.name, c.kind, c.values[kept], c.categories) for c in columns)
            classes, weights = classes[kept], weights[kept]
        self._learn(columns, classes, weights)
        return self

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Give the probability of each class.

        Parameters
        ----------
        X : dataframe or 2-D array-like
            Cases with the attributes of fitting time. A category that was not there then counts as missing.

        Returns
        -------
        ndarray of shape (n_cases, n_classes)
            In the order of `classes_`.
        """
        return self._probabilities(self._read(X))

    def predict(self, X: Any) -> NDArray[Any]:
        """Give one class for each case: the most probable one, the first in `classes_` among equals.

        Parameters
        ----------
        X : dataframe or 2-D array-like
            Cases with the attributes of fitting time.

        Returns
        -------
        ndarray of shape (n_cases,)
        """
        choices = self._choices(self._read(X))
        return self.classes_[choices]

    def predict_sets(self, X: Any, *, missing_test: str = "follow") -> NDArray[np.bool_]:
        """Give the set of classes that the model answers with: one, several or none.

        Parameters
        ----------
        X : dataframe or 2-D array-like
            Cases with the attributes of fitting time.
        missing_test : {"follow", "fails"}
            What becomes of a test on a missing value. ``"follow"``: what `predict` makes of it. ``"fails"``: the
            test fails, and the case may stay without an answer.

        Returns
        -------
        ndarray of bool of shape (n_cases, n_classes)
            In the order of `classes_`.
        """
        fails = one_of(missing_test, ("follow", "fails"), "missing_test") == "fails"
        return self._sets(self._read(X), fails)

    @abstractmethod
    def to_text(self) -> str:
        """Write the fitted model in words."""

    @abstractmethod
    def rules(self) -> list[Rule]:
        """Give the fitted model as rules, whose terms can be applied to other tables."""

    @abstractmethod
    def theory(self) -> Any:
        """Describe what the fitted model says, in a form whose length in bits is defined; None without one."""

    def __str__(self) -> str:
        try:
            return visible(self.to_text())
        except NotFittedError:
            return repr(self)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        tags.classifier_tags.poor_score = self._poor_score
        return tags

    def _html_repr(self) -> str:
        page: str = super()._html_repr()
        try:
            text = self.to_text()
        except NotFittedError:
            return page
        return f"{page}<details><summary>What it has learnt</summary><pre>{escape(visible(text))}</pre></details>"

    def _read(self, X: Any) -> tuple[Column, ...]:
        check_is_fitted(self)
        if getattr(X, "ndim", 2) == 2 and not isinstance(X, str | bytes | dict | set):
            self._note_names(X, reset=False)
        return read_columns(X, like=self.columns_)

    def _note_names(self, X: Any, reset: bool) -> None:
        """Keep the number and the names of the columns, or compare with those that were kept."""
        if type(X) is np.ndarray and not hasattr(self, "feature_names_in_"):
            # an array has no names; scikit-learn looks for them at the length of a small fit
            if reset:
                self.n_features_in_ = X.shape[1]
            if X.shape[1] == self.n_features_in_:
                return
        validate_data(self, X, skip_check_array=True, reset=reset)

    def _choices(self, columns: Columns) -> NDArray[np.intp]:
        return np.asarray(np.argmax(self._probabilities(columns), axis=1))

    def _sets(self, columns: Columns, missing_fails: bool) -> NDArray[np.bool_]:
        """Answer with sets; by default with the one class of `predict`, as a test fails nowhere else."""
        return self._single(self._choices(columns))

    def _single(self, choices: NDArray[Any]) -> NDArray[np.bool_]:
        """Give sets of one class each, or of none where the choice is -1."""
        return np.asarray(choices[:, np.newaxis] == np.arange(self.classes_.size))

    @abstractmethod
    def _learn(self, columns: Columns, classes: Ints, weights: Weights) -> None:
        """Learn from read cases."""

    @abstractmethod
    def _probabilities(self, columns: Columns) -> Floats:
        """Give the class probabilities of read cases."""


class WeightedLearner(Learner):
    """A learner whose counts may be real numbers, so that cases may have weights."""

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn from cases, some of which may count more than others.

        Parameters
        ----------
        X, y : dataframe or 2-D array-like, array-like
            The cases and their classes. Nominal columns are taken as they are; None and NaN are missing.
        sample_weight : array-like, optional
            How often each case counts; one by default.

        Returns
        -------
        self
        """
        return self._fit(X, y, sample_weight)


def stack_values(columns: Columns) -> Floats:
    """Give the values of all cases, one row an attribute: numbers, and the codes of categories; NaN is missing."""
    values = np.array([column.values for column in columns], dtype=np.float64)
    for row, column in zip(values, columns, strict=True):
        if column.categories is not None:
            row[row == -1] = np.nan
    return values


def ranks_of(columns: Columns) -> tuple[Ints, tuple[Floats, ...]]:
    """Give the place of each value in its column, -1 for missing, and the different numbers of each column."""
    codes = np.empty((len(columns), len(columns[0])), dtype=np.int32)
    distinct = []
    for own, column in zip(codes, columns, strict=True):
        known, numbers = ~column.missing, np.empty(0)
        own[:] = column.values if column.categories is not None else -1
        if column.categories is None:
            numbers, own[known] = np.unique(column.values[known], return_inverse=True)
        distinct.append(numbers)
    return codes, tuple(distinct)


def sizes_of(columns: Columns) -> NDArray[np.int64]:
    """Give the number of categories of each column, -1 for a numeric one."""
    return np.array([-1 if c.categories is None else len(c.categories) for c in columns], dtype=np.int64)


def cases_and_errors(covered: float, correct: float) -> str:
    """Write how many cases there are, and how many errors among them, if more than rounding makes of weights."""
    errors = covered - correct
    return f"{covered:.6g}/{errors:.6g}" if errors > 1e-8 * covered else f"{covered:.6g}"


class Absent:
    """A method that is not there: ``hasattr`` says so, and calling it gives the reason.

    Examples
    --------
    >>> class Picture:
    ...     to_text = Absent("a picture has no words")
    >>> hasattr(Picture(), "to_text")
    False
    """

    def __init__(self, reason: str) -> None:
        self.reason = reason

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def __get__(self, instance: object, owner: type) -> Any:
        if instance is None:
            return self  # the class shows the reason, as documentation wants it
        raise AttributeError(f"{owner.__name__} has no {self.name}(): {self.reason}")
