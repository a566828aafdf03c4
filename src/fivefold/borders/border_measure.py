"""The measure: fit, distance from borders and simplicity of a classifier in one number, and as a scorer."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from fivefold.borders.partition import BorderSize
from fivefold.borders.sizes import CaseDistances, Options, case_distances
from fivefold.borders.terms import (
    Fit,
    MeasureWeights,
    Similarity,
    Simplicity,
    as_measure_weights,
    as_steepness,
    margin_similarity,
)
from fivefold.borders.window import Window
from fivefold.errors import InputError
from fivefold.inputs.options import as_weights
from fivefold.results import Direction, Result, mean_of

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class BorderMeasure(Result):
    """The measure of a classifier, its terms, and where each case stands.

    Parameters
    ----------
    fit : float
        The share of cases that are right.
    similarity_right, similarity_wrong : float
        How far right cases are from the next border, and wrong ones from a region of their own class: sums over
        all cases divided by their number, both from 0 to 1.
    border_size : float
        The size of all borders inside the window, in units of the scale.
    value : float
        The measure.
    distances : ndarray of shape (n,)
        Signed distances, below zero for wrong cases; infinite if there is no such border.
    contributions : ndarray of shape (n,)
        What each case gives to similarity.
    truth, predicted : ndarray of shape (n,)
        The classes and the answers.
    right : ndarray of bool of shape (n,)
        Which cases count as right.
    size : BorderSize
        The size again, with how it was found and how wrong it may be.
    distance_method : str
        ``"exact"``, ``"adaptive grid"`` or ``"upper bounds"``.
    b : float
        How steep similarity is.
    weights : MeasureWeights
        What the terms weigh.
    window : Window
        The window with its normalisation.
    window_margin : float or None
        How far it goes beyond the cases; None if the window was given.
    """

    title: ClassVar[str] = "Measure"
    unit: ClassVar[str] = "weighted sum of fit, similarity and simplicity"
    direction: ClassVar[Direction] = "higher is better"

    fit: float
    similarity_right: float
    similarity_wrong: float
    border_size: float
    value: float
    distances: Floats = field(repr=False)
    contributions: Floats = field(repr=False)
    truth: NDArray[Any] = field(repr=False)
    predicted: NDArray[Any] = field(repr=False)
    right: NDArray[np.bool_] = field(repr=False)
    size: BorderSize
    distance_method: str
    b: float
    weights: MeasureWeights
    window: Window = field(repr=False)
    window_margin: float | None

    @property
    def method(self) -> str:
        """How the size of the borders was found."""
        return self.size.method

    @property
    def error(self) -> float:
        """How wrong the size may be: zero, the difference of two resolutions, or a standard error."""
        return self.size.error

    @property
    def sections(self) -> float:
        """The size as a number of plain cross-sections of the window, which compares across dimensions."""
        return self.border_size / self.window.section

    def columns(self) -> Mapping[str, Any]:
        """Give one row for each case."""
        return {
            "truth": self.truth,
            "predicted": self.predicted,
            "right": self.right,
            "distance": self.distances,
            "contribution": self.contributions,
        }

    def __str__(self) -> str:
        return (
            f"measure {self.value:.3f}: fit {self.fit:.3f}, similarity {self.similarity_right:.3f} right and "
            f"{self.similarity_wrong:.3f} wrong (distances {self.distance_method}), borders {self.size}"
        )


def measure(
    model: Any,
    X: Any,
    y: Any,
    *,
    weights: MeasureWeights | Mapping[str, float] | None = None,
    window_margin: float = 0.1,
    window: Any = None,
    reference: Any = None,
    normalise: bool = True,
    b: float | None = None,
    fit: Fit | None = None,
    similarity: Similarity | None = None,
    simplicity: Simplicity | None = None,
    sample_weight: Any = None,
    **finding: Any,
) -> BorderMeasure:
    r"""Judge a classifier by its fit, by the distance of cases from its borders, and by their size.

    .. math::

        M = a_0 \frac{|R|}{N} + a_1 \Bigl[ \frac{k_1}{N} \sum_{i \in R} (1 - 2^{-b d_i})
            - \frac{k_2}{N} \sum_{i \notin R} (1 - 2^{-b |d_i|}) \Bigr] - a_2 L

    :math:`R` are the right cases. :math:`d_i` is the distance of a right case to the nearest border, and of a
    wrong case to the nearest region of its own class; :math:`L` is the size of all borders inside the window.
    Columns are measured in units of their range.

    Parameters
    ----------
    model : fitted classifier
        Anything with ``predict``, fitted on the columns of `X` in their own units.
    X : dataframe or 2-D array-like
        The cases; numeric columns without missing values. The paper takes those that the model was fitted on.
    y : array-like
        Their classes.
    weights : MeasureWeights or mapping, optional
        Some of ``a0, a1, a2, k1, k2``; by default the paper's 1, 1, 0.025, 0.5, 0.5.
    window_margin : float
        How far the window goes beyond the cases, as a share of their range.
    window : Window or sequence of (low, high), optional
        A window with its scale, instead of one around the cases; pairs are measured in the columns' own units.
    reference : dataframe or 2-D array-like, optional
        Cases that give the scale, the window and N in the steepness instead of `X`, so that different folds are
        measured alike. The window grows if cases of `X` lie outside it.
    normalise : bool
        Whether a column's unit is its range, or its own unit.
    b : float, optional
        How steep similarity is; :math:`N^{1/d}` by default, the inverse distance of N cases on a grid.
    fit : callable, optional
        ``fit(truth, predicted) -> float`` instead of the share of right cases.
    similarity : callable, optional
        ``similarity(signed_distances, b) -> array`` of what each case gives, instead of
        :math:`\pm(1 - 2^{-b|d|})`.
    simplicity : callable, optional
        ``simplicity(model, border_size) -> float`` instead of the negative size.
    sample_weight : array-like, optional
        How often each case counts.
    **finding
        How borders are found: ``method``, ``ties``, ``duplicates``, ``resolution``, ``n_lines``, ``n_directions``,
        ``max_cells``, ``random_state``, as in `Options`.

    Returns
    -------
    BorderMeasure

    Notes
    -----
    The paper prints :math:`1/2^{b d_i} - 1` for wrong cases, which is unbounded for their negative distances; the
    numbers that it prints are those of the formula above.

    References
    ----------
    A. Andersson, P. Davidsson and J. Lindén (1999). Measure-based classifier performance evaluation. Pattern
    Recognition Letters 20, 1165-1173.

    Examples
    --------
    >>> import fivefold as ff
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> petals = (X[:, 2:] - X[:, 2:].min(axis=0)) / (X[:, 2:].max(axis=0) - X[:, 2:].min(axis=0))
    >>> model = KNeighborsClassifier(10).fit(petals, y)
    >>> print(ff.borders.measure(model, petals, y, ties="highest"))
    measure 1.265: fit 0.967, similarity 0.739 right and 0.008 wrong (distances exact),
    borders 2.694 (exact, by bisectors)
    """
    looked = case_distances(
        model,
        X,
        y,
        options=Options(**finding),
        window=window,
        reference=reference,
        window_margin=window_margin,
        normalise=normalise,
    )
    weigh = as_measure_weights(weights)
    share = as_weights(sample_weight, looked.right.size)
    steepness = _steepness(b, looked)
    given = _contributions(similarity or margin_similarity, looked, steepness)
    size = looked.partition.size()
    if fit is None:
        fitted = mean_of(looked.right.astype(np.float64), share)
    else:
        fitted = float(fit(looked.truth, looked.predicted))
    right = mean_of(np.where(looked.right, given, 0.0), share)
    wrong = mean_of(np.where(looked.right, 0.0, -given), share)
    simple = -size.value if simplicity is None else float(simplicity(model, size.value))
    return BorderMeasure(
        fit=fitted,
        similarity_right=right,
        similarity_wrong=wrong,
        border_size=size.value,
        value=weigh.total(fitted, right, wrong, simple),
        distances=looked.distances,
        contributions=given,
        truth=looked.truth,
        predicted=looked.predicted,
        right=looked.right,
        size=size,
        distance_method=looked.partition.distance_method,
        b=steepness,
        weights=weigh,
        window=looked.window,
        window_margin=None if window is not None else float(window_margin),
    )


def _steepness(b: float | None, looked: CaseDistances) -> float:
    if b is None:
        return float(looked.n_reference ** (1 / looked.window.n_columns))
    return as_steepness(b)


def _contributions(similarity: Similarity, looked: CaseDistances, b: float) -> Floats:
    given = np.asarray(similarity(looked.distances, b), dtype=np.float64)
    if given.shape != looked.distances.shape:
        raise InputError(
            f"similarity to give one number for each of the {looked.distances.size} cases",
            f"an array of shape {given.shape}",
        )
    return given


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
