"""One encoder for labels of any origin, against a plain one written in Python."""

import math

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fivefold.errors import FivefoldError, InputError, InputTypeError
from fivefold.inputs.columns import read_columns
from fivefold.inputs.labels import distinct, encode, infer_classes, read_labels
from fivefold.learners.labels import encode_classes

printable = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=4)
texts = st.one_of(st.sampled_from(["a", "b", "ab", "A", "", "ä", "né", "日本"]), printable)


def absent(value):
    return value is None or (isinstance(value, float) and math.isnan(value))


def reference(values):
    """Positions among the sorted different values, and these; -1 where there is nothing."""
    different = sorted({value for value in values if not absent(value)})
    return [different.index(v) if not absent(v) else -1 for v in values], different


def fresh(values):
    """An array of objects, no two of which are the same."""
    made = ["".join(list(value)) if isinstance(value, str) else value for value in values]
    return np.fromiter(made, dtype=object, count=len(made))


def shared(values):
    kept = {}
    return np.fromiter((kept.setdefault(value, value) for value in values), dtype=object, count=len(values))


TEXT_FORMS = {
    "list": list,
    "tuple": tuple,
    "generator": lambda values: (value for value in values),
    "fresh objects": fresh,
    "shared objects": shared,
    "strided objects": lambda values: np.repeat(fresh(values), 2)[::2],
    "pandas str": lambda values: pd.Series(values, dtype="str"),
    "pandas string": lambda values: pd.Series(values, dtype="string"),
    "pandas object": lambda values: pd.Series(values, dtype=object),
    "pandas category": lambda values: pd.Series(values, dtype="category"),
    "polars String": lambda values: pl.Series(values, dtype=pl.String),
    "polars Categorical": lambda values: pl.Series(values, dtype=pl.Categorical),
    "polars Enum": lambda values: pl.Series(
        values, dtype=pl.Enum(sorted({"unused", *filter(lambda v: v is not None, values)}, reverse=True))
    ),
    "pyarrow": lambda values: pa.chunked_array([pa.array(values, pa.string())]),
    "pyarrow chunks": lambda values: pa.chunked_array(
        [pa.array(values[:1], pa.string()), pa.array(values[1:], pa.string())]
    ),
    "pyarrow dictionary": lambda values: pa.chunked_array(
        [pa.array(values, pa.string()).dictionary_encode()]
    ),
}


def agrees(column, values):
    codes, different = reference(values)
    labels = read_labels(column, "y")
    assert sorted(labels.values) == sorted(distinct(labels, "y")) == different
    assert [labels.values[code] if code >= 0 else None for code in labels.codes] == [
        different[code] if code >= 0 else None for code in codes
    ]
    if len(different) > 1:
        classes = infer_classes([labels], ["y"])
        assert classes.tolist() == different
        assert encode(labels, classes, "y").tolist() == codes


@pytest.mark.parametrize("form", TEXT_FORMS)
@given(values=st.lists(st.one_of(texts, st.none()), min_size=1, max_size=30))
def test_texts_of_every_origin(form, values):
    agrees(TEXT_FORMS[form](values), values)


@given(
    st.lists(texts, min_size=1, max_size=30), st.sampled_from([None, "<U40", ">U41", "U12"]), st.booleans()
)
def test_numpy_texts(values, dtype, reverse):
    array = np.array(values, dtype=dtype)
    agrees(array[::-1] if reverse else array, values[::-1] if reverse else values)


@given(
    st.lists(st.one_of(st.integers(-3, 3), st.integers(-(2**40), 2**40)), min_size=1, max_size=30),
    st.sampled_from(["i8", ">i8", "f8", "O", "list", "polars", "pandas"]),
)
def test_whole_numbers(values, form):
    made = {"list": values, "polars": pl.Series(values), "pandas": pd.Series(values)}
    agrees(made[form] if form in made else np.array(values, dtype=form), values)


@given(st.lists(st.one_of(st.integers(-(2**30), 2**30), st.just(float("nan"))), min_size=1, max_size=30))
def test_whole_numbers_beside_nothing(values):
    for column in (
        np.array(values, dtype=float),
        np.array(values, dtype=object),
        pd.Series(values, dtype=float),
    ):
        agrees(column, values)


@given(st.lists(st.booleans(), min_size=1, max_size=30))
def test_booleans(values):
    for column in (
        values,
        np.array(values),
        np.array(values, dtype=object),
        pl.Series(values),
        pd.Series(values),
    ):
        agrees(column, values)


def test_zero_has_no_sign():
    assert read_labels(np.array([0.0, -0.0, 1.0]), "y").codes.tolist() == [0, 0, 1]


@pytest.mark.parametrize("n_different", [3, 500, 20_000])
def test_many_rows_whose_texts_are_made_anew(n_different):
    numbers = np.random.default_rng(0).integers(n_different, size=30_000)
    values = [f"label {number}" for number in numbers]
    place = {value: code for code, value in enumerate(sorted(set(values)))}
    expected = [place[value] for value in values]
    for column in (np.array(values), fresh(values), shared(values), pl.Series(values)):
        assert encode(column, infer_classes([column], ["y"]), "y").tolist() == expected


def test_texts_that_utf_8_cannot_write():
    values = [f"{chr(0xD800)}{row % 5}{row % 7}" for row in range(5000)]
    agrees(fresh(values), values)


@given(values=st.lists(st.one_of(texts, st.integers(0, 2), st.none(), st.floats()), min_size=1, max_size=12))
def test_mixed_objects_are_labels_only_where_they_are_of_one_kind(values):
    known = [value for value in values if not absent(value)]
    odd = [v for v in known if isinstance(v, float) and not (float(v).is_integer() and abs(v) < 2**63)]
    kinds = {isinstance(value, str) for value in known}
    try:
        classes = infer_classes([np.fromiter(values, dtype=object, count=len(values))], ["y"]).tolist()
    except InputTypeError:
        assert odd or len(kinds) > 1
    except InputError:
        assert odd or len(set(known)) < 2
    else:
        assert not odd
        assert classes == sorted(set(known))


@pytest.mark.parametrize(
    "form", ["list", "fresh objects", "pandas str", "pandas category", "polars String", "pyarrow"]
)
def test_an_unknown_label_is_named_with_its_row(form):
    column = TEXT_FORMS[form](["a", "b", None, "c", "a", "d"])
    with pytest.raises(InputError, match="expected y to hold only the classes 'a', 'b'; got 'c' in row 3"):
        encode(column, np.array(["a", "b"]), "y")


@pytest.mark.parametrize("form", TEXT_FORMS)
@given(values=st.lists(texts, min_size=1, max_size=20))
def test_learners_read_the_same_classes(form, values):
    if form in ("generator", "tuple"):
        return
    codes, different = reference(values)
    classes, positions = encode_classes(TEXT_FORMS[form](values), len(values))
    assert classes.tolist() == different
    assert positions.tolist() == codes


@pytest.mark.parametrize(
    "form", [form for form in TEXT_FORMS if form.startswith(("pandas", "polars", "pyarrow"))]
)
@given(values=st.lists(st.one_of(texts, st.none()), min_size=1, max_size=20))
def test_nominal_columns_have_the_same_categories(form, values):
    frame = {"polars": pl.DataFrame, "pandas": pd.DataFrame, "pyarrow": pa.table}[form.split()[0]]
    (column,) = read_columns(frame({"x": TEXT_FORMS[form](values)}))
    _, different = reference(values)
    present = [category for category in column.categories if category in set(values)]
    assert present == different
    assert [None if c < 0 else column.categories[c] for c in column.values] == values


def test_what_is_no_label_is_refused_whatever_it_comes_in():
    for column in ([b"a", b"b"], np.array([b"a", b"b"]), [["a"], ["b"]], [1.5, 2.0], np.array([1j, 2j])):
        with pytest.raises(FivefoldError):
            infer_classes([column], ["y"])
