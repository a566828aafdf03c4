"""Numbers and pages in the active run of MLflow."""

from __future__ import annotations

import importlib
import math
import re
from collections.abc import Mapping, Sequence
from typing import Any

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
