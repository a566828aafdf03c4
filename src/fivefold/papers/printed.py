"""A table as a paper prints it: numbers with their digits, and their spread where it is given."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Self

from fivefold.errors import InputError, show


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
        return cls(float(first), len(first.partition(".")[2]), float(spread) if spread else None)

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
    >>> table = Printed.read("Table 1", "accuracy", "", "C4.5 1R", "BC .700±.079 .682±.055")
    >>> table["BC", "1R"].value
    0.682
    """

    label: str
    quantity: str
    unit: str
    numbers: Mapping[tuple[str, str], Number]

    @classmethod
    def read(cls, label: str, quantity: str, unit: str, columns: str | tuple[str, ...], text: str) -> Self:
        """Read lines of a row's name and its numbers, one for each column."""
        names = tuple(columns.split()) if isinstance(columns, str) else columns
        numbers: dict[tuple[str, str], Number] = {}
        for line in filter(None, map(str.strip, text.strip().splitlines())):
            row, *cells = line.split()
            if len(cells) != len(names):
                raise InputError(f"{len(names)} numbers in a row of {label}", f"{len(cells)}: {show(line)}")
            numbers |= {(row, name): Number.read(cell) for name, cell in zip(names, cells, strict=True)}
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
