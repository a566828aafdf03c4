"""Tables: made from any library, with the class apart and the kinds as told."""

import sys

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from fivefold.data import Table
from fivefold.errors import InputError, InputTypeError
from fivefold.inputs.columns import read_columns

CELLS = {
    "vessels": [0, 3, None, 1],
    "pain": ["mild", None, "none", "mild"],
    "smoker": [True, False, None, True],
    "class": ["well", "ill", "well", "ill"],
}
FRAMES = [pd.DataFrame, pl.DataFrame, pa.table]


@pytest.mark.parametrize("make", FRAMES)
def test_a_table_from_each_library_knows_the_same(make):
    table = Table.from_frame(make(CELLS), target="class", name="toy")
    assert isinstance(table.X, type(make(CELLS)))
    assert table.kinds == {"vessels": "numeric", "pain": "nominal", "smoker": "nominal"}
    assert table.y.tolist() == CELLS["class"]
    assert table.classes == ("ill", "well")
    assert (len(table), table.n_rows, table.missing_cells) == (4, 4, 3)
    assert repr(table) == (
        "Table 'toy': 4 rows, 3 attributes (1 numeric, 2 nominal), 2 classes, 3 missing cells"
    )


@pytest.mark.parametrize("make", FRAMES)
def test_what_is_told_about_a_column_is_stored_in_the_frame(make):
    table = Table.from_frame(make(CELLS), target="class", kinds={"vessels": "nominal"})
    (vessels, *_) = read_columns(table.X)
    assert vessels.kind == "nominal"
    assert vessels.categories == ("0", "1", "3")
    assert vessels.decode().tolist() == ["0", "3", None, "1"]
    assert table.columns[0].categories == vessels.categories


def test_numbers_written_as_objects_can_be_told_to_be_numeric():
    frame = pd.DataFrame({"a": np.array([1, None, 2.5], dtype=object), "c": ["x", "y", "x"]}, index=[7, 8, 9])
    table = Table.from_frame(frame, "c", kinds={"a": "numeric"})
    np.testing.assert_array_equal(table.X["a"], [1.0, np.nan, 2.5])
    assert table.X.index.tolist() == [7, 8, 9]


def test_round_trip_through_polars_and_pandas():
    table = Table.from_frame(pl.DataFrame(CELLS), target="class")
    assert table.to_polars().with_columns(pl.col(pl.Enum).cast(pl.String)).to_dict(as_series=False) == CELLS
    pandas = table.to_pandas()
    again = Table.from_frame(pandas, target="class")
    assert again.to_polars().equals(table.to_polars())
    assert isinstance(pandas["pain"].dtype, pd.CategoricalDtype)


def test_a_table_from_arrays_is_a_polars_frame_with_types_that_say_the_kinds():
    X = np.array([[0, 7.5], [1, np.nan]])
    table = Table.from_arrays(X, [10, 20], ["sex", "dose"], categorical_features=["sex"])
    assert table.X.schema == {"sex": pl.Enum(["0", "1"]), "dose": pl.Float64}
    assert table.X.rows() == [("0", 7.5), ("1", None)]
    assert table.classes == (10, 20)
    assert table.X.null_count().row(0) == (0, 1)


def test_zero_and_one_are_not_taken_for_booleans():
    table = Table.from_arrays([[0], [1]], ["a", "b"], categorical_features=[0])
    assert table.columns[0].categories == ("0", "1")


@pytest.mark.parametrize("y", [pd.Series([1, 2], index=[5, 6]), pl.Series([1, 2]), np.array([1, 2]), [1, 2]])
def test_classes_in_any_container(y):
    assert Table.from_arrays([[1.0], [2.0]], y).y.tolist() == [1, 2]


def test_rows_without_a_class_are_named():
    with pytest.raises(InputError, match=r"2 missing, first in rows \[0, 2\]"):
        Table.from_frame(pl.DataFrame({"a": [1, 2, 3], "c": [None, "x", None]}), target="c")


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda f: Table.from_frame(f, "nothing"), "'nothing'.*columns are"),
        (lambda f: Table.from_frame(f, "class", kinds={"age": "numeric"}), "'age'"),
        (lambda f: Table.from_frame(f, "class", kinds={"class": "nominal"}), "the class 'class' among them"),
        (lambda f: Table.from_frame(f, "class", kinds={"pain": "text"}), "'text' for column 'pain'"),
        (lambda f: Table.from_frame(f, "class", kinds={"pain": "numeric"}), "'mild' in row 0"),
        (lambda f: Table.from_frame(f.select("class"), "class"), "at least one attribute"),
        (lambda f: Table.from_arrays([[1], [2]], [1]), "1 classes for 2 rows"),
        (lambda f: Table.from_arrays([[1], [2]], [[1], [2]]), "ravel"),
        (lambda f: Table.from_arrays([[1], [2]], [1, 2], ["a", "b"]), "1 different column names"),
        (lambda f: Table.from_arrays([[1, 2]], [1], ["a", "a"]), "2 different column names"),
        (lambda f: Table.from_arrays([[1]], [1], ["class"]), "no attribute has"),
    ],
)
def test_what_cannot_be_a_table(make, message):
    with pytest.raises((InputError, InputTypeError), match=message):
        make(pl.DataFrame(CELLS))


def test_pandas_is_not_needed_for_polars_tables(monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)  # any import of pandas now fails
    table = Table.from_frame(pl.DataFrame(CELLS), target="class", kinds={"vessels": "nominal"})
    assert table.to_polars().shape == (4, 4)
