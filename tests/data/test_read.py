"""Reading files: kinds and missing values as told, never guessed silently."""

import gzip

import numpy as np
import polars as pl
import pytest

from fivefold.data import read
from fivefold.data.files import read_frame
from fivefold.errors import InputError, InputTypeError

TEXT = "size,leaf,code,kind\n 1.5,needle,01,1\n,broad,7,01\n2e1,needle,,NA\n"


@pytest.fixture
def write(tmp_path):
    def writer(name, content):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return writer


def test_a_csv_file_becomes_a_table_with_labels_as_they_stand(write):
    table = read(write("trees.csv", TEXT), target="kind", kinds={"code": "nominal"})
    assert table.name == "trees"
    assert table.X.schema == {
        "size": pl.Float64,
        "leaf": pl.Enum(["broad", "needle"]),
        "code": pl.Enum(["01", "7"]),
    }
    assert table.X.rows() == [(1.5, "needle", "01"), (None, "broad", "7"), (20.0, "needle", None)]
    assert table.y.tolist() == ["1", "01", "NA"]
    assert table.missing_cells == 2


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("t.csv", TEXT),
        ("t.csv.gz", gzip.compress(TEXT.encode(), mtime=0)),
        ("t.tsv", TEXT.replace(",", "\t")),
        ("t.data", TEXT.replace(",", ";")),
        ("t.csv", b"\xef\xbb\xbf" + TEXT.replace("\n", "\r\n").encode()),
    ],
)
def test_the_same_table_from_every_kind_of_text_file(write, name, content):
    expected = read(write("expected.csv", TEXT), target="kind")
    table = read(write(name, content), target="kind")
    assert table.X.equals(expected.X)
    assert table.y.tolist() == expected.y.tolist()


@pytest.mark.parametrize("mark", ["?", "NA", "nan", "inf", "-", "None", "."])
def test_a_mark_among_numbers_must_be_explained(write, mark):
    path = write("t.csv", f"a,c\n1,x\n{mark},y\n")
    with pytest.raises(InputError, match=r"numbers in column 'a'; got .* in line 3 of t.csv.*missing="):
        read(path, target="c")
    assert read(path, target="c", missing=["", mark]).X.rows() == [(1.0,), (None,)]
    assert read(path, target="c", kinds={"a": "nominal"}).X.rows() == [("1",), (mark,)]


def test_codes_are_words_and_said_to_be(write):
    path = write("t.csv", "zip,icd,n,c\n00099,001.1,0.5,x\n99,250.00,0,y\n?,250.0,1e05,x\n")
    notes = []
    frame = read_frame(path, notes=notes)
    assert frame.rows() == [("00099", "001.1", 0.5, "x"), ("99", "250.00", 0, "y"), ("?", "250.0", 1e5, "x")]
    assert notes == [
        "icd is read as words: '001.1' begins with a zero, as codes do (1 of 3 cells).",
    ]
    assert read(path, target="c").X["icd"].to_list() == ["001.1", "250.00", "250.0"]
    assert read(path, target="c", kinds={"icd": "numeric"}).X["icd"].to_list() == [1.1, 250, 250]


def test_one_case_is_said_in_the_singular(write):
    notes = []
    read_frame(write("t.csv", "a,b\n1,2\n?,2\n"), notes=notes)
    assert notes == ["Among the numbers of a, '?' means missing (1 case)."]


def test_a_number_too_large_to_hold_is_refused_where_numbers_are_told(write):
    with pytest.raises(InputError, match="'1e999' in line 2"):
        read(write("t.csv", "a,c\n1e999,x\n2,y\n"), target="c", kinds={"a": "numeric"})


def test_only_what_is_said_to_be_missing_is_missing(write):
    path = write("t.csv", "a,c\nNA,x\n,y\nz,x\n")
    assert read(path, target="c").X["a"].to_list() == ["NA", None, "z"]
    assert read(path, target="c", missing=()).X["a"].to_list() == ["NA", "", "z"]
    assert read(path, target="c", missing=["NA"]).X["a"].to_list() == [None, "", "z"]


def test_the_line_is_counted_through_cells_of_several_lines(write):
    path = write("t.csv", 'a,b,c\n1,"x\ny",p\noops,z,q\n')
    with pytest.raises(InputError, match="'oops' in line 4"):
        read(path, target="c", kinds={"a": "numeric"})


def test_cells_as_text(write):
    path = write("answers.csv", "truth,model\n01,NA\ntrue,\n1.50, x\n")
    assert read_frame(path, as_text=True).rows() == [("01", "NA"), ("true", None), ("1.50", " x")]
    assert read_frame(path, as_text=True, missing=()).rows()[1] == ("true", "")


def test_parquet(tmp_path):
    path = tmp_path / "t.parquet"
    pl.DataFrame({"flag": [True, None], "n": [1, 2], "t": ["a", "b"], "c": [0, 1]}).write_parquet(path)
    table = read(path, target="c", kinds={"n": "nominal"})
    assert table.X.rows() == [(True, "1", "a"), (None, "2", "b")]
    assert table.kinds == {"flag": "nominal", "n": "nominal", "t": "nominal"}
    np.testing.assert_array_equal(table.y, [0, 1])
    assert read_frame(path, as_text=True).rows()[0] == ("true", "1", "a", "0")


def test_an_arff_file_keeps_the_values_it_declares(write):
    text = "@relation r\n@attribute a {p,q,r}\n@attribute c {no,yes}\n@data\nr,no\np,no\n"
    table = read(write("t.arff", text), target="c")
    assert table.X["a"].dtype.categories.to_list() == ["p", "q", "r"]
    assert table.classes == ("no",)


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("t.xls", "a,c\n1,2\n", "t.xls"),
        ("t.csv", "a,b\n1,2\n", "column of t.csv; got 'c'"),
        ("t.csv", "a,c\n1,\n", r"a class in every row of 'c'; got 1 missing, first in rows \[0\]"),
        ("t.csv", "c\nx\n", "at least one attribute"),
        ("t.csv.gz", gzip.compress(b"a,c\n1,2\n" * 100, mtime=0)[:-9], "damaged"),
        ("t.parquet", "no parquet at all", "Parquet"),
        ("t.arff", b"@relation \xff\n", "UTF-8"),
    ],
)
def test_files_that_cannot_be_read(write, name, content, message):
    with pytest.raises((InputError, InputTypeError), match=message):
        read(write(name, content), target="c")


def test_the_class_is_not_an_attribute(write):
    with pytest.raises(InputError, match="the class 'kind' among them"):
        read(write("t.csv", TEXT), target="kind", kinds={"kind": "nominal"})
