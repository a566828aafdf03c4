"""Predictions of several models from the columns of one table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from fivefold.checks import encode_truth
from fivefold.checks.arrays import as_array
from fivefold.checks.labels import as_labels, distinct, given_classes, sort_classes
from fivefold.checks.probabilities import check_probabilities
from fivefold.errors import InputError, InputTypeError, show
from fivefold.predictions.cells import encode_cells, labels_in
from fivefold.predictions.predictions import Predictions

ProbabilityColumns = str | Mapping[Any, str]


def predictions_from_table(
    table: Any,
    *,
    target: str,
    predictions: Sequence[str] | Mapping[str, str] = (),
    probabilities: Mapping[str, ProbabilityColumns] | None = None,
    features: Sequence[str] | None = None,
    classes: object = None,
    separator: str = "|",
) -> list[Predictions]:
    """Read the answers and probabilities of several models from one table.

    Parameters
    ----------
    table : pandas, polars or pyarrow table
        One row for each case.
    target : str
        Column of the true class.
    predictions : sequence of str, or mapping of model name to column
        Columns of answers. A text cell may hold one class, several ("cat|dog"), or none (empty).
    probabilities : mapping of model name to columns, optional
        A prefix (columns ``prefix + class``), a single column (of the second of two classes), or a mapping of
        class to column.
    features : sequence of str, optional
        Columns that describe the cases; by default all that have no other role.
    classes : array-like, optional
        All classes; without it those that occur in the truth, the answers or the names of the columns.
    separator : str
        What stands between several classes in one cell.

    Examples
    --------
    >>> import polars as pl
    >>> from fivefold.predictions import predictions_from_table
    >>> said = {"y": ["cat", "dog"], "a": ["cat", "cat|dog"]}
    >>> table = pl.DataFrame({**said, "p_cat": [0.9, 0.4], "p_dog": [0.1, 0.6]})
    >>> predictions_from_table(table, target="y", predictions=["a"], probabilities={"b": "p_"})
    [Predictions 'a': 2 cases, 2 classes, sets, Predictions 'b': 2 cases, 2 classes, labels, probabilities]
    """
    frame = _as_frame(table)
    stated = dict(probabilities or {})
    said = dict(predictions) if isinstance(predictions, Mapping) else {name: name for name in predictions}
    _check_roles(frame, target, said, stated)
    reader = _Reader(frame, target, said, stated, classes, separator)
    roles = {target, *said.values(), *reader.probability_columns()}
    kept = [name for name in frame.columns if name not in roles] if features is None else list(features)
    _need(frame, kept, "features")
    described = frame.select(kept).to_native() if kept else None
    return [reader.read(name, described) for name in dict.fromkeys([*said, *stated])]


class _Reader:
    """The columns of one table, coded with one universe of classes."""

    def __init__(
        self,
        frame: nw.DataFrame[Any],
        target: str,
        said: Mapping[str, str],
        stated: Mapping[str, ProbabilityColumns],
        classes: object,
        separator: str,
    ) -> None:
        self.frame, self.separator = frame, separator
        truth = as_labels(frame[target].to_native(), f"column {target!r}")
        known = set(distinct(truth, f"column {target!r}"))
        self.said = {
            name: as_array(frame[column].to_native(), f"column {column!r}") for name, column in said.items()
        }
        self.columns = {name: self._find(name, columns, known) for name, columns in stated.items()}
        self.classes = given_classes(classes) if classes is not None else self._infer(known)
        self.truth = encode_truth(truth, self.classes, f"column {target!r}")

    def _find(self, name: str, columns: ProbabilityColumns, known: set[Any]) -> dict[Any, str] | str:
        """Resolve one model's probability columns to a mapping of class to column, or a single column."""
        if not isinstance(columns, str):
            _need(self.frame, list(columns.values()), f"probabilities of {name!r}")
            return dict(columns)
        if columns in self.frame.columns:
            return columns
        by_text = {str(label): label for label in known}
        found = {
            by_text.get(column.removeprefix(columns), column.removeprefix(columns)): column
            for column in self.frame.columns
            if column.startswith(columns) and column != columns
        }
        if not found:
            raise InputError(
                f"the probabilities of {name!r} in a column {columns!r} or in columns that begin so",
                f"the columns {', '.join(self.frame.columns[:12])}",
            )
        return found

    def _infer(self, known: set[Any]) -> NDArray[Any]:
        labels = list(known)
        for name, cells in self.said.items():
            answers = labels_in(cells, known, self.separator, f"the answers of {name!r}")
            _refuse_strangers(name, [label for label in dict.fromkeys(answers) if label not in known], known)
            labels += answers
        for columns in self.columns.values():
            labels += columns.keys() if isinstance(columns, dict) else []
        return sort_classes(labels)

    def probability_columns(self) -> list[str]:
        """All columns that hold probabilities."""
        nested = [list(c.values()) if isinstance(c, dict) else [c] for c in self.columns.values()]
        return [column for columns in nested for column in columns]

    def read(self, name: str, features: Any) -> Predictions:
        """Give the predictions of one model."""
        prob = self._probabilities(name) if name in self.columns else None
        if name in self.said:
            label = f"the answers of {name!r}"
            answers = encode_cells(self.said[name], self.classes, self.separator, label)
            return Predictions(name, self.classes, self.truth, answers, prob, features)
        labels = self.classes[self.truth]
        return Predictions.from_probabilities(
            labels, prob, classes=self.classes, features=features, name=name
        )

    def _probabilities(self, name: str) -> NDArray[Any]:
        columns = self.columns[name]
        if isinstance(columns, str):
            return check_probabilities(self._numbers(columns), self.classes)
        absent = [label for label in self.classes.tolist() if label not in columns]
        if absent:
            raise InputError(
                f"a column of probabilities of {name!r} for every class",
                f"none for {', '.join(map(repr, absent[:8]))}",
                "every class of the truth and of every model needs one",
            )
        stacked = np.column_stack([self._numbers(columns[label]) for label in self.classes.tolist()])
        return check_probabilities(stacked, self.classes)

    def _numbers(self, column: str) -> NDArray[np.float64]:
        series = self.frame[column]
        if series.dtype.is_numeric() and series.null_count() == 0:
            return series.to_numpy().astype(np.float64)
        try:
            numbers: NDArray[np.float64] = series.cast(nw.Float64).to_numpy().astype(np.float64)
        except Exception as problem:  # each data frame library raises its own kind of error
            row, value = _first_non_number(series.to_list())
            raise InputTypeError(
                f"a number in every row of column {column!r}", f"{show(value)} in row {row}"
            ) from problem
        if np.isnan(numbers).any():
            row, value = _first_non_number(series.to_list())
            raise InputError(f"a number in every row of column {column!r}", f"{show(value)} in row {row}")
        return numbers


def _refuse_strangers(name: str, strangers: Sequence[Any], known: set[Any]) -> None:
    """Refuse a column that holds something else than answers, such as numbers or remarks."""
    if len(strangers) > len(known):
        raise InputError(
            f"the answers of {name!r} to be classes of the truth such as {show(min(known, key=str))}",
            f"{len(strangers)} others such as {show(strangers[0])}",
            "is it a column of probabilities? If these are classes, name all of them",
        )


def _first_non_number(values: list[Any]) -> tuple[int, Any]:
    return next((row, value) for row, value in enumerate(values) if not _is_number(value))


def _is_number(value: object) -> bool:
    try:
        return not np.isnan(float(value))  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return False


def _as_frame(table: Any) -> nw.DataFrame[Any]:
    try:
        frame = nw.from_native(table, eager_only=True, pass_through=True)
    except nw.exceptions.DuplicateError as problem:
        told = " ".join(str(problem).split())
        raise InputError(
            "column names that differ from each other", show(told, 200), "rename one of them"
        ) from problem
    if not isinstance(frame, nw.DataFrame):
        raise InputTypeError("a pandas, polars or pyarrow table", f"{type(table).__name__}")
    if len(frame) == 0:
        raise InputError("a table with at least one row", "0 rows")
    return frame


def _check_roles(
    frame: nw.DataFrame[Any],
    target: str,
    said: Mapping[str, str],
    stated: Mapping[str, ProbabilityColumns],
) -> None:
    if not said and not stated:
        raise InputError("at least one column of predictions or of probabilities", "none")
    _need(frame, [target], "target")
    _need(frame, list(said.values()), "predictions")
    if target in said.values():
        raise InputError("predictions in other columns than the target", f"{target!r} as both")
    if len(set(said.values())) < len(said):
        raise InputError("a column of its own for each model", f"{list(said.values())}")


def _need(frame: nw.DataFrame[Any], columns: Sequence[str], role: str) -> None:
    for column in columns:
        if column not in frame.columns:
            raise InputError(
                f"the {role} column to be in the table",
                f"{column!r}",
                f"the columns are {', '.join(frame.columns[:12])}{', …' if len(frame.columns) > 12 else ''}",
            )
