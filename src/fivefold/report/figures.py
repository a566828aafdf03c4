"""The page's pictures, each with words for those who do not see it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from markupsafe import Markup

from fivefold.report.border_figures import draw_border_figures
from fivefold.report.charts.bits import bits_chart
from fivefold.report.charts.curve import curve_chart
from fivefold.report.charts.reliability import cells, reliability_panel
from fivefold.report.charts.svg import inline_svg
from fivefold.report.formats import number, percent, visible
from fivefold.report.theme import PAGE

WIDTHS = {"wide": 700, "narrow": 320}


def draw_figures(summary: Mapping[str, Any]) -> dict[str, Any]:
    """Draw every figure of a summary; those that need room in two widths, for a desk and for a phone."""
    return {
        "bits": {name: _bits(summary, name, width) for name, width in WIDTHS.items()},
        "curve": {name: _curve(summary, name, width) for name, width in WIDTHS.items()},
        "reliability": {
            model["name"]: _reliability(summary, model, index)
            for index, model in enumerate(summary["models"])
            if model["bets"]
        },
        "borders": draw_border_figures(summary),
    }


def _bits(summary: Mapping[str, Any], name: str, width: int) -> Markup:
    told = [f"{model['name']} {number(model['bits']['saved'], 1)}" for model in summary["models"]]
    description = f"Of {number(summary['models'][0]['bits']['null'], 1)} bits: {'; '.join(told)}."
    chart = bits_chart(summary, PAGE, width)
    return inline_svg(chart, f"bits-{name}", "Bits saved by each model", visible(description))


def _curve(summary: Mapping[str, Any], name: str, width: int) -> Markup:
    told = [
        f"{model['name']} {percent(model['bits']['accuracy'])}, {number(model['bits']['saved'], 1)} bits"
        for model in summary["models"]
    ]
    chart = curve_chart(summary, PAGE, width)
    return inline_svg(chart, f"curve-{name}", "Accuracy against bits saved", visible("; ".join(told) + "."))


def _reliability(summary: Mapping[str, Any], model: Mapping[str, Any], index: int) -> Markup:
    drawn = cells(model)
    outside = sum(cell["outside"] for cell in drawn)
    description = (
        f"{len(drawn)} cells of cases, {outside} of them outside of where they should lie; "
        f"{model['bets']['advice']}."
    )
    chart = reliability_panel(summary, model, PAGE)
    title = f"Reliability diagram of {model['name']}"
    return inline_svg(chart, f"reliability-{index}", visible(title), description)
