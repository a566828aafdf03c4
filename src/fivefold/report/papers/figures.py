"""The papers' figures."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import altair as alt

from fivefold.papers.outcome import Figure
from fivefold.report.page import WIDTHS
from fivefold.report.theme import LIGHT, PAGE, Theme, dress, inline_svg

# Okabe and Ito's colours that stand out on light and on dark
_COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#b8860b", "#56b4e9", "#888888", "#a0522d")
_SHAPES = ("circle", "square", "triangle-up", "diamond", "cross", "triangle-down", "stroke", "arrow")
_HEIGHT = 340


def draw_paper_figures(figures: Sequence[Figure]) -> list[dict[str, Any]]:
    """Draw each figure in two widths, for a desk and for a phone, with words for those who do not see it."""
    drawn = []
    for place, figure in enumerate(figures):
        told = {
            name: inline_svg(
                paper_chart(figure, PAGE, width), f"figure-{place}-{name}", figure.title, figure.note
            )
            for name, width in WIDTHS.items()
        }
        head = {
            "label": figure.label,
            "title": figure.title,
            "note": figure.note,
            "anchor": f"figure-{place}",
        }
        drawn.append(head | told)
    return drawn


def paper_chart(figure: Figure, theme: Theme = LIGHT, width: int = 700) -> alt.LayerChart:
    """Draw a figure: points and lines of several series, by shape and colour.

    A figure has columns x, y and series, and may have low and high (bars of error), and group (lines that are not
    joined to each other).
    """
    columns = figure.columns
    rows = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    series = list(dict.fromkeys(row["series"] for row in rows))
    lines = set(figure.lines)
    x = alt.X("x:Q", title=figure.x_title, scale=alt.Scale(zero=False))
    y = alt.Y("y:Q", title=figure.y_title, scale=alt.Scale(zero=False))
    colour = alt.Color("series:N", scale=_scale(series, _COLOURS), legend=_legend(theme, width), sort=series)
    shape = alt.Shape("series:N", scale=_scale(series, _SHAPES), legend=_legend(theme, width), sort=series)
    layers = [_points([r for r in rows if r["series"] not in lines]).encode(x, y, colour, shape)]
    drawn = [row for row in rows if row["series"] in lines]
    if drawn:
        line = alt.Chart(alt.InlineData(values=drawn)).mark_line(strokeWidth=1.75)
        apart = [alt.Detail("group:N")] if "group" in columns else []
        layers.append(line.encode(x, y, colour, *apart))
    if "low" in columns:
        bars = alt.Chart(alt.InlineData(values=[row for row in rows if row["low"] is not None]))
        layers.append(
            bars.mark_rule(opacity=0.5).encode(
                x, alt.Y("low:Q", title=figure.y_title), alt.Y2("high:Q"), colour
            )
        )
    return alt.LayerChart(layer=layers, width=width - 80, height=_HEIGHT, **dress(theme))


def _points(rows: list[dict[str, Any]]) -> alt.Chart:
    chart: alt.Chart = alt.Chart(alt.InlineData(values=rows)).mark_point(
        size=36, opacity=0.75, strokeWidth=1.25
    )
    return chart


def _scale(series: list[str], values: tuple[str, ...]) -> alt.Scale:
    return alt.Scale(domain=series, range=[values[i % len(values)] for i in range(len(series))])


def _legend(theme: Theme, width: int) -> alt.Legend:
    return alt.Legend(
        title=None,
        orient="top",
        columns=max(2, width // 160),
        labelColor=theme.ink,
        labelFontSize=12,
        labelLimit=150,
    )
