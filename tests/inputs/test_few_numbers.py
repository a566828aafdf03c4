"""Few different numbers pass for the array of all of them, whatever is asked."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fivefold.bets.calibration import Events, count_alarms
from fivefold.data.cut_points import readable_cuts
from fivefold.inputs import _kernels
from fivefold.inputs._kernels import at_codes, count_codes
from fivefold.inputs.few_numbers import MOST_NUMBERS, FewNumbers, number_more

numbers = st.lists(st.sampled_from([0.0, -0.0, 0.1, 1 / 3, 0.5, 7.0, -2.5, 1e300, np.nan]), min_size=1)


def numbered(array):
    levels, codes = np.empty(0), []
    for part in np.array_split(array, 3):
        levels, more = number_more(levels, part)
        codes.append(more.astype(np.uint16))
    return FewNumbers(np.concatenate(codes), levels)


@given(numbers)
def test_they_are_the_array(values):
    array = np.array(values)
    few = numbered(array)
    assert np.asarray(few).tobytes() == array.tobytes()
    assert (len(few), few.shape, few.ndim, few.size) == (len(array), array.shape, 1, array.size)
    mask = array > 0.2
    for rows in (slice(1, None, 2), mask, np.flatnonzero(mask), np.array([0, 0])):
        assert np.asarray(few[rows]).tobytes() == array[rows].tobytes()
    assert np.array_equal(few[0], array[0], equal_nan=True)


@given(numbers)
def test_what_is_asked_of_them_is_asked_of_each(values):
    array = np.array(values)
    few = numbered(array)
    asked = [
        lambda x: x > 0.1,
        lambda x: (x >= 0.1) & (x < 0.5),
        np.isnan,
        np.isneginf,
        lambda x: 1.0 - x,
        lambda x: x * (1 - x),
        lambda x: x - array,
        lambda x: x == np.floor(x),
        lambda x: np.sum(x * (1 - x)),
        lambda x: x.mean(),
        lambda x: (x - 1) @ (x - 1),
        lambda x: np.unique(x, return_inverse=True)[1],
    ]
    with np.errstate(all="ignore"):
        for ask in asked:
            assert np.array_equal(np.asarray(ask(few)), np.asarray(ask(array)), equal_nan=True)
    known = few[~np.isnan(few)]
    if len(known):
        plain = array[~np.isnan(array)]
        assert (known.min(), known.max(), np.ptp(known)) == (plain.min(), plain.max(), np.ptp(plain))


@given(st.lists(st.tuples(*[st.sampled_from([0.0, 0.25, 0.5, 1.0])] * 3), min_size=1, max_size=30))
def test_columns_beside_each_other_are_a_matrix(rows):
    matrix = np.array(rows)
    few = FewNumbers.together([numbered(column) for column in np.ascontiguousarray(matrix.T)])
    assert np.array_equal(few, matrix)
    assert (few.shape, few.size) == (matrix.shape, matrix.size)
    assert np.array_equal(few[:, 1], matrix[:, 1])
    assert np.array_equal(few.argmax(axis=1), matrix.argmax(axis=1))
    assert np.array_equal(few.max(axis=1), matrix.max(axis=1))
    assert np.array_equal(few[1:], matrix[1:])


def test_too_many_different_numbers_are_given_up():
    many = np.arange(40_000.0)
    assert len(number_more(np.empty(0), np.arange(70_000.0))[0]) > MOST_NUMBERS
    assert FewNumbers.together([numbered(many), numbered(many)]) is not None
    mixed = np.tile(np.arange(300.0), 300)
    assert FewNumbers.together([numbered(mixed), numbered(np.sort(mixed))]) is None


@settings(max_examples=300, deadline=None)
@given(
    st.lists(st.sampled_from([*np.arange(-3, 4) / 10, 12.0, 13.5, 1e9, np.nan]), min_size=1, max_size=400),
    st.integers(2, 7),
)
def test_they_are_cut_where_the_array_is(values, n_bins):
    array = np.array(values)
    assert readable_cuts(numbered(array), n_bins).tolist() == readable_cuts(array, n_bins).tolist()


@pytest.mark.parametrize("n", [4, 99, 1000, 4000])
def test_they_are_cut_where_the_array_is_by_many_numbers(n):
    array = np.random.default_rng(n).normal(size=n).round(2)
    assert readable_cuts(numbered(array), 4).tolist() == readable_cuts(array, 4).tolist()


@given(st.lists(st.integers(-1, 5)), st.sampled_from([np.int8, np.int16, np.int64]), st.integers(1, 4))
def test_codes_are_counted_and_looked_up_as_numpy_does(codes, dtype, at_once):
    array, levels = np.array(codes, dtype=dtype), np.arange(14.0).reshape(7, 2)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_kernels, "AT_ONCE", at_once)
        assert np.array_equal(count_codes(array, 6), np.bincount(array[array >= 0], minlength=6))
        for of in (levels, levels[:, 0], levels[:, 0] > 5):
            taken = at_codes(of, array)
            assert taken.dtype == of.dtype
            assert np.array_equal(taken, of[array])


@given(st.lists(st.tuples(st.sampled_from([0.0, -0.0, 0.1, 1 / 3, 0.5, 1.0]), st.booleans()), min_size=1))
def test_thresholds_at_few_probabilities_raise_the_same_alarms(events):
    p, happened = np.array([row[0] for row in events]), np.array([row[1] for row in events])
    few = count_alarms(Events(numbered(p), happened))
    for told, expected in zip(few, count_alarms(Events(p, happened)), strict=True):
        assert told.tolist() == expected.tolist()
