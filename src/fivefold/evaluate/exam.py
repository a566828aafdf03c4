"""Who learns from which cases, and who is asked about which."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fivefold.errors import InputError, InputTypeError, show
from fivefold.evaluate.answering import collect_answers
from fivefold.inputs.labels import as_labels, distinct, encode_truth, sort_classes
from fivefold.inputs.options import fraction
from fivefold.inputs.predictions import Predictions


@dataclass(frozen=True, eq=False)
class LabelledCases:
    """A table of cases and the class of each.

    Parameters
    ----------
    X : table
        The cases.
    y : ndarray
        Their classes.
    """

    X: Any = field(repr=False)
    y: NDArray[Any] = field(repr=False)

    @classmethod
    def read(cls, X: Any, y: Any, names: tuple[str, str] = ("X", "y")) -> LabelledCases:
        """Check that there are as many classes as rows."""
        labels = as_labels(y, names[1])
        n_rows = _n_rows(X, names[0])
        if n_rows != labels.shape[0]:
            raise InputError(
                f"one class in {names[1]} for each row of {names[0]}",
                f"{labels.shape[0]} classes for {n_rows} rows",
            )
        return cls(X, labels)

    def __len__(self) -> int:
        return len(self.y)

    def rows(self, rows: NDArray[np.int64]) -> LabelledCases:
        """Take some of the cases, in the kind of table that came in."""
        from sklearn.utils import _safe_indexing

        return LabelledCases(_safe_indexing(self.X, rows), self.y[rows])


@dataclass(frozen=True, eq=False)
class Exam:
    """Cases to learn from and cases to be asked about.

    Parameters
    ----------
    learn : LabelledCases or None
        The cases to learn from; None if nobody has to learn.
    ask : LabelledCases
        The cases to be asked about.
    classes : ndarray
        All classes of the problem, in sorted order.
    rows : ndarray or None
        Where each asked case stood in the table that was split.
    by_class : bool
        Whether the table was split class by class.
    """

    learn: LabelledCases | None
    ask: LabelledCases
    classes: NDArray[Any]
    rows: NDArray[np.int64] | None = field(default=None, repr=False)
    by_class: bool = False

    def question(self, name: str, model: Any) -> Predictions:
        """Collect what a fitted model says about the cases to be asked about."""
        said = collect_answers(name, model, self.ask.X, self.ask.y, self.classes)
        return replace(said, rows=self.rows)


def split_cases(
    cases: LabelledCases, classes: NDArray[Any], test_share: float = 1 / 3, random_state: int = 0
) -> Exam:
    """Draw the cases to be asked about at random, class by class where every class has two cases.

    Parameters
    ----------
    cases : LabelledCases
        The cases.
    classes : ndarray
        All classes of the problem.
    test_share : float
        Share of the cases to be asked about.
    random_state : int
        Seed of the draw.
    """
    from sklearn.model_selection import train_test_split

    y, share = cases.y, fraction(test_share, "test_share")
    if not 1 <= round(share * y.size) <= y.size - 1:
        raise InputError("a test share that leaves cases on both sides", f"{share} of {y.size} cases")
    counts = np.unique(y, return_counts=True)[1]
    by_class = bool(counts.min() >= 2 and min(share, 1 - share) * y.size >= counts.size)
    learn, ask = train_test_split(
        np.arange(y.size), test_size=share, random_state=random_state, stratify=y if by_class else None
    )
    learn, ask = np.sort(learn), np.sort(ask)
    return Exam(cases.rows(learn), cases.rows(ask), classes, ask, by_class)


def all_classes(tables: Sequence[LabelledCases], models: Mapping[str, Any]) -> NDArray[Any]:
    """Collect the classes that occur, and those that fitted models know; every case must have one of them."""
    labels = [label for table in tables for label in distinct(table.y, "y")]
    for name, model in models.items():
        known = getattr(model, "classes_", None)
        if known is not None:
            labels += distinct(as_labels(known, f"the classes of {name!r}"), f"the classes of {name!r}")
    labels = list(dict.fromkeys(labels))
    if len(labels) < 2:
        only = show(*labels) if labels else "missing values"
        raise InputError("y to hold at least two classes", f"only {only}")
    classes = sort_classes(labels)
    for table in tables:
        encode_truth(table.y, classes, "y")
    return classes


def _n_rows(X: Any, name: str) -> int:
    try:
        return int(X.shape[0] if hasattr(X, "shape") else len(X))
    except (TypeError, IndexError):
        raise InputTypeError(
            f"{name} to be a data frame, an array or a list of rows", f"{show(X)} ({type(X).__name__})"
        ) from None
