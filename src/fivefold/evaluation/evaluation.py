"""What was found about several models, and the ways to read it."""

from __future__ import annotations

import importlib
import math
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Annotated, Any, Literal

import numpy as np
from numpy.typing import NDArray

from fivefold import __version__
from fivefold.evaluation.bets_view import BetsView
from fivefold.evaluation.bits_view import BitsView
from fivefold.evaluation.borders_view import BordersView
from fivefold.evaluation.confidence_view import ConfidenceView
from fivefold.evaluation.findings import NOT_ASKED, Advantage, Finding, Ranking
from fivefold.evaluation.scorecard import Scorecard, make_scorecard
from fivefold.evaluation.slices_view import SlicesView
from fivefold.evaluation.truth_view import TruthView
from fivefold.evaluation.usual_view import UsualView
from fivefold.inputs.predictions import Predictions
from fivefold.inputs.roles import ColumnRole
from fivefold.plain_text import counted
from fivefold.report.summary import summarise, to_json
from fivefold.results import (
    VIEW_NAMES,
    Count,
    declared,
    forwarded,
    make_frame,
    number,
    numbers_of_view,
    write_text,
)

SCHEMA_VERSION: Literal["3.0"] = "3.0"
_FOREIGN = re.compile(r"[^\w\-. /]", re.ASCII)


@dataclass(frozen=True, eq=False)
class ModelViews:
    """All views of one model.

    Parameters
    ----------
    name : str
        The model's name.
    predictions : Predictions
        What it said.
    bits : BitsView
        How much it learned.
    bets : BetsView or None
        What its probabilities are worth.
    absent : mapping of view to reason
        Views that do not apply, and why.
    slices : SlicesView or None
        Where it errs.
    borders : BordersView or None
        The shape of its regions.
    truth : TruthView or None
        How far its error can be trusted.
    confidence : ConfidenceView or None
        What its confidence in its answers is worth.
    """

    name: Annotated[str, (1, None)] = field(metadata=declared())
    predictions: Predictions = field(repr=False)
    bits: BitsView = field(repr=False, metadata=declared(meaning="How much the model learned."))
    bets: BetsView | None = field(repr=False, metadata=declared(meaning="What its probabilities are worth."))
    absent: Mapping[str, str] = field(
        metadata=declared(meaning="Views that could not judge this model, and why.")
    )
    slices: SlicesView | None = field(default=None, repr=False, metadata=declared(meaning="Where it fails."))
    borders: BordersView | None = field(
        default=None, repr=False, metadata=declared(meaning="The shape of its regions.")
    )
    truth: TruthView | None = field(
        default=None, repr=False, metadata=declared(meaning="How far its error can be trusted.")
    )
    confidence: ConfidenceView | None = field(
        default=None,
        repr=False,
        metadata=declared(meaning="What its confidence in its answers is worth, where it stated any."),
    )

    answers_given = forwarded(
        "predictions.answers_given", bool, "Whether answers were given, or are the most probable classes."
    )

    def __str__(self) -> str:
        views = [getattr(self, view) for view in VIEW_NAMES]
        return "\n".join(str(view) for view in views if view is not None)

    @number()
    def usual(self) -> UsualView:
        """The usual figures: confusion matrix, precision, recall, F1 and thresholds."""
        return UsualView.of(self.predictions)

    @cached_property
    def right(self) -> NDArray[np.bool_]:
        """Which cases it answered with the true class and nothing else."""
        return self.predictions.right()


@dataclass(frozen=True, eq=False)
class Evaluation:
    """What was found about several models on the same cases.

    In a notebook it shows itself; elsewhere read `verdict()`, `frame()`, `to_html()` or `to_json()`.

    Parameters
    ----------
    models : tuple of ModelViews
        Every model, in the order given.
    comparisons : tuple of Advantage
        In each view, the best model against every other.
    findings : tuple of Finding
        What was found, in order of importance: what makes this no test first, then disagreements between views.
    random_state : int
        The seed of everything random.
    differences : SlicesView or None
        Where the two models that save most bits differ.
    rankings : tuple of Ranking
        In each view that can judge two models, all that it can judge, the best first.
    target : str
        What the true class is called.
    protocol : str
        Which cases the models were trained on and which they were asked, in a sentence.
    source : str
        Where the predictions came from.
    columns : tuple of ColumnRole
        What each column of the table was taken for, and why; empty where no table was read.
    notes : tuple of str
        What was left out, recognised or changed while reading, in sentences.
    """

    models: Annotated[tuple[ModelViews, ...], (1, None)] = field(metadata=declared())
    comparisons: tuple[Advantage, ...] = field(metadata=declared())
    findings: tuple[Finding, ...] = field(metadata=declared(meaning="In order of importance."))
    random_state: Count = field(metadata=declared(meaning="The seed of everything random."))
    differences: SlicesView | None = field(
        default=None, metadata=declared(meaning="Where the two models that save most bits differ.")
    )
    rankings: tuple[Ranking, ...] = field(default=(), metadata=declared())
    target: str = field(default="", metadata=declared(meaning="What the true class is called."))
    protocol: str = field(
        default="",
        metadata=declared(meaning="Which cases the models were trained on and which they were asked."),
    )
    source: str = field(default="", metadata=declared(meaning="Where the predictions came from."))
    columns: tuple[ColumnRole, ...] = field(
        default=(), metadata=declared(meaning="What each column of the table was taken for, and why.")
    )
    notes: tuple[str, ...] = field(
        default=(), metadata=declared(meaning="What was left out, recognised or changed while reading.")
    )

    @number()
    def fivefold(self) -> str:
        """Version of Fivefold."""
        return __version__

    @number()
    def schema(self) -> Literal["3.0"]:
        """Version of the JSON; see `load_schema`."""
        return SCHEMA_VERSION

    n_cases = forwarded("_predictions.n_cases", Annotated[int, (1, None)], "Number of cases.")

    @number(key="classes")
    def class_names(self) -> Annotated[list[str], (1, None)]:
        """All classes of the problem, as text."""
        return [str(label) for label in self.classes]

    @number()
    def scorecard(self) -> Scorecard:
        """The answer first: a headline, at most three warnings, and a row of figures for each model."""
        return make_scorecard(self.models, self.comparisons, self.findings)

    @property
    def classes(self) -> list[Any]:
        """All classes of the problem."""
        labels: list[Any] = self._predictions.classes.tolist()
        return labels

    @property
    def _predictions(self) -> Predictions:
        return self.models[0].predictions

    def verdict(self) -> str:
        """Say everything that was found, one finding a line, and last what could not be judged, and why."""
        sentences = [finding.sentence for finding in self.findings]
        return "\n".join([*([self.protocol] if self.protocol else []), *sentences, *self._not_judged()])

    def _not_judged(self) -> list[str]:
        lines = []
        for view in VIEW_NAMES:
            reasons: dict[str, list[str]] = {}
            for model in self.models:
                reason = model.absent.get(view, NOT_ASKED)
                if reason != NOT_ASKED:
                    reasons.setdefault(reason, []).append(model.name)
            lines += [f"No {view} of {', '.join(names)}: {reason}." for reason, names in reasons.items()]
        return lines

    def frame(self, library: str | None = None) -> Any:
        """Give one row for each model and one column for each number.

        Parameters
        ----------
        library : {"polars", "pandas", "pyarrow"}, optional
            The library of the frame; by default pandas if the cases came in it, else polars.
        """
        if library is None:
            given = type(self._predictions.features).__module__.split(".")[0]
            library = "pandas" if given == "pandas" else "polars"
        columns: dict[str, list[Any]] = {"model": [model.name for model in self.models]}
        for view in (*VIEW_NAMES, "usual", "confidence"):
            judged = [getattr(model, view) for model in self.models]
            for declaration in numbers_of_view(view):
                if declaration.column:
                    values = [None if result is None else declaration.value(result) for result in judged]
                    columns |= _columns(declaration.column, declaration.name.endswith("interval"), values)
        return make_frame(columns, library)

    def to_html(self, path: str | os.PathLike[str] | None = None) -> str | None:
        """Write one HTML page that needs nothing else, to a file or as a text.

        Parameters
        ----------
        path : path-like, optional
            Where to write; without it the page is returned.
        """
        from fivefold.report.page import render_page

        return _deliver(render_page(self), path)

    def to_json(self, path: str | os.PathLike[str] | None = None) -> str | None:
        """Write everything as JSON that follows `fivefold.evaluation.load_schema()`, to a file or as a text.

        Parameters
        ----------
        path : path-like, optional
            Where to write; without it the text is returned.
        """
        return _deliver(to_json(summarise(self)), path)

    def log_mlflow(self, *, prefix: str = "") -> None:
        """Log to the active MLflow run: a metric for each number, the page and the JSON as artifacts.

        Parameters
        ----------
        prefix : str
            What to put before the names of metrics and artifacts.

        Raises
        ------
        ImportError
            If MLflow is not installed (``pip install "fivefold[mlflow]"``).
        """
        artifacts = {"evaluation.html": str(self.to_html()), "evaluation.json": str(self.to_json())}
        log_to_mlflow(self.frame("polars").to_dicts(), artifacts, prefix)

    def _repr_html_(self) -> str:
        from fivefold.report.notebook import render_notebook

        return render_notebook(summarise(self))

    def _repr_markdown_(self) -> str:
        from fivefold.report.notebook import render_markdown

        return render_markdown(summarise(self))

    def __str__(self) -> str:
        return f"{self._about()}\n\n{self.scorecard}"

    def __repr__(self) -> str:
        return f"<{self._about()}: {self.scorecard.headline}>"

    def _about(self) -> str:
        models, cases = counted(len(self.models), "model"), counted(self.n_cases, "case")
        return f"Evaluation of {models} on {cases} of {counted(len(self.classes), 'class')}"


def _deliver(text: str, path: str | os.PathLike[str] | None) -> str | None:
    if path is None:
        return text
    write_text(path, text)
    return None


def _columns(name: str, interval: bool, values: Sequence[Any]) -> dict[str, list[Any]]:
    """Give the column of a number, or the two of an interval."""
    if not interval:
        return {name: list(values)}
    ends = [value or (None, None) for value in values]
    return {f"{name}_low": [low for low, _ in ends], f"{name}_high": [high for _, high in ends]}


def log_to_mlflow(rows: Sequence[Mapping[str, Any]], artifacts: Mapping[str, str], prefix: str = "") -> None:
    """Log a metric for each finite number of each model, and texts as artifacts."""
    try:
        mlflow = importlib.import_module("mlflow")
    except ImportError as error:
        raise ImportError(
            'log_mlflow needs MLflow, which is not installed: pip install "fivefold[mlflow]"'
        ) from error
    names = metric_names([str(row["model"]) for row in rows])
    numbers = {
        f"{prefix}{names[str(row['model'])]}/{key}": float(value)
        for row in rows
        for key, value in row.items()
        if isinstance(value, (int, float)) and math.isfinite(value)
    }
    mlflow.log_metrics(numbers)
    for name, text in artifacts.items():
        mlflow.log_text(text, f"{prefix}{name}")


def metric_names(models: Sequence[str]) -> dict[str, str]:
    """Give each model a name that MLflow takes: letters, figures and a few signs, no two alike.

    Examples
    --------
    >>> metric_names(["k=5", "k:5", "tree"])
    {'k=5': 'k_5', 'k:5': 'k_5_2', 'tree': 'tree'}
    """
    names: dict[str, str] = {}
    for model in models:
        plain = _FOREIGN.sub("_", model).replace("/", "_")
        taken = sum(plain == _FOREIGN.sub("_", other).replace("/", "_") for other in names)
        names[model] = f"{plain}_{taken + 1}" if taken else plain
    return names
