"""Every public function and estimator, found in the packages' own lists, and odd arguments for each."""

import inspect
from dataclasses import is_dataclass

from hypothesis import strategies as st
from sklearn.tree import DecisionTreeClassifier

import fivefold as ff

from .odd_values import (
    MOST_ROWS,
    answer_sets,
    cells,
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


@st.composite
def odd_arguments(draw, function):
    """Draw all that a function needs and some of what it can take."""
    n = draw(st.integers(0, MOST_ROWS))
    arguments, options = [], {}
    given = draw(st.sets(st.sampled_from(_optional(function) or [""]), max_size=2))
    for name, parameter in parameters_of(function).items():
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            continue
        if parameter.default is parameter.empty and parameter.kind != parameter.KEYWORD_ONLY:
            arguments.append(draw(odd(name, n)))
        elif parameter.default is parameter.empty or name in given:
            options[name] = draw(odd(name, n))
    return arguments, options


def _optional(function):
    parameters = parameters_of(function).values()
    optional = [each for each in parameters if each.kind not in (each.VAR_POSITIONAL, each.VAR_KEYWORD)]
    return [each.name for each in optional if each.default is not each.empty]
