"""Re-run papers as Markdown, for the documentation."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from fivefold.papers.cell import Cell
from fivefold.papers.outcome import MARKS, Extra, Outcome, count_marks
from fivefold.report.papers.words import LEGEND, SIGNS, digits, distance


def outcome_markdown(outcome: Outcome) -> str:
    """Write a whole outcome: what was done, every table, what differs and why, extras, errors found."""
    parts = [f"# {outcome.paper}", outcome.citation, *_state(outcome)]
    parts += ["## How it was run", "\n".join(f"- {note}" for note in outcome.notes)]
    parts += ["## Cells", _counts(outcome), LEGEND]
    for label, cells in outcome.tables.items():
        parts += [f"## {label}", f"{_quantity(cells)}: published → ours.", _grid(cells), *_differences(cells)]
    if outcome.figures:
        drawn = "\n".join(f"- {figure.label}: {figure.title}. {figure.note}" for figure in outcome.figures)
        parts += ["## Figures", f"Drawn by `fivefold papers show {outcome.paper} --html FILE`:", drawn]
    for extra in outcome.extras:
        parts += [f"## {extra.title}", _extra(extra), *([extra.note] if extra.note else [])]
    if outcome.errata:
        parts += ["## Errors found in the paper", _errata(outcome)]
    return "\n\n".join(parts) + "\n"


def summary_markdown(outcomes: Sequence[Outcome]) -> str:
    """Write one page over all papers: cells by table, and every error found."""
    rows = [
        [outcome.paper, table, *(str(count[mark]) for mark in MARKS)]
        for outcome in outcomes
        for table, count in outcome.counts().items()
    ]
    total = count_marks([cell for outcome in outcomes for cell in outcome.cells])
    rows.append(["all", "", *(str(total[mark]) for mark in MARKS)])
    parts = [
        "# The papers, re-run",
        LEGEND,
        _table(["paper", "table", "agree", "differ", "not comparable"], rows),
    ]
    parts += ["## Errors found in the papers"]
    for outcome in outcomes:
        if outcome.errata:
            parts += [f"### {outcome.paper}", _errata(outcome)]
    return "\n\n".join(parts) + "\n"


def _state(outcome: Outcome) -> list[str]:
    whole = "A whole run" if outcome.complete else "Not a whole run: numbers are preliminary"
    return [f"{whole} ({outcome.status})."] if outcome.status else []


def _counts(outcome: Outcome) -> str:
    rows = [[table, *(str(count[mark]) for mark in MARKS)] for table, count in outcome.counts().items()]
    return _table(["table", "agree", "differ", "not comparable"], rows)


def _quantity(cells: Sequence[Cell]) -> str:
    return ", ".join(dict.fromkeys(cell.quantity for cell in cells))


def _grid(cells: Sequence[Cell]) -> str:
    columns = list(dict.fromkeys(cell.column for cell in cells))
    by_place = {(cell.row, cell.column): cell for cell in cells}
    rows = []
    for row in dict.fromkeys(cell.row for cell in cells):
        own = [by_place.get((row, column)) for column in columns]
        rows.append([row, *("" if cell is None else _both(cell) for cell in own)])
    return _table(["", *columns], rows)


def _both(cell: Cell) -> str:
    return f"{digits(cell, cell.published)} → {digits(cell, cell.ours)} {SIGNS[cell.mark]}"


def _differences(cells: Sequence[Cell]) -> list[str]:
    odd = [cell for cell in cells if cell.mark != "agrees"]
    known = [cell for cell in odd if cell.reason]
    unknown = [cell for cell in odd if not cell.reason and cell.mark == "differs"]
    parts = []
    if known:
        reasons = dict.fromkeys(cell.reason for cell in known)
        lines = [
            f"- {_places(cell for cell in known if cell.reason == reason)}: {reason}." for reason in reasons
        ]
        parts.append("Known reasons:\n\n" + "\n".join(lines))
    if unknown:
        told = "; ".join(f"{cell.row}, {cell.column} ({distance(cell)})" for cell in unknown)
        parts.append(f"Different, and we do not know why (in standard errors): {told}.")
    return parts


def _places(cells: Iterable[Cell]) -> str:
    return "; ".join(f"{cell.row}, {cell.column}{_apart(cell)}" for cell in cells)


def _apart(cell: Cell) -> str:
    return f" ({distance(cell)})" if distance(cell) else ""


def _extra(extra: Extra) -> str:
    return _columns(extra.columns)


def _columns(columns: Mapping[str, Sequence[Any]]) -> str:
    rows = [
        ["" if each is None else str(each) for each in row] for row in zip(*columns.values(), strict=True)
    ]
    return _table(list(columns), rows)


def _errata(outcome: Outcome) -> str:
    rows = [[e.where, e.printed, e.found, e.evidence] for e in outcome.errata]
    return _table(["where", "printed", "what is the case", "evidence"], rows)


def _table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines)
