"""The slices view: where a model is more or less accurate than average, and where two models differ."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from fivefold.errors import InputError, InputTypeError
from fivefold.evaluation.bits_view import BitsView
from fivefold.evaluation.findings import Finding, Importance
from fivefold.inputs.columns import Column, read_columns
from fivefold.inputs.predictions import Predictions
from fivefold.slices.find import Question, ask, say_who
from fivefold.slices.items import RowsInMemory
from fivefold.slices.labels import code_together
from fivefold.slices.measuring import holds
from fivefold.slices.profile import FeatureProfile, Profiler
from fivefold.slices.slice_set import Slice, SliceSet
from fivefold.slices.stucco import Stucco
from fivefold.slices.wording import Differences, Errors

DESCRIBED = 25
MOST_VALUES = 1000
MOST_PAIRS = 12
NO_ANSWER, SEVERAL = "no answer", "several classes"


@dataclass(frozen=True)
class PairCount:
    """How many cases have this truth and this answer, or these two answers, in a slice and outside of it."""

    first: str
    second: str
    inside: int
    outside: int


@dataclass(frozen=True)
class MeasureInside:
    """The mean of a measure over the cases of a slice, and over all others."""

    name: str
    unit: str
    inside: float
    outside: float


@dataclass(frozen=True)
class SliceRows:
    """What the cases of a slice are like: their attributes, what is true and said of them, and all measures."""

    features: tuple[FeatureProfile, ...]
    pairs: tuple[PairCount, ...]
    measures: tuple[MeasureInside, ...] = ()


@dataclass(frozen=True, eq=False)
class SlicesView:
    """Where a model errs, or where two models differ.

    Parameters
    ----------
    models : tuple of str
        One model, or two.
    found : SliceSet
        The slices.
    rows : tuple of SliceRows
        What the first of them are like.
    left_out : tuple of str
        Columns with so many values that none is frequent.
    """

    models: tuple[str, ...]
    found: SliceSet = field(repr=False)
    rows: tuple[SliceRows, ...] = field(repr=False)
    left_out: tuple[str, ...]

    @property
    def names_of_pair(self) -> tuple[str, str]:
        """What is counted against what: truth and answer, or two answers."""
        return ("Truth", "Answer") if len(self.models) == 1 else (self.models[0], self.models[1])

    @property
    def worst(self) -> Slice | None:
        """The slice below average that costs most; None if there is none.

        Slices that can be told before the truth is known come first: that a model errs more on the rarer class is
        seldom news.
        """
        worse = self.found.deployable().worse() or self.found.worse()
        return worse[0] if worse else None

    def finding(self) -> Finding:
        """Say the slice below average that costs most, or that there is none."""
        who = " and ".join(self.models)
        tests = {
            "tests": self.found.tests.total,
            "correction": self.found.tests.correction,
            "slices": len(self.found),
        }
        worst = self.worst
        if self.found.n_agree == self.found.n_cases:
            what = "it is right on every case" if len(self.models) == 1 else "they agree on every case"
            return Finding("slices", self.models, f"{who}: {what}.", tests, Importance.DETAIL)
        if worst is None:
            what = "is it below" if len(self.models) == 1 else "do they agree less than"
            sentence = (
                f"{who}: on no group of cases {what} average beyond chance "
                f"({self.found.tests.total:,} groups were tested)."
            )
            return Finding("slices", self.models, sentence, tests, Importance.DETAIL)
        return Finding("slices", self.models, worst.sentence, _evidence(worst) | tests)


class ModelWithSlices(Protocol):
    """What must be known of a model to compare it with another."""

    @property
    def predictions(self) -> Predictions:
        """What it said."""

    @property
    def bits(self) -> BitsView:
        """How much it learned."""

    @property
    def slices(self) -> SlicesView | None:
        """Where it errs."""


def _evidence(one: Slice) -> dict[str, Any]:
    return {
        "cases": one.n,
        "agreeing": one.n_agree,
        "difference": one.difference,
        "simultaneous_limits": one.interval,
        "adjusted_p_value": one.adjusted_p_value,
        "query": one.to_sql(),
    }


Measures: TypeAlias = Mapping[tuple[str, str], NDArray[np.float64]]
"""Measures of each case, by name and unit."""


def look_at_slices(
    said: Predictions, target: str, random_state: int, measures: Measures | None = None
) -> tuple[SlicesView | None, str]:
    """Find where a model is more or less accurate than average; or say why that cannot be.

    Parameters
    ----------
    said : Predictions
        What the model said.
    target : str
        The name of the true class.
    random_state : int
        Seed.
    measures : mapping of (name, unit) to ndarray, optional
        What else is known of each case, to be shown inside and outside of each slice.
    """
    try:
        columns, left_out = _attributes(said.features)
    except (InputError, InputTypeError) as problem:
        return None, str(problem)
    if not columns:
        return None, "no attributes of the cases are known"
    name = target if target not in {column.name for column in columns} else f"{target} (true)"
    truth = Column(name, "nominal", said.truth, tuple(said.classes.tolist()))
    question = Question(
        RowsInMemory((*columns, truth), _right(said), 2), frozenset([name]), Errors(said.name)
    )
    labels = [str(label) for label in said.classes]
    pairs = _Pairs(np.asarray(said.truth), _answers(said), (labels, [*labels, SEVERAL, NO_ANSWER]))
    return _view((said.name,), question, columns, left_out, pairs, random_state, measures or {}), ""


def look_at_differences(models: Sequence[ModelWithSlices], random_state: int) -> SlicesView | None:
    """Find where the two models that save most bits agree more or less often than average."""
    judged = [model for model in models if model.slices]
    if len(judged) < 2:
        return None
    best = sorted(judged, key=lambda model: -model.bits.saved)[:2]
    first, second = (model.predictions for model in best)
    columns, left_out = _attributes(first.features)
    same = np.asarray((first.sets() == second.sets()).all(axis=1))
    labels = [*(str(label) for label in first.classes), SEVERAL, NO_ANSWER]
    pairs = _Pairs(_answers(first), _answers(second), (labels, labels))
    cases = RowsInMemory(columns, same, 2, (_right(first), _right(second)))
    names = first.name, second.name
    view = _view(
        names, Question(cases, frozenset(), Differences(*names)), columns, left_out, pairs, random_state
    )
    return replace(view, found=say_who(view.found, cases, names))


@dataclass(frozen=True, eq=False)
class _Pairs:
    """Two codes for each case, and their names."""

    first: NDArray[Any]
    second: NDArray[Any]
    names: tuple[list[str], list[str]]

    def count(self, inside: NDArray[np.bool_]) -> tuple[PairCount, ...]:
        """Count the pairs that occur, the most frequent in the slice first."""
        width = len(self.names[1])
        keys = self.first.astype(np.int64) * width + self.second
        told = np.bincount(keys[inside], minlength=len(self.names[0]) * width)
        every = np.bincount(keys, minlength=told.size)
        order = np.lexsort((-every, -told))[:MOST_PAIRS]
        return tuple(
            PairCount(
                self.names[0][key // width],
                self.names[1][key % width],
                int(told[key]),
                int(every[key] - told[key]),
            )
            for key in order
            if every[key]
        )


def _view(
    models: tuple[str, ...],
    question: Question,
    columns: Sequence[Column],
    left_out: tuple[str, ...],
    pairs: _Pairs,
    random_state: int,
    measures: Measures | None = None,
) -> SlicesView:
    miner = Stucco(n_jobs=-1)
    rng = np.random.default_rng(random_state)
    found = ask(question, miner, 0.0, rng, miner.alpha, miner.min_support_difference)
    every = question.held("a description").columns
    return SlicesView(models, found, _describe(found, every, columns, pairs, measures or {}), left_out)


def _describe(
    found: SliceSet, every: Sequence[Column], columns: Sequence[Column], pairs: _Pairs, measures: Measures
) -> tuple[SliceRows, ...]:
    if not found:
        return ()
    profiler = Profiler(columns)
    masks = (holds(every, one.terms) for one in found[:DESCRIBED])
    return tuple(
        SliceRows(profiler.describe(inside), pairs.count(inside), _measured(measures, inside))
        for inside in masks
    )


def _measured(measures: Measures, inside: NDArray[np.bool_]) -> tuple[MeasureInside, ...]:
    if inside.all() or not inside.any():
        return ()
    return tuple(
        MeasureInside(name, unit, float(values[inside].mean()), float(values[~inside].mean()))
        for (name, unit), values in measures.items()
    )


def view_slices(
    found: SliceSet, X: Any, first: Any, second: Any, models: tuple[str, ...], extra: Sequence[Column] = ()
) -> SlicesView:
    """Describe the rows of slices that were found before.

    Parameters
    ----------
    found : SliceSet
        The slices.
    X : data frame
        The attributes.
    first, second : array-like
        The truth and the answers of one model, or the answers of two.
    models : tuple of str
        One model, or two.
    extra : sequence of Column
        Columns beside the attributes that slices name.
    """
    columns = read_columns(X)
    one, two, classes = code_together(first, second, ("the first labels", "the second labels"))
    labels = [*(str(label) for label in classes), NO_ANSWER]
    none = len(classes)
    pairs = _Pairs(np.where(one < 0, none, one), np.where(two < 0, none, two), (labels, labels))
    return SlicesView(models, found, _describe(found, (*columns, *extra), columns, pairs, {}), ())


def _attributes(features: Any) -> tuple[tuple[Column, ...], tuple[str, ...]]:
    """Read the attributes; a column such as a name or a number of a person can be no condition."""
    if features is None:
        return (), ()
    columns = read_columns(features)
    many = {c.name for c in columns if c.categories is not None and len(c.categories) > MOST_VALUES}
    return tuple(c for c in columns if c.name not in many), tuple(c.name for c in columns if c.name in many)


def _right(said: Predictions) -> NDArray[np.bool_]:
    """Say where the answer is the truth and nothing else."""
    return np.asarray(_answers(said) == said.truth)


def _answers(said: Predictions) -> NDArray[np.int64]:
    """Give the class of each answer; the number of classes for several, and one more for none."""
    k = said.n_classes
    if said.answers.ndim == 1:
        return np.where(said.answers < 0, k + 1, said.answers).astype(np.int64)
    size = said.answers.sum(axis=1)
    return np.where(size == 1, said.answers.argmax(axis=1), np.where(size == 0, k + 1, k)).astype(np.int64)
