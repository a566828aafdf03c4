"""Rules whose numbers were worked out by hand."""

from collections import Counter

import numpy as np
import polars as pl
import pytest
from hypothesis import assume, given

from fivefold.data.conditions import Above, AtMost, Equals
from fivefold.learners import C45Rules

from . import c45_reference as reference
from . import c45_rule_reference as rule_reference
from .classic_cases import DECLARED, frame_of, golf, tables
from .test_c45_tree_reference import table_of

GOLF_RULES = """\
if outlook = sunny and humidity > 75 then no (3)
if outlook = rain and windy = true then no (2)
if outlook = overcast then yes (4)
if outlook = rain and windy = false then yes (3)
otherwise yes (2)"""


def test_golf():
    X, y = golf()
    model = C45Rules().fit(X, y)
    assert str(model) == GOLF_RULES
    assert model.errors_ == pytest.approx([0.370, 0.500, 0.293, 0.370], abs=5e-4)
    assert model.default_ == "yes"
    assert model.predict(X).tolist() == y


def test_probabilities_are_those_of_the_cases_that_the_rule_decides():
    X, y = golf()
    shares = C45Rules().fit(X, y).predict_proba(X)
    assert shares[0] == pytest.approx([4 / 5, 1 / 5])
    assert shares[8] == pytest.approx([1 / 4, 3 / 4])  # decided by the default, with one other


def test_a_condition_on_a_missing_value_is_not_met():
    X, y = golf()
    model = C45Rules().fit(X, y)
    new = X.head(2).with_columns(outlook=pl.lit(None, dtype=pl.String))
    assert model.predict(new).tolist() == ["yes", "yes"]
    assert model.predict_sets(new, missing_test="fails").tolist() == [[False, True]] * 2


def golf_rules():
    """Give the cases as the reference takes them, and the rules of each class, by the description."""
    X, y = golf()
    values = [sorted(set(X[name])) if X[name].dtype == pl.String else None for name in X.columns]
    classes = [int(c == "yes") for c in y]
    table = reference.Table([list(row) for row in X.rows()], classes, 2, values, weights=[1.0] * len(y))
    tree, _ = reference.grow(table, [(i, 1.0) for i in range(len(y))])
    return table, list(rule_reference.candidates(table, tree))


def test_code_lengths():
    table, _ = golf_rules()
    lengths, naming = rule_reference.code_lengths(table)
    assert lengths == pytest.approx([1.5774, 2.7925, 2.5850, 0.9852], abs=5e-5)
    assert naming == pytest.approx(1.8941, abs=5e-5)


def test_lengths_of_subsets():
    table, rules = golf_rules()
    for_no = rule_reference.measured(table, [rule for rule in rules if rule[1] == 0])
    assert sorted(length for length, _ in for_no) == pytest.approx([6.3508, 7.9505], abs=5e-5)
    assert rule_reference.subset_length(table, [], 0) == pytest.approx(18.8, abs=0.06)
    assert rule_reference.subset_length(table, for_no, 0) == pytest.approx(10.46, abs=0.06)


@given(tables(max_rows=30))
def test_rules_are_those_of_the_description(data):
    train, y, _ = data
    # no whole number, which sums of fractions of cases would reach or miss by their rounding
    min_cases = 1.3
    table = table_of(train, y, [1.0] * len(y), min_cases=min_cases)
    tree, _ = reference.grow(table, [(i, 1.0) for i in range(len(y))])
    assume(table.margin > 1e-9)
    assume(max(Counter(c for _, c in rule_reference.candidates(table, tree)).values(), default=0) <= 8)
    expected, default, margin = rule_reference.rule_list(table, tree)
    assume(margin > 1e-6)
    model = C45Rules(min_cases=min_cases, quirks=False, dtype="float64").fit(frame_of(train, DECLARED), y)
    names = sorted(set(y))
    assert model.default_ == names[default]
    assert [(set(rule.terms), rule.outcome) for rule in model.rules()[:-1]] == [
        (set(terms(train, conditions)), names[c]) for conditions, c in expected
    ]


def terms(train, conditions):
    for a, cut, v in conditions:
        name = list(train)[a]
        if cut is None:
            yield Equals(name, DECLARED.categories[v])
        else:
            yield (AtMost if v == 0 else Above)(name, cut)


def test_opposite_directions_are_one_condition_in_release_8():
    rng = np.random.default_rng(556)
    n = int(rng.integers(10, 40))
    X, y = rng.integers(0, 6, (n, 2)).astype(float), rng.integers(0, 3, n)
    as_printed, as_meant = (
        C45Rules(min_cases=1, cf=1.0, quirks=quirks, random_state=0).fit(X, y) for quirks in (True, False)
    )
    assert (as_printed.n_rules_, as_meant.n_rules_) == (7, 9)


def test_a_class_with_many_rules_is_searched_with_the_given_seed():
    rng = np.random.default_rng(0)
    X = rng.integers(0, 3, size=(400, 6)).astype(str)
    y = (X[:, 0] == X[:, 1]) ^ (X[:, 2] == X[:, 3]) ^ (rng.random(400) < 0.1)
    first, second = (C45Rules(random_state=7).fit(X, y) for _ in range(2))
    assert first.n_rules_ > 10
    assert first.to_text() == second.to_text()
