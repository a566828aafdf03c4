"""Train models on a part of the cases and keep what they say about the rest."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fivefold.data.table import Table
from fivefold.evaluate.exam import Exam, LabelledCases, split_cases
from fivefold.inputs.predictions import Predictions


@dataclass(frozen=True, eq=False)
class Trained:
    """A model that was trained here, and what it said about other cases.

    Parameters
    ----------
    predictions : Predictions
        What it said about the cases held out.
    model : fitted classifier
        The model itself.
    X : dataframe
        The cases that it was trained on.
    y : ndarray
        Their classes.
    """

    predictions: Predictions
    model: Any = field(repr=False)
    X: Any = field(repr=False)
    y: NDArray[Any] = field(repr=False)

    @property
    def n_cells(self) -> int:
        """How many cells the training cases have: cases times columns; texts have one column."""
        shape: tuple[int, ...] = getattr(self.X, "shape", ())
        return len(self.y) * (int(shape[1]) if len(shape) > 1 else 1)


@dataclass(frozen=True, eq=False)
class CameFitted:
    """A model that came fitted; on which cases it was trained is not known.

    Parameters
    ----------
    predictions : Predictions
        What it said.
    model : fitted classifier
        The model itself.
    """

    predictions: Predictions
    model: Any = field(repr=False)


def train(name: str, model: Any, exam: Exam, random_state: int = 0) -> Trained:
    """Fit a clone of a model to the cases to learn from, and ask it about the others.

    Parameters
    ----------
    name : str
        The model's name.
    model : scikit-learn classifier
        The model.
    exam : Exam
        The cases.
    random_state : int
        Seeds those parameters ``random_state`` of the model that are None.
    """
    from sklearn.base import clone

    assert exam.learn is not None
    learn = exam.learn
    try:
        fitted = _seeded(clone(model), random_state).fit(learn.X, learn.y)
        return Trained(exam.question(name, fitted), fitted, learn.X, learn.y)
    except Exception as error:
        error.add_note(f"This happened while {name!r} was being fitted or asked.")
        raise


def hold_out(
    models: Mapping[str, Any],
    table: Table,
    *,
    test_share: float = 1 / 3,
    random_state: int = 0,
    progress: Callable[[str], None] = lambda name: None,
) -> list[Trained]:
    """Fit each model to the same random part of the cases and collect its answers to the others.

    Parameters
    ----------
    models : mapping of name to scikit-learn classifier
        The models; each is cloned before it is fitted.
    table : Table
        The cases.
    test_share : float
        Share of the cases that is held out; drawn class by class where every class has two cases.
    random_state : int
        Seed of the draw, and of models that have none.
    progress : callable
        Told the name of each model before it is fitted.
    """
    exam = split_cases(LabelledCases(table.X, table.y), np.unique(table.y), test_share, random_state)
    trained = []
    for name, model in models.items():
        progress(name)
        trained.append(train(name, model, exam, random_state))
    return trained


def _seeded(model: Any, random_state: int) -> Any:
    """Give a seed to every part of a model that has none, so that the same call gives the same result."""
    named = model.get_params(deep=True).items()
    unset = [key for key, value in named if value is None and f"__{key}".endswith("__random_state")]
    return model.set_params(**dict.fromkeys(unset, random_state % 2**32)) if unset else model
