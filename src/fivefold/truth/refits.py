"""Refits: an estimator fitted to many training sets of one table, and what its answers after each are worth."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from fivefold.errors import InputError, InputTypeError, show
from fivefold.results import Direction, Metric, all_metrics
from fivefold.training.class_alignment import labels_at, predicted_probabilities
from fivefold.training.fit_predict import Codes, LabelledTable, fit_and_ask, holds_fitted, refit_seeds
from fivefold.training.splits import Rows, Splits
from fivefold.truth.error_estimate import ErrorEstimate, Floats
from fivefold.truth.fast_refits import predict_labels

Kind = Literal["error", "answers", "probabilities", "scorer"]


@dataclass(frozen=True, eq=False)
class Measure:
    """A measure and what it reads: right and wrong, labels, probabilities, or the fitted estimator itself."""

    name: str
    title: str
    unit: str
    direction: Direction
    kind: Kind
    function: Callable[..., float] = NotImplemented

    def value(self, table: LabelledTable, rows: Rows, answers: NDArray[Any]) -> float:
        """Measure answers to some rows, put in the order of the table."""
        if self.kind == "error":
            return float(np.mean(answers != table.codes[rows]))
        order = np.argsort(rows, kind="stable")
        rows, answers = rows[order], answers[order]
        given = answers if self.kind == "probabilities" else labels_at(answers, table.classes)
        return float(self.function(table.labels(rows), given, classes=table.classes))


PARTLY_FITTED = (
    "A part of the learner came already fitted and stays so (FrozenEstimator): if it was trained on some of these "
    "cases, the estimate is too good."
)
ERROR = Measure("error", "Error", "share of cases", "lower is better", "error")


def as_measure(metric: Any) -> Measure:
    """Read a metric by its name or as a function or scorer."""
    if isinstance(metric, str):
        return ERROR if metric == "error" else _named_measure(metric)
    if not callable(metric):
        raise InputTypeError(
            "metric to be a name, a metric of Fivefold or a scorer",
            f"{show(metric)} ({type(metric).__name__})",
        )
    described = getattr(metric, "metric", None)
    if isinstance(described, Metric):
        return _of_fivefold(described)
    return _of_scorer(metric, getattr(metric, "__name__", None) or str(metric))


def _named_measure(name: str) -> Measure:
    from sklearn.metrics import get_scorer, get_scorer_names

    if name in get_scorer_names():
        return _of_scorer(get_scorer(name), name)
    metrics = all_metrics()
    if name in metrics:
        return _of_fivefold(metrics[name])
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


@dataclass(frozen=True, eq=False)
class Refits:
    """An estimator, the table by which it is measured, the measure, and the source of all chance."""

    estimator: Any
    table: LabelledTable
    measure: Measure
    n_jobs: int | None
    rng: np.random.Generator

    def run(self, splits: Splits) -> RefitAnswers:
        """Let the estimator learn from each training set and answer what is asked after it."""
        kept = holds_fitted(self.estimator)
        if self.measure.kind in ("error", "answers"):
            return RefitAnswers(self.table, splits, self.measure, self.labels(splits), kept)
        question = self._score if self.measure.kind == "scorer" else self._probabilities
        seeds = refit_seeds(self.estimator, len(splits), self.rng)
        answers = fit_and_ask(self.estimator, self.table, splits, question, seeds, n_jobs=self.n_jobs)
        return RefitAnswers(self.table, splits, self.measure, answers, kept)

    def labels(self, splits: Splits) -> list[Codes]:
        """Give the predicted class of each asked row after each training set, whatever is measured."""
        return predict_labels(self.estimator, self.table, splits, n_jobs=self.n_jobs, rng=self.rng)

    def _score(self, model: Any, X: Any, rows: Rows) -> float:
        try:
            return float(self.measure.function(model, X, self.table.labels(rows))) if rows.size else np.nan
        except Exception as problem:  # of any scorer's own kind; the learner has learnt without one
            raise InputError(
                f"answers that the metric {self.measure.name} can judge in every test set",
                f"{type(problem).__name__} on {rows.size} rows: {show(str(problem), 200)}",
            ) from problem

    def _probabilities(self, model: Any, X: Any, rows: Rows) -> Floats:
        if not rows.size:
            return np.empty((0, self.table.classes.size))
        return predicted_probabilities(model, X, self.table.classes)


@dataclass(frozen=True, eq=False)
class RefitAnswers:
    """What an estimator answered to the asked rows after each training set, or the score that it got."""

    table: LabelledTable
    splits: Splits
    measure: Measure
    answers: list[Any]
    partly_fitted: bool = False

    def scores(self) -> Floats:
        """Measure each training set by itself; NaN where no row was asked."""
        return np.array([self._score(place) for place in range(len(self.splits))], dtype=np.float64)

    def _score(self, place: int) -> float:
        rows = self.splits.test(place)
        if rows.size == 0:
            return float("nan")
        if self.measure.kind == "scorer":
            return float(self.answers[place])
        return self.measure.value(self.table, rows, self.answers[place])

    def n_tested(self) -> NDArray[np.int64]:
        """Count the rows asked after each training set."""
        return np.array([self.splits.test(place).size for place in range(len(self.splits))], dtype=np.int64)

    def together(self, places: range) -> float:
        """Measure the answers after several training sets as one; scores are averaged."""
        if self.measure.kind == "scorer":
            return float(np.mean([self.answers[place] for place in places]))
        rows = np.concatenate([self.splits.test(place) for place in places])
        return self.measure.value(self.table, rows, np.concatenate([self.answers[place] for place in places]))

    def per_example(self) -> Floats | None:
        """Give the share of wrong answers to each row; NaN for one that was never asked."""
        if self.measure.kind != "error":
            return None
        asked, wrong = np.zeros(len(self.table)), np.zeros(len(self.table))
        for place, answers in enumerate(self.answers):
            rows = self.splits.test(place)
            asked[rows] += 1
            wrong[rows] += answers != self.table.codes[rows]
        with np.errstate(invalid="ignore"):
            return np.asarray(wrong / asked)

    def estimate(
        self, value: float, method: str, description: str, *, scores: Floats | None = None, **more: Any
    ) -> ErrorEstimate:
        """Give the estimate that was made of these answers; what is not said otherwise is one repetition."""
        scores = self.scores() if scores is None else scores
        usual = {
            "n_tested": self.n_tested(),
            "n_fits": len(self.splits),
            "per_example": self.per_example(),
            "repetition": np.zeros(len(scores), dtype=np.int64),
        }
        metric, direction = self.measure.name, self.measure.direction
        return ErrorEstimate(value, method, description, metric, direction, scores, **{**usual, **more})

    def warnings(self) -> list[str]:
        """Say what happened that the answers themselves do not show."""
        n, sentences = len(self.splits), [PARTLY_FITTED] if self.partly_fitted else []
        if self.measure.kind in ("error", "answers"):
            if empty := sum(int(np.count_nonzero(answers < 0)) for answers in self.answers):
                were = "answer was" if empty == 1 else "answers were"
                sentences.append(f"{empty} {were} empty and counted as wrong.")
        elif self.measure.kind == "scorer" and (undefined := int(np.isnan(self.answers).sum())):
            sentences.append(
                f"{self.measure.title} is not defined on {undefined} of {n} test sets, so the estimate is not a "
                "number; larger or stratified test sets may help."
            )
        learnt = (self.table.codes[self.splits.train(place)] for place in range(n))
        if one_class := sum(bool(np.all(codes == codes[0])) for codes in learnt):
            sentences.append(
                f"{one_class} training set{'s' if one_class > 1 else ''} of {n} held cases of one class "
                "only; there the answer is that class, without training the learner."
            )
        return sentences
