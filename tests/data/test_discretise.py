"""Discretisation: laws that hold for every method, and what each method promises."""

import pickle
from zlib import crc32

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder
from sklearn.utils.estimator_checks import parametrize_with_checks

from fivefold.data import MDLP, CutPoints, EqualWidth, Quantiles
from fivefold.data.cut_points import readable_cuts, tidy
from fivefold.errors import InputError, InputTypeError
from fivefold.inputs.columns import read_columns

METHODS = [CutPoints({"x0": [-1.0, 0.5]}), Quantiles(3), EqualWidth(4), MDLP()]

columns = st.lists(
    st.none() | st.floats(-1e6, 1e6, allow_subnormal=False) | st.integers(-3, 3).map(float),
    min_size=1,
    max_size=40,
)


def fitted(method, values):
    y = [("a", "b", "c")[i % 3] if v is None else "low" if v < 0 else "high" for i, v in enumerate(values)]
    X = np.array(values, dtype=float).reshape(-1, 1)
    return clone(method).fit(X, y), X


@pytest.mark.parametrize("method", METHODS, ids=lambda m: type(m).__name__)
@given(values=columns)
def test_each_value_goes_into_the_interval_that_its_name_says(method, values):
    model, X = fitted(method, values)
    cuts = model.cut_points_["x0"]
    assert list(cuts) == sorted(set(cuts))
    for value, name in zip(values, model.transform(X)[:, 0], strict=True):
        if value is None:
            assert name is None
        elif not cuts:
            assert name == "x0 has a value"
        else:
            chain = name.replace("x0", repr(value)).split(" ")
            # "a < x <= b", "x <= b" and "x > a" are themselves Python, which the test lets Python judge
            assert eval(" ".join(chain)), name


@pytest.mark.parametrize("method", [Quantiles(3), EqualWidth(4), MDLP()], ids=lambda m: type(m).__name__)
@given(values=columns)
def test_found_cuts_separate_values(method, values):
    model, X = fitted(method, values)
    known = X[~np.isnan(X)]
    for cut in model.cut_points_["x0"]:
        assert (known <= cut).any()
        assert (known > cut).any()


@given(st.lists(st.integers(0, 1000), min_size=12, max_size=60, unique=True), st.integers(2, 6))
def test_quantiles_fill_bins_evenly_when_there_are_no_ties(values, n_bins):
    X = np.array(values, dtype=float).reshape(-1, 1)
    bins = Quantiles(n_bins).fit_transform(X)[:, 0]
    sizes = [int((bins == name).sum()) for name in set(bins)]
    assert len(sizes) == n_bins
    assert max(sizes) - min(sizes) <= 1


def test_quantiles_of_ties_are_fewer_bins():
    assert Quantiles(4).fit([[1], [1], [1], [1], [5]]).cut_points_ == {"x0": (1.0,)}
    assert Quantiles(4).fit([[1], [1]]).cut_points_ == {"x0": ()}


def test_equal_width_by_hand():
    assert EqualWidth(4).fit([[10.0], [30.0], [np.nan]]).cut_points_ == {"x0": (15.0, 20.0, 25.0)}
    assert EqualWidth(10).fit([[0.0], [1.0]]).cut_points_["x0"] == tuple(i / 10 for i in range(1, 10))
    assert EqualWidth(4).fit([[7.0], [7.0]]).cut_points_ == {"x0": ()}
    assert EqualWidth(2).fit([[-1.7e308], [1.7e308]]).cut_points_ == {"x0": (0.0,)}


FRAME = {
    "age": [25.0, None, 40.0, 60.0],
    "colour": ["red", "blue", None, "red"],
    "height": [1.0, 2.0, 3.0, 4.0],
}
NAMES = ["age <= 30", None, "30 < age <= 45.5", "age > 45.5"]


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pa.table])
def test_a_frame_gives_a_frame_of_the_same_library(make):
    frame = make(FRAME)
    out = CutPoints({"age": [30, 45.5]}).fit_transform(frame)
    assert isinstance(out, type(frame))
    age, colour, height = read_columns(out)
    assert age.decode().tolist() == NAMES
    assert colour.decode().tolist() == FRAME["colour"]
    assert height.values.tolist() == FRAME["height"]


def test_intervals_keep_their_order_and_rows_their_index():
    frame = pd.DataFrame(FRAME, index=[7, 8, 9, 10])
    out = CutPoints({"age": [30, 45.5]}).fit_transform(frame)
    assert out.index.tolist() == [7, 8, 9, 10]
    assert out["age"].cat.categories.tolist() == ["age <= 30", "30 < age <= 45.5", "age > 45.5"]
    polars = CutPoints({"age": [30, 45.5]}).fit_transform(pl.DataFrame(FRAME))
    assert polars["age"].dtype == pl.Enum(["age <= 30", "30 < age <= 45.5", "age > 45.5"])


def test_pandas_names_that_are_not_text():
    out = EqualWidth(2).fit_transform(pd.DataFrame([[0.0], [4.0]]))
    assert out.columns.tolist() == [0]
    assert out[0].tolist() == ["x0 <= 2", "x0 > 2"]


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_set_output(library):
    model = EqualWidth(2).set_output(transform=library)
    out = model.fit_transform(np.array([[0.0], [4.0]]))
    assert list(out.columns) == ["x0"]
    assert list(out["x0"]) == ["x0 <= 2", "x0 > 2"]
    assert model.get_feature_names_out().tolist() == ["x0"]


def test_feature_names_out_are_those_of_the_frame():
    model = EqualWidth(2).fit(pl.DataFrame(FRAME))
    assert model.get_feature_names_out().tolist() == list(FRAME)


def test_in_a_pipeline_before_an_encoder():
    X = np.arange(20.0).reshape(-1, 1)
    coded = make_pipeline(Quantiles(4), OneHotEncoder()).fit_transform(X)
    assert coded.sum(axis=0).tolist() == [[5.0, 5.0, 5.0, 5.0]]


def test_a_pickled_model_transforms_alike():
    model = Quantiles(3).fit(pl.DataFrame(FRAME))
    again = pickle.loads(pickle.dumps(model))
    assert again.transform(pl.DataFrame(FRAME)).equals(model.transform(pl.DataFrame(FRAME)))


def test_a_numeric_column_told_to_be_nominal_is_left_alone():
    model = EqualWidth(2, categorical_features=[0]).fit([[0.0, 0.0], [1.0, 4.0]])
    assert set(model.cut_points_) == {"x1"}


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (CutPoints({"age": [3, 2]}), "ascending order for 'age'"),
        (CutPoints({"age": [2, 2]}), "ascending"),
        (CutPoints({"age": [np.inf]}), "finite"),
        (CutPoints({"age": ["x"]}), "numbers as cut points of 'age'"),
        (CutPoints({"colour": [1]}), "'colour', which is nominal"),
        (CutPoints({"weight": [1]}), "'weight', which is not a column"),
        (Quantiles(1), "n_bins to be at least 2; got 1"),
        (EqualWidth(2.5), "2.5"),
        (EqualWidth(True), "True"),
        (MDLP(), "target y is None"),
    ],
)
def test_what_cannot_be_fitted(model, message):
    with pytest.raises((InputError, InputTypeError), match=message):
        model.fit(pl.DataFrame(FRAME))


def test_transform_before_fit():
    with pytest.raises(NotFittedError):
        Quantiles(2).transform([[1.0]])


def test_infinity_is_refused():
    with pytest.raises(InputError, match="inf"):
        Quantiles(2).fit([[1.0], [np.inf]])


@given(st.floats(-1e9, 1e9), st.floats(-1e9, 1e9))
def test_tidying_moves_a_number_by_no_more_than_its_last_digit(a, b):
    middle = (a + b) / 2
    assert tidy(middle) == pytest.approx(middle, rel=1e-14, abs=0)


class Numbered:
    """Numbers for names of intervals: scikit-learn compares outputs by subtraction, which texts do not have."""

    def transform(self, X):
        binned = super().transform(X)
        if not isinstance(binned, np.ndarray) or binned.dtype != object:
            return binned
        return np.vectorize(lambda name: np.nan if name is None else float(crc32(str(name).encode())))(binned)


class NumberedQuantiles(Numbered, Quantiles):
    pass


class NumberedEqualWidth(Numbered, EqualWidth):
    pass


class NumberedMDLP(Numbered, MDLP):
    pass


@parametrize_with_checks([NumberedQuantiles(3), NumberedEqualWidth(3), NumberedMDLP(), CutPoints({})])
def test_scikit_learns_checks(estimator, check):
    check(estimator)


@pytest.mark.parametrize("method", METHODS, ids=lambda m: type(m).__name__)
def test_rows_are_transformed_one_by_one_as_together(method):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(30, 2)), rng.integers(0, 2, 30)
    model = clone(method).fit(X, y)
    together = model.transform(X)
    one_by_one = np.vstack([model.transform(row.reshape(1, -1)) for row in X])
    assert (together == one_by_one).all()
    assert (model.fit(X, y).transform(X) == together).all()


@given(
    st.lists(
        st.floats(-1e6, 1e6).map(lambda x: round(x, 9)) | st.integers(-50, 50).map(float),
        min_size=1,
        max_size=300,
    ),
    st.integers(2, 6),
)
def test_readable_cuts_are_as_near_as_any_or_within_one_case_in_a_hundred(values, n_bins):
    numbers = np.array(values)
    levels = np.arange(1, n_bins) / n_bins
    possible = np.array([np.mean(numbers <= number) for number in numbers])
    nearest = np.abs(possible[:, None] - levels).min(axis=0)
    for cut in readable_cuts(numbers, n_bins):
        far = np.abs(np.mean(numbers <= cut) - levels)
        assert (far <= np.maximum(nearest, 0.01) + 1e-12).any()
        assert numbers.min() <= cut < numbers.max()


@pytest.mark.parametrize(
    ("values", "cuts"),
    [
        (np.random.default_rng(0).normal(45.58, 12, 100_000), [37.5, 45.5, 54.0]),
        (np.repeat([1.0, 2.0, 3.0, 4.0], 25), [1.0, 2.0, 3.0]),
        (np.repeat([0.1, 0.37486, 0.9], [10, 80, 10]), [0.1, 0.37486]),
        # most are the largest there is; a few cases more or less than a quarter
        (np.repeat([0.0, 1.0], [12, 88]), [0.0]),
        (np.repeat([1.0, 2.0, 3.0, 4.0], [23, 25, 26, 26]), [1.0, 2.0, 3.0]),
        (np.repeat([1.0, 2.0, 3.0, 4.0], [245, 245, 255, 255]), [1.0, 2.0, 3.0]),
        (np.random.default_rng(0).lognormal(10.5, 0.8, 10_000), None),
        (np.array([5e-324, 1e-323, 2e-323, 1e300]), None),
    ],
)
def test_cuts_are_what_a_person_would_write(values, cuts):
    told = readable_cuts(values, 4).tolist()
    assert cuts is None or told == cuts
    if cuts is None and values.size > 10:
        assert all(len(f"{cut:g}".strip("0").rstrip(".")) <= 5 for cut in told)
