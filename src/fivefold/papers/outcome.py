"""What came out of re-running a paper: its cells, its figures, and the errors found in it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import isnan
from typing import Any, ClassVar

from fivefold.papers.cell import Cell, Mark
from fivefold.results import Direction, Result

MARKS: tuple[Mark, ...] = ("agrees", "differs", "not comparable")


@dataclass(frozen=True)
class Erratum:
    """Something that a paper prints and that is not so.

    Parameters
    ----------
    where : str
        The place in the paper.
    printed : str
        What it says.
    found : str
        What is the case.
    evidence : str
        How that is known, with numbers.
    """

    where: str
    printed: str
    found: str
    evidence: str


@dataclass(frozen=True, eq=False)
class Figure:
    """The numbers behind a figure of a paper, drawn elsewhere.

    Parameters
    ----------
    label, title : str
        What the paper calls it, and what it shows.
    columns : mapping of str to sequence
        ``x``, ``y`` and ``series``; ``low`` and ``high`` where there are bars of error; ``group`` where the lines
        of a series are not joined; of equal length.
    x_title, y_title : str
        What the axes are.
    lines : tuple of str
        The series that are drawn as lines; the others are points.
    note : str
        What a reader should see in it.
    """

    label: str
    title: str
    columns: Mapping[str, Sequence[Any]] = field(repr=False)
    x_title: str
    y_title: str
    lines: tuple[str, ...] = ()
    note: str = ""


@dataclass(frozen=True, eq=False)
class Extra:
    """A table of ours that the paper does not have.

    Parameters
    ----------
    title : str
        What it shows.
    columns : mapping of str to sequence
        Its columns, of equal length.
    note : str
        What a reader should see in it.
    """

    title: str
    columns: Mapping[str, Sequence[Any]] = field(repr=False)
    note: str = ""


@dataclass(frozen=True, eq=False)
class Outcome(Result):
    """A re-run paper.

    Parameters
    ----------
    paper, citation : str
        The short name, and the paper's authors, year, title and place.
    cells : tuple of Cell
        All published numbers beside ours.
    figures : tuple of Figure
        The figures.
    extras : tuple of Extra
        What goes beyond the paper.
    errata : tuple of Erratum
        The errors found in the paper.
    notes : tuple of str
        What was done, and how it differs from the paper.
    complete : bool
        False for a quick run, or where jobs failed or are open.
    status : str
        How many jobs are finished, failed and open.
    """

    title: ClassVar[str] = "A paper, re-run"
    unit: ClassVar[str] = ""
    direction: ClassVar[Direction] = "neither"

    paper: str
    citation: str
    cells: tuple[Cell, ...] = field(repr=False)
    figures: tuple[Figure, ...] = field(default=(), repr=False)
    extras: tuple[Extra, ...] = field(default=(), repr=False)
    errata: tuple[Erratum, ...] = field(default=(), repr=False)
    notes: tuple[str, ...] = field(default=(), repr=False)
    complete: bool = False
    status: str = ""

    @property
    def tables(self) -> dict[str, list[Cell]]:
        """The cells by table, in order."""
        grouped: dict[str, list[Cell]] = {}
        for cell in self.cells:
            grouped.setdefault(cell.table, []).append(cell)
        return grouped

    def counts(self) -> dict[str, dict[Mark, int]]:
        """How many cells of each table agree, differ, and can not be compared."""
        return {table: count_marks(cells) for table, cells in self.tables.items()}

    def columns(self) -> Mapping[str, Any]:
        """Give all cells as columns."""
        names = ("table", "row", "column", "quantity", "published", "ours", "error", "distance")
        columns: dict[str, Any] = {
            name: [_plain(getattr(cell, name)) for cell in self.cells] for name in names
        }
        return columns | {
            "mark": [cell.mark for cell in self.cells],
            "reason": [cell.reason for cell in self.cells],
        }

    def __str__(self) -> str:
        marks = count_marks(self.cells)
        return f"{self.citation}: " + ", ".join(f"{marks[mark]} {_verb(mark)}" for mark in MARKS)


def count_marks(cells: Sequence[Cell]) -> dict[Mark, int]:
    """Count the marks of some cells."""
    found = Counter(cell.mark for cell in cells)
    return {mark: found[mark] for mark in MARKS}


def _verb(mark: Mark) -> str:
    return {"agrees": "agree", "differs": "differ"}.get(mark, mark)


def _plain(value: Any) -> Any:
    return None if isinstance(value, float) and isnan(value) else value
