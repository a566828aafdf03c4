"""ARFF files, dense and sparse, as columns of text with the kinds that the header declares."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from fivefold.errors import InputError, show

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


@dataclass(frozen=True, slots=True)
class ArffText:
    """The cells of a file as text, None for missing, with the line that each row stood on."""

    attributes: tuple[Attribute, ...]
    rows: list[list[str | None]]
    lines: list[int]


def read_arff_text(text: str, where: str) -> ArffText:
    """Read an ARFF file; complain with the line number about what does not follow its own header."""
    lines = _meaningful_lines(text)
    attributes = _read_header(lines, where)
    rows, places = [], []
    for number, line in lines:
        at = f"line {number} of {where}"
        cells = (
            _sparse_row(line, attributes, at) if line.startswith("{") else _dense_row(line, attributes, at)
        )
        rows.append(cells)
        places.append(number)
    if not rows:
        raise InputError("at least one row after @data", f"none in {where}", "check the file")
    return ArffText(attributes, rows, places)


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
