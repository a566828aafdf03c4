"""1R, stump, ID3, naive Bayes and SuperParent on Adult, CH and small boolean tables, beside their peers.

Run as `python -m benchmarks.learners_simple`. Peers that are not installed are left out, and said so. For
orientation: Weka's OneR takes 0.085 s on Adult and 0.004 s on CH on a machine with two cores, its data already
in memory.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.naive_bayes import CategoricalNB
from sklearn.tree import DecisionTreeClassifier

from benchmarks.timing import best_of, interleaved, show
from fivefold.data import load
from fivefold.inputs.columns import read_columns
from fivefold.learners import ID3, DecisionStump, NaiveBayes, OneR, SuperParent

OURS = (OneR, DecisionStump, NaiveBayes, ID3, SuperParent)


def main() -> None:
    for code in ("adult-train", "CH"):
        table = load(code)
        X, y = table.X.to_pandas(), np.asarray(table.y)
        seconds = interleaved(_ours(X, y) | _peers(X, y))
        show(f"{code}, {len(y)} rows: fit", seconds, "sklearn CategoricalNB (on codes)")
        show(f"{code}: predict", interleaved(_predictions(X, y)), "OneR")
    _small_tables()


def _ours(X: Any, y: Any) -> dict[str, Callable[[], Any]]:
    calls: dict[str, Callable[[], Any]] = {"reading the table alone": lambda: read_columns(X)}
    for learner in OURS:
        calls[learner.__name__] = lambda learner=learner: learner().fit(X, y)
    return calls


def _predictions(X: Any, y: Any) -> dict[str, Callable[[], Any]]:
    fitted = {learner.__name__: learner().fit(X, y) for learner in OURS}
    return {name: lambda model=model: model.predict(X) for name, model in fitted.items()}


def _peers(X: Any, y: Any) -> dict[str, Callable[[], Any]]:
    codes = _codes(X)
    calls: dict[str, Callable[[], Any]] = {
        "sklearn CategoricalNB (on codes)": lambda: CategoricalNB().fit(codes, y),
        "sklearn tree (on codes)": lambda: DecisionTreeClassifier(criterion="entropy").fit(codes, y),
    }
    if importlib.util.find_spec("mlxtend") is None:
        print("mlxtend is not installed: left out")
        return calls
    from mlxtend.classifier import OneRClassifier

    labels = np.unique(y, return_inverse=True)[1]
    calls["mlxtend OneR (on codes)"] = lambda: OneRClassifier().fit(codes, labels)
    return calls


def _codes(X: Any) -> Any:
    columns = [column.values for column in read_columns(X)]
    return np.column_stack([np.unique(values, return_inverse=True)[1] for values in columns])


def _small_tables() -> None:
    rng = np.random.default_rng(0)
    tables = [(rng.random((100, 50)) < 0.5, rng.integers(0, 2, 100)) for _ in range(100)]
    print("\n100 fits on 100 x 50 booleans")
    for learner in OURS[:-1]:
        seconds = best_of(lambda learner=learner: [learner().fit(X, y) for X, y in tables])
        print(f"  {learner.__name__:<44} {seconds:8.3f} s")


if __name__ == "__main__":
    main()
