"""Evaluate models by what they said about known cases."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from fivefold.evaluate.evaluation import Evaluation
from fivefold.evaluate.judging import evaluate_models
from fivefold.inputs.options import positive_int
from fivefold.inputs.predictions import predictions_from_table


def evaluate_predictions(
    table: Any,
    *,
    target: str,
    predictions: Sequence[str] | Mapping[str, str] = (),
    probabilities: Mapping[str, Any] | None = None,
    features: Sequence[str] | None = None,
    classes: object = None,
    random_state: int = 0,
) -> Evaluation:
    """Evaluate models by what they said about known cases; the models themselves are not needed.

    Parameters
    ----------
    table : pandas, polars or pyarrow table
        One row for each case.
    target : str
        Column of the true class.
    predictions : sequence of str, or mapping of model name to column
        Columns of answers: one class, several ("cat|dog"), or none (empty).
    probabilities : mapping of model name to columns, optional
        A prefix (columns ``prefix + class``), a single column (of the second of two classes), or a mapping of
        class to column.
    features : sequence of str, optional
        Columns that describe the cases; by default all that have no other role.
    classes : array-like, optional
        All classes of the problem; without it those that occur.
    random_state : int
        Seed of everything random; the same seed gives the same evaluation.

    Returns
    -------
    Evaluation

    Notes
    -----
    All views are taken except borders, which need the model. Truth can say how well the error of these answers is
    known, and how many cases would settle which of the two best models is better; how a model from other training
    cases would do it cannot.

    Examples
    --------
    >>> import fivefold as ff
    >>> import polars as pl
    >>> table = pl.DataFrame({"y": ["a", "b"] * 40, "good": ["a", "b"] * 40, "lazy": ["a"] * 80})
    >>> found = ff.evaluate_predictions(table, target="y", predictions=["good", "lazy"])
    >>> print(found)
    Evaluation of 2 models on 80 cases of 2 classes
    >>> found.frame().select("model", "accuracy").rows()
    [('good', 1.0), ('lazy', 0.5)]
    """
    seed = positive_int(random_state, "random_state", least=0)
    said = predictions_from_table(
        table,
        target=target,
        predictions=predictions,
        probabilities=probabilities,
        features=features,
        classes=classes,
    )
    return evaluate_models(said, seed, target=target)
