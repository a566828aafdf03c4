"""What is measured of a learner's answers: errors, a metric of Fivefold, or a scorer of scikit-learn."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from fivefold.errors import InputError, InputTypeError, show
from fivefold.results.metric import METRICS, Direction, Metric
from fivefold.truth.cases import Cases, Codes, Ints

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

    def ask(self, cases: Cases) -> Callable[[Any, Any, Ints], Any]:
        """Give the question that is put to each fitted learner: its score, or its probabilities."""

        def score(model: Any, X: Any, rows: Ints) -> float:
            return float(self._function(model, X, cases.labels(rows))) if rows.size else np.nan

        def probabilities(model: Any, X: Any, rows: Ints) -> NDArray[np.float64]:
            return _probabilities(model, X, rows, cases)

        return score if self.kind == "scorer" else probabilities

    def value(self, cases: Cases, rows: Ints, said: NDArray[Any]) -> float:
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


def _labels(codes: Codes, cases: Cases) -> NDArray[Any]:
    if codes.size and codes.min() >= 0:
        labels: NDArray[Any] = cases.classes[codes]
        return labels
    named = np.append(cases.classes.astype(object), [None])
    silent: NDArray[Any] = named[codes]
    return silent


def _probabilities(model: Any, X: Any, rows: Ints, cases: Cases) -> NDArray[np.float64]:
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
