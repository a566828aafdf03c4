import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import fivefold as ff
from fivefold.data.conditions import Equals, IsMissing, Rule
from fivefold.errors import InputError, InputTypeError
from fivefold.inputs.columns import read_columns
from fivefold.learners import OneR

from .classic_cases import DECLARED, frame_of, golf, lenses, tables
from .one_r_reference import ReferenceOneR


def test_golf_with_small_2():
    X, y = golf()
    model = OneR(small=2).fit(X, y)
    assert model.attribute_ == "humidity"
    assert model.cuts_.tolist() == [82.5, 95.5]
    assert model.n_correct_ == 11
    assert model.predict(X.with_columns(pl.Series("humidity", [70.0, 82.5, 95.5] + [65.0] * 11)))[
        :3
    ].tolist() == [
        "yes",
        "no",
        "yes",
    ]


@pytest.mark.parametrize(
    ("small", "cuts"),
    [(2, [70.5, 77.5]), (0, [64.5, 66.5, 70.5, 73.5, 77.5, 80.5, 84.0]), (6, [77.5])],
)
def test_golf_temperature(small, cuts):
    X, y = golf()
    assert OneR(small=small).fit(X.select("temperature"), y).cuts_.tolist() == cuts


def test_golf_by_default():
    X, y = golf()
    model = OneR().fit(X, y)
    assert (model.attribute_, model.n_correct_) == ("outlook", 10)
    assert OneR().fit(X.select("humidity"), y).n_correct_ == 10  # as good, but later
    sunny = X.filter(pl.col("outlook") == "sunny")
    assert model.classes_.tolist() == ["no", "yes"]
    np.testing.assert_allclose(model.predict_proba(sunny), [[3 / 5, 2 / 5]] * 5)


def test_lenses():
    X, y = lenses()
    model = OneR().fit(X, y)
    assert (model.attribute_, model.n_correct_) == ("tears", 17)
    assert model.rules() == [
        Rule((Equals("tears", "normal"),), "soft"),
        Rule((Equals("tears", "reduced"),), "none"),
    ]


@given(tables(), st.sampled_from([0, 1, 2, 6]), st.sampled_from([0.0, 0.5, 1.0]))
def test_agrees_with_the_definition(table, small, alpha):
    train, y, test = table
    model = OneR(small=small, leaf_alpha=alpha).fit(frame_of(train), y)
    expected = ReferenceOneR(train, y, small=small)
    assert model.attribute_ == expected.name
    assert model.cuts_.tolist() == (expected.cuts or [])
    assert model.n_correct_ == expected.correct[expected.name]
    for columns in (train, test):
        X, values = frame_of(columns), columns[expected.name]
        assert model.predict(X).tolist() == [expected.predict(value) for value in values]
        probabilities = [expected.probabilities(value, alpha) for value in values]
        np.testing.assert_allclose(model.predict_proba(X), probabilities, rtol=1e-12)


@given(tables(), st.data())
def test_a_weight_counts_a_case_so_often(table, data):
    train, y, test = table
    weights = data.draw(st.lists(st.integers(0, 3), min_size=len(y), max_size=len(y)).filter(any))
    model = OneR(small=2).fit(frame_of(train, DECLARED), y, sample_weight=weights)
    repeated = {name: np.repeat(np.array(v, dtype=object), weights).tolist() for name, v in train.items()}
    again = OneR(small=2).fit(frame_of(repeated, DECLARED), np.repeat(y, weights).tolist())
    assert (model.attribute_, model.n_correct_) == (again.attribute_, again.n_correct_)
    # a class without any weight keeps its column of probabilities
    kept, X = np.isin(model.classes_, again.classes_), frame_of(test, DECLARED)
    np.testing.assert_array_equal(model.predict_proba(X)[:, kept], again.predict_proba(X))


@given(tables(), st.randoms(use_true_random=False))
def test_order_of_rows_does_not_matter(table, random):
    train, y, test = table
    order = list(range(len(y)))
    random.shuffle(order)
    shuffled = frame_of(train)[order]
    one = OneR(small=1).fit(frame_of(train), y)
    two = OneR(small=1).fit(shuffled, [y[i] for i in order])
    np.testing.assert_array_equal(one.predict_proba(frame_of(test)), two.predict_proba(frame_of(test)))


@given(tables())
def test_every_interval_but_the_last_has_more_than_small(table):
    train, y, _ = table
    for name in (name for name in train if name.startswith("numeric")):
        model = OneR(small=2).fit(frame_of(train).select(name), y)
        assert (model.cell_counts_[:-2].max(axis=1) > 2).all()
        assert model.cell_counts_.sum() == len(y)


@given(tables())
def test_rules_say_what_is_predicted(table):
    train, y, test = table
    model = OneR(small=1).fit(frame_of(train), y)
    X = frame_of(test)
    columns = read_columns(X, like=model.columns_)
    holds = np.array([rule.holds(columns) for rule in model.rules()])
    assert (holds.sum(axis=0) <= 1).all()
    predicted = model.predict(X)
    for rule, covered in zip(model.rules(), holds, strict=True):
        assert (predicted[covered] == rule.outcome).all()
    silent = holds.sum(axis=0) == 0
    assert columns[[c.name for c in columns].index(model.attribute_)].missing[silent].all()


@given(tables())
def test_a_failed_test_leaves_no_answer(table):
    train, y, test = table
    model, X = OneR(small=1).fit(frame_of(train), y), frame_of(test)
    column = next(c for c in read_columns(X, like=model.columns_) if c.name == model.attribute_)
    follow, fails = model.predict_sets(X), model.predict_sets(X, missing_test="fails")
    assert (model.classes_[follow.argmax(axis=1)] == model.predict(X)).all()
    assert (follow.sum(axis=1) == 1).all()
    np.testing.assert_array_equal(fails, follow & ~column.missing[:, None])


def test_missing_is_a_cell():
    X = pl.DataFrame({"a": ["x", "x", None, None, None, "x"], "b": ["p", "q", "p", "q", "p", "q"]})
    y = ["no", "no", "yes", "yes", "no", "no"]
    model = OneR().fit(X, y)
    assert (model.attribute_, model.n_correct_) == ("a", 5)
    assert model.rules()[-1] == Rule((IsMissing("a"),), "yes")
    assert str(model) == "a = x: no (3)\na is missing: yes (3/1)"


def test_declared_value_without_cases_gets_the_majority():
    kind = pl.Enum(["p", "q", "r"])
    X = pl.DataFrame({"a": ["p", "p", "q", None, None]}, schema={"a": kind})
    model = OneR().fit(X, ["u", "u", "v", "v", "v"])
    new = pl.DataFrame({"a": ["r", None]}, schema={"a": kind})
    np.testing.assert_allclose(model.predict_proba(new), [[2 / 5, 3 / 5], [0, 1]])
    assert model.predict_sets(new, missing_test="fails").tolist() == [[False, True], [False, False]]


def test_column_without_any_value():
    X = pl.DataFrame({"a": [None, None, None]}, schema={"a": pl.Float64})
    model = OneR(leaf_alpha=1).fit(X, ["u", "u", "v"])
    known = pl.DataFrame({"a": [1.0, None]})
    np.testing.assert_allclose(model.predict_proba(known), [[3 / 5, 2 / 5]] * 2)


def test_values_that_have_no_number_between_them():
    low = 1.0
    high = np.nextafter(low, 2)
    X, y = np.array([[low]] * 3 + [[high]] * 3), [0, 0, 0, 1, 1, 1]
    model = OneR(small=1).fit(X, y)
    assert model.n_correct_ == 6
    assert model.predict(X).tolist() == y


def test_text_tells_intervals():
    X, y = golf()
    text = OneR(small=2).fit(X, y).to_text()
    assert text.splitlines() == [
        "humidity < 82.5: yes (9/2)",
        "82.5 <= humidity < 95.5: no (4/1)",
        "humidity >= 95.5: yes (1)",
    ]


@given(tables())
def test_theory_says_what_is_predicted(table):
    train, y, _ = table
    X = frame_of(train)
    model = OneR(small=1).fit(X, y)
    theory = model.theory()
    values = train[model.attribute_]
    said = [_say(theory, value) for value in values]
    assert said == model.predict(X).tolist()


def test_theory_length():
    X, y = golf()
    # one attribute of four; overcast yes: 1 of 2, rain yes: 2 of 3, sunny no: 1 of 4
    assert ff.bits.theory_length(OneR().fit(X, y), X) == pytest.approx(2 + np.log2(2 * 3 / 2 * 4))


def _say(theory, value):
    if value is None:
        return theory.missing
    if hasattr(theory.cells, "cuts"):
        return theory.cells.outcomes[np.searchsorted(theory.cells.cuts, value, side="left")]
    return dict(theory.cells.outcomes)[value]


@pytest.mark.parametrize("small", [-1, float("nan"), float("inf")])
def test_bad_small(small):
    with pytest.raises(InputError, match=r"small to be a finite number.*got"):
        OneR(small=small).fit([[1.0], [2.0]], [0, 1])


def test_bad_type_of_alpha():
    with pytest.raises(InputTypeError, match="leaf_alpha to be a number; got 'a little'"):
        OneR(leaf_alpha="a little").fit([[1.0], [2.0]], [0, 1])


def test_bad_missing_test():
    X, y = golf()
    with pytest.raises(InputError, match=r"missing_test.*'shrug'"):
        OneR().fit(X, y).predict_sets(X, missing_test="shrug")
