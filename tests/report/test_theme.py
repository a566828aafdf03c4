from __future__ import annotations

import pytest

from fivefold.report.theme import DARK, LIGHT, PAGE, Theme


def luminance(colour: str) -> float:
    """Relative luminance by the web's accessibility guidelines."""
    channels = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4 for value in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    darker, lighter = sorted([luminance(one), luminance(other)])
    return (lighter + 0.05) / (darker + 0.05)


def test_the_formula_knows_black_and_white() -> None:
    assert contrast("#000000", "#ffffff") == pytest.approx(21.0)


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
@pytest.mark.parametrize("name", ["ink", "muted", "accent", "alert"])
def test_text_can_be_read(theme: Theme, name: str) -> None:
    assert contrast(theme.colours()[name], theme.surface) >= 4.5


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
def test_what_is_filled_stands_out_from_what_is_not(theme: Theme) -> None:
    assert contrast(theme.accent, theme.track) >= 3
    assert contrast(theme.accent, theme.band) >= 3
    assert contrast(theme.ink, theme.surface) >= 7


def test_the_page_fills_in_every_colour() -> None:
    assert set(PAGE.colours()) == set(LIGHT.colours()) == set(DARK.colours())
    assert all(value == f"var(--{name})" for name, value in PAGE.colours().items())
