"""A slice as Python: the mask selects the very cases for which the terms hold."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fivefold.data.conditions import Above, AtMost, Equals, IsMissing, NotEquals, OneOf, Within
from fivefold.data.files import read_frame
from fivefold.inputs.columns import read_columns
from fivefold.slices import Slice

NAME = "a \"col'umn\\"
FRAME = pd.DataFrame(
    {
        NAME: pd.Series(["x", "it's", 'say "x"', None, "\\", "\n"] * 3, dtype=object),
        "n": [1.0, 2.5, -3.0, np.nan, 1e-300, 7.0] * 3,
        "b": [True, False, True] * 6,
    }
)
COLUMNS = read_columns(FRAME)
TERMS = [
    Equals(NAME, "it's"),
    Equals(NAME, "\\"),
    Equals("b", True),
    NotEquals(NAME, 'say "x"'),
    OneOf(NAME, ("\n", "x")),
    AtMost("n", 2.5),
    Above("n", 1e-300),
    Within("n", 1.0, 7.0),
    Within("n", -np.inf, 1.0),
    Within("n", 2.5, np.inf),
    Within("n", -np.inf, np.inf),
    IsMissing("n"),
    IsMissing(NAME),
]


def python_query(*terms):
    return Slice(terms, 1, 1, 1.0, 0.0, 0.0, (0.0, 0.0), 0.0, 1.0, 1.0, 0.0).to_python()


@given(st.lists(st.sampled_from(TERMS), min_size=1, max_size=3))
def test_selects_what_the_terms_hold_for(terms):
    told = eval(python_query(*terms), {"df": FRAME})
    expected = np.logical_and.reduce([term.holds(COLUMNS) for term in terms])
    np.testing.assert_array_equal(np.asarray(told), expected)


@pytest.mark.parametrize("backend", ["numpy_nullable", "pyarrow", None, "text"])
def test_words_of_a_file_are_found_however_pandas_read_it(tmp_path, backend):
    path = tmp_path / "cases.csv"
    path.write_text("flag,maybe,code,size\n" + "true,True,007,1.50\nfalse,,99,x\ntrue,False,,2\n" * 3)
    how = {"dtype": str} if backend == "text" else {"dtype_backend": backend} if backend else {}
    frame, columns = pd.read_csv(path, **how), read_columns(read_frame(path))
    for terms in (
        [Equals("flag", "true")],
        [NotEquals("flag", "true")],
        [Equals("maybe", "True")],
        [NotEquals("maybe", "True")],
        [OneOf("code", ("007", "99"))],
        [NotEquals("code", "99"), Equals("flag", "true")],
        [OneOf("size", ("1.50", "x"))],
    ):
        told = eval(python_query(*terms), {"df": frame})
        expected = np.logical_and.reduce([term.holds(columns) for term in terms])
        assert 0 < expected.sum() == told.sum()
        np.testing.assert_array_equal(np.asarray(told, dtype=bool), expected)


@pytest.mark.parametrize("value", [np.str_("x"), np.float64(2.0), np.int64(3), np.True_])
def test_numpy_scalars_are_written_plainly(value):
    assert "np." not in python_query(Equals("c", value))
