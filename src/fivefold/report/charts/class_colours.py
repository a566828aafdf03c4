"""Colours and shapes that tell classes apart, in light, in dark, and left to the page."""

from __future__ import annotations

from fivefold.report.theme import DARK, LIGHT, Theme

# Told apart by people who see no red or no green, and by their lightness; the shapes repeat what colours say.
_COLOURS = {
    LIGHT: ("#0f5a9e", "#c05800", "#14804a", "#8a3fa8", "#b01e50", "#0b7a86", "#7a5c14", "#59626d"),
    DARK: ("#78b5f0", "#f2a65a", "#62cc92", "#c99af2", "#f28ba9", "#5fcfda", "#d6b566", "#aab3bd"),
}
SHAPES = (
    "circle",
    "square",
    "triangle-up",
    "diamond",
    "cross",
    "triangle-down",
    "triangle-left",
    "triangle-right",
)


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
    return SHAPES[(number + number // len(SHAPES)) % len(SHAPES)]


def class_variables(theme: Theme) -> str:
    """Write the colours as variables of a style sheet."""
    return " ".join(f"--class-{number}: {colour};" for number, colour in enumerate(class_colours(theme), 1))
