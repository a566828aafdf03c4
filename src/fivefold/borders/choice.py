"""Choice of a model by the measure of its borders and by cross-validation, side by side."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from fivefold.borders.border_measure import measure
from fivefold.errors import InputTypeError, show
from fivefold.inputs.options import RandomState, as_generator, one_of, positive_int
from fivefold.results import Direction, Result
from fivefold.training.fit_predict import (
    check_fits_and_predicts,
    fit,
    fit_and_ask,
    label_positions,
    read_labelled_table,
    refit_seeds,
)
from fivefold.training.splits import FoldSplits, check_folds, deal

BY = ("cv", "measure")


@dataclass(frozen=True, eq=False)
class Choice(Result):
    """Models beside each other by the measure of their borders and by cross-validation.

    Parameters
    ----------
    names : tuple of str
        The models, in the order given.
    measures : ndarray
        The measure of each, fitted to all cases and measured on them.
    errors : ndarray
        The share of cases that each gets wrong in cross-validation, on the same folds.
    by : {"cv", "measure"}
        Which of them decides.
    estimator : fitted classifier
        The chosen model, fitted to all cases.
    """

    title: ClassVar[str] = "Choice of a model"
    unit: ClassVar[str] = "share of cases"
    direction: ClassVar[Direction] = "lower is better"

    names: tuple[str, ...]
    measures: NDArray[np.float64]
    errors: NDArray[np.float64]
    by: str
    estimator: Any

    @property
    def by_measure(self) -> str:
        """The model of the highest measure."""
        return self.names[int(np.lexsort((self.errors, -self.measures))[0])]

    @property
    def by_cv(self) -> str:
        """The model of the least cross-validated error; of several, that of the highest measure."""
        return self.names[int(np.lexsort((-self.measures, self.errors))[0])]

    @property
    def best(self) -> str:
        """The chosen model."""
        return self.by_cv if self.by == "cv" else self.by_measure

    def columns(self) -> Mapping[str, Any]:
        """Give one row for each model."""
        return {"model": list(self.names), "measure": self.measures, "cv_error": self.errors}

    def __str__(self) -> str:
        if self.by_cv == self.by_measure:
            return f"{self.best}, by both: {self._judged(self.best)}"
        return (
            f"{self.by_cv} by cross-validation ({self._judged(self.by_cv)}), {self.by_measure} by the measure "
            f"({self._judged(self.by_measure)})"
        )

    def _judged(self, name: str) -> str:
        place = self.names.index(name)
        return f"cross-validated error {self.errors[place]:.1%}, measure {self.measures[place]:.3f}"


def choose(
    estimators: Mapping[str, Any],
    X: Any,
    y: Any,
    *,
    by: str = "cv",
    n_splits: int = 10,
    n_jobs: int | None = None,
    random_state: RandomState = 0,
    **options: Any,
) -> Choice:
    """Choose among models by cross-validation, with the measure of their borders beside it.

    Which model errs least on new cases cross-validation tells better: the measure, which sees the training cases
    only, forgives one neighbour that knows them by heart. It tells what cross-validation does not, the shape of
    what was learnt, and decides where errors are equal.

    Parameters
    ----------
    estimators : mapping of name to classifier
        The candidates; clones are fitted.
    X : dataframe or 2-D array-like
        The cases: numeric columns without missing values.
    y : array-like
        Their classes.
    by : {"cv", "measure"}
        What decides: the error in cross-validation, or the measure alone, as in the paper.
    n_splits : int
        Folds, dealt class by class; the same for all models.
    n_jobs : int, optional
        How many fits run at the same time, as in joblib.
    random_state : int, Generator or None
        The source of the folds.
    **options
        Those of `measure`.

    Examples
    --------
    >>> import fivefold as ff
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> neighbours = {f"k={k}": KNeighborsClassifier(k) for k in (1, 10, 50)}
    >>> print(ff.borders.choose(neighbours, X[:, 2:], y))
    k=10, by both: cross-validated error 4.0%, measure 1.256
    """
    one_of(by, BY, "by")
    if not isinstance(estimators, Mapping) or not estimators:
        raise InputTypeError(
            "estimators to map names to classifiers", show(estimators), "{'k=1': model, ...}"
        )
    for name, estimator in estimators.items():
        check_fits_and_predicts(estimator, str(name))
    table = read_labelled_table(X, y)
    check_folds(positive_int(n_splits, "n_splits", least=2), len(table))
    rng = as_generator(random_state)
    folds = deal(rng.permutation(len(table)), n_splits, table.codes)
    splits = FoldSplits(folds, [(fold,) for fold in range(n_splits)])
    errors, measures, fitted = [], [], []
    for estimator in estimators.values():
        seeds = refit_seeds(estimator, n_splits + 1, rng)
        asked = fit_and_ask(
            estimator, table, splits, label_positions(estimator, table), seeds[:-1], n_jobs=n_jobs
        )
        wrong = sum(
            int(np.sum(codes != table.codes[splits.test(place)])) for place, codes in enumerate(asked)
        )
        errors.append(wrong / len(table))
        fitted.append(fit(estimator, table, np.arange(len(table)), seeds[-1]))
        measures.append(measure(fitted[-1], X, y, **options).value)
    names = tuple(map(str, estimators))
    choice = Choice(names, np.array(measures), np.array(errors), by, None)
    return Choice(names, choice.measures, choice.errors, by, fitted[names.index(choice.best)])
