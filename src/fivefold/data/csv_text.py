"""CSV text: every cell kept, every malformed line named; and text as numbers where it is."""

from __future__ import annotations

import csv
import io
import re
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import islice
from typing import TypeAlias

import polars as pl

from fivefold.errors import InputError, show
from fivefold.inputs.columns import Kind
from fivefold.plain_text import counted

Kinds: TypeAlias = Mapping[str, Kind]

_BOM = b"\xef\xbb\xbf"
_MOST_CHARACTERS = 2**31 - 1  # of a cell: what the csv module can be told on every system
_ROWS_AT_ONCE = 50_000  # cells as Python texts take many times the room of the file
_SEPARATORS = (",", ";", "\t", "|")
_BLANK_LINES = re.compile(rb"(?: *[\r\n])+")


def read_csv_text(data: bytes, where: str, separator: str | None = None) -> tuple[pl.DataFrame, str]:
    """Read all cells as text, the empty cell as empty text; also give the separator that was used.

    Blank lines before the header and, where there are several columns, after the last row hold nothing.
    """
    data = data.removeprefix(_BOM)
    _check_characters(data, where)
    header, separator, _ = first_record(data, where, separator)
    if len(header) > 1:
        data = data.rstrip(b"\r\n")
    read = _read_quoted if b'"' in data else _read_plain
    frame = read(data, separator, where, header)
    if frame.height == 0:
        raise InputError("at least one row below the header", f"none in {where}", "check the file")
    return frame, separator


def first_record(data: bytes, where: str, separator: str | None) -> tuple[list[str], str, int]:
    """Give the header of a file by its first part, the separator, and how many bytes come before the rows."""
    mark = len(_BOM) if data.startswith(_BOM) else 0
    data = data[mark:]
    if not data.strip():
        raise InputError("a header and rows", f"an empty file: {where}", "check the path")
    separator = _pick_separator(data, separator)
    line, header = next(_records(data, separator, where), (0, []))
    check_header(header, where)
    end = 0
    for _ in range(line):
        end = data.find(b"\n", end) + 1 or len(data)
    return header, separator, mark + end


def line_of_row(data: bytes, row: int, separator: str, where: str) -> int:
    """Find the line of the file on which a row ends, counting from 1; row 0 is the first below the header."""
    records = _records(data.removeprefix(_BOM), separator, where)
    return next(line for place, (line, _) in enumerate(records) if place == row + 1)


def _check_characters(data: bytes, where: str) -> None:
    try:
        data.decode("utf-8")
    except UnicodeDecodeError as problem:
        line = data.count(b"\n", 0, problem.start) + 1
        encoding = "utf-16" if data[:2] in (b"\xff\xfe", b"\xfe\xff") else "latin1"
        raise InputError(
            f"UTF-8 text in {where}",
            f"byte {problem.object[problem.start]:#04x} in line {line}",
            f"save it as UTF-8, or convert it: iconv -f {encoding} -t utf-8 OLD > NEW",
        ) from problem
    if b"\n" not in data and b"\r" in data.strip():
        raise InputError(
            f"lines that end in LF or CRLF in {where}", "lines that end in CR", "convert the file"
        )


def _pick_separator(data: bytes, separator: str | None) -> str:
    if separator is None:
        start = _header_start(data)
        end = data.find(b"\n", start)
        header = data[start : end if end >= 0 else len(data)].decode()
        outside_quotes = "".join(header.split('"')[::2])
        return max(_SEPARATORS, key=outside_quotes.count)
    if len(separator) != 1 or not separator.isascii() or separator in '"\r\n':
        raise InputError("a separator of one ASCII character", show(separator), "such as ',' or ';' or '\\t'")
    return separator


def check_header(header: Sequence[str], where: str) -> None:
    """Refuse columns without a name, or with the same."""
    for place, name in enumerate(header, start=1):
        if not name.strip():
            index = "; if it is the index of pandas, write with to_csv(…, index=False)" if place == 1 else ""
            hint = f"complete the first line{index}"
            raise InputError(f"a name for every column of {where}", f"none for column {place}", hint)
    name, times = next(iter(Counter(header).most_common(1)), ("", 0))
    if times > 1:
        raise InputError(
            f"column names that differ from each other in {where}",
            f"{show(name)} {times} times",
            "rename one of the columns",
        )


def _read_plain(data: bytes, separator: str, where: str, header: list[str]) -> pl.DataFrame:
    try:
        table = io.BytesIO(data[_header_start(data) :])
        frame = pl.read_csv(table, infer_schema=False, separator=separator, quote_char=None)
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
    cells, schema = _whole_rows(records, header, separator, where), dict.fromkeys(header, pl.String)
    pieces = [pl.DataFrame(schema=schema)]
    while rows := list(islice(cells, _ROWS_AT_ONCE)):
        columns = dict(zip(header, zip(*rows, strict=True), strict=True))
        pieces.append(pl.DataFrame(columns, schema=schema))
    return pl.concat(pieces)


def _whole_rows(
    records: Iterator[tuple[int, list[str]]], header: list[str], separator: str, where: str
) -> Iterator[list[str]]:
    for line, record in records:
        row = record or [""] * (len(header) == 1)
        if len(row) != len(header):
            raise _wrong_length(len(header), record, line, separator, where)
        yield row


def _header_start(data: bytes) -> int:
    blank = _BLANK_LINES.match(data)
    return blank.end() if blank else 0


def _records(data: bytes, separator: str, where: str) -> Iterator[tuple[int, list[str]]]:
    # decoded as it is read: a large file must not stand in memory twice only for its header
    start = _header_start(data)
    skipped = len(data[:start].splitlines())
    table = io.BytesIO(data)
    table.seek(start)
    reader = csv.reader(
        io.TextIOWrapper(table, encoding="utf-8", newline=""), delimiter=separator, strict=True
    )
    try:
        with _long_cells():
            for record in reader:
                yield skipped + reader.line_num, record
    except csv.Error as problem:
        raise InputError(
            f"quotes that close, doubled inside a cell, in {where}",
            f"{problem} in line {skipped + reader.line_num}",
            'write "…""…" for a cell that holds a quote',
        ) from problem


_limit = threading.Lock()
_readers: list[int] = []


@contextmanager
def _long_cells() -> Iterator[None]:
    # The csv module's limit is of the whole process: the first reader raises it, the last puts it back.
    with _limit:
        usual = csv.field_size_limit(_MOST_CHARACTERS)
        _readers.append(_readers[0] if _readers else usual)
    try:
        yield
    finally:
        with _limit:
            usual = _readers.pop()
            if not _readers:
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
        f"{counted(width, 'cell')} in every line of {where}",
        f"{len(record)} in line {line}: {show(separator.join(record))}",
        "fill the line up, quote cells that hold the separator, or name another with ff.data.read(separator=)",
    )


_CODE = "^0[0-9]+[.eE]?[0-9]*$"
_NEARLY = {
    "has a decimal comma": "^[+-]?[0-9]+,[0-9]+$",
    "is in per cent": "^[0-9]+([.,][0-9]+)? ?%$",
    "begins with a zero, as codes do": _CODE,
}
_FEW = 0.1  # of the cells, that make words of numbers
# Text that stands for a missing value in many files. Among numbers it is never taken for a category.
_LOOKS_MISSING = ["?", "na", "n/a", "#n/a", "nan", "null", "none", "nil", "missing", "-", "--", ".", "inf"]


def as_numbers(texts: pl.DataFrame) -> tuple[pl.DataFrame, dict[str, bool]]:
    """Read text as numbers, null where it is none; also give by name whether all of a column are finite numbers.

    Digits behind a zero are a code (a postal code, an id), and a column that holds one is no column of numbers.
    """
    trimmed = texts.select(pl.all().str.strip_chars())
    numbers = trimmed.select(pl.all().cast(pl.Float64, strict=False))
    finite = numbers.select(pl.all().is_finite().sum()).rows()
    codes = trimmed.select(pl.all().str.contains(_CODE).any()).rows()
    facts = zip(texts.columns, *finite, *texts.count().rows(), *codes, strict=False)
    return numbers, {name: n == known and not coded for name, n, known, coded in facts}


def type_columns(
    frame: pl.DataFrame, kinds: Kinds, locate: Callable[[int], str], notes: list[str] | None
) -> pl.DataFrame:
    """Turn columns of text into Float64 where :func:`type_column` would, all in one go."""
    text = frame.drop([name for name, kind in kinds.items() if kind == "nominal"])
    numbers, fits = as_numbers(text)
    clean = [name for name, fit in fits.items() if fit]
    rest = [name for name, fit in fits.items() if not fit]
    typed = [type_column(frame[name], kinds.get(name), locate, notes) for name in rest]
    return frame.with_columns(*numbers.select(clean), *typed)


def type_column(
    text: pl.Series, kind: Kind | None, locate: Callable[[int], str], notes: list[str] | None = None
) -> pl.Series:
    """Turn text into Float64 where it is to be numeric, or where all of it is numbers and nothing is said.

    Digits behind a zero, such as 007, are no number where nothing is said: a code would lose its zeros. With
    `notes`, text that looks missing among numbers is missing, and told there.
    """
    if kind == "nominal":
        return text
    trimmed = text.str.strip_chars()
    numbers = trimmed.cast(pl.Float64, strict=False)
    numbers = numbers.set(~numbers.is_finite() | (trimmed.str.contains(_CODE) & (kind is None)), None)
    odd = (numbers.is_null() & text.is_not_null()).arg_true()
    if len(odd) == 0:
        return numbers
    is_mixed = numbers.is_not_null().any() and trimmed[odd].str.to_lowercase().is_in(_LOOKS_MISSING).all()
    if is_mixed and notes is not None and kind is None:
        words = trimmed[odd].unique(maintain_order=True).to_list()
        listed = " and ".join(map(show, words[:3]))
        cases = counted(len(odd), "case")
        notes.append(f"Among the numbers of {text.name}, {listed} means missing ({cases}).")
        return numbers
    if kind == "numeric" or is_mixed:
        raise InputError(
            f"numbers in column {show(text.name)}",
            f"{show(text[odd[0]])} in {locate(odd[0])}",
            f"if it means missing, pass missing=('', {text[odd[0]]!r}) (command line: --missing); "
            f"if it is a category, pass kinds={{{text.name!r}: 'nominal'}} (command line: --nominal)",
        )
    known, strange = len(text) - text.null_count(), text[odd[0]]
    why = next((why for why, form in _NEARLY.items() if trimmed[odd].str.contains(form).all()), "")
    if notes is not None and kind is None and (why or len(odd) <= _FEW * known):
        why = f"{show(strange)} {why or 'is no number'}"
        notes.append(f"{text.name} is read as words: {why} ({len(odd):,} of {known:,} cells).")
    return text
