"""Borders: exact trees and neighbours, and any classifier by its answers, beside counting pixels.

Run as `python -m benchmarks.borders`. The peer is what one would write in an hour: labels on a fine grid, with the
border as the number of pixel edges between different labels. It is as slow, and wrong by a quarter for slanted
borders however fine the grid is.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.datasets import load_iris
from sklearn.neighbors import KNeighborsClassifier
from sklearn.neural_network import MLPClassifier
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

from benchmarks.timing import best_of, interleaved, show
from fivefold.borders import Window, border_size, measure

GOALS = {
    "exact tree, 10,000 cases, 200 leaves": 0.5,
    "exact 10-NN, 150 cases": 0.5,
    "exact 10-NN, 1,000 cases": 20.0,
    "any classifier (SVC), iris petals": 2.0,
    "any classifier (MLP), iris petals": 2.0,
    "any classifier (SVC), iris, 4 columns": 5.0,
}


def pixels(model: Any, X: np.ndarray, cells: int = 600) -> float:
    """Border length by counting edges between pixels of different labels."""
    window = Window.around(X)
    low, high = window.unit_low, window.unit_high
    middles = [low[k] + (np.arange(cells) + 0.5) / cells * (high[k] - low[k]) for k in (0, 1)]
    grid = np.stack(np.meshgrid(*middles, indexing="ij"), axis=-1).reshape(-1, 2)
    labels = model.predict(window.to_raw(grid)).reshape(cells, cells)
    edges = np.sum(labels[1:] != labels[:-1]) + np.sum(labels[:, 1:] != labels[:, :-1])
    return float(edges * (high[0] - low[0]) / cells)


def problems() -> dict[str, Callable[[], Any]]:
    rng = np.random.default_rng(0)
    X, y = rng.uniform(size=(10_000, 2)), rng.integers(3, size=10_000)
    tree = DecisionTreeClassifier(max_leaf_nodes=200, random_state=0).fit(X, y)
    many = KNeighborsClassifier(10).fit(X[:1000], y[:1000])
    iris, classes = load_iris(return_X_y=True)
    petals = iris[:, 2:]
    few = KNeighborsClassifier(10).fit(petals, classes)
    machine, whole = SVC().fit(petals, classes), SVC().fit(iris, classes)
    net = MLPClassifier(30, solver="lbfgs", max_iter=5000, random_state=0).fit(petals, classes)
    calls = (
        lambda: measure(tree, X, y),
        lambda: measure(few, petals, classes),
        lambda: measure(many, X[:1000], y[:1000]),
        lambda: measure(machine, petals, classes),
        lambda: measure(net, petals, classes),
        lambda: measure(whole, iris, classes),
    )
    return dict(zip(GOALS, calls, strict=True))


def main() -> None:
    print("seconds of measure(), and what was aimed at")
    for name, call in problems().items():
        taken = best_of(call, 3)
        print(f"  {name:<44} {taken:8.3f} s   aim {GOALS[name]:5.1f} s   {call()}")
    iris, classes = load_iris(return_X_y=True)
    petals = iris[:, 2:]
    machine = SVC().fit(petals, classes)
    window = Window.around(petals)
    calls = {
        "border_size, adaptive grid": lambda: border_size(machine, window),
        "counting pixels, 600 x 600": lambda: pixels(machine, petals),
    }
    show("SVC on iris petals", interleaved(calls, 3), "border_size, adaptive grid")
    reference = border_size(machine, window, resolution=4096)
    for name, call in calls.items():
        print(f"  {name:<44} {call():8.4f}   error {abs(call() / reference - 1):.2%}")


if __name__ == "__main__":
    main()
