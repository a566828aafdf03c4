"""No result holds a NaN that is not explained: by the docstring of the call, or where the number is declared."""

import inspect
import re
from dataclasses import dataclass

import numpy as np
import polars as pl
import pytest
from sklearn.tree import DecisionTreeClassifier

import fivefold as ff
from fivefold.learners import NaiveBayes, OneR

from .entries import FUNCTIONS, PUBLIC, SMALL, parameters_of
from .law import obey
from .nans import unexplained

# few cases, one class, ties, certainty, all wrong: where sums are 0 and spreads vanish
TRUTHS = {
    "one case": [1],
    "two cases": [0, 1],
    "one class": [1, 1, 1, 1],
    "rare": [0] * 11 + [1],
    "even": [0, 1] * 6,
    "three classes": [0, 1, 2] * 3,
}
STATED = {"sure": 1.0, "half": 0.5, "never": 0.0, "mixed": None}


def degenerate(truth, stated):
    """Give valid arguments by the names that the house uses."""
    y = np.array(truth)
    n, k = y.size, int(y.max()) + 1
    share = np.linspace(0.1, 0.9, n) if stated is None else np.full(n, stated)
    other = np.full((n, k), (1 - share)[:, None] / max(k - 1, 1))
    other[np.arange(n), y] = share if k > 1 else 1.0
    names = {
        "y_true": y,
        "y": y,
        "y_pred": np.zeros(n, dtype=int),
        "y_pred_a": y,
        "y_pred_b": np.zeros_like(y),
    }
    names |= {"y_prob": share if k == 2 else other, "p": other, "q": other[::-1], "scores": share}
    return names | {"differences": share - share[0], "n": n}


def needed(function):
    free = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    parameters = parameters_of(function).items()
    return [name for name, each in parameters if each.default is each.empty and each.kind not in free]


def with_models(truth):
    """Give models and tables in which all rows are alike but one, beside the other arguments."""
    names = degenerate(truth, None)
    n = len(truth)
    X = pl.DataFrame({"x": [1.0] * (n - 1) + [2.0], "same": ["r"] * n})
    numbers = pl.DataFrame({"x": [0.0] * (n - 1) + [1.0], "z": [float(i % 2) for i in range(n)]})
    names |= {"X": X, "concept": "dnf1", "sizes": [5, 6], "counts": np.ones((2, n), dtype=int)}
    names |= dict.fromkeys(["estimator", "estimator_a", "estimator_b"], OneR())
    names |= {"estimators": {"one": OneR(), "bayes": NaiveBayes()}, "window": [(0.0, 1.0)] * 2}
    names |= {"table": X.with_columns(y=names["y"], m=names["y_pred"]), "target": "y", "predictions": ["m"]}
    return names | SMALL, names | {"X": numbers, "estimator": _fitted(numbers, names["y"])} | SMALL


def _fitted(X, y):
    return DecisionTreeClassifier(max_depth=1, random_state=0).fit(X, y)


def ready(known):
    return [name for name in FUNCTIONS if needed(PUBLIC[name]) and known.issuperset(needed(PUBLIC[name]))]


READY = ready(set(degenerate([0, 1], 0.5)))
WITH_MODELS = sorted(set(ready(set(with_models([0, 1])[0]))) - set(READY))


@pytest.mark.slow
@pytest.mark.parametrize("truth", TRUTHS)
@pytest.mark.parametrize("name", WITH_MODELS)
def test_no_nan_is_left_unexplained_where_models_are_judged(name, truth):
    function = PUBLIC[name]
    for arguments in with_models(TRUTHS[truth]):
        taken = [*needed(function), *(set(parameters_of(function)) & {*SMALL, "predictions"})]
        result = obey(function, **{key: arguments[key] for key in taken})
        assert not list(unexplained(result, inspect.getdoc(function), name))
        if isinstance(result, ff.evaluation.evaluation.Evaluation):
            said = " ".join([*(f.sentence for f in result.findings), result.verdict(), str(result)])
            assert not re.search(r"\bnan\b|\binf\b", said)


@pytest.mark.parametrize("truth", TRUTHS)
@pytest.mark.parametrize("stated", STATED)
def test_no_nan_is_left_unexplained(truth, stated):
    arguments = degenerate(TRUTHS[truth], STATED[stated])
    found = []
    for name in READY:
        function = PUBLIC[name]
        result = obey(function, **{key: arguments[key] for key in needed(function)})
        found += unexplained(result, inspect.getdoc(function), name)
    assert not found


def test_most_metrics_are_tried():
    assert len(READY) > 40
    assert len(WITH_MODELS) > 20


def test_the_walk_finds_what_it_should():
    @dataclass(frozen=True)
    class Found:
        """A result.

        Parameters
        ----------
        low, high : float
            Ends; NaN where there is no case.
        value : float
            The middle.
        """

        low: float
        high: float
        value: float
        tests: tuple[float, ...] = ()

    nan = float("nan")
    assert list(unexplained(Found(nan, nan, 1.0))) == []
    assert list(unexplained({"a": [Found(1.0, nan, nan)]})) == ["Found.value"]
    assert list(unexplained(Found(1.0, 1.0, 1.0, (1.0, nan)))) == ["Found.tests"]
    assert list(unexplained(np.array([1.0, nan]), "A mean.", "mean")) == ["mean"]
