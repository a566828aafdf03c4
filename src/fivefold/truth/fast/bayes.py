"""Naive Bayes on categories: counts of values and classes are all that it learns."""

from __future__ import annotations

import numbers
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fivefold.inputs.columns import read_columns
from fivefold.learners.bayes.evidence import TIE
from fivefold.learners.bayes.naive_bayes import NaiveBayes
from fivefold.truth.cases import Cases, Codes
from fivefold.truth.fast.kernels.discrete import GIVEN, LARGEST, SEEN, classify
from fivefold.truth.fast.kernels.votes import UNSURE
from fivefold.truth.fast_paths import Answerer
from fivefold.truth.training_sets import TrainingSets


def own(learner: NaiveBayes, cases: Cases) -> Answerer | None:
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


def bernoulli(learner: Any, cases: Cases) -> Answerer | None:
    """scikit-learn's for yes and no."""
    table = _plain_numbers(cases.X)
    if table is None or not _usual(learner) or not _amount(learner.binarize):
        return None
    values = (table > learner.binarize).T.astype(np.int32)
    prior = not learner.fit_prior
    return _answerer(cases, values, [2] * len(values), GIVEN, 2, float(learner.alpha), flat_prior=prior)


def categorical(learner: Any, cases: Cases) -> Answerer | None:
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
    cases: Cases,
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
        said = classify(
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
