"""The models that the paper asks about, trained on Adult's training cases."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray
from sklearn.compose import make_column_transformer
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, OneHotEncoder

from fivefold.learners.bayes.naive_bayes import NaiveBayes
from fivefold.learners.bayes.super_parent import SuperParent
from fivefold.learners.trees.c45 import C45Tree
from fivefold.papers.splits import table_of

BINS = {
    "age": [25, 35, 45, 55],
    "hours-per-week": [20, 39, 45, 60],
    "capital-gain": [0, 3500, 7500, 10000],
    "capital-loss": [0, 1000, 1500, 2000],
}
TRAIN, TEST = "adult-train", "adult-test"
_MISSING = "?"


@lru_cache(maxsize=8)
def answers(model: str) -> NDArray[Any]:
    """Give what a model says of the test cases."""
    train, test = table_of(TRAIN), table_of(TEST)
    learner, seen = {
        "MC4": (C45Tree(missing="value"), binned),
        "1NN": (_neighbours(1), _filled),
        "5NN": (_neighbours(5), _filled),
        "NB": (NaiveBayes(), binned),
        "SP": (SuperParent(), binned),
    }[model]
    said: NDArray[Any] = learner.fit(seen(train.X), train.y).predict(seen(test.X))
    return said


def _known(X: pl.DataFrame) -> pl.DataFrame:
    """Leave out what names a case: the sampling weight."""
    return X.drop("fnlwgt")


def _filled(X: pl.DataFrame) -> pl.DataFrame:
    """Make missing a value of its own."""
    return _known(X).with_columns(pl.col(pl.Enum).cast(pl.String).fill_null(_MISSING))


def binned(X: pl.DataFrame) -> pl.DataFrame:
    """Cut numbers as the paper does, before any learner sees them."""
    cuts = [pl.col(name).cut(list(map(float, at))).cast(pl.String) for name, at in BINS.items()]
    return _known(X).drop("education-num").with_columns(*cuts)


def _neighbours(k: int) -> Any:
    numeric = ["age", "education-num", "capital-gain", "capital-loss", "hours-per-week"]
    columns = make_column_transformer(
        (MinMaxScaler(), numeric), remainder=OneHotEncoder(handle_unknown="ignore", sparse_output=False)
    )
    return make_pipeline(columns, KNeighborsClassifier(k, algorithm="brute"))


def inside(conditions: str) -> NDArray[np.bool_]:
    """Say which test cases meet conditions as they are written in `published`."""
    table = table_of(TEST)
    truth = np.ones(len(table.y), dtype=bool)
    for condition in conditions.split(" & "):
        name, _, value = condition.partition("=")
        truth &= _meets(table.y if name == "salary" else table.X[name].to_numpy(), value)
    return truth


def _meets(values: NDArray[Any], value: str) -> NDArray[np.bool_]:
    if value.startswith("("):
        low, high = map(float, value.strip("(]").split(","))
        return np.asarray((values > low) & (values <= high))
    return np.asarray(values == (float(value) if values.dtype.kind in "fiu" else value))
