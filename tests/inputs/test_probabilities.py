"""Probabilities are checked and otherwise left alone."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import fivefold as ff
from fivefold.errors import InputError
from fivefold.inputs.answers import as_probabilities


@given(st.lists(st.floats(0, 1), min_size=2, max_size=20))
def test_one_column_is_kept(column):
    truth = [k % 2 for k in range(len(column))]
    coded, stated, classes = as_probabilities(truth, column)
    assert coded.tolist() == truth
    assert stated.tolist() == column
    assert classes.tolist() == [0, 1]


def test_arrays_are_not_copied():
    matrix = np.full((2, 2), 0.5)
    assert as_probabilities([0, 1], matrix)[1] is matrix


@pytest.mark.parametrize(("off", "fine"), [(9e-6, True), (2e-5, False), (-9e-6, True), (-2e-5, False)])
def test_tolerance_of_sums(off, fine):
    matrix = np.array([[0.5, 0.5], [0.5, 0.5 + off]])
    if fine:
        assert as_probabilities([0, 1], matrix)[1] is matrix
    else:
        with pytest.raises(InputError, match="row 1"):
            as_probabilities([0, 1], matrix)


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
@pytest.mark.parametrize("k", [2, 10, 1000])
def test_a_softmax_of_any_precision_passes(dtype, k):
    rng = np.random.default_rng(0)
    scores = rng.normal(size=(50, k)).astype(dtype)
    powers = np.exp(scores - scores.max(axis=1, keepdims=True))
    stated = (powers / powers.sum(axis=1, keepdims=True, dtype=dtype)).astype(dtype)
    as_probabilities(np.arange(50) % k, stated, classes=range(k))


def test_low_precision_is_no_excuse_for_any_sum():
    with pytest.raises(InputError, match=r"sum 0\.5 in row 0"):
        as_probabilities([0, 1], np.full((2, 1024), 0.5 / 1024, dtype=np.float16), classes=range(1024))


def test_columns_named_like_classes_are_matched_by_name():
    frame = pd.DataFrame({"b": [0.1, 0.2, 0.3], "c": [0.2, 0.3, 0.4], "a": [0.7, 0.5, 0.3]})
    _, stated, classes = as_probabilities(["a", "b", "c"], frame)
    assert classes.tolist() == ["a", "b", "c"]
    np.testing.assert_array_equal(stated, frame[["a", "b", "c"]].to_numpy())
    _, stated, _ = as_probabilities(["a", "b", "c"], frame, classes=["c", "b", "a"])
    np.testing.assert_array_equal(stated, frame[["c", "b", "a"]].to_numpy())


def test_columns_with_other_names_are_taken_by_place():
    frame = pd.DataFrame({"p1": [0.1, 0.2], "p2": [0.9, 0.8]})
    _, stated, _ = as_probabilities(["a", "b"], frame)
    np.testing.assert_array_equal(stated, frame.to_numpy())


def test_negative_zero_is_zero():
    assert as_probabilities([0, 1], [-0.0, 1.0])[1].tolist() == [0.0, 1.0]


@pytest.mark.parametrize("names", [("dog", "cat"), ("p_dog", "p_cat"), ("dog prob.", "cat prob.")])
def test_columns_named_like_the_classes_are_put_in_their_order(names):
    stated = np.tile([[0.9, 0.1], [0.2, 0.8]], (5, 1))
    frame = pl.DataFrame(dict(zip(names, stated[:, ::-1].T, strict=True)))
    truth = ["cat", "dog"] * 5
    assert ff.bets.log_score(truth, frame) == ff.bets.log_score(truth, stated)


def test_columns_named_like_something_else_are_refused():
    frame = pl.DataFrame({"yes": [0.9, 0.2], "no": [0.1, 0.8]})
    with pytest.raises(InputError, match="'yes', 'no'"):
        ff.bets.log_score(["cat", "dog"], frame)
    with pytest.raises(InputError, match="'yes', 'no'"):
        ff.Predictions.from_probabilities(["cat", "dog"], frame)
