"""The measure as a scorer, to choose among models by it, alone or on cases held out."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fivefold.borders.measuring import measure


class MeasureScorer:
    """A scorer for scikit-learn: ``scorer(model, X, y) -> float``; see `measure_scorer`."""

    def __init__(self, **options: Any) -> None:
        self.options = options

    def __call__(self, model: Any, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Give the measure of a fitted model on some cases."""
        return measure(model, X, y, sample_weight=sample_weight, **self.options).value

    def __repr__(self) -> str:
        named = ", ".join(name for name in self.options)
        return f"MeasureScorer({named})"


def measure_scorer(**options: Any) -> MeasureScorer:
    """Make a scorer of the measure, for ``GridSearchCV``, ``cross_validate`` and the like.

    With ``cv=TrainingSet()`` models are chosen by the measure alone, on the cases that they were fitted on, as in
    the paper. With folds, fit and distances are those of cases held out while the borders are the model's: the
    measure and cross-validation combined. Then pass ``reference=X``, so that all folds have one scale and window.

    Parameters
    ----------
    **options
        Those of `measure`.

    Examples
    --------
    >>> import fivefold as ff
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.model_selection import GridSearchCV
    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> alone = GridSearchCV(
    ...     KNeighborsClassifier(), {"n_neighbors": [1, 10, 50]}, cv=ff.borders.TrainingSet(),
    ...     scoring=ff.borders.measure_scorer(),
    ... ).fit(X[:, 2:], y)
    >>> alone.best_params_
    {'n_neighbors': 10}
    """
    return MeasureScorer(**options)


class TrainingSet:
    """A splitter with one split, whose training cases and test cases are all cases.

    Examples
    --------
    >>> [(train.tolist(), test.tolist()) for train, test in TrainingSet().split([[0], [1]])]
    [([0, 1], [0, 1])]
    """

    def split(
        self, X: Any, y: Any = None, groups: Any = None
    ) -> Iterator[tuple[NDArray[np.intp], NDArray[np.intp]]]:
        """Give all cases twice."""
        rows = np.arange(X.shape[0] if hasattr(X, "shape") else len(X))
        yield rows, rows

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """There is one split."""
        return 1

    def __repr__(self) -> str:
        return "TrainingSet()"
