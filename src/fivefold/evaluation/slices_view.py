"""The slices view: where a model is more or less accurate than average, and where two models differ."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from math import isfinite
from typing import Any, NotRequired, TypeAlias, TypedDict

import numpy as np
from numpy.typing import NDArray

from fivefold.data.conditions import During, Equals, Within
from fivefold.data.cut_points import Cuts
from fivefold.errors import InputError, InputTypeError
from fivefold.evaluation.findings import ALPHA, Finding, Importance
from fivefold.inputs._kernels import AT_ONCE, count_codes
from fivefold.inputs.columns import Column, plain_value
from fivefold.inputs.labels import encode_together
from fivefold.inputs.predictions import Predictions
from fivefold.results import Count, Share, View, declared, forwarded, number
from fivefold.slices.attributes import Attributes, judge_columns, read_again, read_attributes
from fivefold.slices.find import find_slices, grouped_rows
from fivefold.slices.items import ColumnTerms, code_column, holds
from fivefold.slices.slice_set import Differences, Errors, Slice, SliceSet
from fivefold.slices.stucco import Stucco
from fivefold.slices.texts import Contains

DESCRIBED = 25
MOST_PAIRS = 12
NO_ANSWER, SEVERAL, NO_CLASS = "no answer", "several classes", "no class"
OTHER, MISSING = "other values", "missing"


@dataclass(frozen=True)
class PairCount:
    """How many cases have this truth and this answer, or these two answers, in a slice and outside of it."""

    first: str
    second: str
    inside: Count
    outside: Count


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


class SliceTests(TypedDict):
    """How many tests were made, and what was done about it."""

    correction: str
    alpha: float
    n_tests: list[Count]
    alphas: list[float]
    n_permutations: Count
    total: Count


class ExplainedSlice(TypedDict):
    """A group of cases that deviates because of another."""

    conditions: str
    n: Count
    difference: float
    shrunk: float


class SliceEntry(TypedDict):
    """A group of cases, how a model does there, and the query that selects them."""

    conditions: str
    n: Count
    n_agree: Count
    rate: Share
    difference: float
    shrunk: float
    effect_size: float
    low: float
    high: float
    statistic: float
    p_value: Share | None
    adjusted_p_value: Share | None
    n_explained: Count
    held_back_n: NotRequired[Count]
    held_back_difference: NotRequired[float]
    held_back_low: NotRequired[float]
    held_back_high: NotRequired[float]
    held_back_p_value: NotRequired[Share | None]
    first_right: NotRequired[Count]
    second_right: NotRequired[Count]
    neither_right: NotRequired[Count]
    who_p_value: NotRequired[Share | None]
    sql: str
    python: str
    known_before: bool
    sentence: str
    explains: list[ExplainedSlice]
    rows: SliceRows | None


@dataclass(frozen=True, eq=False)
class SlicesView(View, view="slices"):
    """Where a model errs, or where two models differ.

    Parameters
    ----------
    models : tuple of str
        One model, or two.
    found : SliceSet
        The slices.
    rows : tuple of SliceRows
        What the first of them are like.
    by_truth : bool
        Whether slices that only the truth tells count as others do.
    """

    models: tuple[str, ...] = field(metadata=declared(meaning="One model, or two."))
    found: SliceSet = field(repr=False)
    rows: tuple[SliceRows, ...] = field(repr=False)
    by_truth: bool = field(default=False, repr=False)

    @cached_property
    def _written(self) -> dict[str, Any]:
        return self.found.to_dict()

    n_cases = forwarded("found.n_cases", Count, "How many cases were searched.")
    n_agree = forwarded("found.n_agree", Count, "How many cases are right, or agree.")
    rate = forwarded("found.rate", Share, "Share of all cases that are right, or on which two models agree.")
    n_proven = forwarded("found.n_proven", Count, "How many slices deviate beyond chance, shown or not.")
    note = forwarded("found.note", str, "What else must be said.")
    why_left_out = forwarded("found.left_out", dict[str, str], "Columns that were not searched, and why.")
    read_as = forwarded(
        "found.read_as", dict[str, str], "Columns of dates and text, and what was made of them."
    )

    @number()
    def left_out(self) -> list[str]:
        """Columns that were not searched."""
        return list(self.found.left_out)

    @number()
    def tests(self) -> SliceTests:
        """How many tests were made, and what was done about it."""
        tests: SliceTests = self._written["tests"]
        return tests

    @number()
    def summary(self) -> str:
        """All this in words."""
        return str(self.found)

    @number()
    def pair(self) -> tuple[str, str]:
        """What is counted against what: truth and answer, or two answers."""
        return ("Truth", "Answer") if len(self.models) == 1 else (self.models[0], self.models[1])

    @number()
    def slices(self) -> list[SliceEntry]:
        """The slices that explain all others, by their evidence; what the rows of the first of them are like."""
        described = [*self.rows, *[None] * (len(self.found) - len(self.rows))]
        return [
            entry | {"rows": rows} for entry, rows in zip(self._written["slices"], described, strict=True)
        ]

    @number(column="n_slices_worse", key=None)
    def n_worse(self) -> int:
        """How many slices are below average."""
        return len(self.found.worse())

    @number(column="worst_slice", key=None)
    def worst_loss(self) -> float | None:
        """Accuracy lost in the slice that costs most: its wrong answers beyond the average, of all cases."""
        return self.worst.effect_size / self.found.n_cases if self.worst else None

    @number(column="worst_slice_is", key=None)
    def worst_conditions(self) -> str | None:
        """The conditions of the slice that costs most."""
        return self.worst.conditions if self.worst else None

    @cached_property
    def worst(self) -> Slice | None:
        """The slice with most wrong answers beyond the average, among the proven; None if there is none.

        Slices that can be told before the truth is known come first: that a model errs more on the rarer class is
        seldom news. Beside a model that fails on none of these all are compared by what costs most.
        """
        told = self.found if self.by_truth else self.found.deployable()
        worse = told.worse() or self.found.worse()
        return min(worse, key=lambda part: part.effect_size, default=None)

    def finding(self) -> Finding:
        """Say the slice below average that costs most, or that there is none."""
        found, alone = self.found, len(self.models) == 1
        tests = {"tests": found.tests.total, "correction": found.tests.correction, "slices": len(found)}
        if found and found.n_agree != found.n_cases:
            shown = self.worst or found[0]
            judged = ((part.conditions, part.who_is_right) for part in found)
            proven = ((at, who) for at, who in judged if who and who.adjusted_p_value < ALPHA)
            apart = [(at, *self.models[:: 1 if who.n_first > who.n_second else -1]) for at, who in proven]
            evidence = _evidence(shown) | tests | ({"told_apart": apart[0]} if apart else {})
            return Finding("slices", self.models, shown.sentence, evidence, claims=("slice",))
        below = "is it less accurate" if alone else "do they agree less"
        tested = f"beyond chance (groups tested: {found.tests.total:,})"
        what = f"in no group of cases that is large enough to matter {below} than average {tested}"
        if found.n_agree in (0, found.n_cases):
            agrees = (Errors if alone else Differences).agrees
            what = f"{agrees} on {'every' if found.n_agree else 'no'} case"
        elif not found.tests.total:
            what = "no group of cases is large enough to be tested"
        sentence = f"{' and '.join(self.models)}: {what}."
        return Finding("slices", self.models, sentence, tests, Importance.DETAIL)


def _evidence(worst: Slice) -> dict[str, Any]:
    return {
        "cases": worst.n,
        "agreeing": worst.n_agree,
        "difference": worst.difference,
        "difference_to_expect": worst.held_back.difference if worst.held_back else worst.shrunk,
        "simultaneous_limits": worst.interval,
        "adjusted_p_value": worst.adjusted_p_value,
        "query": worst.to_sql(),
    }


Measures: TypeAlias = Mapping[tuple[str, str], Callable[[Any], NDArray[np.float64]]]
"""Measures of some cases, by name and unit; made when they are asked for, so that none are kept."""


def read_features(features: Any, keep: Sequence[str] = ()) -> Attributes:
    """Read the columns that describe the cases, or say why there are none."""
    return _without_twins(features, partial(read_attributes, keep=keep, narrow=True))


def judge_features(features: Any, keep: Sequence[str] = ()) -> Attributes:
    """Say what would become of the columns that describe the cases, without looking for words in texts."""
    return _without_twins(features, partial(judge_columns, keep=keep))


def _without_twins(features: Any, read: Callable[[Any], Attributes]) -> Attributes:
    if features is None:
        return Attributes(problem="no attributes of the cases are known")
    try:
        attributes = read(features)
    except (InputError, InputTypeError) as problem:
        return Attributes(problem=f"slices need {problem.expected}, but got {problem.got}")
    return attributes.without_twins()


def look_at_slices(
    predictions: Predictions,
    attributes: Attributes,
    target: str,
    miner: Stucco,
    measures: Measures,
    hold_back: float = 0.0,
) -> SlicesView:
    """Find where a model is more or less accurate than average."""
    columns = attributes.columns
    name = target if target not in {column.name for column in columns} else f"{target} (true)"
    truth = Column(name, "nominal", predictions.truth, tuple(predictions.classes.tolist()))
    rows = grouped_rows(attributes, predictions.right(), [truth])
    rows = replace(rows, belonging=predictions.groups)
    labels = [str(label) for label in predictions.classes]
    names = labels, [*labels, SEVERAL, NO_ANSWER, NO_CLASS]
    answers = _answers(predictions)
    pairs = _Pairs.of(predictions.truth, answers, names)
    wording = Errors(predictions.name, one_class_each=bool((answers < len(labels)).all()))
    afterwards = frozenset([name])
    slices = find_slices(rows, wording, miner, afterwards=afterwards, hold_back=hold_back)
    described = _describe(slices, rows.columns, columns, pairs, measures)
    return SlicesView((predictions.name,), slices, described)


def look_at_differences(
    first: Predictions, second: Predictions, attributes: Attributes, miner: Stucco, hold_back: float = 0.0
) -> SlicesView:
    """Find where two models agree more or less often than average."""
    if first.answers.ndim == second.answers.ndim == 1:
        same = np.asarray(first.answers == second.answers)
    else:
        same = np.asarray((first.sets() == second.sets()).all(axis=1))
    labels = [*(str(label) for label in first.classes), SEVERAL, NO_ANSWER, NO_CLASS]
    pairs = _Pairs.of(_answers(first), _answers(second), (labels, labels))
    right = first.right(), second.right()
    rows = replace(grouped_rows(attributes, same), right=right, belonging=first.groups)
    names = first.name, second.name
    wording = Differences(*names, judged=True)
    slices = find_slices(rows, wording, miner, hold_back=hold_back)
    described = _describe(slices, rows.columns, attributes.columns, pairs, {})
    return SlicesView(names, slices, described)


@dataclass(frozen=True, eq=False)
class _Pairs:
    """Two codes for each case as one number, how often each comes, and the names of the codes."""

    keys: NDArray[Any]
    total: NDArray[np.int64]
    names: tuple[list[str], list[str]]

    @classmethod
    def of(cls, first: NDArray[Any], second: NDArray[Any], names: tuple[list[str], list[str]]) -> _Pairs:
        """Pair the codes of each case."""
        size = len(names[0]) * len(names[1])
        keys = np.empty(len(first), dtype=np.min_scalar_type(size))
        for start in range(0, len(first), AT_ONCE):
            rows = slice(start, start + AT_ONCE)
            keys[rows] = first[rows].astype(np.int64) * len(names[1]) + second[rows]
        return cls(keys, count_codes(keys, size), names)

    def count(self, inside: NDArray[np.bool_]) -> tuple[PairCount, ...]:
        """Count the pairs that occur, the most frequent in the slice first."""
        width = len(self.names[1])
        total, within = self.total, count_codes(self.keys[inside], self.total.size)
        order = np.lexsort((-total, -within))[:MOST_PAIRS]
        return tuple(
            PairCount(
                self.names[0][key // width],
                self.names[1][key % width],
                int(within[key]),
                int(total[key] - within[key]),
            )
            for key in order
            if total[key]
        )


def _describe(
    slices: SliceSet, every: Sequence[Column], columns: Sequence[Column], pairs: _Pairs, measures: Measures
) -> tuple[SliceRows, ...]:
    if not slices:
        return ()
    profiler = Profiler(columns, slices.cuts)
    masks = (holds(every, part.terms) for part in slices[:DESCRIBED])
    starts = range(0, len(pairs.keys), AT_ONCE)
    totals = {
        name: sum(float(measure(slice(start, start + AT_ONCE)).sum()) for start in starts)
        for name, measure in measures.items()
    }
    return tuple(
        SliceRows(profiler.describe(inside), pairs.count(inside), _measured(measures, totals, inside))
        for inside in masks
    )


def _measured(
    measures: Measures, totals: Mapping[tuple[str, str], float], inside: NDArray[np.bool_]
) -> tuple[MeasureInside, ...]:
    n, n_inside = inside.size, int(np.count_nonzero(inside))
    if n_inside in (0, n):
        return ()
    means = []
    for (name, unit), measure in measures.items():
        within, total = float(measure(inside).sum()), totals[name, unit]
        # of what is infinite nothing can be taken away
        rest = total - within if np.isfinite(total) else float(measure(~inside).sum())
        means.append(MeasureInside(name, unit, within / n_inside, rest / (n - n_inside)))
    return tuple(means)


def view_slices(
    slices: SliceSet, X: Any, first: Any, second: Any, models: tuple[str, ...], extra: Sequence[Column] = ()
) -> SlicesView:
    """Describe the rows of slices that were found before."""
    columns = read_again(X, slices.schema, lambda column: True)
    codes, classes = encode_together((first, second), ("the first labels", "the second labels"))
    labels = [*(str(label) for label in classes), NO_ANSWER]
    none = len(classes)
    first_codes, second_codes = (np.where(column < 0, none, column) for column in codes)
    pairs = _Pairs.of(first_codes, second_codes, (labels, labels))
    return SlicesView(models, slices, _describe(slices, (*columns, *extra), columns, pairs, {}))


def _answers(predictions: Predictions) -> NDArray[Any]:
    """Give the class of each answer; the number of classes for several, and more for none and for no class."""
    answers, k = predictions.answers, predictions.n_classes
    none = k + 1 if predictions.unknown is None else np.where(predictions.unknown, k + 2, k + 1)
    if answers.ndim == 1:
        return np.where(answers < 0, np.asarray(none, dtype=np.min_scalar_type(-k - 3)), answers)
    size = answers.sum(axis=1)
    return np.where(size == 1, answers.argmax(axis=1), np.where(size == 0, none, k)).astype(np.int32)


@dataclass(frozen=True)
class FeatureProfile:
    r"""How often a column has each value among the cases of a slice, and among all others."""

    name: str
    values: tuple[str, ...]
    inside: tuple[int, ...]
    outside: tuple[int, ...]

    @property
    def distance(self) -> float:
        r"""Half of :math:`\sum_v |p_v - q_v|` for the shares inside and outside; 0 where one has no case."""
        inside, outside = np.array(self.inside, dtype=float), np.array(self.outside, dtype=float)
        if not inside.sum() or not outside.sum():
            return 0.0
        return float(np.abs(inside / inside.sum() - outside / outside.sum()).sum() / 2)


class Profiler:
    """Describe slices of one table.

    Examples
    --------
    >>> import numpy as np
    >>> from fivefold.inputs.columns import read_columns
    >>> columns = read_columns([["a", 1], ["a", 2], ["b", 3], ["b", 4]])
    >>> profiler = Profiler(columns, {"x1": np.array([2.5])})
    >>> [(p.name, p.values, p.inside, p.outside) for p in profiler.describe(np.array([True, True, False, True]))]
    [('x0', ('a', 'b'), (2, 1), (0, 1)), ('x1', ('<= 2.5', '> 2.5'), (2, 1), (0, 1))]
    """

    def __init__(self, columns: Sequence[Column], cuts: Cuts, *, most: int = 5) -> None:
        # words are too many to be shown one by one
        shown = [column for column in columns if not isinstance(column.derived, Contains)]
        self._coded = [(column.name, code_column(column, cuts, True)) for column in shown]
        self._most = most

    def describe(self, inside: NDArray[np.bool_]) -> tuple[FeatureProfile, ...]:
        """Describe the cases of a slice, column by column; first those that differ most from all others."""
        profiles = [self._feature(name, coded, inside) for name, coded in self._coded]
        return tuple(sorted(profiles, key=lambda profile: -profile.distance))

    def _feature(self, name: str, coded: ColumnTerms, inside: NDArray[np.bool_]) -> FeatureProfile:
        codes = coded.codes[inside]
        codes = np.where(codes < 0, coded.missing_item, codes)
        counts = count_codes(codes, len(coded.terms))
        chosen = self._chosen(coded)
        values = [_label(coded, place) for place in chosen]
        within, without = counts[chosen], coded.totals[chosen] - counts[chosen]
        rest = counts.sum() - within.sum(), (coded.totals - counts).sum() - without.sum()
        if any(rest):
            values.append(OTHER)
            within, without = np.append(within, rest[0]), np.append(without, rest[1])
        return FeatureProfile(name, tuple(values), tuple(within.tolist()), tuple(without.tolist()))

    def _chosen(self, coded: ColumnTerms) -> NDArray[np.intp]:
        present = np.flatnonzero(coded.totals)
        if not isinstance(coded.terms[0], Equals):
            return present
        frequent = present[np.argsort(-coded.totals[present], kind="stable")]
        return frequent if frequent.size <= self._most + 1 else frequent[: self._most]


def _label(coded: ColumnTerms, place: int) -> str:
    if place == coded.missing_item:
        return MISSING
    match coded.terms[place]:
        case During() as span:
            first, _, last = span.to_text().partition(f" <= {span.column}")
            one_end = first.replace(span.column, "", 1).strip() if span.ends() else "known"
            return f">= {first},{last}" if last else one_end
        case Equals(value=value, of=of):
            return plain_value(value) if of is None else of.show(value)
        case Within(low=low, high=high):
            ends = [f"> {plain_value(low)}"] * isfinite(low) + [f"<= {plain_value(high)}"] * isfinite(high)
            return ", ".join(ends) or "known"
    raise AssertionError(f"a term that is no value: {coded.terms[place]!r}")
