"""Files that are read piece by piece must come out as if they were read at once."""

import json

import narwhals as nw
import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fivefold as ff
from fivefold.data import batches, files, formats
from fivefold.data.locations import locate
from fivefold.errors import InputError
from fivefold.inputs import few_numbers

LABELS = {"y", "a"}


def read_both(path, monkeypatch, piece, rows=3):
    """Read a file at once and in tiny pieces; text columns of both as text. Few numbers are read back the same."""
    frames, notes = [], []
    for size in (1 << 30, piece):
        monkeypatch.setattr(batches, "PIECE", size)
        monkeypatch.setattr(batches, "ROWS", rows)
        notes.append([])
        frames.append(files.read_frame(path, as_text=LABELS, notes=notes[-1]))
    whole, pieced = frames
    assert notes[0] == notes[1]
    assert whole.columns == pieced.columns
    for most in (1 << 16, 2):
        monkeypatch.setattr(few_numbers, "MOST_NUMBERS", most)
        said = []
        read = files.read_frame(path, as_text=LABELS, notes=said, few_numbers=True)
        compact = nw.from_native(read, pass_through=True)
        assert said == notes[0]
        for name in whole.columns:
            assert compact[name].cast(nw.String).to_list() == pieced[name].cast(pl.String).to_list()
    return whole, pieced


def assert_same(whole, pieced):
    texts = [name for name, dtype in pieced.schema.items() if isinstance(dtype, pl.Enum)]
    plain = pieced.with_columns(pl.col(texts).cast(pl.String))
    assert plain.schema == whole.schema
    assert plain.equals(whole)


cells = st.sampled_from(
    [
        "",
        "1",
        "01",
        " 007",
        "0.5",
        " 2",
        "3 ",
        "-0.5",
        "1e3",
        "inf",
        "NaN",
        "?",
        "red",
        "dark blue",
        "2024-03-01",
        "ä",
        "x;y",
    ]
)


@given(
    st.lists(st.tuples(*[cells] * 4), min_size=1, max_size=12),
    st.integers(1, 80),
    st.sampled_from(["\n", "\r\n"]),
    st.integers(0, 3),
)
def test_any_csv_is_the_same_in_pieces(tmp_path_factory, rows, piece, end, blank):
    path = tmp_path_factory.mktemp("csv") / "cases.csv"
    lines = ["y,a,u,v", *(",".join(row) for row in rows)]
    path.write_bytes((end.join(lines) + end * blank).encode())
    with pytest.MonkeyPatch.context() as patch:
        try:
            files.read_frame(path, as_text=LABELS, notes=[])
        except InputError:
            return
        whole, pieced = read_both(path, patch, piece)
    assert_same(whole, pieced)


@pytest.mark.parametrize("piece", [1, 7, 16, 40, 1000])
def test_quoted_cells_may_hold_line_breaks_and_separators(tmp_path, monkeypatch, piece):
    path = tmp_path / "cases.csv"
    path.write_text(
        'y,a,note,n\ncat,dog,"one, two\nthree",1\ndog,dog,"a ""b""",2\n' + "cat,cat,plain,3\n" * 9
    )
    assert_same(*read_both(path, monkeypatch, piece))


@pytest.mark.parametrize("piece", [5, 30])
def test_numbers_that_stop_being_numbers_are_read_again_as_text(tmp_path, monkeypatch, piece):
    path = tmp_path / "cases.csv"
    path.write_text("y,a,size\n" + "cat,dog,1.50\n" * 30 + "dog,dog,large\n")
    whole, pieced = read_both(path, monkeypatch, piece)
    assert_same(whole, pieced)
    assert pieced["size"][0] == "1.50"


@pytest.mark.parametrize("piece", [5, 30, 1000])
@pytest.mark.parametrize("code", ["007", " 007", '"007"', "001.1", "00"])
def test_a_code_keeps_its_zeros_whatever_piece_it_is_in(tmp_path, monkeypatch, piece, code):
    path = tmp_path / "cases.csv"
    rows = ["cat,dog,99,0.5,0"] * 30
    for place in (0, 17, 30):
        told = [*rows[:place], f"dog,dog,{code},-0.5,0", *rows[place:]]
        path.write_text("\n".join(["y,a,zip,share,zero", *told]) + "\n")
        whole, pieced = read_both(path, monkeypatch, piece)
        assert_same(whole, pieced)
        assert whole["zip"].unique().sort().to_list() == sorted(["99", code.strip('"')])
        assert whole.dtypes[3:] == [pl.Float64, pl.Float64]


def test_more_texts_than_a_byte_numbers_stay_texts(tmp_path, monkeypatch):
    path = tmp_path / "cases.csv"
    path.write_text("y,a,who\n" + "".join(f"cat,dog,user{i // 2}\n" for i in range(900)))
    whole, pieced = read_both(path, monkeypatch, 500)
    assert_same(whole, pieced)
    assert pieced["who"].dtype == pl.String
    assert isinstance(pieced["y"].dtype, pl.Enum)


@pytest.mark.parametrize("bad", ["cat,dog", "cat,dog,1,2", 'cat,"dog,1', "cat,d\xff,1"])
def test_a_malformed_line_is_named_as_ever(tmp_path, monkeypatch, bad):
    path = tmp_path / "cases.csv"
    path.write_bytes(b"y,a,n\n" + b"cat,dog,1\n" * 20 + bad.encode("latin-1") + b"\n" + b"cat,dog,1\n" * 5)
    messages = []
    for size in (1 << 30, 25):
        monkeypatch.setattr(batches, "PIECE", size)
        with pytest.raises(InputError) as caught:
            files.read_frame(path, as_text=LABELS, notes=[])
        messages.append(str(caught.value))
    assert messages[0] == messages[1]


def test_what_will_not_fit_is_refused_with_a_hint(tmp_path, monkeypatch):
    path = tmp_path / "cases.csv"
    path.write_text("y,a,n\n" + "cat,dog,1\n" * 200)
    monkeypatch.setattr(batches, "PIECE", 100)
    monkeypatch.setattr(batches, "free_memory", lambda: 1000.0)
    monkeypatch.setattr("fivefold.data.formats.free_memory", lambda: 1000.0)
    with pytest.raises(InputError, match="fit into the memory"):
        files.read_frame(path, as_text=LABELS, notes=[])


def test_parquet_is_the_same_in_pieces(tmp_path, monkeypatch):
    path = tmp_path / "cases.parquet"
    frame = pl.DataFrame(
        {
            "y": [1, 2, None] * 10,
            "a": ["1", "2", "2"] * 10,
            "small": pl.Series([1, 2, 3] * 10, dtype=pl.UInt8),
            "text": ["p", None, "q"] * 10,
            "none": pl.Series([None] * 30, dtype=pl.String),
            "flag": [True, False, None] * 10,
            "real": [0.5, None, 2.0] * 10,
        }
    )
    frame.write_parquet(path, row_group_size=4)
    assert_same(*read_both(path, monkeypatch, 10, rows=7))


def test_an_evaluation_of_pieces_is_the_same_to_the_last_bit(tmp_path, monkeypatch):
    rng = np.random.default_rng(0)
    n, label = 400, np.array(["cat", "dog", "eel"])
    truth = rng.integers(3, size=n)
    wrong = rng.random(n) < 0.3
    table = {"y": label[truth], "a": label[np.where(wrong, rng.integers(3, size=n), truth)]}
    stated = rng.dirichlet(np.ones(3), size=n)
    table |= {f"p_{name}": stated[:, place] for place, name in enumerate(label)}
    table |= {
        "size": rng.normal(size=n).round(2),
        "colour": np.array(["red", "blue"])[rng.integers(2, size=n)],
    }
    path = tmp_path / "cases.csv"
    pl.DataFrame(table).write_csv(path)
    told = []
    whole, _ = read_both(path, monkeypatch, 300)
    for most in (1 << 16, 64, 2):  # one byte, two bytes or eight a number
        monkeypatch.setattr(few_numbers, "MOST_NUMBERS", most)
        frame = whole if most == 64 else files.read_frame(path, as_text=LABELS, notes=[], few_numbers=True)
        evaluation = ff.evaluate_predictions(frame, target="y", predictions=["a"], probabilities={"a": "p_"})
        told.append(evaluation.to_json())
    assert told[0] == told[1] == told[2]


@settings(deadline=None, max_examples=3)
@given(st.integers(120, 400), st.integers(1, 97), st.sampled_from(["csv", "parquet"]), st.integers(0, 9))
def test_two_models_of_any_pieces_are_judged_the_same_to_the_last_bit(
    tmp_path_factory, piece, rows, ending, seed
):
    rng, n = np.random.default_rng(seed), 240
    chance = rng.random(n)
    table = {
        "y": np.array(["cat", "dog"])[(rng.random(n) < chance).astype(int)],
        "age": rng.integers(9, 300, n),
    }
    for name in "ab":
        stated = np.clip(chance + rng.normal(0, 0.2, n), 0.01, 0.99).round(3)
        table |= {name: np.array(["cat", "dog", ""])[np.where(rng.random(n) < 0.05, 2, stated > 0.5)]}
        table |= {f"{name}:cat": 1 - stated, f"{name}:dog": stated}
    colours = np.array(["red", "blue", None])[rng.integers(3, size=n)].tolist()
    table |= {"size": rng.normal(size=n), "colour": colours}
    path = tmp_path_factory.mktemp("pieces") / f"cases.{ending}"
    frame = pl.DataFrame(table)
    frame.write_csv(path) if ending == "csv" else frame.write_parquet(path)
    told = []
    for sizes in ((1 << 30, 1 << 30), (piece, rows)):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(batches, "PIECE", sizes[0])
            patch.setattr(batches, "ROWS", sizes[1])
            read = files.read_frame(path, as_text={"y", "a", "b"}, notes=[], few_numbers=True)
        assert isinstance(read, few_numbers.CompactFrame) == (sizes[0] < 1 << 30)
        evaluation = ff.evaluate_predictions(
            read, target="y", predictions=["a", "b"], probabilities={"a": "a:", "b": "b:"}
        )
        told.append(evaluation.to_json())
    assert told[0] == told[1]


def test_several_large_files_are_one_table(tmp_path, monkeypatch):
    for place, colours in enumerate((["red", "blue"], ["green", "red"])):
        table = pl.DataFrame({"y": ["cat", "dog"], "a": ["cat", "cat"], "colour": colours, "n": [1.5, 2]})
        table.write_csv(tmp_path / f"{place}.csv")
        table.write_parquet(tmp_path / f"{place}.parquet")
    for ending in ("csv", "parquet"):
        assert_same(*read_both(str(tmp_path / f"*.{ending}"), monkeypatch, 10))


values = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-5, 5),
    st.sampled_from([0.5, 1.25e10, "", "red", "?", "1", ["a", "b"]]),
)


@given(
    st.lists(
        st.dictionaries(st.sampled_from(["y", "a", "b.c", "d"]), values, min_size=1), min_size=1, max_size=12
    ),
    st.integers(1, 4),
    st.booleans(),
)
def test_lines_of_json_are_read_one_by_one_as_an_array_is_at_once(tmp_path_factory, rows, at_once, mark):
    folder = tmp_path_factory.mktemp("json")
    lines = "\n\n".join(json.dumps(row) for row in rows)
    (folder / "cases.jsonl").write_text(("\ufeff" if mark else "") + lines, encoding="utf-8")
    (folder / "cases.json").write_text(json.dumps(rows), encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        read = []
        for name, size in (("cases.json", 20_000), ("cases.jsonl", at_once)):
            patch.setattr(formats, "_ROWS_AT_ONCE", size)
            read.append(files.read_frame(folder / name, as_text=LABELS, notes=[]))
    assert read[0].schema == read[1].schema
    assert read[0].equals(read[1])


def test_a_bad_line_of_json_is_named_without_reading_the_file_at_once(tmp_path, monkeypatch):
    path = tmp_path / "cases.jsonl"
    path.write_text('{"y": 1}\n\n{"y": \n', encoding="utf-8")
    monkeypatch.setattr(
        type(locate(path)[0]), "data", property(lambda self: pytest.fail("all of it was read"))
    )
    with pytest.raises(InputError, match=r"line 3 of cases\.jsonl"):
        files.read_frame(path)


@pytest.mark.parametrize("kind", ["texts", "numbers", "whole"])
@pytest.mark.parametrize("odd", [None, "missing", "many"])
def test_columns_of_known_length_are_those_of_any_length(kind, odd):
    rng = np.random.default_rng(0)
    made = {
        "texts": lambda n: pl.Series(rng.choice(["red", "green", "blue"], n)),
        "numbers": lambda n: pl.Series(rng.integers(0, 300, n) / 8),
        "whole": lambda n: pl.Series(rng.integers(0, 200, n)),
    }[kind]
    pieces = [made(n) for n in (40, 0, 1, 70)]
    if odd == "missing":
        pieces[2] = pl.Series([None], dtype=pieces[0].dtype)
    if odd == "many":
        many = pl.Series(np.arange(70_000.0))
        pieces[3] = many.cast(pl.String) if kind == "texts" else many.cast(pieces[0].dtype)
    there, here = (batches.Compact(True, n_rows) for n_rows in (sum(map(len, pieces)), 0))
    for column in (there, here):
        for piece in pieces:
            column.add(piece)
    assert (there.filled > 0) == (odd != "many" and (odd, kind) != ("missing", "texts"))
    assert not here.filled
    told = [column.finish("x") for column in (there, here)]
    assert told[0].dtype == told[1].dtype
    assert told[0].equals(told[1], null_equal=True)
    assert (there.levels is None) == (here.levels is None)


@pytest.mark.parametrize(
    ("odd", "every", "said"),
    [
        ("0,5", 1, "x is read as words: '0,5' has a decimal comma (40 of 40 cells)."),
        ("4.6%", 1, "x is read as words: '4.6%' is in per cent (40 of 40 cells)."),
        ("12px", 20, "x is read as words: '12px' is no number (2 of 40 cells)."),
        ("1O", 40, "x is read as words: '1O' is no number (1 of 40 cells)."),
        ("red", 1, None),
        ("4+", 2, None),
        ("1,2,3", 1, None),
    ],
)
def test_numbers_that_are_read_as_words_are_told(tmp_path, monkeypatch, odd, every, said):
    path = tmp_path / "cases.csv"
    cells = [odd if place % every == 0 else str(place) for place in range(40)]
    path.write_text("y;a;x\n" + "".join(f"cat;dog;{cell}\n" for cell in cells))
    read_both(path, monkeypatch, 50)
    notes = []
    frame = files.read_frame(path, as_text=LABELS, notes=notes)
    assert notes == ([] if said is None else [said])
    assert frame["x"].cast(pl.String).to_list() == cells
