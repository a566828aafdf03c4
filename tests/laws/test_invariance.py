"""What must not matter: the names and order of classes, and the order of cases where the theory says so."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fivefold.results import METRICS

from .discovered import ALL, Cases, a_few_times, draw, score, takes

seeds = st.integers(0, 10_000)


def close(value):
    return pytest.approx(value, rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("name", ALL)
@a_few_times
@given(seeds, st.randoms(use_true_random=False))
def test_classes_may_come_in_any_order(name, seed, random):
    cases = draw(name, seed)
    k = cases.classes.size
    order = np.array(random.sample(range(k), k))
    place = np.argsort(order)
    moved = Cases(place[cases.truth], place[cases.answers], cases.stated[:, order], cases.classes)
    # the event is the second class by default, which another class has become
    options = {"event": 1} if takes(name, "event") else {}
    renamed = {"event": int(place[1])} if options else {}
    assert score(name, moved, **renamed) == close(score(name, cases, **options))


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize(
    "names",
    [
        np.array(["ant", "bee", "cat", "dog"]),
        np.array(["Ä", "é b", "日本", "😀"], dtype=object),
        np.array([-7, 0, 3, 10**12]),
        np.array([-1.0, 0.0, 2.0, 3.0]),
    ],
    ids=["texts", "other alphabets", "far numbers", "whole floats"],
)
def test_classes_may_have_any_names(name, names):
    for seed in range(3):
        cases = draw(name, seed)
        renamed = Cases(names[cases.truth], names[cases.answers], cases.stated, names[: cases.classes.size])
        assert score(name, renamed) == close(score(name, cases))
        # names in sorted order need not be given
        assert score(name, renamed, classes=None) == close(score(name, cases))


@pytest.mark.parametrize("name", ALL)
def test_two_classes_may_be_false_and_true(name):
    cases = next(
        candidate for candidate in (draw(name, seed) for seed in range(20)) if candidate.classes.size == 2
    )
    boolean = Cases(cases.truth == 1, cases.answers == 1, cases.stated, np.array([False, True]))
    assert score(name, boolean) == close(score(name, cases))
    assert score(name, boolean, classes=None) == close(score(name, cases))


@pytest.mark.parametrize("name", [name for name in ALL if METRICS[name].order_free])
@a_few_times
@given(seeds)
def test_order_of_cases_does_not_matter(name, seed):
    cases = draw(name, seed)
    order = np.random.default_rng(seed).permutation(cases.truth.size)
    assert score(name, cases.rows(order)) == close(score(name, cases))


@pytest.mark.parametrize("name", [name for name in ALL if not METRICS[name].order_free])
def test_order_of_cases_does_matter_where_it_is_said_to(name):
    cases = draw(name, 0)
    assert abs(score(name, cases.rows(np.argsort(cases.truth))) - score(name, cases)) > 0.1


@pytest.mark.parametrize("name", ALL)
def test_a_class_that_never_occurs_is_still_a_class(name):
    # naming it must be possible, and changes every code
    if METRICS[name].two_classes_only:
        pytest.skip("defined for two classes only")
    cases = draw(name, 1)
    wider = Cases(
        cases.truth,
        cases.answers,
        np.column_stack([cases.stated, np.zeros(cases.truth.size)]),
        np.arange(cases.classes.size + 1),
    )
    value = score(name, wider)
    assert np.isfinite(value)
    if METRICS[name].reads != "probabilities":
        assert value != close(score(name, cases))


@pytest.mark.parametrize("name", ALL)
@a_few_times
@given(seeds)
def test_the_same_input_gives_the_same_value(name, seed):
    assert score(name, draw(name, seed)) == score(name, draw(name, seed))
