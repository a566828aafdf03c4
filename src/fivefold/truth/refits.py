"""Fit a learner to many training sets drawn from the same cases, and keep what it says after each."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from fivefold.errors import InputError, show
from fivefold.inputs.options import RandomState, as_generator
from fivefold.truth.cases import Cases, Codes, Ints, check_learner, read_cases
from fivefold.truth.fast_paths import fast_path
from fivefold.truth.training_sets import Copies, TrainingSets

T = TypeVar("T")
# What is asked of a fitted learner: the learner, the attributes of the asked rows, and these rows.
Question = Callable[[Any, Any, Ints], T]

BLOCK = 256


def predict_after_refits(
    learner: Any,
    X: Any,
    y: Any,
    counts: Any,
    *,
    n_jobs: int | None = None,
    random_state: RandomState = None,
) -> NDArray[Any]:
    """Tell what a learner says about all cases after learning from each of many training sets of them.

    Parameters
    ----------
    learner : classifier
        An object with `fit` and `predict`; each training set gets a clone.
    X : dataframe or 2-D array-like
        The cases.
    y : array-like
        Their classes.
    counts : array-like of int of shape (n_sets, n_cases)
        How often each case stands in each training set. A case that stands there several times is repeated; the
        rows keep the order of `X`.
    n_jobs : int, optional
        How many fits run at the same time, as in joblib. The answers do not depend on it.
    random_state : int, Generator or None
        Seeds those parameters ``random_state`` of the learner that are None.

    Returns
    -------
    ndarray of shape (n_sets, n_cases)
        The predicted labels.

    Notes
    -----
    After a training set with only one class the answer is that class, whatever the learner is. For some learners
    (see `fivefold.truth.fast_paths`) the same answers are found without fitting anew for every set.

    Examples
    --------
    Leave one case out at a time:

    >>> import numpy as np
    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> X, y = np.array([[0.0], [1.0], [5.0], [7.0]]), ["low", "low", "high", "high"]
    >>> said = predict_after_refits(KNeighborsClassifier(1), X, y, 1 - np.eye(4, dtype=int))
    >>> said.diagonal().tolist()
    ['low', 'low', 'high', 'high']
    """
    check_learner(learner)
    cases = read_cases(X, y)
    sets = Copies(_as_counts(counts, len(cases)))
    said = answers(learner, cases, sets, n_jobs=n_jobs, rng=as_generator(random_state))
    codes = np.array(said, dtype=np.int32).reshape(len(sets), len(cases))
    _refuse_silence(codes)
    labels: NDArray[Any] = cases.classes[codes]
    return labels


def answers(
    learner: Any, cases: Cases, sets: TrainingSets, *, n_jobs: int | None, rng: np.random.Generator
) -> list[Codes]:
    """Give the predicted class of each asked row after each training set; -1 for no answer."""

    def label(model: Any, X: Any, rows: Ints) -> Codes:
        said = cases.places(model.predict(X)) if rows.size else np.empty(0, dtype=np.int32)
        if said.size != rows.size:
            raise InputError(
                "one prediction for each row", f"{said.size} for {rows.size} from {type(learner).__name__}"
            )
        return said

    seeds = _seeds(learner, len(sets), rng)
    quick = fast_path(learner, cases)
    if quick is None:
        return _ask(learner, cases, sets, range(len(sets)), label, seeds, n_jobs)
    blocks = [range(start, min(start + BLOCK, len(sets))) for start in range(0, len(sets), BLOCK)]
    found: list[Codes | None] = [
        one for block in _parallel(n_jobs, "threads", quick, [(sets, b) for b in blocks]) for one in block
    ]
    unsure = [place for place, one in enumerate(found) if one is None]
    slow = dict(zip(unsure, _ask(learner, cases, sets, unsure, label, seeds, n_jobs), strict=True))
    return [slow[place] if one is None else one for place, one in enumerate(found)]


def ask(
    learner: Any,
    cases: Cases,
    sets: TrainingSets,
    question: Question[T],
    *,
    n_jobs: int | None,
    rng: np.random.Generator,
) -> list[T]:
    """Fit the learner to each training set and put a question to it."""
    seeds = _seeds(learner, len(sets), rng)
    return _ask(learner, cases, sets, range(len(sets)), question, seeds, n_jobs)


def fit(learner: Any, cases: Cases, rows: Ints, seed: int | None) -> Any:
    """Fit a clone to some rows; where these have one class only, give a rule that always answers it."""
    from sklearn.base import clone

    if rows.size == 0:
        raise InputError("every training set to hold a case", "one without any")
    present = cases.codes[rows]
    if np.all(present == present[0]):
        return _constant(cases, rows)
    model = clone(learner, safe=False)
    if seed is not None:
        model.set_params(**dict.fromkeys(_unseeded(model), seed))
    return model.fit(cases.rows(rows), cases.labels(rows))


def _constant(cases: Cases, rows: Ints) -> Any:
    from sklearn.dummy import DummyClassifier

    label = cases.labels(rows[:1])
    return DummyClassifier(strategy="most_frequent").fit(np.zeros((1, 1)), label)


def _ask(
    learner: Any,
    cases: Cases,
    sets: TrainingSets,
    places: Sequence[int],
    question: Question[T],
    seeds: list[int | None],
    n_jobs: int | None,
) -> list[T]:
    def run(some: Sequence[int]) -> list[T]:
        return [_ask_one(learner, cases, sets, place, question, seeds[place]) for place in some]

    return [one for some in _parallel(n_jobs, "processes", run, _chunks(places, n_jobs)) for one in some]


def _ask_one(
    learner: Any, cases: Cases, sets: TrainingSets, place: int, question: Question[T], seed: int | None
) -> T:
    train, rows = sets.train(place), sets.test(place)
    try:
        return question(fit(learner, cases, train, seed), cases.rows(rows), rows)
    except InputError:
        raise
    except ValueError as problem:
        raise InputError(
            "a learner that can learn from every training set, and answer",
            f"{type(problem).__name__} from {type(learner).__name__} on a set of {train.size} rows: "
            f"{show(str(problem), 200)}",
        ) from problem


def _chunks(places: Sequence[int], n_jobs: int | None) -> list[tuple[Sequence[int]]]:
    """Share the work out: few enough parts that the table is not sent for every fit, enough to end together."""
    if n_jobs in (None, 1) or len(places) < 2:
        return [(places,)]
    from joblib import effective_n_jobs

    size = -(-len(places) // (4 * effective_n_jobs(n_jobs)))
    return [(places[start : start + size],) for start in range(0, len(places), size)]


def _parallel(
    n_jobs: int | None, prefer: str, run: Callable[..., Any], calls: list[tuple[Any, ...]]
) -> list[Any]:
    if n_jobs in (None, 1) or len(calls) < 2:
        return [run(*call) for call in calls]
    from joblib import Parallel, delayed

    done: list[Any] = Parallel(n_jobs=n_jobs, prefer=prefer)(delayed(run)(*call) for call in calls)
    return done


def _unseeded(learner: Any) -> list[str]:
    if not hasattr(learner, "get_params"):
        return []
    named = learner.get_params(deep=True).items()
    return [key for key, value in named if value is None and (f"__{key}").endswith("__random_state")]


def _seeds(learner: Any, n: int, rng: np.random.Generator) -> list[int | None]:
    """Draw a seed for each fit, so that neither the order of the fits nor their number at a time matters."""
    if not _unseeded(learner):
        return [None] * n
    return [int(seed) for seed in rng.integers(0, 2**31 - 1, size=n)]


def _as_counts(counts: Any, n_cases: int) -> Ints:
    table = np.asarray(counts)
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


def _refuse_silence(codes: Codes) -> None:
    if codes.size and codes.min() < 0:
        row, case = (int(place) for place in np.argwhere(codes < 0)[0])
        raise InputError("a label for every case", f"no answer to case {case} after training set {row}")
