"""Colours of charts and page: one set for light, one for dark, and one that leaves the choice to the page."""

from __future__ import annotations

from dataclasses import dataclass, fields


@dataclass(frozen=True)
class Theme:
    """Colours by what they are for.

    Parameters
    ----------
    surface : str
        Behind everything.
    ink, muted : str
        Text and strong lines; text of second rank.
    rule : str
        Thin lines that divide.
    track : str
        Full length of a bar, of which a part is filled.
    band : str
        Where a dot should lie.
    accent : str
        What the chart is about.
    alert : str
        What deserves a second look.
    font : str
        Font of texts in charts.

    Examples
    --------
    >>> from fivefold.report.theme import LIGHT, PAGE
    >>> LIGHT.ink, PAGE.ink
    ('#1c2024', 'var(--ink)')
    """

    surface: str
    ink: str
    muted: str
    rule: str
    track: str
    band: str
    accent: str
    alert: str
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
