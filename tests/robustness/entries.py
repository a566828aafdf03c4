"""Every public function and estimator, found in the packages' own lists, and odd arguments for each."""

import inspect
from dataclasses import is_dataclass

import numpy as np
import polars as pl
from hypothesis import strategies as st
from sklearn.tree import DecisionTreeClassifier

import fivefold as ff

from .odd_values import (
    MOST_ROWS,
    answer_sets,
    cells,
    contain,
    frames,
    good_labels,
    labels,
    lists,
    numbers,
    probabilities,
    scalars,
)

# a decorator, which gives back whatever it is put on
NOT_HERE = {"study.task"}


def _public():
    for package in ff.__all__:
        home = getattr(ff, package)
        if inspect.isfunction(home):
            yield package, home
        elif inspect.ismodule(home):
            for name in home.__all__:
                yield f"{package}.{name}", getattr(home, name)


PUBLIC = dict(_public())
FUNCTIONS = sorted(name for name, each in PUBLIC.items() if inspect.isfunction(each) and name not in NOT_HERE)
CLASSES = sorted(
    name
    for name, each in PUBLIC.items()
    if inspect.isclass(each)
    and not hasattr(each, "fit")
    and not issubclass(each, BaseException)
    and not getattr(each, "_is_protocol", False)
)
ESTIMATORS = sorted(name for name, each in PUBLIC.items() if inspect.isclass(each) and hasattr(each, "fit"))


class Answers:
    """A model that gives whatever it was told to give."""

    def __init__(self, given):
        self.given = given

    def fit(self, _X, _y):
        return self

    def predict(self, X):
        return [self.given] * X.shape[0]


models = st.sampled_from([None, "c45", DecisionTreeClassifier, Answers("a"), Answers(None), 3]) | st.builds(
    DecisionTreeClassifier, random_state=st.just(0)
)


def odd(name, n):
    """Odd values for a parameter, by the names that the house uses."""
    both = good_labels(n) | labels(n)
    by_name = {
        "y_true": both,
        "y": both,
        "y_pred": both | answer_sets(n),
        "y_pred_a": both,
        "y_pred_b": both,
        "y_test": both,
        "y_prob": probabilities(n),
        "p": probabilities(n),
        "q": probabilities(n),
        "scores": lists(numbers, n) | labels(n),
        "differences": lists(numbers, n) | labels(n),
        "sample_weight": lists(numbers, n) | scalars,
        "X": frames(n),
        "X_test": frames(n),
        "table": frames(n),
        "classes": good_labels(3) | labels(3),
        "priors": lists(numbers, 2) | scalars,
        "model": models,
        "estimator": models,
        "estimators": models,
        "learner": models,
        "estimator_a": models,
        "estimator_b": models,
        "window": lists(lists(numbers, 2), 2) | scalars,
        "n_jobs": st.sampled_from([None, 0, 1.5, "two"]),
        "n_repeats": st.sampled_from([0, -1, 2, "x", None, 2.5]),
        "n_permutations": st.sampled_from([0, -1, 19, "x", None, 2.5]),
        "n_resamples": st.sampled_from([0, -1, 19, "x", None, 2.5]),
        "path": scalars | labels(3) | cells | st.sampled_from(["x\0", "/", "no/such.csv"]),
        "name": scalars | cells,
        "orderings": st.sampled_from([0, -1, 3, "x", None, 2.5]),
    }
    return by_name.get(name, scalars | numbers | labels(3) | cells)


def parameters_of(function):
    """Give what a function or a constructor takes."""
    made = function.__init__ if is_dataclass(function) else function
    parameters = inspect.signature(made).parameters
    return {name: each for name, each in parameters.items() if name != "self"}


# what would take seconds with the values that stand there by themselves
SMALL = {
    "n_concepts": 2,
    "n_repeats": 2,
    "n_test": 50,
    "n_resamples": 19,
    "n_permutations": 19,
    "n_splits": 2,
}
TITLES = ["a", "b c", "\x1b]0;x\x07", "\u202eé", "<b>", "x" * 90]


@st.composite
def usable(draw, n):
    """Draw values that go together, by the names that the house uses; a spoiled one among them goes far in."""
    k = draw(st.sampled_from([2, 2, 3, 1]))
    names = draw(
        st.sampled_from([["a", "b", "c"], [0, 1, 2], [0.5, 7.0, 1e10], ["\x1b[31m", "<b>", "\u202e"]])
    )
    truth, other, third = (draw(lists(st.sampled_from(names[:k]), n)) for _ in range(3))
    truth[:k] = names[: min(k, n)]
    form = draw(st.sampled_from(["list", "array", "objects", "pandas", "polars"]))
    shares = (
        np.array(draw(lists(lists(st.sampled_from([0.0, 0.25, 0.5, 1.0, 1e-9]), k), n))).reshape(n, k)
        + 1e-300
    )
    stated = shares / shares.sum(axis=1, keepdims=True)
    column = np.array(draw(lists(st.sampled_from([0.0, 0.5, 1.0, -2.0, 1e-12, 3e5]), n)))
    titles = draw(st.lists(st.sampled_from(TITLES), min_size=1, max_size=3, unique=True))
    whole = {title: draw(lists(st.sampled_from([0, 1, 2.5, -3]), n)) for title in titles}
    nominal = {title: draw(lists(st.sampled_from(["r", "\x1b[2J", None]), n)) for title in titles}
    X = pl.DataFrame(draw(st.sampled_from([whole, whole, nominal])), strict=False)
    fitted = draw(st.sampled_from([ff.learners.OneR(), DecisionTreeClassifier(max_depth=2, random_state=0)]))
    y = dict.fromkeys(["y_true", "y", "y_test"], contain(truth, form))
    y |= {"y_pred": contain(other, form), "y_pred_a": contain(other, form), "y_pred_b": contain(third, form)}
    y |= dict.fromkeys(["y_prob", "p"], stated) | {"q": stated[::-1], "classes": sorted(set(truth), key=str)}
    y |= dict.fromkeys(["scores", "differences"], column) | dict.fromkeys(
        ["sample_weight", "confidence"], abs(column)
    )
    y |= dict.fromkeys(["X", "X_test"], X) | dict.fromkeys(
        ["estimator", "estimator_a", "estimator_b"], fitted
    )
    y |= {
        "estimators": {"\x1b[31mtree": fitted, "one": ff.learners.OneR()},
        "distances": abs(column),
        "b": 0.5,
    }
    y |= {
        "table": X.with_columns(y=pl.Series(truth), m=pl.Series(other)),
        "target": "y",
        "predictions": ["m"],
    }
    y |= {
        "groups": [i // 2 for i in range(n)],
        "window": [(0.0, 1.0)] * 2,
        "concept": "dnf1",
        "sizes": [5, 9],
        "n": n,
    }
    y |= {
        "test_share": 0.1,
        "difference": 0.1,
        "sd": 0.5,
        "accuracy": 0.7,
        "default_rate": 0.5,
        "counts": [[1] * n],
    }
    return y | SMALL


@st.composite
def odd_arguments(draw, function):
    """Draw all that a function needs and some of what it can take: all of it odd, or one or two values at most."""
    n = draw(st.integers(0, MOST_ROWS))
    good = draw(st.just({}) | usable(n))
    spoiled = draw(st.sets(st.sampled_from([*parameters_of(function)] or [""]), max_size=2))
    arguments, options = [], {}
    for name, parameter in parameters_of(function).items():
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            continue
        is_needed = parameter.default is parameter.empty
        value = draw(odd(name, n)) if name in spoiled or (is_needed and name not in good) else good.get(name)
        if is_needed and parameter.kind != parameter.KEYWORD_ONLY:
            arguments.append(value)
        elif is_needed or name in spoiled or (good and name in SMALL):
            options[name] = value
    return arguments, options
