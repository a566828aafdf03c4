"""Formats: the same table from every kind of file, packed or not, from one file, several, a pipe or an address."""

import bz2
import contextlib
import csv
import gzip
import io
import json
import lzma
import sys
import threading
import zipfile
from functools import partial

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import fivefold as ff
from fivefold.cli import main
from fivefold.data.files import FileNames, read_frame
from fivefold.errors import DamagedFileError, InputError, MissingFileError

ROWS = [
    {"size": 1.5, "leaf": "needle", "flag": True, "kind": "fir"},
    {"size": None, "leaf": "broad", "flag": False, "kind": "oak"},
    {"size": 20.0, "leaf": "", "flag": None, "kind": "fir"},
]
CSV = b"size,leaf,kind\n1.5,needle,fir\n,broad,oak\n20,,fir\n"


def lines(rows):
    return "".join(json.dumps(row) + "\n" for row in rows).encode()


def zstd(data):
    pa = pytest.importorskip("pyarrow")
    sink = pa.BufferOutputStream()
    with pa.CompressedOutputStream(sink, "zstd") as packer:
        packer.write(data)
    return sink.getvalue().to_pybytes()


def parquet(rows):
    buffer = io.BytesIO()
    pl.DataFrame(rows).write_parquet(buffer)
    return buffer.getvalue()


PACKERS = {"": bytes, ".gz": gzip.compress, ".zst": zstd, ".bz2": bz2.compress, ".xz": lzma.compress}


@pytest.mark.parametrize("packer", PACKERS)
@pytest.mark.parametrize(
    ("ending", "content"),
    [
        (".csv", CSV),
        (".jsonl", lines(ROWS)),
        (".ndjson", lines(ROWS).replace(b"\n", b"\r\n\r\n")),
        (".json", json.dumps(ROWS, indent=1).encode()),
        (".parquet", None),
    ],
)
def test_the_same_table_from_every_format_and_packing(tmp_path, packer, ending, content):
    if content is None:
        content = parquet([{**row, "leaf": row["leaf"] or None} for row in ROWS])
    path = tmp_path / f"trees{ending}{packer}"
    path.write_bytes(PACKERS[packer](content))
    table = ff.data.read(path, target="kind")
    assert table.name == "trees"
    assert table.X["size"].to_list() == [1.5, None, 20.0]
    assert table.X["leaf"].cast(pl.String).to_list() == ["needle", "broad", None]
    assert table.y.tolist() == ["fir", "oak", "fir"]
    if ending != ".csv":
        assert table.X["flag"].to_list() == [True, False, None]


@pytest.mark.parametrize("packer", [".gz", ".zst", ".bz2", ".xz"])
@pytest.mark.parametrize("place", [0.3, 0.6, 0.95])
def test_a_cut_or_changed_archive_is_damaged(tmp_path, packer, place):
    packed = PACKERS[packer](CSV * 50)
    path = tmp_path / f"t.csv{packer}"
    path.write_bytes(packed[: int(place * len(packed))])
    with pytest.raises(InputError, match=r"damaged|t\.csv"):
        read_frame(path)


scalars = st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text(max_size=4)
scalars |= st.floats(allow_nan=False, allow_infinity=False)
names = st.text(st.characters(codec="utf-8", exclude_characters="."), min_size=1, max_size=3).filter(
    str.strip
)
objects = st.dictionaries(
    names, scalars | st.dictionaries(names, scalars, min_size=1, max_size=2), max_size=3
)


def flat(row):
    """Flatten an object in the plainest way."""
    cells = {}
    for name, value in row.items():
        if isinstance(value, dict):
            cells |= {f"{name}.{key}": inner for key, inner in value.items()}
        else:
            cells[name] = value
    return cells


def text_of(value):
    if value is None or isinstance(value, str):
        return value or None
    return json.dumps(value) if isinstance(value, bool) else repr(value)


@given(st.lists(objects, min_size=1, max_size=6))
def test_json_lines_are_what_the_json_module_reads(tmp_path_factory, rows):
    path = tmp_path_factory.mktemp("json") / "t.jsonl"
    path.write_bytes(lines(rows))
    cells = [flat(row) for row in rows]
    if not any(cells):
        with pytest.raises(InputError, match="at least one object"):
            read_frame(path)
        return
    frame = read_frame(path, as_text=True)
    assert set(frame.columns) >= {name for row in cells for name, value in row.items() if value is not None}
    for name in frame.columns:
        assert frame[name].to_list() == [text_of(row.get(name)) for row in cells]


def test_rows_of_later_batches_may_have_other_fields_and_types(tmp_path, monkeypatch):
    monkeypatch.setattr("fivefold.data.formats._ROWS_AT_ONCE", 2)
    rows = [{"a": 1}, {"a": 2}, {"a": "three", "b": {"c": 0.5}}, {"b": {"c": None}}, {"b": {"c": 2}}]
    path = tmp_path / "t.jsonl"
    path.write_bytes(lines(rows))
    frame = read_frame(path)
    assert frame["a"].to_list() == ["1", "2", "three", None, None]
    assert frame["b.c"].to_list() == [None, None, 0.5, None, 2.0]


def test_whole_numbers_of_json_stay_labels_as_they_are_written(tmp_path):
    path = tmp_path / "t.jsonl"
    path.write_bytes(lines([{"y": 0, "a": 1, "x": 2}, {"y": 1, "a": 0, "x": 2.5}]))
    assert ff.data.read(path, target="y").y.tolist() == ["0", "1"]
    frame = read_frame(path, as_text={"y", "a"})
    assert frame.rows() == [("0", "1", 2.0), ("1", "0", 2.5)]
    again = tmp_path / "u.jsonl"
    again.write_bytes(path.read_bytes())
    assert read_frame([path, again], as_text=["a"]).row(3) == (1.0, "0", 2.5)


def test_lists_are_several_answers_and_nan_is_missing(tmp_path):
    path = tmp_path / "t.jsonl"
    path.write_text('{"a": ["cat", "dog"], "p": NaN}\n{"a": [], "p": 1}\n{"a": ["x|y"], "p": 2.5}\n', "utf-8")
    frame = read_frame(path)
    assert frame["a"].to_list() == ["cat|dog", None, '["x|y"]']
    assert frame["p"].to_list() == [None, 1.0, 2.5]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b'{"a": 1}\n[2]\n', r"objects in t.jsonl; got \[2\] in line 2"),
        (b'{"a": 1}\n\n{"a": \n', "JSON in line 3 of t.jsonl"),
        (b'{"a": {"b": 1}, "a.b": 2}\n', "'a.b' twice"),
        (b'{"": 1}\n', "a name for every column"),
        (b'{"a": "\\ud800"}\n', "half a character"),
        (b'{"a": ' + b"9" * 5000 + b"}\n", "JSON in line 1|number"),
        (b"[" * 100_000, "JSON"),
        (b"", "at least one object"),
        (b'{\n "a": 1\n}\n', "JSON in line 1"),
        (
            b'{"a": 1, "c": "x"}\n{"a": "?", "c": "y"}\n',
            "numbers in column 'a'; got '[?]' in line 2 of t.jsonl",
        ),
    ],
)
def test_malformed_json(tmp_path, content, message):
    path = tmp_path / "t.jsonl"
    path.write_bytes(content)
    with pytest.raises(InputError, match=message):
        read_frame(path)


@given(st.binary(max_size=60) | st.text('{}[]",:ab1.\n', max_size=40).map(str.encode))
def test_any_json_bytes_are_read_or_refused(tmp_path_factory, data):
    path = tmp_path_factory.mktemp("noise") / "t.jsonl"
    path.write_bytes(data)
    for as_text in (False, True):
        with contextlib.suppress(InputError):
            read_frame(path, as_text=as_text)


def test_several_files_and_patterns_are_one_table(tmp_path):
    (tmp_path / "b.csv").write_text("y,x\nno,a\n")
    (tmp_path / "a.csv").write_text("x,y\n1,yes\n02,no\n")
    (tmp_path / "c.jsonl").write_text('{"x": 3, "y": "yes"}\n')
    pattern = str(tmp_path / "*.csv")
    both = read_frame(pattern)
    assert both.rows() == [("1", "yes"), ("02", "no"), ("a", "no")]
    assert read_frame([pattern, tmp_path / "c.jsonl"])["x"].to_list() == ["1", "02", "a", "3"]
    assert read_frame([tmp_path / "a.csv", tmp_path / "c.jsonl"])["x"].to_list() == ["1", "02", "3"]
    (tmp_path / "a.csv").write_text("x,y\n1,yes\n2,no\n")
    assert read_frame([tmp_path / "a.csv", tmp_path / "c.jsonl"])["x"].to_list() == [1.0, 2.0, 3.0]
    assert FileNames([pattern]).name == "a.csv and b.csv"
    assert len(ff.data.read(pattern, target="y")) == 3


def test_no_file_counts_twice_however_it_is_named(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.csv").write_text("y,x\nyes,1\n")
    (tmp_path / "b.csv").write_text("y,x\nyes,1\n")
    assert read_frame(["a.csv", "b.csv"]).height == 2
    for names in (["a.csv", "./a.csv"], ["*.csv", "b.csv"], [tmp_path / "a.csv", "a.csv"], ["-", "-"]):
        with pytest.raises(InputError, match="each file once"):
            read_frame(names)


def test_several_parquet_files_keep_their_types(tmp_path):
    pl.DataFrame({"x": [1], "t": ["a"]}).write_parquet(tmp_path / "a.parquet")
    pl.DataFrame({"t": ["b"], "x": [2.5]}).write_parquet(tmp_path / "b.parquet")
    assert read_frame(str(tmp_path / "*.parquet")).rows() == [(1.0, "a"), (2.5, "b")]


def test_files_with_other_columns_are_refused_and_a_row_is_found_in_its_file(tmp_path):
    (tmp_path / "a.csv").write_text("x,y\n1,yes\n")
    (tmp_path / "b.csv").write_text("x,z\n1,yes\n")
    (tmp_path / "c.csv").write_text("x,y\n2,no\n?,no\n")
    with pytest.raises(InputError, match=r"columns of a.csv in b.csv too; got no \['y'\] and also \['z'\]"):
        read_frame([tmp_path / "a.csv", tmp_path / "b.csv"])
    with pytest.raises(InputError, match=r"row 2 of c\.csv"):
        read_frame([tmp_path / "a.csv", tmp_path / "c.csv"])
    with pytest.raises(InputError, match="files that match"):
        read_frame(str(tmp_path / "*.tsv"))


def test_addresses_through_fsspec():
    fsspec = pytest.importorskip("fsspec")
    store = fsspec.filesystem("memory")
    for name in ("one", "two"):
        with store.open(f"/ff-runs/{name}.csv.gz", "wb") as file:
            file.write(gzip.compress(CSV))
    assert read_frame("memory://ff-runs/one.csv.gz").height == 3
    assert read_frame("memory://ff-runs/*.csv.gz").height == 6
    with pytest.raises(InputError, match=r"a file at 'memory://ff-runs/none.csv'"):
        read_frame("memory://ff-runs/none.csv")
    with pytest.raises(InputError, match=r"nosuch|Protocol"):
        read_frame("nosuch://x/y.csv")


def test_an_address_whose_package_is_absent_names_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "fsspec", None)
    with pytest.raises(InputError, match="pip install fsspec s3fs"):
        read_frame("s3://bucket/x.csv")


class Pipe:
    def __init__(self, data):
        self.buffer = io.BytesIO(data)

    def isatty(self):
        return False


@pytest.mark.parametrize(
    "content",
    [CSV, gzip.compress(CSV), lines(ROWS), b"@relation r\n@attribute kind {fir,oak}\n@data\nfir\noak\nfir\n"],
    ids=["csv", "gzip", "lines", "arff"],  # what gzip writes holds the time: no name for a test
)
def test_standard_input_says_itself_what_it_is(monkeypatch, content):
    monkeypatch.setattr(sys, "stdin", Pipe(content))
    assert read_frame("-", as_text=True)["kind"].to_list() == ["fir", "oak", "fir"]


def test_parquet_from_standard_input(monkeypatch):
    monkeypatch.setattr(sys, "stdin", Pipe(parquet(ROWS)))
    assert read_frame("-")["size"].to_list() == [1.5, None, 20.0]


SHEETS = (("one", "fir"), ("two", "oak"))


def write_book(path, sheets):
    """Write the least workbook that there is."""
    office = "http://schemas.openxmlformats.org"
    main, related = f"{office}/spreadsheetml/2006/main", f"{office}/officeDocument/2006/relationships"

    def cell(value):
        if isinstance(value, str):
            return f'<c t="inlineStr"><is><t>{value}</t></is></c>'
        return f"<c><v>{value}</v></c>"

    names = "".join(f'<sheet name="{n}" sheetId="{i}" r:id="r{i}"/>' for i, n in enumerate(sheets, 1))
    links = "".join(
        f'<Relationship Id="r{i}" Type="{related}/worksheet" Target="worksheets/s{i}.xml"/>'
        for i, _ in enumerate(sheets, 1)
    )
    package = f"{office}/package/2006/relationships"
    with zipfile.ZipFile(path, "w") as book:
        book.writestr(
            "_rels/.rels",
            f'<Relationships xmlns="{package}"><Relationship Id="r0" Type="{related}/officeDocument" '
            'Target="xl/workbook.xml"/></Relationships>',
        )
        book.writestr(
            "xl/_rels/workbook.xml.rels", f'<Relationships xmlns="{package}">{links}</Relationships>'
        )
        book.writestr(
            "xl/workbook.xml",
            f'<workbook xmlns="{main}" xmlns:r="{related}"><sheets>{names}</sheets></workbook>',
        )
        for i, rows in enumerate(sheets.values(), 1):
            text = "".join(f"<row>{''.join(map(cell, row))}</row>" for row in rows)
            book.writestr(
                f"xl/worksheets/s{i}.xml",
                f'<worksheet xmlns="{main}"><sheetData>{text}</sheetData></worksheet>',
            )


def test_a_workbook(tmp_path):
    pytest.importorskip("fastexcel")
    path = tmp_path / "book.xlsx"
    write_book(path, {name: [["size", "kind"], [1.5, "fir"], [2, last]] for name, last in SHEETS})
    with pytest.raises(InputError, match=r"'book.xlsx#one' or 'book.xlsx#two'"):
        read_frame(path)
    assert read_frame(f"{path}#two").rows() == [(1.5, "fir"), (2.0, "oak")]
    assert read_frame(f"{path}#two", as_text=True)["kind"].to_list() == ["fir", "oak"]
    write_book(path, {"only": [["size", "size"], [1, 2]]})
    with pytest.raises(InputError, match="'size' 2 times"):
        read_frame(path)
    path.write_bytes(b"PK\x03\x04" + bytes(50))
    with pytest.raises(DamagedFileError, match=r"workbook at book\.xlsx"):
        read_frame(path)


def test_a_workbook_without_its_reader_names_the_package(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "fastexcel", None)
    (tmp_path / "book.xlsx").write_bytes(b"PK\x03\x04")
    with pytest.raises(InputError, match="pip install fastexcel"):
        read_frame(tmp_path / "book.xlsx")


@pytest.mark.parametrize("name", ["VO", "vo", "votes", "Vote"])
def test_a_known_data_set_goes_where_a_file_goes(name):
    table = ff.data.read(name)
    assert table.X.equals(ff.data.load("VO").X)
    assert table.target == "class"
    assert read_frame(name, as_text=True).columns[-1] == "class"


def test_a_known_data_set_with_another_class():
    table = ff.data.read("mushroom", target="odor", kinds={"class": "nominal"})
    assert (table.target, table.X.columns[-1]) == ("odor", "class")


def test_a_file_of_the_name_of_a_data_set_goes_first(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "iris").write_text("a,b\n1,2\n")
    assert read_frame("iris", format="csv").rows() == [(1.0, 2.0)]


@pytest.mark.parametrize(
    ("name", "near"), [("irsi", "iris"), ("mushrom", "mushroom"), ("dats.csv", "data.csv")]
)
def test_a_misspelt_name_is_answered_with_those_like_it(tmp_path, monkeypatch, name, near):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "data.csv").write_text("a,b\n1,2\n")
    with pytest.raises(MissingFileError, match=rf"did you mean .*{near}"):
        read_frame(name)


@pytest.mark.parametrize(
    ("name", "hint"), [("titanic", "`fivefold data list`"), ("no/x.csv", "is empty, or not there")]
)
def test_a_name_like_no_other_is_answered_with_where_to_look(tmp_path, monkeypatch, name, hint):
    # "there are 'bc', 'breast-cancer', 'breast', 'ch', … and 46 more", and "there are none"
    monkeypatch.chdir(tmp_path)
    with pytest.raises(MissingFileError, match=hint):
        read_frame(name)


def test_blank_lines_before_the_header_hold_nothing(tmp_path):
    path = tmp_path / "t.csv"
    for blank in ("\n", "\r\n\r\n", "  \n\n"):
        for row in ("1,2", '"1",2'):
            path.write_bytes(f"{blank}a,b\n{row}\n".encode())
            assert read_frame(path).rows() == [(1.0, 2.0)]
    path.write_text("\n\na,b\n1,2\nx\n")
    with pytest.raises(InputError, match="1 in line 5"):
        read_frame(path)


def test_the_csv_module_keeps_its_limit_and_threads_do_not_disturb_each_other(tmp_path):
    path = tmp_path / "long.csv"
    path.write_text(f'a,b\n"{"x" * 300_000}",1\n')
    usual, problems = csv.field_size_limit(), []

    def work():
        for _ in range(15):
            try:
                read_frame(path)
            except InputError as problem:
                problems.append(problem)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not problems
    assert csv.field_size_limit() == usual


def test_work_grows_with_the_columns_and_not_with_their_square(tmp_path, count_calls):
    """Each call of a whole frame goes through all of its columns, so there are no more calls for more columns."""
    work = []
    for n in (100, 1_000, 4_000):  # the first loads what is loaded once
        path, names = tmp_path / f"{n}.csv", [f"c{number}" for number in range(n)]
        path.write_text(",".join(names) + "\n" + ",".join("1" * n) + "\n")
        read = partial(read_frame, path, kinds=dict.fromkeys(names[:2], "nominal"))
        assert read().row(0)[:3] == ("1", "1", 1.0)
        frames = count_calls(read, of="PyDataFrame") + count_calls(read, of="PyLazyFrame")
        work.append((frames, count_calls(read)))
    assert work[2][0] == work[1][0] > 0
    assert work[2][1] < 5 * work[1][1]


def test_a_parquet_file_that_kills_its_reader_is_an_error(tmp_path, monkeypatch):
    path = tmp_path / "t.parquet"
    path.write_bytes(parquet(ROWS))
    monkeypatch.setattr("fivefold.data.formats._TRIAL", "import os; os.abort()")
    with pytest.raises(DamagedFileError, match="dies of"):
        read_frame(path)


def test_a_damaged_file_ends_the_command_with_two(tmp_path, monkeypatch, capsys):
    path = tmp_path / "t.parquet"
    whole = parquet(ROWS)
    path.write_bytes(whole[: len(whole) // 2])
    monkeypatch.setattr(sys, "argv", ["fivefold", "report", str(path), "-t", "kind", "-p", "leaf"])
    with pytest.raises(SystemExit) as ended:
        main.run()
    assert ended.value.code == 2
    told = capsys.readouterr().err
    assert told.startswith("fivefold: expected a Parquet file")
    assert "Traceback" not in told


def test_what_does_not_fit_into_memory_is_refused_before_it_is_read(tmp_path, monkeypatch):
    monkeypatch.setattr("fivefold.data.formats.free_memory", lambda: 100)
    path = tmp_path / "t.csv"
    path.write_bytes(CSV * 10)
    with pytest.raises(InputError, match="fit into the memory"):
        read_frame(path)
    monkeypatch.setattr("fivefold.data.locations.free_memory", lambda: 100)
    path.write_bytes(gzip.compress(CSV * 10))
    with pytest.raises(InputError, match="fit into the memory"):
        read_frame(path)
