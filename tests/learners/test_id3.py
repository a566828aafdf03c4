import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import fivefold as ff
from fivefold.inputs.columns import read_columns
from fivefold.learners import ID3

from .classic_cases import frame_of, golf, lenses, tables
from .id3_reference import ReferenceID3


def test_lenses():
    X, y = lenses()
    model = ID3().fit(X, y)
    assert model.to_text().splitlines() == [
        "tears = normal:",
        "|   astigmatism = no:",
        "|   |   age = pre: soft (2)",
        "|   |   age = presb:",
        "|   |   |   prescription = hypermetrope: soft (1)",
        "|   |   |   prescription = myope: none (1)",
        "|   |   age = young: soft (2)",
        "|   astigmatism = yes:",
        "|   |   prescription = hypermetrope:",
        "|   |   |   age = pre: none (1)",
        "|   |   |   age = presb: none (1)",
        "|   |   |   age = young: hard (1)",
        "|   |   prescription = myope: hard (3)",
        "tears = reduced: none (12)",
    ]
    assert model.predict(X).tolist() == y
    assert model.n_nodes_ == 15


def test_golf_has_the_gain_of_the_textbook():
    X, y = golf()
    assert ID3().fit(X, y).to_text().startswith("outlook = overcast: yes (4)")


def _cases(columns):
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


@given(tables(), st.booleans())
def test_agrees_with_the_definition(table, allow_zero_gain):
    train, y, test = table
    model = ID3(allow_zero_gain=allow_zero_gain).fit(frame_of(train), y)
    expected = ReferenceID3(train, y, allow_zero_gain)
    for columns in (train, test):
        answers = [expected.answer(case) for case in _cases(columns)]
        shares = np.array([[counts[c] / counts.total() for c in expected.classes] for counts in answers])
        np.testing.assert_allclose(model.predict_proba(frame_of(columns)), shares, rtol=1e-12)
        assert model.predict(frame_of(columns)).tolist() == model.classes_[shares.argmax(axis=1)].tolist()


@given(tables())
def test_a_failed_test_leaves_no_answer(table):
    train, y, test = table
    model, X = ID3().fit(frame_of(train), y), frame_of(test)
    expected = ReferenceID3(train, y)
    silent = [expected.answer(case, missing_fails=True) is None for case in _cases(test)]
    follow, fails = model.predict_sets(X), model.predict_sets(X, missing_test="fails")
    np.testing.assert_array_equal(fails, follow & ~np.array(silent)[:, None])
    assert (model.classes_[follow.argmax(axis=1)] == model.predict(X)).all()


@given(tables())
def test_reaches_consistency(table):
    train, y, _ = table
    model, cases = ID3().fit(frame_of(train), y), list(zip(*train.values(), strict=True))
    predicted = model.predict(frame_of(train)).tolist()
    for i, case in enumerate(cases):
        # a case that has no twin of another class; missing numbers may be inseparable from known ones
        if None not in case and all(y[j] == y[i] for j, other in enumerate(cases) if _could_be(other, case)):
            assert predicted[i] == y[i]


def _could_be(other, case):
    return all(v is None or v == w for v, w in zip(other, case, strict=True))


@given(tables())
def test_rules_say_what_is_predicted(table):
    train, y, test = table
    model, X = ID3().fit(frame_of(train), y), frame_of(test)
    columns = read_columns(X, like=model.columns_)
    complete = ~np.array([column.missing for column in columns]).any(axis=0)
    holds = np.array([rule.holds(columns) for rule in model.rules()])
    assert (holds[:, complete].sum(axis=0) == 1).all()
    predicted = model.predict(X)
    for rule, covered in zip(model.rules(), holds, strict=True):
        assert (predicted[covered & complete] == rule.outcome).all()


def test_exclusive_or_has_no_gain_at_the_root():
    X = pl.DataFrame({"a": ["0", "0", "1", "1"], "b": ["0", "1", "0", "1"]})
    y = ["even", "odd", "odd", "even"]
    assert ID3().fit(X, y).predict(X).tolist() == y
    assert ID3(allow_zero_gain=False).fit(X, y).to_text() == "even (4/2)"


def test_unknown_category_stays_at_its_node_and_missing_goes_its_way():
    X = pl.DataFrame({"a": ["x", "x", "x", "z", None, None]})
    model = ID3().fit(X, ["u", "u", "u", "v", "v", "v"])
    new = pl.DataFrame({"a": ["new", None, "x"]})
    np.testing.assert_allclose(model.predict_proba(new), [[0.5, 0.5], [0, 1], [1, 0]])
    sets = model.predict_sets(new, missing_test="fails")
    assert sets.tolist() == [[False, False], [False, False], [True, False]]


def test_declared_value_without_cases_gets_the_frequencies_of_the_node():
    kind = pl.Enum(["p", "q", "r"])
    X = pl.DataFrame({"a": ["p", "q", "q"]}, schema={"a": kind})
    model = ID3().fit(X, ["u", "v", "v"])
    new = pl.DataFrame({"a": ["r"]}, schema={"a": kind})
    np.testing.assert_allclose(model.predict_proba(new), [[1 / 3, 2 / 3]])
    assert model.predict_sets(new, missing_test="fails").tolist() == [[False, True]]


def test_numbers_that_have_no_number_between_them():
    low = 1.0
    X = np.array([[low], [np.nextafter(low, 2)]])
    assert ID3().fit(X, [0, 1]).predict(X).tolist() == [0, 1]


def test_theory_has_a_length():
    X, y = lenses()
    model = ID3().fit(X, y)
    parts = ff.bits.theory_length_details(model, X)
    assert (parts.kind, parts.size, parts.unsent) == ("decision tree", 9, 0)
    holes = X.with_columns(tears=pl.when(pl.int_range(24) < 3).then(None).otherwise(pl.col("tears")))
    assert ff.bits.theory_length(ID3().fit(holes, y), holes) > 0


def test_weights_are_not_taken():
    X, y = lenses()
    with pytest.raises(TypeError, match="sample_weight"):
        ID3().fit(X, y, sample_weight=np.ones(24))
