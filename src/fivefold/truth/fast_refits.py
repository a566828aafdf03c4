"""Learners for which many refits can be had at once: the same answers, found faster.

A fast path is a function that takes the learner and the cases and gives None where it does not apply, or a
function from training sets and a range of them to the answers after each: the classes of the asked rows, or None
for a training set on which the fast computation cannot be sure to agree with the learner to the last case. Those
sets are left to the learner itself.
"""

from __future__ import annotations

import numbers
from collections.abc import Callable
from functools import cache
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from fivefold.inputs.columns import Column, read_columns
from fivefold.learners.bayes.evidence import TIE
from fivefold.learners.bayes.naive_bayes import NaiveBayes
from fivefold.learners.foil.concepts import learn_concepts
from fivefold.learners.foil.estimator import Foil
from fivefold.training.labelled_table import Codes, LabelledTable
from fivefold.training.splits import TrainingSets
from fivefold.truth._kernels import GIVEN, LARGEST, SEEN, UNSURE, classify_categories, classify_numbers, vote

Answerer: TypeAlias = Callable[[TrainingSets, range], list[Codes | None]]
FastPath: TypeAlias = Callable[[Any, LabelledTable], Answerer | None]


def fast_path(learner: Any, cases: LabelledTable) -> Answerer | None:
    """Give the fast way for this learner on these cases; None if there is none.

    Only the very type counts: a subclass may have changed anything.
    """
    path = registry().get(type(learner))
    quick = None if path is None else path(learner, cases)
    if quick is None:
        return None

    def answer(sets: TrainingSets, places: range) -> list[Codes | None]:
        found = quick(sets, places)
        return [_constant(cases, sets, place, one) for place, one in zip(places, found, strict=True)]

    return answer


def _constant(cases: LabelledTable, sets: TrainingSets, place: int, found: Codes | None) -> Codes | None:
    """Answer with the only class of a training set that has one."""
    rows = sets.train(place)
    if rows.size == 0:
        return None
    present = cases.codes[rows]
    if np.any(present != present[0]):
        return found
    return np.full(sets.test(place).size, present[0], dtype=np.int32)


@cache
def registry() -> dict[type, FastPath]:
    """Give the fast path of each type of learner that has one."""
    from sklearn.naive_bayes import BernoulliNB, CategoricalNB, GaussianNB
    from sklearn.neighbors import KNeighborsClassifier

    from fivefold.learners.bayes.naive_bayes import NaiveBayes
    from fivefold.learners.foil.estimator import Foil

    return {
        Foil: foil_concepts,
        KNeighborsClassifier: nearest_neighbours,
        NaiveBayes: naive_bayes,
        BernoulliNB: bernoulli_naive_bayes,
        CategoricalNB: categorical_naive_bayes,
        GaussianNB: gaussian_naive_bayes,
    }


def naive_bayes(learner: NaiveBayes, cases: LabelledTable) -> Answerer | None:
    """Fivefold's own, where all columns are nominal and the options are in order."""
    columns = read_columns(cases.X, categorical_features=learner.categorical_features)
    by_size = isinstance(learner.m, str) and learner.m == "k"
    if any(c.categories is None for c in columns) or not (by_size or _amount(learner.m)):
        return None
    if not _amount(learner.class_m) or learner.numeric not in ("mdlp", "equal_width", "gaussian"):
        return None
    values = np.array([column.values for column in columns], dtype=np.int32)
    sizes = [len(column.categories or ()) for column in columns]
    m = -1.0 if by_size else float(learner.m)
    return _answerer(
        cases, values, sizes, SEEN, 0, m, spread=True, class_added=float(learner.class_m), tie=TIE
    )


def bernoulli_naive_bayes(learner: Any, cases: LabelledTable) -> Answerer | None:
    """scikit-learn's for yes and no."""
    table = _plain_numbers(cases.X)
    if table is None or not _usual(learner) or not _amount(learner.binarize):
        return None
    values = (table > learner.binarize).T.astype(np.int32)
    prior = not learner.fit_prior
    return _answerer(cases, values, [2] * len(values), GIVEN, 2, float(learner.alpha), flat_prior=prior)


def categorical_naive_bayes(learner: Any, cases: LabelledTable) -> Answerer | None:
    """scikit-learn's for categories, which are numbers from 0."""
    table = _plain_numbers(cases.X)
    if table is None or not _usual(learner) or learner.min_categories is not None:
        return None
    if table.min() < 0 or np.any(table != np.floor(table)) or table.max() > 10_000:
        return None
    values = np.ascontiguousarray(table.T.astype(np.int32))
    sizes = (values.max(axis=1) + 1).tolist()
    prior = not learner.fit_prior
    return _answerer(cases, values, sizes, LARGEST, 0, float(learner.alpha), flat_prior=prior)


def _answerer(
    cases: LabelledTable,
    values: NDArray[np.int32],
    sizes: list[int],
    sizing: int,
    least: int,
    added: float,
    *,
    spread: bool = False,
    class_added: float = 0.0,
    flat_prior: bool = False,
    tie: float = 0.0,
) -> Answerer:
    starts = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    leasts = np.full(len(sizes), least, dtype=np.int64)
    amounts = np.full(len(sizes), added)
    values = np.ascontiguousarray(values)

    def answer(sets: TrainingSets, places: range) -> list[Codes | None]:
        said = classify_categories(
            values,
            starts,
            cases.codes,
            sets.counts(places),
            sets.asked(places),
            sizing,
            leasts,
            amounts,
            spread,
            class_added,
            flat_prior,
            tie,
            cases.classes.size,
        )
        rows = [said[row, sets.test(place)] for row, place in enumerate(places)]
        return [None if np.any(row == UNSURE) else row for row in rows]

    return answer


def _usual(learner: Any) -> bool:
    alpha = learner.alpha
    return _amount(alpha) and alpha >= 1e-9 and learner.class_prior is None


def _amount(value: Any) -> bool:
    return not isinstance(value, bool) and isinstance(value, numbers.Real) and 0 <= float(value) < np.inf


def _plain_numbers(X: Any) -> NDArray[np.float64] | None:
    if not isinstance(X, np.ndarray) or X.ndim != 2 or X.size == 0 or X.dtype.kind not in "iubf":
        return None
    table = X.astype(np.float64)
    return table if np.all(np.isfinite(table)) else None


MOST_CASES = 4_000


def nearest_neighbours(learner: Any, cases: LabelledTable) -> Answerer | None:
    """Count votes among the nearest cases of each training set.

    scikit-learn's search breaks ties of the k-th distance as its sorting happens to fall, and its distances carry
    rounding errors. A training set is therefore left to it if for any asked row cases of different classes lie
    within rounding of the k-th distance.
    """
    matrix = double_precision(cases.X)
    if matrix is None or not _plain(learner) or len(cases) > MOST_CASES:
        return None
    from scipy.spatial.distance import cdist

    power = _power(learner)
    squared = cdist(matrix, matrix, "sqeuclidean" if power == 2 else "cityblock")
    order = np.argsort(squared, axis=1, kind="stable").astype(np.int32)
    sorted_distances = np.take_along_axis(squared, order, axis=1)
    slack = _rounding(matrix, power)
    k, n_classes = int(learner.n_neighbors), cases.classes.size

    def answer(sets: TrainingSets, places: range) -> list[Codes | None]:
        said = vote(
            order, sorted_distances, slack, cases.codes, sets.counts(places), sets.asked(places), k, n_classes
        )
        rows = [said[row, sets.test(place)] for row, place in enumerate(places)]
        return [None if np.any(row == UNSURE) else row for row in rows]

    return answer


def _plain(learner: Any) -> bool:
    k = learner.n_neighbors
    return bool(
        isinstance(k, int | np.integer)
        and k >= 1
        and learner.weights == "uniform"
        and _power(learner) is not None
        and learner.metric_params is None
    )


def _power(learner: Any) -> int | None:
    named = {"euclidean": 2, "l2": 2, "manhattan": 1, "cityblock": 1, "l1": 1}
    if learner.metric == "minkowski":
        return int(learner.p) if learner.p in (1, 2) else None
    return named.get(learner.metric) if isinstance(learner.metric, str) else None


def double_precision(X: Any) -> NDArray[np.float64] | None:
    """Give the table as scikit-learn would compute with it, if it would do so in double precision."""
    if not isinstance(X, np.ndarray) or X.ndim != 2 or X.shape[1] == 0:
        return None
    if X.dtype.kind not in "iub" and X.dtype != np.float64:
        return None
    matrix = np.ascontiguousarray(X, dtype=np.float64)
    return matrix if np.all(np.isfinite(matrix)) else None


def _rounding(matrix: NDArray[np.float64], power: int | None) -> float:
    """Bound the rounding errors of (squared) distances, also where they come from |x|² - 2xy + |y|²."""
    size = float((matrix**2).sum(axis=1).max() if power == 2 else 2 * np.abs(matrix).sum(axis=1).max())
    n_attributes: int = matrix.shape[1]
    return 16 * (n_attributes + 4) * float(np.finfo(np.float64).eps) * size


def gaussian_naive_bayes(learner: Any, cases: LabelledTable) -> Answerer | None:
    """Find all moments in one compiled call, where numbers are in double precision and priors are learnt."""
    matrix = double_precision(cases.X)
    smoothing = learner.var_smoothing
    if matrix is None or learner.priors is not None or not isinstance(smoothing, numbers.Real):
        return None
    if not 0 <= float(smoothing) < np.inf:
        return None

    def answer(sets: TrainingSets, places: range) -> list[Codes | None]:
        said = classify_numbers(
            matrix,
            cases.codes,
            sets.counts(places),
            sets.asked(places),
            float(smoothing),
            cases.classes.size,
        )
        rows = [said[row, sets.test(place)] for row, place in enumerate(places)]
        return [None if np.any(row == UNSURE) else row for row in rows]

    return answer


def foil_concepts(learner: Foil, cases: LabelledTable) -> Answerer | None:
    """Learn one of two classes as a concept."""
    wanted = np.flatnonzero(cases.classes == learner.target) if learner.target is not None else np.empty(0)
    if cases.classes.size != 2 or wanted.size != 1:
        return None
    columns = read_columns(cases.X, categorical_features=learner.categorical_features)
    if not all(map(_is_boolean, columns)):
        return None
    table = np.column_stack([column.values == 1 for column in columns])
    target, other = int(wanted[0]), 1 - int(wanted[0])
    options: dict[str, Any] = {
        name: getattr(learner, name) for name in ("info", "negation", "pruning", "min_accuracy")
    }

    def answer(sets: TrainingSets, places: range) -> list[Codes | None]:
        learnt = learn_concepts(table, cases.codes == target, sets.counts(places), **options)
        said = np.where(learnt.covers(table), target, other).astype(np.int32)
        return [said[row, sets.test(place)] for row, place in enumerate(places)]

    return answer


def _is_boolean(column: Column) -> bool:
    return column.categories == (False, True) and not column.missing.any()
