"""The usual figures, ready to be looked at: confusion matrices, curves, thresholds, and a table for terminals."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import altair as alt
import numpy as np
from rich.console import Console
from rich.table import Table
from rich.text import Text

from fivefold.plain_text import visible
from fivefold.report.formats import ABSENT, number, percent
from fivefold.report.summary import Summary
from fivefold.report.theme import LIGHT, PAGE, Row, Theme, colour_of, dress, inline_svg, room, shape_of

MOST_CLASSES = 10
"""Of more classes the largest are shown class by class, and the most frequent confusions instead of a matrix."""
MOST_MODELS = 8
_CONFUSIONS = 15
_THRESHOLDS = 7
_SHADES = 9
_SIDE = 260
# a step further than this between two thresholds has no band: nothing was measured in between
_CLOSE = 0.1
_DASHES = ([1, 0], [6, 3], [2, 2], [8, 3, 2, 3])


def show_usual(summary: Summary) -> dict[str, Any]:
    """Prepare what the page shows of the usual figures."""
    models = summary["models"]
    drawn = [model for model in models if model["usual"]["curves"]][:MOST_MODELS]
    curves = drawn[0]["usual"]["curves"] if drawn else []
    two = len(summary["classes"]) == 2
    return {
        "classes": {model["name"]: largest_classes(model["usual"]["classes"]) for model in models},
        "left_out": max(0, len(summary["classes"]) - MOST_CLASSES),
        "confusion": {model["name"]: _confusion(model["usual"], summary["classes"]) for model in models},
        "curves": [_draw(drawn, place, curve) for place, curve in enumerate(curves)],
        "drawn": drawn,
        "explored": [_explore(model) for model in drawn] if two else [],
    }


def largest_classes(classes: Sequence[Summary]) -> list[Summary]:
    """Give the largest classes in their given order; all of them if they are not many."""
    order = sorted(range(len(classes)), key=lambda place: -classes[place]["n_cases"])[:MOST_CLASSES]
    return [classes[place] for place in sorted(order)]


def _confusion(usual: Summary, classes: Sequence[str]) -> dict[str, Any]:
    """Give rows of a matrix with counts, shares of the row and shades; of many classes a list of confusions."""
    cells = usual["confusion"]
    triples = list(zip(cells["truth"], cells["answer"], cells["n"], strict=True))
    totals = [row["n_cases"] for row in usual["classes"]]
    if len(classes) > MOST_CLASSES:
        wrong = sorted((cell for cell in triples if cell[0] != cell[1]), key=lambda cell: -cell[2])
        pairs = [
            {"truth": classes[row], "answer": cells["answers"][column], "n": n, "share": n / totals[row]}
            for row, column, n in wrong[:_CONFUSIONS]
        ]
        return {"answers": [], "rows": [], "pairs": pairs, "n_pairs": len(wrong)}
    matrix = np.zeros((len(classes), len(cells["answers"])), dtype=int)
    for row, column, n in triples:
        matrix[row, column] = n
    rows = [
        {"label": label, "n": total, "cells": [_shaded(int(n), total) for n in matrix[place]]}
        for place, (label, total) in enumerate(zip(classes, totals, strict=True))
    ]
    return {"answers": cells["answers"], "rows": rows, "pairs": [], "n_pairs": 0}


def _shaded(n: int, total: int) -> dict[str, Any]:
    share = n / total if total else None
    return {"n": n, "share": share, "shade": round(_SHADES * (share or 0.0))}


def _draw(models: list[Summary], place: int, curve: Summary) -> dict[str, Any]:
    """Draw both curves of one class, of all models."""
    event = visible(curve["event"])
    pictures = {}
    kinds: Any = {
        "roc": (roc_chart, "area", "ROC curves"),
        "precision": (precision_chart, "average_precision", "Precision-recall curves"),
    }
    for kind, (chart, area, title) in kinds.items():
        areas = "; ".join(
            f"{model['name']} {number(model['usual']['curves'][place][area])}" for model in models
        )
        pictures[kind] = inline_svg(
            chart(models, place, PAGE), f"{kind}-{place}", f"{title} of {event}", visible(f"Areas: {areas}.")
        )
    return {
        "event": curve["event"],
        "rows": [(m["name"], m["usual"]["curves"][place]) for m in models],
    } | pictures


def _explore(model: Summary) -> dict[str, Any]:
    """Give the points of a threshold explorer as short texts, and a few of them as rows of a table."""
    curve = model["usual"]["curves"][0]
    columns = curve["points"]
    # beyond all probabilities, for no alarm at all
    thresholds = [2.0, *columns["threshold"][1:]]
    events, others = curve["n_events"], curve["n_others"]
    rows = [
        {
            "threshold": threshold,
            "alarms": (hits + alarms) / (events + others),
            "false_alarms": alarms,
            "misses": events - hits,
            "precision": hits / (hits + alarms) if hits + alarms else None,
            "recall": hits / events,
            "cost": (alarms + events - hits) / (events + others),
        }
        for threshold, alarms, hits in zip(thresholds, columns["false_alarms"], columns["hits"], strict=True)
    ]
    half = sum(threshold > 0.5 for threshold in thresholds) - 1
    cheapest = min(range(len(rows)), key=lambda place: rows[place]["cost"])
    even = np.linspace(1, len(rows) - 1, _THRESHOLDS).round().astype(int).tolist()
    shown = sorted({*even, half, cheapest} - {0})
    return {
        "name": model["name"],
        "event": curve["event"],
        "events": events,
        "others": others,
        "worth": curve["worth"],
        "start": half,
        "thresholds": " ".join(f"{threshold:.4g}" for threshold in thresholds),
        "alarms": " ".join(map(str, columns["false_alarms"])),
        "hits": " ".join(map(str, columns["hits"])),
        "rows": [rows[place] | {"cheapest": place == cheapest} for place in shown],
    }


def roc_chart(models: list[Summary], place: int = 0, theme: Theme = LIGHT) -> alt.LayerChart:
    """Draw the share that is caught against the share of false alarms, a line with its band for each model.

    The shape on each line is where the model's own answers lie.

    Parameters
    ----------
    models : list of mapping
        Models of a summary that have curves.
    place : int
        Which of the curves.
    theme : Theme
        Colours.
    """
    marks = [mark for number, model in enumerate(models) for mark in _roc(model, place, number, theme)]
    chance = [{"x": 0.0, "y": 0.0}, {"x": 1.0, "y": 1.0}]
    return _panel(marks, chance, ("share of false alarms", "share caught (recall)"), theme)


def precision_chart(models: list[Summary], place: int = 0, theme: Theme = LIGHT) -> alt.LayerChart:
    """Draw the precision against the share that is caught, a line with its band for each model.

    Parameters
    ----------
    models, place, theme
        As in `roc_chart`.
    """
    marks = [mark for number, model in enumerate(models) for mark in _precision(model, place, number, theme)]
    curve = models[0]["usual"]["curves"][place]
    share = curve["n_events"] / (curve["n_events"] + curve["n_others"])
    chance = [{"x": 0.0, "y": share}, {"x": 1.0, "y": share}]
    return _panel(marks, chance, ("share caught (recall)", "precision"), theme)


def _roc(model: Summary, place: int, number: int, theme: Theme) -> Iterator[alt.Chart]:
    curve = model["usual"]["curves"][place]
    rows = [
        {"x": row["false_alarms"] / curve["n_others"], "y": row["hits"] / curve["n_events"]}
        | {"low": row["recall_low"], "high": row["recall_high"]}
        for row in _rows(curve)
    ]
    own = _class_of(model, curve)
    dot = {
        "x": (own["n_answered"] - own["n_right"]) / curve["n_others"],
        "y": own["n_right"] / curve["n_events"],
    }
    return _marks(rows, dot, number, theme)


def _precision(model: Summary, place: int, number: int, theme: Theme) -> Iterator[alt.Chart]:
    curve = model["usual"]["curves"][place]
    rows = [
        {"x": row["hits"] / curve["n_events"], "y": row["hits"] / (row["hits"] + row["false_alarms"])}
        | {"low": row["precision_low"], "high": row["precision_high"]}
        for row in _rows(curve)
        if row["hits"]
    ]
    own = _class_of(model, curve)
    dot = {"x": own["n_right"] / curve["n_events"], "y": own["precision"]}
    return _marks(rows, dot if own["n_right"] else None, number, theme)


def _rows(curve: Summary) -> list[Row]:
    columns = curve["points"]
    return [dict(zip(columns, cells, strict=True)) for cells in zip(*columns.values(), strict=True)]


def _class_of(model: Summary, curve: Summary) -> Any:
    return next(row for row in model["usual"]["classes"] if row["label"] == curve["event"])


def _marks(rows: list[Row], dot: Row | None, number: int, theme: Theme) -> Iterator[alt.Chart]:
    colour = colour_of(theme, number)
    base = alt.Chart(alt.InlineData(values=rows)).encode(alt.X("x:Q"))
    close, alone = _split(rows)
    limits = (alt.X("x:Q"), alt.Y("low:Q"), alt.Y2("high:Q"))
    band, bars = (alt.Chart(alt.InlineData(values=part)) for part in (close, alone))
    yield band.mark_area(color=colour, opacity=0.14).encode(*limits, alt.Detail("piece:N"))
    yield bars.mark_rule(color=colour, opacity=0.4, strokeWidth=1.5).encode(*limits)
    dash = _DASHES[number % len(_DASHES)]
    yield base.mark_line(color=colour, strokeWidth=1.8, strokeDash=dash).encode(alt.Y("y:Q"))
    if dot:
        marker = alt.Chart(alt.InlineData(values=[dot])).mark_point(
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


def _panel(
    marks: list[alt.Chart], chance: list[Row], titles: tuple[str, str], theme: Theme
) -> alt.LayerChart:
    scale = alt.Scale(domain=[0, 1], nice=False)
    axis = alt.Axis(format=".0%", values=[0, 0.2, 0.4, 0.6, 0.8, 1], labelFlush=False)
    # the first layer's axes are everybody's
    line = alt.Chart(alt.InlineData(values=chance)).mark_line(color=theme.muted, strokeWidth=1)
    x, y = (
        kind(name, title=title, scale=scale, axis=axis)
        for kind, name, title in zip((alt.X, alt.Y), ("x:Q", "y:Q"), titles, strict=True)
    )
    layers = [line.encode(x, y), *marks]
    return alt.LayerChart(layer=layers, width=_SIDE, height=_SIDE, **room(58, 18, top=12), **dress(theme))


def print_usual(summary: Summary, console: Console) -> None:
    """Print precision, recall and F1 of each class of each model, with their intervals."""
    console.print()
    console.print(Text("The usual figures: precision, recall and F1 (95% intervals)", style="bold underline"))
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    for place, title in enumerate(("", "cases", "precision", "recall", "F1")):
        table.add_column(title, justify="left" if place == 0 else "right", overflow="fold", max_width=24)
    for model in summary["models"]:
        usual = model["usual"]
        table.add_row(Text(model["name"], style="bold"))
        for row in largest_classes(usual["classes"]):
            table.add_row(Text(f"  {row['label']}"), f"{row['n_cases']:,}", *_three(row))
        if len(usual["classes"]) > MOST_CLASSES:
            table.add_row(f"  {len(usual['classes']) - MOST_CLASSES} smaller classes: see --json")
        table.add_row("  macro average", "", *_three(usual["macro"]))
    console.print(table)


def _three(row: Summary) -> list[str]:
    texts = []
    for name in ("precision", "recall", "f1"):
        if row[name] is None:
            texts.append(ABSENT)
        else:
            low, high = (percent(end, 0).rstrip("%") for end in row[f"{name}_interval"])
            texts.append(f"{percent(row[name], 0)} {low}–{high}")
    return texts
