import numpy as np
import polars as pl
import pytest
from hypothesis import given
from sklearn.datasets import load_iris

import fivefold as ff
from fivefold.data.conditions import Equals, Rule, Within
from fivefold.data.discretise import MDLP
from fivefold.errors import InputError, InputTypeError
from fivefold.learners import Prism, RuleSet

from . import rule_reference as reference
from .classic_cases import frame_of, golf, lenses, tables

LENSES = [
    ("astigmatism=yes tears=normal prescription=myope", "hard"),
    ("age=young astigmatism=yes tears=normal", "hard"),
    ("tears=reduced", "none"),
    ("age=presb tears=normal prescription=hypermetrope astigmatism=yes", "none"),
    ("age=presb prescription=myope astigmatism=no", "none"),
    ("age=pre prescription=hypermetrope astigmatism=yes", "none"),
    ("astigmatism=no tears=normal prescription=hypermetrope", "soft"),
    ("astigmatism=no tears=normal age=pre", "soft"),
    ("age=young astigmatism=no tears=normal", "soft"),
]


def test_lenses_as_in_weka():
    X, y = lenses()
    model = Prism().fit(X, y)
    expected = [
        Rule(tuple(Equals(*term.split("=")) for term in terms.split()), label) for terms, label in LENSES
    ]
    assert model.rules() == expected
    assert model.n_rules_ == 9
    np.testing.assert_array_equal(model.covered_, model.correct_)
    sets = model.predict_sets(X)
    assert (sets.sum(axis=1) == 1).all()
    assert model.predict(X).tolist() == y


@given(tables(kinds=("nominal",)))
def test_agrees_with_the_definition(table):
    train, y, test = table
    rows = reference.rows_of(train)
    expected = reference.prism(rows, y)
    model = Prism().fit(frame_of(train), y)
    found = [([(term.column, "=", term.value) for term in r.terms], r.outcome) for r in model.rules()]
    assert found == expected
    outcomes = [label for _, label in expected]
    fired = [[reference.covers(row, rule) for rule, _ in expected] for row in rows]
    answers = reference.Answers(fired, outcomes, y, model.classes_.tolist())
    new = [[reference.covers(row, rule) for rule, _ in expected] for row in reference.rows_of(test)]
    X = frame_of(test)
    assert model.predict_sets(X).tolist() == [
        [c in answers.set(own) for c in model.classes_.tolist()] for own in new
    ]
    assert model.predict(X).tolist() == [answers.choice(own) for own in new]
    np.testing.assert_allclose(model.predict_proba(X), [answers.probabilities(own) for own in new])


@given(tables(kinds=("nominal",)))
def test_complete_cases_are_all_covered_by_their_own_class(table):
    train, y, _ = table
    known = {name: [value or "none" for value in values] for name, values in train.items()}
    model = Prism().fit(frame_of(known), y)
    own = model.predict_sets(frame_of(known))[np.arange(len(y)), np.searchsorted(model.classes_, y)]
    assert own.all()


@given(tables())
def test_numbers_become_intervals_of_the_training_cases(table):
    train, y, test = table
    mdlp = MDLP().fit(frame_of(train), y)
    cut = [name for name in train if mdlp.cut_points_.get(name, True)]
    if not cut:
        return
    before = Prism().fit(mdlp.transform(frame_of(train))[cut], y)
    model = Prism().fit(frame_of(train), y)
    np.testing.assert_array_equal(
        model.predict_sets(frame_of(test)), before.predict_sets(mdlp.transform(frame_of(test))[cut])
    )


def test_intervals_are_terms():
    X, y = load_iris(return_X_y=True)
    model = Prism(numeric="equal_width", n_bins=3).fit(X, y)
    terms = [term for rule in model.rules() for term in rule.terms]
    assert terms
    assert all(isinstance(term, Within) for term in terms)
    assert (model.predict(X) == y).mean() > 0.9


def test_a_column_without_a_cut_is_not_used():
    X, y = golf()
    assert not any(term.column == "temperature" for rule in Prism().fit(X, y).rules() for term in rule.terms)


def test_the_same_values_with_different_classes():
    X = pl.DataFrame({"a": ["p", "p", "q"], "b": ["s", "s", "s"]})
    model = Prism().fit(X, ["u", "v", "u"])
    assert (
        str(model) == "if a = q then u (1)\nif a = p and b = s then u (2/1)\nif a = p and b = s then v (2/1)"
    )
    assert model.predict_sets(X).tolist() == [[True, True], [True, True], [True, False]]


def test_a_missing_value_meets_no_term():
    X, y = lenses()
    model = Prism().fit(X, y)
    blind = X.with_columns(tears=pl.lit(None, dtype=pl.String))
    sets = model.predict_sets(blind)
    # three rules of class none do not ask for tears
    assert not sets[:, [0, 2]].any()
    np.testing.assert_array_equal(sets, model.predict_sets(blind, missing_test="fails"))
    assert model.predict(blind).tolist() == ["none"] * 24


def test_cases_without_any_value_get_no_rule():
    X = pl.DataFrame({"a": ["p", None, "q"]})
    model = Prism().fit(X, ["u", "v", "u"])
    assert {rule.outcome for rule in model.rules()} == {"u"}
    assert model.predict_sets(X).tolist() == [[True, False], [False, False], [True, False]]


def test_one_class_is_always_right():
    X, _ = lenses()
    model = Prism().fit(X, ["one"] * 24)
    assert model.rules() == [Rule((), "one")]
    assert model.predict_sets(X).all()
    assert str(model) == "always one (24)"


def test_many_cases_in_blocks(monkeypatch):
    X, y = lenses()
    model = Prism().fit(X, y)
    expected = model.predict_proba(X), model.predict(X), model.predict_sets(X)
    monkeypatch.setattr("fivefold.learners.rules.clauses._MOST", 50)  # five cases at a time
    for found, whole in zip(
        (model.predict_proba(X), model.predict(X), model.predict_sets(X)), expected, strict=True
    ):
        np.testing.assert_array_equal(found, whole)


def test_theory_and_its_length():
    X, y = lenses()
    model = Prism().fit(X, y)
    assert model.theory() == RuleSet(tuple(model.rules()), ("hard", "none", "soft"))
    assert ff.bits.theory_length(model, X) > 9 * np.log2(3)


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"numeric": "none"}, InputError, "numeric to be one of 'mdlp', 'equal_width'; got 'none'"),
        ({"n_bins": 1}, InputError, "n_bins to be at least 2; got 1"),
        ({"n_bins": 2.5}, InputTypeError, "n_bins to be a whole number; got 2.5"),
    ],
)
def test_bad_options(options, error, message):
    with pytest.raises(error, match=message):
        Prism(**options).fit(*lenses())
