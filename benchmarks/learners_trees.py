"""C4.5 trees and rules and C5.0 rules on Adult, CH and small boolean tables, beside scikit-learn's tree.

Run as `python -m benchmarks.learners_trees`. For orientation, on a machine with two cores: Weka's J48 takes 0.62 s
on Adult and 0.032 s on CH, C5.0 0.76 s and 0.084 s, C5.0's rules 1.1 s on Adult, and imodels' C4.5 27.7 s and
1.24 s, where scikit-learn's entropy tree takes 0.137 s and 0.0038 s.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.tree import DecisionTreeClassifier

from benchmarks.timing import best_of, interleaved, show
from fivefold.data import load
from fivefold.inputs.columns import read_columns
from fivefold.learners import C5Rules, C45Rules, C45Tree

OURS = (C45Tree, C45Rules, C5Rules)
PEER = "sklearn entropy tree (on codes)"


def main() -> None:
    for code in ("adult-train", "CH"):
        table = load(code)
        X, y = _declared(table.X.to_pandas()), np.asarray(table.y)
        show(f"{code}, {len(y)} rows: fit", interleaved(_fits(X, y)), PEER)
    _small_tables()
    _predictions()


def _declared(X: Any) -> Any:
    return X.astype({name: "category" for name in X.columns if X[name].dtype.kind not in "fi"})


def _fits(X: Any, y: Any) -> dict[str, Callable[[], Any]]:
    columns = [column.values for column in read_columns(X)]
    codes = np.column_stack([np.unique(values, return_inverse=True)[1] for values in columns])
    calls: dict[str, Callable[[], Any]] = {"reading the table alone": lambda: read_columns(X)}
    for learner in OURS:
        calls[learner.__name__] = lambda learner=learner: learner().fit(X, y)
    calls[PEER] = lambda: DecisionTreeClassifier(criterion="entropy").fit(codes, y)
    return calls


def _small_tables() -> None:
    rng = np.random.default_rng(0)
    tables = [(rng.random((100, 50)) < 0.5, rng.integers(0, 2, 100)) for _ in range(100)]
    print("\n100 fits on 100 x 50 booleans")
    for learner in OURS:
        seconds = best_of(lambda learner=learner: [learner().fit(X, y) for X, y in tables])
        print(f"  {learner.__name__:<44} {seconds:8.3f} s")


def _predictions(rows: int = 1_000_000) -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(rows, 5))
    y = np.sin(3 * X[:, 0]) + X[:, 1] > 0
    model = C45Tree(min_cases=10).fit(X[:3000], y[:3000])
    seconds = best_of(lambda: model.predict(X))
    print(
        f"\npredict with a tree of {model.n_nodes_} nodes: {rows / seconds / 1e6:.1f} million rows a second"
    )


if __name__ == "__main__":
    main()
