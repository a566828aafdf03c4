"""Trial: one learner trained on one split, asked once and measured by several views."""

from __future__ import annotations

import inspect
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fivefold.bets.calibration import miscalibration
from fivefold.bets.scores import brier_score, information_reward, log_score
from fivefold.bits.codes import significance, summarise_answers
from fivefold.bits.theory import theory_length
from fivefold.data.table import Table
from fivefold.errors import InputError, show
from fivefold.inputs.options import one_of
from fivefold.results import all_metrics
from fivefold.study.job import digest, encode, shared, task
from fivefold.training.class_alignment import predicted_probabilities, predicted_sets
from fivefold.training.fit_predict import fit_to_rows, take_rows
from fivefold.training.seeds import derive_seed
from fivefold.training.splits import Rows, draw_planned

_LAST = threading.local()


@dataclass(frozen=True, eq=False)
class Trial:
    """A model that was fitted to some rows of a table, and the rows that it has not seen."""

    model: Any
    table: Table
    train: Rows
    test: Rows

    @cached_property
    def test_cases(self) -> Any:
        """The test cases."""
        return take_rows(self.table.X, self.test)

    @property
    def y_test(self) -> NDArray[Any]:
        """The classes of the test cases."""
        return self.table.y[self.test]

    @cached_property
    def classes(self) -> NDArray[Any]:
        """All classes of the table, also those that no training case has."""
        return np.unique(self.table.y)

    @cached_property
    def labels(self) -> NDArray[Any]:
        """One class for each test case."""
        return np.asarray(self.model.predict(self.test_cases))

    def sets(self, missing_test: str) -> NDArray[np.bool_]:
        """Give the set of classes that is answered for each test case; for most learners it has one class."""
        if not hasattr(self.model, "predict_sets"):
            if missing_test != "follow":
                raise InputError(
                    f"a learner with predict_sets for missing_test={missing_test!r}",
                    type(self.model).__name__,
                )
            return np.asarray(self.labels[:, None] == self.classes[None, :])
        return predicted_sets(self.model, self.test_cases, self.classes, missing_test=missing_test)

    @cached_property
    def probabilities(self) -> NDArray[np.float64]:
        """The probability of each class for each test case."""
        return predicted_probabilities(self.model, self.test_cases, self.classes)


def make_trial(data: str, learner: Any, split: dict[str, Any], seed: int) -> Trial:
    """Train a learner on a split; its free ``random_state`` hangs on seed, data and split alone."""
    table: Table = shared(data)
    train, test = draw_planned(split, table.y, seed, data)
    own_seed = derive_seed(seed, data, "learner", split["number"], split.get("fold", 0))
    return Trial(fit_to_rows(learner, table.X, table.y, train, own_seed), table, train, test)


def last_trial(name: str, data: str, learner: Any, split: dict[str, Any], seed: int) -> Trial:
    """Give the trial of this name, anew unless it was the last one asked for in this thread.

    The views of one trial are jobs of one group, which follow each other: a learner is trained once for all of
    them. A failure is remembered in the same way.
    """
    if getattr(_LAST, "name", None) != name:
        _LAST.name = None
        try:
            _LAST.trial = make_trial(data, learner, split, seed)
        except Exception as problem:
            _LAST.trial = problem
        _LAST.name = name
    trial: Trial | Exception = _LAST.trial
    if isinstance(trial, Exception):
        raise trial
    return trial


Numbers = dict[str, Any]
# Keys hold options under the names that these had when results were first stored: renaming leaves them valid.
_FIRST_NAMES = {"min_cases": "min_cell"}
_NAMES_NOW = {first: now for now, first in _FIRST_NAMES.items()}
_GIVEN = {"y_true", "y_pred", "y_prob", "classes", "sample_weight"}


def accuracy(trial: Trial) -> Numbers:
    """Share of test cases whose single predicted class is right."""
    return {"accuracy": float((trial.labels == trial.y_test).mean())}


def bits(
    trial: Trial, *, codes: Sequence[str] = ("frequency", "mixture"), missing_test: str = "follow"
) -> Numbers:
    """Bits saved by the answers, under each of the codes, and how many classes the answers have."""
    sets, y, classes = trial.sets(missing_test), trial.y_test, trial.classes
    answers = summarise_answers(y, sets, classes=classes)
    saved = {f"bits_{code}": significance(y, sets, classes=classes, code=code) for code in codes}
    return {
        **saved,
        "right_alone": answers.accuracy,
        "right_among": answers.coverage,
        "several": answers.share_several,
        "none": answers.share_empty,
    }


def bets(
    trial: Trial,
    *,
    clip: int | str | None = None,
    multiclass: str = "contrast",
    ties: Sequence[str] = ("together",),
    min_cases: int = 10,
) -> Numbers:
    """What the probabilities are worth: reward, miscalibration, Brier and log score.

    The reward may be clipped by a sample size, or by the number of training cases ("train"), which is the paper's.
    Of several rules of ties, the second and later ones have their name in the name of their miscalibration.
    """
    y, prob, classes = trial.y_test, trial.probabilities, trial.classes
    if isinstance(clip, str):
        one_of(clip, ("train",), "clip")
        clip = trial.train.size
    reward = information_reward(y, prob, classes=classes, multiclass=multiclass, clip=clip)
    cells = {
        "miscalibration" if rule == "together" else f"miscalibration_{rule}": miscalibration(
            y, prob, classes=classes, min_cases=min_cases, ties=rule
        )
        for rule in ties
    }
    scores = {score.__name__: score(y, prob, classes=classes) for score in (brier_score, log_score)}
    return {"reward": reward, **cells, **scores}


def theory(trial: Trial, *, questions: str = "train") -> Numbers:
    """Bits of the theory itself, whose receiver knows these cases; None for learners that have none."""
    rows = {"train": trial.train, "test": trial.test}[one_of(questions, ("train", "test"), "questions")]
    return {"theory_bits": theory_length(trial.model, take_rows(trial.table.X, rows))}


VIEWS: dict[str, Callable[..., Numbers]] = {view.__name__: view for view in (accuracy, bits, bets, theory)}


@dataclass(frozen=True)
class View:
    """A view with its options.

    Parameters
    ----------
    kind : str
        One of `VIEWS`, or the name of a metric of `fivefold.bits` or `fivefold.bets`.
    options : mapping
        The options that differ from the defaults.
    """

    kind: str
    options: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        one_of(self.kind, [*VIEWS, *all_metrics()], "view")
        allowed = self._defaults()
        for name in self.options:
            if name not in allowed:
                raise InputError(
                    f"an option of view {self.kind!r}", show(name), f"it has {', '.join(allowed) or 'none'}"
                )

    def _defaults(self) -> dict[str, Any]:
        function = VIEWS[self.kind] if self.kind in VIEWS else all_metrics()[self.kind].function
        return {
            name: list(parameter.default) if isinstance(parameter.default, tuple) else parameter.default
            for name, parameter in inspect.signature(function).parameters.items()
            if name not in {"trial", *_GIVEN}
        }

    def all_options(self) -> dict[str, Any]:
        """Give all options, so that a changed default is a changed view, by the names that keys know them by."""
        return {
            _FIRST_NAMES.get(name, name): value
            for name, value in {**self._defaults(), **self.options}.items()
        }


def measure(trial: Trial, kind: str, options: Mapping[str, Any]) -> Numbers:
    """Look at a trial."""
    options = {_NAMES_NOW.get(name, name): value for name, value in options.items()}
    if kind in VIEWS:
        return VIEWS[kind](trial, **options)
    metric = all_metrics()[kind]
    stated: tuple[Any, ...] = ()
    if metric.reads == "answers":
        stated = (trial.sets("follow"),)
    elif metric.reads == "probabilities":
        stated = (trial.probabilities,)
    return {kind: metric.function(trial.y_test, *stated, classes=trial.classes, **options)}


TASK = "evaluate"


@task(TASK, version=1)
def evaluate(params: Mapping[str, Any], seed: int) -> Mapping[str, Any]:
    """Give the numbers of one view of one trial: data by their fingerprint, learner, split, view with options."""
    data, learner, split = params["data"], params["learner"], params["split"]
    name = digest(encode([data, learner, split, seed]))
    return measure(last_trial(name, data, learner, split, seed), **params["view"])
