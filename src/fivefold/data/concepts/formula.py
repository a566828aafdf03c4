"""Formulas in disjunctive normal form, read from text and written to it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple, TypeAlias

from fivefold.errors import InputError, show

__all__ = ["Clause", "attribute_name", "read_formula", "write_formula"]

Clause: TypeAlias = tuple[tuple[int, bool], ...]  # attributes and the values that they must have

_TOKEN = re.compile(r"\s*(?P<token>~\s*[A-Z]+|[A-Z]+|\||&)")
_LETTERS = 26


class _Token(NamedTuple):
    text: str
    place: int


def attribute_name(place: int) -> str:
    """Name an attribute as a spreadsheet names its columns: A to Z, then AA, AB, ….

    Examples
    --------
    >>> [attribute_name(place) for place in (0, 25, 26, 49, 701, 702)]
    ['A', 'Z', 'AA', 'AX', 'ZZ', 'AAA']
    """
    name, left = "", place + 1
    while left:
        left, letter = divmod(left - 1, _LETTERS)
        name = chr(ord("A") + letter) + name
    return name


def attribute_place(name: str) -> int:
    """Give the place of a named attribute, counted from 0; the inverse of `attribute_name`."""
    place = 0
    for letter in name:
        place = place * _LETTERS + ord(letter) - ord("A") + 1
    return place - 1


def write_formula(clauses: tuple[Clause, ...]) -> str:
    """Write clauses so that `read_formula` reads the same ones."""
    return " | ".join(
        " ".join(f"{'' if wanted else '~'}{attribute_name(place)}" for place, wanted in clause)
        for clause in clauses
    )


def read_formula(text: str, n_attributes: int) -> tuple[Clause, ...]:
    """Read clauses such as ``B C ~D | A ~E``; what cannot be read is named with its position, from 0."""
    clauses: list[Clause] = []
    clause: dict[int, bool] = {}
    start = 0
    for token in _tokens(text):
        if token.text == "|":
            clauses.append(_closed(clause, start, text))
            clause, start = {}, token.place + 1
        elif token.text != "&":
            place = _attribute(token, n_attributes)
            if place in clause:
                raise InputError(
                    "each attribute at most once in a clause",
                    f"{token.text!r} again at position {token.place} of {show(text)}",
                )
            clause[place] = not token.text.startswith("~")
    clauses.append(_closed(clause, start, text))
    return tuple(clauses)


def _tokens(text: str) -> Iterator[_Token]:
    place = 0
    while text[place:].strip():
        found = _TOKEN.match(text, place)
        if found is None:
            place += len(text[place:]) - len(text[place:].lstrip())
            raise InputError(
                "a formula of attributes, ~ for not, spaces for and, | for or",
                f"{text[place]!r} at position {place} of {show(text)}",
                "attributes are A to Z, then AA, AB, …, in capital letters",
            )
        yield _Token(found["token"], found.start("token"))
        place = found.end()


def _attribute(token: _Token, n_attributes: int) -> int:
    place = attribute_place(token.text.lstrip("~ \t\n"))
    if place >= n_attributes:
        raise InputError(
            f"attributes from A to {attribute_name(n_attributes - 1)}, as there are {n_attributes}",
            f"{token.text!r} at position {token.place}",
            "raise n_attributes",
        )
    return place


def _closed(clause: dict[int, bool], start: int, text: str) -> Clause:
    if not clause:
        raise InputError(
            "an attribute in every clause", f"an empty clause at position {start} of {show(text)}"
        )
    return tuple(clause.items())
