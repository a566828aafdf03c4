"""The same numbers in another container give the same value, and no container is changed."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from fivefold.results import METRICS

from .discovered import ALL, BY_ANSWER, BY_PROBABILITY, Cases, draw, score

COLUMNS = {
    "list": lambda array: array.tolist(),
    "tuple": lambda array: tuple(array.tolist()),
    "object array": lambda array: array.astype(object),
    "pandas": lambda array: pd.Series(array, index=np.arange(array.size)[::-1]),
    "pandas category": lambda array: pd.Series(array).astype("category"),
    "pandas index": pd.Index,
    "polars": pl.Series,
    "pyarrow chunks": lambda array: pa.chunked_array([pa.array(array[:7]), pa.array(array[7:])]),
    "pyarrow array": pa.array,
    "one column": lambda array: array[:, np.newaxis],
}
NAMES = np.array(["ant", "bee", "cat", "dog"])


def call(name, truth, given, classes):
    return METRICS[name].function(truth, *given, classes=classes)


def close(value):
    return pytest.approx(value, rel=1e-12, abs=1e-12)


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize("form", COLUMNS)
@pytest.mark.parametrize("labels", ["texts", "numbers"])
def test_labels_in_any_column(name, form, labels):
    if form == "one column" and name in BY_ANSWER:
        pytest.skip("a matrix of answers is a matrix of sets")
    cases = draw(name, 4)
    names = NAMES if labels == "texts" else np.arange(4)
    make = COLUMNS[form]
    given = [make(names[cases.answers])] if name in BY_ANSWER else cases.said(name)
    universe = names[: cases.classes.size]
    for classes in (None, universe, universe.tolist()):
        assert call(name, make(names[cases.truth]), given, classes) == close(score(name, cases))


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize("dtype", ["int8", "uint8", "int16", "uint16", "int32", "uint64", "float32", ">i4"])
def test_labels_of_any_numeric_type(name, dtype):
    cases = draw(name, 5)
    small = Cases(
        cases.truth.astype(dtype), cases.answers.astype(dtype), cases.stated, cases.classes.astype(dtype)
    )
    assert score(name, small) == close(score(name, cases))
    assert score(name, small, classes=None) == close(score(name, cases))


def shuffled_frame(make, stated, names):
    """A frame whose columns are named like the classes, in another order."""
    order = np.roll(np.arange(names.size), 1)
    return make({str(names[k]): stated[:, k] for k in order})


FRAMES = {
    "nested lists": lambda stated, names: stated.tolist(),
    "list of arrays": lambda stated, names: list(stated),
    "nameless pandas": lambda stated, names: pd.DataFrame(stated),
    "pandas by name": lambda stated, names: shuffled_frame(pd.DataFrame, stated, names),
    "polars by name": lambda stated, names: shuffled_frame(pl.DataFrame, stated, names),
    "pyarrow by name": lambda stated, names: shuffled_frame(pa.table, stated, names),
    "polars by place": lambda stated, names: pl.DataFrame(stated),
    "masked, nothing hidden": lambda stated, names: np.ma.array(stated, mask=False),
}


@pytest.mark.parametrize("name", BY_PROBABILITY)
@pytest.mark.parametrize("form", FRAMES)
def test_probabilities_in_any_frame(name, form):
    cases = draw(name, 6)
    names = NAMES[: cases.classes.size]
    frame = FRAMES[form](cases.stated, names)
    assert call(name, names[cases.truth], [frame], names) == close(score(name, cases))


@pytest.mark.parametrize("name", BY_ANSWER)
@pytest.mark.parametrize("form", FRAMES)
def test_sets_in_any_frame(name, form):
    cases = draw(name, 6)
    names = NAMES[: cases.classes.size]
    sets = cases.answers[:, np.newaxis] == cases.classes
    frame = FRAMES[form](sets, names)
    assert call(name, names[cases.truth], [frame], names) == close(score(name, cases))


@pytest.mark.parametrize("name", BY_PROBABILITY)
@pytest.mark.parametrize("form", ["pandas", "polars", "pyarrow chunks", "pyarrow array", "list", "tuple"])
def test_one_column_of_probabilities(name, form):
    cases = next(
        cases_drawn
        for cases_drawn in (draw(name, seed) for seed in range(20))
        if cases_drawn.classes.size == 2
    )
    second = cases.stated[:, 1]
    assert call(name, cases.truth, [COLUMNS[form](second)], [0, 1]) == pytest.approx(
        score(name, cases), rel=1e-9
    )


def read_only(array):
    copy = array.copy()
    copy.setflags(write=False)
    return copy


LAYOUTS = {
    "Fortran order": np.asfortranarray,
    "every second row": lambda array: np.repeat(array, 2, axis=0)[::2],
    "backwards": lambda array: array[::-1].copy()[::-1],
    "read-only": read_only,
    "other byte order": lambda array: array.astype(array.dtype.newbyteorder()),
}


@pytest.mark.parametrize("name", BY_PROBABILITY)
@pytest.mark.parametrize("layout", LAYOUTS)
def test_probabilities_in_any_layout(name, layout):
    cases = draw(name, 7)
    make = LAYOUTS[layout]
    other = Cases(make(cases.truth), cases.answers, make(cases.stated), make(cases.classes))
    assert score(name, other) == close(score(name, cases))


@pytest.mark.parametrize("name", BY_ANSWER)
@pytest.mark.parametrize(
    "layout", [layout_name for layout_name in LAYOUTS if layout_name != "other byte order"]
)
def test_sets_in_any_layout(name, layout):
    cases = draw(name, 7)
    make = LAYOUTS[layout]
    sets = make(cases.answers[:, np.newaxis] == cases.classes)
    assert call(name, make(cases.truth), [sets], cases.classes) == close(score(name, cases))
    assert call(name, make(cases.truth), [make(cases.answers)], cases.classes) == close(score(name, cases))


@pytest.mark.parametrize("name", BY_PROBABILITY)
@pytest.mark.parametrize("dtype", ["float32", "float16", "longdouble"])
def test_probabilities_of_any_precision_are_taken_at_their_word(name, dtype):
    cases = draw(name, 8)
    rounded = Cases(cases.truth, cases.answers, cases.stated.astype(dtype), cases.classes)
    widened = Cases(cases.truth, cases.answers, cases.stated.astype(dtype).astype(float), cases.classes)
    value = score(name, rounded)
    assert value == pytest.approx(score(name, cases), abs=0.02)
    if dtype != "float16":  # rows of halves sum to one only within their own precision
        assert value == close(score(name, widened))


@pytest.mark.parametrize("name", BY_PROBABILITY)
@pytest.mark.parametrize("dtype", [bool, "int8", "uint8", int])
def test_zeros_and_ones_may_be_whole_numbers(name, dtype):
    cases = draw(name, 9)
    certain = cases.truth[:, np.newaxis] == cases.classes
    given = Cases(cases.truth, cases.answers, certain.astype(float), cases.classes)
    other = Cases(cases.truth, cases.answers, certain.astype(dtype), cases.classes)
    assert score(name, other) == close(score(name, given))


@pytest.mark.parametrize("name", ALL)
def test_inputs_are_left_as_they_were(name):
    cases = draw(name, 10)
    weights = np.random.default_rng(0).uniform(size=cases.truth.size)
    options = {"sample_weight": weights} if METRICS[name].weighted else {}
    kept = [array.copy() for array in (cases.truth, cases.answers, cases.stated, cases.classes, weights)]
    score(name, cases, **options)
    for before, after in zip(
        kept, (cases.truth, cases.answers, cases.stated, cases.classes, weights), strict=True
    ):
        np.testing.assert_array_equal(before, after)
