"""Accuracy against bits saved, and the curve on which single answers to two even classes lie."""

from __future__ import annotations

from functools import partial

import altair as alt
import numpy as np

from fivefold.bits.curve import expected_significance
from fivefold.report.charts.dress import WIDE, Row, Summary, bits_format, dress, room
from fivefold.report.formats import visible
from fivefold.report.theme import LIGHT, Theme

_LINE = 17
_AXIS_ROOM = 64


def curve_chart(summary: Summary, theme: Theme = LIGHT, width: int = WIDE) -> alt.LayerChart:
    """Draw accuracy against bits saved, with the curve that accuracy promises where there are two classes.

    Parameters
    ----------
    summary : mapping
        What `summarise` gives.
    theme : Theme
        Colours.
    width : int
        Width in pixels, names included.
    """
    label_room = min(230, int(width * 0.38))
    height = max(280, _LINE * (len(summary["models"]) + 2))
    points = _points(summary)
    across, along = _domains(summary, points)
    _place_labels(points, along, height)
    x = partial(
        alt.X,
        title="accuracy",
        axis=alt.Axis(format=".0%", tickCount=max(2, width // 130), labelFlush=False),
        scale=alt.Scale(domain=across, nice=False),
    )
    y = partial(
        alt.Y,
        title="bits saved",
        axis=alt.Axis(format=bits_format(along[1]), tickCount=6),
        scale=alt.Scale(domain=along, nice=False),
    )
    curve = alt.Chart(alt.InlineData(values=_curve(summary, across, along)))
    line = curve.mark_line(color=theme.muted, strokeWidth=1.5, strokeDash=[5, 3])
    marks = [
        *_labels(points, x, y, label_room, theme),
        line.encode(x("accuracy:Q"), y("saved:Q")),
        *_dots(points, x("accuracy:Q"), y("saved:Q"), theme),
    ]
    inner = width - label_room - _AXIS_ROOM
    frame = {**room(_AXIS_ROOM, label_room), **dress(theme)}
    return alt.LayerChart(layer=marks, width=inner, height=height, **frame)


def _points(summary: Summary) -> list[Row]:
    """Give one row for each model, and one for the model that always answers the most frequent class."""
    first = summary["models"][0]["bits"]
    default = {
        "name": visible(f"always {first['default_class']}"),
        "accuracy": first["default_rate"],
        "saved": 0.0,
        "model": False,
    }
    models = [
        {
            "name": visible(model["name"]),
            "accuracy": model["bits"]["accuracy"],
            "saved": model["bits"]["saved"],
            "model": True,
        }
        for model in summary["models"]
    ]
    return [default, *models]


def _domains(summary: Summary, points: list[Row]) -> tuple[list[float], list[float]]:
    """Both axes' ends: from a little below the lowest point to a perfect model."""
    null = max(1.0, summary["models"][0]["bits"]["null"])
    least = min(point["accuracy"] for point in points)
    left = max(0.0, least - 0.05 * (1.02 - least))
    bottom = min(0.0, *(point["saved"] for point in points)) - 0.05 * null
    return [left, 1.0], [bottom, max(null, *(point["saved"] for point in points))]


def _curve(summary: Summary, across: list[float], along: list[float]) -> list[Row]:
    """Points of the analytic curve that lie inside of the chart; none unless there are two classes."""
    if len(summary["classes"]) != 2:
        return []
    rate = summary["models"][0]["bits"]["default_rate"]
    drawn = [
        {"accuracy": accuracy, "saved": expected_significance(summary["n_cases"], rate, accuracy)}
        for accuracy in np.linspace(across[0], 1.0, 201).tolist()
    ]
    # Far below the default rate the curve turns up again, for answers that are reliably wrong tell much too.
    return [row for row in drawn if along[0] <= row["saved"] <= along[1] and row["accuracy"] >= 0.5]


def _place_labels(points: list[Row], along: list[float], height: int) -> None:
    """Write into each point where its label stands: beside it, but never upon another label."""
    points.sort(key=lambda point: -point["saved"])
    scale = (along[1] - along[0]) / height
    wanted = np.array([(along[1] - point["saved"]) / scale for point in points])
    steps = _LINE * np.arange(len(points))
    pushed = np.maximum.accumulate(wanted - steps) + steps
    room = height - _LINE * np.arange(len(points))[::-1]
    for point, place in zip(points, np.minimum(pushed, room), strict=True):
        point["label_at"] = along[1] - place * scale
        point["edge"] = 1.0


def _labels(
    points: list[Row], x: partial[alt.X], y: partial[alt.Y], width: int, theme: Theme
) -> list[alt.Chart]:
    base = alt.Chart(alt.InlineData(values=points))
    zero = alt.Chart(alt.InlineData(values=[{"saved": 0}])).mark_rule(color=theme.muted, strokeWidth=0.75)
    leader = base.mark_rule(color=theme.rule, strokeWidth=0.75)
    tone = alt.when("datum.model").then(alt.value(theme.ink)).otherwise(alt.value(theme.muted))
    text = base.mark_text(align="left", dx=6, limit=width - 12)
    return [
        zero.encode(y("saved:Q")),
        leader.encode(x("accuracy:Q"), y("saved:Q"), x2="edge:Q", y2="label_at:Q"),
        text.encode(x("edge:Q"), y("label_at:Q"), text="name:N", color=tone),
    ]


def _dots(points: list[Row], x: alt.X, y: alt.Y, theme: Theme) -> list[alt.Chart]:
    base = alt.Chart(alt.InlineData(values=points))
    model = base.transform_filter("datum.model").mark_circle(size=64, opacity=1, color=theme.accent)
    default = base.transform_filter("!datum.model").mark_circle(
        size=64, opacity=1, color=theme.surface, stroke=theme.muted, strokeWidth=1.5
    )
    return [default.encode(x, y), model.encode(x, y)]
