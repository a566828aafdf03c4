"""Fits of propositional FOIL a second on 100 x 50 booleans, through the estimator interface."""

from __future__ import annotations

import numpy as np
from sklearn.base import clone
from sklearn.tree import DecisionTreeClassifier

import fivefold as ff
from benchmarks.timing import interleaved, show

FITS = 200


def main() -> None:
    rng = np.random.default_rng(0)
    X = rng.integers(0, 2, (100, 50)).astype(bool)
    y = (X[:, 1] & X[:, 2]) | (~X[:, 0] & X[:, 5] & X[:, 6])
    models = {
        "Foil, both classes": ff.learners.Foil(),
        "Foil, one concept": ff.learners.Foil(target=True),
        "sklearn tree": DecisionTreeClassifier(),
    }

    def run(model: object) -> None:
        for _ in range(FITS):
            clone(model).fit(X, y).predict(X)

    seconds = interleaved({name: (lambda model=model: run(model)) for name, model in models.items()})
    show(f"{FITS} times clone, fit, predict", seconds, "sklearn tree")
    for name, taken in seconds.items():
        print(f"  {name:<44} {FITS / taken:8.0f} fits a second")


if __name__ == "__main__":
    main()
