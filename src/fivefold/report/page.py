"""One self-contained page: everything inside, nothing fetched, nothing from the data trusted."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from altair.utils.schemapi import debug_mode
from markupsafe import Markup

from fivefold import __version__
from fivefold.plain_text import visible
from fivefold.report import formats
from fivefold.report.charts.borders import border_matrix, border_panel, distance_panel
from fivefold.report.charts.scores import (
    bits_chart,
    cells,
    class_panel,
    coverage_panel,
    curve_chart,
    learning_chart,
    reliability_panel,
    score_marks,
)
from fivefold.report.formats import number, percent
from fivefold.report.summary import Summary, cut_to_best, summarise, tabulate
from fivefold.report.template import render
from fivefold.report.theme import PAGE, WIDTHS, colour_of, inline_svg, shape_of
from fivefold.report.usual_figures import show_usual
from fivefold.results import ANSWERS_ONLY, VIEW_NAMES, plain

# Paths of the shapes that Vega draws, in a square from -8 to 8.
_PATHS = {
    "circle": "M5,0A5,5,0,1,1,-5,0A5,5,0,1,1,5,0",
    "square": "M-4.5,-4.5H4.5V4.5H-4.5Z",
    "triangle-up": "M0,-5.5L6,5H-6Z",
    "diamond": "M0,-6.5L6.5,0L0,6.5L-6.5,0Z",
    "cross": "M-6,-2H-2V-6H2V-2H6V2H2V6H-2V2H-6Z",
    "triangle-down": "M0,5.5L6,-5H-6Z",
    "triangle-left": "M-5.5,0L5,6V-6Z",
    "triangle-right": "M5.5,0L-5,6V-6Z",
}
TITLE = "What the models learned"
MOST_MODELS = 100
_ONE_CLASS = 0.99
_MOST_CLASS_PANELS = 32
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
    sections = [
        {"anchor": anchor, "heading": heading, "template": template}
        for anchor, heading, template in _SECTIONS
        if _has(summary, anchor)
    ]
    with debug_mode(
        False
    ):  # the tests check charts against their schema, which takes a third of a page's time
        figures, usual = draw_figures(summary), _usual(summary)
    return render(
        "page.html.j2",
        summary=summary,
        title=title,
        sections=sections,
        anchors=[section["anchor"] for section in sections],
        figures=figures,
        tables={
            view: tabulate(summary["models"], view, "page") for view in (*VIEW_NAMES, "usual", "confidence")
        },
        evidence={view: tabulate(summary["models"], view, "evidence") for view in ("bets", "confidence")},
        usual=usual,
        unjudged=_unjudged(summary),
        absent=formats.ABSENT,
    )


def _usual(summary: Summary) -> dict[str, Any]:
    shown = show_usual(summary)
    return shown | {"legend": _legend([model["name"] for model in shown["drawn"]])}


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
    """Write the slices of one model, or of two, as one HTML page that needs nothing else.

    Parameters
    ----------
    view : SlicesView
        The slices and what their rows are like.
    source : str
        Where the cases came from.
    """
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


def draw_figures(summary: Summary) -> dict[str, Any]:
    """Draw every figure of a summary; those that need room in two widths, for a desk and for a phone."""
    return {
        "marks": score_marks(summary["scorecard"]),
        "bits": {name: _bits(summary, name, width) for name, width in WIDTHS.items()},
        "curve": {name: _curve(summary, name, width) for name, width in WIDTHS.items()},
        "learning": {name: _learning(summary, name, width) for name, width in WIDTHS.items()},
        "reliability": {
            model["name"]: _reliability(summary, model, index)
            for index, model in enumerate(summary["models"])
            if model["bets"]
        },
        "classes": {
            model["name"]: _class_panels(summary, model, index)
            for index, model in enumerate(summary["models"])
            if model["bets"]
        },
        "confidence": {
            model["name"]: _confidence(summary, model, index)
            for index, model in enumerate(summary["models"])
            if model["confidence"]
        },
        "borders": draw_border_figures(summary),
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
    panel = coverage_panel(judged, PAGE, np.floor(10 * low) / 10)
    curve = inline_svg(panel, f"coverage-{index}", title, said)
    sure = reliability_panel(summary, judged, PAGE)
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
            class_panel(summary, drawn, PAGE),
            f"reliability-{index}-{place}",
            visible(f"Reliability diagram of {model['name']} for {drawn['event']}"),
            f"{len(drawn['diagram']['cases'])} cells of cases.",
        )
        for place, drawn in enumerate(model["bets"]["class_diagrams"])
    ]


def _bits(summary: Summary, name: str, width: int) -> Markup:
    saved = [f"{model['name']} {number(model['bits']['saved'], 1)}" for model in summary["models"]]
    description = f"Of {number(summary['models'][0]['bits']['null'], 1)} bits: {'; '.join(saved)}."
    chart = bits_chart(summary, PAGE, width)
    return inline_svg(chart, f"bits-{name}", "Bits saved by each model", visible(description))


def _curve(summary: Summary, name: str, width: int) -> Markup:
    points = [
        f"{model['name']} {percent(model['bits']['accuracy'])}, {number(model['bits']['saved'], 1)} bits"
        for model in summary["models"]
    ]
    chart = curve_chart(summary, PAGE, width)
    return inline_svg(chart, f"curve-{name}", "Accuracy against bits saved", visible("; ".join(points) + "."))


def _learning(summary: Summary, name: str, width: int) -> Markup:
    """Draw the learning curves; nothing where no model could be fitted again."""
    curves = [(m["name"], m["truth"]["learning_curve"]) for m in summary["models"] if m["truth"]]
    texts = [f"{model}: {curve['sentence']}" for model, curve in curves if curve]
    if not texts:
        return Markup()
    chart = learning_chart(summary, PAGE, width)
    return inline_svg(
        chart, f"learning-{name}", "Error by the size of the training set", visible(" ".join(texts))
    )


def _reliability(summary: Summary, model: Summary, index: int) -> Markup:
    drawn = cells(model)
    outside = sum(cell["outside"] for cell in drawn)
    description = (
        f"{len(drawn)} cells of cases, {outside} of them outside of where they should lie; "
        f"{model['bets']['advice']}."
    )
    chart = reliability_panel(summary, model, PAGE)
    title = f"Reliability diagram of {model['name']}"
    return inline_svg(chart, f"reliability-{index}", visible(title), description)


def draw_border_figures(summary: Summary) -> dict[str, Any]:
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
    telling = [(chart, drawn) for chart, drawn in zip(charts, maps, strict=True) if _shows(borders, drawn)]
    strip = distance_panel(judged, borders, PAGE)
    return {
        "maps": [
            inline_svg(chart, f"borders-{index}-{place}", _title(model, drawn), _words(borders, drawn))
            for place, (chart, drawn) in enumerate(telling)
        ],
        "distances": inline_svg(
            strip,
            f"distances-{index}",
            visible(f"Distances of training cases from the border of {model['name']}"),
            f"{percent(borders['right_near_border'])} of the right cases lie within {number(borders['spacing'])}.",
        ),
    }


def _title(model: Summary, drawn: Summary) -> str:
    return visible(f"Regions of {model['name']} by {' and '.join(drawn['names'])}")


def _shows(borders: Summary, drawn: Summary) -> bool:
    """Tell whether a cut shows anything: one that a single class fills does not; the only map always does."""
    return len(borders["maps"]) == 1 or max(_shares(borders, drawn)) < _ONE_CLASS


def _shares(borders: Summary, drawn: Summary) -> list[float]:
    """Give the share of a picture that each class has."""
    areas = [0.0] * len(borders["classes"])
    for region in drawn["regions"]:
        areas[region["class"]] += (region["x2"] - region["x"]) * (region["y2"] - region["y"])
    return [area / sum(areas) for area in areas]


def _words(borders: Summary, drawn: Summary) -> str:
    """Say what share of the picture each class has."""
    shares = _shares(borders, drawn)
    named = [f"{name} {percent(part, 0)}" for name, part in zip(borders["classes"], shares, strict=True)]
    return visible(f"Share of the picture: {'; '.join(named)}.")


def _legend(classes: Sequence[str]) -> list[dict[str, str]]:
    """Give name, colour and shape of every class."""
    return [
        {"name": name, "colour": colour_of(PAGE, place), "path": _PATHS[shape_of(place)]}
        for place, name in enumerate(classes)
    ]
