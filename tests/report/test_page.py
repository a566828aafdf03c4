from __future__ import annotations

import base64
import hashlib
import json
import re
from html.parser import HTMLParser
from itertools import pairwise
from typing import Any

import altair as alt
import jsonschema
import numpy as np
import polars as pl
import pytest

from fivefold.evaluation import Evaluation, evaluate_predictions
from fivefold.plain_text import visible
from fivefold.report import summarise, theme, to_json
from fivefold.report.page import render_page, render_summary

VOID = {"meta", "link", "br", "wbr", "hr", "img", "input"}


class Element:
    """An element of a parsed page."""

    def __init__(self, tag: str, attributes: dict[str, str | None], parent: Element | None) -> None:
        self.tag, self.attributes, self.parent = tag, attributes, parent
        self.children: list[Element] = []
        self.pieces: list[str] = []

    def all(self, *tags: str) -> list[Element]:
        own = [self] if self.tag in tags else []
        return own + [found for child in self.children for found in child.all(*tags)]

    def every(self) -> list[Element]:
        return [self, *(found for child in self.children for found in child.every())]

    @property
    def text(self) -> str:
        return "".join(self.pieces)


class Page(HTMLParser):
    """A strict reader: every element that opens must close, in order."""

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=True)
        self.root = self.here = Element("#root", {}, None)
        self.feed(html)
        self.close()
        assert self.here is self.root, f"<{self.here.tag}> is never closed"

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        assert len(dict(attributes)) == len(attributes), f"<{tag}> has an attribute twice"
        element = Element(tag, dict(attributes), self.here)
        self.here.children.append(element)
        if tag not in VOID:
            self.here = element

    def handle_startendtag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.here.children.append(Element(tag, dict(attributes), self.here))

    def handle_endtag(self, tag: str) -> None:
        assert tag == self.here.tag, f"</{tag}> closes <{self.here.tag}>"
        assert self.here.parent is not None
        self.here = self.here.parent

    def handle_data(self, data: str) -> None:
        element: Element | None = self.here
        while element is not None:
            element.pieces.append(data)
            element = element.parent


@pytest.fixture(scope="module", params=["weather_page", "hostile_page"])
def html(request: pytest.FixtureRequest) -> str:
    return request.getfixturevalue(request.param)


@pytest.fixture(scope="module")
def page(html: str) -> Element:
    return Page(html).root


def test_every_table_is_accessible(page: Element) -> None:
    tables = page.all("table")
    assert len(tables) >= 6
    for table in tables:
        assert table.children[0].tag == "caption"
        assert table.children[0].text.strip()
        assert all(header.attributes.get("scope") for header in table.all("th"))
        width = {"thead": 0, "tbody": 0, "tfoot": 0}
        for part in table.children[1:]:
            spans = [
                sum(int(cell.attributes.get("colspan") or 1) for cell in row.children)
                for row in part.children
            ]
            assert len(set(spans)) <= 1, f"rows of different length in {table.children[0].text}"
            width[part.tag] = spans[0] if spans else width[part.tag]
        assert width["thead"] == width["tbody"]
        assert width["tfoot"] in (0, width["thead"])


def test_names_and_links_inside_of_the_page_hold(page: Element) -> None:
    names = [element.attributes["id"] for element in page.every() if "id" in element.attributes]
    assert len(names) == len(set(names))
    for element in page.every():
        for name in (element.attributes.get("aria-labelledby") or "").split():
            assert name in names
        link = element.attributes.get("href")
        assert link is None or link == "data:," or link[1:] in names


def test_headings_leave_no_level_out(page: Element) -> None:
    levels = [int(heading.tag[1]) for heading in page.all("h1", "h2", "h3", "h4")]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(after - before <= 1 for before, after in pairwise(levels))


def test_every_picture_is_described(page: Element) -> None:
    pictures = [picture for picture in page.all("svg") if picture.attributes.get("aria-hidden") != "true"]
    assert pictures
    for picture in pictures:
        assert picture.attributes["role"] == "img"
        assert [child.tag for child in picture.children[:2]] == ["title", "desc"]
        assert all(child.text.strip() for child in picture.children[:2])


def test_nothing_is_fetched(html: str, page: Element) -> None:
    allowed = {"http://www.w3.org/2000/svg", "http://www.w3.org/1999/xlink"}
    for element in page.every():
        assert not {"src", "srcset", "action", "data", "poster", "background"} & set(element.attributes)
        assert not [name for name in element.attributes if name.startswith("on") or name == "style"]
        assert element.tag not in {
            "iframe",
            "object",
            "embed",
            "img",
            "form",
            "base",
            "audio",
            "video",
            "image",
            "use",
        }
    style = page.all("style")[0].text
    assert "url(" not in style
    assert "@import" not in style
    namespaces = {
        value for element in page.every() for name, value in element.attributes.items() if "xmlns" in name
    }
    assert namespaces <= allowed


def test_the_policy_allows_this_script_and_style_alone(page: Element) -> None:
    (script,), (style,) = page.all("script"), page.all("style")
    (policy,) = [meta.attributes["content"] for meta in page.all("meta") if "http-equiv" in meta.attributes]
    rules = dict(rule.strip().split(" ", 1) for rule in policy.split(";"))
    assert rules["default-src"] == "'none'"
    for name, element in [("script-src", script), ("style-src", style)]:
        digest = base64.b64encode(hashlib.sha256(element.text.encode()).digest()).decode()
        assert rules[name] == f"'sha256-{digest}'"
    assert "unsafe" not in policy


def test_hostile_names_are_shown_in_full_and_harmlessly(hostile_page: str, hostile_names: list[str]) -> None:
    page = Page(hostile_page).root
    table = page.all("table")[
        [table.children[0].text for table in page.all("table")].index("Bits of each model, mixture code")
    ]
    shown = [header.text for header in table.all("th") if header.attributes.get("scope") == "row"]
    assert shown == [visible(name) for name in hostile_names]
    assert page.all("h1")[0].text == "</title></h1><script>window.hacked = 3</script>"
    assert len(page.all("script")) == 1
    assert "\u202e" not in hostile_page
    assert "{{" in page.text, "names are not templates"


def test_the_same_evaluation_gives_the_same_page(weather: Evaluation, weather_page: str) -> None:
    assert render_page(weather, source="weather.csv", target="sky") == weather_page


def test_the_page_is_a_function_of_the_summary_alone(weather: Evaluation, weather_page: str) -> None:
    summary = json.loads(to_json(summarise(weather, source="weather.csv", target="sky")))
    assert render_summary(summary) == weather_page


def test_charts_of_the_page_follow_their_schema(weather: Evaluation, monkeypatch: pytest.MonkeyPatch) -> None:
    """Drawing trusts them, as checking takes longer."""
    specs: list[Any] = []
    monkeypatch.setattr(theme, "draw_svg", lambda spec: specs.append(spec) or '<svg width="1" height="1">')
    render_page(weather)
    assert len(specs) == 8
    for spec in specs:
        alt.Root.validate(spec)
    with pytest.raises(jsonschema.ValidationError):
        alt.Root.validate(specs[0] | {"width": "broad"})


def test_a_page_of_three_models_is_small(weather_page: str) -> None:
    assert len(weather_page.encode()) < 500_000


def test_ruin_is_shown_and_explained(weather: Evaluation, weather_page: str) -> None:
    page = Page(weather_page).root
    impossible = weather.models[1].bets.reward.impossible
    assert impossible.size > 0
    (table,) = [table for table in page.all("table") if table.attributes.get("id") == "impossible"]
    (row,) = table.all("tbody")[0].children
    assert row.children[0].text == "certain"
    assert row.children[2].text == ", ".join(map(str, impossible))
    (notice,) = [p.text for p in page.all("p") if "loses everything (−∞)" in p.text]
    assert notice.startswith("certain gave the true class probability 0")
    assert "inf" not in page.text.lower().replace("information", "").replace("infinitely", "").replace(
        "inference", ""
    )


def test_the_method_tells_the_test_by_which_slices_were_searched() -> None:
    truth = np.array(["a", "b"] * 60)
    table = pl.DataFrame(
        {"y": truth, "m": np.where(np.arange(120) < 30, "a", truth), "w": ["p", "q", "q"] * 40}
    )
    for groups, used, other in (
        (None, "By permutations", "By layers"),
        ("g", "By layers", "By permutations"),
    ):
        cases = table if groups is None else table.with_columns(g=pl.Series(np.repeat(range(30), 4)))
        found = evaluate_predictions(cases, target="y", predictions=["m"], groups=groups)
        tests = found.models[0].slices.found.tests
        assert (tests.correction == "layered") == (groups is not None)
        method = next(dd.text for dd in Page(render_page(found)).root.all("dd") if "conjunctions" in dd.text)
        assert used in method
        assert other not in method


def test_a_model_without_probabilities_says_why(weather_page: str) -> None:
    page = Page(weather_page).root
    assert "silent: not judged here, because no probabilities were stated." in [p.text for p in page.all("p")]


def test_every_finding_stands_on_the_page_in_order(weather: Evaluation, weather_page: str) -> None:
    page = Page(weather_page).root
    (found,) = [section for section in page.all("section") if section.attributes.get("id") == "found"]
    items = found.all("ol")[0].all("li")
    sentences = [re.sub(r"\s+", " ", p.text) for item in items for p in item.all("p")]
    said = [finding.sentence.replace(" -", " −").replace("(-", "(−") for finding in weather.findings]
    assert sentences == [re.sub(r"\s+", " ", sentence) for sentence in said]
    assert all(item.all("details") for item in items)


def test_only_answers_and_no_bets_at_all() -> None:
    table = pl.DataFrame({"y": ["a", "b", "c"] * 10, "m": ["a|b", "b", ""] * 10})
    page = Page(render_page(evaluate_predictions(table, target="y", predictions=["m"]))).root
    assert any("No bets: no probabilities were stated." in p.text for p in page.all("p"))
    assert not {"Comparisons", "Bets", "Borders"} & {heading.text for heading in page.all("h2")}


def test_confusions_of_classes_with_long_names_break_between_words_and_curves_say_who_is_left_out() -> None:
    rng, long = np.random.default_rng(0), "windows_of_buildings_not_float_processed"
    truth = rng.choice([long, "lamp"], 60)
    stated = {f"m{place}": rng.uniform(0.1, 0.9, 60) for place in range(9)}
    table = pl.DataFrame({"y": truth, **stated})
    asked = {"target": "y", "features": []}
    page = render_page(evaluate_predictions(table, probabilities={name: name for name in stated}, **asked))
    for scope in ("col", "row"):
        headings = re.findall(rf'<th scope="{scope}" class="n[a-z]*"><bdi>(windows.*?)</bdi>', page)
        assert sum("of_<wbr>buildings_<wbr>not_" in heading for heading in headings) >= 9
    assert "Only the first 8 models that state probabilities are drawn." in page
    assert "are drawn" not in render_page(evaluate_predictions(table, probabilities={"m": "m1"}, **asked))


def test_the_explorer_of_thresholds_has_the_limits_of_its_costs() -> None:
    rng = np.random.default_rng(0)
    stated = rng.random(60).round(2)
    table = pl.DataFrame({"y": (rng.random(60) < stated).astype(int), "p": stated, "id": np.arange(60) // 3})
    found = evaluate_predictions(table, target="y", probabilities={"m": "p"}, groups="id")
    options = [each.attributes for each in Page(render_page(found)).root.all("option")]
    (limits,) = (each["data-limits"] for each in options if "data-limits" in each)
    ends = np.array([point.split(",") for point in str(limits).split()], dtype=float)
    curve = found.models[0].usual.curves[0]
    assert curve.worth < 1
    for name, place in (("false_alarm", 0), ("miss", 2)):
        prices = {"false_alarm": 0.0, "miss": 0.0} | {name: 2.0}
        alone = np.transpose(curve.cost_interval(**prices)) / 2
        np.testing.assert_allclose(ends[:, place : place + 2], alone, rtol=1e-4, atol=1e-12)


def test_one_class_alone_in_the_truth() -> None:
    table = pl.DataFrame({"y": ["a"] * 30, "m": ["a"] * 25 + ["b"] * 5, "p": np.linspace(0.1, 0.6, 30)})
    found = evaluate_predictions(
        table, target="y", predictions=["m"], probabilities={"m": "p"}, classes=["a", "b"]
    )
    page = Page(render_page(found)).root
    assert any("not recalibrated" in p.text for p in page.all("p"))


@pytest.mark.parametrize("n_models", [1, 30])
def test_any_number_of_models_and_fifty_classes(n_models: int) -> None:
    rng = np.random.default_rng(n_models)
    labels = np.array([f"class {code}" for code in range(50)])
    columns = {f"model {index}": labels[rng.integers(50, size=100)] for index in range(n_models)}
    table = pl.DataFrame({"y": labels[np.arange(100) % 50], **columns})
    page = Page(render_page(evaluate_predictions(table, target="y", predictions=list(columns)))).root
    for name in columns:
        assert name in page.text


def test_sorted_rows_are_warned_of() -> None:
    rng = np.random.default_rng(3)
    truth = np.repeat(np.arange(10), 30)
    said = np.where(rng.uniform(size=300) < 0.8, truth, rng.integers(10, size=300))
    table = pl.DataFrame({"y": truth, "m": said})
    found = evaluate_predictions(table, target="y", predictions=["m"])
    assert found.models[0].bits.order_matters
    assert "not in random order" in render_page(found)
