"""FOIL's file format: types, a blank line, relations, and perhaps a blank line and tests."""

from __future__ import annotations

from collections.abc import Container, Hashable
from math import isfinite

from fivefold.errors import InputError, show
from fivefold.learners.foil.relational.relations import OUTSIDE, Examples, Relation, Relations, Tuple, Type
from fivefold.learners.foil.relational.text import Text

_HINT_TYPE = "a file starts with types such as `X: a, b, c.`, then come relations such as `r(X,X)`"
_HINT_NAME = "a backslash before it lets `,`, `.`, `:`, `|`, `(` or `)` stand in a name"
_HINT_TUPLES = "tuples stand one a line, and a line with only `.` ends them"


def parse(text: str, source: str) -> Relations:
    """Read a task in FOIL's format; constants are texts, values of continuous types numbers."""
    reader = Text(text, source)
    types: dict[str, Type] = {}
    relations: dict[str, Relation] = {}
    tests = []
    reader.skip_blank_lines()
    while not reader.at_end() and not _starts_relation(reader):
        kind = _read_type(reader, types)
        types[kind.name] = kind
        reader.skip_blank_lines()
    while not reader.at_end() and _starts_relation(reader):
        relation = _read_relation(reader, types, relations)
        relations[relation.name] = relation
        reader.skip_blank_lines()
    if not relations:
        raise InputError("types and at least one relation", f"{source} without a relation", _HINT_TYPE)
    while not reader.at_end():
        tests.append(_read_tests(reader, relations, types))
        reader.skip_blank_lines()
    return Relations(types.values(), relations.values(), tests)


def _check_new(name: str, found: Container[str], what: str) -> None:
    if name in found:
        raise InputError(f"{what} with different names", f"a second {show(name)}")


def _starts_relation(reader: Text) -> bool:
    return "(" in reader.line().split(":")[0]


def _read_type(reader: Text, known: Container[str]) -> Type:
    name, end = reader.name()
    start = reader.token
    if end != ":":
        raise reader.problem("a type, as in `X: a, b, c.`", show(name), _HINT_TYPE)
    order = {"*": "given", "#": "none"}.get(name[:1], "discover")
    name = name[1:] if order != "discover" else name
    constants, theory = _read_constants(reader, name)
    reader.end_line(f"the full stop of type {show(name)}")
    with reader.at(start):
        _check_new(name, known, "types")
        if constants == ["continuous"]:
            return Type(name, continuous=True)
        return Type(name, constants, theory, order)


def _read_constants(reader: Text, name: str) -> tuple[list[str], list[str]]:
    """Read constants up to a full stop; give them, and those with a star."""
    constants: list[str] = []
    theory: list[str] = []
    end = ","
    while end == ",":
        reader.skip_blank_lines()
        constant, end = reader.name()
        if end == "\n":
            reader.skip_blank_lines()
            end = reader.peek()
            reader.place += end in (",", ".")
        if end not in (",", "."):
            got = f"{show(end)} after {show(constant)}" if end else "the end"
            raise reader.problem(f"`,` or `.` after a constant of type {show(name)}", got, _HINT_NAME)
        if constant.startswith("*"):
            constant = constant[1:]
            theory.append(constant)
        if not constant:
            raise reader.problem(f"a constant of type {show(name)}", f"nothing before {show(end)}")
        constants.append(constant)
    return constants, theory


def _read_relation(reader: Text, types: dict[str, Type], known: Container[str]) -> Relation:
    name, end = reader.name()
    start = reader.token
    kinds = []
    while end != ")":
        kind, end = reader.name()
        if end not in (",", ")"):
            raise reader.problem(f"`,` or `)` after a type of relation {show(name)}", show(end))
        if kind not in types:
            raise reader.problem(f"one of the types {show(list(types))}", show(kind))
        kinds.append(kind)
    keys = reader.line()
    reader.skip_line()
    own = [types[kind] for kind in kinds]
    positive, end = _read_tuples(reader, own, name)
    negative = _read_tuples(reader, own, name)[0] if end == ";" else None
    split = [key.strip() for key in keys.split("/")] if keys else []
    plain = name.removeprefix("*")
    with reader.at(start):
        _check_new(plain, known, "relations")
        return Relation(plain, kinds, positive, negative, split, plain == name)


def _read_tuples(reader: Text, types: list[Type], name: str) -> tuple[list[Tuple], str]:
    """Read tuples, one a line, up to a line that starts with a full stop or a semicolon."""
    rows: list[Tuple] = []
    known = [set(kind.constants) for kind in types]
    while True:
        reader.skip_blank_lines()
        if reader.at_end():
            raise reader.problem(f"`.` after the tuples of {show(name)}", "the end", _HINT_TUPLES)
        if reader.peek() in (".", ";"):
            end = reader.peek()
            reader.place += 1
            reader.end_line(f"`{end}` at the end of tuples")
            return rows, end
        row, end = _read_tuple(reader, types, known)
        if end != "\n":
            raise reader.problem("one tuple a line", f"{show(end)} after a tuple", _HINT_TUPLES)
        rows.append(row)


def _read_tuple(reader: Text, types: list[Type], known: list[set[Hashable]]) -> tuple[Tuple, str]:
    values: list[Hashable] = []
    end = ","
    for place, (kind, constants) in enumerate(zip(types, known, strict=True)):
        if end != ",":
            raise reader.problem(f"{len(types)} values in a tuple", f"{place}", _HINT_TUPLES)
        word, end = reader.name()
        values.append(_value(reader, word, kind, constants))
    if end == ",":
        raise reader.problem(f"{len(types)} values in a tuple", "more")
    return tuple(values), end


def _value(reader: Text, word: str, kind: Type, constants: set[Hashable]) -> Hashable:
    if word == "?":
        return None
    if kind.continuous:
        return _number(reader, word, kind.name)
    if word == "^":
        return OUTSIDE
    if word not in constants:
        raise reader.problem(
            f"a constant of type {show(kind.name)}", show(word), "a type lists all its constants"
        )
    return word


def _number(reader: Text, word: str, kind: str) -> float:
    try:
        number = float(word)
    except ValueError:
        number = float("nan")
    if not isfinite(number):
        raise reader.problem(
            f"a number of the continuous type {show(kind)}", show(word), "`?` is a missing one"
        )
    return number


def _read_tests(reader: Text, relations: dict[str, Relation], types: dict[str, Type]) -> Examples:
    name = reader.line()
    if name not in relations:
        hint = "after the relations come only tests: a relation's name, and tuples with `: +` or `: -`"
        raise reader.problem(f"one of the relations {show(list(relations))} to test", show(name), hint)
    reader.skip_line()
    own = [types[kind] for kind in relations[name].types]
    known = [set(kind.constants) for kind in own]
    rows: list[Tuple] = []
    answers: list[bool] = []
    while True:
        reader.skip_blank_lines()
        if reader.at_end() or reader.peek() == ".":
            reader.skip_line()
            return Examples(name, tuple(rows), tuple(answers))
        row, end = _read_tuple(reader, own, known)
        sign = reader.line() if end == ":" else ""
        if sign not in ("+", "-"):
            raise reader.problem("`: +` or `: -` after a tuple to test", show(sign))
        rows.append(row)
        answers.append(sign == "+")
        reader.skip_line()
