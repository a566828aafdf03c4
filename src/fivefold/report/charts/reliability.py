"""Reliability diagrams: what was stated against what happened."""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import partial
from typing import Any

import altair as alt

from fivefold.errors import InputError
from fivefold.report.charts.dress import Row, Summary, dress, room
from fivefold.report.formats import visible
from fivefold.report.theme import LIGHT, Theme

_SIDE = 232
_AREA_OF_ALL_CASES = 900


def reliability_chart(summary: Summary, theme: Theme = LIGHT) -> alt.ConcatChart:
    """Draw the reliability panels of all models that state probabilities, side by side.

    Parameters
    ----------
    summary : mapping
        What `summarise` gives.
    theme : Theme
        Colours.
    """
    panels = [
        _panel(summary, model, theme, title=alt.Title(visible(model["name"]), limit=_SIDE))
        for model in summary["models"]
        if model["bets"]
    ]
    if not panels:
        raise InputError("a model that states probabilities", "none", "the bits chart needs answers only")
    return alt.ConcatChart(concat=panels, columns=3, **dress(theme))


def reliability_panel(summary: Summary, model: Mapping[str, Any], theme: Theme = LIGHT) -> alt.LayerChart:
    """Draw the reliability of one model: stated probability against the share that happened.

    Bars show where the dots would lie 95 % of the time if the probabilities were right; the area of a dot is
    its share of the cases. All panels of a summary have the same axes.

    Parameters
    ----------
    summary : mapping
        What `summarise` gives.
    model : mapping
        One of its models, with a bets view.
    theme : Theme
        Colours.
    """
    return _panel(summary, model, theme, **room(64, 18, top=18), **dress(theme))


def cells(model: Mapping[str, Any]) -> list[Row]:
    """Give one row for each cell of a model's diagram, and whether its dot lies outside of its bar."""
    columns = model["bets"]["diagram"]
    rows = [dict(zip(columns, cell, strict=True)) for cell in zip(*columns.values(), strict=True)]
    return [{**row, "outside": not row["low"] <= row["happened"] <= row["high"]} for row in rows]


def _panel(summary: Summary, model: Mapping[str, Any], theme: Theme, **frame: Any) -> alt.LayerChart:
    least = _least(summary)
    scale = alt.Scale(domain=[least, 1.0], nice=False)
    axis = alt.Axis(format=".0%", values=_ticks(least), labelFlush=False)
    x = alt.X("stated:Q", title="stated probability", scale=scale, axis=axis)
    y = partial(alt.Y, title="share that happened", scale=scale, axis=axis)
    cell = alt.Chart(alt.InlineData(values=cells(model)))
    corners = [{"stated": least, "happened": least}, {"stated": 1.0, "happened": 1.0}]
    diagonal = alt.Chart(alt.InlineData(values=corners)).mark_line(color=theme.muted, strokeWidth=1)
    bar = cell.mark_rule(color=theme.band, strokeWidth=7)
    tone = alt.when("datum.outside").then(alt.value(theme.alert)).otherwise(alt.value(theme.accent))
    size = alt.Size(
        "cases:Q", scale=alt.Scale(domain=[0, summary["n_cases"]], range=[0, _AREA_OF_ALL_CASES]), legend=None
    )
    dot = cell.mark_circle(opacity=0.9, stroke=theme.surface, strokeWidth=0.75)
    marks = [
        bar.encode(x, y("low:Q"), y2="high:Q"),
        diagonal.encode(x, y("happened:Q")),
        dot.encode(x, y("happened:Q"), color=tone, size=size),
    ]
    return alt.LayerChart(layer=marks, width=_SIDE, height=_SIDE, **frame)


def _least(summary: Summary) -> float:
    """Lower end of both axes, to the next tenth: a selected class is never less probable than one in k."""
    values = [1 / len(summary["classes"])]
    for model in summary["models"]:
        if model["bets"]:
            diagram = model["bets"]["diagram"]
            values += [*diagram["stated"], *diagram["happened"], *diagram["low"]]
    return math.floor(10 * min(values)) / 10


def _ticks(least: float) -> list[float]:
    """Give whole tenths, every other where the axis is long, counted from 1 downwards."""
    step = 1 if least >= 0.5 else 2
    return [tenth / 10 for tenth in range(10, round(10 * least) - 1, -step)]
