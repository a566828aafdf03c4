"""What a slice is like: counts that add up, and the distance of two distributions."""

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

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


def test_a_slice_of_everything_has_no_distance():
    assert FeatureProfile("c", ("a",), (5,), (0,)).distance == 0.0
