"""Charts of bits, bets and thresholds: bits saved, accuracy against bits, reliability, ROC, scorecard marks."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

import altair as alt
import numpy as np

from fivefold.bits.curve import expected_significance
from fivefold.errors import InputError
from fivefold.plain_text import visible
from fivefold.report.summary import Summary, number, percent
from fivefold.report.theme import (
    LIGHT,
    WIDE,
    Row,
    Theme,
    chart_of,
    colour_of,
    dress,
    room,
    rows_of,
    shape_of,
    two_tones,
    with_short_names,
)

# a text that says which name is meant, however it is cut
NAMED = (alt.Text("shown:N"), alt.Description("name:N"))
_ROW = 46
_BELOW_NAME = 9
_MARGIN = 14
_LINE = 17
_AXIS_ROOM = 64
_SIDE, _CURVE_SIDE = 232, 260
_AREA_OF_ALL_CASES = 900
_FIRM = 0.05
# a step further than this between two thresholds has no band: nothing was measured in between
_CLOSE = 0.1
_DASHES = ([1, 0], [6, 3], [2, 2], [8, 3, 2, 3])
_MARK_ENDS = 4.0, 96.0
_UNIT = alt.Scale(domain=[0, 1], nice=False)
_FIFTHS = alt.Axis(format=".0%", values=[0, 0.2, 0.4, 0.6, 0.8, 1], labelFlush=False)


def bits_chart(summary: Summary, theme: Theme = LIGHT, width: int = WIDE) -> alt.LayerChart:
    """Draw the share of all bits that each model saves, with its 95% interval.

    The full length of a bar is all bits, those of the null code. Models stand in order of their bits.

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
    ends = [row[end] for row in rows for end in ("low", "saved")]
    axis = alt.Axis(format=".0%", grid=False, labelFlush=True, tickCount=max(2, width // 110))
    x = partial(
        alt.X,
        title="share of all bits that is saved",
        axis=axis,
        scale=alt.Scale(domain=[min(0.0, *ends), 1.0], nice=False),
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
            "told": f"{number(bits['saved'], 0 if bits['saved'] >= 100 else 1)} bits, {percent(bits['share'], 0)}",
            "low": bits["saved_share_interval"][0],
            "high": bits["saved_share_interval"][1],
            "zero": 0,
            "all": 1,
            "saved": bits["share"],
            "learned": bits["learned"],
        }
        for rank, model in enumerate(ordered)
        for bits in [model["bits"]]
    ]


def _bars(rows: list[Row], x: partial[alt.X], theme: Theme) -> list[alt.Chart]:
    """Draw the full length, the bits saved, the interval with its ends, and the line at 0."""
    base = _base(rows)
    tone = two_tones("datum.learned", theme.accent, theme.muted)
    track = base.mark_bar(size=12, yOffset=_BELOW_NAME, color=theme.track)
    saved = base.mark_bar(size=12, yOffset=_BELOW_NAME)
    # Without its pale edge the interval could not be seen upon the bar.
    edge = base.mark_rule(strokeWidth=3.5, yOffset=_BELOW_NAME, color=theme.surface)
    line = base.mark_rule(strokeWidth=1.5, yOffset=_BELOW_NAME, color=theme.ink)
    end = base.mark_tick(size=10, thickness=1.5, yOffset=_BELOW_NAME, color=theme.ink)
    zero = chart_of([{"zero": 0}]).mark_rule(color=theme.ink)
    return [
        track.encode(x("all:Q"), alt.X2("zero:Q")),
        saved.encode(x("saved:Q"), alt.X2("zero:Q"), tone),
        edge.encode(x("low:Q"), alt.X2("high:Q")),
        line.encode(x("low:Q"), alt.X2("high:Q")),
        end.encode(x("low:Q")),
        end.encode(x("high:Q")),
        zero.encode(x("zero:Q")),
    ]


def _texts(rows: list[Row], x: partial[alt.X], width: int, theme: Theme) -> list[alt.Chart]:
    limit = int(width * 0.55)
    base = _base(with_short_names(rows, limit))
    name = base.mark_text(align="left", dx=4, dy=-9, color=theme.ink, fontWeight=600, limit=limit, aria=True)
    saved = base.mark_text(align="right", dy=-9, color=theme.muted, limit=int(width * 0.4))
    return [name.encode(x("zero:Q"), *NAMED), saved.encode(alt.Text("told:N"), x=alt.value(width))]


def _base(rows: list[Row]) -> alt.Chart:
    return chart_of(rows).encode(y=alt.Y("rank:O", axis=None))


def curve_chart(summary: Summary, theme: Theme = LIGHT, width: int = WIDE) -> alt.LayerChart:
    """Draw accuracy against bits saved, with the curve that accuracy promises where there are two classes.

    Parameters are those of `bits_chart`.
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
        # whole numbers while they are short
        axis=alt.Axis(format=",~f" if along[1] < 100_000 else "~s", tickCount=6),
        scale=alt.Scale(domain=along, nice=False),
    )
    curve = chart_of(_curve(summary, across, along))
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
    rows = [(f"always {first['default_class']}", first["default_rate"], 0.0, False)]
    rows += [(m["name"], m["bits"]["accuracy"], m["bits"]["saved"], True) for m in summary["models"]]
    return [
        {"name": visible(name), "accuracy": accuracy, "saved": saved, "model": is_model}
        for name, accuracy, saved, is_model in rows
    ]


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


def _place_labels(points: list[Row], along: list[float], height: int, name: str = "saved") -> None:
    """Write into each point where its label stands: beside it, but never upon another label."""
    points.sort(key=lambda point: -point[name])
    scale = (along[1] - along[0]) / height
    wanted = np.array([(along[1] - point[name]) / scale for point in points])
    steps = _LINE * np.arange(len(points))
    pushed = np.maximum.accumulate(wanted - steps) + steps
    room = height - _LINE * np.arange(len(points))[::-1]
    for point, place in zip(points, np.minimum(pushed, room), strict=True):
        point["label_at"] = along[1] - place * scale
        point["edge"] = 1.0


def _labels(
    points: list[Row], x: partial[alt.X], y: partial[alt.Y], width: int, theme: Theme
) -> list[alt.Chart]:
    base = chart_of(with_short_names(points, width - 12))
    zero = chart_of([{"saved": 0}]).mark_rule(color=theme.muted, strokeWidth=0.75)
    leader = base.mark_rule(color=theme.rule, strokeWidth=0.75)
    tone = two_tones("datum.model", theme.ink, theme.muted)
    text = base.mark_text(align="left", dx=6, limit=width - 12, aria=True)
    return [
        zero.encode(y("saved:Q")),
        leader.encode(x("accuracy:Q"), y("saved:Q"), alt.X2("edge:Q"), alt.Y2("label_at:Q")),
        text.encode(x("edge:Q"), y("label_at:Q"), *NAMED, tone),
    ]


def _dots(points: list[Row], x: alt.X, y: alt.Y, theme: Theme) -> list[alt.Chart]:
    base = chart_of(points)
    model = base.transform_filter("datum.model").mark_circle(size=64, opacity=1, color=theme.accent)
    default = base.transform_filter("!datum.model").mark_circle(
        size=64, opacity=1, color=theme.surface, stroke=theme.muted, strokeWidth=1.5
    )
    return [default.encode(x, y), model.encode(x, y)]


def learning_chart(summary: Summary, theme: Theme = LIGHT, width: int = WIDE) -> alt.LayerChart:
    """Draw the errors of models that could be fitted again, by the size of their training sets.

    Parameters are those of `bits_chart`.
    """
    curves = _learning_curves(summary, theme)
    points = [point for curve in curves for point in curve]
    ends = [curve[-1] for curve in curves]
    label_room, height = min(230, int(width * 0.38)), max(220, _LINE * (len(curves) + 1))
    top, sizes = 1.05 * max([0.01, *(point["error"] for point in points)]), sorted({p["n"] for p in points})
    _place_labels(ends, [0.0, top], height, "error")
    axis = alt.Axis(format=",d", values=sizes, labelFlush=False, labelOverlap=True, grid=False)
    across = alt.Scale(type="log", domain=[sizes[0], sizes[-1]], nice=False)
    x = partial(alt.X, title="training cases", axis=axis, scale=across)
    up = alt.Scale(domain=[0, top], nice=False)
    y = partial(alt.Y, title="error on other cases", axis=alt.Axis(format=".0%", tickCount=5), scale=up)
    base = chart_of(points)
    named = with_short_names([end | {"edge": sizes[-1]} for end in ends], label_room - 24)
    last = chart_of(named).encode(x("edge:Q"), y("label_at:Q"))
    look = alt.Color("colour:N", scale=None), alt.Shape("shape:N", scale=None)
    marks = [
        base.mark_line(strokeWidth=1.5).encode(x("n:Q"), y("error:Q"), look[0], alt.Detail("name:N")),
        base.mark_point(size=44, filled=True, opacity=1).encode(x("n:Q"), y("error:Q"), *look),
        last.mark_point(size=44, filled=True, opacity=1, xOffset=14).encode(*look),
        last.mark_text(align="left", dx=22, limit=label_room - 24, color=theme.ink, aria=True).encode(*NAMED),
    ]
    frame = {**room(_AXIS_ROOM, label_room), **dress(theme)}
    return alt.LayerChart(layer=marks, width=width - label_room - _AXIS_ROOM, height=height, **frame)


def _learning_curves(summary: Summary, theme: Theme) -> list[list[Row]]:
    """Give the points of each model that has a learning curve, in the colour and shape of the model."""
    curves = []
    for place, model in enumerate(summary["models"]):
        if model["truth"] and (curve := model["truth"]["learning_curve"]):
            look = {"colour": colour_of(theme, place), "shape": shape_of(place)}
            points = rows_of({"n": curve["sizes"], "error": curve["errors"]})
            curves.append([{"name": visible(model["name"]), **look, **point} for point in points])
    return curves


def reliability_chart(summary: Summary, theme: Theme = LIGHT) -> alt.ConcatChart:
    """Draw the reliability panels of all models that state probabilities, side by side.

    Parameters are those of `bits_chart`.
    """
    panels = [
        _panel(summary, model["bets"], theme, title=alt.Title(visible(model["name"]), limit=_SIDE))
        for model in summary["models"]
        if model["bets"]
    ]
    if not panels:
        raise InputError("a model that states probabilities", "none", "the bits chart needs answers only")
    return alt.ConcatChart(concat=panels, columns=3, **dress(theme))


def reliability_panel(summary: Summary, model: Mapping[str, Any], theme: Theme = LIGHT) -> alt.LayerChart:
    """Draw the reliability of one model: stated probability against the share that happened.

    The band is where the dots would lie 95 % of the time if the probabilities were right; the area of a dot is
    its share of the cases. Bars at the bottom show how often what was stated.

    `model` is one of the summary's, with a bets view; other parameters are those of `bits_chart`.
    """
    return _panel(summary, model["bets"], theme, **room(64, 18, top=18), **dress(theme))


def coverage_panel(confidence: Mapping[str, Any], theme: Theme = LIGHT, low: float = 0.0) -> alt.LayerChart:
    """Draw the accuracy of one model against the share of the cases that it answers, the surest first.

    `confidence` is the confidence view of a model in a summary; the axis of accuracy begins at `low`.
    """
    points = rows_of({name: confidence["curve"][name] for name in ("coverage", "accuracy")})
    # a few of the surest answers say little
    points = [point for point in points if point["coverage"] >= _FIRM] or points
    x = alt.X("coverage:Q", title="share answered, the surest first", scale=_UNIT, axis=_FIFTHS)
    scale = alt.Scale(domain=[low, 1.0], nice=False, clamp=True)
    y = alt.Y("accuracy:Q", title="share right", scale=scale, axis=alt.Axis(format=".0%", tickCount=6))
    base = chart_of(points)
    flat = chart_of([{"coverage": place, "accuracy": confidence["accuracy"]} for place in (0.0, 1.0)])
    marks = [
        flat.mark_line(color=theme.muted, strokeWidth=1, strokeDash=[5, 3]).encode(x, y),
        base.mark_line(color=theme.accent, strokeWidth=1.5).encode(x, y),
        base.mark_circle(color=theme.accent, opacity=1, size=9 if len(points) > 40 else 36).encode(x, y),
    ]
    frame = {**room(64, 18, top=18), **dress(theme)}
    return alt.LayerChart(layer=marks, width=_SIDE, height=_SIDE, **frame)


def class_panel(summary: Summary, drawn: Mapping[str, Any], theme: Theme = LIGHT) -> alt.LayerChart:
    """Draw the reliability of one class against the rest, one of the class diagrams of a bets view."""
    title = alt.Title(visible(drawn["event"]), limit=_SIDE)
    return _panel(summary, drawn, theme, title=title, **room(64, 18, top=36), **dress(theme))


def cells(model: Mapping[str, Any]) -> list[Row]:
    """Give one row for each cell of a model's diagram, and whether its dot lies outside of its bar."""
    return _cells(model["bets"]["diagram"])


def _cells(columns: Mapping[str, Any]) -> list[Row]:
    return [{**row, "outside": not row["low"] <= row["happened"] <= row["high"]} for row in rows_of(columns)]


def _panel(summary: Summary, drawn: Mapping[str, Any], theme: Theme, **frame: Any) -> alt.LayerChart:
    x = alt.X("stated:Q", title="stated probability", scale=_UNIT, axis=_FIFTHS)
    y = partial(alt.Y, title="share that happened", scale=_UNIT, axis=_FIFTHS)
    cell = chart_of(_cells(drawn["diagram"]))
    corners = [{"stated": 0.0, "happened": 0.0}, {"stated": 1.0, "happened": 1.0}]
    diagonal = chart_of(corners).mark_line(color=theme.muted, strokeWidth=1)
    band = cell.mark_area(color=theme.band, opacity=0.8)
    # a band of a single cell has no area
    bar = cell.mark_rule(color=theme.band, strokeWidth=4)
    tone = two_tones("datum.outside", theme.alert, theme.accent)
    size = alt.Size(
        "cases:Q", scale=alt.Scale(domain=[0, summary["n_cases"]], range=[0, _AREA_OF_ALL_CASES]), legend=None
    )
    dot = cell.mark_circle(opacity=0.9, stroke=theme.surface, strokeWidth=0.75)
    marks = [
        _stated_bars(drawn["stated_counts"], x, y, theme),
        band.encode(x, y("low:Q"), alt.Y2("high:Q")),
        bar.encode(x, y("low:Q"), alt.Y2("high:Q")),
        diagonal.encode(x, y("happened:Q")),
        cell.mark_line(color=theme.accent, strokeWidth=1.25).encode(x, y("happened:Q")),
        dot.encode(x, y("happened:Q"), tone, size),
    ]
    return alt.LayerChart(layer=marks, width=_SIDE, height=_SIDE, **frame)


def _stated_bars(counts: Sequence[int], x: alt.X, y: partial[alt.Y], theme: Theme) -> alt.Chart:
    """Draw how often what was stated, from the bottom of the panel; the most frequent reaches a fifth of it."""
    rows = [
        {
            "stated": place / len(counts),
            "end": (place + 1) / len(counts),
            "height": 0.2 * count / max(counts),
            "zero": 0,
        }
        for place, count in enumerate(counts)
    ]
    bars = chart_of(rows).mark_rect(color=theme.rule)
    drawn: alt.Chart = bars.encode(x, y("zero:Q"), alt.X2("end:Q"), alt.Y2("height:Q"))
    return drawn


def score_marks(scorecard: Mapping[str, Any]) -> list[list[Row | None]]:
    """Place the dot and the line of every figure of a scorecard between 0 and 100, column by column.

    Figures without an interval have none, the baseline is a tick, and what is infinite ends at the edge.
    """
    rows = [row["scores"] for row in scorecard["rows"]]
    columns = [_mark_column([row[place] for row in rows]) for place in range(len(scorecard["columns"]))]
    return [list(marks) for marks in zip(*columns, strict=True)]


def _mark_column(scores: list[Mapping[str, Any]]) -> list[Row | None]:
    spans = [(*(score["interval"] or ()), score["value"]) for score in scores]
    ends = [end for span in spans for end in span if isinstance(end, (int, float))]
    if not any(score["interval"] for score in scores) or len(set(ends)) < 2:
        return [None] * len(scores)
    low, high, (left, right) = min(ends), max(ends), _MARK_ENDS

    def place(value: Any) -> float:
        if not isinstance(value, (int, float)):
            return left if value in ("-Infinity", None) else right
        return round(left + (right - left) * (value - low) / (high - low), 1)

    base = scores[-1]["value"]
    tick = place(base) if isinstance(base, (int, float)) else None
    return [
        {
            "low": place(score["interval"][0]),
            "high": place(score["interval"][1]),
            "at": place(score["value"]),
            "tick": tick,
        }
        if score["interval"] and None not in score["interval"]
        else None
        for score in scores
    ]


def roc_chart(models: list[Summary], place: int = 0, theme: Theme = LIGHT) -> alt.LayerChart:
    """Draw the share that is caught against the share of false alarms, a line with its band for each model.

    The shape on each line is where the model's own answers lie. `models` are those of a summary that have curves,
    `place` is which of the curves.
    """
    chance = [{"x": 0.0, "y": 0.0}, {"x": 1.0, "y": 1.0}]
    return _square(models, place, _roc, chance, ("share of false alarms", "share caught (recall)"), theme)


def precision_chart(models: list[Summary], place: int = 0, theme: Theme = LIGHT) -> alt.LayerChart:
    """Draw the precision against the share that is caught; parameters are those of `roc_chart`."""
    curve = models[0]["usual"]["curves"][place]
    share = curve["n_events"] / (curve["n_events"] + curve["n_others"])
    chance = [{"x": 0.0, "y": share}, {"x": 1.0, "y": share}]
    return _square(models, place, _precision, chance, ("share caught (recall)", "precision"), theme)


def _roc(curve: Summary, own: Summary) -> tuple[list[Row], Row | None]:
    """Give the points of a curve, and where the model's own answers lie."""
    rows = [
        {"x": row["false_alarms"] / curve["n_others"], "y": row["hits"] / curve["n_events"]}
        | {"low": row["recall_low"], "high": row["recall_high"]}
        for row in rows_of(curve["points"])
    ]
    false_alarms = (own["n_answered"] - own["n_right"]) / curve["n_others"]
    return rows, {"x": false_alarms, "y": own["n_right"] / curve["n_events"]}


def _precision(curve: Summary, own: Summary) -> tuple[list[Row], Row | None]:
    rows = [
        {"x": row["hits"] / curve["n_events"], "y": row["hits"] / (row["hits"] + row["false_alarms"])}
        | {"low": row["precision_low"], "high": row["precision_high"]}
        for row in rows_of(curve["points"])
        if row["hits"]
    ]
    dot = {"x": own["n_right"] / curve["n_events"], "y": own["precision"]}
    return rows, dot if own["n_right"] else None


def _marks(rows: list[Row], dot: Row | None, number: int, n_models: int, theme: Theme) -> Iterator[alt.Chart]:
    colour = colour_of(theme, number)
    base = chart_of(rows).encode(alt.X("x:Q"))
    close, alone = _split(rows)
    limits = (alt.X("x:Q"), alt.Y("low:Q"), alt.Y2("high:Q"))
    band, bars = (chart_of(part) for part in (close, alone))
    yield band.mark_area(color=colour, opacity=0.42 / max(3, n_models)).encode(*limits, alt.Detail("piece:N"))
    yield bars.mark_rule(color=colour, opacity=0.4, strokeWidth=1.5).encode(*limits)
    dash = _DASHES[number % len(_DASHES)]
    yield base.mark_line(color=colour, strokeWidth=1.8, strokeDash=dash).encode(alt.Y("y:Q"))
    if dot:
        marker = chart_of([dot]).mark_point(
            color=colour, fill=colour, shape=shape_of(number), size=70, opacity=1, stroke=theme.surface
        )
        yield marker.encode(alt.X("x:Q"), alt.Y("y:Q"))


def _split(rows: list[Row]) -> tuple[list[Row], list[Row]]:
    """Number the pieces in which thresholds lie close, for a band, and give those that stand alone, for bars."""
    pieces: list[list[Row]] = []
    for row in rows:
        if pieces and row["x"] - pieces[-1][-1]["x"] <= _CLOSE:
            pieces[-1].append(row)
        else:
            pieces.append([row])
    wide = [piece for piece in pieces if piece[-1]["x"] > piece[0]["x"]]
    alone = [piece[-1] for piece in pieces if piece[-1]["x"] == piece[0]["x"]]
    return [row | {"piece": at} for at, piece in enumerate(wide) for row in piece], alone


def _square(
    models: list[Summary],
    place: int,
    read: Callable[[Summary, Summary], tuple[list[Row], Row | None]],
    chance: list[Row],
    titles: tuple[str, str],
    theme: Theme,
) -> alt.LayerChart:
    marks: list[alt.Chart] = []
    for at, usual in enumerate(model["usual"] for model in models):
        curve = usual["curves"][place]
        own = next(row for row in usual["classes"] if row["label"] == curve["event"])
        marks += _marks(*read(curve, own), at, len(models), theme)
    # the first layer's axes are everybody's
    x = alt.X("x:Q", title=titles[0], scale=_UNIT, axis=_FIFTHS)
    y = alt.Y("y:Q", title=titles[1], scale=_UNIT, axis=_FIFTHS)
    line = chart_of(chance).mark_line(color=theme.muted, strokeWidth=1).encode(x, y)
    frame = {**room(58, 18, top=12), **dress(theme)}
    return alt.LayerChart(layer=[line, *marks], width=_CURVE_SIDE, height=_CURVE_SIDE, **frame)
