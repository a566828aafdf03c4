"""Fit and predict: learn from some rows of a table, and answer about others."""

from __future__ import annotations

import signal
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from inspect import signature
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from fivefold.errors import FivefoldError, InputError, InputTypeError, show
from fivefold.inputs.groups import Groups, read_groups, take_groups
from fivefold.inputs.labels import distinct, encode_truth, read_labels, sort_classes
from fivefold.inputs.options import check_n_jobs
from fivefold.progress import part, track
from fivefold.training.class_alignment import class_positions
from fivefold.training.seeds import draw_seeds, refuse_class, seeded, unset_seeds
from fivefold.training.splits import Rows, Splits, groups_for

Codes = NDArray[np.int32]
T = TypeVar("T")
WANTS_NUMBERS = "Invalid classes inferred"  # XGBoost's complaint about labels that are not 0, 1, …
# What is asked of a fitted estimator: the estimator, the attributes of the asked rows, and these rows.
Question = Callable[[Any, Any, Rows], T]


@dataclass(frozen=True, eq=False)
class LabelledTable:
    """A table of attributes, as the caller gave it, and the class of each row as a position in sorted classes.

    `groups` says which rows belong together, where that is known: no split tears them apart.
    """

    X: Any
    classes: NDArray[Any]
    codes: Codes
    groups: Groups | None = None

    def __len__(self) -> int:
        return len(self.codes)

    def labels(self, rows: Rows) -> NDArray[Any]:
        """Give the classes of some rows."""
        return np.asarray(self.classes[self.codes[rows]])


def read_labelled_table(X: Any, y: Any, groups: Any = None) -> LabelledTable:
    """Check a table, its classes and its groups; labels may be of any kind."""
    labels = read_labels(y, "y")
    X, groups = take_groups(X, groups)
    check_n_rows(X, len(labels))
    # a column of texts is what vectorisers learn from
    if getattr(X, "ndim", 2) != 2 and not isinstance(next(iter(X), None), str):
        raise InputError("X to have rows and columns", f"an array of shape {X.shape}", "X.reshape(-1, 1)?")
    present = distinct(labels, "y")
    if len(present) < 2:
        raise InputError(
            "y to hold at least two classes",
            f"only {show(present[0])}" if present else "only missing values",
            "where there is one class there is nothing to learn",
        )
    classes = sort_classes(present)
    # scikit-learn's estimators read lists of rows through this same call, once for each fit
    is_list = isinstance(X, list | tuple) and all(map(np.iterable, X))
    if is_list and all(isinstance(v, int | float | np.number) for row in X for v in row):
        X = np.asarray(X)
    codes = encode_truth(labels, classes, "y")
    return LabelledTable(X, classes, codes, read_groups(groups, len(labels)))


def check_n_rows(X: Any, n_labels: int, names: tuple[str, str] = ("X", "y")) -> None:
    """Check that a table of any kind has as many rows as there are labels."""
    try:
        n_rows = int(X.shape[0] if hasattr(X, "shape") else len(X))
        if isinstance(X, str | bytes):
            raise TypeError
    except (TypeError, IndexError):
        raise InputTypeError(
            f"{names[0]} to be a data frame, an array or a list of rows", f"{show(X)} ({type(X).__name__})"
        ) from None
    if n_rows != n_labels:
        raise InputError(
            f"one class in {names[1]} for each row of {names[0]}", f"{n_labels} classes for {n_rows} rows"
        )


def take_rows(X: Any, rows: Rows) -> Any:
    """Take some rows of a table, in the kind of table that came in.

    Examples
    --------
    >>> take_rows([["a", 1], ["b", 2], ["c", 3]], np.array([2, 0]))
    [['c', 3], ['a', 1]]
    """
    X = X.tocsr() if hasattr(X, "tocsr") else X  # not every kind of sparse matrix can be asked for rows
    if isinstance(X, list | tuple):
        return [X[row] for row in rows]
    if isinstance(X, dict):
        raise InputTypeError("a table of cases", "a dict", "make a data frame of it")
    if hasattr(X, "iloc"):
        return X.take(rows, axis=0)
    return X.take(rows) if hasattr(X, "to_pydict") else X[rows]


def check_fits_and_predicts(estimator: Any, name: str = "estimator") -> None:
    """Insist on an object that can be fitted and can predict."""
    refuse_class(estimator, f"{name} to be an object")
    able = {"fit": callable(getattr(estimator, "fit", None)), "predict": can_predict(estimator)}
    if lacking := [method for method in able if not able[method]]:
        raise InputTypeError(
            f"{name} to have fit and predict",
            f"{show(estimator)} ({type(estimator).__name__}) without {' and '.join(lacking)}",
        )


def class_name(model: Any) -> str:
    """Name the class of a model; of a pipeline that of its last step, for the others only prepare.

    A search, or what calibrates another model, names that model too.
    """
    while getattr(model, "steps", None) and isinstance(model.steps, list):
        model = model.steps[-1][1]
    inner, name = getattr(model, "estimator", None), type(model).__name__
    # forests keep their kind of tree there, which nobody gave them
    given = callable(getattr(inner, "fit", None)) and "estimator" in signature(type(model)).parameters
    return f"{name}({class_name(inner)})" if given else name


def can_predict(model: Any) -> bool:
    """Say whether a model can predict, or will when it is fitted: stacked ones have no predict before."""
    if callable(getattr(model, "predict", None)):
        return True
    if getattr(model, "steps", None) and isinstance(model.steps, list):
        return can_predict(model.steps[-1][1])
    return getattr(model, "refit", True) is not False and callable(getattr(type(model), "predict", None))


def holds_fitted(model: Any) -> bool:
    """Say whether a model has a part that stays as it was fitted when the model is cloned and fitted anew."""
    from sklearn.frozen import FrozenEstimator

    parts = [model, *model.get_params().values()] if hasattr(model, "get_params") else []
    return any(isinstance(part, FrozenEstimator) for part in parts)


def fit(estimator: Any, table: LabelledTable, rows: Rows, seed: int | None) -> Any:
    """Fit a copy to some rows; where these have one class only, give a rule that always answers it."""
    if rows.size == 0:
        raise InputError("every training set to hold a case", "one without any")
    labels = table.labels(rows)
    if np.all(labels == labels[0]):
        from sklearn.dummy import DummyClassifier

        return DummyClassifier(strategy="most_frequent").fit(np.zeros((1, 1)), labels[:1])
    told = groups_for(estimator, table.groups and table.groups.part(rows))
    return seeded(estimator, seed, by_name=False).fit(take_rows(table.X, rows), labels, **told)


def fit_to_rows(estimator: Any, X: Any, y: NDArray[Any], rows: Rows, seed: int | None = None) -> Any:
    """Fit a copy to some rows, whatever classes they have; each free ``random_state`` gets a seed by its name."""
    return seeded(estimator, seed).fit(take_rows(X, rows), y[rows])


def fit_and_ask(
    estimator: Any,
    table: LabelledTable,
    splits: Splits,
    question: Question[T],
    seeds: Sequence[int | None],
    *,
    n_jobs: int | None = None,
    places: Sequence[int] | None = None,
) -> list[T]:
    """Fit a copy of the estimator to each training set (or those in some places) and put a question to it."""

    def run(some: Sequence[int]) -> list[T]:
        return [fit_and_ask_once(place) for place in track(some, "fit", len(some))]

    def fit_and_ask_once(place: int) -> T:
        train, test = splits.train(place), splits.test(place)
        try:
            model = fit(estimator, table, train, seeds[place])
            return question(model, take_rows(table.X, test), test)
        except (FivefoldError, MemoryError):
            raise
        except Exception as problem:  # every library has errors of its own
            raise InputError(
                "an estimator that can learn from every training set, and answer",
                f"{type(problem).__name__} from {type(estimator).__name__} on a set of {train.size} rows: "
                f"{show(str(problem), 200)}",
                "number the classes: np.unique(y, return_inverse=True)[1]"
                if WANTS_NUMBERS in str(problem)
                else "",
            ) from problem

    wanted = range(len(splits)) if places is None else places
    chunks = _chunks(wanted, n_jobs)
    return [answer for chunk in in_parallel(run, chunks, n_jobs, total=len(wanted)) for answer in chunk]


def label_positions(estimator: Any, table: LabelledTable) -> Question[Codes]:
    """Give the question for the predicted class of each asked row; -1 for no answer."""

    def ask(model: Any, X: Any, rows: Rows) -> Codes:
        if not rows.size:
            return np.empty(0, dtype=np.int32)
        positions = class_positions(model.predict(X), table.classes)
        if positions.size != rows.size:
            got = f"{positions.size} for {rows.size} from {type(estimator).__name__}"
            raise InputError("one prediction for each row", got)
        return positions

    return ask


def refit_seeds(estimator: Any, n: int, rng: np.random.Generator) -> Sequence[int | None]:
    """Draw a seed for each fit, if the estimator has a ``random_state`` that is None."""
    return draw_seeds(n, rng, 2**31 - 1) if unset_seeds(estimator) else [None] * n


def in_parallel(
    run: Callable[[Any], T],
    items: Sequence[Any],
    n_jobs: int | None,
    prefer: str | None = "processes",
    *,
    what: str = "fit",
    total: int | None = None,
) -> list[T]:
    """Run something for each item, several at the same time if asked.

    Progress is told as so many of a `total` (by default of the items) of `what`.
    """
    check_n_jobs(n_jobs)
    if len(items) < 2:
        return [run(item) for item in items]
    if n_jobs in (None, 1):
        return [run(item) for item in track(items, what, len(items))]
    from joblib import Parallel, delayed

    keep_signal_mask()
    pool = Parallel(n_jobs=n_jobs, prefer=prefer)
    with part(what, total or len(items)) as step:

        def count() -> None:
            step.done = (step.total or 0) * pool.n_completed_tasks // len(items)

        pool.print_progress = count  # joblib calls it whenever something is done
        done: list[T] = pool(delayed(run)(item) for item in items)
    return done


def keep_signal_mask() -> None:
    """See to it that workers will inherit the signals that are blocked here.

    Python keeps track of them by one more process, and whoever starts it has Ctrl-C unblocked (before 3.14).
    """
    if not hasattr(signal, "pthread_sigmask"):
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, ())
    if signal.SIGINT in before:
        from multiprocessing.resource_tracker import ensure_running

        ensure_running()
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _chunks(places: Sequence[int], n_jobs: int | None) -> list[Sequence[int]]:
    """Share the work out: few enough parts that the table is not sent for every fit, enough to end together."""
    check_n_jobs(n_jobs)
    if n_jobs in (None, 1) or len(places) < 2:
        return [places]
    from joblib import effective_n_jobs

    size = -(-len(places) // (4 * effective_n_jobs(n_jobs)))
    return [places[start : start + size] for start in range(0, len(places), size)]
