"""Whatever stands in a file, the reader gives a table or says in which line and what is wrong."""

import gzip
import io

import polars as pl
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import fivefold as ff
from fivefold.data.files import read_frame
from fivefold.errors import InputError

from .law import obey
from .odd_files import ARFF, CSV, arff_files, csv_files, damaged_gzip, noise

HEAD = "y,a\ncat,1\n"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("odd")


def read_all(path, data):
    """Read a file in every way that there is; the file itself must stay."""
    path.write_bytes(data)
    table = obey(ff.data.read, path, target="y")
    frame = obey(read_frame, path, as_text=True)
    obey(ff.data.read, path, target="y", missing=("", "?", "NaN"), kinds={"a": "nominal"})
    assert path.read_bytes() == data
    if table is not None:
        assert frame is not None
        assert len(table) == frame.height
        assert len(table.y) == len(table)


@given(csv_files)
@example(CSV.replace("\n", "\r\n").encode())
@example(b"\xef\xbb\xbf" + CSV.encode())
@example(b"y,a\n\n\n")
@example(b"y\n\n")
@example(b'y,a\n"cat,1\n')
@example(b"y,a\ncat,1\r\ndog,2\n")
@example(b"y,y\ncat,1\n")
@example(b"y,a\ncat," + b"9" * 200_000 + b"\n")
@example(b'y,a\ncat,"' + b"9" * 200_000 + b'"\n')
@example(b"y,a\ncat,1e999\n")
@example(b"y,a\ncat,\x00\n")
def test_csv(folder, data):
    read_all(folder / "odd.csv", data)


@given(arff_files)
@example(ARFF.replace("\n", "\r\n").encode())
@example(b"\xef\xbb\xbf" + ARFF.encode())
def test_arff(folder, data):
    read_all(folder / "odd.arff", data)


@given(noise)
def test_noise_of_any_name(folder, data):
    for name in ("odd.csv", "odd.tsv", "odd.arff", "odd.parquet", "odd.csv.gz", "odd.arff.gz", "odd"):
        read_all(folder / name, data)


@given(damaged_gzip(CSV.encode()))
def test_damaged_gzip(folder, data):
    read_all(folder / "odd.csv.gz", data)


@settings(max_examples=6)  # each is read in processes of its own
@given(st.data())
def test_damaged_parquet(folder, data):
    buffer = io.BytesIO()
    pl.DataFrame({"y": ["cat", "dog"], "a": [1.5, None]}).write_parquet(buffer)
    content = bytearray(buffer.getvalue())
    place = data.draw(st.integers(0, len(content) - 1))
    if data.draw(st.booleans()):
        content = content[:place]
    else:
        content[place] ^= data.draw(st.integers(1, 255))
    read_all(folder / "odd.parquet", bytes(content))


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
@pytest.mark.parametrize("pack", [bytes, gzip.compress])
@pytest.mark.parametrize(("name", "text"), [("pets.csv", CSV), ("pets.arff", ARFF)])
def test_another_systems_file_is_the_same_table(tmp_path, end, mark, pack, name, text):
    """A file from Windows, with a mark at its start or packed, holds what the plain one holds."""
    plain, other = tmp_path / name, tmp_path / f"other-{name}"
    plain.write_bytes(text.encode())
    other.write_bytes(pack(mark + text.replace("\n", end).encode()))
    expected, got = ff.data.read(plain, target="y"), ff.data.read(other, target="y")
    assert got.X.equals(expected.X)
    assert got.X.columns == expected.X.columns
    assert got.y.tolist() == expected.y.tolist()


@pytest.mark.parametrize("quote", ["", '"'])
def test_a_long_cell_is_kept_whole(tmp_path, quote):
    path = tmp_path / "long.csv"
    path.write_text(f"y,a\ncat,{quote}{'é' * 300_000}{quote}\ndog,b\n", encoding="utf-8")
    assert ff.data.read(path, target="y").X["a"].cast(str)[0] == "é" * 300_000


def test_a_folder_named_like_a_file_is_refused(tmp_path):
    (tmp_path / "x.csv").mkdir()
    with pytest.raises(InputError, match="the folder"):
        ff.data.read(tmp_path / "x.csv", target="y")
