"""Read files of cases: any format, several at once, packed, from a pipe or an address, and the bundled sets."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import Any

import polars as pl

from fivefold.data.catalogue import find_code, known_names
from fivefold.data.csv_text import Kinds, type_column, type_columns
from fivefold.data.formats import Wanted, cast_texts, compacted, read_file
from fivefold.data.locations import Location, Names, locate
from fivefold.data.sources import load, load_text
from fivefold.data.table import Table
from fivefold.errors import InputError, InputTypeError, MissingFileError, show
from fivefold.inputs.columns import Kind, to_polars, with_text_categories
from fivefold.inputs.options import close_names, instance_of
from fivefold.plain_text import listed

__all__ = ["FileNames", "read", "read_frame", "type_column"]
_SHOWN = 3


class FileNames(tuple[str, ...]):
    """Names given for the files of one table, and what to call them together.

    Examples
    --------
    >>> FileNames(["a/first.csv", "b/second.csv"]).name
    'first.csv and second.csv'
    >>> FileNames(["votes"]).name
    'VO'
    """

    __slots__ = ()

    @property
    def name(self) -> str:
        """What the files are called together."""
        if code := bundled_code(self):
            return code
        labels = [location.name for location in locate(self)]
        if len(labels) > _SHOWN:
            return f"{labels[0]} and {len(labels) - 1} more files"
        return listed(labels)


def bundled_code(path: Names) -> str | None:
    """Give the code of the data set that a name stands for; a file of that name goes first."""
    given = [path] if isinstance(path, str | PathLike) else path
    only = given[0] if isinstance(given, Sequence) and len(given) == 1 else None
    return find_code(only) if isinstance(only, str) and not Path(only).exists() else None


def read(
    path: Names,
    *,
    target: str | None = None,
    kinds: Kinds | None = None,
    missing: Sequence[str] = ("",),
    separator: str | None = None,
    format: str | None = None,
) -> Table:
    r"""Read a file of cases with known classes.

    Parameters
    ----------
    path : path, or several
        A file, ``-`` for standard input, a pattern such as ``runs/*.csv``, an address that fsspec opens
        (``s3://…``), or several of these that have the same columns; or a known data set: a name that
        :func:`load` takes. Formats: CSV (``.csv``, ``.tsv``, ``.txt``, ``.data``), Parquet (``.parquet``,
        ``.pq``), JSON (``.jsonl``, ``.ndjson``, ``.json``; an object inside of a field makes columns with
        dotted names), ARFF (``.arff``) and, with fastexcel, Excel (``.xlsx``; ``book.xlsx#sheet`` names a
        sheet); each also packed by gzip, zstd, bzip2 or xz.
    target : str, optional
        The column that holds the class; only for a known data set it may be left out. In a CSV file it is always
        read as text, so that the labels ``1``, ``01`` and ``NA`` stay as they are.
    kinds : mapping of column name to "nominal" or "numeric", optional
        What columns mean. A column of text that is not named here is numeric if all its cells are numbers, none
        of them a code such as 007, and nominal otherwise; Parquet and ARFF files say it themselves.
    missing : sequence of str
        The texts that stand for a missing value in a CSV, JSON or Excel file; by default only the empty cell. (In
        ARFF it is ``?``, in Parquet null.) Numbers mixed with a text such as ``?`` or ``NA`` are an error: say
        whether it means missing, or that the column is nominal.
    separator : str, optional
        What stands between the cells of a CSV file. By default that of comma, semicolon, tab and bar which
        occurs most often in the first line.
    format : str, optional
        "csv", "parquet", "arff", "json" or "excel", where the name does not say it.

    Returns
    -------
    Table
        Its ``X`` is a polars frame with Float64 columns for numeric and Enum columns (Boolean for the
        booleans of a Parquet file) for nominal attributes.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp(), "trees.csv")
    >>> _ = path.write_text("height,leaf,kind\n21.5,needle,fir\n,broad,oak\n")
    >>> read(path, target="kind")
    Table 'trees': 2 rows, 2 attributes (1 numeric, 1 nominal), 2 classes, 1 missing cell
    >>> read("iris")
    Table 'IR': 150 rows, 4 attributes (4 numeric, 0 nominal), 3 classes, 0 missing cells
    """
    given = _as_kinds(kinds)
    instance_of(target, (str, type(None)), "target to be the name of a column")
    if code := bundled_code(path):
        table = load(code)
        whole = not given and target in (None, table.target)
        return table if whole else Table.from_frame(table.to_polars(), target or table.target, given, code)
    paths = list(path) if not isinstance(path, str | PathLike) and isinstance(path, Iterable) else path
    labels: dict[str, Kind] = {} if target is None else {target: "nominal"}
    frame = read_frame(paths, kinds={**given, **labels}, missing=missing, separator=separator, format=format)
    if target is None:
        known = f"the columns are {show(frame.columns, 200)}"
        raise InputError("target to name the column of the class", "none", known)
    name = locate(paths)[0].stem
    table = Table.from_frame(frame, target, given, name)
    columns = tuple(map(with_text_categories, table.columns))
    return Table(name, to_polars(columns), table.y, columns, target)


def read_frame(
    path: Names,
    *,
    as_text: bool | Collection[str] = False,
    kinds: Kinds | None = None,
    missing: Sequence[str] = ("",),
    separator: str | None = None,
    format: str | None = None,
    notes: list[str] | None = None,
    few_numbers: bool = False,
) -> pl.DataFrame:
    r"""Read a file as a polars frame, without a class: for tables of predictions, for instance.

    Missing values are null. From CSV: Float64 columns where all cells are numbers (007 is a code), else String.

    Parameters
    ----------
    path, kinds, missing, separator, format
        As for :func:`read`.
    as_text : bool or collection of str
        Keep every cell as the text it is, so that ``1``, ``01``, ``NA`` and ``true`` stay what they were; or those
        of the columns of these names.
    notes : list, optional
        Where it is given, a text such as ``?`` or ``NA`` among numbers means missing, and a sentence that says so
        is added to it; otherwise it is an error.
    few_numbers : bool
        Whether a large file may come as a `CompactFrame`, in which few different numbers take little memory.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp(), "answers.csv")
    >>> _ = path.write_text("truth,model\n01,NA\n1,\n")
    >>> read_frame(path, as_text=True).rows()
    [('01', 'NA'), ('1', None)]
    """
    if code := bundled_code(path):
        return load_text(code) if as_text is True else cast_texts(load(code).to_polars(), as_text)
    locations = check_files(path)
    texts, given = _as_texts(missing), _as_kinds(kinds)
    wanted = Wanted(as_text, given, texts, separator, format, notes, few_numbers)
    try:
        if len(locations) == 1:
            return read_file(locations[0], wanted)  # type: ignore[no-any-return]
        return _read_several(locations, wanted)  # type: ignore[no-any-return]
    except MemoryError:
        hint = "leave out columns that are not used, or work on a machine with more memory"
        raise InputError(f"{locations[0].name} to fit into memory", "no more memory", hint) from None


def check_files(path: Names) -> list[Location]:
    """Find files, and insist that they are there."""
    locations = locate(path)
    for location in locations:
        _check_exists(location)
    return locations


def _check_exists(location: Location) -> None:
    path = Path(location.given)
    if not location.is_local or path.exists():
        return
    known = [other.name for other in path.parent.iterdir()] if path.parent.is_dir() else []
    is_word = not path.suffix and path.name == location.given
    otherwise = None if known else "its folder is empty, or not there"
    if is_word:
        known, otherwise = [*known, *known_names()], "`fivefold data list` lists the data sets"
    raise MissingFileError(
        "a file or a known data set" if is_word else "files that can be read",
        f"{show(location.given)} (No such file or directory)",
        close_names(path.name, known, otherwise=otherwise),
    )


def _read_several(locations: list[Location], wanted: Wanted) -> Any:
    """Read files with the same columns, one below the other; text is typed once, for all of them."""
    typed = all((wanted.format or location.format) == "parquet" for location in locations)
    as_read = wanted.as_text if typed else True
    # texts that are numbered file by file would not fit together
    plain = replace(wanted, as_text=as_read, kinds={}, notes=None, few_numbers=False)
    frames = [read_file(location, plain) for location in locations]
    first = frames[0].columns
    for location, frame in zip(locations, frames, strict=True):
        _check_columns(first, frame.columns, locations[0].name, location.name)
    try:
        whole = pl.concat([frame.select(first) for frame in frames], how="vertical_relaxed", rechunk=True)
    except pl.exceptions.PolarsError as problem:
        where = " and ".join(location.name for location in locations[:2])
        raise InputError(f"columns of the same types in {where}", str(problem), "convert one") from None
    kinds = wanted.kinds_of(first, locations[0].name)
    if wanted.as_text is True or typed:
        return whole
    heights = [frame.height for frame in frames]

    def place(row: int) -> str:
        file = 0
        while row >= heights[file]:
            row -= heights[file]
            file += 1
        return f"row {row + 1} of {locations[file].name}"

    return compacted(type_columns(whole, kinds, place, wanted.notes), locations[0].name, wanted)


def _check_columns(first: list[str], other: list[str], where: str, there: str) -> None:
    lacking = [name for name in first if name not in set(other)]
    extra = [name for name in other if name not in set(first)]
    if lacking or extra:
        parts = [f"no {show(lacking, 100)}"] * bool(lacking) + [f"also {show(extra, 100)}"] * bool(extra)
        hint = "read files with other columns by themselves"
        raise InputError(f"the columns of {where} in {there} too", f"{' and '.join(parts)} in {there}", hint)


def _as_kinds(kinds: Kinds | None) -> dict[str, Kind]:
    instance_of(kinds, (Mapping, type(None)), "kinds to map names of columns to 'nominal' or 'numeric'")
    return dict(kinds or {})


def _as_texts(missing: object) -> list[str]:
    # a text is a sequence of its letters, each of which would be taken for a missing value
    if isinstance(missing, str) or not isinstance(missing, Iterable):
        raise InputTypeError(
            "missing to be a sequence of texts",
            f"{show(missing)} ({type(missing).__name__})",
            "such as ('', '?')",
        )
    texts = list(missing)
    if not all(isinstance(text, str) for text in texts):
        raise InputTypeError("missing to be a sequence of texts", show(texts), "such as ('', '?')")
    return texts
