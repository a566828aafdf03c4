"""Read CSV, Parquet and ARFF files: every cell kept, every malformed line named."""

from __future__ import annotations

import csv
import gzip
import io
import re
import zlib
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from os import PathLike, fspath
from pathlib import Path
from typing import TypeAlias

import polars as pl

from fivefold.data.table import Table
from fivefold.errors import InputError, InputTypeError, show
from fivefold.inputs.columns import Kind, to_polars, with_text_categories

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
    given = _as_kinds(kinds)
    if not isinstance(target, str):
        raise InputTypeError("target to be the name of a column", f"{show(target)} ({type(target).__name__})")
    if target in given:
        raise InputError(
            "kinds of attributes", f"the class {show(target)} among them", "leave it out of kinds"
        )
    frame = read_frame(path, kinds={**given, target: "nominal"}, missing=missing, separator=separator)
    name = Path(path).name.split(".")[0]
    table = Table.from_frame(frame, target, given, name)
    columns = tuple(map(with_text_categories, table.columns))
    return Table(name, to_polars(columns), table.y, columns, target)


def read_frame(
    path: str | PathLike[str],
    *,
    as_text: bool | Collection[str] = False,
    kinds: Kinds | None = None,
    missing: Sequence[str] = ("",),
    separator: str | None = None,
    notes: list[str] | None = None,
) -> pl.DataFrame:
    r"""Read a file as a polars frame, without a class: for tables of predictions, for instance.

    Parameters
    ----------
    path : path
        A CSV, Parquet or ARFF file, as for :func:`read`.
    as_text : bool or collection of str
        Keep every cell as the text it is, so that ``1``, ``01``, ``NA`` and ``true`` stay what they were; or those
        of the columns of these names.
    kinds : mapping of column name to "nominal" or "numeric", optional
        What columns of a CSV file mean; "nominal" ones stay text. Not needed with `as_text`.
    missing, separator
        As for :func:`read`.
    notes : list, optional
        Where it is given, a text such as ``?`` or ``NA`` among numbers means missing, and a sentence that says so
        is added to it; otherwise it is an error.

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
    whole = as_text is True
    texts = () if isinstance(as_text, bool) else as_text
    match suffix.lower():
        case kind if kind in _CSV:
            return _read_csv(path, whole, texts, _as_kinds(kinds), _as_texts(missing), separator, notes)
        case kind if kind in _PARQUET:
            return _cast_texts(_read_parquet(path, whole), texts)
        case ".arff":
            return _cast_texts(_read_arff(path, whole), texts)
    raise InputError(
        "a .csv, .tsv, .txt, .data, .parquet, .pq or .arff file",
        show(path.name),
        "rename or convert the file",
    )


def _cast_texts(frame: pl.DataFrame, texts: Collection[str]) -> pl.DataFrame:
    return frame.with_columns(pl.col([name for name in frame.columns if name in texts]).cast(pl.String))


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


def _read_parquet(path: Path, as_text: bool) -> pl.DataFrame:
    try:
        frame = pl.read_parquet(path)
        return frame.cast(pl.String) if as_text else frame
    except pl.exceptions.PolarsError as problem:
        raise InputError(
            f"a Parquet file of plain columns at {path.name}", f"{problem}", "check the file"
        ) from problem


def _read_csv(
    path: Path,
    as_text: bool,
    texts: Collection[str],
    kinds: dict[str, Kind],
    missing: list[str],
    separator: str | None,
    notes: list[str] | None = None,
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

    kinds = kinds | {name: "nominal" for name in frame.columns if name in texts}
    return frame.select(type_column(column, kinds.get(column.name), locate, notes) for column in frame)


# Text that stands for a missing value in many files. Among numbers it is never taken for a category.
_LOOKS_MISSING = ["?", "na", "n/a", "#n/a", "nan", "null", "none", "nil", "missing", "-", "--", ".", "inf"]


def type_column(
    text: pl.Series, kind: Kind | None, locate: Callable[[int], str], notes: list[str] | None = None
) -> pl.Series:
    """Turn text into Float64 where it is to be numeric, or where all of it is numbers and nothing is said.

    With `notes`, text that looks missing among numbers is missing, and told there.
    """
    if kind == "nominal":
        return text
    trimmed = text.str.strip_chars()
    numbers = trimmed.cast(pl.Float64, strict=False)
    numbers = numbers.set(~numbers.is_finite(), None)
    odd = (numbers.is_null() & text.is_not_null()).arg_true()
    if len(odd) == 0:
        return numbers
    is_mixed = numbers.is_not_null().any() and trimmed[odd].str.to_lowercase().is_in(_LOOKS_MISSING).all()
    if is_mixed and notes is not None and kind is None:
        words = trimmed[odd].unique(maintain_order=True).to_list()
        listed = " and ".join(map(show, words[:3]))
        notes.append(f"Among the numbers of {text.name}, {listed} means missing ({len(odd):,} cases).")
        return numbers
    if kind == "numeric" or is_mixed:
        raise InputError(
            f"numbers in column {show(text.name)}",
            f"{show(text[odd[0]])} in {locate(odd[0])}",
            f"if it means missing, pass missing=('', {text[odd[0]]!r}) (command line: --missing); "
            f"if it is a category, pass kinds={{{text.name!r}: 'nominal'}} (command line: --nominal)",
        )
    return text


_BOM = b"\xef\xbb\xbf"
_MOST_CHARACTERS = 2**31 - 1  # of a cell: what the csv module can be told on every system
_ROWS_AT_ONCE = 50_000  # cells as Python texts take many times the room of the file
_SEPARATORS = (",", ";", "\t", "|")


def read_csv_text(data: bytes, where: str, separator: str | None = None) -> tuple[pl.DataFrame, str]:
    """Read all cells as text, the empty cell as empty text; also give the separator that was used."""
    data = data.removeprefix(_BOM)
    _check_characters(data, where)
    separator = _pick_separator(data, separator)
    header = next(_records(data, separator, where), (0, []))[1]
    _check_header(header, where)
    if len(header) > 1:
        data = data.rstrip(b"\r\n")  # blank lines at the end hold no row, unless a row is one cell
    read = _read_quoted if b'"' in data else _read_plain
    frame = read(data, separator, where, header)
    if frame.height == 0:
        raise InputError("at least one row below the header", f"none in {where}", "check the file")
    return frame, separator


def line_of_row(data: bytes, row: int, separator: str, where: str) -> int:
    """Find the line of the file on which a row ends, counting from 1; row 0 is the first below the header."""
    records = _records(data.removeprefix(_BOM), separator, where)
    return next(line for place, (line, _) in enumerate(records) if place == row + 1)


def _check_characters(data: bytes, where: str) -> None:
    if not data.strip():
        raise InputError("a header and rows", f"an empty file: {where}", "check the path")
    try:
        data.decode("utf-8")
    except UnicodeDecodeError as problem:
        line = data.count(b"\n", 0, problem.start) + 1
        raise InputError(
            f"UTF-8 text in {where}",
            f"byte {problem.object[problem.start]:#04x} in line {line}",
            "convert it",
        ) from problem
    if b"\n" not in data and b"\r" in data:
        raise InputError(
            f"lines that end in LF or CRLF in {where}", "lines that end in CR", "convert the file"
        )


def _pick_separator(data: bytes, separator: str | None) -> str:
    if separator is None:
        header = data.split(b"\n", 1)[0].decode()
        outside_quotes = "".join(header.split('"')[::2])
        return max(_SEPARATORS, key=outside_quotes.count)
    if len(separator) != 1 or not separator.isascii() or separator in '"\r\n':
        raise InputError("a separator of one ASCII character", show(separator), "such as ',' or ';' or '\\t'")
    return separator


def _check_header(header: Sequence[str], where: str) -> None:
    for place, name in enumerate(header, start=1):
        if not name.strip():
            raise InputError(
                f"a name for every column of {where}", f"none for column {place}", "complete the first line"
            )
        if header.count(name) > 1:
            raise InputError(
                f"column names that differ from each other in {where}",
                f"{show(name)} {header.count(name)} times",
                "rename one of the columns",
            )


def _read_plain(data: bytes, separator: str, where: str, header: list[str]) -> pl.DataFrame:
    try:
        frame = pl.read_csv(io.BytesIO(data), infer_schema=False, separator=separator, quote_char=None)
    except pl.exceptions.PolarsError as problem:
        raise _malformed(data, separator, where, str(problem)) from problem
    # polars refuses a long line but fills a short one up: count the separators to find those
    if data.count(separator.encode()) != (frame.width - 1) * (frame.height + 1):
        raise _malformed(data, separator, where, "lines of different lengths")
    return frame.rename(dict(zip(frame.columns, header, strict=True))).fill_null("")


def _read_quoted(data: bytes, separator: str, where: str, header: list[str]) -> pl.DataFrame:
    # polars is strict about quotes only by accident (it leaves malformed ones undefined), so it is not asked
    records = _records(data, separator, where)
    next(records)
    cells, pieces = _whole_rows(records, header, separator, where), []
    while rows := list(islice(cells, _ROWS_AT_ONCE)):
        pieces.append(_as_frame(header, zip(*rows, strict=True)))
    return pl.concat(pieces) if pieces else _as_frame(header, ([] for _ in header))


def _whole_rows(
    records: Iterator[tuple[int, list[str]]], header: list[str], separator: str, where: str
) -> Iterator[list[str]]:
    for line, record in records:
        row = record or [""] * (len(header) == 1)
        if len(row) != len(header):
            raise _wrong_length(len(header), record, line, separator, where)
        yield row


def _as_frame(header: list[str], cells: Iterable[Sequence[str]]) -> pl.DataFrame:
    return pl.DataFrame(
        [pl.Series(name, column, dtype=pl.String) for name, column in zip(header, cells, strict=True)]
    )


def _records(data: bytes, separator: str, where: str) -> Iterator[tuple[int, list[str]]]:
    # decoded as it is read: a large file must not stand in memory twice only for its header
    lines = io.TextIOWrapper(io.BytesIO(data), encoding="utf-8", newline="")
    reader = csv.reader(lines, delimiter=separator, strict=True)
    usual = csv.field_size_limit(min(len(data) + 1, _MOST_CHARACTERS))
    try:
        for record in reader:
            yield reader.line_num, record
    except csv.Error as problem:
        raise InputError(
            f"quotes that close, doubled inside a cell, in {where}",
            f"{problem} in line {reader.line_num}",
            'write "…""…" for a cell that holds a quote',
        ) from problem
    finally:
        csv.field_size_limit(usual)


def _malformed(data: bytes, separator: str, where: str, problem: str) -> InputError:
    records = _records(data, separator, where)
    width = len(next(records)[1])
    for line, record in records:
        if len(record) != width:
            return _wrong_length(width, record, line, separator, where)
    return InputError(f"readable CSV in {where}", problem.splitlines()[0], "check the file in a text editor")


def _wrong_length(width: int, record: list[str], line: int, separator: str, where: str) -> InputError:
    return InputError(
        f"{width} cell{'s' * (width > 1)} in every line of {where}",
        f"{len(record)} in line {line}: {show(separator.join(record))}",
        "fill the line up, quote cells that hold the separator, or name another separator",
    )


def _read_arff(path: Path, as_text: bool) -> pl.DataFrame:
    try:
        text = _read_bytes(path).decode("utf-8")
    except UnicodeDecodeError as problem:
        raise InputError(f"UTF-8 text in {path.name}", str(problem), "convert the file") from problem
    attributes, rows = read_arff_text(text, path.name)
    series = []
    for attribute, cells in zip(attributes, zip(*rows, strict=True), strict=True):
        raw = pl.Series(attribute.name, cells, dtype=pl.String)
        if not as_text and attribute.numeric:
            raw = pl.Series(
                attribute.name, [None if c is None else float(c) for c in cells], dtype=pl.Float64
            )
        elif not as_text and attribute.values is not None:
            raw = raw.cast(pl.Enum(sorted(attribute.values)))
        series.append(raw)
    return pl.DataFrame(series)


_QUOTED = r"""'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*\""""
_ATTRIBUTE = re.compile(rf"@attribute\s+({_QUOTED}|[^\s'\"{{]\S*)\s+(.+)", re.IGNORECASE)
_BETWEEN_COMMAS = re.compile(rf"(?:{_QUOTED}|[^,'\"])*")
_BETWEEN_BLANKS = re.compile(rf"(?:{_QUOTED}|[^\s'\"])+")
_ESCAPE = re.compile(r"\\(u[0-9a-fA-F]{4}|.)")
_ESCAPED = {"n": "\n", "t": "\t", "r": "\r"}
_NUMERIC = {"numeric", "real", "integer"}
_NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_SPARSE = re.compile(r"(\d+)\s+(.*)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Attribute:
    """A declared column: its values where it is nominal, None where it is numeric or free text."""

    name: str
    numeric: bool
    values: tuple[str, ...] | None


def read_arff_text(text: str, where: str) -> tuple[tuple[Attribute, ...], list[list[str | None]]]:
    """Read the attributes and the rows of cells, None for missing; name a line that is not as its header says."""
    lines = _meaningful_lines(text)
    attributes = _read_header(lines, where)
    rows = [
        (_sparse_row if line.startswith("{") else _dense_row)(line, attributes, f"line {number} of {where}")
        for number, line in lines
    ]
    if not rows:
        raise InputError("at least one row after @data", f"none in {where}", "check the file")
    return attributes, rows


def _meaningful_lines(text: str) -> Iterator[tuple[int, str]]:
    for number, line in enumerate(text.removeprefix("\ufeff").split("\n"), start=1):
        stripped = line.strip()
        if stripped and not stripped.startswith("%"):
            yield number, stripped


def _read_header(lines: Iterator[tuple[int, str]], where: str) -> tuple[Attribute, ...]:
    attributes: dict[str, Attribute] = {}
    for number, line in lines:
        at = f"line {number} of {where}"
        keyword = line.split(None, 1)[0].lower()
        if keyword == "@data" and attributes:
            return tuple(attributes.values())
        if keyword == "@relation":
            continue
        match = _ATTRIBUTE.fullmatch(line) if keyword == "@attribute" else None
        if match is None:
            raise InputError("@relation, @attribute lines and then @data", f"{show(line)} in {at}")
        attribute = _declared(_unquote(match[1]), match[2].strip(), at)
        if attribute.name in attributes:
            raise InputError(
                "attribute names that differ from each other", f"{show(attribute.name)} again in {at}"
            )
        attributes[attribute.name] = attribute
    raise InputError("attributes and then a line @data", f"no such line in {where}", "is it an ARFF file?")


def _declared(name: str, kind: str, at: str) -> Attribute:
    if kind.startswith("{") and kind.endswith("}"):
        values = tuple(_unquote(cell) for cell in _split(kind[1:-1], at))
        if len(set(values)) != len(values):
            raise InputError(f"different values of {show(name)}", f"{show(values)} in {at}")
        return Attribute(name, False, values)
    word = kind.split(None, 1)[0].lower()
    if word in _NUMERIC:
        return Attribute(name, True, None)
    if word == "string":
        return Attribute(name, False, None)
    raise InputError(
        f"a numeric, nominal or string attribute {show(name)}",
        f"{show(kind)} in {at}",
        "dates and relations are not read: turn them into numbers or text",
    )


def _dense_row(line: str, attributes: Sequence[Attribute], at: str) -> list[str | None]:
    cells = _split(line, at)
    if len(cells) == 1 and len(attributes) > 1:
        cells = _BETWEEN_BLANKS.findall(line)  # the format also allows blanks between the cells
    if len(cells) != len(attributes):
        raise InputError(f"{len(attributes)} cells", f"{len(cells)} in {at}: {show(line)}")
    return [_value(cell, attribute, at) for cell, attribute in zip(cells, attributes, strict=True)]


def _sparse_row(line: str, attributes: Sequence[Attribute], at: str) -> list[str | None]:
    # What a sparse row leaves out is zero, which for a nominal attribute is the first value it declares.
    row: list[str | None] = ["0" if a.numeric else (a.values[0] if a.values else None) for a in attributes]
    if not line.endswith("}"):
        raise InputError("a sparse row that ends in }", f"{show(line)} in {at}")
    given = set()
    for part in _split(line[1:-1], at) if line[1:-1].strip() else ():
        match = _SPARSE.fullmatch(part)
        if match is None or int(match[1]) >= len(attributes) or int(match[1]) in given:
            raise InputError(
                "each place once with its value, such as {0 red, 3 1.5}", f"{show(part)} in {at}"
            )
        place = int(match[1])
        given.add(place)
        row[place] = _value(match[2].strip(), attributes[place], at)
    for place, attribute in enumerate(attributes):
        if place not in given and not attribute.numeric and attribute.values is None:
            raise InputError(
                f"a value of the string attribute {show(attribute.name)}", f"none in {at}", "text has no zero"
            )
    return row


def _split(line: str, at: str) -> list[str]:
    if "'" not in line and '"' not in line:
        return [cell.strip() for cell in line.split(",")]
    cells, start = [], 0
    while start <= len(line):
        match = _BETWEEN_COMMAS.match(line, start)
        end = match.end() if match else start
        if end < len(line) and line[end] != ",":
            raise InputError("quotes that close", f"{show(line[end:])} in {at}", "escape a quote as \\'")
        cells.append(line[start:end].strip())
        start = end + 1
    return cells


def _unquote(cell: str) -> str:
    if len(cell) >= 2 and cell[0] in "'\"" and cell[0] == cell[-1]:
        return _ESCAPE.sub(_unescape, cell[1:-1])
    return cell


def _unescape(match: re.Match[str]) -> str:
    code = match[1]
    return chr(int(code[1:], 16)) if len(code) > 1 else _ESCAPED.get(code, code)


def _value(cell: str, attribute: Attribute, at: str) -> str | None:
    if cell == "?":
        return None
    value = _unquote(cell)
    if attribute.numeric:
        fits = _NUMBER.fullmatch(value) is not None
        expected = "a number"
    else:
        fits = bool(cell) if attribute.values is None else value in attribute.values
        expected = "text" if attribute.values is None else f"one of {show(attribute.values, 100)}"
    if not fits:
        raise InputError(
            f"{expected} for {show(attribute.name)}", f"{show(value)} in {at}", "a missing value is written ?"
        )
    return value
