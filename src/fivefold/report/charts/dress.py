"""What all charts have in common."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from fivefold.report.theme import Theme

Summary = Mapping[str, Any]
Row = dict[str, Any]

WIDE = 680


def dress(theme: Theme) -> dict[str, Any]:
    """Give the properties that a chart takes from its theme: its font, its lines, and nothing behind it.

    The parts of a chart are silent to those who listen, for the whole has one description.
    """
    axis = {
        "labelColor": theme.muted,
        "titleColor": theme.muted,
        "domainColor": theme.rule,
        "tickColor": theme.rule,
        "gridColor": theme.rule,
        "gridOpacity": 0.5,
        "labelFontSize": 12,
        "titleFontSize": 12,
        "titleFontWeight": "normal",
        "titlePadding": 8,
    }
    config = {
        "font": theme.font,
        "aria": False,
        "view": {"stroke": None},
        "axis": axis,
        "title": {"color": theme.ink, "fontSize": 13, "anchor": "start"},
        "text": {"fontSize": 13},
    }
    return {"background": "transparent", "config": config}


def room(left: int, right: int, top: int = 8, bottom: int = 46) -> dict[str, Any]:
    """Reserve a chart's margins, so that its size does not hang on the fonts of the machine that draws it."""
    return {"autosize": "none", "padding": {"left": left, "right": right, "top": top, "bottom": bottom}}


def bits_format(null: float) -> str:
    """Format of an axis of bits: whole numbers while they are short."""
    return ",~f" if null < 100_000 else "~s"
