"""What every metric must be called, return and explain."""

import inspect

import pytest

from fivefold.results import METRICS

from .discovered import ALL, VIEWS, draw, score


def plain_functions():
    for view in VIEWS:
        for name in view.__all__:
            function = getattr(view, name)
            if not inspect.isfunction(function):
                continue
            signature = inspect.signature(function)
            if "confidence" in signature.parameters:  # no scorer could hand it over
                continue
            if signature.return_annotation == "float" and next(iter(signature.parameters)) == "y_true":
                yield name, function


def test_every_plain_function_of_truth_is_registered():
    plain = dict(plain_functions())
    assert sorted(plain) == ALL
    assert all(METRICS[name].function is function for name, function in plain.items())


@pytest.mark.parametrize("name", ALL)
def test_a_metric_describes_itself(name):
    metric = METRICS[name]
    assert metric.function.metric is metric
    assert metric.function.__name__ == name
    assert metric.title
    assert metric.unit
    assert metric.direction in ("higher is better", "lower is better", "neither")
    for part in ("Parameters\n", "Examples\n", ">>> "):
        assert part in inspect.getdoc(metric.function)


@pytest.mark.parametrize("name", ALL)
def test_options_are_named_and_weights_are_answered(name):
    parameters = inspect.signature(METRICS[name].function).parameters
    free = [
        parameter for parameter in parameters.values() if parameter.kind is not inspect.Parameter.KEYWORD_ONLY
    ]
    assert len(free) == (1 if METRICS[name].reads == "truth" else 2)
    assert {"classes", "sample_weight"} <= set(parameters)


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize("seed", range(5))
def test_the_value_is_a_finite_float(name, seed):
    value = score(name, draw(name, seed))
    assert type(value) is float
    assert abs(value) < 1e6
