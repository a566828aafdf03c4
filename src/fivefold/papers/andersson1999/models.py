"""The classifiers of the paper's figures, on the petals of iris."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning
from sklearn.neighbors import KNeighborsClassifier
from sklearn.neural_network import MLPClassifier

from fivefold.borders.measure_classifier import MeasureClassifier
from fivefold.learners.theories import DecisionTree, Leaf, NumericSplit
from fivefold.learners.trees.id3 import ID3
from fivefold.papers.splits import table_of

Array = NDArray[Any]
NAMES = ("petal_length", "petal_width")


def petals() -> tuple[NDArray[np.float64], Array]:
    """Give length and width, each between 0 and 1, and the class by its number."""
    table = table_of("IR")
    X = table.X.select(NAMES).to_numpy().astype(np.float64)
    return (X - X.min(axis=0)) / np.ptp(X, axis=0), np.unique(table.y, return_inverse=True)[1]


class StatLogTree:
    """The pruned tree of Michie, Spiegelhalter and Taylor (1994), p. 10: 2.65 and 4.95 cm long, 1.65 cm wide."""

    def fit(self, X: Array, y: Array) -> StatLogTree:
        """Move the cuts to where the scale of the petals puts them."""
        raw = table_of("IR").X.select(NAMES).to_numpy()
        low, span = raw.min(axis=0), np.ptp(raw, axis=0)
        self.classes_ = np.unique(y)
        self.short, self.long = ((cut - low[0]) / span[0] for cut in (2.65, 4.95))
        self.wide = (1.65 - low[1]) / span[1]
        return self

    def theory(self) -> DecisionTree:
        """Give the tree, so that its borders are found exactly."""
        setosa, versicolor, virginica = (Leaf((label,)) for label in (0, 1, 2))
        lengths = NumericSplit("x0", self.long, versicolor, virginica)
        widths = NumericSplit("x1", self.wide, lengths, virginica)
        return DecisionTree(NumericSplit("x0", self.short, setosa, widths), (0, 1, 2))

    def predict(self, X: Array) -> Array:
        """Give the class of each case."""
        length, width = np.asarray(X).T
        late = (width > self.wide) | (length > self.long)
        return np.where(length <= self.short, 0, np.where(late, 2, 1))


def _network(nodes: int, epochs: int) -> Callable[[int], Any]:
    def make(seed: int) -> Any:
        return MLPClassifier(
            (nodes,), activation="logistic", solver="lbfgs", max_iter=epochs, random_state=seed
        )

    return make


MAKERS: Mapping[str, Callable[[int], Any]] = {
    "ID3": lambda seed: ID3(),
    "pruned-tree": lambda seed: StatLogTree(),
    "backprop-30": _network(30, 26_500),
    "backprop-2": _network(2, 20_000),
    "1-NN": lambda seed: KNeighborsClassifier(1),
    "10-NN": lambda seed: KNeighborsClassifier(10),
    "measure-based": lambda seed: MeasureClassifier(random_state=seed, progress=False),
}
RANDOM = ("backprop-30", "backprop-2", "measure-based")
# How ties of votes and identical cases of different classes are treated, so that the paper's rows come out.
OPTIONS: Mapping[str, Mapping[str, str]] = {"10-NN": {"ties": "highest"}, "1-NN": {"duplicates": "paper"}}


def trained(name: str, seed: int) -> Any:
    """Train one of the classifiers."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return MAKERS[name](seed).fit(*petals())
