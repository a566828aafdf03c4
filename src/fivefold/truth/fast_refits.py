"""Many refits: what an estimator predicts after each of many training sets, for some estimators all at once.

A fast path takes the estimator and the table and gives None where it does not apply, or a function from how often
each row stands in each training set, and which rows are asked after it, to the predicted classes: UNSURE where the
fast computation cannot be sure to agree with the estimator to the last row. Such training sets are left to the
estimator itself.
"""

from __future__ import annotations

import numbers
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from fivefold.errors import InputError
from fivefold.inputs.options import RandomState, as_generator
from fivefold.training import fit_predict as training
from fivefold.training.fit_predict import Codes, LabelledTable
from fivefold.training.splits import Resamples, Rows, Splits
from fivefold.truth._kernels import (
    Categories,
    Neighbours,
    Normals,
    Sizing,
    classify_categories,
    classify_numbers,
    vote,
)

AnswerAll: TypeAlias = Callable[[Rows, NDArray[np.bool_]], Codes]
UNSURE = -2  # as in the kernels
BLOCK = 256
MOST_NEIGHBOURS = 4_000


def predict_after_refits(
    estimator: Any, X: Any, y: Any, counts: Any, *, n_jobs: int | None = None, random_state: RandomState = 0
) -> NDArray[Any]:
    """Tell what an estimator says about all cases after learning from each of many training sets of them.

    Parameters
    ----------
    estimator, X, y, n_jobs, random_state
        As in `estimate_error`.
    counts : array-like of int of shape (n_sets, n_cases)
        How often each case stands in each training set. A case that stands there several times is repeated; the
        rows keep the order of `X`.

    Returns
    -------
    ndarray of shape (n_sets, n_cases)
        The predicted labels.

    Notes
    -----
    After a training set with only one class the answer is that class, whatever the estimator is. For FOIL on
    booleans, naive Bayes and nearest neighbours the same answers are found without fitting anew for every set.

    Examples
    --------
    Leave one case out at a time:

    >>> import numpy as np
    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> X, y = np.array([[0.0], [1.0], [5.0], [7.0]]), ["low", "low", "high", "high"]
    >>> answers = predict_after_refits(KNeighborsClassifier(1), X, y, 1 - np.eye(4, dtype=int))
    >>> answers.diagonal().tolist()
    ['low', 'low', 'high', 'high']
    """
    training.check_fits_and_predicts(estimator)
    table = training.read_labelled_table(X, y)
    splits = Resamples(_read_counts(counts, len(table)), out_of_bag=False)
    answers = predict_labels(estimator, table, splits, n_jobs=n_jobs, rng=as_generator(random_state))
    codes = np.array(answers, dtype=np.int32).reshape(len(splits), len(table))
    if codes.size and codes.min() < 0:
        row, case = (int(place) for place in np.argwhere(codes < 0)[0])
        raise InputError("a label for every case", f"no answer to case {case} after training set {row}")
    return np.asarray(table.classes[codes])


def _read_counts(counts: Any, n_cases: int) -> Rows:
    try:
        table = np.asarray(counts)
    except ValueError:
        table = np.empty(0, dtype=object)
    if table.dtype.kind not in "iub" or table.ndim != 2 or table.shape[1] != n_cases:
        raise InputError(
            f"counts to be whole numbers in rows of {n_cases}", f"{table.dtype} of shape {table.shape}"
        )
    if table.size and table.min() < 0:
        row, case = (int(place) for place in np.argwhere(table < 0)[0])
        raise InputError("counts of at least 0", f"{int(table[row, case])} for case {case} of set {row}")
    empty = np.flatnonzero(table.sum(axis=1) == 0)
    if empty.size:
        raise InputError("every training set to hold a case", f"none in set {empty[0]}")
    return np.asarray(table, dtype=np.int64)


def predict_labels(
    estimator: Any, table: LabelledTable, splits: Splits, *, n_jobs: int | None, rng: np.random.Generator
) -> list[Codes]:
    """Give the predicted class of each asked row after each training set; -1 for no answer."""
    seeds = training.refit_seeds(estimator, len(splits), rng)
    question = training.label_positions(estimator, table)
    answer_all = fast_path(estimator, table)
    if answer_all is None:
        return training.fit_and_ask(estimator, table, splits, question, seeds, n_jobs=n_jobs)

    def answer(places: range) -> list[Codes | None]:
        counts, asked = splits.counts_and_asked(places)
        positions = answer_all(counts, asked)
        return [_settled(*row, table.codes) for row in zip(positions, counts, asked, strict=True)]

    blocks = [range(start, min(start + BLOCK, len(splits))) for start in range(0, len(splits), BLOCK)]
    answered = training.in_parallel(answer, blocks, n_jobs, "threads", total=len(splits))
    answers = [row for block in answered for row in block]
    unsure = [place for place, row in enumerate(answers) if row is None]
    slow = iter(training.fit_and_ask(estimator, table, splits, question, seeds, n_jobs=n_jobs, places=unsure))
    return [next(slow) if row is None else row for row in answers]


def _settled(positions: Codes, counts: Rows, asked: NDArray[np.bool_], codes: Codes) -> Codes | None:
    """Give the answers to the asked rows after one training set; None where they are not sure."""
    present = codes[counts > 0]
    if present.size == 0:
        return None
    if np.all(present == present[0]):
        return np.full(np.count_nonzero(asked), present[0], dtype=np.int32)
    answers = positions[asked]
    return None if np.any(answers == UNSURE) else answers


def fast_path(estimator: Any, table: LabelledTable) -> AnswerAll | None:
    """Give the fast way for this estimator on this table; None if there is none."""
    kind = type(estimator)
    path = FAST_PATHS.get((kind.__module__.partition(".")[0], kind.__name__))
    return None if path is None else path(estimator, table)


def _foil(estimator: Any, table: LabelledTable) -> AnswerAll | None:
    """FOIL on a boolean table, one of two classes as a concept: all concepts in one compiled call."""
    from fivefold.inputs.columns import read_columns
    from fivefold.learners.foil.concepts import learn_concepts

    if table.classes.size != 2 or estimator.target is None:
        return None
    wanted = np.flatnonzero(table.classes == estimator.target)
    columns = read_columns(table.X, categorical_features=estimator.categorical_features)
    if wanted.size != 1 or any(c.categories != (False, True) or c.missing.any() for c in columns):
        return None
    matrix = np.column_stack([column.values == 1 for column in columns])
    target = int(wanted[0])
    options: dict[str, Any] = {
        name: getattr(estimator, name) for name in ("info", "negation", "pruning", "min_accuracy")
    }

    def answer_all(counts: Rows, asked: NDArray[np.bool_]) -> Codes:
        concepts = learn_concepts(matrix, table.codes == target, counts, **options)
        return np.where(concepts.covers(matrix), target, 1 - target).astype(np.int32)

    return answer_all


def _nearest_neighbours(estimator: Any, table: LabelledTable) -> AnswerAll | None:
    """Nearest neighbours: distances once, votes for each training set.

    scikit-learn's search breaks ties of the k-th distance as its sorting happens to fall, and its distances carry
    rounding errors. A training set is therefore left to it if for any asked row cases of different classes lie
    within rounding of the k-th distance.
    """
    from scipy.spatial.distance import cdist

    if len(table) > MOST_NEIGHBOURS:
        return None
    matrix, power, k = _finite_numbers(table.X, single=False), _power(estimator), estimator.n_neighbors
    plain_votes = estimator.weights == "uniform" and estimator.metric_params is None
    if matrix is None or power is None or not (plain_votes and isinstance(k, int | np.integer) and k >= 1):
        return None
    squared = cdist(matrix, matrix, "sqeuclidean" if power == 2 else "cityblock")
    order = np.argsort(squared, axis=1, kind="stable").astype(np.int32)
    distances = np.take_along_axis(squared, order, axis=1)
    slack, n_classes = _rounding(matrix, power), table.classes.size

    def answer_all(counts: Rows, asked: NDArray[np.bool_]) -> Codes:
        return vote(Neighbours(order, distances, slack, table.codes, int(k), n_classes), counts, asked)

    return answer_all


def _power(estimator: Any) -> int | None:
    named = {"euclidean": 2, "l2": 2, "manhattan": 1, "cityblock": 1, "l1": 1}
    if estimator.metric == "minkowski":
        return int(estimator.p) if estimator.p in (1, 2) else None
    return named.get(estimator.metric) if isinstance(estimator.metric, str) else None


def _rounding(matrix: NDArray[np.float64], power: int) -> float:
    """Bound the rounding errors of (squared) distances, also where they come from |x|² - 2xy + |y|²."""
    size = float((matrix**2).sum(axis=1).max() if power == 2 else 2 * np.abs(matrix).sum(axis=1).max())
    n_attributes: int = matrix.shape[1]
    return 16 * (n_attributes + 4) * float(np.finfo(np.float64).eps) * size


def _gaussian_naive_bayes(estimator: Any, table: LabelledTable) -> AnswerAll | None:
    """scikit-learn's Gaussian naive Bayes, where numbers are in double precision and priors are learnt."""
    matrix, smoothing = _finite_numbers(table.X, single=False), estimator.var_smoothing
    if matrix is None or estimator.priors is not None or not _is_amount(smoothing):
        return None

    def answer_all(counts: Rows, asked: NDArray[np.bool_]) -> Codes:
        normals = Normals(matrix, table.codes, float(smoothing), table.classes.size)
        return classify_numbers(normals, counts, asked)

    return answer_all


def _naive_bayes(estimator: Any, table: LabelledTable) -> AnswerAll | None:
    """Fivefold's own naive Bayes, where all columns are nominal and the options are in order."""
    from fivefold.inputs.columns import read_columns
    from fivefold.learners.bayes.naive_bayes import TIE

    columns = read_columns(table.X, categorical_features=estimator.categorical_features)
    by_size = isinstance(estimator.m, str) and estimator.m == "k"
    if any(c.categories is None for c in columns) or not (by_size or _is_amount(estimator.m)):
        return None
    if not _is_amount(estimator.class_m) or estimator.numeric not in ("mdlp", "equal_width", "gaussian"):
        return None
    values = np.array([column.values for column in columns], dtype=np.int32)
    sizes = [len(column.categories or ()) for column in columns]
    m = -1.0 if by_size else float(estimator.m)
    return _from_counts(
        table, values, sizes, "seen", m, spread=True, class_added=float(estimator.class_m), tie=TIE
    )


def _bernoulli_naive_bayes(estimator: Any, table: LabelledTable) -> AnswerAll | None:
    """scikit-learn's naive Bayes for yes and no."""
    matrix = _finite_numbers(table.X)
    if matrix is None or not _is_usual(estimator) or not _is_amount(estimator.binarize):
        return None
    values, flat = (matrix > estimator.binarize).T.astype(np.int32), not estimator.fit_prior
    return _from_counts(
        table, values, [2] * len(values), "given", float(estimator.alpha), least=2, flat_prior=flat
    )


def _categorical_naive_bayes(estimator: Any, table: LabelledTable) -> AnswerAll | None:
    """scikit-learn's naive Bayes for categories, which are numbers from 0."""
    matrix = _finite_numbers(table.X)
    if matrix is None or not _is_usual(estimator) or estimator.min_categories is not None:
        return None
    if matrix.min() < 0 or np.any(matrix != np.floor(matrix)) or matrix.max() > 10_000:
        return None
    values = np.ascontiguousarray(matrix.T.astype(np.int32))
    sizes, flat = (values.max(axis=1) + 1).tolist(), not estimator.fit_prior
    return _from_counts(table, values, sizes, "largest", float(estimator.alpha), flat_prior=flat)


def _from_counts(
    table: LabelledTable,
    values: NDArray[np.int32],
    sizes: list[int],
    sizing: Sizing,
    added: float,
    *,
    least: int = 0,
    spread: bool = False,
    class_added: float = 0.0,
    flat_prior: bool = False,
    tie: float = 0.0,
) -> AnswerAll:
    """Naive Bayes on categories: counts of values and classes are all that it learns."""
    starts = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    values = np.ascontiguousarray(values)
    options = sizing, least, added, spread, class_added, flat_prior, tie

    def answer_all(counts: Rows, asked: NDArray[np.bool_]) -> Codes:
        bayes = Categories(values, starts, table.codes, table.classes.size, *options)
        return classify_categories(bayes, counts, asked)

    return answer_all


def _is_usual(estimator: Any) -> bool:
    alpha = estimator.alpha
    return _is_amount(alpha) and alpha >= 1e-9 and estimator.class_prior is None


def _is_amount(value: Any) -> bool:
    return not isinstance(value, bool) and isinstance(value, numbers.Real) and 0 <= float(value) < np.inf


def _finite_numbers(X: Any, *, single: bool = True) -> NDArray[np.float64] | None:
    """Give a table of finite numbers as doubles; None for others, and without `single` where doubles say more."""
    if not isinstance(X, np.ndarray) or X.ndim != 2 or X.size == 0 or X.dtype.kind not in "iubf":
        return None
    if X.dtype.kind == "f" and X.dtype != np.float64 and not single:
        return None
    matrix = np.ascontiguousarray(X, dtype=np.float64)
    return matrix if np.all(np.isfinite(matrix)) else None


# by the library and the name of the estimator's very type: a subclass may have changed anything
FAST_PATHS: Mapping[tuple[str, str], Callable[[Any, LabelledTable], AnswerAll | None]] = {
    ("fivefold", "Foil"): _foil,
    ("fivefold", "NaiveBayes"): _naive_bayes,
    ("sklearn", "KNeighborsClassifier"): _nearest_neighbours,
    ("sklearn", "BernoulliNB"): _bernoulli_naive_bayes,
    ("sklearn", "CategoricalNB"): _categorical_naive_bayes,
    ("sklearn", "GaussianNB"): _gaussian_naive_bayes,
}
