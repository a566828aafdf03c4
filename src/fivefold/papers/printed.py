"""What a paper prints, as data: tables with their digits, errors found in it, and reasons for differences.

There is one TOML file a paper in the folder ``published``; it is read and checked once, when it is needed.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from typing import Any, Self

from fivefold.errors import InputError, InputTypeError, show
from fivefold.inputs.options import one_of

_FOLDER = files("fivefold.papers") / "published"


@dataclass(frozen=True)
class Number:
    """A printed number.

    Parameters
    ----------
    value : float
        NaN where the paper prints none.
    decimals : int
        Digits after the point: it was rounded to them.
    spread : float, optional
        What stands after ±.

    Examples
    --------
    >>> Number.read("5.23±8.35")
    Number(value=5.23, decimals=2, spread=8.35)
    >>> Number.read("100").rounding == 1 / 12 ** 0.5
    True
    """

    value: float
    decimals: int = 0
    spread: float | None = None

    @classmethod
    def read(cls, text: str) -> Self:
        """Read a number such as ``-4.1`` or ``5.23±8.35``; ``NaN`` and ``-`` are none."""
        first, _, spread = text.partition("±")
        if first.lower() in ("nan", "-"):
            return cls(float("nan"))
        try:
            return cls(float(first), len(first.partition(".")[2]), float(spread) if spread else None)
        except ValueError as problem:
            raise InputError("a number such as -4.1 or 5.23±8.35", show(text)) from problem

    @property
    def rounding(self) -> float:
        """The standard deviation of what rounding has taken away."""
        return float(10.0**-self.decimals / 12**0.5)


@dataclass(frozen=True)
class Printed:
    """A table of a paper.

    Parameters
    ----------
    label : str
        What the paper calls it, such as "Table 2".
    quantity, unit : str
        What the numbers are.
    numbers : mapping of (row, column) to Number
        In printed order.

    Examples
    --------
    >>> table = Printed.read("Table 1", "accuracy", ("C4.5", "1R"), {"BC": ".700±.079 .682±.055"})
    >>> table["BC", "1R"].value
    0.682
    """

    label: str
    quantity: str
    unit: str
    numbers: Mapping[tuple[str, str], Number] = field(repr=False)

    @classmethod
    def read(
        cls, label: str, quantity: str, columns: tuple[str, ...], rows: Mapping[str, str], unit: str = ""
    ) -> Self:
        """Read rows by name, each with one number for each column."""
        numbers: dict[tuple[str, str], Number] = {}
        for row, line in rows.items():
            words = line.split()
            if len(words) != len(columns):
                raise InputError(
                    f"{len(columns)} numbers in a row of {label}", f"{len(words)}: {row} {show(line)}"
                )
            numbers |= {(row, name): Number.read(word) for name, word in zip(columns, words, strict=True)}
        return cls(label, quantity, unit, numbers)

    def __getitem__(self, place: tuple[str, str]) -> Number:
        return self.numbers[place]

    def __iter__(self) -> Iterator[tuple[str, str]]:
        return iter(self.numbers)

    @property
    def rows(self) -> tuple[str, ...]:
        """The names of the rows."""
        return tuple(dict.fromkeys(row for row, _ in self.numbers))

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the columns."""
        return tuple(dict.fromkeys(column for _, column in self.numbers))


@dataclass(frozen=True)
class Erratum:
    """Something that a paper prints and that is not so: the place, the words, what is the case, and evidence."""

    where: str
    printed: str
    found: str
    evidence: str


@dataclass(frozen=True)
class Claim:
    """A conclusion of a paper: a short name, one sentence, where it is printed, and what tests it."""

    id: str
    sentence: str
    where: str
    test: str = ""


@dataclass(frozen=True)
class Reason:
    """Why our numbers differ in some places; without names of tables, rows or columns it holds for all."""

    reason: str
    tables: tuple[str, ...] = ()
    rows: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()

    def holds_at(self, table: str, row: str, column: str) -> bool:
        """Whether this is the reason for a cell."""
        places = ((self.tables, table), (self.rows, row), (self.columns, column))
        return all(not names or name in names for names, name in places)


@dataclass(frozen=True)
class Published:
    """What is known of a paper before it is re-run.

    Parameters
    ----------
    name, citation, contents : str
        First author and year; authors, year, title and place; what of it is re-run, in one line.
    notes : tuple of str
        What was done, and how it differs from the paper.
    runs : int
        How many runs a printed mean stands for; 0 where none does.
    tables : mapping of str to Printed
        The printed tables by our names for them.
    errata, reasons, claims : tuple
        The errors found in it, why numbers differ (the first reason that holds counts), and its conclusions.
    """

    name: str
    citation: str
    contents: str = field(repr=False)
    notes: tuple[str, ...] = field(repr=False)
    runs: int
    tables: Mapping[str, Printed] = field(repr=False)
    errata: tuple[Erratum, ...] = field(repr=False)
    reasons: tuple[Reason, ...] = field(repr=False)
    claims: tuple[Claim, ...] = field(default=(), repr=False)

    def __getitem__(self, table: str) -> Printed:
        return self.tables[table]

    def reason(self, table: str, row: str, column: str) -> str:
        """Give the reason for a difference; "" where it is not known."""
        return next((each.reason for each in self.reasons if each.holds_at(table, row, column)), "")


def read_published(name: str) -> Published:
    """Read what a paper prints, the errors in it, and the reasons for differences.

    Parameters
    ----------
    name : str
        A paper: ``fivefold.papers.NAMES``.

    Examples
    --------
    >>> published = read_published("korb2001")
    >>> published["accuracy"]["BC", "C4.5"]
    Number(value=0.7, decimals=3, spread=0.079)
    """
    known = sorted(
        file.name.removesuffix(".toml") for file in _FOLDER.iterdir() if file.name.endswith(".toml")
    )
    return _read_file(one_of(name, known, "paper"))


@cache
def _read_file(name: str) -> Published:
    return parse_published(name, (_FOLDER / f"{name}.toml").read_text("utf-8"))


def parse_published(name: str, text: str) -> Published:
    """Make what a paper's TOML says, and refuse what it cannot mean; its keys are those of the tables below."""
    place = f"{name}.toml"
    try:
        loaded = tomllib.loads(text)
    except tomllib.TOMLDecodeError as problem:
        raise InputError(f"{place} to be TOML", str(problem)) from problem
    parts = _checked(loaded, place, _PAPER, optional=("runs", "notes", "claims", "errata", "reasons"))
    tables = {key: _table(entry, f"table {key} of {place}") for key, entry in parts["tables"].items()}
    errata = [_checked(entry, f"an erratum of {place}", _ERRATUM) for entry in parts.get("errata", [])]
    claims = [_checked(entry, f"a claim of {place}", _CLAIM, ("test",)) for entry in parts.get("claims", [])]
    reasons = [_reason(entry, tables, f"a reason of {place}") for entry in parts.get("reasons", [])]
    return Published(
        name,
        parts["citation"],
        parts["contents"],
        tuple(parts.get("notes", [])),
        parts.get("runs", 0),
        tables,
        tuple(Erratum(**entry) for entry in errata),
        tuple(reasons),
        tuple(Claim(**entry) for entry in claims),
    )


_PAPER = {
    "citation": str,
    "contents": str,
    "notes": list,
    "runs": int,
    "tables": dict,
    "claims": list,
    "errata": list,
    "reasons": list,
}
_TABLE = {"label": str, "quantity": str, "unit": str, "columns": list, "rows": dict}
_CLAIM = {"id": str, "sentence": str, "where": str, "test": str}
_ERRATUM = {"where": str, "printed": str, "found": str, "evidence": str}
_REASON = {"reason": str, "tables": list, "rows": list, "columns": list}
_KINDS = {str: "text", list: "a list", dict: "a table", int: "a whole number"}


def _checked(
    entry: Any, where: str, kinds: Mapping[str, type], optional: tuple[str, ...] = ()
) -> dict[str, Any]:
    """Refuse a part of a file that lacks a key, has one too many, or one of another kind."""
    if not isinstance(entry, dict):
        raise InputTypeError(f"{where} to be a table", show(entry))
    for key in kinds:
        if key not in entry and key not in optional:
            raise InputError(f"{key} in {where}", f"only {', '.join(entry) or 'nothing'}")
    for key, value in entry.items():
        if key not in kinds:
            raise InputError(f"{where} with no more than {', '.join(kinds)}", show(key))
        if not isinstance(value, kinds[key]):
            raise InputTypeError(f"{key} of {where} to be {_KINDS[kinds[key]]}", show(value))
    return entry


def _table(entry: Any, where: str) -> Printed:
    parts = _checked(entry, where, _TABLE, optional=("unit",))
    for name in (*parts["columns"], *parts["rows"].values()):
        if not isinstance(name, str):
            raise InputTypeError(f"columns and rows of {where} to be text", show(name))
    columns, unit = tuple(parts["columns"]), parts.get("unit", "")
    return Printed.read(parts["label"], parts["quantity"], columns, parts["rows"], unit)


def _reason(entry: Any, tables: Mapping[str, Printed], where: str) -> Reason:
    """Read a reason; a place that is in no printed table is a slip of the pen."""
    parts = _checked(entry, where, _REASON, optional=("tables", "rows", "columns"))
    printed = tables.values()
    known = {
        "tables": {table.label for table in printed},
        "rows": {row for table in printed for row in table.rows},
        "columns": {column for table in printed for column in table.columns},
    }
    for key, names in known.items():
        for name in parts.get(key, []):
            if name not in names:
                raise InputError(f"{where} for {key} that are printed", show(name))
    places = {key: tuple(parts.get(key, ())) for key in known}
    return Reason(parts["reason"], **places)
