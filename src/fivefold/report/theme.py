"""How charts and pages look: colours for light, dark and the page, shapes of classes, and charts as SVG."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from html import escape, unescape
from typing import Any

import altair as alt
from markupsafe import Markup

from fivefold.report.summary import cut_middle


@dataclass(frozen=True)
class Theme:
    """Colours by what they are for.

    Examples
    --------
    >>> from fivefold.report.theme import LIGHT, PAGE
    >>> LIGHT.ink, PAGE.ink
    ('#1c2024', 'var(--ink)')
    """

    surface: str  # behind everything
    ink: str  # text and strong lines
    muted: str  # text of second rank
    rule: str  # thin lines that divide
    track: str  # full length of a bar, of which a part is filled
    band: str  # where a dot should lie
    accent: str  # what the chart is about
    alert: str  # what deserves a second look
    font: str = "sans-serif"

    def colours(self) -> dict[str, str]:
        """Give every colour by its name, in order."""
        return {field.name: getattr(self, field.name) for field in fields(self) if field.name != "font"}


LIGHT = Theme(
    surface="#fdfdfb",
    ink="#1c2024",
    muted="#565e68",
    rule="#cfd4d9",
    track="#e4e8ec",
    band="#c3d5e8",
    accent="#0f5a9e",
    alert="#a93b12",
)

DARK = Theme(
    surface="#15181b",
    ink="#e5e7e9",
    muted="#a6aeb7",
    rule="#3a4149",
    track="#2a3037",
    band="#31506f",
    accent="#78b5f0",
    alert="#f0a07c",
)

# An SVG inside the page takes its colours from the page's style sheet, so that one drawing serves light, dark
# and paper.
PAGE = Theme(**{name: f"var(--{name})" for name in LIGHT.colours()})


# Told apart by people who see no red or no green, and by their lightness; the shapes repeat what colours say.
_COLOURS = {
    LIGHT: ("#0f5a9e", "#c05800", "#14804a", "#8a3fa8", "#b01e50", "#0b7a86", "#7a5c14", "#59626d"),
    DARK: ("#78b5f0", "#f2a65a", "#62cc92", "#c99af2", "#f28ba9", "#5fcfda", "#d6b566", "#aab3bd"),
}
# The shapes that Vega draws, with their paths in a square from -8 to 8.
SHAPES = {
    "circle": "M5,0A5,5,0,1,1,-5,0A5,5,0,1,1,5,0",
    "square": "M-4.5,-4.5H4.5V4.5H-4.5Z",
    "triangle-up": "M0,-5.5L6,5H-6Z",
    "diamond": "M0,-6.5L6.5,0L0,6.5L-6.5,0Z",
    "cross": "M-6,-2H-2V-6H2V-2H6V2H2V6H-2V2H-6Z",
    "triangle-down": "M0,5.5L6,-5H-6Z",
    "triangle-left": "M-5.5,0L5,6V-6Z",
    "triangle-right": "M5.5,0L-5,6V-6Z",
}


def class_colours(theme: Theme) -> tuple[str, ...]:
    """Give the colours of classes under a theme; other themes leave them to the page's style sheet."""
    if theme in _COLOURS:
        return _COLOURS[theme]
    return tuple(f"var(--class-{number})" for number in range(1, len(SHAPES) + 1))


def colour_of(theme: Theme, number: int) -> str:
    """Give the colour of a class by its number; they begin again after the last."""
    colours = class_colours(theme)
    return colours[number % len(colours)]


def shape_of(number: int) -> str:
    """Give the shape of a class by its number; shifted each time that the colours begin again."""
    return list(SHAPES)[(number + number // len(SHAPES)) % len(SHAPES)]


Row = dict[str, Any]

WIDE = 680
WIDTHS = {"wide": 700, "narrow": 320}


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


def two_tones(test: str, where_true: str, elsewhere: str) -> alt.ColorValue:
    """Give marks a colour by a test of their row."""
    # made as the channel itself: altair takes 5 ms to find the class of each one that is given by its name
    return alt.ColorValue(elsewhere, condition={"test": test, "value": where_true})


def chart_of(rows: Sequence[Row]) -> alt.Chart:
    """Begin a chart of rows."""
    values: Any = rows
    return alt.Chart(alt.InlineData(values=values))


def rows_of(columns: Mapping[str, Sequence[Any]]) -> list[Row]:
    """Turn columns into rows."""
    return [dict(zip(columns, cells, strict=True)) for cells in zip(*columns.values(), strict=True)]


# The whole is one picture with a description; its parts have no names, and are none.
_PART_ROLE = re.compile(r' (?:role="graphics-[a-z]+"|aria-roledescription="[^"]*")')
_OPENING = re.compile(r"^<svg [^>]*?width=\"([\d.]+)\" height=\"([\d.]+)\"[^>]*>")


def inline_svg(chart: alt.LayerChart, identity: str, title: str, description: str) -> Markup:
    """Draw a chart as an SVG element that is read aloud as one picture."""
    # Checking a specification against its schema takes longer than drawing it; the tests check it.
    drawn = draw_svg(chart.to_dict(validate=False))
    opening = _OPENING.match(drawn)
    assert opening is not None
    width, height = opening.groups()
    head = Markup(
        '<svg xmlns="http://www.w3.org/2000/svg" class="chart" role="img" width="{0}" height="{1}" '
        'viewBox="0 0 {0} {1}" aria-labelledby="{2}-title {2}-desc">'
        '<title id="{2}-title">{3}</title><desc id="{2}-desc">{4}</desc>'
    ).format(width, height, identity, title, description)
    return head + Markup(_PART_ROLE.sub("", drawn[opening.end() :]))


def draw_svg(spec: dict[str, Any]) -> str:
    """Draw a Vega-Lite specification; nothing is fetched. A text that is cut has the whole in a tooltip."""
    import vl_convert

    version = ".".join(alt.SCHEMA_VERSION.lstrip("v").split(".")[:2])
    short: dict[tuple[str, int], str] = {}
    drawn: str = vl_convert.vegalite_to_svg(_cut(spec, short), vl_version=version, allowed_base_urls=[])
    whole = {cut: long for (long, _), cut in short.items()}
    return _TEXT.sub(lambda match: _with_tooltip(match, whole), drawn)


MOST_LETTERS = 120
_TEXT = re.compile(r'<text(?: aria-label="([^"]*)")?([^>]*>)([^<]*)(?=</text>)')
_CODE = {"expr", "calculate", "labelExpr", "filter", "test", "signal"}


def with_short_names(rows: Sequence[Row], pixels: float) -> list[Row]:
    """Add to each row its name as `shown` within a width; different names stay different."""
    short: dict[tuple[str, int], str] = {}
    return [row | {"shown": _shorten(row["name"], _letters(row["name"], pixels), short)} for row in rows]


def _letters(name: object, pixels: float) -> int:
    """Say how many letters of a name fit, with some room to spare; what is wider still Vega cuts at its end."""
    is_wide = [letter.isupper() for letter in name[:MOST_LETTERS]] if isinstance(name, str) else []
    return min(MOST_LETTERS, int(pixels / (7.2 + 2.4 * sum(is_wide) / max(1, len(is_wide)))))


def _cut(value: Any, short: dict[tuple[str, int], str], letters: int = MOST_LETTERS) -> Any:
    """Shorten titles to their limit, and all long texts of a specification, as measuring them takes seconds."""
    if isinstance(value, dict):
        title = _letters(value.get("text"), value.get("limit", MOST_LETTERS * 10))
        return {
            key: part if key in _CODE else _cut(part, short, title if key == "text" else MOST_LETTERS)
            for key, part in value.items()
        }
    if isinstance(value, list):
        return [_cut(part, short, letters) for part in value]
    return _shorten(value, letters, short) if isinstance(value, str) else value


def _shorten(name: str, letters: int, short: dict[tuple[str, int], str]) -> str:
    """Cut a name in its middle; number it where another one that is shown looks the same."""
    if (name, letters) not in short:
        cut = cut_middle(name, letters)
        if cut != name and cut in short.values():
            begin = cut[: letters // 4]
            alike = sum(shown.startswith(begin) for shown in short.values())
            cut = f"{cut_middle(name, letters - 6)} ({alike + 1})"
        short[name, letters] = cut
    return short[name, letters]


def _with_tooltip(match: re.Match[str], whole: Mapping[str, str]) -> str:
    """Add the whole of a text that is cut: what the text says it means, or the only one that begins so."""
    label, opening, text = match.groups()
    shown = unescape(text)
    if label is not None:
        meant = [whole.get(unescape(label), unescape(label))]
    else:
        begin = shown.removesuffix("…")
        is_cut = begin != shown and shown not in whole
        meant = (
            [long for short, long in whole.items() if short.startswith(begin)]
            if is_cut
            else [whole.get(shown, shown)]
        )
    tooltip = f"<title>{escape(meant[0])}</title>" if len(meant) == 1 and meant[0] != shown else ""
    return f"<text{opening}{text}{tooltip}"
