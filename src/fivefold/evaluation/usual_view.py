"""The usual figures of one model: confusion matrix, precision, recall and F1 with intervals, and thresholds."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fivefold.bets.calibration import pick_events
from fivefold.bets.thresholds import ThresholdCurve, trace_thresholds
from fivefold.formulas import Floats, binomial_limits, share_limits, worth
from fivefold.inputs._kernels import AT_ONCE
from fivefold.inputs.labels import plain_item
from fivefold.inputs.predictions import Predictions
from fivefold.plain_text import visible
from fivefold.results import (
    HIGHER,
    Count,
    Declared,
    Interval,
    Share,
    View,
    declared,
    forwarded,
    make_frame,
    number,
)

NO_CLASS_ALONE = ("several, with the truth", "several, without it", "no answer", "no class")
"""Answers that are no class: columns of a confusion matrix beyond the classes."""
_CURVES = 3
# cases times classes of which curves are traced, so that a million cases take about half a second
_TRACED = 1_500_000
_GAMMAS = 4_000_000
_NUMBER = re.compile(r"[-+]?[0-9]+([.][0-9]*)?|true|false", re.IGNORECASE)


@dataclass(frozen=True)
class Figures:
    """Precision, recall and F1, with 95% intervals; none where there is nothing to divide by."""

    precision: Share | None
    precision_interval: Interval | None
    recall: Share | None
    recall_interval: Interval | None
    f1: Share | None
    f1_interval: Interval | None


@dataclass(frozen=True)
class ClassFigures(Figures):
    """Precision, recall and F1 of one class.

    Beside them its cases, all cases that were answered with it alone, and those that are both.
    """

    label: str
    n_cases: Count
    n_answered: Count
    n_right: Count


@dataclass(frozen=True)
class Confusion:
    """How often each class was answered with each: the cells of the matrix that are not empty.

    Parameters
    ----------
    answers : tuple of str
        Names of the columns: the classes, then answers of several classes or none where there are any.
    truth, answer : tuple of int
        Row (the place of the true class) and column of each cell.
    n : tuple of int
        Its cases.
    """

    answers: tuple[str, ...]
    truth: tuple[Count, ...]
    answer: tuple[Count, ...]
    n: tuple[Count, ...]

    @classmethod
    def of(cls, counts: _Counts, classes: list[str]) -> Confusion:
        """Name the columns: all classes, and those of the other answers that there are."""
        k = len(classes)
        others, places = np.unique(counts.column[counts.column >= k], return_inverse=True)
        columns = counts.column.copy()
        columns[columns >= k] = k + places
        names = (*classes, *(NO_CLASS_ALONE[other - k] for other in others))
        return cls(names, *(tuple(cell.tolist()) for cell in (counts.row, columns, counts.n)))


def _declare_macro(name: str, title: str, meaning: str) -> tuple[Declared[Any], Declared[Any]]:
    """Declare a mean over classes, and its interval below it."""
    options: dict[str, Any] = {"format": ".1%", "column": f"macro_{name}", "key": None}
    place, interval = f"macro.{name}", f"macro.{name}_interval"
    shown: dict[str, Any] = {"direction": HIGHER, "tables": ("page",), "below": (f"macro_{name}_interval",)}
    return (
        forwarded(place, Share, meaning, title, reads=(place,), **shown, **options),
        forwarded(interval, Interval, "Its interval.", "95% interval", reads=(interval,), **options),
    )


@dataclass(frozen=True, eq=False)
class UsualView(View, view="usual"):
    """What everybody looks for first, with intervals; no proof of anything by itself.

    An answer counts for a class if it names that class alone; answers of several classes, or none, count for no
    class, and are columns of their own in the confusion matrix, as are answers that are no class. scikit-learn
    computes precision, recall and F1.

    Parameters
    ----------
    model : str
        The model's name.
    classes : tuple of ClassFigures
        Precision, recall and F1 of each class, with exact intervals.
    macro : Figures
        Their plain means over the classes that occur, where what is not defined counts as 0.
    micro : Figures
        The same of all answers together; equal to the accuracy if each case was answered with one class.
    confusion : Confusion
        How often each class was answered with each.
    curves : tuple of ThresholdCurve
        ROC and precision-recall curve of one of two classes (of texts the rarer, of numbers the second), or of the
        largest, each against the rest; none without probabilities.

    Notes
    -----
    Of all cases of a class, of all answers with it, and of all cases that are either, those that are both are a
    binomial number: hence exact limits (Clopper and Pearson) of recall, precision and, as F1 = 2 J / (1 + J) for
    that last share J, of F1. Those of macro means come from the same limits by draws (melding, by Fay and others).
    Where cases belong together, each counts for as much as groups are worth (macro and micro: for as much as in
    the class that suffers most); see `threshold_curve` for areas, bands and costs.

    References
    ----------
    M. P. Fay, M. A. Proschan and E. Brittain, Combining one-sample confidence procedures for inference in the
    two-sample case, Biometrics 71, 2015.

    Examples
    --------
    >>> import fivefold as ff
    >>> from fivefold.evaluation import UsualView
    >>> usual = UsualView.of(ff.Predictions.from_answers(list("aaabb") * 20, [*"aabb", None] * 20))
    >>> print(usual)
    class   cases  precision              recall                 F1
    a       60     1.00 (0.91 to 1.00)    0.67 (0.53 to 0.78)    0.80 (0.70 to 0.88)
    b       40     0.50 (0.34 to 0.66)    0.50 (0.34 to 0.66)    0.50 (0.36 to 0.64)
    macro          0.75 (0.65 to 0.83)    0.58 (0.47 to 0.68)    0.65 (0.55 to 0.74)
    micro          0.75 (0.64 to 0.84)    0.60 (0.50 to 0.70)    0.67 (0.56 to 0.75)
    """

    model: str
    classes: tuple[ClassFigures, ...] = field(
        repr=False, metadata=declared(meaning="Precision, recall and F1 of each class.")
    )
    macro: Figures = field(metadata=declared(meaning="Their plain means over the classes that occur."))
    micro: Figures = field(metadata=declared(meaning="The same of all answers together."))
    confusion: Confusion = field(
        repr=False, metadata=declared(meaning="How often each was answered with each.")
    )
    curves: tuple[ThresholdCurve, ...] = field(
        repr=False, metadata=declared(meaning="ROC and precision-recall curves, each class against the rest.")
    )

    @classmethod
    def of(cls, predictions: Predictions) -> UsualView:
        """Compute the figures of one model."""
        counts, worths = _count(predictions), _worths(predictions)
        labels = [str(label) for label in predictions.classes.tolist()]
        parts = zip(_figures(counts, worths), labels, np.transpose(counts[3:]).tolist(), strict=True)
        rows: list[list[Any]] = [[*figures, label, *totals] for figures, label, totals in parts]
        return cls(
            predictions.name,
            tuple(ClassFigures(*row) for row in rows),
            _macro(counts, worths.min()),
            _micro(counts, worths.min()),
            Confusion.of(counts, labels),
            _curves(predictions, counts.n_cases),
        )

    macro_precision, macro_precision_interval = _declare_macro(
        "precision", "Precision", "Mean over classes of the share of its answers that are right."
    )
    macro_recall, macro_recall_interval = _declare_macro(
        "recall", "Recall", "Mean over classes of the share of its cases that are found (balanced accuracy)."
    )
    macro_f1, macro_f1_interval = _declare_macro(
        "f1", "F1", "Mean over classes of F1, the harmonic mean of precision and recall."
    )

    @number("Area under ROC", direction=HIGHER, tables=("page",), below=("auc_interval",))
    def auc(self) -> Share | None:
        """Chance that a case of a class is ranked above one of the other; null unless two classes."""
        return self._curve_of_two.area if self._curve_of_two else None

    @number("95% interval", column="auc")
    def auc_interval(self) -> Interval | None:
        """Interval of the area under the ROC curve."""
        return self._curve_of_two.area_interval if self._curve_of_two else None

    @number(
        "Average precision",
        direction=HIGHER,
        tables=("page",),
        below=("average_precision_interval",),
        column="average_precision",
    )
    def average_precision(self) -> Share | None:
        """Area under the precision-recall curve: of two texts of the rarer, of two numbers of the second."""
        return self._curve_of_two.average_precision if self._curve_of_two else None

    @number("95% interval", column="average_precision")
    def average_precision_interval(self) -> Interval | None:
        """Interval of the average precision."""
        return self._curve_of_two.average_precision_interval if self._curve_of_two else None

    @property
    def _curve_of_two(self) -> ThresholdCurve | None:
        return self.curves[0] if self.curves and len(self.classes) == 2 else None

    def frame(self, library: str = "polars") -> Any:
        """Give one row for each class.

        Parameters
        ----------
        library : {"polars", "pandas", "pyarrow"}
            The library of the frame; only polars comes with Fivefold.
        """
        columns: dict[str, Any] = {"class": [row.label for row in self.classes]}
        for name in ("n_cases", "n_answered", "n_right"):
            columns[name] = [getattr(row, name) for row in self.classes]
        for name in ("precision", "recall", "f1"):
            columns[name] = [getattr(row, name) for row in self.classes]
            ends = [getattr(row, f"{name}_interval") or (None, None) for row in self.classes]
            columns |= {f"{name}_low": [low for low, _ in ends], f"{name}_high": [high for _, high in ends]}
        return make_frame(columns, library)

    def __str__(self) -> str:
        rows: list[tuple[str, str, Figures]] = [
            (visible(row.label), str(row.n_cases), row) for row in self.classes
        ]
        rows += [("macro", "", self.macro), ("micro", "", self.micro)]
        width = max(len(label) for label, _, _ in rows) + 3
        lines = [f"{'class':<{width}}{'cases':<7}{'precision':<23}{'recall':<23}F1"]
        for label, cases, row in rows:
            written = "".join(f"{_write(row, name):<23}" for name in ("precision", "recall", "f1"))
            lines.append(f"{label:<{width}}{cases:<7}{written}".rstrip())
        return "\n".join(lines)


def _write(row: Figures, name: str) -> str:
    value, limits = getattr(row, name), getattr(row, f"{name}_interval")
    return "–" if value is None else f"{value:.2f} ({limits[0]:.2f} to {limits[1]:.2f})"


def _code_answers(predictions: Predictions, rows: slice = slice(None)) -> NDArray[np.int64]:
    """Number the answers: one class, several with the truth or not, none, something that is no class."""
    truth, answers, k = predictions.truth[rows], predictions.answers[rows], predictions.n_classes
    none = k + 2 if predictions.unknown is None else np.where(predictions.unknown[rows], k + 3, k + 2)
    if answers.ndim == 1:
        return np.where(answers >= 0, answers, none).astype(np.int64)
    size, held = answers.sum(axis=1), answers[np.arange(truth.size), truth]
    others = np.where(size == 0, none, np.where(held, k, k + 1))
    return np.where(size == 1, answers.argmax(axis=1), others).astype(np.int64)


class _Counts(NamedTuple):
    """The cells of a confusion matrix that are not empty, row by row, and what each class has of them.

    That is its cases, the cases that were answered with it alone, and those that are both.
    """

    row: NDArray[np.int64]
    column: NDArray[np.int64]
    n: NDArray[np.int64]
    n_cases: NDArray[np.int64]
    n_answered: NDArray[np.int64]
    n_right: NDArray[np.int64]


def _count(predictions: Predictions) -> _Counts:
    """Count the cases of each class (rows) by their answer."""
    k = predictions.n_classes
    cells, n = _count_cells(predictions, k + len(NO_CLASS_ALONE))
    row, column = np.divmod(cells, k + len(NO_CLASS_ALONE))
    totals = [
        np.bincount(at[chosen], n[chosen], k + len(NO_CLASS_ALONE))[:k].astype(np.int64)
        for at, chosen in ((row, slice(None)), (column, slice(None)), (row, row == column))
    ]
    return _Counts(row, column, n, *totals)


def _count_cells(predictions: Predictions, columns: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Give the number of each cell that is not empty, by rows, and its cases."""
    size, n_cases = predictions.n_classes * columns, predictions.n_cases

    def cells(rows: slice = slice(None)) -> NDArray[np.int64]:
        return predictions.truth[rows].astype(np.int64) * columns + _code_answers(predictions, rows)

    if size > max(AT_ONCE, 4 * n_cases):
        # of very many classes nearly all cells are empty, and a matrix of them may not fit
        return np.unique(cells(), return_counts=True)
    counts, at_once = np.zeros(size, dtype=np.int64), max(AT_ONCE, size)
    for start in range(0, n_cases, at_once):
        counts += np.bincount(cells(slice(start, start + at_once)), minlength=size)
    occurring = np.flatnonzero(counts)
    return occurring, counts[occurring]


def _worths(predictions: Predictions) -> Floats:
    """What a case is worth for precision, recall and F1 of each class: 1, or less where cases belong together."""
    worths = np.ones((3, predictions.n_classes))
    if predictions.groups is None:
        return worths
    answers = _code_answers(predictions)
    for label in range(predictions.n_classes):
        true, answered = predictions.truth == label, answers == label
        for row, chosen in enumerate((answered, true, true | answered)):
            if chosen.any():
                cases = worth((true & answered)[chosen], predictions.groups.part(chosen))
                worths[row, label] = min(1.0, cases / np.count_nonzero(chosen))
    return worths


def _scores(counts: _Counts, empty: float) -> list[Floats]:
    """Compute precision, recall and F1 of each class, as scikit-learn does; `empty` where there is no case."""
    _, _, _, n_cases, n_answered, n_right = counts
    parts = ((n_right, n_answered), (n_right, n_cases), (2 * n_right, n_cases + n_answered))
    return [np.where(whole > 0, part / np.maximum(whole, 1), empty) for part, whole in parts]


def _figures(counts: _Counts, worths: Floats) -> list[tuple[Any, ...]]:
    """Give precision, recall and F1 of each class, each followed by its interval."""
    _, _, _, n_cases, n_answered, n_right = counts
    values = _scores(counts, np.nan)
    either = n_cases + n_answered - n_right
    columns: list[list[Any]] = []
    for place, (value, n) in enumerate(zip(values, (n_answered, n_cases, either), strict=True)):
        ends = share_limits(worths[place] * n_right, worths[place] * n)
        if place == 2:  # F1 by the share of cases of a class, or answered with it, that are both
            ends = 2 * ends[0] / (1 + ends[0]), 2 * ends[1] / (1 + ends[1])
        columns.append([float(v) if there else None for v, there in zip(value, n > 0, strict=True)])
        pairs = zip(*(end.tolist() for end in ends), strict=True)
        columns.append([pair if there else None for pair, there in zip(pairs, n > 0, strict=True)])
    return list(zip(*columns, strict=True))


def _macro(counts: _Counts, weight: float) -> Figures:
    there = np.flatnonzero(counts.n_cases + counts.n_answered)
    means = [values[there].mean() for values in _scores(counts, 0.0)]
    pairs = zip(means, _macro_limits(counts, weight), strict=True)
    parts: list[Any] = [part for mean, limits in pairs for part in (float(mean), limits)]
    return Figures(*parts)


def _macro_limits(counts: _Counts, weight: float) -> list[Interval]:
    """Limits of the means over classes of precision, recall and F1.

    The cells of the matrix are drawn anew as gamma numbers, and each class gets one case more: a wrong one for the
    lower end, a right one for the upper. Of one class alone these are Clopper and Pearson's limits.
    """
    k, wrong = counts.n_cases.size, counts.row != counts.column
    rows, columns = counts.row[wrong], counts.column[wrong]
    n_draws = int(np.clip(_GAMMAS // max(k, rows.size), 400, 4000))
    rng = np.random.default_rng(0)
    drawn = _by_class(rng.standard_gamma(weight * counts.n[wrong], (n_draws, rows.size)))
    missed, mistaken = np.zeros((2, k, n_draws))
    for row, column, numbers in zip(rows, columns, drawn, strict=True):
        missed[row] += numbers
        if column < k:
            mistaken[column] += numbers
    right = _by_class(rng.standard_gamma(weight * counts.n_right, (n_draws, k)))
    more = _by_class(rng.standard_gamma(1.0, (n_draws, k)))
    ends = []
    for errors, times in ((mistaken, 1), (missed, 1), (missed + mistaken, 2)):
        low = (times * right / (times * right + errors + more)).mean(axis=0)
        high = (times * (right + more) / (times * (right + more) + errors)).mean(axis=0)
        ends.append((low, high))
    lows, highs = zip(*ends, strict=True)
    limits = np.quantile(lows, 0.025, axis=1), np.quantile(highs, 0.975, axis=1)
    return list(zip(*(end.tolist() for end in limits), strict=True))


def _by_class(draws: Floats) -> Floats:
    """Put the draws of each class beside each other, which is many times as fast to add up."""
    return np.ascontiguousarray(draws.T)


def _micro(counts: _Counts, weight: float) -> Figures:
    """Figures of all answers together; F1 varies with its precision, and with how many cases get one class."""
    n, n_right = int(counts.n.sum()), int(counts.n_right.sum())
    no_class = counts.column == counts.n_cases.size + NO_CLASS_ALONE.index("no class")
    n_answered = int(counts.n_answered.sum() + counts.n[no_class].sum())
    recall, interval = n_right / n, binomial_limits(weight * n_right, weight * n)
    if n_answered == n:
        return Figures(recall, interval, recall, interval, recall, interval)
    precision = n_right / n_answered if n_answered else None
    limits, share = binomial_limits(weight * n_right, weight * n_answered), n_answered / n

    def f1(precision: float, share: float) -> float:
        return 2 * precision * share / (1 + share)

    value, answered = f1(precision or 0.0, share), binomial_limits(weight * n_answered, weight * n)
    down, up = (
        float(np.hypot(f1(limits[end], share) - value, f1(precision or 0.0, answered[end]) - value))
        for end in (0, 1)
    )
    spread = (max(0.0, value - down), min(1.0, value + up))
    return Figures(precision, limits if n_answered else None, recall, interval, value, spread)


def _curves(predictions: Predictions, n_cases: NDArray[np.int64]) -> tuple[ThresholdCurve, ...]:
    """Trace one of two classes, or the largest of several; all others are silent."""
    prob = predictions.probabilities
    if prob is None or np.count_nonzero(n_cases) < 2:
        return ()
    shown = max(1, min(_CURVES, _TRACED // predictions.n_cases))
    largest = np.argsort(-n_cases, kind="stable")[:shown].tolist()
    if n_cases.size == 2:
        # by custom 1 and True are what is looked for; of two words it is nearly always the rarer
        words = not all(_NUMBER.fullmatch(str(label)) for label in predictions.classes)
        largest = [0 if words and n_cases[0] < n_cases[1] else 1]
    curves = []
    for place in (place for place in largest if n_cases[place]):
        label = plain_item(predictions.classes[place])
        events = pick_events(predictions.truth, prob, predictions.classes, label)
        curves.append(trace_thresholds(events, str(label), groups=predictions.groups))
    return tuple(curves)
