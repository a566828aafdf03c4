"""Relations as ground tuples over types: what relational FOIL learns from, and FOIL's file format."""

from __future__ import annotations

import math
import numbers
import re
from collections.abc import Container, Hashable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, TypeAlias

from fivefold.data.locations import locate
from fivefold.errors import InputError, InputTypeError, show
from fivefold.inputs.options import instance_of, one_of

Tuple: TypeAlias = tuple[Hashable, ...]


class _Outside:
    """A value outside the closed world; written ``^``."""

    def __repr__(self) -> str:
        return "^"

    def __reduce__(self) -> str:
        return "OUTSIDE"  # there is but one, also in copies of what holds it


OUTSIDE: Final = _Outside()


def _set(frozen: object, **values: object) -> None:
    for name, value in values.items():
        object.__setattr__(frozen, name, value)


@dataclass(frozen=True)
class Type:
    """A kind of constants that arguments of relations may take.

    Parameters
    ----------
    name : str
        Its name.
    constants : iterable
        Its constants, any hashable values; none for a continuous type.
    theory : iterable
        Those of them that may stand in a clause.
    order : {"discover", "given", "none"}
        Which order of the constants recursion may go along: the one that the relations suggest, if any; that in
        which they are given, smallest first; or none.
    continuous : bool
        Whether the values are numbers, which clauses may compare but not name.

    Examples
    --------
    >>> Type("N", range(4), theory=[0], order="given")
    Type(name='N', constants=(0, 1, 2, 3), theory=(0,), order='given', continuous=False)
    """

    name: str
    constants: tuple[Hashable, ...] = ()
    theory: tuple[Hashable, ...] = ()
    order: str = "discover"
    continuous: bool = False

    def __init__(
        self,
        name: str,
        constants: Iterable[Hashable] = (),
        theory: Iterable[Hashable] = (),
        order: str = "discover",
        continuous: bool = False,
    ) -> None:
        order = one_of(order, ("discover", "given", "none"), "order")
        _set(self, name=name, constants=tuple(constants), theory=tuple(theory), order=order)
        _set(self, continuous=continuous)
        if len(set(self.constants)) < len(self.constants):
            twice = next(c for c in self.constants if self.constants.count(c) > 1)
            raise InputError(f"different constants of type {show(name)}", f"{show(twice)} twice")
        if continuous == bool(self.constants):
            what = "constants of a continuous type" if continuous else "no constants"
            raise InputError("a type to have constants or to be continuous", f"{what} for type {show(name)}")
        for constant in self.theory:
            if constant not in set(self.constants):
                raise InputError(f"theory constants among those of type {show(name)}", show(constant))


@dataclass(frozen=True)
class Relation:
    """A relation as the tuples for which it holds.

    Parameters
    ----------
    name : str
        Its name.
    types : iterable of str
        The name of the type of each argument.
    positive : iterable of tuple
        The tuples for which it holds. None is a missing value, `OUTSIDE` one outside the closed world.
    negative : iterable of tuple, optional
        Those for which it does not hold. By default all other tuples of its types: the closed world.
    keys : iterable of str
        The ways in which a clause may use it: one character an argument, ``#`` if it must be bound by an earlier
        literal, ``-`` if it need not. All ways by default.
    target : bool
        Whether a definition of it is to be learnt.

    Examples
    --------
    >>> Relation("succ", ["N", "N"], [(0, 1), (1, 2)]).positive
    ((0, 1), (1, 2))
    """

    name: str
    types: tuple[str, ...]
    positive: tuple[Tuple, ...]
    negative: tuple[Tuple, ...] | None = None
    keys: tuple[str, ...] = ()
    target: bool = False

    def __init__(
        self,
        name: str,
        types: Iterable[str],
        positive: Iterable[Sequence[Hashable]],
        negative: Iterable[Sequence[Hashable]] | None = None,
        keys: Iterable[str] = (),
        target: bool = False,
    ) -> None:
        against = None if negative is None else tuple(map(tuple, negative))
        _set(self, name=name, types=tuple(types), positive=tuple(map(tuple, positive)), negative=against)
        _set(self, keys=tuple(keys), target=target)
        if not self.types:
            raise InputError(f"at least one argument of relation {show(name)}", "none")
        for key in self.keys:
            if len(key) != len(self.types) or set(key) - set("#-"):
                raise InputError(
                    f"keys of {len(self.types)} characters # or -", f"{show(key)} for {show(name)}"
                )
        for row in (*self.positive, *(self.negative or ())):
            if len(row) != len(self.types):
                raise InputError(f"tuples of {len(self.types)} for relation {show(name)}", show(row))


@dataclass(frozen=True)
class Examples:
    """Tuples with the answers that a definition should give."""

    relation: str
    tuples: tuple[Tuple, ...]
    answers: tuple[bool, ...]


@dataclass(frozen=True)
class Relations:
    """A task for relational FOIL: types, relations over them, and perhaps examples to test definitions on.

    Parameters
    ----------
    types : iterable of Type
        The types.
    relations : iterable of Relation
        The relations; those with ``target=True`` are to be defined.
    tests : iterable of Examples
        Examples for testing.

    Examples
    --------
    >>> task = Relations(
    ...     [Type("N", range(4))],
    ...     [Relation("less", "NN", [(a, b) for a in range(4) for b in range(a + 1, 4)], target=True),
    ...      Relation("succ", "NN", [(0, 1), (1, 2), (2, 3)])],
    ... )
    >>> task.targets
    ('less',)
    """

    types: tuple[Type, ...]
    relations: tuple[Relation, ...]
    tests: tuple[Examples, ...] = ()

    def __init__(
        self, types: Iterable[Type], relations: Iterable[Relation], tests: Iterable[Examples] = ()
    ) -> None:
        _set(self, types=tuple(types), relations=tuple(relations), tests=tuple(tests))
        _check_names([t.name for t in self.types], "types")
        _check_names([r.name for r in self.relations], "relations")
        types_by_name = {t.name: t for t in self.types}
        for relation in self.relations:
            _check_tuples(relation, types_by_name)

    @property
    def targets(self) -> tuple[str, ...]:
        """The relations to be defined."""
        return tuple(relation.name for relation in self.relations if relation.target)

    def relation(self, name: str) -> Relation:
        """Find a relation by its name."""
        for relation in self.relations:
            if relation.name == name:
                return relation
        raise InputError(f"one of the relations {show([r.name for r in self.relations])}", show(name))

    @classmethod
    def read(cls, path: str | Path) -> Relations:
        """Read a task from a file in FOIL's format, usually called ``*.d``; also packed, ``-`` or an address."""
        instance_of(path, (str, Path), "a path to a file")
        locations = locate(path)
        if len(locations) > 1:
            raise InputError("one file of relations", f"{len(locations)} that match {show(str(path))}")
        try:
            text = locations[0].data.decode("utf-8-sig")
        except UnicodeDecodeError as problem:
            line = problem.object.count(b"\n", 0, problem.start) + 1
            got = f"bytes that are none in line {line} of {locations[0].name}"
            raise InputError("a text in UTF-8", got, "save the file in UTF-8") from None
        return _parse(text.replace("\r\n", "\n").replace("\r", "\n"), locations[0].name)

    @classmethod
    def parse(cls, text: str) -> Relations:
        r"""Read a task from a text in FOIL's format.

        Examples
        --------
        >>> task = Relations.parse("X: a, *b.\n\nsame(X,X)\na,a\nb,b\n.\n")
        >>> task.relation("same").positive, task.types[0].theory
        ((('a', 'a'), ('b', 'b')), ('b',))
        """
        return _parse(text, "the text")


def _check_names(names: list[str], what: str) -> None:
    for name in names:
        if names.count(name) > 1:
            raise InputError(f"{what} with different names", f"{show(name)} twice")
    if not names:
        raise InputError(f"at least one of the {what}", "none")


def _check_tuples(relation: Relation, types: dict[str, Type]) -> None:
    for name in relation.types:
        if name not in types:
            raise InputError(
                f"types out of {show(list(types))}", f"{show(name)} in relation {show(relation.name)}"
            )
    kinds = [types[name] for name in relation.types]
    known: list[Any] = [None if kind.continuous else {*kind.constants, None, OUTSIDE} for kind in kinds]
    for row in (*relation.positive, *(relation.negative or ())):
        for value, kind, constants in zip(row, kinds, known, strict=True):
            if constants is None:
                _check_number(value, row, relation.name)
            elif value not in constants:
                raise InputError(
                    f"constants of type {show(kind.name)}", f"{show(value)} in {relation.name}{show(row)}"
                )


def _check_number(value: Any, row: Tuple, name: str) -> None:
    if value is None:
        return
    if isinstance(value, bool) or not isinstance(value, numbers.Real):
        raise InputTypeError("a number or None", f"{show(value)} in {name}{show(row)}")
    if not math.isfinite(value):
        raise InputError("a finite number", f"{show(value)} in {name}{show(row)}", "None is a missing value")


_PART = r"(?:\\.|\.(?=\d)|[^,\n|():.\\])"
_NAME = re.compile(f"{_PART}*", re.DOTALL)
_NAME_AT_LINE_START = re.compile(rf"(?!\.){_PART}*", re.DOTALL)


class _Text:
    """A text and a place in it: a backslash takes the next character as it is, ``|`` starts a comment."""

    def __init__(self, text: str, source: str) -> None:
        self.text = text if text.endswith("\n") else text + "\n"
        self.place = 0
        self.token = 0
        self.source = source

    def problem(self, expected: str, got: str, hint: str | None = None) -> InputError:
        """Say what is wrong with the latest name that was read, and where it stands."""
        line = self.text.count("\n", 0, self.token) + 1
        return InputError(expected, f"{got} in line {line} of {self.source}", hint)

    @contextmanager
    def at(self, token: int) -> Iterator[None]:
        """Add the line in which something starts to an error about it as a whole."""
        try:
            yield
        except InputError as problem:
            self.token = token
            raise self.problem(problem.expected, problem.got, problem.hint) from None

    def skip_line(self) -> None:
        """Go to the next line."""
        self.place = self.text.find("\n", self.place) + 1 or len(self.text)

    def skip_space(self) -> None:
        """Go to the next character of the line that means something."""
        while self.peek() in (" ", "\t", "|"):
            self.place = self.text.find("\n", self.place) if self.peek() == "|" else self.place + 1

    def skip_blank_lines(self) -> None:
        """Go to the next line that has something, or to the end."""
        self.skip_space()
        while self.peek() == "\n":
            self.place += 1
            self.skip_space()
        self.token = self.place

    def at_end(self) -> bool:
        """Tell whether nothing is left."""
        return self.place >= len(self.text)

    def peek(self) -> str:
        """Give the next character without going on; nothing at the end."""
        return self.text[self.place : self.place + 1]

    def line(self) -> str:
        """Give the rest of the line without its comment and without going on."""
        return self.text[self.place : self.text.find("\n", self.place)].split("|")[0].strip()

    def name(self) -> tuple[str, str]:
        """Read a name; give it and the character that ended it. Spaces within it count as one."""
        starts_line = self.text[self.place - 1 : self.place] in ("", "\n")
        self.skip_space()
        self.token = self.place
        matched = (_NAME_AT_LINE_START if starts_line else _NAME).match(self.text, self.place)
        raw = matched.group() if matched else ""
        self.place += len(raw)
        if self.peek() == "|":
            self.skip_space()
        end = self.peek()
        self.place += 1
        return re.sub(" +", " ", re.sub(r"\\(.)", r"\1", raw, flags=re.DOTALL)).strip(), end

    def end_line(self, what: str) -> None:
        """Go to the next line; only a comment may be left of this one."""
        left = self.line()
        if left:
            self.token = self.place
            raise self.problem(f"nothing after {what}", show(left))
        self.skip_line()


_HINT_TYPE = "a file starts with types such as `X: a, b, c.`, then come relations such as `r(X,X)`"
_HINT_NAME = "a backslash before it lets `,`, `.`, `:`, `|`, `(` or `)` stand in a name"
_HINT_TUPLES = "tuples stand one a line, and a line with only `.` ends them"


def _parse(text: str, source: str) -> Relations:
    """Read a task in FOIL's format; constants are texts, values of continuous types numbers."""
    reader = _Text(text, source)
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


def _check_new(name: str, known: Container[str], what: str) -> None:
    if name in known:
        raise InputError(f"{what} with different names", f"a second {show(name)}")


def _starts_relation(reader: _Text) -> bool:
    return "(" in reader.line().split(":")[0]


def _read_type(reader: _Text, known: Container[str]) -> Type:
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


def _read_constants(reader: _Text, name: str) -> tuple[list[str], list[str]]:
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


def _read_relation(reader: _Text, types: dict[str, Type], known: Container[str]) -> Relation:
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


def _read_tuples(reader: _Text, types: list[Type], name: str) -> tuple[list[Tuple], str]:
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


def _read_tuple(reader: _Text, types: list[Type], known: list[set[Hashable]]) -> tuple[Tuple, str]:
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


def _value(reader: _Text, word: str, kind: Type, constants: set[Hashable]) -> Hashable:
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


def _number(reader: _Text, word: str, kind: str) -> float:
    try:
        number = float(word)
    except ValueError:
        number = float("nan")
    if not math.isfinite(number):
        raise reader.problem(
            f"a number of the continuous type {show(kind)}", show(word), "`?` is a missing one"
        )
    return number


def _read_tests(reader: _Text, relations: dict[str, Relation], types: dict[str, Type]) -> Examples:
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
