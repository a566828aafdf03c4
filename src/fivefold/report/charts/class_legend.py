"""A line that names the colour and the shape of every class."""

from __future__ import annotations

from collections.abc import Sequence

import altair as alt

from fivefold.report.charts.class_colours import colour_of, shape_of
from fivefold.report.charts.dress import Row
from fivefold.report.formats import visible
from fivefold.report.theme import Theme

_LINE = 20


def class_legend(classes: Sequence[str], theme: Theme, width: int) -> alt.LayerChart:
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
    numbers = list(range(len(rows)))
    last = numbers[-1]
    base = alt.Chart(alt.InlineData(values=rows)).encode(
        x=alt.X("x:Q", axis=None, scale=alt.Scale(domain=[0, width], nice=False)),
        y=alt.Y("y:Q", axis=None, scale=alt.Scale(domain=[(down + 1) * _LINE, 0], nice=False)),
    )
    colours = alt.Scale(domain=numbers, range=[colour_of(theme, number) for number in numbers])
    shapes = alt.Scale(domain=numbers, range=[shape_of(number) for number in numbers])
    dot = base.transform_filter(f"datum.class != {last}").mark_point(filled=True, size=60, opacity=1)
    ring = base.transform_filter(f"datum.class == {last}").mark_point(
        size=90, color=theme.alert, strokeWidth=1.5, opacity=1
    )
    text = base.mark_text(align="left", dx=10, color=theme.ink)
    layers = [
        dot.encode(
            color=alt.Color("class:N", scale=colours, legend=None),
            shape=alt.Shape("class:N", scale=shapes, legend=None),
        ),
        ring,
        text.encode(text="name:N"),
    ]
    return alt.LayerChart(layer=layers, width=width, height=(down + 1) * _LINE)
