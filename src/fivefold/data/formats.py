"""Formats: one CSV, Parquet, ARFF, JSON or Excel file as a frame, every cell kept, what is malformed named."""

from __future__ import annotations

import json
import math
import re
import subprocess
import sys
from array import array
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import msgspec
import polars as pl

from fivefold.data import batches
from fivefold.data.csv_text import Kinds, check_header, line_of_row, read_csv_text, type_column, type_columns
from fivefold.data.locations import FORMATS, Location, free_memory, too_large
from fivefold.errors import DamagedFileError, InputError, show
from fivefold.inputs.columns import Kind
from fivefold.inputs.few_numbers import CompactFrame
from fivefold.inputs.options import close_names


@dataclass(frozen=True)
class Wanted:
    """How a file is to be read: the arguments of :func:`fivefold.data.files.read_frame`."""

    as_text: bool | Collection[str] = False
    kinds: dict[str, Kind] = field(default_factory=dict)
    missing: list[str] = field(default_factory=lambda: [""])
    separator: str | None = None
    format: str | None = None
    notes: list[str] | None = None
    few_numbers: bool = False

    def kinds_of(self, columns: Sequence[str], where: str) -> dict[str, Kind]:
        """Give what is known of columns, all of which must be there; those that stay text are nominal."""
        known = set(columns)
        for name in self.kinds:
            if name not in known:
                raise InputError(f"a column of {where}", show(name), close_names(name, columns))
        texts = known if self.as_text is True else set(self.as_text or ())
        return self.kinds | {name: "nominal" for name in columns if name in texts}


def read_file(location: Location, wanted: Wanted) -> Any:
    """Read one file."""
    readers: dict[str | None, Callable[[Location, Wanted], Any]] = {
        "csv": _read_csv,
        "parquet": _read_parquet,
        "arff": _read_arff,
        "json": _read_json,
        "excel": _read_excel,
    }
    read = readers.get(wanted.format or location.format)
    if read is not None:
        return read(location, wanted)
    if wanted.format is not None:
        raise InputError(f"one of the formats {', '.join(map(str, readers))}", show(wanted.format))
    raise InputError(
        f"a {', '.join(FORMATS)} file (also packed: .gz, .zst, .bz2, .xz)",
        show(location.name),
        "rename or convert the file, or say what it is: format='csv' (command line: --format csv)",
    )


def cast_texts(frame: pl.DataFrame, as_text: bool | Collection[str]) -> pl.DataFrame:
    """Turn columns into text: all, none, or those of these names."""
    if isinstance(as_text, bool):
        return frame.cast(pl.String) if as_text else frame
    return frame.with_columns(_as_text(frame[name]) for name in frame.columns if name in as_text)


def _as_text(column: pl.Series) -> pl.Series:
    """Write labels as text; whole numbers of a column with missing ones, which are floats, as whole numbers."""
    whole = column.dtype.is_float() and bool((column.is_null() | (column == column.floor())).all())
    return (column.fill_nan(None).cast(pl.Int64, strict=False) if whole else column).cast(pl.String)


def compacted(frame: pl.DataFrame, where: str, wanted: Wanted) -> pl.DataFrame | CompactFrame:
    """Make a large frame small, where that was asked for."""
    large = wanted.notes is not None and frame.estimated_size() > batches.PIECE
    return batches.compact_texts([frame], where, frame.height, wanted.few_numbers) if large else frame


def _read_csv(location: Location, wanted: Wanted) -> Any:
    where, path = location.name, location.path
    large = path is not None and path.stat().st_size > batches.PIECE and not location.is_packed
    if path is not None and large and wanted.notes is not None and "" in wanted.missing:
        pieces = _read_pieces(path, where, wanted)
        if pieces is not None:
            return pieces
    _check_room(location, 3)
    data = location.data
    frame, separator = read_csv_text(data, where, wanted.separator)
    frame = frame.with_columns(pl.all().replace(wanted.missing, None)) if wanted.missing else frame
    kinds = wanted.kinds_of(frame.columns, where)
    if wanted.as_text is True:
        return frame

    def locate(row: int) -> str:
        return f"line {line_of_row(data, row, separator, where)} of {where}"

    return type_columns(frame, kinds, locate, wanted.notes)


def _read_pieces(path: Path, where: str, wanted: Wanted) -> pl.DataFrame | CompactFrame | None:
    """Read a large CSV file piece by piece; None where something is wrong, and there is room to tell its line."""
    kinds: dict[str, Kind] = {}

    def kinds_of(columns: Sequence[str]) -> Kinds:
        kinds.update(wanted.kinds_of(columns, where))
        return kinds

    try:
        read = batches.read_csv_pieces(
            path, where, wanted.separator, wanted.missing, kinds_of, wanted.few_numbers
        )
    except InputError:
        if 3 * path.stat().st_size > free_memory():
            raise
        return None
    frame = read.frame if isinstance(read, CompactFrame) else read
    mixed = [name for name in frame.columns if kinds.get(name) != "nominal" and _may_be_numbers(frame[name])]
    typed = [
        type_column(frame[name].cast(pl.String), kinds.get(name), lambda row: f"row {row + 1}", wanted.notes)
        for name in mixed
    ]
    frame = frame.with_columns(column for column in typed if column.dtype != pl.String)
    return replace(read, frame=frame) if isinstance(read, CompactFrame) else frame


def _may_be_numbers(column: pl.Series) -> bool:
    """Whether some texts of a column are numbers."""
    texts = column.dtype.categories if isinstance(column.dtype, pl.Enum) else column
    if texts.dtype != pl.String:
        return False
    points = texts.str.strip_chars().str.strip_chars_end(" %").str.replace(",", ".", literal=True)
    return bool(points.cast(pl.Float64, strict=False).is_not_null().any())


def _check_room(location: Location, times: float) -> None:
    """Refuse what will not fit before the system ends the process for it."""
    size = times * location.path.stat().st_size if location.path is not None else 0.0
    if size > free_memory():
        raise too_large(location.name, size)


# What reads a file in a process of its own, which may die of it.
_TRIAL = """
import sys, polars
polars.scan_parquet(sys.argv[1]).select(polars.all().is_null().sum()).collect(engine="streaming")
"""


def check_parquet(path: Path, where: str) -> None:
    """Find out whether a Parquet file can be read, in a process of its own.

    polars believes what a file says of itself, and a damaged one can end the process that reads it.
    """
    if not sys.executable:  # Python inside of another program
        return
    command = [sys.executable, "-c", _TRIAL, str(path.absolute())]
    trial = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, check=False)
    if trial.returncode:
        lines = trial.stderr.decode("utf-8", "replace").strip().splitlines()
        reason = next((line for line in reversed(lines) if re.match(r"[\w.]+(Error|Exception):", line)), "")
        raise _damaged(where, reason.partition(": ")[2] or "one that the reader dies of")


def _damaged(where: str, reason: str) -> DamagedFileError:
    return DamagedFileError(f"a Parquet file of plain columns at {where}", reason, "check the file")


def _read_parquet(location: Location, wanted: Wanted) -> pl.DataFrame | CompactFrame:
    if location.path is not None and location.start(4) == b"PAR1":
        if wanted.notes is None:
            _check_room(location, 2)
        return _parquet_at(location.path, location.name, wanted)
    data = location.data
    if not data.startswith(b"PAR1"):
        raise _damaged(location.name, f"a file that begins with {show(data[:4])}")
    with TemporaryDirectory() as folder:
        path = Path(folder, "unpacked.parquet")
        path.write_bytes(data)
        return _parquet_at(path, location.name, wanted)


def _parquet_at(path: Path, where: str, wanted: Wanted) -> pl.DataFrame | CompactFrame:
    check_parquet(path, where)
    as_text = wanted.as_text
    try:
        if wanted.notes is None or path.stat().st_size <= batches.PIECE:
            return cast_texts(pl.read_parquet(path, memory_map=False), as_text)
        scan = pl.scan_parquet(path)
        n_rows = int(scan.select(pl.len()).collect().item())
        pieces = (scan.slice(first, batches.ROWS).collect() for first in range(0, n_rows, batches.ROWS))
        texts = (cast_texts(piece, as_text) for piece in pieces)
        return batches.compact_texts(texts, where, n_rows, wanted.few_numbers)
    except pl.exceptions.PolarsError as problem:
        raise _damaged(where, str(problem)) from problem
    except pl.exceptions.PanicException as problem:
        raise _damaged(where, str(problem)) from None


def _read_excel(location: Location, wanted: Wanted) -> pl.DataFrame:
    where = location.name
    try:
        import fastexcel
    except ImportError:
        raise InputError(
            "fastexcel, which reads workbooks", f"{where} without it", "pip install fastexcel"
        ) from None
    try:
        book = fastexcel.read_excel(location.data)
        sheet = _sheet(location, book.sheet_names)
        header = book.load_sheet(sheet, header_row=None, n_rows=1, dtypes="string").to_polars()
        check_header([str(name or "") for name in header.row(0)] if header.height else [], where)
        frame = book.load_sheet(sheet).to_polars()
    except fastexcel.FastExcelError as problem:
        raise DamagedFileError(f"a workbook at {where}", str(problem).splitlines()[0], "check it") from None
    if frame.height == 0:
        raise InputError("at least one row below the header", f"none in {where}", "check the sheet")
    texts = [column for column in frame if column.dtype == pl.String and wanted.missing]
    frame = frame.with_columns(column.replace(wanted.missing, None) for column in texts)
    return _restate(frame, wanted, where, lambda row: f"row {row + 2} of {where}")


def _sheet(location: Location, names: list[str]) -> str:
    if location.sheet is None and len(names) == 1:
        return names[0]
    if location.sheet in names:
        return str(location.sheet)
    raise InputError(
        f"the sheet of {location.name} to read",
        f"{show(location.sheet)} of {show(names, 200)}" if location.sheet else f"{len(names)} sheets",
        f"name one: {' or '.join(repr(f'{location.name}#{name}') for name in names[:3])}",
    )


def _restate(frame: pl.DataFrame, wanted: Wanted, where: str, locate: Callable[[int], str]) -> pl.DataFrame:
    """Give columns the types that they shall have; text is read as that of a CSV file is."""
    kinds = wanted.kinds_of(frame.columns, where)

    def restated(column: pl.Series) -> pl.Series:
        kind = kinds.get(column.name)
        if kind == "nominal":
            return column.cast(pl.String)
        if column.dtype == pl.String or kind == "numeric":
            return type_column(column.cast(pl.String), kind, locate, wanted.notes)
        return column.cast(pl.Float64) if column.dtype.is_numeric() else column

    return frame.select(restated(column) for column in frame)


_ROWS_AT_ONCE = 20_000  # values as Python objects take many times the room of the file
_MOST_CELLS = 100_000_000
_MARK = b"\xef\xbb\xbf"  # some programs write it before UTF-8
_JSON_HINT = "write one object a line, or an array of objects, such as [{…}, {…}]"


@dataclass
class _JsonTable:
    """Fields of JSON objects as columns of text, and what types their values had."""

    pieces: dict[str, batches.Compact] = field(default_factory=dict)
    lengths: dict[str, int] = field(default_factory=dict)
    types: dict[str, set[type]] = field(default_factory=dict)
    height: int = 0

    def add(self, rows: list[dict[str, Any]], missing: set[str], where: str) -> None:
        for name, values in _fields(rows, where).items():
            column = self.pieces.setdefault(name, batches.Compact())
            absent = self.height - self.lengths.get(name, 0)
            try:
                texts, types = _column_text(values, missing)
            except UnicodeEncodeError as problem:
                raise InputError(
                    f"text in {where}", f"half a character in field {show(name)}", "write it anew in UTF-8"
                ) from problem
            self.types.setdefault(name, set()).update(types)
            if absent:
                column.add(pl.Series([None], dtype=pl.String).new_from_index(0, absent))
            column.add(texts)
            self.lengths[name] = self.height + len(rows)
        self.height += len(rows)

    def frame(self, texts: Collection[str]) -> pl.DataFrame:
        """Give all columns: numbers and booleans as such where all values are, else and where told text."""
        kept = set(texts)
        return pl.DataFrame(
            [self._text(name) if name in kept else self._column(name) for name in self.pieces]
        )

    def _text(self, name: str) -> pl.Series:
        column = self.pieces[name].finish(name).cast(pl.String)
        return column.extend_constant(None, self.height - len(column))

    def _column(self, name: str) -> pl.Series:
        column = self._text(name)
        types = self.types[name]
        if types and types <= {int, float}:
            return column.cast(pl.Float64)
        return column == "true" if types == {bool} else column


def _read_json(location: Location, wanted: Wanted) -> pl.DataFrame | CompactFrame:
    where = location.name
    _check_room(location, 2 if _in_lines(location) else 4)
    table, places, missing, word = _JsonTable(), array("q"), set(wanted.missing), ""
    rows: list[dict[str, Any]] = []
    for place, row in json_objects(location):
        rows.append(row)
        word, _, number = place.rpartition(" ")
        places.append(int(number))
        if len(rows) == _ROWS_AT_ONCE:
            table.add(rows, missing, where)
            rows = []
    table.add(rows, missing, where)
    if not table.pieces:
        raise InputError("at least one object with fields", f"none in {where}", _JSON_HINT)
    check_header(list(table.pieces), where)
    kinds = wanted.kinds_of(list(table.pieces), where)
    frame = table.frame([name for name, kind in kinds.items() if kind == "nominal"])
    frame = _restate(frame, wanted, where, lambda row: f"{word} {places[row]} of {where}")
    return compacted(frame, where, wanted)


def frame_of_objects(objects: list[dict[str, Any]], where: str) -> pl.DataFrame:
    """Make a frame of objects: a column for each field, typed as JSON says, the empty text missing."""
    table = _JsonTable()
    table.add(objects, {""}, where)
    return table.frame(())


def json_objects(location: Location) -> Iterator[tuple[str, dict[str, Any]]]:
    """Give the objects of a file of JSON lines, or of one array, each with the place where it stands."""
    where, lines = location.name, _json_lines(location) if _in_lines(location) else None
    rows: Iterable[tuple[str, Any]]
    data = b"" if lines is not None else location.data.removeprefix(_MARK)
    if data.lstrip().startswith(b"["):
        rows = ((f"element {number}", row) for number, row in enumerate(parse_json(data, where), start=1))
    else:
        numbered = enumerate(data.split(b"\n") if lines is None else lines, start=1)
        rows = (
            (f"line {number}", parse_json(line, where, number)) for number, line in numbered if line.strip()
        )
    for place, row in rows:
        if not isinstance(row, dict):
            raise InputError(f"objects in {where}", f"{show(row)} in {place}", _JSON_HINT)
        yield place, row


def _in_lines(location: Location) -> bool:
    """Tell whether a plain file on this machine holds an object a line, so that lines can be read one by one."""
    start = location.start(1 << 16).removeprefix(_MARK).lstrip()
    return start.startswith(b"{") and not location.is_packed


def _json_lines(location: Location) -> Iterator[bytes]:
    assert location.path is not None
    with location.path.open("rb") as file:
        if file.read(len(_MARK)) != _MARK:
            file.seek(0)
        yield from (line.rstrip(b"\n") for line in file)


def parse_json(data: bytes, where: str, line: int | None = None) -> Any:
    """Read a JSON value; NaN and infinities, which Python writes, are taken too."""
    try:
        return _decoder.decode(data)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        pass
    try:
        return json.loads(data)
    except (ValueError, RecursionError) as problem:
        place = where if line is None else f"line {line} of {where}"
        got = f"{show(str(data[:40], 'utf-8', 'replace'))} ({problem})"
        raise InputError(f"JSON in {place}", got, _JSON_HINT) from None


_decoder = msgspec.json.Decoder()


def _fields(rows: list[dict[str, Any]], where: str) -> dict[str, list[Any]]:
    """Give columns of values; the fields of an object in a field are columns with dotted names."""
    columns: dict[str, list[Any]] = {}
    names = dict.fromkeys(chain.from_iterable(rows))
    if len(names) * len(rows) > _MOST_CELLS:
        raise InputError(
            f"objects with the same fields in {where}", f"{len(names):,} different names", "reshape the file"
        )
    for name in names:
        values = [row.get(name) for row in rows]
        inner: dict[str, list[Any]] = {}
        if dict in set(map(type, values)):
            nested = _fields([value if isinstance(value, dict) else {} for value in values], where)
            inner = {f"{name}.{key}": column for key, column in nested.items()}
            values = [None if isinstance(value, dict) else value for value in values]
        if not inner or any(value is not None for value in values):
            inner[name] = values
        for key, column in inner.items():
            if key in columns:
                raise InputError(
                    f"fields with different names in {where}", f"{show(key)} twice", "rename one"
                )
            columns[key] = column
    return columns


def _column_text(values: list[Any], missing: set[str]) -> tuple[pl.Series, set[type]]:
    """Write values as the cells of a table, and say of what types those are that are not missing."""
    types = set(map(type, values)) - {type(None)}
    if types <= {str}:
        column = pl.Series(values, dtype=pl.String).replace(list(missing), None)
        return column, types if column.null_count() < len(column) else set()
    if types <= {int, float}:
        return pl.Series(list(map(repr, values)), dtype=pl.String).replace(["None", "nan"], None), types
    kept = [None if type(value) is str and value in missing else value for value in values]
    return pl.Series([_json_text(v) for v in kept], dtype=pl.String), set(map(type, kept)) - {type(None)}


def _json_text(value: Any) -> str | None:
    """Write a value as the cell of a table: several as "cat|dog", other lists as JSON."""
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list):
        if not value:
            return None
        parts = [_json_text(part) or "" for part in value]
        plain = not any(isinstance(part, list | dict) for part in value)
        return "|".join(parts) if plain and not any("|" in p for p in parts) else json.dumps(value)
    return None if math.isnan(value) else repr(value)


def _read_arff(location: Location, wanted: Wanted) -> pl.DataFrame:
    try:
        text = location.data.decode("utf-8")
    except UnicodeDecodeError as problem:
        raise InputError(f"UTF-8 text in {location.name}", str(problem), "convert the file") from problem
    attributes, rows = read_arff_text(text, location.name)
    series = []
    for attribute, cells in zip(attributes, zip(*rows, strict=True), strict=True):
        raw = pl.Series(attribute.name, cells, dtype=pl.String)
        if wanted.as_text is not True and attribute.numeric:
            numbers = [None if cell is None else float(cell) for cell in cells]
            raw = pl.Series(attribute.name, numbers, dtype=pl.Float64)
        elif wanted.as_text is not True and attribute.values is not None:
            raw = raw.cast(pl.Enum(sorted(attribute.values)))
        series.append(raw)
    return cast_texts(pl.DataFrame(series), wanted.as_text)


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
    hint = "dates and relations are not read: turn them into numbers or text"
    raise InputError(f"a numeric, nominal or string attribute {show(name)}", f"{show(kind)} in {at}", hint)


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
        # Python refuses to read numbers of thousands of digits
        if match is None or len(match[1]) > 9 or int(match[1]) >= len(attributes) or int(match[1]) in given:
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
        return _whole_characters(_ESCAPE.sub(_unescape, cell[1:-1]))
    return cell


def _whole_characters(text: str) -> str:
    """Join the halves in which Java writes a character; one half alone is none."""
    try:
        return text if text.isascii() else text.encode("utf-16-le", "surrogatepass").decode("utf-16-le")
    except UnicodeDecodeError:
        hint = r"\ud83e\udd8a is one, \ud83e alone is none"
        raise InputError(r"whole characters after \u", show(text), hint) from None


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
