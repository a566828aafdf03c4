"""Plain arrays take a way of their own: they must give what frames give."""

import pickle

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from fivefold.errors import InputError
from fivefold.learners.foil import Foil

NUMBERS = st.sampled_from([-1.5, -0.0, 0.0, 0.1, 0.1 + 1e-12, 2.0, float("nan")])


@st.composite
def labelled(draw, dtype, elements=None):
    n, d = draw(st.integers(2, 40)), draw(st.integers(1, 5))
    X = draw(arrays(dtype, (n, d), elements=elements))
    target = np.nan_to_num(X[:, 0].astype(float)) > 0
    y = np.where(draw(arrays(bool, n)), target, draw(arrays(bool, n)))
    return X, y, draw(arrays(dtype, (draw(st.integers(1, 10)), d), elements=elements))


def frame(X):
    return pl.DataFrame({f"x{i}": column for i, column in enumerate(X.T)})


def check(X, y, new, **options):
    plain, framed = Foil(**options).fit(X, y), Foil(**options).fit(frame(X), y)
    assert plain.rules() == framed.rules()
    assert str(plain) == str(framed)
    assert [(c.name, c.kind, c.categories) for c in plain.columns_] == [
        (c.name, c.kind, c.categories) for c in framed.columns_
    ]
    for cases in (X, new):
        same = frame(cases)
        sets, labels, shares = framed.predict_sets(same), framed.predict(same), framed.predict_proba(same)
        for model in (plain, pickle.loads(pickle.dumps(plain))):
            np.testing.assert_array_equal(model.predict_sets(cases), sets)
            np.testing.assert_array_equal(model.predict_proba(cases), shares)
            np.testing.assert_array_equal(model.predict(cases), labels)


@given(labelled(bool), st.sampled_from(["constant", "missing"]))
def test_booleans(table, unknown):
    check(*table, unknown=unknown)


@given(labelled(np.float64, NUMBERS))
def test_numbers(table):
    check(*table)


@given(labelled(np.float32, st.sampled_from([-1.5, 0.0, 2.0, float("nan")])))
def test_numbers_of_32_bits(table):
    check(*table)


def test_other_types_of_the_same_values_answer_alike():
    rng = np.random.default_rng(0)
    X = rng.integers(0, 4, size=(60, 3)).astype(float)
    y = X[:, 1] > 1
    model = Foil().fit(X, y)
    for same in (X.astype(int), X.tolist(), X.astype(object), np.asfortranarray(X)):
        np.testing.assert_array_equal(model.predict_proba(same), model.predict_proba(X))
        assert Foil().fit(same, y).rules() == model.rules()
    nominal = Foil(categorical_features=[0, 1, 2]).fit(X, y)
    assert all(column.kind == "nominal" for column in nominal.columns_)
    np.testing.assert_array_equal(nominal.predict(X), y)


def test_a_model_may_be_fitted_again_with_another_kind_of_table():
    X = np.array([[False, True], [True, True], [False, False], [True, False]] * 3)
    y = X[:, 1]
    model = Foil().fit(frame(X).rename({"x0": "a", "x1": "b"}), y)
    assert model.feature_names_in_.tolist() == ["a", "b"]
    model.fit(X, y)
    assert not hasattr(model, "feature_names_in_")
    assert model.predict(X).tolist() == y.tolist()
    model.fit(frame(X).rename({"x0": "a", "x1": "b"}), y)
    with pytest.warns(UserWarning, match="feature names"):
        assert model.predict(X).tolist() == y.tolist()


@pytest.mark.parametrize("X", [np.zeros((4, 2), dtype=bool), np.zeros((4, 2))])
def test_bad_arrays(X):
    y = [0, 1, 0, 1]
    model = Foil().fit(X, y)
    with pytest.raises(ValueError, match="3 features, but Foil is expecting 2"):
        model.predict(np.zeros((1, 3), dtype=X.dtype))
    with pytest.raises(InputError, match="inf"):
        Foil().fit(np.where([[1, 0]] * 4, np.inf, 0.0), y)
    with pytest.raises(InputError, match="inf"):
        Foil().fit(np.zeros((4, 2)), y).predict([[0.0, np.inf]])
    with pytest.raises(InputError, match="inf"):
        Foil().fit(np.zeros((4, 2)), y).predict(np.array([[0.0, np.inf]]))
    with pytest.raises(InputError, match="0 sample"):
        model.predict(X[:0])
