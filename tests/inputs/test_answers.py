"""Answers with one class, several or none, in every form that is accepted."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fivefold.errors import InputError
from fivefold.inputs.answers import as_answers

TRUTH = ["a", "b", "c"]
SETS = np.array([[True, False, True], [False, False, False], [True, True, True]])
NESTED = [["a", "c"], [], ["a", "b", "c"]]

FORMS = {
    "matrix": SETS,
    "with a level": SETS[:, :, np.newaxis],
    "lists of booleans": SETS.tolist(),
    "list of arrays": list(SETS),
    "pandas frame, other order": pd.DataFrame(SETS, columns=list("abc"))[["c", "a", "b"]],
    "polars frame, other order": pl.DataFrame(
        {name: SETS[:, k] for k, name in [(1, "b"), (0, "a"), (2, "c")]}
    ),
    "pyarrow table": pa.table({name: SETS[:, k] for k, name in enumerate("abc")}),
    "lists": NESTED,
    "sets": [set(each) for each in NESTED],
    "tuples": tuple(tuple(each) for each in NESTED),
    "None for none": [["a", "c"], None, ["a", "b", "c"]],
    "NaN for none": [["a", "c"], float("nan"), ["a", "b", "c"]],
    "arrays of labels": [np.array(each) for each in NESTED],
    "object array of lists": np.array([*NESTED, None], dtype=object)[:3],
    "repeated labels": [["a", "c", "a"], [], ["a", "b", "c", "c"]],
    "pandas lists": pd.Series(NESTED),
    "polars lists": pl.Series(NESTED),
    "polars lists with null": pl.Series([["a", "c"], None, ["a", "b", "c"]]),
    "pyarrow lists": pa.array(NESTED),
    "pyarrow chunks": pa.chunked_array([NESTED[:1], NESTED[1:]]),
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("classes", [None, ["a", "b", "c"]])
def test_forms(form, classes):
    truth, answers, universe = as_answers(TRUTH, FORMS[form], classes)
    assert truth.tolist() == [0, 1, 2]
    assert universe.tolist() == ["a", "b", "c"]
    np.testing.assert_array_equal(answers, SETS)


def test_sets_written_as_text_are_refused_rather_than_taken_for_other_classes():
    # as in a table of answers; "a|b" would be a fourth class, and never right
    with pytest.raises(InputError, match=r"split\('\|'\)"):
        as_answers(TRUTH, ["a|b", "b", None])
    truth, answers, classes = as_answers(["a|b", "a", "b"], ["a|b", "b", "a"])
    assert (classes.tolist(), truth.tolist(), answers.tolist()) == (["a", "a|b", "b"], [1, 0, 2], [1, 2, 0])


def test_single_labels_beside_sets():
    _, answers, _ = as_answers(TRUTH, ["a", {"a", "b"}, None])
    np.testing.assert_array_equal(answers, [[1, 0, 0], [1, 1, 0], [0, 0, 0]])


def test_sets_of_equal_and_of_unequal_size_are_read_alike():
    equal = as_answers([0, 1], [np.array([0, 1]), np.array([1, 0])])[1]
    np.testing.assert_array_equal(equal, [[True, True], [True, True]])
    unequal = as_answers([0, 1], [np.array([0, 1]), np.array([1])])[1]
    np.testing.assert_array_equal(unequal, [[True, True], [False, True]])


@pytest.mark.parametrize(
    "truth", [[False, True], np.array([False, True], dtype=object), pl.Series([False, True])]
)
def test_booleans_are_labels_where_the_classes_are_booleans(truth):
    _, answers, _ = as_answers(truth, [[True, False], [True]])
    np.testing.assert_array_equal(answers, [[True, True], [False, True]])
    _, answers, _ = as_answers(truth, [[True, False], [True, False]])
    np.testing.assert_array_equal(answers, [[True, True], [True, True]])


def test_numpy_scalars_within_collections():
    _, answers, _ = as_answers([0, 1], [[np.int8(0)], {np.int64(1), 0}])
    np.testing.assert_array_equal(answers, [[True, False], [True, True]])


def test_a_class_that_only_an_answer_names_joins_the_universe():
    assert as_answers(["a", "b"], ["a", "d"])[2].tolist() == ["a", "b", "d"]
    assert as_answers(["a", "b"], [["a"], ["d"]])[2].tolist() == ["a", "b", "d"]


@given(st.lists(st.lists(st.booleans(), min_size=3, max_size=3), min_size=3, max_size=10))
def test_matrices_are_kept_as_they_are(rows):
    truth = [k % 3 for k in range(len(rows))]
    _, answers, _ = as_answers(truth, np.array(rows))
    assert answers.tolist() == rows
