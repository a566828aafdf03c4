"""CSV: no cell is ever lost, and every malformed line is named."""

import csv
import io

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from fivefold.data.csv_text import read_csv_text
from fivefold.errors import InputError

cells = st.text(st.characters(codec="utf-8", exclude_characters="\0\r"), max_size=5)
plain = st.text("abc 1.5?é-", max_size=4)


@st.composite
def sheets(draw, cell=cells):
    width = draw(st.integers(1, 4))
    header = draw(
        st.lists(cell.filter(str.strip), min_size=width, max_size=width, unique=True).filter(
            lambda names: not names[0].startswith("\ufeff")
        )
    )
    rows = draw(st.lists(st.lists(cell, min_size=width, max_size=width), min_size=1, max_size=6))
    return header, rows


def written(header, rows, separator=",", newline="\n", quoting=csv.QUOTE_MINIMAL):
    out = io.StringIO()
    csv.writer(out, delimiter=separator, lineterminator=newline, quoting=quoting).writerows([header, *rows])
    return out.getvalue().encode()


@given(
    sheets(),
    st.sampled_from([",", ";", "\t", "|"]),
    st.sampled_from(["\n", "\r\n"]),
    st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]),
    st.booleans(),
)
def test_what_was_written_is_read(sheet, separator, newline, quoting, with_bom):
    header, rows = sheet
    data = written(header, rows, separator, newline, quoting)
    frame, _ = read_csv_text(b"\xef\xbb\xbf" * with_bom + data, "f.csv", separator)
    assert frame.columns == header
    assert [list(row) for row in frame.rows()] == rows


@given(sheets(plain), st.sampled_from([",", ";", "\t", "|"]))
def test_the_separator_is_found(sheet, separator):
    header, rows = sheet
    frame, found = read_csv_text(written(header, rows, separator), "f.csv")
    assert found == separator or len(header) == 1
    assert [list(row) for row in frame.rows()] == rows


@given(sheets(plain), st.data())
def test_a_line_with_a_cell_too_many_or_too_few_is_named(sheet, data):
    header, rows = sheet
    assume(len(header) > 1)
    place = data.draw(st.integers(0, len(rows) - 1))
    if data.draw(st.booleans()):
        rows[place] = [*rows[place], "extra"]
    else:
        rows[place] = [*rows[place][:-2], "short"]
    with pytest.raises(InputError, match=rf"{len(rows[place])} in line {place + 2}:"):
        read_csv_text(written(header, rows), "f.csv", ",")


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "empty file: f.csv"),
        (b"\n \n", "empty file"),
        (b"a,b\n", "at least one row below the header"),
        (b"a,a\n1,2\n", "'a' 2 times"),
        (b"a,,c\n1,2,3\n", "none for column 2"),
        (b"a,b\n1,2\n\n3,4\n", "0 in line 3"),
        (b'a,b\n"1,2",3\n4\n', "1 in line 3: '4'"),
        (b'a,b\n"x\ny",1\nz\n', "1 in line 4"),
        (b'a,b\n1,"2\n', "line 2"),
        (b'a,b\n1,"x"y\n', "line 2"),
        (b"a,b\n1,\xff\n", "byte 0xff in line 2"),
        (b"a,b\r1,2\r", "lines that end in CR"),
    ],
)
def test_malformed_files(data, message):
    with pytest.raises(InputError, match=message):
        read_csv_text(data, "f.csv")


@pytest.mark.parametrize("separator", ["", ",,", '"', "\n", "·"])
def test_separators_that_cannot_be(separator):
    with pytest.raises(InputError, match="separator of one ASCII character"):
        read_csv_text(b"a,b\n1,2\n", "f.csv", separator)


def test_blank_lines_at_the_end_are_no_rows_but_a_single_column_may_have_empty_cells():
    assert read_csv_text(b"a,b\n1,2\n\n\n", "f.csv")[0].rows() == [("1", "2")]
    assert read_csv_text(b"a\n1\n\n3\n", "f.csv")[0].rows() == [("1",), ("",), ("3",)]
