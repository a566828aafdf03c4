"""A re-run paper in the terminal, at 80 columns."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.table import Table

from fivefold.papers.cell import Cell
from fivefold.papers.outcome import MARKS, Outcome
from fivefold.report.papers.words import LEGEND, SIGNS, digits, distance

_SHOWN = 12


def print_outcome(outcome: Outcome, console: Console, *, everything: bool = False) -> None:
    """Print how many cells of each table agree, and those that differ most.

    Parameters
    ----------
    outcome : Outcome
        A re-run paper.
    console : rich Console
        Where to print.
    everything : bool
        Whether to print every cell.
    """
    console.print(outcome.citation, markup=False)
    if not outcome.complete:
        console.print(f"Not a whole run: numbers are preliminary ({outcome.status}).", markup=False)
    console.print()
    console.print(_counts(outcome))
    for table, cells in outcome.tables.items():
        shown = cells if everything else _furthest(cells)
        if shown:
            console.print()
            console.print(_cells(table, shown))
    console.print()
    console.print(LEGEND, markup=False)
    if outcome.errata:
        console.print("\nErrors found in the paper:", markup=False)
        for erratum in outcome.errata:
            console.print(f"  {erratum.where}: {erratum.found}", markup=False)


def _furthest(cells: Sequence[Cell]) -> list[Cell]:
    differ = [cell for cell in cells if cell.mark == "differs"]
    return sorted(differ, key=lambda cell: -abs(cell.distance))[:_SHOWN]


def _counts(outcome: Outcome) -> Table:
    table = _plain_table("table", *("agree", "differ", "not comparable"))
    for name, count in outcome.counts().items():
        table.add_row(name, *(str(count[mark]) for mark in MARKS))
    return table


def _cells(name: str, cells: Sequence[Cell]) -> Table:
    table = _plain_table(name, "", "published", "ours", "apart", "", "reason")
    for cell in cells:
        numbers = (digits(cell, cell.published), digits(cell, cell.ours), distance(cell), SIGNS[cell.mark])
        table.add_row(cell.row, cell.column, *numbers, cell.reason)
    return table


def _plain_table(*columns: str) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    for column in columns:
        right = column in ("published", "ours", "apart", "agree", "differ", "not comparable")
        table.add_column(column, justify="right" if right else "left", overflow="fold")
    return table
