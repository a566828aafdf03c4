"""Load a known data set, and check that it is what it should be."""

from __future__ import annotations

import os
from importlib.resources import as_file, files
from pathlib import Path

import polars as pl

from fivefold.data._store import to_polars
from fivefold.data.catalog import SetDescription, describe
from fivefold.data.columns import Kind, read_columns
from fivefold.data.derived import DERIVED
from fivefold.data.download import cache_folder, download
from fivefold.data.read import read_frame
from fivefold.data.table import Table
from fivefold.errors import InputError

FOLDER_VARIABLE = "FIVEFOLD_DATA"


def load(code: str) -> Table:
    """Load one of the classic data sets.

    The data come from the first of these places that has them: this package; the folder named by the
    environment variable ``FIVEFOLD_DATA``; the cache (``$XDG_CACHE_HOME/fivefold``, else
    ``~/.cache/fivefold``); the UCI repository, from where they go into the cache. Wherever they come from,
    rows, attributes, classes and missing cells are checked against :func:`describe`.

    Parameters
    ----------
    code : str
        One of :func:`names`: Holte's sixteen (BC, CH, G2, GL, HD, HE, HO, HY, IR, LA, LY, MU, SE, SO, V1,
        VO), HD-holte, adult-train, adult-test.

    Returns
    -------
    Table
        With a polars frame ``X`` and text labels ``y``; the class is called ``class``.

    Raises
    ------
    DataUnavailableError
        Where no place has the data.

    References
    ----------
    R. C. Holte (1993). Very simple classification rules perform well on most commonly used datasets.
    Machine Learning 11, 63-91.

    Examples
    --------
    >>> load("BC")
    Table 'BC': 286 rows, 9 attributes (0 numeric, 9 nominal), 2 classes, 9 missing cells
    """
    description = describe(code)
    frame = _bundled(description)
    if frame is None:
        frame = read_frame(_found(description) or download(description), as_text=True)
    return checked_table(frame, description)


def _bundled(description: SetDescription) -> pl.DataFrame | None:
    if description.code in DERIVED:
        source, make = DERIVED[description.code]
        base = _bundled(describe(source))
        return None if base is None else make(base)
    name = description.file.removesuffix(".gz") + ".gz"
    resource = files("fivefold.data") / "sets" / name
    if not resource.is_file():
        return None
    with as_file(resource) as path:
        return read_frame(path, as_text=True)


def _found(description: SetDescription) -> Path | None:
    folders = [cache_folder()]
    if own := os.environ.get(FOLDER_VARIABLE):
        folders.insert(0, Path(own))
    return next((path for folder in folders if (path := folder / description.file).is_file()), None)


def checked_table(frame: pl.DataFrame, description: SetDescription) -> Table:
    """Make a table of a frame of text; complain where it differs from its description."""
    attributes = frame.drop("class", strict=False)
    kinds: dict[str, Kind] = {
        name: "numeric" if name in description.numeric else "nominal" for name in attributes.columns
    }
    numbers = [pl.col(name).cast(pl.Float64) for name, kind in kinds.items() if kind == "numeric"]
    columns = read_columns(attributes.with_columns(numbers))
    _check("attributes", len(columns), description.attributes, description)
    _check("columns", frame.columns[-1], "class", description)
    absent = [name for name in description.numeric if name not in kinds]
    _check("numeric attributes not found", absent, [], description)
    table = Table(
        description.code, to_polars(columns), frame["class"].to_numpy().astype(str), columns, "class"
    )
    _check("rows", len(table), description.rows, description)
    counts = {label: int((table.y == label).sum()) for label in table.classes}
    _check("classes", counts, dict(description.class_counts), description)
    _check("missing cells", table.missing_cells, description.missing, description)
    holes = {column.name: int(column.missing.sum()) for column in columns}
    expected = description.missing_by_attribute
    _check("missing cells", {name: holes[name] for name in expected}, dict(expected), description)
    return table


def _check(what: str, found: object, expected: object, description: SetDescription) -> None:
    if found != expected:
        raise InputError(
            f"{description.code} ({description.title}) to have {what}: {expected}",
            f"{found}",
            f"remove or replace the file {description.file}",
        )
