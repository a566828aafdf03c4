"""How cells are written, in every form of output."""

from __future__ import annotations

from math import isnan

from fivefold.papers.cell import Cell, Mark

SIGNS: dict[Mark, str] = {"agrees": "✓", "differs": "✗", "not comparable": "·"}
LEGEND = (
    "✓ agrees: within two standard errors of the difference (one cell in 22 would lie outside by chance alone); "
    "✗ differs; · cannot be compared. Numbers without chance in them agree when they differ by less than their "
    "page says; the distance 2 is the limit for them too."
)


def digits(cell: Cell, value: float) -> str:
    """Write a number with the digits that the paper prints, and one more for ours where it helps."""
    return "–" if isnan(value) else f"{value:.{cell.decimals}f}".replace("-", "−")


def distance(cell: Cell) -> str:
    """Write how far apart the two numbers are, in standard errors."""
    return "" if isnan(cell.distance) else f"{cell.distance:+.1f}".replace("-", "−")


def pair(cell: Cell) -> str:
    """Write both numbers and the mark."""
    return f"{digits(cell, cell.published)} | {digits(cell, cell.ours)} {SIGNS[cell.mark]}"
