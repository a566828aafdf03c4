"""Exact quantiles from counts of digits, against a sort."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fivefold.data.cut_points import readable_cuts
from fivefold.inputs.columns import Column
from fivefold.slices.dask_tables import around_all, count_digits, exact_quantile_cuts, select

NUMBERS = st.floats(allow_nan=False, allow_infinity=False, width=64) | st.integers(-5, 5).map(float)


def counter(columns, n_parts):
    """Count digits part by part and add, as workers do."""

    def count(prefixes, digit):
        told = [count_digits(piece, prefixes, digit) for piece in split(columns, n_parts)]
        return [sum(several) for several in zip(*told, strict=True)]

    return count


def split(columns, n_parts):
    return [
        [Column(c.name, c.kind, values, None) for c, values in zip(columns, several, strict=True)]
        for several in zip(*(np.array_split(c.values, n_parts) for c in columns), strict=True)
    ]


def exact_cuts(columns, n_bins, n_parts):
    known = {column.name: int(np.count_nonzero(~column.missing)) for column in columns}
    parts = split(columns, n_parts)
    return exact_quantile_cuts(
        known, n_bins, counter(columns, n_parts), lambda points: [around_all(part, points) for part in parts]
    )


@given(st.lists(NUMBERS, min_size=1, max_size=60), st.integers(1, 4))
def test_every_rank_is_that_of_a_sort(values, n_parts):
    column = Column("x", "numeric", np.array(values), None)
    told = select({"x": range(len(values))}, counter([column], n_parts))["x"]
    np.testing.assert_array_equal(told, np.sort(values))


@given(
    st.lists(NUMBERS | st.just(float("nan")), min_size=1, max_size=60),
    st.lists(st.integers(-3, 3).map(float), min_size=1, max_size=60),
    st.integers(2, 9),
)
def test_cuts_are_those_of_the_local_run_bit_for_bit(one, two, n_bins):
    n = min(len(one), len(two))
    columns = [
        Column("one", "numeric", np.array(one[:n]), None),
        Column("two", "numeric", np.array(two[:n]), None),
    ]
    told = exact_cuts(columns, n_bins, 3)
    for column in columns:
        assert told[column.name].tolist() == readable_cuts(column.values, n_bins).tolist()


@pytest.mark.parametrize("n_bins", [2, 3, 4, 7, 10, 49, 100])
@pytest.mark.parametrize("n", [1, 2, 7, 98, 100, 490, 1001])
def test_cuts_of_many_sizes(n, n_bins):
    values = np.random.default_rng(0).normal(size=n)
    column = Column("x", "numeric", values, None)
    told = exact_cuts([column], n_bins, 2)["x"]
    assert told.tolist() == readable_cuts(values, n_bins).tolist()
