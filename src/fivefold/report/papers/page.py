"""A re-run paper as one HTML page that needs nothing else."""

from __future__ import annotations

import re
from collections.abc import Sequence
from math import isnan
from typing import Any

from fivefold import __version__
from fivefold.papers.cell import Cell
from fivefold.papers.outcome import MARKS, Extra, Outcome, count_marks
from fivefold.report.papers.figures import draw_paper_figures
from fivefold.report.papers.words import LEGEND, SIGNS, digits, distance
from fivefold.report.template import render


def outcome_page(outcome: Outcome) -> str:
    """Write an outcome as a page: every cell, every figure, what goes beyond the paper, and the errors found."""
    return render(
        "paper.html.j2",
        outcome=outcome,
        legend=LEGEND,
        tables=[_table(label, cells) for label, cells in outcome.tables.items()],
        figures=draw_paper_figures(outcome.figures),
        extras=[_extra(extra) for extra in outcome.extras],
        version=__version__,
    )


def anchor(text: str) -> str:
    """Make a name for a place in the page."""
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")


def _table(label: str, cells: Sequence[Cell]) -> dict[str, Any]:
    columns = list(dict.fromkeys(cell.column for cell in cells))
    by_place = {(cell.row, cell.column): _cell(cell) for cell in cells}
    counts = count_marks(cells)
    return {
        "label": label,
        "anchor": anchor(label),
        "quantity": ", ".join(dict.fromkeys(cell.quantity for cell in cells)),
        "columns": columns,
        "rows": [
            {"name": row, "cells": [by_place.get((row, column)) for column in columns]}
            for row in dict.fromkeys(cell.row for cell in cells)
        ],
        "counts": [counts[mark] for mark in MARKS],
        "reasons": [
            f"{cell.row}, {cell.column}: {cell.reason}"
            for cell in cells
            if cell.reason and cell.mark != "agrees"
        ],
    }


def _cell(cell: Cell) -> dict[str, Any]:
    return {
        "published": digits(cell, cell.published),
        "ours": digits(cell, cell.ours),
        "distance": distance(cell),
        "sign": SIGNS[cell.mark],
        "style": cell.mark.replace(" ", "-"),
        "sort": "" if isnan(cell.ours) else cell.ours,
        "reason": cell.reason,
    }


def _extra(extra: Extra) -> dict[str, Any]:
    numbers = {name: _are_numbers(values) for name, values in extra.columns.items()}
    rows = [
        [_value(value, number) for value, number in zip(row, numbers.values(), strict=True)]
        for row in zip(*extra.columns.values(), strict=True)
    ]
    header = [{"name": name, "sort": "number" if number else "text"} for name, number in numbers.items()]
    return {"title": extra.title, "note": extra.note, "header": header, "rows": rows}


def _are_numbers(values: Sequence[Any]) -> bool:
    return all(value is None or isinstance(value, int | float) for value in values)


def _value(value: Any, number: bool) -> dict[str, Any]:
    text = "" if value is None else str(value).replace("-", "−") if number else str(value)
    return {"text": text, "sort": "" if value is None else value, "number": number}
