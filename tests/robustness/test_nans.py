"""No result holds a NaN that is not explained: by the docstring of the call, or where the number is declared."""

import inspect
from dataclasses import dataclass

import numpy as np
import pytest

from .entries import FUNCTIONS, PUBLIC, parameters_of
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


KNOWN = set(degenerate([0, 1], 0.5))
READY = [name for name in FUNCTIONS if needed(PUBLIC[name]) and KNOWN.issuperset(needed(PUBLIC[name]))]


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
