"""The page's pictures of borders, each with words for those who do not see it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from fivefold.report.charts.borders import border_matrix, border_panel, distance_panel
from fivefold.report.charts.class_colours import colour_of, shape_of
from fivefold.report.charts.svg import inline_svg
from fivefold.report.formats import number, percent, visible
from fivefold.report.theme import PAGE

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


def draw_border_figures(summary: Mapping[str, Any]) -> dict[str, Any]:
    """Draw, for each model whose borders were measured, its maps and the distances of its cases."""
    judged = [model for model in summary["models"] if model["borders"]]
    return {
        "legend": _legend(judged[0]["borders"]["classes"]) if judged else [],
        "models": {model["name"]: _model(judged, model, index) for index, model in enumerate(judged)},
    }


def _model(judged: Sequence[Mapping[str, Any]], model: Mapping[str, Any], index: int) -> dict[str, Any]:
    borders = model["borders"]
    maps = borders["maps"]
    charts = [border_panel(borders, PAGE)] if len(maps) == 1 else border_matrix(borders, PAGE)
    strip = distance_panel(judged, borders, PAGE)
    return {
        "maps": [
            inline_svg(chart, f"borders-{index}-{place}", _title(model, each), _words(borders, each))
            for place, (chart, each) in enumerate(zip(charts, maps, strict=True))
        ],
        "distances": inline_svg(
            strip,
            f"distances-{index}",
            visible(f"Distances of training cases from the border of {model['name']}"),
            f"{percent(borders['right_near_border'])} of the right cases lie within {number(borders['spacing'])}.",
        ),
    }


def _title(model: Mapping[str, Any], each: Mapping[str, Any]) -> str:
    return visible(f"Regions of {model['name']} by {' and '.join(each['names'])}")


def _words(borders: Mapping[str, Any], each: Mapping[str, Any]) -> str:
    """Say what share of the picture each class has."""
    shares = dict.fromkeys(range(len(borders["classes"])), 0.0)
    for region in each["regions"]:
        shares[region["class"]] += (region["x2"] - region["x"]) * (region["y2"] - region["y"])
    whole = sum(shares.values())
    named = [f"{borders['classes'][place]} {percent(part / whole, 0)}" for place, part in shares.items()]
    return visible(f"Share of the picture: {'; '.join(named)}.")


def _legend(classes: Sequence[str]) -> list[dict[str, str]]:
    """Give name, colour and shape of every class."""
    return [
        {"name": name, "colour": colour_of(PAGE, place), "path": _PATHS[shape_of(place)]}
        for place, name in enumerate(classes)
    ]
