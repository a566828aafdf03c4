"""Re-run papers as text, Markdown, JSON and one HTML page."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import asdict
from math import isfinite, isnan
from typing import Any

import altair as alt
from rich.console import Console
from rich.padding import Padding
from rich.text import Text
from scipy.special import bdtrik, ndtr

from fivefold import __version__
from fivefold.papers.claims import VERDICTS
from fivefold.papers.comparison import LIMIT, MARKS, Cell, Extra, Figure, Mark, Outcome, count_marks
from fivefold.report.page import render
from fivefold.report.terminal import plain_table
from fivefold.report.theme import LIGHT, PAGE, WIDTHS, Theme, chart_of, dress, inline_svg, rows_of

_SHOWN = 12
_COUNTED = ("agree", "differ", "not comparable")
SIGNS: dict[Mark, str] = {"agrees": "✓", "differs": "✗", "not comparable": "·"}
LEGEND = (
    "✓ agrees: within two standard errors of the difference (one cell in 22 would lie outside by chance alone); "
    "✗ differs; · cannot be compared. Numbers without chance in them agree when they differ by less than their "
    "page says; the distance 2 is the limit for them too."
)


def digits(cell: Cell, value: float) -> str:
    """Write a number with the digits that the paper prints, with more where two that differ would look alike."""
    if isnan(value):
        return "–"
    decimals = cell.decimals
    if cell.mark == "differs" and value == cell.ours:
        apart = (n for n in range(decimals, decimals + 6) if f"{value:.{n}f}" != f"{cell.published:.{n}f}")
        decimals = next(apart, decimals)
    return f"{value:.{decimals}f}".replace("-", "−")


def distance(cell: Cell) -> str:
    """Write how far apart the two numbers are, in standard errors."""
    return "" if isnan(cell.distance) else f"{cell.distance:+.1f}".replace("-", "−")


def _claim_words(outcome: Outcome) -> str:
    """Count the verdicts in words: "3 hold, 1 holds in part"."""
    counts = Counter(judged.verdict for judged in outcome.claims)
    plural = {verdict: verdict.replace("holds", "hold").replace("does", "do") for verdict in VERDICTS}
    said = [f"{n} {plural[v] if n > 1 else v}" for v in VERDICTS if (n := counts[v])]
    return f"Of {len(outcome.claims)} conclusions {', '.join(said)}."


def _count_rows(outcome: Outcome) -> list[list[str]]:
    return [[table, *(str(count[mark]) for mark in MARKS)] for table, count in outcome.counts().items()]


def _grid(cells: Sequence[Cell]) -> tuple[list[str], dict[str, list[Cell | None]]]:
    """Give the columns of a table, and its rows by name; None where a cell is absent."""
    columns = list(dict.fromkeys(cell.column for cell in cells))
    by_place = {(cell.row, cell.column): cell for cell in cells}
    rows = dict.fromkeys(cell.row for cell in cells)
    return columns, {row: [by_place.get((row, column)) for column in columns] for row in rows}


def _quantity(cells: Sequence[Cell]) -> str:
    return ", ".join(dict.fromkeys(cell.quantity for cell in cells))


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
    _print_claims(outcome, console)
    console.print()
    table = plain_table(["table", *_COUNTED], _COUNTED)
    for row in _count_rows(outcome):
        table.add_row(*row)
    console.print(table)
    console.print()
    console.print(say_chance(outcome.cells), markup=False)
    for name, cells in outcome.tables.items():
        differ = [cell for cell in cells if cell.mark == "differs"]
        shown = cells if everything else sorted(differ, key=lambda cell: -abs(cell.distance))[:_SHOWN]
        if shown:
            console.print()
            _print_cells(name, shown, console)
    console.print()
    console.print(LEGEND, markup=False)
    if outcome.errata:
        console.print("\nErrors found in the paper:", markup=False)
        for erratum in outcome.errata:
            text = f"{erratum.where}: printed “{erratum.printed}”. What is the case: {erratum.found}"
            console.print(Padding(Text(text), (0, 0, 0, 2)))


def _print_claims(outcome: Outcome, console: Console) -> None:
    """Print the conclusions with their verdicts, each with its numbers below it."""
    if not outcome.claims:
        return
    console.print(f"\nDo its conclusions stand? {_claim_words(outcome)}", markup=False)
    for judged in outcome.claims:
        console.print()
        console.print(
            Text.assemble((judged.verdict, "bold"), f": {judged.claim.sentence} ({judged.claim.where})")
        )
        for line in (judged.test, judged.numbers and f"{judged.numbers}.", judged.why):
            if line:
                console.print(Padding(Text(line), (0, 0, 0, 4)))


def _print_cells(name: str, cells: Sequence[Cell], console: Console) -> None:
    """Print cells, and below them each reason once."""
    numbers = ("published", "ours", "apart")
    table = plain_table([name, "", *numbers, "", "see"], numbers)
    reasons = dict.fromkeys(cell.reason for cell in cells if cell.reason and cell.mark != "agrees")
    places = {reason: f"({place})" for place, reason in enumerate(reasons, 1)}
    for cell in cells:
        written = (digits(cell, cell.published), digits(cell, cell.ours), distance(cell), SIGNS[cell.mark])
        table.add_row(cell.row, cell.column, *written, places.get(cell.reason, ""))
    rows, columns = (max(len(w) for c in cells for w in getattr(c, n).split()) for n in ("row", "column"))
    if 20 < rows < console.width // 2:
        # conditions stay whole, and the names of columns take as many lines as they have words
        table.columns[0].min_width, table.columns[1].max_width = rows, columns
    console.print(table)
    for reason, place in places.items():
        console.print(Padding(Text(f"{place} {reason}"), (0, 0, 0, 2)))


def outcome_markdown(outcome: Outcome) -> str:
    """Write a whole outcome: what was done, every table, what differs and why, extras, errors found."""
    whole = "A whole run" if outcome.complete else "Not a whole run: numbers are preliminary"
    state = [f"{whole} ({outcome.status})."] if outcome.status else []
    parts = [f"# {outcome.paper}", outcome.citation, *state]
    parts += _claims_markdown(outcome)
    parts += ["## How it was run", "\n".join(f"- {note}" for note in outcome.notes)]
    parts += [
        "## Cells",
        _markdown_table(["table", *_COUNTED], _count_rows(outcome)),
        say_chance(outcome.cells),
        LEGEND,
    ]
    for label, cells in outcome.tables.items():
        parts += [f"## {label}", f"{_quantity(cells)}: published → ours.", _cells_markdown(cells)]
        parts += _differences(cells)
    if outcome.figures:
        drawn = "\n".join(f"- {figure.label}: {figure.title}. {figure.note}" for figure in outcome.figures)
        parts += ["## Figures", f"Drawn by `fivefold papers show {outcome.paper} --html FILE`:", drawn]
    for extra in outcome.extras:
        values = zip(*extra.columns.values(), strict=True)
        rows = [["" if value is None else str(value) for value in row] for row in values]
        parts += [
            f"## {extra.title}",
            _markdown_table(list(extra.columns), rows),
            *([extra.note] if extra.note else []),
        ]
    if outcome.errata:
        parts += ["## Errors found in the paper", _errata(outcome)]
    return "\n\n".join(parts) + "\n"


def _claims_markdown(outcome: Outcome) -> list[str]:
    if not outcome.claims:
        return []
    rows = [
        [f"**{j.verdict}**", j.claim.sentence, j.claim.where, j.test, j.numbers, j.why]
        for j in outcome.claims
    ]
    header = ["verdict", "claim", "where", "test", "numbers", "why"]
    return ["## Do its conclusions stand?", _claim_words(outcome), _markdown_table(header, rows)]


def summary_markdown(outcomes: Sequence[Outcome]) -> str:
    """Write one page over all papers: cells by table, and every error found."""
    rows = [[outcome.paper, *row] for outcome in outcomes for row in _count_rows(outcome)]
    everything = [cell for outcome in outcomes for cell in outcome.cells]
    total = count_marks(everything)
    rows.append(["all", "", *(str(total[mark]) for mark in MARKS)])
    verdicts = [
        [outcome.paper, judged.verdict, judged.claim.sentence]
        for outcome in outcomes
        for judged in outcome.claims
    ]
    parts = ["# The papers, re-run"]
    if verdicts:
        parts += ["## Do their conclusions stand?", _markdown_table(["paper", "verdict", "claim"], verdicts)]
    parts += [
        "## Cells",
        say_chance(everything),
        LEGEND,
        _markdown_table(["paper", "table", *_COUNTED], rows),
    ]
    parts += ["## Errors found in the papers"]
    for outcome in outcomes:
        if outcome.errata:
            parts += [f"### {outcome.paper}", _errata(outcome)]
    return "\n\n".join(parts) + "\n"


def say_chance(cells: Sequence[Cell]) -> str:
    """Say how many cells differ, how many of them chance alone would give, and how many have a reason."""
    differ = [cell for cell in cells if cell.mark == "differs"]
    # correlations are compared on another scale than their own, on which alone they have an error
    tested = sum(
        isfinite(cell.distance) and (isfinite(cell.error) or "correlation" in cell.quantity) for cell in cells
    )
    by_chance = 2 * float(ndtr(-LIMIT))
    most = int(bdtrik(0.95, tested, by_chance)) + 1 if tested else 0
    # a known reason, a guess, what was tried in vain, or none
    words = {"": "without a reason", "tried": "tried, unknown", "a guess": "guessed at"}
    kinds = Counter(words.get(cell.reason.partition(":")[0], "explained") for cell in differ)
    said = ", ".join(f"{count} {kind}" for kind, count in kinds.most_common())
    return (
        f"{len(differ)} cells differ{f' ({said})' if said else ''}. Were all {tested} cells that have chance in "
        f"them drawn alike, about {tested * by_chance:.0f} would lie outside, and rarely more than {most}."
    )


def _cells_markdown(cells: Sequence[Cell]) -> str:
    def both(cell: Cell | None) -> str:
        return (
            f"{digits(cell, cell.published)} → {digits(cell, cell.ours)} {SIGNS[cell.mark]}" if cell else ""
        )

    columns, rows = _grid(cells)
    return _markdown_table(["", *columns], [[row, *map(both, own)] for row, own in rows.items()])


def _differences(cells: Sequence[Cell]) -> list[str]:
    places: dict[str, list[str]] = {}
    for cell in cells:
        if cell.mark != "agrees" and (cell.reason or cell.mark == "differs"):
            apart = f" ({distance(cell)})" if distance(cell) else ""
            places.setdefault(cell.reason, []).append(f"{cell.row}, {cell.column}{apart}")
    unknown = places.pop("", [])
    parts = []
    if places:
        lines = [f"- {'; '.join(where)}: {reason}." for reason, where in places.items()]
        parts.append("Reasons, guesses, and what was tried:\n\n" + "\n".join(lines))
    if unknown:
        parts.append(f"Different without a known reason (in standard errors): {'; '.join(unknown)}.")
    return parts


def _errata(outcome: Outcome) -> str:
    rows = [[e.where, e.printed, e.found, e.evidence] for e in outcome.errata]
    return _markdown_table(["where", "printed", "what is the case", "evidence"], rows)


def _markdown_table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines)


SCHEMA = "fivefold/paper/1"


def outcome_data(outcome: Outcome) -> dict[str, Any]:
    """Give everything that an outcome holds in types that JSON has; numbers that are not finite become None."""
    parts = {
        "schema": SCHEMA,
        "paper": outcome.paper,
        "citation": outcome.citation,
        "complete": outcome.complete,
        "status": outcome.status,
        "claims": [
            asdict(judged.claim)
            | {"verdict": judged.verdict, "test": judged.test, "why": judged.why}
            | {"parts": [asdict(part) | {"holds": part.holds} for part in judged.parts]}
            for judged in outcome.claims
        ],
        "counts": outcome.counts(),
        "chance": say_chance(outcome.cells),
        "cells": [asdict(cell) | {"mark": cell.mark} for cell in outcome.cells],
        "figures": [asdict(figure) for figure in outcome.figures],
        "extras": [asdict(extra) for extra in outcome.extras],
        "errata": [asdict(erratum) for erratum in outcome.errata],
        "notes": outcome.notes,
    }
    return {name: _plain_data(part) for name, part in parts.items()}


def _plain_data(value: Any) -> Any:
    if isinstance(value, dict):
        return {str(key): _plain_data(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain_data(item) for item in value]
    if hasattr(value, "item"):
        value = value.item()
    return None if isinstance(value, float) and not isfinite(value) else value


# Okabe and Ito's colours that stand out on light and on dark
_COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#b8860b", "#56b4e9", "#888888", "#a0522d")
_SHAPES = ("circle", "square", "triangle-up", "diamond", "cross", "triangle-down", "triangle-right", "wedge")
_HEIGHT = 340


def _drawn(figure: Figure, anchor: str) -> dict[str, Any]:
    """Draw a figure in two widths, for a desk and for a phone, with words for those who do not see it."""
    parts: dict[str, Any] = {name: getattr(figure, name) for name in ("label", "title", "note")}
    for name, width in WIDTHS.items():
        chart = paper_chart(figure, PAGE, width)
        parts[name] = inline_svg(chart, f"{anchor}-{name}", figure.title, figure.note)
    return parts | {"anchor": anchor}


def paper_chart(figure: Figure, theme: Theme = LIGHT, width: int = 700) -> alt.LayerChart:
    """Draw a figure: points and lines of several series, by shape and colour.

    A figure has columns x, y and series, and may have low and high (bars of error), and group (lines that are not
    joined to each other).
    """
    columns, rows = figure.columns, rows_of(figure.columns)
    series = list(dict.fromkeys(row["series"] for row in rows))
    lines = set(figure.lines)
    # so few labels that those at the ends, which are moved inwards, do not touch others
    axis = alt.Axis(tickCount=width // 90)
    x = alt.X("x:Q", title=figure.x_title, scale=alt.Scale(zero=False), axis=axis)
    y = alt.Y("y:Q", title=figure.y_title, scale=alt.Scale(zero=False))
    colour = alt.Color("series:N", scale=_scale(series, _COLOURS), legend=_legend(theme, width), sort=series)
    shapes = _scale(series, _SHAPES, lines)
    shape = alt.Shape("series:N", scale=shapes, legend=_legend(theme, width), sort=series)
    dots = chart_of([row for row in rows if row["series"] not in lines])
    layers = [dots.mark_point(size=36, opacity=0.75, strokeWidth=1.25).encode(x, y, colour, shape)]
    drawn = [row for row in rows if row["series"] in lines]
    if drawn:
        line = chart_of(drawn).mark_line(strokeWidth=1.75)
        apart = [alt.Detail("group:N")] if "group" in columns else []
        layers.append(line.encode(x, y, colour, *apart))
    if "low" in columns:
        bars = chart_of([row for row in rows if row["low"] is not None])
        layers.append(
            bars.mark_rule(opacity=0.5).encode(
                x, alt.Y("low:Q", title=figure.y_title), alt.Y2("high:Q"), colour
            )
        )
    return alt.LayerChart(layer=layers, width=width - 80, height=_HEIGHT, **dress(theme))


def _scale(series: list[str], values: tuple[str, ...], lines: Collection[str] = ()) -> alt.Scale:
    """Give each series its value; of shapes, lines have a stroke."""
    drawn = ["stroke" if name in lines else values[i % len(values)] for i, name in enumerate(series)]
    return alt.Scale(domain=series, range=drawn)


def _legend(theme: Theme, width: int) -> alt.Legend:
    return alt.Legend(
        title=None,
        orient="top",
        columns=max(2, width // 160),
        labelColor=theme.ink,
        labelFontSize=12,
        labelLimit=150,
    )


def outcome_page(outcome: Outcome) -> str:
    """Write an outcome as a page: every cell, every figure, what goes beyond the paper, and the errors found."""
    return render(
        "paper.html.j2",
        outcome=outcome,
        claims=_claim_words(outcome) if outcome.claims else "",
        chance=say_chance(outcome.cells),
        legend=LEGEND,
        tables=[_page_table(label, cells) for label, cells in outcome.tables.items()],
        figures=[_drawn(figure, f"figure-{place}") for place, figure in enumerate(outcome.figures)],
        extras=[_page_extra(extra) for extra in outcome.extras],
        version=__version__,
    )


def _page_table(label: str, cells: Sequence[Cell]) -> dict[str, Any]:
    columns, rows = _grid(cells)
    counts = count_marks(cells)
    return {
        "label": label,
        "anchor": re.sub(r"[^a-z0-9]+", "-", label.lower()).strip("-"),
        "quantity": _quantity(cells),
        "columns": columns,
        "rows": [{"name": row, "cells": list(map(_page_cell, own))} for row, own in rows.items()],
        "counts": [counts[mark] for mark in MARKS],
        "reasons": [
            f"{cell.row}, {cell.column}: {cell.reason}"
            for cell in cells
            if cell.reason and cell.mark != "agrees"
        ],
    }


def _page_cell(cell: Cell | None) -> dict[str, Any] | None:
    if cell is None:
        return None
    return {
        "published": digits(cell, cell.published),
        "ours": digits(cell, cell.ours),
        "distance": distance(cell),
        "sign": SIGNS[cell.mark],
        "style": cell.mark.replace(" ", "-"),
        "sort": "" if isnan(cell.ours) else cell.ours,
        "reason": cell.reason,
    }


def _page_extra(extra: Extra) -> dict[str, Any]:
    numbers = {
        name: all(value is None or isinstance(value, int | float) for value in values)
        for name, values in extra.columns.items()
    }
    rows = [
        [_page_value(value, number) for value, number in zip(row, numbers.values(), strict=True)]
        for row in zip(*extra.columns.values(), strict=True)
    ]
    header = [{"name": name, "sort": "number" if number else "text"} for name, number in numbers.items()]
    return {"title": extra.title, "note": extra.note, "header": header, "rows": rows}


def _page_value(value: Any, number: bool) -> dict[str, Any]:
    text = "" if value is None else str(value).replace("-", "−") if number else str(value)
    return {"text": text, "sort": "" if value is None else value, "number": number}
