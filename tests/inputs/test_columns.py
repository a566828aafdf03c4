"""Reading columns: the same table in any library gives the same columns, and nothing is repaired silently."""

import datetime as dt
import math

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from fivefold.errors import InputError, InputTypeError
from fivefold.inputs.columns import Column, read_columns

FRAMES = {"pandas": pd.DataFrame, "polars": pl.DataFrame, "pyarrow": pa.table}

texts = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=4)
numbers = st.floats(allow_nan=False, allow_infinity=False, width=64)


@st.composite
def tables(draw):
    n = draw(st.integers(1, 12))

    def column(values):
        return draw(st.lists(st.none() | values, min_size=n, max_size=n))

    return {"number": column(numbers), "text": column(texts), "flag": column(st.booleans())}


def typed(library, table):
    """Write the table with the types that a column of only None would otherwise lose."""
    if library == "pandas":
        types = {"number": "float64", "text": "str", "flag": "boolean"}
        return pd.DataFrame({name: pd.array(table[name], dtype=kind) for name, kind in types.items()})
    if library == "polars":
        return pl.DataFrame(table, schema={"number": pl.Float64, "text": pl.String, "flag": pl.Boolean})
    kinds = {"number": pa.float64(), "text": pa.string(), "flag": pa.bool_()}
    return pa.table({name: pa.array(table[name], kind) for name, kind in kinds.items()})


def values_of(column):
    return [None if gone else v for v, gone in zip(column.decode().tolist(), column.missing, strict=True)]


def same(a, b):
    assert [(c.name, c.kind, c.categories) for c in a] == [(c.name, c.kind, c.categories) for c in b]
    for left, right in zip(a, b, strict=True):
        np.testing.assert_array_equal(left.values, right.values)


def test_columns_that_store_only_what_is_not_zero_are_read_as_all_others():
    dummies = pd.get_dummies(pd.DataFrame({"city": ["x", "y", "x", "z"], "size": [0.0, 0.0, 3.5, 0.0]}))
    dummies["count"] = [0, 2, 0, 0]
    same(
        read_columns(dummies.astype({name: pd.SparseDtype(kind) for name, kind in dummies.dtypes.items()})),
        read_columns(dummies),
    )


@given(tables(), st.sampled_from(sorted(FRAMES)))
def test_decoding_gives_back_every_cell(table, library):
    columns = read_columns(typed(library, table))
    assert {c.name: values_of(c) for c in columns} == table


@given(tables())
def test_all_libraries_agree(table):
    first, *others = (read_columns(typed(library, table)) for library in FRAMES)
    for other in others:
        same(first, other)


@given(tables())
def test_object_arrays_agree_with_frames_where_a_column_has_values(table):
    array = np.array(list(zip(*table.values(), strict=True)), dtype=object)
    read = read_columns(array)
    for name, column in zip(table, read, strict=True):
        if any(v is not None for v in table[name]):
            assert values_of(column) == table[name]
        else:
            assert (column.kind, column.missing.all()) == ("numeric", True)


@given(tables())
def test_categories_are_sorted_and_distinct_and_codes_point_to_them(table):
    for column in read_columns(typed("polars", table)):
        if column.categories is not None:
            assert list(column.categories) == sorted(set(column.categories))
            assert column.values.dtype == np.int32
            assert column.values.min() >= -1
            assert column.values.max() < max(len(column.categories), 1)


@given(tables(), tables(), st.sampled_from(sorted(FRAMES)), st.sampled_from(sorted(FRAMES)))
def test_like_keeps_known_values_and_loses_only_unknown_ones(old, new, library_a, library_b):
    fitted = read_columns(typed(library_a, old))
    schema = [column.schema() for column in fitted]
    again = read_columns(typed(library_b, new), like=schema)
    known = {c.name: None if c.categories is None else set(c.categories) for c in fitted}
    for column in again:
        seen = known[column.name]
        expected = [v if seen is None or v in seen else None for v in new[column.name]]
        assert values_of(column) == expected
    same(read_columns(typed(library_b, old), like=schema), fitted)


@pytest.mark.parametrize("dtype", [float, np.float32, int, np.uint8, bool])
def test_the_fast_path_for_plain_arrays_gives_what_a_frame_gives(dtype):
    array = np.array([[0, 1, 2], [1, 0, 3]]).astype(dtype)
    frame = pl.DataFrame(array, schema=["x0", "x1", "x2"])
    same(read_columns(array), read_columns(frame))
    same(read_columns(array, like=read_columns(frame)), read_columns(frame))
    same(read_columns(np.asfortranarray(array)), read_columns(array.tolist()))


def test_zeros_and_ones_at_prediction_time_are_the_booleans_of_fitting_time():
    fitted = read_columns(np.array([[True], [False]]))
    assert read_columns(np.array([[1.0], [0.0], [np.nan]]), like=fitted)[0].values.tolist() == [1, 0, -1]


def test_declared_categories_are_kept_in_sorted_order():
    declared, seen = ["z", "b", "a"], ["b", None, "z"]
    frames = [
        pd.DataFrame({"c": pd.Categorical(seen, categories=declared)}),
        pd.DataFrame({"c": pd.Categorical(seen, categories=declared, ordered=True)}),
        pl.DataFrame({"c": pl.Series(seen, dtype=pl.Enum(declared))}),
        pa.table({"c": pa.DictionaryArray.from_arrays(pa.array([1, None, 0]), declared)}),
    ]
    for frame in frames:
        (column,) = read_columns(frame)
        assert column.categories == ("a", "b", "z")
        assert values_of(column) == seen


def test_an_arrow_dictionary_in_several_chunks_is_one_column():
    chunks = [pa.array(["x", "y", None]).dictionary_encode(), pa.array(["a"]).dictionary_encode()]
    (column,) = read_columns(pa.table({"c": pa.chunked_array(chunks)}))
    assert values_of(column) == ["x", "y", None, "a"]


def test_intervals_made_by_pandas_are_categories():
    (column,) = read_columns(pd.DataFrame({"i": pd.cut([9, 1, 5], [0, 3, 7, 10])}))
    assert column.values.tolist() == [2, 0, 1]


@pytest.mark.parametrize("dtype", ["Int64", "Float64", "int64[pyarrow]"])
def test_nullable_numbers_of_pandas(dtype):
    (column,) = read_columns(pd.DataFrame({"n": pd.array([1, None, 3], dtype=dtype)}))
    np.testing.assert_array_equal(column.values, [1.0, np.nan, 3.0])


def test_every_sign_of_missing_in_an_object_column():
    frame = pd.DataFrame({"o": pd.Series(["a", None, math.nan, pd.NA, pd.NaT, "b"], dtype=object)})
    assert values_of(read_columns(frame)[0]) == ["a", None, None, None, None, "b"]


def test_text_that_looks_missing_is_text():
    (column,) = read_columns(pl.DataFrame({"t": ["", "NA", "nan", "?"]}))
    assert column.categories == ("", "?", "NA", "nan")


def test_a_type_that_appears_late_is_noticed():
    frame = pd.DataFrame({"o": pd.Series(["a"] * 200 + [1], dtype=object)})
    with pytest.raises(InputError, match="'a' in row 0 and 1 in row 200"):
        read_columns(frame)


def test_categorical_features_by_name_place_and_mask():
    frame = pl.DataFrame({"a": [3, 1, None], "b": [0.5, 1.5, 2.5]})
    for chosen in (["a"], [0], [True, False], np.array([True, False]), np.array(["a"])):
        a, b = read_columns(frame, categorical_features=chosen)
        assert (a.categories, a.values.tolist(), b.kind) == ((1, 3), [1, 0, -1], "numeric")
    assert [c.kind for c in read_columns(frame, categorical_features=[])] == ["numeric"] * 2


def test_a_numeric_array_can_have_nominal_columns():
    array = np.array([[2.0, 5.0], [np.nan, 6.0]])
    a, b = read_columns(array, categorical_features=[0])
    assert (a.categories, a.values.tolist(), b.values.tolist()) == ((2.0,), [0, -1], [5.0, 6.0])


def test_without_nominal_columns_booleans_and_numeric_categories_are_numbers():
    frame = pd.DataFrame({"f": [True, False], "c": pd.Categorical([3, 1])})
    assert [c.values.tolist() for c in read_columns(frame, categorical_features=None)] == [[1, 0], [3, 1]]


def test_names_that_are_not_text_count_as_none():
    assert [c.name for c in read_columns(pd.DataFrame([[1, 2]]))] == ["x0", "x1"]


def test_a_frame_may_follow_an_array_and_an_array_a_frame():
    array, frame = np.array([[1.0, 2.0]]), pl.DataFrame({"a": [1.0], "b": [2.0]})
    assert [c.name for c in read_columns(frame, like=read_columns(array))] == ["x0", "x1"]
    assert [c.name for c in read_columns(array, like=read_columns(frame))] == ["a", "b"]


BAD = {
    "mixed types": (pd.DataFrame({"o": [1, "a"]}, dtype=object), "1 in row 0 and 'a' in row 1"),
    "a boolean among numbers": (pd.DataFrame({"o": [2, True]}, dtype=object), "2 in row 0 and True in row 1"),
    "mixed categories": (pd.DataFrame({"c": pd.Categorical([1, "a"])}), "categories of one type"),
    "infinity": (np.array([[0.0], [-np.inf]]), "column 'x0'; got -inf .* in row 1"),
    "infinity in a frame": (pl.DataFrame({"h": [1.0, math.inf, None]}), "column 'h'; got inf .* in row 1"),
    "the same name twice": (pd.DataFrame([[1, 2]], columns=["a", "a"]), "'a' more than once"),
    "the same name twice in Arrow": (pa.table([[1], [2]], names=["a", "a"]), "'a' more than once"),
    "names of two types": (pd.DataFrame([[1, 2]], columns=["a", 0]), "0 among them"),
    "no rows": (np.zeros((0, 3)), r"0 sample\(s\)"),
    "no columns": (np.zeros((3, 0)), r"0 feature\(s\)"),
    "no rows in a frame": (pl.DataFrame({"a": []}), r"0 sample\(s\)"),
    "a date column": (pl.DataFrame({"d": [dt.date(2020, 1, 1)]}), "column of Date.*days since"),
    "a time array": (np.array([["2020-01-01"]], dtype="M8[D]"), "datetime64"),
    "dates as objects": (pd.DataFrame({"d": [dt.date(2020, 1, 1)]}, dtype=object), "'d'; got datetime.date"),
    "a list column": (pl.DataFrame({"l": [[1, 2]]}), r"List\(Int64\).*column of its own"),
    "a struct column": (pl.DataFrame({"s": [{"a": 1}]}), "Struct"),
    "bytes": (pl.DataFrame({"b": [b"x"]}), "decode the bytes"),
    "one dimension": ([1, 2], "Reshape your data"),
    "a series": (pl.Series([1]), "to_frame"),
    "a lazy frame": (pl.LazyFrame({"a": [1]}), "collect"),
    "a sparse matrix": (sparse.eye(2), "sparse"),
    "a masked array": (np.ma.masked_invalid(np.array([[np.nan]])), "filled"),
    "complex numbers": (np.array([[1j]]), "Complex data not supported"),
    "ragged rows": ([[1, 2], [3]], "rows of equal length"),
    "text": ("abc", "'abc'"),
    "a dict in a cell": (np.array([[{"a": 1}]], dtype=object), "argument must be a string, a number"),
}


@pytest.mark.parametrize("case", BAD)
def test_what_cannot_be_used_is_refused_with_its_place(case):
    X, message = BAD[case]
    with pytest.raises((InputError, InputTypeError), match=message):
        read_columns(X)


@pytest.mark.parametrize(
    ("features", "message"),
    [
        ("all", "from_dtype"),
        (["z"], "the columns are"),
        ([2], "positions from 0 to 1"),
        ([-1], "positions from 0 to 1"),
        ([True], "one boolean for each of the 2"),
        ([1.5], "1.5"),
        ([[0]], "flat list"),
        ([], "'x' in row 0"),
        (None, "'x' in row 0"),
    ],
)
def test_wrong_categorical_features(features, message):
    with pytest.raises((InputError, InputTypeError), match=message):
        read_columns(pl.DataFrame({"a": [1], "t": ["x"]}), categorical_features=features)


def test_an_array_has_no_names_to_choose_by():
    with pytest.raises(InputError, match="no column names"):
        read_columns(np.array([[1.0]]), categorical_features=["x0"])


@pytest.mark.parametrize(
    ("new", "message"),
    [
        (pl.DataFrame({"b": ["x"], "a": [1]}), "'a' in place 0; got 'b' there"),
        (pl.DataFrame({"a": [1]}), "2 columns, as at fitting time; got 1"),
        (pl.DataFrame({"a": ["1"], "b": ["x"]}), "numbers in column 'a'; got '1' in row 0"),
        (pl.DataFrame({"a": [1], "b": [2]}), "categories such as 'x' in column 'b'"),
        (np.zeros((2, 3)), "2 columns, as at fitting time; got 3"),
    ],
)
def test_columns_that_do_not_follow_those_of_fitting_time(new, message):
    fitted = read_columns(pl.DataFrame({"a": [1], "b": ["x"]}))
    with pytest.raises((InputError, InputTypeError), match=message):
        read_columns(new, like=fitted)


def test_a_column_of_only_missing_values_fits_any_column():
    fitted = read_columns(pl.DataFrame({"a": [1.0], "b": ["x"]}))
    new = read_columns(pl.DataFrame({"a": [None], "b": [None]}), like=fitted)
    assert [c.missing.tolist() for c in new] == [[True], [True]]


def test_a_column_shows_itself_in_one_line():
    column = Column("c", "nominal", np.array([0, -1], dtype=np.int32), ("a",))
    assert repr(column) == "Column('c', nominal, 1 categories, 2 values, 1 missing)"
    assert len(column) == 2


def test_more_rows_than_can_be_numbered_are_refused():
    rows = np.broadcast_to(np.zeros((1, 1)), (2**31, 1))
    with pytest.raises(InputError, match=r"at most 2,147,483,647 rows; got 2,147,483,648.*Dask"):
        read_columns(rows)


@pytest.mark.parametrize("kind", ["int64", "uint64"])
def test_whole_numbers_beyond_2_to_the_53_are_rounded_alike(kind):
    values = [2**53 + 1, 2**62 + 3, 5] + ([2**64 - 1] if kind == "uint64" else [-(2**63)])
    array = pa.array([*values, None], getattr(pa, kind)())
    frames = [pa.table({"x": array}), pl.DataFrame({"x": pl.from_arrow(array)})]
    frames += [pd.DataFrame({"x": pd.array([*values, None], dtype=f"{kind}[pyarrow]")})]
    expected = [*map(float, values), np.nan]
    for frame in frames:
        (column,) = read_columns(frame)
        np.testing.assert_array_equal(column.values, expected)
