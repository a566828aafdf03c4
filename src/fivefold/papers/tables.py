"""From finished jobs to compared tables."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, TypeAlias

from fivefold.papers.cell import Cell, Sample
from fivefold.papers.printed import Printed

if TYPE_CHECKING:
    import polars as pl


Reasons: TypeAlias = Callable[[str, str], str]
"""Says why a number in a row and column differs; "" where that is not known."""


def samples(frame: pl.DataFrame, row: str, column: str, value: str) -> dict[tuple[str, str], Sample]:
    """Give the values of finished jobs by the labels that name rows and columns."""
    found = frame.drop_nulls(value).group_by([row, column], maintain_order=True).agg(value)
    return {(str(r), str(c)): Sample.of(values) for r, c, values in found.iter_rows()}


def compare_means(
    printed: Printed,
    ours: Mapping[tuple[str, str], Sample],
    *,
    runs: int,
    spread_divisor: float | None = None,
    reasons: Reasons = lambda row, column: "",
) -> list[Cell]:
    """Compare the means of a printed table with ours.

    Parameters
    ----------
    printed : Printed
        The table.
    ours : mapping of (row, column) to Sample
        Cells that are absent are left out.
    runs : int
        How many runs each printed mean stands for.
    spread_divisor : float, optional
        What the printed ± is divided by to give a standard deviation; None where it is not printed.
    reasons : callable
        Why a cell differs.
    """
    cells = []
    for (row, column), number in printed.numbers.items():
        sample = ours.get((row, column))
        if sample is None or not sample.runs:
            continue
        spread = None if number.spread is None or spread_divisor is None else number.spread / spread_divisor
        cells.append(
            Cell.of_means(
                (printed.label, row, column),
                printed.quantity,
                number,
                sample,
                runs=runs,
                spread=spread,
                reason=reasons(row, column),
            )
        )
    return cells
