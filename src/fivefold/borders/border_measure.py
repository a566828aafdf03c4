"""The measure: fit, distance from borders and simplicity of a classifier in one number, and as a scorer."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fivefold.borders import terms
from fivefold.borders.approximate import Options
from fivefold.borders.partition import BorderSize, Codes, Floats, Partition
from fivefold.borders.planes import find_voters
from fivefold.borders.sizes import choose_partition
from fivefold.borders.terms import Fit, MeasureWeights, Similarity, Simplicity
from fivefold.borders.window import CodedPredictor, Points, Window, as_window, read_points, window_of
from fivefold.errors import InputError, InputTypeError, show
from fivefold.inputs.frames import check_length
from fivefold.inputs.labels import as_labels, distinct, read_labels, refuse_missing
from fivefold.inputs.options import as_weights, yes_or_no
from fivefold.results import HIGHER, Result, mean_of


@dataclass(frozen=True, eq=False)
class BorderMeasure(
    Result, title="Measure", unit="weighted sum of fit, similarity and simplicity", direction=HIGHER
):
    """The measure of a classifier, its terms, and where each case stands.

    Parameters
    ----------
    fit : float
        The share of cases that are right.
    similarity_right, similarity_wrong : float
        How far right cases are from the next border, and wrong ones from a region of their own class: sums over
        all cases divided by their number, both from 0 to 1.
    border_size, value : float
        The size of all borders inside the window, in units of the scale; the measure.
    distances : ndarray of shape (n,)
        Signed distances, below zero for wrong cases; infinite if there is no such border.
    contributions : ndarray of shape (n,)
        What each case gives to similarity.
    truth, predicted, right : ndarray of shape (n,)
        The classes, the answers, and which cases count as right.
    size : BorderSize
        The size again, with how it was found and how wrong it may be.
    distance_method : str
        ``"exact"``, ``"adaptive grid"`` or ``"upper bounds"``.
    b, weights, window, window_margin
        What `measure` was asked for, or took by default; no margin if the window was given.
    """

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
    estimator: Any,
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
    estimator : fitted classifier
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
        ``simplicity(estimator, border_size) -> float`` instead of the negative size.
    sample_weight : array-like, optional
        How often each case counts.
    **finding
        How borders are found: the parameters of `Options`, such as ``method``, ``ties`` and ``random_state``.

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
    cases = _case_distances(estimator, X, y, window, reference, window_margin, normalise, finding)
    weighing = terms.as_measure_weights(weights)
    share = as_weights(sample_weight, cases.right.size)
    steep = terms.steepness(b, cases.n_reference, cases.window.n_columns)
    contributions = _contributions(similarity or terms.margin_similarity, cases.distances, steep)
    size = cases.partition.size()
    if fit is None:
        fitted = mean_of(cases.right.astype(np.float64), share)
    else:
        fitted = float(fit(cases.truth, cases.predicted))
    right = mean_of(np.where(cases.right, contributions, 0.0), share)
    wrong = mean_of(np.where(cases.right, 0.0, -contributions), share)
    simple = -size.value if simplicity is None else float(simplicity(estimator, size.value))
    return BorderMeasure(
        fit=fitted,
        similarity_right=right,
        similarity_wrong=wrong,
        border_size=size.value,
        value=weighing.total(fitted, right, wrong, simple),
        distances=cases.distances,
        contributions=contributions,
        truth=cases.truth,
        predicted=cases.predicted,
        right=cases.right,
        size=size,
        distance_method=cases.partition.distance_method,
        b=steep,
        weights=weighing,
        window=cases.window,
        window_margin=None if window is not None else float(window_margin),
    )


def border_distance(
    estimator: Any,
    X: Any,
    y: Any,
    *,
    window_margin: float = 0.1,
    window: Any = None,
    reference: Any = None,
    normalise: bool = True,
    **finding: Any,
) -> NDArray[np.float64]:
    """Give the signed distance of each case from the borders of a model.

    Above zero: the case is right, and this is how far the nearest border is. Below zero: it is wrong, and this is
    how far the nearest region of its own class is. Infinite where there is none inside the window.

    Parameters
    ----------
    estimator, X, y, window_margin, window, reference, normalise, **finding
        As in `measure`.

    Examples
    --------
    >>> import fivefold as ff
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> stump = DecisionTreeClassifier().fit([[0.0], [10.0]], ["low", "high"])
    >>> ff.borders.border_distance(stump, [[0.0], [4.0], [10.0]], ["low", "high", "high"]).round(3).tolist()
    [0.5, -0.1, 0.5]
    """
    cases = _case_distances(estimator, X, y, window, reference, window_margin, normalise, finding)
    return cases.distances


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


class MeasureScorer:
    """A scorer for scikit-learn: ``scorer(estimator, X, y) -> float``; see `measure_scorer`."""

    def __init__(self, **options: Any) -> None:
        self.options = options

    def __call__(self, estimator: Any, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Give the measure of a fitted model on some cases."""
        return measure(estimator, X, y, sample_weight=sample_weight, **self.options).value

    def __repr__(self) -> str:
        return f"MeasureScorer({', '.join(self.options)})"


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


@dataclass(frozen=True, eq=False)
class _CaseDistances:
    """A model's regions and where the cases stand in them: signed distances, below zero for wrong cases."""

    window: Window
    partition: Partition
    n_reference: int
    truth: NDArray[Any]
    predicted: NDArray[Any]
    right: NDArray[np.bool_]
    distances: Floats


def _case_distances(
    estimator: Any, X: Any, y: Any, window: Any, reference: Any, margin: float, normalise: bool, finding: Any
) -> _CaseDistances:
    """Read the cases, describe the model's regions, and measure how far each case is from the next border."""
    options = Options.read(finding)
    yes_or_no(normalise, "normalise")
    cases = read_points(X)
    truth = as_labels(y, "y")
    check_length(truth, cases.values.shape[0], "y")
    labels = read_labels(truth, "y")
    distinct(labels, "y")
    refuse_missing(labels.codes, "y")
    around = cases if reference is None else read_points(reference)
    frame = _window(cases, around, window, margin, normalise)
    predictor = CodedPredictor(estimator, frame, cases)
    own = _own_classes(predictor, truth)
    U = frame.to_unit(cases.values)
    partition = choose_partition(predictor, options, U)
    voters = find_voters(predictor, options.ties, options.duplicates)
    # in the columns' own units: a case on a cut must not be moved across it by rounding
    answers = predictor.predict(cases.values) if voters is None else voters.answers(U)
    right = answers == own
    if options.duplicates == "paper":
        right = _right_somewhere(cases.values, right)
    wanted = np.where(right, -1, own).astype(np.int32)
    distance = partition.distances(U, answers, wanted)
    return _CaseDistances(
        window=frame,
        partition=partition,
        n_reference=around.values.shape[0],
        truth=truth,
        predicted=_label_array(predictor.classes)[answers],
        right=right,
        distances=np.where(right, distance, -distance),
    )


def _window(cases: Points, reference: Points, window: Any, margin: float, normalise: bool) -> Window:
    if reference.values.shape[1] != cases.values.shape[1]:
        raise InputError(
            f"{cases.values.shape[1]} columns of reference, as in X", f"{reference.values.shape[1]}"
        )
    if window is None:
        return window_of(cases, reference, margin, normalise)
    given = as_window(window)
    if given.n_columns != cases.values.shape[1]:
        raise InputError(
            f"cases with the {given.n_columns} columns of the window", f"{cases.values.shape[1]}"
        )
    outside = ((cases.values < given.low) | (cases.values > given.high)).any(axis=1)
    if outside.any():
        row = int(np.flatnonzero(outside)[0])
        raise InputError(
            f"all cases inside the window ({given})",
            f"{cases.values[row].tolist()} in row {row}",
            "only borders inside the window count; choose a larger one",
        )
    return given


def _own_classes(predictor: CodedPredictor, truth: NDArray[Any]) -> Codes:
    """Number the true classes; that they are all unknown to the model is a matter of coding, as a rule."""
    known = len(predictor.classes)
    own = predictor.encode(truth)
    if known and (own >= known).all():
        raise InputError(
            f"y to hold classes of the model, {show(predictor.classes[:known])}",
            show(predictor.classes[known:]),
            "write the classes as they were when the model was fitted",
        )
    return own


def _right_somewhere(places: Floats, right: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Count a case as right if a case at the same place is."""
    _, group = np.unique(places, axis=0, return_inverse=True)
    hits = np.bincount(group.reshape(-1), weights=right)
    return np.asarray(hits[group.reshape(-1)] > 0)


def _label_array(labels: list[Any]) -> NDArray[Any]:
    if len({type(label) for label in labels}) == 1:
        return np.asarray(labels)
    array = np.empty(len(labels), dtype=object)
    array[:] = labels
    return array


def _contributions(similarity: Similarity, distances: Floats, b: float) -> Floats:
    if not callable(similarity):
        raise InputTypeError(
            "similarity to be a function", f"{show(similarity)} ({type(similarity).__name__})"
        )
    given = np.asarray(similarity(distances, b), dtype=np.float64)
    if given.shape != distances.shape:
        raise InputError(
            f"similarity to give one number for each of the {distances.size} cases",
            f"an array of shape {given.shape}",
        )
    return given
