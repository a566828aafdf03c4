"""Rules whose numbers were worked out by hand."""

from collections import Counter

import numpy as np
import polars as pl
import pytest
from hypothesis import assume, given

import fivefold as ff
from fivefold.learners.rules._c45_kernels import exception_bits, pack
from fivefold.learners.rules.c45_rules import C45Rules
from fivefold.learners.rules.candidate_rules import (
    Branches,
    Population,
    _identity,
    find_candidates,
    question_lengths,
    rule_lengths,
)
from fivefold.learners.trees.c45 import error_limit, grow_tree, make_growth_options, make_training_table

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


def golf_candidates(dtype=np.float32):
    X, y = golf()
    columns = ff.data.columns.read_columns(X)
    codes = np.unique(y, return_inverse=True)[1].astype(np.int32)
    cases = make_training_table(columns, codes, 2, np.zeros(4, dtype=bool), np.dtype(dtype))
    nodes, _ = grow_tree(cases, np.ones(14, dtype=dtype), make_growth_options(2, "release8", cases, 14))
    members = np.array([pack(codes == c) for c in range(2)])
    population = Population(members, np.array([5.0, 9.0]), np.empty(0))
    found = find_candidates(cases, population, nodes, nodes.cut.astype(float), error_limit(0.25, dtype), True)
    return cases, found


def test_code_lengths():
    cases, found = golf_candidates()
    lengths, naming = question_lengths(cases, np.ones(14), np.dtype(np.float32))
    assert lengths == pytest.approx([1.5774, 2.7925, 2.5850, 0.9852], abs=5e-5)
    assert naming == pytest.approx(1.8941, abs=5e-5)
    bits = rule_lengths(found, lengths, naming)
    assert bits == pytest.approx([3.4715, 6.3508, 6.3508, 7.9505], abs=5e-5)


@pytest.mark.parametrize(("bits", "right", "length"), [(0, 0, 18.8), (6.3508 + 7.9505 - 1, 5, 10.46)])
def test_lengths_of_subsets(bits, right, length):
    exceptions = exception_bits(right, right, 5, 14, np.log2(14), np.float64)
    assert 0.5 * bits + exceptions == pytest.approx(length, abs=0.06)


@given(tables(max_rows=30))
def test_rules_are_those_of_the_description(data):
    train, y, _ = data
    # no whole number, which sums of fractions of cases would reach or miss by their rounding
    min_objs = 1.3
    table = table_of(train, y, [1.0] * len(y), min_objs=min_objs)
    tree, _ = reference.grow(table, [(i, 1.0) for i in range(len(y))])
    assume(table.margin > 1e-9)
    assume(max(Counter(c for _, c in rule_reference.candidates(table, tree)).values(), default=0) <= 8)
    expected, default, margin = rule_reference.rule_list(table, tree)
    assume(margin > 1e-6)
    model = C45Rules(min_objs=min_objs, quirks=False, dtype="float64").fit(frame_of(train, DECLARED), y)
    names = sorted(set(y))
    assert model.default_ == names[default]
    assert [(set(rule.terms), rule.outcome) for rule in model.rules()[:-1]] == [
        (set(terms(train, conditions)), names[c]) for conditions, c in expected
    ]


def terms(train, conditions):
    for a, cut, v in conditions:
        name = list(train)[a]
        if cut is None:
            yield ff.data.terms.Equals(name, DECLARED.categories[v])
        else:
            yield (ff.data.terms.AtMost if v == 0 else ff.data.terms.Above)(name, cut)


def test_opposite_directions_are_one_condition_in_release_8():
    one_cut = Branches(
        attribute=np.array([0, 0], dtype=np.int32),
        numeric=np.array([True, True]),
        branch=np.array([1, 2], dtype=np.int32),
        cut=np.array([1.5, 1.5]),
        full_cut=np.array([1.5, 1.5]),
        met=np.zeros((2, 1), dtype=np.uint64),
    )
    assert _identity(one_cut, 0, quirks=True) == _identity(one_cut, 1, quirks=True)
    assert _identity(one_cut, 0, quirks=False) != _identity(one_cut, 1, quirks=False)


def test_a_class_with_many_rules_is_searched_with_the_given_seed():
    rng = np.random.default_rng(0)
    X = rng.integers(0, 3, size=(400, 6)).astype(str)
    y = (X[:, 0] == X[:, 1]) ^ (X[:, 2] == X[:, 3]) ^ (rng.random(400) < 0.1)
    first, second = (C45Rules(random_state=7).fit(X, y) for _ in range(2))
    assert first.n_rules_ > 10
    assert first.to_text() == second.to_text()
