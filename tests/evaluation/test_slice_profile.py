"""What a slice is like: counts that add up, and the distance of two distributions."""

import re

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import fivefold as ff
from fivefold.evaluation.slices_view import MISSING, OTHER, FeatureProfile, Profiler
from fivefold.inputs.columns import read_columns


@given(st.data())
def test_counts_add_up_and_are_those_of_the_values(data):
    n = data.draw(st.integers(4, 60))
    letters = data.draw(st.lists(st.sampled_from([*"abcdefgh", None]), min_size=n, max_size=n))
    inside = np.array(data.draw(st.lists(st.booleans(), min_size=n, max_size=n)))
    columns = read_columns(pl.DataFrame({"c": pl.Series(letters, dtype=pl.String)}))
    (told,) = Profiler(columns, {}, most=3).describe(inside)
    assert sum(told.inside) == inside.sum()
    assert sum(told.outside) == n - inside.sum()
    assert len(told.values) <= 4
    for value, count, outside in zip(told.values, told.inside, told.outside, strict=True):
        if value != OTHER:
            wanted = np.array([letter == (None if value == MISSING else value) for letter in letters])
            assert (count, outside) == ((wanted & inside).sum(), (wanted & ~inside).sum())


def test_columns_that_differ_most_come_first():
    X = pl.DataFrame({"same": ["a", "b"] * 50, "apart": ["x"] * 50 + ["y"] * 50, "n": np.arange(100.0)})
    told = Profiler(read_columns(X), {"n": np.array([49.5])}).describe(np.arange(100) < 50)
    assert [one.name for one in told] == ["apart", "n", "same"]
    assert told[0].distance == pytest.approx(1.0)
    assert told[1].values == ("<= 49.5", "> 49.5")
    assert told[2].distance == pytest.approx(0.0)


def test_spans_of_dates_read_as_those_of_numbers_do():
    """A date between two others was written as "2025-01-15 <=  < 2025-02-01", without its middle."""
    days = np.arange("2025-01-01", "2025-04-01", dtype="datetime64[D]").astype(str)
    rng = np.random.default_rng(0)
    X = pl.DataFrame({"day": rng.choice(days, 900), "side": rng.choice(["a", "b"], 900)})
    truth = np.full(900, "x")
    said = np.where((X["side"].to_numpy() == "a") & (rng.random(900) < 0.4), "y", truth)
    table = X.with_columns(truth=pl.Series(truth), said=pl.Series(said))
    (model,) = ff.evaluate_predictions(table, target="truth", predictions=["said"], classes=["x", "y"]).models
    values = [value for one in model.slices.rows[0].features if one.name == "day" for value in one.values]
    one_end = r"(<|>=) 2025-\d\d-\d\d"
    assert len(values) > 2
    assert all(re.fullmatch(rf"{one_end}|>= 2025-\d\d-\d\d, {one_end}", value) for value in values)


def test_a_slice_of_everything_has_no_distance():
    assert FeatureProfile("c", ("a",), (5,), (0,)).distance == 0.0
