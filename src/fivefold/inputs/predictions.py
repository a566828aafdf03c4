"""Predictions: what models said about cases whose class is known, from arrays or from the columns of one table."""

from __future__ import annotations

import re
from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Self

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from fivefold.errors import InputError, InputTypeError, show
from fivefold.inputs._kernels import at_codes
from fivefold.inputs.answers import (
    AnswerRules,
    CleanAnswers,
    as_answers,
    as_probabilities,
    check_probabilities,
    encode_answers,
    read_confidence,
)
from fivefold.inputs.few_numbers import CompactFrame, FewNumbers
from fivefold.inputs.frames import Labels, as_frame, check_length, open_compact
from fivefold.inputs.groups import Groups, read_groups
from fivefold.inputs.labels import (
    NO_ANSWER,
    distinct,
    encode_truth,
    given_classes,
    is_missing,
    only_present,
    read_answers,
    read_labels,
    refuse_strange_answers,
    sort_classes,
)
from fivefold.inputs.options import close_names, show_list
from fivefold.inputs.roles import Roles, infer_roles


@dataclass(frozen=True, eq=False)
class Predictions:
    """Truth, and for each case a set of classes, a probability vector, or both.

    Make one with `from_answers` or `from_probabilities`; everything is checked there, once, and the arrays
    are read-only afterwards.

    Parameters
    ----------
    name : str
        What the model is called.
    classes : ndarray of shape (k,)
        All classes of the problem.
    truth : ndarray of shape (n,)
        True class of each case as a position in ``classes``.
    answers : ndarray of shape (n,) or (n, k)
        The answer to each case: a position with -1 for none, or a row of booleans.
    probabilities : ndarray of shape (n,) or (n, k), or None
        Stated probabilities: of all classes, or of the second of two.
    features : data frame or None
        What else is known of the cases.
    answers_given : bool
        Whether the answers were given, or are the most probable classes.
    rows : ndarray of shape (n,) or None
        Where each case stood in the table from which these were held out or counted, from 0.
    groups : Groups or None
        Which cases belong together, where that is known.
    roles : Roles or None
        What each column of the table was taken for, where they came from one.
    notes : tuple of str
        What was recognised or changed in them, in sentences.
    unknown : ndarray of shape (n,) or None
        Cases whose answer names no class, and counts as a wrong one; in `answers` there is none.
    confidence : ndarray of shape (n,) or None
        How sure the model is of each answer, from 0 to 1; NaN where it did not say.
    """

    name: str
    classes: NDArray[Any] = field(repr=False)
    truth: NDArray[np.int32] = field(repr=False)
    answers: NDArray[Any] = field(repr=False)
    probabilities: NDArray[Any] | None = field(default=None, repr=False)
    features: Any = field(default=None, repr=False)
    answers_given: bool = True
    rows: NDArray[Any] | None = field(default=None, repr=False)
    groups: Groups | None = field(default=None, repr=False)
    roles: Roles | None = field(default=None, repr=False)
    notes: tuple[str, ...] = field(default=(), repr=False)
    unknown: NDArray[np.bool_] | None = field(default=None, repr=False)
    confidence: NDArray[np.float64] | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        if not isinstance(self.name, str) or not self.name:
            raise InputTypeError("a name for the model", show(self.name))
        for part in ("classes", "truth", "answers", "probabilities"):
            array = getattr(self, part)
            if array is not None and not isinstance(array, FewNumbers):
                view = array.view()
                view.flags.writeable = False
                object.__setattr__(self, part, view)
        if self.features is not None and len(self.features) != self.n_cases:
            raise InputError(
                f"one row of features for each of the {self.n_cases} cases", f"{len(self.features)} rows"
            )

    @classmethod
    def from_answers(
        cls,
        y_true: object,
        y_pred: object,
        *,
        y_prob: object = None,
        classes: object = None,
        features: Any = None,
        name: str = "model",
    ) -> Self:
        """Take labels, sets or a boolean matrix, with probabilities beside them if there are any.

        Parameters
        ----------
        y_true : array-like of shape (n,)
            The true classes.
        y_pred : array-like
            Labels (``None`` or NaN for no answer), a boolean ``(n, k)`` matrix in class order (MAPIE's
            ``(n, k, 1)`` too), or a sequence of collections of labels.
        y_prob : array-like of shape (n, k) or (n,), optional
            Probabilities in class order, or of the second of two classes.
        classes : array-like, optional
            All classes; without it those that occur.
        features : data frame, optional
            What else is known of the cases.
        name : str
            What the model is called.

        Examples
        --------
        >>> import fivefold as ff
        >>> ff.Predictions.from_answers(["a", "b", "b"], ["a", None, {"a", "b"}], name="cautious")
        Predictions 'cautious': 3 cases, 2 classes, sets
        """
        if y_prob is None:
            truth, answers, universe = as_answers(y_true, y_pred, classes)
            if classes is None:
                given = np.unique(answers[answers >= 0]) if answers.ndim == 1 else answers.any(axis=0)
                true_classes = universe[np.unique(truth)].tolist()
                refuse_strange_answers(true_classes, universe[given].tolist(), "y_pred")
            return cls(name, universe, truth, answers, None, features)
        labels = read_labels(y_true, "y_true")
        truth, prob, universe = as_probabilities(labels, y_prob, classes)
        answered = read_answers(y_pred, labels)
        check_length(answered, len(labels), "y_pred")
        return cls(name, universe, truth, encode_answers(answered, universe, y_pred), prob, features)

    @classmethod
    def from_probabilities(
        cls,
        y_true: object,
        y_prob: object,
        *,
        classes: object = None,
        features: Any = None,
        name: str = "model",
    ) -> Self:
        """Take probabilities; the answer to each case is its most probable class, the first of equals.

        Parameters
        ----------
        y_true, y_prob, classes, features, name
            As in `from_answers`.

        Examples
        --------
        >>> import fivefold as ff
        >>> ff.Predictions.from_probabilities(["a", "b"], [[0.9, 0.1], [0.5, 0.5]])
        Predictions 'model': 2 cases, 2 classes, labels, probabilities
        """
        truth, prob, universe = as_probabilities(y_true, y_prob, classes)
        chosen = prob > 0.5 if prob.ndim == 1 else prob.argmax(axis=1)
        return cls(name, universe, truth, chosen.astype(np.int32), prob, features, answers_given=False)

    @property
    def n_cases(self) -> int:
        """Number of cases."""
        return len(self.truth)

    @property
    def n_classes(self) -> int:
        """Number of classes."""
        return len(self.classes)

    @property
    def y_true(self) -> NDArray[Any]:
        """True classes as labels."""
        labels: NDArray[Any] = self.classes[self.truth]
        return labels

    def right(self) -> NDArray[np.bool_]:
        """Which cases were answered with the true class and nothing else."""
        return self.covered() if self.answers.ndim == 1 else self.covered() & (self.answers.sum(axis=1) == 1)

    def covered(self) -> NDArray[np.bool_]:
        """Which cases have the true class among their answers."""
        if self.answers.ndim == 1:
            return np.asarray(self.answers == self.truth)
        return np.asarray(self.answers[np.arange(self.n_cases), self.truth])

    def sets(self) -> NDArray[np.bool_]:
        """Answers as an (n, k) boolean matrix, whatever their form."""
        if self.answers.ndim == 2:
            return self.answers
        matrix = np.zeros((self.n_cases, self.n_classes), dtype=np.bool_)
        answered = np.flatnonzero(self.answers >= 0)
        matrix[answered, self.answers[answered]] = True
        return matrix

    def __len__(self) -> int:
        return self.n_cases

    def __repr__(self) -> str:
        kinds = "sets" if self.answers.ndim == 2 else "labels"
        beside = ", probabilities" if self.probabilities is not None else ""
        return f"Predictions {self.name!r}: {self.n_cases} cases, {self.n_classes} classes, {kinds}{beside}"


MOST_REPEATED = 100_000_000
_WHOLE = re.compile(r"0|-?[1-9][0-9]*")
ProbabilityColumns = str | Mapping[Any, str]


def predictions_from_table(
    table: Any,
    *,
    target: str,
    predictions: Sequence[str] | Mapping[str, str] = (),
    probabilities: Mapping[str, ProbabilityColumns] | None = None,
    features: Sequence[str] | None = None,
    classes: object = None,
    groups: str | None = None,
    drop: Sequence[str] = (),
    keep: Sequence[str] = (),
    rules: AnswerRules | None = None,
    confidence: Mapping[str, str] | None = None,
    weight: str | None = None,
) -> list[Predictions]:
    """Read the answers and probabilities of several models from one table.

    Parameters are those of `fivefold.evaluate_predictions`; how answers as models write them become classes is
    in the `rules`, and without them an answer that is no class is an error.

    Examples
    --------
    >>> import polars as pl
    >>> from fivefold.inputs.predictions import predictions_from_table
    >>> answers = {"y": ["cat", "dog"], "a": ["cat", "cat|dog"]}
    >>> table = pl.DataFrame({**answers, "p_cat": [0.9, 0.4], "p_dog": [0.1, 0.6]})
    >>> predictions_from_table(table, target="y", predictions=["a"], probabilities={"b": "p_"})
    [Predictions 'a': 2 cases, 2 classes, sets, Predictions 'b': 2 cases, 2 classes, labels, probabilities]
    """
    for name, columns in (("features", features), ("drop", drop), ("keep", keep)):
        if isinstance(columns, str):  # whose characters would pass for names
            raise InputTypeError(f"{name} to be a list", show(columns), f"write [{columns!r}]")
    frame, rows, counted = repeat_rows(_as_frame(table), weight)
    prob_columns = _by_model(probabilities, "probabilities")
    answer_columns = _by_model(predictions, "predictions", may_be_list=True)
    _check_roles(frame, target, answer_columns, prob_columns)
    counted += _ask_whose(prob_columns, answer_columns)
    sure = _by_model(confidence, "confidence")
    _check_confidence(frame, answer_columns, prob_columns, sure)
    reader = _Reader(frame, target, answer_columns, prob_columns, classes, rules or AnswerRules(), sure)
    belonging = None
    if groups is not None:
        _need(frame, [groups], "groups")
        if groups == target or groups in answer_columns.values():
            hint = "name the column that says which rows belong together, such as the customer"
            raise InputError("groups in a column of their own", f"{show(groups)}, which holds classes", hint)
        belonging = read_groups(frame[groups].to_native(), len(frame), f"column {groups!r}")
    stated = {column: name for name in prob_columns for column in reader.probability_columns(name)}
    how: dict[str, Any] = {"groups": groups, "weight": weight, "drop": drop, "keep": keep}
    how |= {"answers": answer_columns, "probabilities": stated, "confidence": sure}
    roles = infer_roles(frame, target=target, classes=reader.classes.tolist(), **how)
    if features is not None:
        _need(frame, features, "features")
        roles = roles.only(features)
    chosen = roles.attributes if features is None else list(features)
    described = frame.select(chosen).to_native() if chosen else None
    read = [reader.read(name, described) for name in dict.fromkeys([*answer_columns, *prob_columns])]
    same: dict[str, Any] = {"rows": rows, "groups": belonging, "roles": roles}
    return [replace(said, notes=(*counted, *reader.notes, *said.notes), **same) for said in read]


def _ask_whose(probabilities: Iterable[str], answers: Iterable[str]) -> list[str]:
    """Ask of a model with probabilities alone whether it is one with answers alone, of nearly the same name."""
    lacking = [name for name in answers if name not in probabilities]
    close = {name: close_names(name, lacking, otherwise="") for name in probabilities if name not in answers}
    alone = "has probabilities and no answers, so it is judged as a model of its own"
    return [f"{show(name)} {alone}: {meant}" for name, meant in close.items() if meant]


def repeat_rows(
    frame: nw.DataFrame[Any], weight: str | None
) -> tuple[nw.DataFrame[Any], NDArray[Any] | None, list[str]]:
    """Repeat each row as often as its weight says, a whole number; with the row of each case, and their number.

    Bits, tests, slices and intervals count cases, so that a row of weight 3 must be three cases. Shares of a
    population, importance and other weights that are no counts would make all of them promise too much.
    """
    if weight is None:
        return frame, None, []
    _need(frame, [weight], "weight")
    numbers = _as_counts(frame[weight], weight)
    total = int(numbers.sum())
    if total > MOST_REPEATED:
        hint = "weights count cases, not shares"
        raise InputError(f"weights of at most {MOST_REPEATED:,} cases in all", f"{total:,}", hint)
    if total == 0:
        raise InputError("at least one weight above zero", f"zeros in column {weight!r}")
    idle = int((numbers == 0).sum())
    left_out = f"; {idle:,} of weight 0 are left out" if idle else ""
    note = f"Each row counts as often as {weight} says: {len(frame):,} rows are {total:,} cases{left_out}."
    rows = np.repeat(np.arange(len(frame), dtype=np.min_scalar_type(len(frame))), numbers)
    return frame[rows], rows, [note]


def _as_counts(series: nw.Series[Any], weight: str) -> NDArray[np.int64]:
    try:
        numbers = series.cast(nw.Float64).to_numpy().astype(np.float64)
    except Exception as problem:  # each data frame library raises its own kind of error
        raise InputTypeError(
            f"whole numbers in column {weight!r}", f"values of type {series.dtype}"
        ) from problem
    odd = np.flatnonzero(~(numbers >= 0) | (numbers != np.floor(numbers)) | np.isinf(numbers))
    if odd.size:
        raise InputError(
            f"whole numbers from 0 in column {weight!r}, the cases that each row stands for",
            f"{numbers[odd[0]]:g} in row {odd[0]}",
            "bits, tests and slices count cases; the metrics of fivefold.bets take other weights: sample_weight=",
        )
    return numbers.astype(np.int64)


class _Reader:
    """The columns of one table, coded with one universe of classes."""

    def __init__(
        self,
        frame: Any,
        target: str,
        answer_columns: Mapping[str, str],
        prob_columns: Mapping[str, ProbabilityColumns],
        classes: object,
        rules: AnswerRules,
        sure: Mapping[str, str],
    ) -> None:
        self.frame, self.rules, self.sure = frame, rules, sure
        given = None if classes is None else given_classes(classes)
        truth, notes = rules.clean_truth(
            self._labels(target), () if given is None else given.tolist(), f"column {target!r}"
        )
        known = set(distinct(truth, f"column {target!r}"))
        cells = {name: self._labels(column) for name, column in answer_columns.items()}
        named = known | set([] if given is None else given.tolist())
        self.columns = {name: self._find(name, columns, named) for name, columns in prob_columns.items()}
        self.classes = self._infer(known, cells) if given is None else given
        self.truth = encode_truth(truth, self.classes, f"column {target!r}")
        if sure:
            self.rules, self.numbers = rules.split(self.classes.tolist())
        self.cells = {name: self._clean(name, labels) for name, labels in cells.items()}
        said_sure = [self._labels(column) for column in sure.values()]
        self.notes = (*notes, *rules.unused([*cells.values(), *said_sure]))

    def _labels(self, column: str) -> Labels:
        opened = open_compact(self.frame, column) if isinstance(self.frame, CompactFrame) else None
        if isinstance(opened, Labels):
            return only_present(opened)
        return read_labels(self.frame[column].to_native(), f"column {column!r}")

    def _find(self, name: str, columns: ProbabilityColumns, known: set[Any]) -> dict[Any, str] | str:
        """Resolve one model's probability columns to a mapping of class to column, or a single column."""
        if not isinstance(columns, str):
            if not isinstance(columns, Mapping):
                raise InputTypeError(
                    f"the column of each class for the probabilities of {show(name)}",
                    show(columns),
                    "a mapping such as {'yes': 'p_yes', 'no': 'p_no'}, or the columns' common prefix",
                )
            _need(self.frame, list(columns.values()), f"probabilities of {name!r}")
            return dict(columns)
        if columns in self.frame.columns:
            return columns
        by_class = {
            _label_of_type(column.removeprefix(columns), known): column
            for column in self.frame.columns
            if column.startswith(columns) and column != columns
        }
        if not by_class:
            raise InputError(
                f"the probabilities of {name!r} in a column {columns!r} or in columns that begin so",
                "none",
                close_names(columns, self.frame.columns),
            )
        return by_class

    def _infer(self, known: set[Any], cells: Mapping[str, Labels]) -> NDArray[Any]:
        """Take the classes that occur in the truth and in names of columns; of answers where that is one."""
        labels = list(known)
        for columns in self.columns.values():
            labels += columns.keys() if isinstance(columns, dict) else []
        if len(set(labels)) < 2:
            labels += [
                value for answers in cells.values() for value in distinct(answers, "answers") if value != ""
            ]
        return sort_classes(labels)

    def _clean(self, name: str, cells: Labels) -> CleanAnswers:
        """Turn the answers of a model into classes; complain first where none of them can be right."""
        who, classes = f"the answers of {name!r}", self.classes.tolist()
        distinct(cells, who)  # complains about what can be no label
        if self.rules.unknown == "error":
            cleaned = replace(self.rules, unknown="wrong").clean(cells, classes, who)
            if cleaned.unknown.any() and not cleaned.labels.values:
                given = [value for value in cells.values if value != ""]
                refuse_strange_answers(classes, given, who, "--map 'TEXT=CLASS', mapping=; --class, classes=")
        return self.rules.clean(cells, classes, who)

    def probability_columns(self, name: str) -> list[str]:
        """The columns that hold the probabilities of a model."""
        columns = self.columns[name]
        return list(columns.values()) if isinstance(columns, dict) else [columns]

    def read(self, name: str, features: Any) -> Predictions:
        """Give the predictions of one model."""
        predictions = self._read_answers(name, features)
        if name not in self.sure:
            return predictions
        column = self.sure[name]
        sure, note = read_confidence(self.frame[column], self.numbers, f"column {column!r}")
        return replace(predictions, confidence=sure, notes=(*predictions.notes, note[0].upper() + note[1:]))

    def _read_answers(self, name: str, features: Any) -> Predictions:
        prob = self._probabilities(name) if name in self.columns else None
        if name in self.cells:
            cleaned = self.cells[name]
            answers = _encode_cells(cleaned.labels, self.classes, self.rules.separator)
            unknown = cleaned.unknown if cleaned.unknown.any() else None
            predictions = Predictions(name, self.classes, self.truth, answers, prob, features)
            return replace(predictions, unknown=unknown, notes=cleaned.notes)
        labels = self.classes[self.truth]
        return Predictions.from_probabilities(
            labels, prob, classes=self.classes, features=features, name=name
        )

    def _probabilities(self, name: str) -> NDArray[Any]:
        columns = self.columns[name]
        if isinstance(columns, str):
            alone: Any = self._few([columns]) or self._numbers(columns)
            return check_probabilities(alone, self.classes)
        absent = [label for label in self.classes.tolist() if label not in columns]
        if absent:
            given = show_list(columns.values(), 8)
            raise InputError(
                f"a column of probabilities of {name!r} for every class",
                f"none for {show_list(absent, 8)}, but {given}",
                "every class of the truth and of every model needs one, whose name ends with the class",
            )
        names = [columns[label] for label in self.classes.tolist()]
        stacked: Any = self._few(names)
        if stacked is None:
            stacked = np.column_stack([self._numbers(name) for name in names])
        return check_probabilities(stacked, self.classes)

    def _few(self, names: Sequence[str]) -> FewNumbers | None:
        """Give columns of a large file as few different rows of numbers; None where they are not."""
        few = [self.frame.few(name) for name in names] if isinstance(self.frame, CompactFrame) else [None]
        if any(column is None or np.isnan(column.levels).any() for column in few):
            return None
        return few[0] if len(few) == 1 else FewNumbers.together([column for column in few if column])

    def _numbers(self, column: str) -> NDArray[np.float64]:
        series: nw.Series[Any] = self.frame[column]
        if series.dtype.is_numeric() and series.null_count() == 0:
            return series.to_numpy().astype(np.float64)
        values = series.to_list()
        odd = [(row, value) for row, value in enumerate(values) if not _is_number(value)]
        if odd:
            row, value = odd[0]
            raise (InputError if is_missing(value) else InputTypeError)(
                f"a number in every row of column {column!r}",
                f"{'a missing value' if is_missing(value) else show(value)} in row {row} ({len(odd):,} in all)",
                "leave out these rows, or the probabilities: bets count every case"
                if is_missing(value)
                else "write probabilities as numbers from 0 to 1, with a decimal point",
            )
        return np.array(values, dtype=np.float64)


def _encode_cells(cells: Labels, classes: NDArray[Any], separator: str) -> NDArray[Any]:
    """Code the cells: positions if each holds one label or none, else a boolean matrix."""
    place = {label: code for code, label in enumerate(classes.tolist())}
    place |= {str(label): code for label, code in place.items()}  # the numbers in a set are written
    sets = np.zeros((len(cells.values) + 1, classes.size), dtype=np.bool_)  # the last is that of empty cells
    for index, cell in enumerate(cells.values):
        for label in [cell] if cell in place else cell.split(separator):
            sets[index, place[label]] = True
    if sets.sum(axis=1).max() > 1:
        return at_codes(sets, cells.codes)
    codes = np.where(sets.any(axis=1), sets.argmax(axis=1), NO_ANSWER)
    return at_codes(codes.astype(np.min_scalar_type(-classes.size - 1)), cells.codes)


def _label_of_type(text: str, known: Collection[Any]) -> Any:
    """Read the class in the name of a column as the classes that are known: a number, true or false, or text."""
    one = next(iter(known), "")
    if isinstance(one, bool | np.bool_):
        return {"False": False, "True": True}.get(text, text)
    return int(text) if not isinstance(one, str) and _WHOLE.fullmatch(text) else text


def _is_number(value: object) -> bool:
    try:
        return not np.isnan(float(value))  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return False


def _as_frame(table: Any) -> Any:
    if isinstance(table, CompactFrame):
        return table
    frame = as_frame(table, eager_only=True)
    if not isinstance(frame, nw.DataFrame):
        lazy = "call .collect() first" if hasattr(table, "collect") else None
        raise InputTypeError("a pandas, polars or pyarrow table", type(table).__name__, lazy)
    names: list[object] = list(frame.columns)
    for name in names:
        if not isinstance(name, str):
            hint = "table.columns = list(map(str, table.columns)) makes them so"
            raise InputTypeError("column names that are all text", f"{show(name)} among them", hint)
    if len(frame) == 0:
        raise InputError("a table with at least one row", "0 rows")
    return frame


def _by_model(given: Any, name: str, *, may_be_list: bool = False) -> dict[str, Any]:
    """Read which columns belong to which model; a column that is only listed gives the model its name."""
    if given is None or isinstance(given, Mapping):
        return dict(given or {})
    is_list = isinstance(given, Iterable) and not isinstance(given, str | bytes)
    columns = list(given) if is_list and may_be_list else [[]]
    if not all(isinstance(column, Hashable) for column in columns):
        what = f"{name} to be a {'list of columns, or a ' if may_be_list else ''}mapping of models to columns"
        raise InputTypeError(what, f"{show(given)} ({type(given).__name__})")
    return {column: column for column in columns}


def _check_roles(
    frame: nw.DataFrame[Any],
    target: str,
    answer_columns: Mapping[str, str],
    prob_columns: Mapping[str, ProbabilityColumns],
) -> None:
    if not answer_columns and not prob_columns:
        hint = "--prediction (predictions=) names one; --dry-run shows what each column looks like"
        raise InputError("at least one column of predictions or of probabilities", "none", hint)
    _need(frame, [target], "target")
    _need(frame, list(answer_columns.values()), "predictions")
    if target in answer_columns.values():
        raise InputError("predictions in other columns than the target", f"{target!r} as both")
    if len(set(answer_columns.values())) < len(answer_columns):
        raise InputError("a column of its own for each model", f"{list(answer_columns.values())}")


def _check_confidence(
    frame: nw.DataFrame[Any],
    answer_columns: Mapping[str, str],
    prob_columns: Mapping[str, ProbabilityColumns],
    sure: Mapping[str, str],
) -> None:
    models = [*answer_columns, *prob_columns]
    for name in sure:
        if name not in models:
            raise InputError(
                "the confidence of a model that is judged", show(name), close_names(name, models)
            )
    _need(frame, list(sure.values()), "confidence")


def _need(frame: nw.DataFrame[Any], columns: Sequence[str], role: str) -> None:
    known = set(frame.columns)
    for column in columns:
        if not isinstance(column, Hashable) or column not in known:
            got = show(column) if isinstance(column, Hashable) else f"{type(column).__name__}, not a name"
            raise InputError(f"the {role} column to be in the table", got, close_names(column, frame.columns))
