"""Fits of propositional FOIL a second on 100 x 50 booleans: one by one as an estimator, and many in one call."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
from sklearn.base import clone
from sklearn.tree import DecisionTreeClassifier

import fivefold as ff
from benchmarks.timing import interleaved, show
from fivefold.learners.foil import learn_concepts

FITS = 200
RESAMPLES = 2000


def fits(model: Any, X: Any, y: Any) -> Callable[[], None]:
    def run() -> None:
        for _ in range(FITS):
            clone(model).fit(X, y).predict(X)

    return run


def main() -> None:
    rng = np.random.default_rng(0)
    X = rng.integers(0, 2, (100, 50)).astype(bool)
    y = (X[:, 1] & X[:, 2]) | (~X[:, 0] & X[:, 5] & X[:, 6])
    frame = pd.DataFrame(X, columns=[f"a{i}" for i in range(X.shape[1])])
    both, one, tree = ff.learners.Foil(), ff.learners.Foil(target=True), DecisionTreeClassifier()
    seconds = interleaved(
        {
            "Foil, both classes, array": fits(both, X, y),
            "Foil, one concept, array": fits(one, X, y),
            "Foil, one concept, pandas": fits(one, frame, y),
            "sklearn tree, array": fits(tree, X, y),
            "sklearn tree, pandas": fits(tree, frame, y),
        },
        repeats=7,
    )
    show(f"{FITS} times clone, fit, predict", seconds, "sklearn tree, array")
    for name, taken in seconds.items():
        print(f"  {name:<44} {FITS / taken:8.0f} fits a second")

    bootstrap = rng.multinomial(len(y), np.full(len(y), 1 / len(y)), size=RESAMPLES)
    leave_one_out = np.resize(1 - np.eye(len(y), dtype=int), (RESAMPLES, len(y)))
    seconds = interleaved(
        {
            "learn_concepts, bootstrap": lambda: learn_concepts(X, y, bootstrap),
            "learn_concepts, leave one out": lambda: learn_concepts(X, y, leave_one_out),
        },
        repeats=7,
    )
    print(f"\n{RESAMPLES} resamples in one call")
    for name, taken in seconds.items():
        print(f"  {name:<44} {RESAMPLES / taken:8.0f} fits a second")


if __name__ == "__main__":
    main()
