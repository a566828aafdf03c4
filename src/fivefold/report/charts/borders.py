"""Maps of decision regions with their borders and training cases, and how far these are from the border."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from math import floor, log10
from typing import Any

import altair as alt

from fivefold.errors import InputError
from fivefold.plain_text import visible
from fivefold.report.summary import Summary
from fivefold.report.theme import LIGHT, Row, Theme, chart_of, colour_of, dress, room, shape_of, two_tones

_LINE = 20
_SIDE = 232
_STRIP = 60
_SMALL = 150
Borders = Mapping[str, Any]


def border_chart(summary: Summary, theme: Theme = LIGHT, columns: int = 3) -> alt.VConcatChart:
    """Draw the maps of all models side by side, each above the distances of its cases.

    Parameters
    ----------
    summary : mapping
        What `summarise` gives.
    theme : Theme
        Colours.
    columns : int
        Models, or cuts, in a row.
    """
    judged = [model for model in summary["models"] if model["borders"]]
    if not judged:
        raise InputError("a model whose borders were measured", "none", "borders need trained models")
    legend = _class_legend(judged[0]["borders"]["classes"], theme, columns * (_SIDE + 60))
    panels = [_with_distances(judged, model, theme, columns) for model in judged]
    width = columns if len(judged[0]["borders"]["maps"]) == 1 else 1
    rows = alt.ConcatChart(concat=panels, columns=width, spacing=28)
    return alt.VConcatChart(vconcat=[legend, rows], spacing=16, **dress(theme))


def _with_distances(
    judged: Sequence[Mapping[str, Any]], model: Mapping[str, Any], theme: Theme, columns: int
) -> alt.VConcatChart:
    borders = model["borders"]
    title = alt.Title(visible(model["name"]), limit=_SIDE)
    if len(borders["maps"]) == 1:
        upper: Any = _map(borders, borders["maps"][0], theme, title=title)
    else:
        cuts = [_map(borders, drawn, theme, side=_SMALL) for drawn in borders["maps"]]
        upper = alt.ConcatChart(concat=cuts, columns=columns, title=title)
    return alt.VConcatChart(vconcat=[upper, _distances(judged, borders, theme)], spacing=10)


def border_panel(borders: Borders, theme: Theme = LIGHT) -> alt.LayerChart:
    """Draw the regions of one model of one or two features, their borders, and its training cases.

    `borders` are those of a model in a summary.
    """
    return _map(borders, borders["maps"][0], theme, **_frame(borders["maps"][0], theme))


def border_matrix(borders: Borders, theme: Theme = LIGHT) -> list[alt.LayerChart]:
    """Draw every cut through the regions of a model of several features; the cases are seen from above."""
    return [_map(borders, drawn, theme, side=_SMALL, **_frame(drawn, theme)) for drawn in borders["maps"]]


def _frame(drawn: Mapping[str, Any], theme: Theme) -> dict[str, Any]:
    low, high = drawn["low"][-1], drawn["high"][-1]  # long numbers beside it need more room
    digits = max(0, -floor(log10((high - low) / 4)))
    left = max(52, 24 + 7 * max(len(f"{end:,.{digits}f}") for end in (low, high)))
    return {**room(left, 12, top=10), **dress(theme)}


def distance_panel(
    models: Sequence[Mapping[str, Any]], borders: Borders, theme: Theme = LIGHT
) -> alt.LayerChart:
    """Draw how many cases lie how far from the border of one of the models, whose axes are the same."""
    return _distances(models, borders, theme, **room(52, 12, top=4), **dress(theme))


def _map(
    borders: Borders, drawn: Mapping[str, Any], theme: Theme, side: int = _SIDE, **frame: Any
) -> alt.LayerChart:
    (left, bottom), (right, top) = drawn["low"], drawn["high"]
    flat = len(drawn["names"]) == 1
    axis = partial(alt.Axis, grid=False, tickCount=max(3, side // 55), labelFlush=False)
    x = partial(
        alt.X,
        title=visible(drawn["names"][0]),
        axis=axis(),
        scale=alt.Scale(domain=[left, right], nice=False),
    )
    y = partial(
        alt.Y,
        title=None if flat else visible(drawn["names"][1]),
        axis=None if flat else axis(),
        scale=alt.Scale(domain=[bottom, top], nice=False),
    )
    layers = [
        _regions(borders, drawn, x, y, theme),
        _lines(drawn, x, y, theme),
        *_cases(borders, drawn, x, y, theme),
    ]
    height = side // 2 if flat else side
    return alt.LayerChart(layer=layers, width=side, height=height, **frame)


def _regions(
    borders: Borders, plan: Mapping[str, Any], x: partial[alt.X], y: partial[alt.Y], theme: Theme
) -> alt.Chart:
    rows = plan["regions"]
    region = _chart(rows).mark_rect(opacity=0.24, strokeWidth=0)
    colour = _class_colour(len(borders["classes"]), theme)
    drawn: alt.Chart = region.encode(x("x:Q"), y("y:Q"), alt.X2("x2:Q"), alt.Y2("y2:Q"), color=colour)
    return drawn


def _lines(plan: Mapping[str, Any], x: partial[alt.X], y: partial[alt.Y], theme: Theme) -> alt.Chart:
    rows = [
        {"x": across, "y": up, "line": number, "order": order}
        for number, line in enumerate(plan["lines"])
        for order, (across, up) in enumerate(line)
    ]
    line = _chart(rows).mark_line(color=theme.ink, strokeWidth=1.5, strokeJoin="round", strokeCap="round")
    drawn: alt.Chart = line.encode(x("x:Q"), y("y:Q"), alt.Detail("line:N"), alt.Order("order:Q"))
    return drawn


def _cases(
    borders: Borders, drawn: Mapping[str, Any], x: partial[alt.X], y: partial[alt.Y], theme: Theme
) -> list[alt.Chart]:
    base, n_classes = _chart(_case_rows(borders, drawn)), len(borders["classes"])
    colour, shape = _class_colour(n_classes, theme), _class_shape(n_classes)
    faint = 0.75 if drawn["middle"] else 0.95
    size = 16 if drawn["middle"] else 24
    dot = base.mark_point(filled=True, size=size, opacity=faint, stroke=theme.surface, strokeWidth=0.4)
    ring = base.transform_filter("!datum.right").mark_point(
        size=4 * size, color=theme.alert, strokeWidth=1.5, opacity=1
    )
    return [dot.encode(x("x:Q"), y("y:Q"), color=colour, shape=shape), ring.encode(x("x:Q"), y("y:Q"))]


def _chart(rows: Sequence[Row]) -> alt.Chart:
    """Begin a chart that will stand in others: those copy lists again and again, but never a tuple."""
    return chart_of(tuple(rows))


def _case_rows(borders: Borders, drawn: Mapping[str, Any]) -> list[Row]:
    """Give one row for each case; with one feature, each class has a line of its own."""
    cases, columns = borders["cases"], drawn["columns"]
    n_classes = len(borders["classes"])
    return [
        {
            "x": place[columns[0]],
            "y": place[columns[1]] if len(columns) > 1 else (number + 0.5) / n_classes,
            "class": number,
            "right": right,
        }
        for place, number, right in zip(cases["places"], cases["classes"], cases["right"], strict=True)
    ]


def _class_colour(n_classes: int, theme: Theme) -> alt.Color:
    domain = list(range(n_classes))
    scale = alt.Scale(domain=domain, range=[colour_of(theme, number) for number in domain])
    return alt.Color("class:N", scale=scale, legend=None)


def _class_shape(n_classes: int) -> alt.Shape:
    domain = list(range(n_classes))
    scale = alt.Scale(domain=domain, range=[shape_of(number) for number in domain])
    return alt.Shape("class:N", scale=scale, legend=None)


def _distances(
    models: Sequence[Mapping[str, Any]], borders: Borders, theme: Theme, **frame: Any
) -> alt.LayerChart:
    step = borders["histogram"]["step"]
    used = [place for model in models for place in model["borders"]["histogram"]["bins"]]
    most = max(count for model in models for count in model["borders"]["histogram"]["counts"])
    rows = [
        {"x": place * step, "x2": (place + 0.92) * step, "cases": count, "zero": 0, "right": place >= 0}
        for place, count in zip(borders["histogram"]["bins"], borders["histogram"]["counts"], strict=True)
    ]
    scale = alt.Scale(domain=[min(-2, *used) * step, (max(4, *used) + 1) * step], nice=False)
    x = partial(
        alt.X,
        title="distance from the border",
        axis=alt.Axis(grid=False, tickCount=4, labelFlush=False),
        scale=scale,
    )
    y = partial(
        alt.Y,
        title="cases",
        axis=alt.Axis(grid=False, tickCount=2),
        scale=alt.Scale(domain=[0, most], nice=False),
    )
    tone = two_tones("datum.right", theme.accent, theme.alert)
    bar = _chart(rows).mark_rect()
    zero = _chart([{"x": 0}]).mark_rule(color=theme.ink)
    layers = [
        bar.encode(x("x:Q"), y("zero:Q"), alt.X2("x2:Q"), alt.Y2("cases:Q"), tone),
        zero.encode(x("x:Q")),
    ]
    return alt.LayerChart(layer=layers, width=_SIDE, height=_STRIP, **frame)


def _class_legend(classes: Sequence[str], theme: Theme, width: int) -> alt.LayerChart:
    """Name the colour and shape of every class, and the ring of a wrong case, in lines of the given width."""
    rows: list[Row] = []
    across, down = 8, 0
    for number, name in enumerate([*classes, "wrong"]):
        text = visible(name)[:24]
        room_needed = 30 + 7 * len(text)
        if across + room_needed > width and across > 8:
            across, down = 8, down + 1
        rows.append({"x": across, "y": down * _LINE + 8, "class": number, "name": text})
        across += room_needed
    last = len(classes)
    base = chart_of(rows).encode(
        x=alt.X("x:Q", axis=None, scale=alt.Scale(domain=[0, width], nice=False)),
        y=alt.Y("y:Q", axis=None, scale=alt.Scale(domain=[(down + 1) * _LINE, 0], nice=False)),
    )
    dot = base.transform_filter(f"datum.class != {last}").mark_point(filled=True, size=60, opacity=1)
    ring = base.transform_filter(f"datum.class == {last}").mark_point(
        size=90, color=theme.alert, strokeWidth=1.5, opacity=1
    )
    text = base.mark_text(align="left", dx=10, color=theme.ink)
    layers = [
        dot.encode(color=_class_colour(last + 1, theme), shape=_class_shape(last + 1)),
        ring,
        text.encode(alt.Text("name:N")),
    ]
    return alt.LayerChart(layer=layers, width=width, height=(down + 1) * _LINE)
