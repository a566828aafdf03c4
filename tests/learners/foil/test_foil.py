from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import fivefold as ff
from fivefold.data.conditions import Above, AtMost, Equals, NotEquals
from fivefold.errors import InputError, InputTypeError
from fivefold.inputs.columns import read_columns
from fivefold.learners.foil import Foil
from fivefold.learners.theories import RuleSet

from ..classic_cases import frame_of, golf, lenses, tables  # noqa: TID252
from .foil_reference import Foil as Reference

OPERATORS = {Equals: "=", NotEquals: "!=", Above: ">", AtMost: "<="}


def written(rule):
    """Write a rule as the set of its literals."""
    return {
        (t.column, OPERATORS[type(t)], t.cut if isinstance(t, Above | AtMost) else t.value)
        for t in rule.terms
    }


def literals(text):
    terms = set()
    for part in text.split(" & "):
        column, operator, value = part.split(" ")
        terms.add((column, operator, float(value) if operator in (">", "<=") else value))
    return terms


def clauses_of(model, label):
    return [written(rule) for rule in model.rules() if rule.outcome == label]


def test_golf():
    X, y = golf()
    model = Foil().fit(X, y)
    assert clauses_of(model, "no") == [
        literals("outlook = sunny & temperature > 75"),
        literals("outlook = rain & windy = true"),
        literals("outlook = sunny & humidity > 90"),
    ]
    assert clauses_of(model, "yes") == [
        literals("outlook = overcast"),
        literals("windy = false & temperature <= 70"),
        literals("temperature > 72 & temperature <= 75"),
    ]
    new = pl.DataFrame(
        {
            "outlook": ["rain", "fog"],
            "temperature": [70.0, 70.0],
            "humidity": [80.0, 80.0],
            "windy": [None, "true"],
        }
    )
    assert not model.predict_sets(new).any()
    assert model.predict(new).tolist() == ["yes", "yes"]


def test_lenses():
    X, y = lenses()
    model = Foil().fit(X, y)
    assert clauses_of(model, "hard") == [
        literals("prescription = myope & astigmatism = yes & tears = normal"),
        literals("age = young & astigmatism = yes & tears = normal"),
    ]
    assert clauses_of(model, "soft") == [
        literals("astigmatism = no & tears = normal & age != presb"),
        literals("prescription = hypermetrope & astigmatism = no & tears = normal"),
    ]
    assert clauses_of(model, "none") == [
        literals("tears = reduced"),
        literals("age = presb & prescription = hypermetrope & astigmatism = yes"),
        literals("age = presb & prescription = myope & astigmatism = no"),
        literals("age = pre & prescription = hypermetrope & astigmatism = yes"),
    ]
    assert len(clauses_of(Foil(negation=False).fit(X, y), "soft")) == 3
    assert model.predict(X).tolist() == y


@pytest.mark.parametrize(
    ("options", "max_rows"),
    [
        ({}, 60),
        ({"negation": False}, 25),
        ({"pruning": False}, 25),
        ({"info": "paper"}, 25),
        ({"min_accuracy": 0.6}, 25),
    ],
)
@given(data=st.data())
def test_agrees_with_the_case_by_case_program(options, max_rows, data):
    train, y, _ = data.draw(tables(max_rows=max_rows))
    X = frame_of(train)
    model = Foil(**options).fit(X, y)
    own = dict(options)
    own["paper"] = own.pop("info", "foil6") == "paper"
    numeric = [name.startswith("numeric") for name in X.columns]
    cases = [
        tuple(
            np.float32(v) if is_numeric and v is not None else v
            for v, is_numeric in zip(row, numeric, strict=True)
        )
        for row in X.iter_rows()
    ]
    for label in sorted(set(y)):
        reference = Reference(cases, [c == label for c in y], numeric, **own)
        expected = [
            {(X.columns[literal.attribute], literal.operator, literal.value) for literal in clause}
            for clause in reference.definition()
        ]
        assert clauses_of(model, label) == expected


@given(tables())
def test_the_rules_say_what_the_model_does(table):
    train, y, test = table
    model = Foil().fit(frame_of(train), y)
    X = frame_of(test)
    columns = read_columns(X)
    sets = np.zeros((len(X), model.classes_.size), dtype=bool)
    for rule in model.rules():
        sets[:, model.classes_.tolist().index(rule.outcome)] |= rule.holds(columns)
    np.testing.assert_array_equal(model.predict_sets(X), sets)
    np.testing.assert_array_equal(model.predict_sets(X, missing_test="fails"), sets)


@given(tables())
def test_no_clause_is_less_accurate_than_asked(table):
    train, y, _ = table
    X = frame_of(train)
    for least in (0.5, 0.8, 1.0):
        model = Foil(min_accuracy=least).fit(X, y)
        # the least accuracy is one of the cases that no earlier clause has covered
        assert all(model.correct_ > 0)
        assert all(model.correct_ >= (least - 1e-3) * model.covered_ - 1e-3)


@given(tables())
def test_pruning_gives_up_no_case(table):
    train, y, _ = table
    X = frame_of(train)
    grown, pruned = (Foil(pruning=pruning).fit(X, y) for pruning in (False, True))
    assert pruned.n_rules_ <= max(grown.n_rules_, 1)
    columns = read_columns(X)
    for rule in pruned.rules():
        held, wrong = rule.holds(columns), np.array(y) != rule.outcome
        for term in rule.terms:
            shorter = type(rule)(tuple(t for t in rule.terms if t is not term), rule.outcome)
            more = shorter.holds(columns)
            assert (more & wrong).sum() > (held & wrong).sum()


def test_unknown_categories():
    X, y = pl.DataFrame({"a": ["u", "u", "v", "w", "v", "w"]}), ["no", "no", "yes", "yes", "yes", "yes"]
    new = pl.DataFrame({"a": ["z", None]})
    model = Foil().fit(X, y)
    assert written(model.rules()[1]) == {("a", "!=", "u")}
    assert model.predict_sets(new).tolist() == [[False, True], [False, False]]
    assert Foil(unknown="missing").fit(X, y).predict_sets(new).tolist() == [[False, False], [False, False]]
    # a category that was declared but did not occur is no constant, and unknown as well
    declared = X.with_columns(pl.col("a").cast(pl.Enum(["u", "v", "w", "z"])))
    again = Foil().fit(declared, y)
    assert again.rules() == model.rules()
    assert again.predict_sets(new.with_columns(pl.col("a").cast(pl.Enum(["u", "v", "w", "z"])))).tolist() == [
        [False, True],
        [False, False],
    ]


def test_numbers_are_compared_in_32_bits():
    close = np.array([0.1, 0.1 + 1e-12, 0.2, 0.3])[:, np.newaxis]
    model = Foil().fit(close, [0, 0, 1, 1])
    # the cut is the larger of the two numbers that are one in 32 bits
    assert [rule.terms for rule in model.rules()] == [
        (AtMost("x0", close[1, 0]),),
        (Above("x0", close[1, 0]),),
    ]
    assert model.predict_sets(close).tolist() == [[True, False], [True, False], [False, True], [False, True]]
    assert not Foil().fit(close, [0, 1, 1, 1]).predict_sets(close[:1]).any()


def test_a_concept():
    X, y = golf()
    model = Foil(target="no").fit(X, y)
    assert model.rules() == [rule for rule in Foil().fit(X, y).rules() if rule.outcome == "no"]
    assert model.to_text().endswith("otherwise yes")
    assert model.predict(X).tolist() == y
    assert (model.predict_sets(X).sum(axis=1) == 1).all()
    theory = model.theory()
    assert isinstance(theory, RuleSet)
    assert (theory.target, theory.default) == ("no", "yes")
    assert ff.bits.theory_length(model, X) < ff.bits.theory_length(Foil().fit(X, y), X)
    for target in ("perhaps", 3):
        with pytest.raises(InputError, match="one of two classes"):
            Foil(target=target).fit(X, y)
    with pytest.raises(InputError, match="hard"):
        Foil(target="hard").fit(*lenses())


def test_nothing_to_learn():
    constant = np.ones((6, 2))
    model = Foil().fit(constant, [0, 1, 1, 0, 1, 1])
    assert model.n_rules_ == 0
    assert model.to_text() == "no clause is good enough"
    assert model.predict(constant).tolist() == [1] * 6
    np.testing.assert_allclose(model.predict_proba(constant), [[2 / 6, 4 / 6]] * 6)
    assert Foil().fit(constant, ["a"] * 6).predict(constant).tolist() == ["a"] * 6


def test_exact_exclusive_or_gains_nothing():
    X = np.array([[a, b] for a in (False, True) for b in (False, True)] * 5)
    model = Foil(info="paper").fit(X, X[:, 0] ^ X[:, 1])
    assert model.n_rules_ == 0


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"info": "gain"}, InputError, "'gain'"),
        ({"unknown": "new"}, InputError, "'new'"),
        ({"min_accuracy": 1.5}, InputError, "1.5"),
        ({"min_accuracy": "high"}, InputTypeError, "'high'"),
        ({"negation": "no"}, InputTypeError, "'no'"),
        ({"pruning": 1}, InputTypeError, "1"),
    ],
)
def test_bad_options(options, error, message):
    with pytest.raises(error, match=message):
        Foil(**options).fit(*golf())


def test_the_learner_of_tables_does_not_load_that_of_relations():
    package = Path(ff.learners.foil.__file__).parent
    lines = [line for file in package.rglob("*.py") for line in file.read_text(encoding="utf-8").splitlines()]
    assert not [line for line in lines if "relational_foil" in line]
