"""Rules that vote: worked numbers, and laws that the search for them must keep."""

import math
from types import SimpleNamespace

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fivefold.errors import InputError, InputTypeError
from fivefold.inputs.columns import read_columns
from fivefold.learners import C5Rules
from fivefold.learners.rules._c5_rule_kernels import Ballot, Prices, climb, first_theory
from fivefold.learners.rules._c5_tree_kernels import upper_extra
from fivefold.learners.rules._c45_kernels import inverted
from fivefold.learners.rules.c5_rules import cheapest_class, costs_for

from .c45_reference import deviate_squared
from .classic_cases import golf, lenses

GOLF_RULES = """\
if outlook = sunny and humidity > 75 then no (3) [0.800]
if outlook = rain and windy = true then no (2) [0.750]
if outlook = overcast then yes (4) [0.833]
if outlook = rain and windy = false then yes (3) [0.800]
default yes"""


def test_golf():
    X, y = golf()
    model = C5Rules().fit(X, y)
    assert str(model) == GOLF_RULES
    assert model.votes_.tolist() == [0.8, 0.75, 0.833, 0.8]
    assert model.predict(X).tolist() == y


def test_costs_weigh_the_cases_of_two_classes():
    X, y = golf()
    costs = np.array([[0.0, 1.0], [4.0, 0.0]])  # to say yes on a day that is a no costs four
    weights = costs_for(costs, np.array([5.0, 9.0])).scale
    assert weights == pytest.approx([1.931, 0.4828], abs=5e-4)
    assert 2 * weights.min() == pytest.approx(0.9655, abs=5e-4)
    assert weights @ [5, 9] == pytest.approx(14)
    model = C5Rules(costs=costs).fit(X, y)
    assert str(model) == "default no"
    assert set(model.predict(X)) == {"no"}


def test_costs_weigh_the_errors_of_three_classes():
    costs = np.array([[0.0, 2.0, 2.0], [2.0, 0.0, 2.0], [2.0, 2.0, 0.0]])
    found = costs_for(costs, np.array([2.0, 3.0, 5.0]))
    assert found.scale.size == 0
    # all errors cost two, so the average is two and the divisor (1 + 2) / 2
    assert found.errors[:3] == pytest.approx(costs / 1.5)
    assert found.errors[3].tolist() == [1, 1, 1]


def test_equal_costs_change_nothing():
    X, y = lenses()
    twice = 2 * (1 - np.eye(3))
    assert C5Rules(costs=twice / 2, global_pruning=False).fit(X, y).to_text() == (
        C5Rules(global_pruning=False).fit(X, y).to_text()
    )


def test_a_costly_error_is_avoided():
    rng = np.random.default_rng(0)
    x = rng.uniform(size=600)
    y = np.where(rng.random(600) < x, "yes", "no")
    X = x[:, np.newaxis]
    careful = C5Rules(costs=[[0, 1], [5, 0]]).fit(X, y)
    assert (careful.predict(X) == "yes").sum() < (C5Rules().fit(X, y).predict(X) == "yes").sum()


def test_the_cheapest_class():
    counts = np.array([[6.0, 4.0], [1.0, 9.0]])
    costs = np.array([[0.0, 2.0], [1.0, 0.0]])
    assert cheapest_class(counts, costs).tolist() == [1, 1]
    assert cheapest_class(counts, np.empty((0, 0))).tolist() == [0, 1]


@given(st.floats(2, 50), st.floats(0, 1), st.integers(0, 1), st.floats(0.2, 3), st.floats(0.2, 3))
def test_extra_errors_are_those_of_unweighted_cases(n, share, best, first, second):
    scale, limit = np.array([first, second]), np.array([0.25, deviate_squared(0.25)])
    right, wrong = (1 - share) * n, share * n
    plain = upper_extra(n, wrong, best, limit, np.empty(0))
    weighted = upper_extra(
        right * scale[best] + wrong * scale[1 - best], wrong * scale[1 - best], best, limit, scale
    )
    assert weighted == pytest.approx(scale[1 - best] * plain, rel=1e-6, abs=1e-6)


def ballots(seed, n=40, n_rules=9, n_classes=3):
    """Make a random ballot with the flags that say which rule covers which case."""
    rng = np.random.default_rng(seed)
    covers = rng.random((n_rules, n)) < rng.uniform(0.1, 0.6, size=(n_rules, 1))
    classes = rng.integers(n_classes, size=n).astype(np.int32)
    outcomes = rng.integers(n_classes, size=n_rules).astype(np.int32)
    right = np.array([(classes[c] == o).sum() for c, o in zip(covers, outcomes, strict=True)], dtype=float)
    cases = np.concatenate([np.flatnonzero(c) for c in covers]).astype(np.int32)
    begin = np.concatenate([[0], np.cumsum(covers.sum(axis=1))])
    costs = np.vstack([1 - np.eye(n_classes), np.ones(n_classes)])
    votes = (1000 * (right + 1) / (covers.sum(axis=1) + 2)).astype(np.int64)
    weights, lengths = rng.integers(1, 4, size=n).astype(float), rng.uniform(3, 20, size=n_rules)
    first, rules = inverted(begin, cases, n)
    ballot = SimpleNamespace(outcomes=outcomes, votes=votes, right=right, lengths=lengths, begin=begin)
    vars(ballot).update(cases=cases, first=first, rules=rules, classes=classes, weights=weights, costs=costs)
    return ballot, covers


def message(ballot, prices, covers, included):
    """Give the length of the message, from the votes themselves, in hundredths of a bit."""
    errors = 0.0
    for i, real in enumerate(ballot.classes):
        votes = np.zeros(3)
        for r in np.flatnonzero(included & covers[:, i]):
            votes[ballot.outcomes[r]] += ballot.votes[r]
        answer = int(np.argmax(votes)) if votes.any() else -1
        errors += ballot.weights[i] * (answer != real)
    bits = ballot.lengths[included].sum() - math.lgamma(included.sum() + 1) / math.log(2)
    labels = errors * (prices.error + prices.which) + (prices.total - errors) * prices.right
    return round(100 * (0.23 * max(0.0, bits) + labels))


@given(st.integers(0, 10_000))
def test_the_search_ends_where_no_single_change_helps(seed):
    ballot, covers = ballots(seed)
    factorials = np.cumsum([0.0, *np.log2(np.arange(1, 12))])
    total = ballot.weights.sum()
    prices = SimpleNamespace(
        error=-np.log2(0.3), right=-np.log2(0.7), which=1.0, total=total, log_factorial=factorials
    )
    included = first_theory(Ballot(**vars(ballot)), 3, 2.0)
    before = message(ballot, prices, covers, included)
    climb(Ballot(**vars(ballot)), Prices(**vars(prices)), included, 3)
    final = message(ballot, prices, covers, included)
    assert final <= before
    better = 0
    for r in range(len(included)):
        changed = included.copy()
        changed[r] = not changed[r]
        better += message(ballot, prices, covers, changed) < final - 1
    # the rule that was changed last is not looked at again
    assert better <= 1


def test_rules_vote():
    X, y = lenses()
    model = C5Rules(global_pruning=False, cf=1.0).fit(X, y)
    sums = np.zeros((len(y), 3))
    columns = read_columns(X)
    for rule, vote in zip(model.rules(), model.votes_, strict=True):
        sums[rule.holds(columns), model.classes_.tolist().index(rule.outcome)] += vote
    winners = np.where(sums.any(axis=1), model.classes_[np.argmax(sums, axis=1)], model.default_)
    assert model.predict(X).tolist() == winners.tolist()


def test_no_rule_no_preference():
    X, y = golf()
    model = C5Rules().fit(X, y)
    blank = X.head(1).with_columns(pl.lit(None).alias("outlook").cast(pl.String))
    assert model.predict(blank).tolist() == ["yes"]
    assert model.predict_proba(blank).tolist() == [[0.5, 0.5]]


@pytest.mark.parametrize(
    ("costs", "message"),
    [
        ([[0, 1, 1], [1, 0, 1]], "shape"),
        ([[0, 1], [-1, 0]], "row 1, column 0"),
        ([[0, 0], [1, 0]], "row 0, column 1"),
        ([[1, 1], [1, 0]], "row 0, column 0"),
    ],
)
def test_bad_costs(costs, message):
    with pytest.raises(InputError, match=message):
        C5Rules(costs=costs).fit(*golf())


@pytest.mark.parametrize("options", [{"cf": 0}, {"min_cases": 0}])
def test_bad_options(options):
    with pytest.raises(InputError, match=next(iter(options))):
        C5Rules(**options).fit(*golf())


def test_costs_that_are_no_numbers_are_refused():
    with pytest.raises(InputTypeError, match="costs to hold numbers"):
        C5Rules(costs=[["0", "much"], ["1", "0"]]).fit([[0], [1]], ["a", "b"])
