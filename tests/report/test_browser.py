"""The page in a real Chromium: opens, sorts by keyboard, fits a phone, can be read in light and dark, prints."""

from __future__ import annotations

import base64
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import fivefold as ff
from fivefold.evaluation import Evaluation
from fivefold.plain_text import visible
from fivefold.report import render_page

ENTER, SPACE, TAB = ("Enter", 13, "\r"), (" ", 32, " "), ("Tab", 9, "")
FIRST_COLUMN = "[...document.querySelector('#answer tbody').rows].map(row => row.cells[0].textContent)"
# Contrast by the web's accessibility guidelines, of every piece of text that can be seen.
FAINT_TEXT = """
(() => {
  const channels = colour => colour.match(/[\\d.]+/g).slice(0, 3).map(Number);
  const light = colour => channels(colour)
    .map(value => value / 255)
    .map(value => value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4)
    .reduce((sum, value, index) => sum + value * [0.2126, 0.7152, 0.0722][index], 0);
  const behind = light(getComputedStyle(document.body).backgroundColor);
  const contrast = colour => {
    const [low, high] = [light(colour), behind].sort((a, b) => a - b);
    return (high + 0.05) / (low + 0.05);
  };
  const faint = [];
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const element = texts.currentNode.parentElement;
    if (!texts.currentNode.data.trim() || !element.checkVisibility() || element.closest('script')) continue;
    const style = getComputedStyle(element);
    const found = contrast(element instanceof SVGElement ? style.fill : style.color);
    if (!(found >= 4.5)) faint.push([texts.currentNode.data, found]);
  }
  return faint;
})()
"""
CUT_TABLES = """
[...document.querySelectorAll('.scroll')]
  .filter(each => each.checkVisibility() && each.scrollWidth > each.clientWidth)
  .map(each => each.getAttribute('aria-label'))
"""
WIDER_THAN_SCREEN = """
[...document.querySelectorAll('body *')]
  .filter(element => !element.closest('.scroll, .unseen, .skip, nav ul, svg'))
  .filter(element => element.getBoundingClientRect().right > innerWidth + 0.5)
  .map(element => element.outerHTML.slice(0, 80))
"""


@pytest.fixture(scope="module")
def weather_file(weather_page: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return _write(weather_page, tmp_path_factory)


@pytest.fixture(scope="module")
def hostile_file(hostile_page: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return _write(hostile_page, tmp_path_factory)


def _write(html: str, folders: pytest.TempPathFactory) -> Path:
    place = folders.mktemp("page") / "report.html"
    place.write_text(html, encoding="utf-8")
    return place


def focus(chromium: Any, heading: str) -> None:
    chromium.run(
        "[...document.querySelectorAll('#answer th button')]"
        f".find(button => button.firstChild.data.trim() === {heading!r}).focus()"
    )


def test_opens_without_a_complaint_and_fetches_nothing(
    chromium: Any, weather_file: Path, hostile_file: Path, hostile_names: list[str]
) -> None:
    for place in (weather_file, hostile_file):
        chromium.open(place)
        assert chromium.complaints() == []
        assert {url for url in chromium.requests() if not url.startswith("data:")} == {place.as_uri()}
    assert chromium.run("typeof window.hacked") == "undefined"
    shown = chromium.run(FIRST_COLUMN)
    assert shown == [visible(name) for name in hostile_names]
    assert chromium.run("document.querySelectorAll('script').length") == 1


def test_the_policy_stops_what_is_injected(chromium: Any, weather_file: Path) -> None:
    injected = weather_file.with_name("injected.html")
    page = weather_file.read_text(encoding="utf-8")
    injected.write_text(page.replace("<main>", "<main><script>window.hacked = 1</script>"), encoding="utf-8")
    chromium.open(injected)
    assert chromium.run("typeof window.hacked") == "undefined"
    assert chromium.complaints()


@pytest.mark.parametrize("width", [390, 1400])
def test_no_word_is_broken_in_what_can_be_opened(chromium: Any, tmp_path_factory: Any, width: int) -> None:
    rng = np.random.default_rng(16)
    stated = rng.beta(0.05, 0.5, 1500)  # mostly 0.0 and 100.0%
    table = pl.DataFrame({"y": np.where(rng.random(1500) < stated, "ill", "well"), "m": stated})
    evaluation = ff.evaluate_predictions(table, target="y", probabilities={"boosting": "m"}, features=[])
    chromium.open(_write(render_page(evaluation), tmp_path_factory), width=width)
    chromium.run("document.querySelectorAll('details').forEach(each => each.open = true)")
    assert chromium.run(chromium.BROKEN_WORDS) == []
    assert chromium.run(WIDER_THAN_SCREEN) == []


def test_headings_sort_by_keyboard(chromium: Any, weather_file: Path, weather: Evaluation) -> None:
    chromium.open(weather_file)
    given = [model.name for model in weather.models]
    assert chromium.run(FIRST_COLUMN) == given
    by_accuracy = [m.name for m in sorted(weather.models, key=lambda m: -m.bits.accuracy)]
    assert by_accuracy != given
    focus(chromium, "Accuracy")
    chromium.press(*ENTER)
    assert chromium.run(FIRST_COLUMN) == by_accuracy
    assert chromium.run("document.activeElement.parentElement.getAttribute('aria-sort')") == "descending"
    chromium.press(*SPACE)
    assert chromium.run(FIRST_COLUMN) == by_accuracy[::-1]
    assert chromium.run("document.activeElement.parentElement.getAttribute('aria-sort')") == "ascending"
    chromium.press(*TAB)
    assert "Bits" in chromium.run("document.activeElement.textContent")
    assert chromium.run("document.querySelectorAll('#answer [aria-sort]').length") == 1
    assert chromium.complaints() == []


def test_ruin_sorts_as_the_least_and_absence_stays_below(chromium: Any, weather_file: Path) -> None:
    chromium.open(weather_file)
    focus(chromium, "Bets")
    chromium.press(*ENTER)
    assert chromium.run(FIRST_COLUMN) == ["honest", "certain", "silent"]
    chromium.press(*ENTER)
    assert chromium.run(FIRST_COLUMN) == ["certain", "honest", "silent"]


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_text_can_be_read(chromium: Any, weather_file: Path, dark: bool) -> None:
    chromium.open(weather_file, dark=dark)
    chromium.run("document.querySelectorAll('details').forEach(each => each.open = true)")
    assert chromium.run(FAINT_TEXT) == []
    channels = chromium.run("getComputedStyle(document.body).backgroundColor.match(/\\d+/g).map(Number)")
    assert (max(channels) < 60) == dark


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_axe_finds_nothing_against_the_guidelines(chromium: Any, weather_file: Path, dark: bool) -> None:
    chromium.open(weather_file, width=1400, dark=dark)
    chromium.run("document.querySelectorAll('details').forEach(each => each.open = true)")
    assert chromium.faults() == []


def test_a_phone_needs_no_sideways_scrolling(chromium: Any, weather_file: Path, hostile_file: Path) -> None:
    for place in (weather_file, hostile_file):
        chromium.open(place, width=360)
        assert chromium.run("document.documentElement.scrollWidth") == 360
        assert chromium.run(WIDER_THAN_SCREEN) == []
        assert (
            chromium.run("[...document.querySelectorAll('.wide')].some(each => each.checkVisibility())")
            is False
        )
        chromium.run("document.querySelectorAll('details').forEach(each => each.open = true)")
        assert chromium.run("[...document.querySelectorAll('.narrow')].every(each => each.checkVisibility())")
        assert chromium.run("document.documentElement.scrollWidth") == 360


@pytest.mark.parametrize(("width", "height"), [(1400, 900), (390, 844)])
def test_the_first_screen_holds_the_headline_and_the_scorecard(
    chromium: Any, weather_file: Path, width: int, height: int
) -> None:
    chromium.open(weather_file, width=width)
    below = "document.querySelector('{}').getBoundingClientRect().bottom"
    assert chromium.run(below.format(".headline")) < height
    assert chromium.run(chromium.BROKEN_WORDS) == []
    if width == 1400:
        assert chromium.run(below.format(".scorecard")) < height
        assert chromium.run(CUT_TABLES) == [], "no last column is cut"


def test_a_phone_gets_a_card_for_each_model(chromium: Any, weather_file: Path, weather: Evaluation) -> None:
    chromium.open(weather_file, width=390)
    assert chromium.run(CUT_TABLES) == []
    name, figures = "document.querySelector('.scorecard tbody th')", ".scorecard tbody tr:first-child td"
    lines = chromium.run(
        f"[...document.querySelectorAll('{figures}')].map(each => each.getBoundingClientRect().top)"
    )
    assert lines == sorted(lines), "a figure below the other"
    assert chromium.run(f"{name}.getBoundingClientRect().bottom") <= lines[0]
    labels = (
        f"[...document.querySelectorAll('{figures}')].map(each => getComputedStyle(each, '::before').content)"
    )
    assert chromium.run(labels) == [f'"{column.title}"' for column in weather.scorecard.columns]
    focus(chromium, "Accuracy")
    chromium.press(*ENTER)
    best = max(weather.models, key=lambda model: model.bits.accuracy)
    assert chromium.run(f"{name}.textContent") == best.name
    chromium.call("Emulation.setEmulatedMedia", media="print")
    columns = chromium.run(
        f"new Set([...document.querySelectorAll('{figures}')].map(each => each.getBoundingClientRect().left)).size"
    )
    chromium.call("Emulation.setEmulatedMedia", media="")
    assert columns == len(weather.scorecard.columns), "paper gets the table"


def test_the_way_around_stays_in_sight(chromium: Any, weather_file: Path) -> None:
    for width in (1400, 390):
        chromium.open(weather_file, width=width)
        chromium.run("document.querySelector('#method').scrollIntoView()")
        assert chromium.run("scrollY") > 1000
        assert 0 <= chromium.run("document.querySelector('nav').getBoundingClientRect().top") < 100
        assert chromium.run("document.querySelector('nav a.here') !== null")


LONG_SENTENCES = """
[...document.querySelectorAll('p, li, dd, figcaption, caption, summary')]
  .filter(each => each.checkVisibility() && !each.querySelector('p, li'))
  .flatMap(each => each.innerText.split(/[.:;?!](?=\\s)|\\n/))
  .filter(sentence => sentence.trim().split(/\\s+/).length > 25)
"""


def test_visible_sentences_are_short(chromium: Any, weather_file: Path, rain_file: Path) -> None:
    for place in (weather_file, rain_file):
        chromium.open(place)
        assert chromium.run(LONG_SENTENCES) == []


def test_prints_everything_that_was_folded(chromium: Any, hostile_file: Path) -> None:
    chromium.open(hostile_file)
    folded = "document.querySelectorAll('.more:not([open])').length"
    chromium.run(f"addEventListener('beforeprint', () => {{ window.folded = {folded} }})")
    before = chromium.run(folded)
    assert before > 0
    printed = base64.b64decode(chromium.call("Page.printToPDF", preferCSSPageSize=True)["data"])
    assert printed.startswith(b"%PDF")
    assert chromium.run("window.folded") == 0
    assert chromium.run(folded) == before
    assert chromium.complaints() == []


def test_reads_without_scripts(chromium: Any, weather_file: Path) -> None:
    chromium.call("Emulation.setScriptExecutionDisabled", value=True)
    try:
        chromium.open(weather_file)
        assert chromium.run("document.querySelectorAll('th button').length") == 0
        assert chromium.run("document.querySelector('.explorer').checkVisibility()") is False
        assert chromium.run("document.querySelectorAll('.findings li').length") > 5
    finally:
        chromium.call("Emulation.setScriptExecutionDisabled", value=False)


ARROW_RIGHT = ("ArrowRight", 39, "")
EXPLORED = "document.querySelector('.explorer [data-explorer={}]').textContent"


@pytest.fixture(scope="module")
def rain_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    rng = np.random.default_rng(0)
    stated = rng.random(400)
    rain = np.where(rng.random(400) < stated, "rain", "dry")
    table = pl.DataFrame(
        {"sky": rain, "p": stated, "q": np.clip(stated + 0.2 * rng.normal(size=400), 0.01, 0.99)}
    )
    evaluation = ff.evaluate_predictions(
        table, target="sky", probabilities={"sure": "p", "<b>noisy</b>": "q"}, features=[]
    )
    return _write(render_page(evaluation), tmp_path_factory)


def test_thresholds_are_explored_by_keyboard(chromium: Any, rain_file: Path) -> None:
    chromium.open(rain_file)
    chromium.run("document.querySelector('.explorer input[type=range]').focus()")
    before = chromium.run(EXPLORED.format("threshold"))
    assert float(before) == pytest.approx(0.5, abs=0.02)
    chromium.press(*ARROW_RIGHT)
    after = chromium.run(EXPLORED.format("threshold"))
    assert float(after) < float(before)
    chromium.run(
        "(input => { input.value = 9; input.dispatchEvent(new Event('input')); })"
        "(document.querySelector('.explorer [data-explorer=miss]'))"
    )
    chromium.run("document.querySelector('.explorer button').click()")
    assert float(chromium.run(EXPLORED.format("rule"))) == 0.1
    chosen = chromium.run(EXPLORED.format("threshold"))
    assert float(chosen) < 0.3
    assert chromium.run(EXPLORED.format("best")).startswith(f"{chosen}:")
    chromium.run(
        "(menu => { menu.selectedIndex = 1; menu.dispatchEvent(new Event('input')); })"
        "(document.querySelector('.explorer select'))"
    )
    assert float(chromium.run(EXPLORED.format("threshold"))) == pytest.approx(0.5, abs=0.02)
    assert chromium.complaints() == []


def test_a_model_with_few_thresholds_has_each_marked_once(chromium: Any, tmp_path_factory: Any) -> None:
    table = pl.DataFrame({"sky": ["dry", "rain"] * 50, "p": [0.1, 0.8] * 40 + [0.8, 0.1] * 10})
    evaluation = ff.evaluate_predictions(table, target="sky", probabilities={"m": "p"}, features=[])
    chromium.open(_write(render_page(evaluation), tmp_path_factory))
    ticks = (
        "[...document.querySelectorAll('.explorer [data-explorer=ticks] text')].map(each => each.textContent)"
    )
    assert chromium.run(ticks) == ["none", "0.8", "0.1"]


def test_the_usual_figures_fit_a_phone_and_can_be_read(chromium: Any, rain_file: Path) -> None:
    for dark in (False, True):
        chromium.open(rain_file, dark=dark, width=360)
        chromium.run("document.querySelectorAll('details').forEach(each => each.open = true)")
        assert chromium.run(WIDER_THAN_SCREEN) == []
        assert chromium.run(FAINT_TEXT) == []
