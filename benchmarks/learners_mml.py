"""MML trees and graphs against scikit-learn's tree on codes, warm, in one run.

Run as `python -m benchmarks.learners_mml`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.tree import DecisionTreeClassifier

import fivefold as ff
from benchmarks.timing import interleaved, show
from fivefold.inputs.columns import read_columns
from fivefold.learners.mml import MMLGraph, MMLTree


def main() -> None:
    _compare("Adult, 32,561 x 14 (wanted: MMLTree under 10 s)", "adult-train", lookahead=1)
    _compare("HY, 3,163 x 25 (wanted: MMLGraph under 30 s)", "HY", lookahead=2)
    _predict()


def _compare(title: str, name: str, lookahead: int) -> None:
    table = ff.data.load(name)
    X, y = table.X, table.y
    models: dict[str, Any] = {
        "MMLTree": MMLTree(),
        'MMLTree(alpha="auto")': MMLTree(alpha="auto"),
        "MMLGraph": MMLGraph(),
        "MMLGraph(grow_joins=False)": MMLGraph(grow_joins=False),
    }
    if lookahead > 1:
        models[f"MMLTree(lookahead={lookahead})"] = MMLTree(lookahead=lookahead)
    calls: dict[str, Callable[[], Any]] = {
        kind: lambda model=model: model.fit(X, y) for kind, model in models.items()
    }
    codes = _codes(X)
    calls["sklearn tree"] = lambda: DecisionTreeClassifier(criterion="entropy").fit(codes, y)
    show(title, interleaved(calls), "sklearn tree")
    for kind, model in models.items():
        print(f"  {kind:<44} {model.message_length_:9.1f} bits of {model.leaf_message_length_:.1f}")


def _predict() -> None:
    table = ff.data.load("HY")
    X = table.X[np.arange(1_000_000) % len(table.y)]
    models = {"MMLTree": MMLTree().fit(table.X, table.y), "MMLGraph": MMLGraph().fit(table.X, table.y)}
    tree = DecisionTreeClassifier(max_leaf_nodes=6).fit(_codes(table.X), table.y)
    codes = _codes(X)
    calls: dict[str, Callable[[], Any]] = {
        name: lambda model=model: model.predict_proba(X) for name, model in models.items()
    }
    calls["sklearn tree on codes"] = lambda: tree.predict_proba(codes)
    show("probabilities of 1,000,000 cases of HY", interleaved(calls), "sklearn tree on codes")


def _codes(X: Any) -> Any:
    return np.column_stack([column.values for column in read_columns(X)]).astype(np.float64)


if __name__ == "__main__":
    main()
