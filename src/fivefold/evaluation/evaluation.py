"""What was found about several models, and the ways to read it."""

from __future__ import annotations

import importlib
import math
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, cast

from fivefold.evaluation.comparisons import VIEWS, Comparison, ModelViews, Ranking
from fivefold.evaluation.findings import NOT_ASKED, Finding
from fivefold.evaluation.slices_view import SlicesView
from fivefold.results import make_frame, write_text

_MODULE = "fivefold.report.notebook"


class Display(Protocol):
    """What a module must offer to show evaluations."""

    def page(self, evaluation: Any) -> str:
        """Write a whole HTML page."""

    def json(self, evaluation: Any) -> str:
        """Write JSON that follows the published schema."""

    def notebook(self, evaluation: Any) -> str:
        """Write HTML for the cell of a notebook."""

    def markdown(self, evaluation: Any) -> str:
        """Write Markdown."""


def display() -> Display:
    """Load what shows evaluations, on first use: charts take a while."""
    return cast(Display, importlib.import_module(_MODULE))


_FOREIGN = re.compile(r"[^\w\-. /]", re.ASCII)


def log_to_mlflow(rows: Sequence[Mapping[str, Any]], artifacts: Mapping[str, str], prefix: str = "") -> None:
    """Log a metric for each finite number of each model, and texts as artifacts.

    Parameters
    ----------
    rows : sequence of mapping
        One for each model, with its name under "model".
    artifacts : mapping of file name to text
        What to keep beside the numbers.
    prefix : str
        What to put before all names.
    """
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


@dataclass(frozen=True, eq=False)
class Evaluation:
    """What was found about several models on the same cases.

    In a notebook it shows itself; elsewhere read `verdict()`, `frame()`, `to_html()` or `to_json()`.

    Parameters
    ----------
    models : tuple of ModelViews
        Every model, in the order given.
    comparisons : tuple of Comparison
        In each view, the best model against every other.
    findings : tuple of Finding
        What was found, in order of importance: disagreements between views first.
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
    """

    models: tuple[ModelViews, ...]
    comparisons: tuple[Comparison, ...]
    findings: tuple[Finding, ...]
    random_state: int
    differences: SlicesView | None = None
    rankings: tuple[Ranking, ...] = ()
    target: str = ""
    protocol: str = ""

    @property
    def n_cases(self) -> int:
        """Number of cases."""
        return self.models[0].predictions.n_cases

    @property
    def classes(self) -> list[Any]:
        """All classes of the problem."""
        labels: list[Any] = self.models[0].predictions.classes.tolist()
        return labels

    def verdict(self) -> str:
        """Say everything that was found, one finding a line, and last what could not be judged, and why."""
        found = [finding.sentence for finding in self.findings]
        return "\n".join([*([self.protocol] if self.protocol else []), *found, *self._not_judged()])

    def _not_judged(self) -> list[str]:
        told = []
        for view in VIEWS:
            reasons: dict[str, list[str]] = {}
            for model in self.models:
                reason = model.absent.get(view, NOT_ASKED)
                if reason != NOT_ASKED:
                    reasons.setdefault(reason, []).append(model.name)
            told += [f"No {view} of {', '.join(names)}: {reason}." for reason, names in reasons.items()]
        return told

    def frame(self, library: str = "polars") -> Any:
        """Give one row for each model and one column for each number.

        Parameters
        ----------
        library : {"polars", "pandas", "pyarrow"}
            The library of the frame; only polars comes with Fivefold.
        """
        return make_frame(_columns(self.models), library)

    def to_html(self, path: str | os.PathLike[str] | None = None) -> str | None:
        """Write one HTML page that needs nothing else, to a file or as a text.

        Parameters
        ----------
        path : path-like, optional
            Where to write; without it the page is returned.
        """
        return _deliver(display().page(self), path)

    def to_json(self, path: str | os.PathLike[str] | None = None) -> str | None:
        """Write everything as JSON that follows `fivefold.report.schema.load_schema()`, to a file or as a text.

        Parameters
        ----------
        path : path-like, optional
            Where to write; without it the text is returned.
        """
        return _deliver(display().json(self), path)

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
        rows = self.frame().to_dicts()
        artifacts = {"evaluation.html": display().page(self), "evaluation.json": display().json(self)}
        log_to_mlflow(rows, artifacts, prefix)

    def _repr_html_(self) -> str:
        return display().notebook(self)

    def _repr_markdown_(self) -> str:
        return display().markdown(self)

    def __str__(self) -> str:
        models = f"{len(self.models)} model{'s' if len(self.models) > 1 else ''}"
        cases = f"{self.n_cases} case{'s' if self.n_cases > 1 else ''}"
        return f"Evaluation of {models} on {cases} of {len(self.classes)} classes"


def _deliver(text: str, path: str | os.PathLike[str] | None) -> str | None:
    if path is None:
        return text
    write_text(path, text)
    return None


def _columns(models: Sequence[ModelViews]) -> Mapping[str, list[Any]]:
    bets = [model.bets for model in models]
    return {
        "model": [model.name for model in models],
        "accuracy": [model.bits.accuracy for model in models],
        "bits_saved": [model.bits.saved for model in models],
        "bits_saved_se": [model.bits.standard_error for model in models],
        "null_bits": [model.bits.encoding.null for model in models],
        "coverage": [model.bits.encoding.answers.coverage for model in models],
        "mean_size": [model.bits.encoding.answers.mean_size for model in models],
        "reward": [view.reward.mean if view else None for view in bets],
        "reward_se": [view.reward.standard_error if view else None for view in bets],
        "miscalibration": [view.reliability.miscalibration if view else None for view in bets],
        "miscalibration_p": [view.reliability.floor.p_value if view else None for view in bets],
        "brier": [view.brier if view else None for view in bets],
        "auc": [view.area if view else None for view in bets],
        **_more_columns(models),
    }


def _more_columns(models: Sequence[ModelViews]) -> Mapping[str, list[Any]]:
    """Give the numbers of truth, slices and borders."""
    estimates = [model.truth.estimate if model.truth else None for model in models]
    limits = [each.interval if each else None for each in estimates]
    slices = [model.slices for model in models]
    worst = [view.worst if view else None for view in slices]
    return {
        "cv_error": [each.best_guess if each else None for each in estimates],
        "cv_error_low": [each.low if each else None for each in limits],
        "cv_error_high": [each.high if each else None for each in limits],
        "n_slices_worse": [len(view.found.worse()) if view else None for view in slices],
        "worst_slice": [each.difference if each else None for each in worst],
        "border_measure": [model.borders.measure.value if model.borders else None for model in models],
    }
