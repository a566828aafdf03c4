"""Rows of any table, seeds, and classes that a model has not seen."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy import sparse
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from fivefold.errors import InputError
from fivefold.training.class_alignment import align_columns, labels_at
from fivefold.training.fit_predict import take_rows
from fivefold.training.seeds import derive_seed, seeded
from fivefold.training.splits import FoldSplits, Resamples

NUMBERS = np.arange(12.0).reshape(6, 2)
ROWS = np.array([5, 0, 0, 3])
TABLES = {
    "array": NUMBERS,
    "list": NUMBERS.tolist(),
    "pandas": pd.DataFrame(NUMBERS, index=list("fedcba")),
    "polars": pl.DataFrame(NUMBERS),
    "pyarrow": pa.table({"a": NUMBERS[:, 0], "b": NUMBERS[:, 1]}),
    "sparse": sparse.csr_array(NUMBERS),
}


@pytest.mark.parametrize("kind", TABLES)
def test_rows_are_taken_in_the_kind_of_table_that_came_in(kind):
    table = TABLES[kind]
    taken = take_rows(table, ROWS)
    assert type(taken) is type(table)
    plain = taken.to_pandas() if kind == "pyarrow" else taken.toarray() if kind == "sparse" else taken
    assert np.asarray(plain).tolist() == NUMBERS[ROWS].tolist()


def test_only_seeds_that_are_none_are_set():
    free = make_pipeline(StandardScaler(), DecisionTreeClassifier())
    assert seeded(free, 7, by_name=False)[-1].random_state == 7
    assert seeded(free, 7)[-1].random_state == derive_seed(7, "decisiontreeclassifier__random_state")
    assert seeded(free, None)[-1].random_state is None
    assert free[-1].random_state is None
    assert seeded(DecisionTreeClassifier(random_state=3), 7).random_state == 3


def test_classes_that_a_model_does_not_know_have_columns_of_zeros():
    classes = np.array(["a", "b", "c", "d"])
    aligned = align_columns(np.array([[0.25, 0.75]]), np.array(["b", "d"], dtype=object), classes)
    assert aligned.tolist() == [[0.0, 0.25, 0.0, 0.75]]
    with pytest.raises(InputError, match="'e'"):
        align_columns(np.ones((1, 1)), ["e"], classes)


def test_no_answer_is_none():
    assert labels_at(np.array([1, -1, 0]), np.array(["a", "b"])).tolist() == ["b", None, "a"]


def test_folds_and_resamples_agree_with_their_counts():
    for splits in (
        FoldSplits(np.array([[0, 1, 2, -1], [2, 1, 0, -1]]), [(0,), (1,), (0, 2)]),
        Resamples(np.array([[2, 0, 1, 1], [1, 1, 1, 1]]), out_of_bag=True),
    ):
        places = range(len(splits))
        counts, asked = splits.counts_and_asked(places)
        for place in places:
            assert np.repeat(np.arange(4), counts[place]).tolist() == splits.train(place).tolist()
            assert np.flatnonzero(asked[place]).tolist() == splits.test(place).tolist()
            assert not (counts[place] > 0)[asked[place]].any()
