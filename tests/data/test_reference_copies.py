"""Every cell of every data set against reference copies, where FIVEFOLD_DATA names a folder that has them."""

import csv
import gzip
import hashlib
import io
import os
from pathlib import Path

import pytest

from fivefold.data import describe, load, names
from fivefold.data.sources import SOURCES, thyroid_csv

FOLDER = os.environ.get("FIVEFOLD_DATA")

pytestmark = [
    pytest.mark.data,
    pytest.mark.skipif(
        not FOLDER, reason="set FIVEFOLD_DATA to a folder with reference copies of the data sets"
    ),
]


def reference_rows(code):
    """Read a reference copy with nothing but the standard library."""
    path = Path(FOLDER, describe(code).file)
    if not path.is_file():
        pytest.skip(f"no {path.name} in FIVEFOLD_DATA")
    data = path.read_bytes()
    text = (gzip.decompress(data) if path.suffix == ".gz" else data).decode()
    header, *rows = csv.reader(io.StringIO(text))
    numeric = [name in describe(code).numeric for name in header]
    parsed = [
        tuple(
            None if cell == "" else float(cell) if number else cell
            for cell, number in zip(row, numeric, strict=True)
        )
        for row in rows
    ]
    return header, parsed


@pytest.mark.parametrize("code", names())
def test_all_cells_are_those_of_the_reference_copy(code):
    header, expected = reference_rows(code)
    frame = load(code).to_polars()
    assert frame.columns == header
    found = frame.rows()
    if code in ("SO", "HD-holte"):  # made from sources that have the rows in another order
        found, expected = sorted(found, key=repr), sorted(expected, key=repr)
    assert found == expected


def test_the_conversion_of_ucis_file_gives_the_reference_copy():
    path = Path(FOLDER, describe("SE").file)
    if not path.is_file():
        pytest.skip("no reference copy of SE in FIVEFOLD_DATA")
    rows = list(csv.reader(io.StringIO(path.read_text())))[1:]
    raw = "\n".join(",".join([row[-1], *(cell or "?" for cell in row[:-1])]) for row in rows)
    assert hashlib.sha256(thyroid_csv(raw).encode()).hexdigest() == SOURCES["SE"].sha256
