"""One self-contained page: everything inside, nothing fetched, nothing from the data trusted."""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from altair.utils.schemapi import debug_mode
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup, escape

from fivefold import __version__
from fivefold.formulas import share_limits
from fivefold.plain_text import visible
from fivefold.report.charts import scores
from fivefold.report.charts.borders import border_matrix, border_panel, distance_panel
from fivefold.report.summary import (
    ABSENT,
    MOST_CLASSES,
    Summary,
    cut_to_best,
    evidence,
    interval,
    largest_classes,
    number,
    p_value,
    percent,
    points,
    summarise,
    tabulate,
    words,
    write,
)
from fivefold.report.theme import (
    DARK,
    LIGHT,
    PAGE,
    SHAPES,
    WIDTHS,
    Theme,
    class_colours,
    colour_of,
    inline_svg,
    shape_of,
)
from fivefold.results import ANSWERS_ONLY, VIEW_NAMES, plain

TITLE = "What the models learned"
MOST_MODELS, MOST_DRAWN = 100, 8
_ONE_CLASS = 0.99
_MOST_CLASS_PANELS = 32
_CONFUSIONS, _THRESHOLDS, _SHADES = 15, 7, 9
_LONG_WORD = 24
_PARTS = re.compile(r"([_./:-])(?=\w)")
_MINUS = re.compile(r"(?<=[\s(])-(?=\d)")
_SECTIONS = (
    ("answer", "The answer", "answer.html.j2"),
    ("usual", "The usual figures", "usual.html.j2"),
    ("bits", "Bits", "bits.html.j2"),
    ("bets", "Bets", "bets.html.j2"),
    ("truth", "Truth", "truth.html.j2"),
    ("slices", "Slices", "slices.html.j2"),
    ("borders", "Borders", "borders.html.j2"),
    ("comparisons", "Comparisons", "comparisons.html.j2"),
    ("found", "All findings", "findings.html.j2"),
    ("method", "Method", "method.html.j2"),
)


def render_page(evaluation: Any, *, title: str = TITLE, source: str = "", target: str = "") -> str:
    """Write an evaluation as one HTML page that needs nothing else.

    The page fetches nothing, follows the reader's choice of light or dark, prints, and sorts its tables by
    keyboard; it reads well without scripts too. The same evaluation gives the same page, byte for byte. Of more
    than 100 models it shows the most accurate and the best of each view, and says so.

    Parameters
    ----------
    evaluation : Evaluation
        What was found.
    title : str
        Title of the page.
    source : str
        Where the predictions came from.
    target : str
        Name of the true class's column.

    Examples
    --------
    >>> import fivefold as ff
    >>> import polars as pl
    >>> table = pl.DataFrame({"y": ["a", "b"] * 40, "model": ["a", "b"] * 40})
    >>> evaluation = ff.evaluate_predictions(table, target="y", predictions=["model"])
    >>> page = render_page(evaluation, title="A first look")
    >>> page.startswith("<!DOCTYPE html>"), "<h1>A first look</h1>" in page
    (True, True)
    """
    return render_summary(summarise(evaluation, source=source, target=target), title=title)


def render_summary(summary: Summary, *, title: str = TITLE) -> str:
    """Write a summary as one HTML page; see `render_page`."""
    summary = cut_to_best(summary, MOST_MODELS)
    sections = [section for section in _SECTIONS if _has(summary, section[0])]
    # the tests check charts against their schema, which takes a third of a page's time
    with debug_mode(False):
        figures, usual = _draw_figures(summary), _show_usual(summary)
    return render(
        "page.html.j2",
        summary=summary,
        title=title,
        sections=sections,
        anchors=[anchor for anchor, _, _ in sections],
        figures=figures,
        tables={
            view: tabulate(summary["models"], view, "page") for view in (*VIEW_NAMES, "usual", "confidence")
        },
        evidence={view: tabulate(summary["models"], view, "evidence") for view in ("bets", "confidence")},
        usual=usual,
        unjudged=_unjudged(summary),
        absent=ABSENT,
    )


def _unjudged(summary: Summary) -> list[tuple[str, str]]:
    """Give views that judge no model, each with why; those are left out that nobody can expect."""
    reasons = {
        view: summary["models"][0]["absent"].get(view) for view in VIEW_NAMES if not _has(summary, view)
    }
    return [(view, why) for view, why in reasons.items() if why not in (None, ANSWERS_ONLY)]


def _has(summary: Summary, section: str) -> bool:
    """Say whether there is anything to put into a section."""
    if section == "bets":
        return any(model["bets"] or model["confidence"] for model in summary["models"])
    if section in VIEW_NAMES:
        return any(model[section] for model in summary["models"])
    return section != "comparisons" or bool(summary["comparisons"])


def render_slices(view: Any, *, source: str = "") -> str:
    """Write the slices of one model, or of two, as one HTML page that needs nothing else."""
    slices = plain(view)
    alone = len(view.models) == 1
    name = " and ".join(view.models)
    return render(
        "slices_page.html.j2",
        title=f"Where {name} fails" if alone else f"Where {name} differ",
        source=source,
        version=__version__,
        summary={
            "models": [{"name": name, "slices": slices}] if alone else [],
            "differences": None if alone else slices,
            "n_cases": view.n_cases,
        },
    )


def _draw_figures(summary: Summary) -> dict[str, Any]:
    """Draw every figure of a summary; those that need room in two widths, for a desk and for a phone."""
    wide = {"bits": _bits, "curve": _curve, "learning": _learning}
    beside = {
        "reliability": ("bets", _reliability),
        "classes": ("bets", _class_panels),
        "confidence": ("confidence", _confidence),
    }
    return {
        "marks": scores.score_marks(summary["scorecard"]),
        **{
            key: {name: draw(summary, name, width) for name, width in WIDTHS.items()}
            for key, draw in wide.items()
        },
        **{
            key: {
                model["name"]: draw(summary, model, index)
                for index, model in enumerate(summary["models"])
                if model[view]
            }
            for key, (view, draw) in beside.items()
        },
        "borders": _draw_borders(summary),
    }


def _confidence(summary: Summary, model: Summary, index: int) -> list[Markup]:
    """Draw accuracy against the share answered, and whether what is stated happens."""
    judged = model["confidence"]
    name, half = visible(model["name"]), percent(judged["accuracy_of_surest_half"])
    said = f"{half} on the surest half of the answers, {percent(judged['accuracy'])} on all."
    title = f"Accuracy of {name} by the share answered"
    low = min(
        min(each["confidence"]["curve"]["accuracy"]) for each in summary["models"] if each["confidence"]
    )
    panel = scores.coverage_panel(judged, PAGE, np.floor(10 * low) / 10)
    curve = inline_svg(panel, f"coverage-{index}", title, said)
    sure = scores.reliability_panel(summary, judged, PAGE)
    stated = inline_svg(
        sure, f"sure-{index}", f"Reliability of the confidence of {name}", judged["bets"]["advice"]
    )
    return [curve, stated]


def _class_panels(summary: Summary, model: Summary, index: int) -> list[Markup]:
    """Draw each class against the rest, for as many models as a page can carry; JSON has all."""
    if (index + 1) * len(model["bets"]["class_diagrams"]) > _MOST_CLASS_PANELS:
        return []
    return [
        inline_svg(
            scores.class_panel(summary, drawn, PAGE),
            f"reliability-{index}-{place}",
            visible(f"Reliability diagram of {model['name']} for {drawn['event']}"),
            f"{len(drawn['diagram']['cases'])} cells of cases.",
        )
        for place, drawn in enumerate(model["bets"]["class_diagrams"])
    ]


def _bits(summary: Summary, name: str, width: int) -> Markup:
    saved = [f"{model['name']} {number(model['bits']['saved'], 1)}" for model in summary["models"]]
    description = f"Of {number(summary['models'][0]['bits']['null'], 1)} bits: {'; '.join(saved)}."
    chart = scores.bits_chart(summary, PAGE, width)
    return inline_svg(chart, f"bits-{name}", "Bits saved by each model", visible(description))


def _curve(summary: Summary, name: str, width: int) -> Markup:
    points = [
        f"{model['name']} {percent(model['bits']['accuracy'])}, {number(model['bits']['saved'], 1)} bits"
        for model in summary["models"]
    ]
    chart = scores.curve_chart(summary, PAGE, width)
    return inline_svg(chart, f"curve-{name}", "Accuracy against bits saved", visible("; ".join(points) + "."))


def _learning(summary: Summary, name: str, width: int) -> Markup:
    """Draw the learning curves; nothing where no model could be fitted again."""
    curves = [(m["name"], m["truth"]["learning_curve"]) for m in summary["models"] if m["truth"]]
    texts = [f"{model}: {curve['sentence']}" for model, curve in curves if curve]
    if not texts:
        return Markup()
    chart = scores.learning_chart(summary, PAGE, width)
    return inline_svg(
        chart, f"learning-{name}", "Error by the size of the training set", visible(" ".join(texts))
    )


def _reliability(summary: Summary, model: Summary, index: int) -> Markup:
    drawn = scores.cells(model)
    outside = sum(cell["outside"] for cell in drawn)
    description = (
        f"{len(drawn)} cells of cases, {outside} of them outside of where they should lie; "
        f"{model['bets']['advice']}."
    )
    chart = scores.reliability_panel(summary, model, PAGE)
    title = f"Reliability diagram of {model['name']}"
    return inline_svg(chart, f"reliability-{index}", visible(title), description)


def _draw_borders(summary: Summary) -> dict[str, Any]:
    """Draw, for each model whose borders were measured, its maps and the distances of its cases."""
    judged = [model for model in summary["models"] if model["borders"]]
    return {
        "legend": _legend(judged[0]["borders"]["classes"]) if judged else [],
        "models": {model["name"]: _model(judged, model, index) for index, model in enumerate(judged)},
    }


def _model(judged: Sequence[Summary], model: Summary, index: int) -> dict[str, Any]:
    borders = model["borders"]
    maps = borders["maps"]
    charts = [border_panel(borders, PAGE)] if len(maps) == 1 else border_matrix(borders, PAGE)
    # a cut that a single class fills shows nothing; the only map is always drawn
    drawn_maps = [
        (chart, drawn)
        for chart, drawn in zip(charts, maps, strict=True)
        if len(maps) == 1 or max(_areas(borders, drawn)) < _ONE_CLASS
    ]
    strip = distance_panel(judged, borders, PAGE)
    return {
        "maps": [
            inline_svg(
                chart,
                f"borders-{index}-{place}",
                visible(f"Regions of {model['name']} by {' and '.join(drawn['names'])}"),
                _words(borders, drawn),
            )
            for place, (chart, drawn) in enumerate(drawn_maps)
        ],
        "distances": inline_svg(
            strip,
            f"distances-{index}",
            visible(f"Distances of training cases from the border of {model['name']}"),
            f"{percent(borders['right_near_border'])} of the right cases lie within {number(borders['spacing'])}.",
        ),
    }


def _areas(borders: Summary, drawn: Summary) -> list[float]:
    """Give the share of a picture that each class has."""
    areas = [0.0] * len(borders["classes"])
    for region in drawn["regions"]:
        areas[region["class"]] += (region["x2"] - region["x"]) * (region["y2"] - region["y"])
    return [area / sum(areas) for area in areas]


def _words(borders: Summary, drawn: Summary) -> str:
    """Say what share of the picture each class has."""
    shares = _areas(borders, drawn)
    named = [f"{name} {percent(part, 0)}" for name, part in zip(borders["classes"], shares, strict=True)]
    return visible(f"Share of the picture: {'; '.join(named)}.")


def _legend(classes: Sequence[str]) -> list[dict[str, str]]:
    """Give name, colour and shape of every class."""
    return [
        {"name": name, "colour": colour_of(PAGE, place), "path": SHAPES[shape_of(place)]}
        for place, name in enumerate(classes)
    ]


def _show_usual(summary: Summary) -> dict[str, Any]:
    """Prepare the usual figures: confusion matrices, curves and thresholds."""
    models = summary["models"]
    drawn = [model for model in models if model["usual"]["curves"]][:MOST_DRAWN]
    curves = drawn[0]["usual"]["curves"] if drawn else []
    two = len(summary["classes"]) == 2
    return {
        "classes": {model["name"]: largest_classes(model["usual"]["classes"]) for model in models},
        "left_out": max(0, len(summary["classes"]) - MOST_CLASSES),
        "confusion": {model["name"]: _confusion(model["usual"], summary["classes"]) for model in models},
        "curves": [_draw_curves(drawn, place, curve["event"]) for place, curve in enumerate(curves)],
        "legend": _legend([model["name"] for model in drawn]),
        "explored": [_explore(model) for model in drawn] if two else [],
    }


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


def _draw_curves(models: list[Summary], place: int, event: str) -> dict[str, Any]:
    """Draw both curves of one class, of all models."""
    curves = [(model["name"], model["usual"]["curves"][place]) for model in models]
    drawn: dict[str, Any] = {"event": event, "rows": curves}
    for kind, chart, area, title in (
        ("roc", scores.roc_chart, "area", "ROC curves"),
        ("precision", scores.precision_chart, "average_precision", "Precision-recall curves"),
    ):
        areas = "; ".join(f"{name} {number(curve[area])}" for name, curve in curves)
        drawn[kind] = inline_svg(
            chart(models, place, PAGE),
            f"{kind}-{place}",
            f"{title} of {visible(event)}",
            visible(f"Areas: {areas}."),
        )
    return drawn


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
        "start": half,
        "thresholds": " ".join(f"{threshold:.4g}" for threshold in thresholds),
        "alarms": " ".join(map(str, columns["false_alarms"])),
        "hits": " ".join(map(str, columns["hits"])),
        "limits": _error_limits(rows, events + others, curve["worth"]),
        "rows": [rows[place] | {"cheapest": place == cheapest} for place in shown],
    }


def _error_limits(rows: Sequence[Mapping[str, Any]], n: int, worth: float) -> str:
    """Give the limits of both shares of errors at each threshold, as `cost_interval` has them."""
    errors = np.array([(row["false_alarms"], row["misses"]) for row in rows])
    limits = np.stack(share_limits(worth * errors, worth * n), axis=-1).reshape(-1, 4)
    return " ".join(",".join(f"{end:.5g}" for end in each) for each in limits.tolist())


def render(template: str, **values: Any) -> str:
    """Fill a template of a whole page, with the style sheet, the script and the policy that allows only these."""
    # in the project's own style sheet and script there is nothing to escape
    style = Markup(fill("style.css.j2", light=variables(LIGHT), dark=variables(DARK)))
    script = Markup(fill("page.js"))
    policy = (
        f"default-src 'none'; style-src {_hash(style)}; script-src {_hash(script)}; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )
    return fill(template, style=style, script=script, policy=policy, **values)


def fill(template: str, **values: Any) -> str:
    """Fill a template of a piece of a page: the project's own words around values that nobody trusts."""
    return _environment().get_template(template).render(**values)


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=FileSystemLoader(Path(__file__).parent / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_finalise,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    ours = (_typeset, _shares, _pair_shares, _has_long_word, _breakable)
    for formats in (number, percent, p_value, interval, evidence, words, points, write, scores.cells, *ours):
        environment.filters[formats.__name__.lstrip("_")] = formats
    return environment


def variables(theme: Theme) -> Markup:
    """Declare the colours of a theme, and those of classes, for a style sheet."""
    classes = {f"class-{place}": colour for place, colour in enumerate(class_colours(theme), 1)}
    named = theme.colours() | classes
    return Markup(" ".join(f"--{name}: {colour};" for name, colour in named.items()))


def _hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def _finalise(value: Any) -> Any:
    return visible(value) if isinstance(value, str) and not isinstance(value, Markup) else value


def _has_long_word(text: str) -> bool:
    """Tell texts that a narrow column may break inside of a word; all others it breaks between words only."""
    return max(map(len, text.split()), default=0) > _LONG_WORD


def _breakable(name: str) -> Markup:
    """Let a long name break after the signs that part its words."""
    shown = str(escape(visible(name)))
    return Markup(_PARTS.sub(r"\1<wbr>", shown) if _has_long_word(name) else shown)


def _typeset(sentence: str, names: Sequence[str]) -> Markup:
    """Set the names of models apart, so that one written from right to left does not turn the words around it."""
    either = "|".join(re.escape(name) for name in sorted(names, key=len, reverse=True)) or r"\Z"
    pieces = re.split(rf"(?<!\w)({either})(?!\w)", sentence)
    shown = [escape(visible(piece)) for piece in pieces]
    shown[0::2] = [Markup(_MINUS.sub("−", text).replace(" %", "\u00a0%")) for text in shown[0::2]]
    shown[1::2] = [Markup("<bdi>{}</bdi>").format(_breakable(name)) for name in pieces[1::2]]
    return Markup().join(shown)


def _shares(feature: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Give a row for each value of a feature: its share inside and outside of a slice, in per cent.

    Examples
    --------
    >>> _shares({"values": ["a", "b"], "inside": [1, 3], "outside": [0, 0]})
    [{'value': 'a', 'inside': 25.0, 'outside': 0.0}, {'value': 'b', 'inside': 75.0, 'outside': 0.0}]
    """
    inside, outside = sum(feature["inside"]), sum(feature["outside"])
    return [
        {"value": value, "inside": 100 * here / max(inside, 1), "outside": 100 * there / max(outside, 1)}
        for value, here, there in zip(feature["values"], feature["inside"], feature["outside"], strict=True)
    ]


def _pair_shares(pairs: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Give a row for each pair of truth and answer, as `_shares` does for values, with the counts."""
    names = ("inside", "outside")
    table = _shares(
        {"values": [pair["first"] for pair in pairs]} | {n: [pair[n] for pair in pairs] for n in names}
    )
    return [
        {**row, "second": pair["second"], "n_inside": pair["inside"], "n_outside": pair["outside"]}
        for row, pair in zip(table, pairs, strict=True)
    ]
