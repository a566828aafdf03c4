"""Read CSV, Parquet and ARFF files."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Iterable, Mapping, Sequence
from os import PathLike, fspath
from pathlib import Path
from typing import TypeAlias

import polars as pl

from fivefold.data._store import to_polars, with_text_categories
from fivefold.data.arff import read_arff_text
from fivefold.data.columns import Kind
from fivefold.data.csv_text import line_of_row, read_csv_text
from fivefold.data.csv_types import type_column
from fivefold.data.table import Table
from fivefold.errors import InputError, InputTypeError, show

Kinds: TypeAlias = Mapping[str, Kind]

_CSV = {".csv", ".tsv", ".txt", ".data"}
_PARQUET = {".parquet", ".pq"}


def read(
    path: str | PathLike[str],
    *,
    target: str,
    kinds: Kinds | None = None,
    missing: Sequence[str] = ("",),
    separator: str | None = None,
) -> Table:
    r"""Read a file of cases with known classes.

    Parameters
    ----------
    path : path
        A CSV (``.csv``, ``.tsv``, ``.txt``, ``.data``), Parquet (``.parquet``, ``.pq``) or ARFF (``.arff``)
        file; CSV and ARFF also gzipped (``.gz``).
    target : str
        The column that holds the class. In a CSV file it is always read as text, so that the labels
        ``1``, ``01`` and ``NA`` stay as they are.
    kinds : mapping of column name to "nominal" or "numeric", optional
        What columns mean. A column of a CSV file that is not named here is numeric if all its cells are
        numbers and nominal otherwise; Parquet and ARFF files say it themselves.
    missing : sequence of str
        The texts that stand for a missing value in a CSV file; by default only the empty cell. (In ARFF it
        is ``?``, in Parquet null.) Numbers mixed with a text such as ``?`` or ``NA`` are an error: say
        whether it means missing, or that the column is nominal.
    separator : str, optional
        What stands between the cells of a CSV file. By default that of comma, semicolon, tab and bar which
        occurs most often in the first line.

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
    """
    told = _as_kinds(kinds)
    if not isinstance(target, str):
        raise InputTypeError("target to be the name of a column", f"{show(target)} ({type(target).__name__})")
    if target in told:
        raise InputError(
            "kinds of attributes", f"the class {show(target)} among them", "leave it out of kinds"
        )
    frame = read_frame(path, kinds={**told, target: "nominal"}, missing=missing, separator=separator)
    name = Path(path).name.split(".")[0]
    table = Table.from_frame(frame, target, told, name)
    columns = tuple(map(with_text_categories, table.columns))
    return Table(name, to_polars(columns), table.y, columns, target)


def read_frame(
    path: str | PathLike[str],
    *,
    as_text: bool = False,
    kinds: Kinds | None = None,
    missing: Sequence[str] = ("",),
    separator: str | None = None,
) -> pl.DataFrame:
    r"""Read a file as a polars frame, without a class: for tables of predictions, for instance.

    Parameters
    ----------
    path : path
        A CSV, Parquet or ARFF file, as for :func:`read`.
    as_text : bool
        Keep every cell as the text it is, so that ``1``, ``01``, ``NA`` and ``true`` stay what they were.
    kinds : mapping of column name to "nominal" or "numeric", optional
        What columns of a CSV file mean; "nominal" ones stay text. Not needed with `as_text`.
    missing, separator
        As for :func:`read`.

    Returns
    -------
    polars.DataFrame
        Missing values are null. From CSV: Float64 columns where all cells are numbers, else String.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp(), "answers.csv")
    >>> _ = path.write_text("truth,model\n01,NA\n1,\n")
    >>> read_frame(path, as_text=True).rows()
    [('01', 'NA'), ('1', None)]
    """
    path = _as_path(path)
    if path.is_dir():
        raise InputError("a file", f"the folder {show(str(path))}", "name a file in it")
    suffix = path.with_suffix("").suffix if path.suffix.lower() == ".gz" else path.suffix
    match suffix.lower():
        case kind if kind in _CSV:
            return _read_csv(path, as_text, _as_kinds(kinds), _as_texts(missing), separator)
        case kind if kind in _PARQUET:
            return _read_parquet(path, as_text)
        case ".arff":
            return _read_arff(path, as_text)
    raise InputError(
        "a .csv, .tsv, .txt, .data, .parquet, .pq or .arff file",
        show(path.name),
        "rename or convert the file",
    )


def _as_path(path: object) -> Path:
    if not isinstance(path, str | PathLike):
        raise InputTypeError("a path to a file", f"{show(path)} ({type(path).__name__})")
    name = fspath(path)
    if not isinstance(name, str) or "\0" in name:
        raise InputError("a path to a file", show(name))
    return Path(name)


def _as_kinds(kinds: object) -> dict[str, Kind]:
    if kinds is None:
        return {}
    if not isinstance(kinds, Mapping):
        raise InputTypeError(
            "kinds to map names of columns to 'nominal' or 'numeric'",
            f"{show(kinds)} ({type(kinds).__name__})",
        )
    return dict(kinds)


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


def _read_bytes(path: Path) -> bytes:
    data = path.read_bytes()
    if not data.startswith(b"\x1f\x8b"):
        return data
    try:
        return gzip.decompress(data)
    except (OSError, EOFError, zlib.error) as problem:
        raise InputError(
            f"a whole gzip file at {path.name}", f"a damaged one ({problem})", "fetch it again"
        ) from problem


def _read_csv(
    path: Path, as_text: bool, kinds: dict[str, Kind], missing: list[str], separator: str | None
) -> pl.DataFrame:
    data = _read_bytes(path)
    frame, separator = read_csv_text(data, path.name, separator)
    frame = frame.with_columns(pl.all().replace(missing, None)) if missing else frame
    for name in kinds:
        if name not in frame.columns:
            raise InputError(
                f"a column of {path.name}", show(name), f"the columns are {show(frame.columns, 200)}"
            )
    if as_text:
        return frame

    def locate(row: int) -> str:
        return f"line {line_of_row(data, row, separator, path.name)} of {path.name}"

    return frame.select(type_column(column, kinds.get(column.name), locate) for column in frame)


def _read_parquet(path: Path, as_text: bool) -> pl.DataFrame:
    try:
        frame = pl.read_parquet(path)
        return frame.cast(pl.String) if as_text else frame
    except pl.exceptions.PolarsError as problem:
        raise InputError(
            f"a Parquet file of plain columns at {path.name}", f"{problem}", "check the file"
        ) from problem


def _read_arff(path: Path, as_text: bool) -> pl.DataFrame:
    try:
        text = _read_bytes(path).decode("utf-8")
    except UnicodeDecodeError as problem:
        raise InputError(f"UTF-8 text in {path.name}", str(problem), "convert the file") from problem
    arff = read_arff_text(text, path.name)
    columns = zip(*arff.rows, strict=True)
    series = []
    for attribute, cells in zip(arff.attributes, columns, strict=True):
        raw = pl.Series(attribute.name, cells, dtype=pl.String)
        if not as_text and attribute.numeric:
            raw = pl.Series(
                attribute.name, [None if c is None else float(c) for c in cells], dtype=pl.Float64
            )
        elif not as_text and attribute.values is not None:
            raw = raw.cast(pl.Enum(sorted(attribute.values)))
        series.append(raw)
    return pl.DataFrame(series)
