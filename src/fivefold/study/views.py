"""What is measured of a trial: views by name, each with options of its own."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from fivefold.bets.calibration import miscalibration
from fivefold.bets.scores import brier_score, information_reward, log_score
from fivefold.bits.codes import significance, summarise_answers
from fivefold.bits.theory import theory_length
from fivefold.errors import InputError, show
from fivefold.inputs.options import one_of
from fivefold.results import METRICS, Metric
from fivefold.study.trial import Trial

Numbers = dict[str, Any]
_GIVEN = {"y_true", "predicted", "y_prob", "classes", "sample_weight"}


def accuracy(trial: Trial) -> Numbers:
    """Share of test cases whose single predicted class is right."""
    return {"accuracy": float((trial.labels == trial.y_test).mean())}


def bits(
    trial: Trial, *, codes: Sequence[str] = ("frequency", "mixture"), missing_test: str = "follow"
) -> Numbers:
    """Bits saved by the answers, under each of the codes, and how many classes the answers have.

    Parameters
    ----------
    trial : Trial
        The trial.
    codes : sequence of str
        Codes of `fivefold.bits.significance`.
    missing_test : {"follow", "fails"}
        What becomes of a test on a missing value, as in ``predict_sets``.
    """
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
    min_cell: int = 10,
) -> Numbers:
    """What the probabilities are worth: reward, miscalibration, Brier and log score.

    Parameters
    ----------
    trial : Trial
        The trial.
    clip : int, "train" or None
        The sample size that bounds the reward, as in `fivefold.bets.information_reward`; "train" is the number of
        training cases, which is the paper's.
    multiclass : {"contrast", "log"}
        How the reward reads more than two classes.
    ties : sequence of {"together", "paper"}
        Tie rules of the miscalibration; the second and later ones have their name in the number's name.
    min_cell : int
        Least number of cases in a cell of the miscalibration.
    """
    y, prob, classes = trial.y_test, trial.probabilities, trial.classes
    if isinstance(clip, str):
        one_of(clip, ("train",), "clip")
        clip = trial.train.size
    reward = information_reward(y, prob, classes=classes, multiclass=multiclass, clip=clip)
    cells = {
        "miscalibration" if rule == "together" else f"miscalibration_{rule}": miscalibration(
            y, prob, classes=classes, min_cell=min_cell, ties=rule
        )
        for rule in ties
    }
    scores = {score.__name__: score(y, prob, classes=classes) for score in (brier_score, log_score)}
    return {"reward": reward, **cells, **scores}


def theory(trial: Trial, *, questions: str = "train") -> Numbers:
    """Bits of the theory itself; None for learners that have none.

    Parameters
    ----------
    trial : Trial
        The trial.
    questions : {"train", "test"}
        Which cases the receiver of the theory knows.
    """
    known = (
        trial.training_cases
        if one_of(questions, ("train", "test"), "questions") == "train"
        else trial.test_cases
    )
    return {"theory_bits": theory_length(trial.model, known)}


VIEWS: dict[str, Callable[..., Numbers]] = {
    view.__name__: view for view in (accuracy, bits, bets, theory)
}  # fmt: skip


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
        one_of(self.kind, [*VIEWS, *METRICS], "view")
        function = VIEWS[self.kind] if self.kind in VIEWS else METRICS[self.kind].function
        allowed = [name for name in inspect.signature(function).parameters if name not in {"trial", *_GIVEN}]
        for name in self.options:
            if name not in allowed:
                raise InputError(
                    f"an option of view {self.kind!r}", show(name), f"it has {', '.join(allowed) or 'none'}"
                )

    def all_options(self) -> dict[str, Any]:
        """Give all options, so that a changed default is a changed view."""
        function = VIEWS[self.kind] if self.kind in VIEWS else METRICS[self.kind].function
        defaults = {
            name: list(each.default) if isinstance(each.default, tuple) else each.default
            for name, each in inspect.signature(function).parameters.items()
            if name not in {"trial", *_GIVEN}
        }
        return {**defaults, **self.options}


def measure(trial: Trial, kind: str, options: Mapping[str, Any]) -> Numbers:
    """Look at a trial."""
    if kind in VIEWS:
        return VIEWS[kind](trial, **options)
    return {kind: _metric(METRICS[kind], trial, options)}


def _metric(metric: Metric, trial: Trial, options: Mapping[str, Any]) -> float:
    stated: tuple[Any, ...] = ()
    if metric.reads == "answers":
        stated = (trial.sets("follow"),)
    elif metric.reads == "probabilities":
        stated = (trial.probabilities,)
    return metric.function(trial.y_test, *stated, classes=trial.classes, **options)
