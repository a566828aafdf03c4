"""Every public function and estimator, found in the packages' own lists, and odd arguments for each."""

import inspect
from dataclasses import is_dataclass
from functools import cache, partial

import numpy as np
import polars as pl
from sklearn.tree import DecisionTreeClassifier

import fivefold as ff

from .odd_values import (
    MOST_ROWS,
    answer_sets,
    cells,
    contain,
    either,
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
        return [self.given] * (X.shape[0] if hasattr(X, "shape") else len(X))


MODELS = [None, "c45", DecisionTreeClassifier, Answers("a"), Answers(None), 3]


def models(rng):
    return either(rng, MODELS, lambda _: DecisionTreeClassifier(random_state=0))


def both(rng, n):
    return good_labels(rng, n) if rng.random() < 0.5 else labels(rng, n)


def answers(rng, n):
    return both(rng, n) if rng.random() < 2 / 3 else answer_sets(rng, n)


def columns_of_numbers(rng, n):
    return lists(rng, numbers, n) if rng.random() < 0.5 else labels(rng, n)


def anything(rng, _n):
    return either(rng, scalars, numbers, lambda rng: labels(rng, 3), cells)


ODD = {
    **dict.fromkeys(["y_true", "y", "y_pred_a", "y_pred_b", "y_test"], both),
    "y_pred": answers,
    **dict.fromkeys(["y_prob", "p", "q"], probabilities),
    **dict.fromkeys(["scores", "differences"], columns_of_numbers),
    "sample_weight": lambda rng, n: lists(rng, numbers, n) if rng.random() < 0.5 else scalars(rng),
    **dict.fromkeys(["X", "X_test", "table"], frames),
    "classes": lambda rng, _n: both(rng, 3),
    "priors": lambda rng, _n: lists(rng, numbers, 2) if rng.random() < 0.5 else scalars(rng),
    **dict.fromkeys(
        ["model", "estimator", "estimators", "learner", "estimator_a", "estimator_b"],
        lambda rng, _n: models(rng),
    ),
    "window": lambda rng, _n: [lists(rng, numbers, 2) for _ in "ab"] if rng.random() < 0.5 else scalars(rng),
    "n_jobs": lambda rng, _n: rng.choice([None, 0, 1.5, "two"]),
    "n_repeats": lambda rng, _n: rng.choice([0, -1, 2, "x", None, 2.5]),
    **dict.fromkeys(
        ["n_permutations", "n_resamples"], lambda rng, _n: rng.choice([0, -1, 19, "x", None, 2.5])
    ),
    "path": lambda rng, _n: either(
        rng, scalars, lambda rng: labels(rng, 3), cells, ["x\0", "/", "no/such.csv"]
    ),
    "name": lambda rng, _n: either(rng, scalars, cells),
    "orderings": lambda rng, _n: rng.choice([0, -1, 3, "x", None, 2.5]),
}


def odd(rng, name, n):
    """Draw an odd value for a parameter, by the names that the house uses."""
    return ODD.get(name, anything)(rng, n)


@cache
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
    "n_resamples": 5,
    "n_permutations": 19,
    "n_splits": 2,
}
TITLES = ["a", "b c", "\x1b]0;x\x07", "\u202eé", "<b>", "x" * 90]


NAMED = [["a", "b", "c"], [0, 1, 2], [0.5, 7.0, 1e10], ["\x1b[31m", "<b>", "\u202e"]]


def usable(rng, n):
    """Draw values that go together, by the names that the house uses; a spoiled one among them goes far in.

    Containers cost most and a function takes few of them: they are given as functions, made when they are taken.
    """
    k, names = rng.choice([2, 2, 3, 1]), rng.choice(NAMED)
    truth, other, third = (lists(rng, names[:k], n) for _ in range(3))
    truth[:k] = names[: min(k, n)]
    form = rng.choice(["list", "array", "objects", "pandas", "polars"])
    shares = np.array(lists(rng, [0.0, 0.25, 0.5, 1.0, 1e-9], n * k)).reshape(n, k) + 1e-300
    stated = shares / shares.sum(axis=1, keepdims=True)
    column = np.array(lists(rng, [0.0, 0.5, 1.0, -2.0, 1e-12, 3e5], n))
    titles = rng.sample(TITLES, rng.randint(1, 3))
    cells_of = rng.choice([[0, 1, 2.5, -3], [0, 1, 2.5, -3], ["r", "\x1b[2J", None]])
    cells_in = {title: lists(rng, cells_of, n) for title in titles}
    X = cache(lambda: pl.DataFrame(cells_in, strict=False))
    fitted = rng.choice([ff.learners.OneR(), DecisionTreeClassifier(max_depth=2, random_state=0)])
    y = dict.fromkeys(["y_true", "y", "y_test"], cache(partial(contain, truth, form)))
    y |= dict.fromkeys(["y_pred", "y_pred_a"], partial(contain, other, form))
    y |= {"y_pred_b": partial(contain, third, form)}
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
        "table": lambda: X().hstack([pl.Series("y", truth), pl.Series("m", other)]),
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


def odd_arguments(rng, function):
    """Draw all that a function needs and some of what it can take: all of it odd, or one or two values at most."""
    n = rng.randint(0, MOST_ROWS)
    good = usable(rng, n) if rng.random() < 0.5 else {}
    parameters = parameters_of(function)
    spoiled = rng.sample([*parameters], min(rng.randint(0, 2), len(parameters)))
    arguments, options = [], {}
    for name, parameter in parameters.items():
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            continue
        is_needed = parameter.default is parameter.empty
        is_odd = name in spoiled or (is_needed and name not in good)
        if not (is_needed or is_odd or (good and name in SMALL)):
            continue
        value = odd(rng, name, n) if is_odd else good.get(name)
        value = value() if not is_odd and callable(value) else value
        if is_needed and parameter.kind != parameter.KEYWORD_ONLY:
            arguments.append(value)
        else:
            options[name] = value
    return arguments, options
