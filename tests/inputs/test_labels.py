"""Labels as positions in a universe of classes."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fivefold.inputs.answers import as_answers
from fivefold.inputs.frames import as_array
from fivefold.inputs.labels import encode, encode_truth, given_classes, infer_classes, is_missing

whole = st.integers(-(2**63), 2**63 - 1)
texts = st.text(max_size=5)


@given(st.lists(st.one_of(whole, st.integers(-5, 5)), min_size=2, max_size=30, unique=True), st.data())
def test_numbers_of_any_size_find_their_place(classes, data):
    labels = data.draw(st.lists(st.sampled_from(classes), min_size=1, max_size=40))
    codes = encode_truth(np.array(labels), given_classes(classes))
    assert [classes[code] for code in codes] == labels
    if len(set(labels)) > 1:
        assert infer_classes([np.array(labels)], ["y"]).tolist() == sorted(set(labels))


@given(st.lists(texts, min_size=2, max_size=20, unique=True), st.data())
def test_texts_find_their_place(classes, data):
    labels = data.draw(st.lists(st.sampled_from(classes), min_size=1, max_size=40))
    assert [classes[code] for code in encode_truth(labels, given_classes(classes))] == labels


@given(st.lists(st.integers(-100, 100), min_size=2, max_size=10, unique=True), st.data())
def test_sparse_numbers_do_not_borrow_the_place_of_others(classes, data):
    strange = data.draw(st.integers(-300, 300).filter(lambda each: each not in classes))
    with pytest.raises(ValueError, match=rf"got {strange} in row 1"):
        encode_truth(np.array([classes[0], strange]), given_classes(classes))


@pytest.mark.parametrize("half", [0.5, -0.5, 1e300, -np.inf])
def test_fractions_do_not_borrow_the_place_of_whole_numbers(half):
    with pytest.raises(ValueError, match="row 1"):
        encode_truth(np.array([1.0, half]), given_classes([0, 1]))


def test_given_order_is_kept_and_inferred_order_is_sorted():
    assert given_classes(["b", "a"]).tolist() == ["b", "a"]
    assert as_answers(["b", "a"], ["a", "c"])[2].tolist() == ["a", "b", "c"]
    assert as_answers([10, 9], [9, 10])[2].tolist() == [9, 10]


def test_false_and_true_are_0_and_1():
    truth, answers, classes = as_answers([True, False], [1, 0])
    assert truth.tolist() == answers.tolist() == [1, 0]
    assert classes.tolist() == [False, True]


def test_texts_that_end_in_nul_stay_apart():
    assert encode_truth(["a\0", "a"], given_classes(["a", "a\0"])).tolist() == [1, 0]


@pytest.mark.parametrize("value", [None, float("nan"), np.nan, np.float32("nan"), pd.NA, pd.NaT])
def test_missing(value):
    assert is_missing(value)
    assert as_answers(["a", "b"], np.array(["a", value], dtype=object))[1].tolist() == [0, -1]


@pytest.mark.parametrize("value", [0, "", False, "nan", "None", [], 0.0])
def test_not_missing(value):
    assert not is_missing(value)


@pytest.mark.parametrize(
    "column",
    [
        ["a", None, "b"],
        np.array(["a", None, "b"], dtype=object),
        pd.Series(["a", None, "b"]),
        pd.Series(["a", None, "b"], dtype="category"),
        pd.Series(["a", pd.NA, "b"], dtype="string"),
        pl.Series(["a", None, "b"]),
        pl.Series(["a", None, "b"], dtype=pl.Categorical),
        pl.Series(["a", None, "b"], dtype=pl.Enum(["a", "b"])),
        pl.Series(["a", None, "b"]).to_arrow(),
        pl.DataFrame({"x": ["a", None, "b"]}).to_arrow()["x"],
    ],
    ids=lambda column: f"{type(column).__module__.split('.')[0]} {type(column).__name__}",
)
def test_no_answer_in_any_column(column):
    assert as_answers(["a", "b", "a"], column)[1].tolist() == [0, -1, 1]


@pytest.mark.parametrize(
    "column",
    [
        [1, None, 0],
        [1.0, np.nan, 0.0],
        np.array([1, np.nan, 0], dtype="float32"),
        pd.Series([1, None, 0]),
        pd.Series([1, None, 0], dtype="Int8"),
        pl.Series([1, None, 0]),
        pl.Series([1.0, None, 0.0]),
        np.ma.array([1, 1, 0], mask=[0, 1, 0]),
        pd.Series([True, None, False], dtype="boolean"),
    ],
    ids=str,
)
def test_no_answer_among_numbers(column):
    assert as_answers([0, 1, 1], column)[1].tolist() == [1, -1, 0]


def test_rows_of_an_indexed_series_are_taken_in_their_order():
    assert as_array(pd.Series(["x", "y"], index=[1, 0]), "y").tolist() == ["x", "y"]


def test_generators_are_read_once():
    truth, answers, _ = as_answers((each for each in "abab"), (each for each in "abba"))
    assert truth.tolist() == [0, 1, 0, 1]
    assert answers.tolist() == [0, 1, 1, 0]


@pytest.mark.parametrize("dtype", [np.float16, np.longdouble])
def test_unusual_floats_are_labels_too(dtype):
    assert encode(np.array([2, 0, np.nan], dtype=dtype), np.array([0, 2]), "y").tolist() == [1, 0, -1]
