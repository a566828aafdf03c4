"""Fit an estimator to many training sets drawn from the same table, and measure what it answers after each."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeVar

import numpy as np
from numpy.typing import NDArray

from fivefold.errors import InputError, InputTypeError, show
from fivefold.inputs.options import RandomState, as_generator
from fivefold.results import METRICS, Direction, Metric
from fivefold.training.labelled_table import Codes, Ints, LabelledTable, check_learner, read_labelled_table
from fivefold.training.splits import Copies, TrainingSets
from fivefold.truth.fast_refits import fast_path

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
    (see `fivefold.truth.fast_refits`) the same answers are found without fitting anew for every set.

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
    cases = read_labelled_table(X, y)
    sets = Copies(_as_counts(counts, len(cases)))
    said = answers(learner, cases, sets, n_jobs=n_jobs, rng=as_generator(random_state))
    codes = np.array(said, dtype=np.int32).reshape(len(sets), len(cases))
    _refuse_silence(codes)
    labels: NDArray[Any] = cases.classes[codes]
    return labels


def answers(
    learner: Any, cases: LabelledTable, sets: TrainingSets, *, n_jobs: int | None, rng: np.random.Generator
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
    cases: LabelledTable,
    sets: TrainingSets,
    question: Question[T],
    *,
    n_jobs: int | None,
    rng: np.random.Generator,
) -> list[T]:
    """Fit the learner to each training set and put a question to it."""
    seeds = _seeds(learner, len(sets), rng)
    return _ask(learner, cases, sets, range(len(sets)), question, seeds, n_jobs)


def fit(learner: Any, cases: LabelledTable, rows: Ints, seed: int | None) -> Any:
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


def _constant(cases: LabelledTable, rows: Ints) -> Any:
    from sklearn.dummy import DummyClassifier

    label = cases.labels(rows[:1])
    return DummyClassifier(strategy="most_frequent").fit(np.zeros((1, 1)), label)


def _ask(
    learner: Any,
    cases: LabelledTable,
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
    learner: Any,
    cases: LabelledTable,
    sets: TrainingSets,
    place: int,
    question: Question[T],
    seed: int | None,
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


Kind = Literal["error", "answers", "probabilities", "scorer"]


@dataclass(frozen=True, eq=False)
class Measure:
    """A measure and what it reads.

    Parameters
    ----------
    name, title, unit, direction : str
        What it is called, its unit, and which way is better.
    kind : {"error", "answers", "probabilities", "scorer"}
        What it reads: right and wrong, labels, probabilities, or the fitted learner itself.
    function : callable or None
        The metric or scorer; None for errors.
    """

    name: str
    title: str
    unit: str
    direction: Direction
    kind: Kind
    function: Callable[..., float] | None = None

    def ask(self, cases: LabelledTable) -> Callable[[Any, Any, Ints], Any]:
        """Give the question that is put to each fitted learner: its score, or its probabilities."""

        def score(model: Any, X: Any, rows: Ints) -> float:
            return float(self._function(model, X, cases.labels(rows))) if rows.size else np.nan

        def probabilities(model: Any, X: Any, rows: Ints) -> NDArray[np.float64]:
            return _probabilities(model, X, rows, cases)

        return score if self.kind == "scorer" else probabilities

    def value(self, cases: LabelledTable, rows: Ints, said: NDArray[Any]) -> float:
        """Measure answers to some rows, put in the order of the table."""
        if self.kind == "error":
            return float(np.mean(said != cases.codes[rows]))
        order = np.argsort(rows, kind="stable")
        rows, said = rows[order], said[order]
        given = said if self.kind == "probabilities" else _labels(said, cases)
        return float(self._function(cases.labels(rows), given, classes=cases.classes))

    @property
    def _function(self) -> Callable[..., float]:
        if self.function is None:
            raise AttributeError("errors are counted, not computed by a function")
        return self.function


ERROR = Measure("error", "Error", "share of cases", "lower is better", "error")


def as_measure(metric: Any) -> Measure:
    """Read a metric by its name or as a function or scorer."""
    if isinstance(metric, Measure):
        return metric
    if isinstance(metric, str):
        return ERROR if metric == "error" else _by_name(metric)
    if not callable(metric):
        raise InputTypeError(
            "metric to be a name, a metric of Fivefold or a scorer",
            f"{show(metric)} ({type(metric).__name__})",
        )
    described = getattr(metric, "metric", None)
    if isinstance(described, Metric):
        return _of_fivefold(described)
    return _of_scorer(metric, getattr(metric, "__name__", None) or str(metric))


def _by_name(name: str) -> Measure:
    if name in METRICS:
        return _of_fivefold(METRICS[name])
    from sklearn.metrics import get_scorer, get_scorer_names

    if name in get_scorer_names():
        return _of_scorer(get_scorer(name), name)
    raise InputError(
        'metric to be "error", a metric of Fivefold or the name of one of scikit-learn\'s scorers',
        show(name),
        "pass the function itself, such as fivefold.bets.log_score",
    )


def _of_fivefold(described: Metric) -> Measure:
    if described.reads == "truth":
        raise InputError(
            "a metric that reads a model's answers", f"{described.name}, which reads the truth alone"
        )
    kind: Kind = "answers" if described.reads == "answers" else "probabilities"
    return Measure(
        described.name, described.title, described.unit, described.direction, kind, described.function
    )


def _of_scorer(scorer: Any, name: str) -> Measure:
    title = name.replace("_", " ").capitalize()
    return Measure(name, title, "score", "higher is better", "scorer", scorer)


def _labels(codes: Codes, cases: LabelledTable) -> NDArray[Any]:
    if codes.size and codes.min() >= 0:
        labels: NDArray[Any] = cases.classes[codes]
        return labels
    named = np.append(cases.classes.astype(object), [None])
    silent: NDArray[Any] = named[codes]
    return silent


def _probabilities(model: Any, X: Any, rows: Ints, cases: LabelledTable) -> NDArray[np.float64]:
    """Give probabilities of all classes; one that the training set lacks has probability zero."""
    if not callable(getattr(model, "predict_proba", None)):
        raise InputTypeError(
            "a learner with predict_proba, as the metric reads probabilities",
            f"{type(model).__name__} without",
        )
    full = np.zeros((rows.size, cases.classes.size))
    if rows.size:
        full[:, cases.places(model.classes_)] = model.predict_proba(X)
    return full


@dataclass(frozen=True, eq=False)
class RefitAnswers:
    """What a learner said after each training set.

    Parameters
    ----------
    cases : Cases
        The table.
    sets : TrainingSets
        The training sets and the rows asked after each.
    measure : Measure
        What is measured.
    said : list
        For each training set the answers to the asked rows, or the score.
    """

    cases: LabelledTable
    sets: TrainingSets
    measure: Measure
    said: list[Any]

    def scores(self) -> NDArray[np.float64]:
        """Measure each training set by itself; NaN where no row was asked."""
        return np.array([self._score(place) for place in range(len(self.sets))], dtype=np.float64)

    def _score(self, place: int) -> float:
        rows = self.sets.test(place)
        if rows.size == 0:
            return float("nan")
        if self.measure.kind == "scorer":
            return float(self.said[place])
        return self.measure.value(self.cases, rows, self.said[place])

    def together(self, places: range) -> float:
        """Measure the answers after several training sets as one; scores are averaged."""
        if self.measure.kind == "scorer":
            return float(np.mean([self.said[place] for place in places]))
        rows = np.concatenate([self.sets.test(place) for place in places])
        return self.measure.value(self.cases, rows, np.concatenate([self.said[place] for place in places]))

    def per_example(self) -> NDArray[np.float64] | None:
        """Give the share of wrong answers to each case; NaN for one that was never asked."""
        if self.measure.kind != "error":
            return None
        asked, wrong = np.zeros(len(self.cases)), np.zeros(len(self.cases))
        for place, said in enumerate(self.said):
            rows = self.sets.test(place)
            asked[rows] += 1
            wrong[rows] += said != self.cases.codes[rows]
        with np.errstate(invalid="ignore"):
            return np.asarray(wrong / asked)

    def n_silent(self) -> int:
        """Count the answers that were none."""
        if self.measure.kind in ("scorer", "probabilities"):
            return 0
        return sum(int(np.count_nonzero(said < 0)) for said in self.said)

    def n_undefined(self) -> int:
        """Count the test sets on which a scorer gave no number."""
        return int(np.isnan(self.said).sum()) if self.measure.kind == "scorer" else 0

    def n_one_class(self) -> int:
        """Count the training sets that hold one class only."""
        found = 0
        for place in range(len(self.sets)):
            present = self.cases.codes[self.sets.train(place)]
            found += bool(np.all(present == present[0]))
        return found


def judge(
    learner: Any,
    cases: LabelledTable,
    sets: TrainingSets,
    measure: Measure,
    *,
    n_jobs: int | None,
    rng: np.random.Generator,
) -> RefitAnswers:
    """Let the learner learn from each training set and answer what is asked after it."""
    if measure.kind in ("error", "answers"):
        said: list[Any] = list(answers(learner, cases, sets, n_jobs=n_jobs, rng=rng))
    else:
        said = ask(learner, cases, sets, measure.ask(cases), n_jobs=n_jobs, rng=rng)
    return RefitAnswers(cases, sets, measure, said)


@dataclass(frozen=True, eq=False)
class Refits:
    """A learner and the cases it is to be judged by.

    Parameters
    ----------
    learner : classifier
        Cloned before every fit.
    cases : Cases
        The table.
    measure : Measure
        What is measured.
    n_jobs : int or None
        How many fits run at the same time.
    rng : Generator
        The source of all chance: what is drawn, and the seeds of learners that have none.
    """

    learner: Any
    cases: LabelledTable
    measure: Measure
    n_jobs: int | None
    rng: np.random.Generator

    def judge(self, sets: TrainingSets) -> RefitAnswers:
        """Let the learner learn from each training set and answer what is asked after it."""
        return judge(self.learner, self.cases, sets, self.measure, n_jobs=self.n_jobs, rng=self.rng)
