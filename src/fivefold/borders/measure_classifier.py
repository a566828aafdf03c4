"""The measure-based learner: hill climbing with random rectangles."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from fivefold.borders import terms
from fivefold.borders._lattice_kernels import MOST_BOUNDED, score
from fivefold.borders.boxes import BoxPartition
from fivefold.borders.lattice import Boxes, Ints, State, Triangles
from fivefold.borders.partition import Floats, PlanarPartition
from fivefold.borders.terms import Fit, MeasureWeights, Similarity, Simplicity
from fivefold.borders.window import Window
from fivefold.inputs.frames import default_names
from fivefold.inputs.options import RandomState, amount, as_generator, positive_int, yes_or_no
from fivefold.learners.labels import encode_classes
from fivefold.progress import Step, part, shown
from fivefold.results import brief

# Always drawn so many at a time, so that a longer climb begins like a shorter one.
_BLOCK = 512
# Lengths of sides, where the data lie between 0 and 1: some for details, some for whole regions.
SCALES = (0.08, 0.2, 0.5, 1.2)


@dataclass(frozen=True, eq=False)
class Climb:
    """How a climb went.

    Parameters
    ----------
    values : ndarray
        The measure at the start and after each proposal that was kept.
    at : ndarray of int
        The number of the proposal that each came from; 0 for the start.
    n_proposals : int
        How many were tried.
    """

    values: Floats
    at: NDArray[np.int64]
    n_proposals: int
    __repr__ = brief


@dataclass(kw_only=True, eq=False, repr=False)
class MeasureClassifier(ClassifierMixin, BaseEstimator):
    r"""A classifier that maximises a measure function by hill climbing.

    .. math::

        M = a_0 \frac{|R|}{N} + a_1 \left[ k_1 \frac1N \sum_{i \in R} (1 - 2^{-b d_i})
            - k_2 \frac1N \sum_{i \notin R} (1 - 2^{-b d_i}) \right] - a_2 L,

    the measure of `fivefold.borders.measure`. At first everything has the most frequent class. A random rectangle,
    straight or turned by 45 degrees, is painted with a random class, and stays if M has risen; and so on.

    In the plane the regions are made of the triangles of a lattice, on which both kinds of rectangles are exact,
    and so are L and d. With one feature, or more than two, boxes take the rectangles' place. A box bounds at most
    three features, and there are at most 128 of them; L is then the area of the borders, or in one dimension the
    number of border points.

    Parameters
    ----------
    weights, b, fit_term, similarity, simplicity
        As `weights`, `b`, `fit`, `similarity` and `simplicity` of `fivefold.borders.measure`, whose estimator is
        this learner in the making. Other terms are slower than weights alone: every proposal asks for them.
    resolution : int
        Steps of the lattice along each feature.
    tilted : bool
        Whether half of the rectangles are turned by 45 degrees; only in the plane.
    max_proposals, patience : int
        When to stop: after so many proposals, or so many in a row that were not kept.
    window_margin : float
        How far the window reaches beyond the cases, as a share of their range.
    progress : bool, optional
        Whether to tell on standard error what is being done; by default on a terminal and in a notebook.
    random_state : int, Generator, RandomState or None
        Where the proposals come from.

    Attributes
    ----------
    classes_ : ndarray
        The classes in sorted order.
    measure_ : float
        The measure that was reached on the training cases.
    climb_ : Climb
        The measure after each proposal that was kept, and which these were.
    regions_ : TriangleRegions or BoxRegions
        The regions, in units in which the training cases lie between 0 and 1.
    window_ : Window
        The window, and the scale of these units.
    n_features_in_ : int
        How many features there are.

    References
    ----------
    A. Andersson, P. Davidsson and J. Lindén (1999). Measure-based classifier performance evaluation. Pattern
    Recognition Letters 20, 1165-1173, section 5.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> learner = MeasureClassifier(random_state=0).fit(X[:, 2:], y)
    >>> round(learner.measure_, 2)
    1.29
    >>> learner.predict([[1.4, 0.2], [6.0, 2.2]]).tolist()
    [0, 2]
    """

    weights: MeasureWeights | Mapping[str, float] | None = None
    b: float | None = None
    fit_term: Fit | None = None
    similarity: Similarity | None = None
    simplicity: Simplicity | None = None
    resolution: int = 60
    tilted: bool = True
    max_proposals: int = 20_000
    patience: int = 5_000
    window_margin: float = 0.1
    progress: bool | None = None
    random_state: RandomState = None

    def fit(self, X: Any, y: Any) -> Self:
        """Learn from cases.

        Parameters
        ----------
        X : dataframe or 2-D array-like
            The cases: numbers only, none missing.
        y : array-like
            The class of each case.

        Returns
        -------
        self
        """
        with np.errstate(invalid="ignore"):  # scikit-learn adds infinities up before it refuses them
            values = validate_data(self, X, dtype=np.float64, reset=True)
        self.classes_, classes = encode_classes(y, len(values))
        names = tuple(getattr(self, "feature_names_in_", default_names(self.n_features_in_)))
        self.window_ = _window(values, amount(self.window_margin, "window_margin"), names)
        canvas, draw = self._prepare(self.window_.to_unit(values), classes)
        self.climb_ = self._climb(canvas, draw, classes)
        self.measure_ = float(self.climb_.values[-1])
        self.regions_ = canvas.regions()
        return self

    def predict(self, X: Any) -> NDArray[Any]:
        """Give the class of each case; outside of the window that of its nearest place.

        Parameters
        ----------
        X : dataframe or 2-D array-like
            Cases with the features of fitting time.

        Returns
        -------
        ndarray of shape (n_cases,)
        """
        check_is_fitted(self)
        values = validate_data(self, X, dtype=np.float64, reset=False)
        return self.classes_[self.regions_.answers(self.window_.to_unit(values))]

    def border_partition(self, window: Window) -> PlanarPartition | BoxPartition | None:
        """Give the regions for exact measures; None in a window other than that of the training cases."""
        check_is_fitted(self)
        own = self.window_
        pairs = ((own.low, window.low), (own.high, window.high), (own.scale, window.scale))
        same = all(np.allclose(own_ends, ends, rtol=1e-12, atol=0.0) for own_ends, ends in pairs)
        return self.regions_.partition() if same else None

    def _prepare(self, points: Floats, classes: Ints) -> tuple[Triangles | Boxes, Callable[[int], Ints]]:
        """Set up what is painted on, and where proposals come from."""
        side = positive_int(self.resolution, "resolution", least=2)
        rng, tilted = as_generator(self.random_state), yes_or_no(self.tilted, "tilted")
        n_classes, n_features = self.classes_.size, points.shape[1]
        start = int(np.bincount(classes).argmax())
        canvas: Triangles | Boxes
        if n_features == 2:
            canvas = Triangles(points, classes, n_classes, start, side, self.window_margin)
            draw = partial(draw_rectangles, tilted=tilted)
        else:
            canvas = Boxes(points, classes, start, side, self.window_margin)
            draw = partial(draw_boxes, n_features=n_features)
        return canvas, partial(draw, rng, side=side, step=canvas.step, n_classes=n_classes)

    def _climb(self, canvas: Triangles | Boxes, draw: Callable[[int], Ints], classes: Ints) -> Climb:
        most = positive_int(self.max_proposals, "max_proposals", least=0)
        patience = positive_int(self.patience, "patience")
        b = terms.steepness(self.b, classes.size, self.n_features_in_)
        weights = terms.as_measure_weights(self.weights)
        with shown(self.progress), part("proposal", most) as step:
            if self.fit_term or self.similarity or self.simplicity:
                measure = partial(self._measure_by_terms, weights, b, classes)
                start = measure(canvas.state())
                advance = partial(_climb_by, canvas, measure)
            else:
                chosen = (weights.a0, weights.a1, weights.k1, weights.k2, weights.a2, b)
                constants = np.array(chosen, dtype=np.float64)
                answers, distances, size = canvas.state()
                start = score(answers == classes, distances, size, constants)
                advance = partial(canvas.climb, weights=constants)
            return climb_hill(advance, draw, start, most, patience, step)

    def _measure_by_terms(self, weights: MeasureWeights, b: float, classes: Ints, state: State) -> float:
        fit = self.fit_term or (lambda truth, predicted: float(np.mean(truth == predicted)))
        similarity = self.similarity or terms.margin_similarity
        simplicity = self.simplicity or (lambda model, size: -size)
        answers, distances, size = state
        right = answers == classes
        given = np.asarray(similarity(np.where(right, distances, -distances), b), dtype=np.float64)
        gained, lost = np.where(right, given, 0.0).mean(), -np.where(right, 0.0, given).mean()
        fitted = fit(self.classes_[classes], self.classes_[answers])
        return weights.total(fitted, float(gained), float(lost), float(simplicity(self, size)))


def _window(values: Floats, margin: float, names: tuple[str, ...]) -> Window:
    """Put the window around the cases; a feature in which they do not differ stands at 0.5."""
    least, spread = values.min(axis=0), np.ptp(values, axis=0)
    constant = spread == 0
    scale = np.where(constant, 1.0, spread)
    origin = np.where(constant, least - 0.5, least)
    return Window(origin - margin * scale, origin + (1 + margin) * scale, origin, scale, names)


def climb_hill(
    advance: Callable[[Ints, float], Floats],
    draw: Callable[[int], Ints],
    start: float,
    max_proposals: int,
    patience: int,
    step: Step,
) -> Climb:
    """Draw and try proposals until there have been enough, or too many in a row that were not kept.

    `advance` tries shapes from a value of the measure on, and gives the measures of those kept, NaN for others.
    """
    values, places, done = [start], [0], 0
    shapes = draw(0)
    while done < max_proposals and done - places[-1] < patience:
        if not len(shapes):
            shapes = draw(_BLOCK)
        # No more than patience allows, so that the climb ends where it would one by one.
        number = min(len(shapes), max_proposals - done, patience - (done - places[-1]))
        tried, shapes = advance(shapes[:number], values[-1]), shapes[number:]
        kept = np.flatnonzero(~np.isnan(tried))
        values += tried[kept].tolist()
        places += (done + 1 + kept).tolist()
        done += number
        step.advance(number, f"measure {values[-1]:.4f}")
    return Climb(np.array(values), np.array(places), done)


def _climb_by(
    canvas: Triangles | Boxes, measure: Callable[[State], float], shapes: Ints, value: float
) -> Floats:
    """Climb by any measure, asked for every proposal that changes something."""
    values = np.full(len(shapes), np.nan)
    for index, shape in enumerate(shapes):
        state = canvas.trial(shape)
        reached = -np.inf if state is None else measure(state)
        if reached > value:
            canvas.keep()
            value = values[index] = reached
        else:
            canvas.drop()
    return values


def draw_rectangles(
    rng: np.random.Generator, number: int, side: int, step: float, n_classes: int, tilted: bool
) -> Ints:
    """Draw rectangles for a lattice of triangles: turned by 45 degrees or not, bounds, class."""
    centres = rng.uniform(0, side, (number, 2))
    sides = rng.choice(SCALES, (number, 2)) * rng.random((number, 2)) / step
    turned = rng.random(number) < (0.5 if tilted else 0.0)
    classes = rng.integers(n_classes, size=number)
    # In x + y and x - y lengths grow by the root of 2.
    middle = np.where(turned[:, None], np.stack([centres.sum(1), centres[:, 0] - centres[:, 1]], 1), centres)
    half = np.where(turned[:, None], np.sqrt(2.0), 1.0) * sides / 2
    low, high = _bounds(middle, half)
    low, high = (np.where(turned[:, None], ends, np.clip(ends, 0, side)) for ends in (low, high))
    columns = [turned, low[:, 0], high[:, 0], low[:, 1], high[:, 1], classes]
    return np.stack(columns, axis=1).astype(np.int32)


def draw_boxes(
    rng: np.random.Generator, number: int, side: int, step: float, n_features: int, n_classes: int
) -> Ints:
    """Draw boxes: lower bounds, upper bounds, class.

    A box bounds at most three features, drawn at random, and leaves the others free: one that bounded many would
    hold no case.
    """
    shape = (number, n_features)
    sides = rng.choice(SCALES, shape) * rng.random(shape) / step
    low, high = _bounds(rng.uniform(0, side, shape), sides / 2)
    most = min(n_features, MOST_BOUNDED)
    ranks = rng.random(shape).argsort(axis=1).argsort(axis=1)
    bounded = ranks < rng.integers(1, most + 1, size=(number, 1))
    low = np.where(bounded, np.clip(low, 0, side), 0)
    high = np.where(bounded, np.clip(high, 0, side), side)
    classes = rng.integers(n_classes, size=(number, 1))
    return np.concatenate([low, high, classes], axis=1).astype(np.int32)


def _bounds(middle: Floats, half: Floats) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Round bounds to the lattice; every side is one step at least."""
    low = np.rint(middle - half).astype(np.int64)
    return low, np.maximum(np.rint(middle + half).astype(np.int64), low + 1)
