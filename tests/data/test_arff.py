"""ARFF: dense and sparse, quoted and not, checked against its own header."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fivefold.data.files import read_frame
from fivefold.data.formats import read_arff_text
from fivefold.errors import InputError

HEADER = """% a comment
@RELATION 'some data'

@attribute 'the size' Real
@attribute colour {'dark red', "it's", green}
@attribute note string
@attribute class {yes,no}
@DATA
"""

words = st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Zl", "Zp"]), min_size=1, max_size=5)


def quoted(text):
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


@st.composite
def relations(draw):
    names = draw(st.lists(words, min_size=2, max_size=2, unique=True))
    values = draw(st.lists(words, min_size=1, max_size=4, unique=True))
    number = st.floats(allow_nan=False, allow_infinity=False).map(repr)
    rows = draw(
        st.lists(st.tuples(st.none() | number, st.none() | st.sampled_from(values)), min_size=1, max_size=6)
    )
    return names, values, rows


def header_of(names, values):
    return (
        f"@relation r\n@attribute {quoted(names[0])} numeric\n"
        f"@attribute {quoted(names[1])} {{{','.join(map(quoted, values))}}}\n@data\n"
    )


@given(relations())
def test_what_was_written_is_read(relation):
    names, values, rows = relation
    lines = [f"{'?' if n is None else n},{'?' if v is None else quoted(v)}" for n, v in rows]
    attributes, rows_read = read_arff_text(header_of(names, values) + "\n".join(lines), "f.arff")
    assert [a.name for a in attributes] == names
    assert attributes[1].values == tuple(values)
    assert [tuple(row) for row in rows_read] == rows


@given(relations())
def test_a_sparse_row_leaves_out_zeros_and_first_values(relation):
    names, values, rows = relation
    lines = []
    for number, value in rows:
        parts = []
        if number is None or float(number) != 0:
            parts.append(f"0 {'?' if number is None else number}")
        if value != values[0]:
            parts.append(f"1 {'?' if value is None else quoted(value)}")
        lines.append("{" + ", ".join(parts) + "}")
    _, rows_read = read_arff_text(header_of(names, values) + "\n".join(lines), "f.arff")
    for row, (number, value) in zip(rows_read, rows, strict=True):
        assert (row[0] is None) == (number is None)
        assert number is None or float(row[0]) == float(number)
        assert row[1] == value


def test_a_hand_written_file(tmp_path):
    path = tmp_path / "f.arff"
    path.write_text(HEADER + "1.5, 'dark red', 'a, b', yes\n% remark\n?,\"it's\",'?',no\n{0 -3e2, 2 x}\n")
    frame = read_frame(path)
    assert frame.columns == ["the size", "colour", "note", "class"]
    assert frame.rows() == [
        (1.5, "dark red", "a, b", "yes"),
        (None, "it's", "?", "no"),
        (-300.0, "dark red", "x", "yes"),
    ]
    assert frame["colour"].dtype.categories.to_list() == ["dark red", "green", "it's"]
    assert read_frame(path, as_text=True)["the size"].to_list() == ["1.5", None, "-3e2"]


def test_blanks_may_stand_between_cells(tmp_path):
    path = tmp_path / "f.arff"
    path.write_text(
        "@relation r\r\n@attribute a INTEGER\r\n@attribute b {x,'y z'}\r\n@data\r\n1 x\r\n2\t'y z'\r\n"
    )
    assert read_frame(path).rows() == [(1.0, "x"), (2.0, "y z")]


def test_escapes():
    text = "@relation r\n@attribute a string\n@data\n'tab\\tquote\\'back\\\\\\u00e9'\n"
    assert read_arff_text(text, "f.arff")[1] == [["tab\tquote'back\\é"]]


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ("abc,green,x,yes", r"a number for 'the size'; got 'abc' in line 9"),
        ("nan,green,x,yes", "a number"),
        ("1_0,green,x,yes", "a number"),
        ("1,blue,x,yes", "one of .* for 'colour'; got 'blue' in line 9"),
        ("1,,x,yes", "'colour'; got ''"),
        ("1,green,x", "4 cells; got 3 in line 9"),
        ("1,green,x,yes,{5}", "4 cells; got 5"),
        ("1,green,'x,yes", "quotes that close"),
        ("{0 1, 9 x}", "'9 x' in line 9"),
        ("{0 1, 0 2, 2 x}", "'0 2' in line 9"),
        ("{0 1}", "string attribute 'note'"),
        ("{0 1, 2 x", "ends in }"),
        ("", "at least one row"),
    ],
)
def test_rows_that_do_not_follow_the_header(rows, message):
    with pytest.raises(InputError, match=message):
        read_arff_text(HEADER + rows, "f.arff")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("@relation r\n@attribute d date 'yyyy'\n@data\n1", "\"date 'yyyy'\" in line 2.*dates"),
        ("@relation r\n@attribute a numeric\n@attribute a numeric\n@data\n1,2", "'a' again in line 3"),
        ("@relation r\n@attribute a {x,x}\n@data\nx", "different values"),
        ("@relation r\n@attribute a numeric\n1\n", "'1' in line 3"),
        ("@relation r\n@data\n", "@attribute"),
        ("a,b\n1,2\n", "'a,b' in line 1"),
        ("", "no such line"),
    ],
)
def test_headers_that_cannot_be(text, message):
    with pytest.raises(InputError, match=message):
        read_arff_text(text, "f.arff")


def test_scipys_parser_agrees(tmp_path):
    from scipy.io import arff

    path = tmp_path / "f.arff"
    path.write_text("@relation r\n@attribute a real\n@attribute b {x,y}\n@data\n1.25,x\n?,y\n-4e-3,x\n")
    theirs, _ = arff.loadarff(path)
    ours = read_frame(path)
    np.testing.assert_array_equal(ours["a"].to_numpy(), theirs["a"])
    assert ours["b"].to_list() == [b.decode() for b in theirs["b"]]
