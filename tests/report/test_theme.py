from __future__ import annotations

import re
from html import unescape

import pytest

from fivefold.report.theme import DARK, LIGHT, PAGE, Theme, draw_svg, with_short_names


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


LONG = "a description of a model that goes on for sixty letters and more"


def texts_and_tooltips(title: dict[str, object]) -> list[tuple[str, str]]:
    drawn = draw_svg({"mark": "point", "data": {"values": [{}]}, "title": title})
    return re.findall(r"<text[^>]*>([^<]*)(?:<title>([^<]*)</title>)?", drawn)


@pytest.mark.parametrize(
    "names", [(f"{LONG}, seed 1", f"{LONG}, seed 2"), (f"{LONG} A {LONG}", f"{LONG} B {LONG}")]
)
def test_long_names_that_begin_alike_are_told_apart(names: tuple[str, str]) -> None:
    rows = with_short_names([{"name": name} for name in names], 232)
    shown = [row["shown"] for row in rows]
    assert len(set(shown)) == 2
    assert all("…" in text and len(text) <= 34 for text in shown)
    assert [row["name"] for row in rows] == list(names)


@pytest.mark.parametrize("name", [f"{LONG}, seed 1", f"{LONG}, SEED 2".upper(), f"<i>{LONG} & <b>"])
def test_a_title_is_cut_in_its_middle_with_the_whole_in_a_tooltip(name: str) -> None:
    ((shown, whole),) = texts_and_tooltips({"text": name, "limit": 232})
    assert unescape(whole) == name
    begin, end = unescape(shown).split("…")
    assert name.startswith(begin)
    assert name.endswith(end)
    assert len(end) > 8
    assert texts_and_tooltips({"text": "short", "limit": 232}) == [("short", "")]
