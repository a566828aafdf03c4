"""Bits saved by each model, against 0 and the null code."""

from __future__ import annotations

from functools import partial

import altair as alt

from fivefold.report.charts.dress import WIDE, Row, Summary, bits_format, dress, room
from fivefold.report.formats import number, percent, visible
from fivefold.report.theme import LIGHT, Theme

_ROW = 46
_BELOW_NAME = 9
_MARGIN = 14


def bits_chart(summary: Summary, theme: Theme = LIGHT, width: int = WIDE) -> alt.LayerChart:
    """Draw the bits that each model saves, with its 95% interval, against 0 and the null code.

    The full length of a bar is the null code. Models stand in order of their bits.

    Parameters
    ----------
    summary : mapping
        What `summarise` gives.
    theme : Theme
        Colours.
    width : int
        Width in pixels.
    """
    rows = _rows(summary)
    null = rows[0]["null"]
    ends = [row[end] for row in rows for end in ("low", "high", "saved") if row[end] is not None]
    axis = alt.Axis(format=bits_format(null), grid=False, labelFlush=False, tickCount=max(2, width // 110))
    x = partial(
        alt.X,
        title="bits saved",
        axis=axis,
        scale=alt.Scale(domain=[min(0.0, *ends), max(1.0, null, *ends)], nice=False),
    )
    inner = width - 2 * _MARGIN
    marks = [*_bars(rows, x, theme), *_texts(rows, x, inner, theme)]
    frame = {**room(_MARGIN, _MARGIN), **dress(theme)}
    return alt.LayerChart(layer=marks, width=inner, height=_ROW * len(rows), **frame)


def _rows(summary: Summary) -> list[Row]:
    ordered = sorted(summary["models"], key=lambda model: -model["bits"]["saved"])
    return [
        {
            "rank": rank,
            "name": visible(model["name"]),
            "told": f"{number(bits['saved'], 1)} bits, {percent(bits['share'], 0)}",
            "low": bits["interval"][0],
            "high": bits["interval"][1],
            "zero": 0,
            **{key: bits[key] for key in ("saved", "null", "learned")},
        }
        for rank, model in enumerate(ordered)
        for bits in [model["bits"]]
    ]


def _bars(rows: list[Row], x: partial[alt.X], theme: Theme) -> list[alt.Chart]:
    """Draw the full length, the bits saved, the interval with its ends, and the line at 0."""
    base = _base(rows)
    known = base.transform_filter("isValid(datum.low)")
    tone = alt.when("datum.learned").then(alt.value(theme.accent)).otherwise(alt.value(theme.muted))
    track = base.mark_bar(size=12, yOffset=_BELOW_NAME, color=theme.track)
    saved = base.mark_bar(size=12, yOffset=_BELOW_NAME)
    # Without its pale edge the interval could not be seen upon the bar.
    edge = known.mark_rule(strokeWidth=3.5, yOffset=_BELOW_NAME, color=theme.surface)
    line = known.mark_rule(strokeWidth=1.5, yOffset=_BELOW_NAME, color=theme.ink)
    end = known.mark_tick(size=10, thickness=1.5, yOffset=_BELOW_NAME, color=theme.ink)
    zero = alt.Chart(alt.InlineData(values=[{"zero": 0}])).mark_rule(color=theme.ink)
    return [
        track.encode(x("null:Q"), x2="zero:Q"),
        saved.encode(x("saved:Q"), x2="zero:Q", color=tone),
        edge.encode(x("low:Q"), x2="high:Q"),
        line.encode(x("low:Q"), x2="high:Q"),
        end.encode(x("low:Q")),
        end.encode(x("high:Q")),
        zero.encode(x("zero:Q")),
    ]


def _texts(rows: list[Row], x: partial[alt.X], width: int, theme: Theme) -> list[alt.Chart]:
    base = _base(rows)
    name = base.mark_text(align="left", dx=4, dy=-9, color=theme.ink, fontWeight=600, limit=int(width * 0.55))
    told = base.mark_text(align="right", dy=-9, color=theme.muted, limit=int(width * 0.4))
    return [
        name.encode(x("zero:Q"), text="name:N"),
        told.encode(x=alt.value(width), text="told:N"),
    ]


def _base(rows: list[Row]) -> alt.Chart:
    return alt.Chart(alt.InlineData(values=rows)).encode(y=alt.Y("rank:O", axis=None))
