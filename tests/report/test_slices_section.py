"""The slices of the page: every number is that of the result, every query selects the rows, in a real Chromium."""

from __future__ import annotations

import base64
import json
import sqlite3
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from typer.testing import CliRunner

import fivefold as ff
from fivefold.cli.main import app
from fivefold.evaluation import Evaluation, evaluate_models, evaluate_predictions
from fivefold.evaluation.slices_view import view_slices
from fivefold.inputs.columns import read_columns
from fivefold.report import render_page, summarise, to_json
from fivefold.report.page import render_slices
from fivefold.slices import find_differences

ENTER, SPACE = ("Enter", 13, "\r"), (" ", 32, " ")
NASTY = [
    "<script>window.hacked = 1</script>",
    'o\'clock "q" -- ; DROP',
    "</svg></style>&amp;",
    "\u202eturned",
    "plain",
]
NASTY_COLUMN = '<b onclick="window.hacked=2">"col\'umn</b>'
BODIES = "[...document.querySelector('table.slices').tBodies].filter(body => !body.hidden)"
FIRST_BUTTON = "document.querySelector('table.slices tbody:not([hidden]) button')"
FIRST_ROWS = "document.querySelector('table.slices tbody:not([hidden]) .rows')"


def show_all(chromium: Any) -> None:
    """Choose all slices in the first list, which begins with the worst where not all of them are shown."""
    chromium.run("window.field = document.querySelector('[data-sieve=sign]')")
    if not chromium.run("window.field"):
        return
    assert chromium.run("window.field.value") == "worst"
    chromium.run("window.field.value = ''")
    chromium.run("window.field.dispatchEvent(new Event('input', { bubbles: true }))")


def open_all(chromium: Any) -> None:
    """Open the rows of all slices in the first list, which are made only then."""
    chromium.run(f"{BODIES}.forEach(body => body.querySelector('.where button').click())")


def shops(n: int = 3000) -> pl.DataFrame:
    """Two models that fail where a nasty value meets a number; a column of names that nobody should slice by."""
    rng = np.random.default_rng(3)
    kind, size = rng.choice(NASTY, n), rng.normal(10, 3, n).round(1)
    truth = rng.choice(["no", "yes"], n)
    wrong = rng.random(n) < np.where(
        (kind == NASTY[0]) & (size > 10), 0.7, np.where(truth == "yes", 0.2, 0.05)
    )
    answer = np.where(wrong, np.where(truth == "no", "yes", "no"), truth)
    is_open = rng.random(n) < 0.5
    other = np.where(rng.random(n) < np.where(is_open, 0.6, 0.1), "yes", answer)
    other = np.where(kind == NASTY[1], truth, other)
    return pl.DataFrame(
        {
            NASTY_COLUMN: kind,
            "size": size,
            "open": is_open,
            "name": [f"shop {number}" for number in range(n)],
            "y": truth,
            "model": answer,
            "other": pl.Series(
                [None if silent else said for silent, said in zip(rng.random(n) < 0.1, other, strict=True)]
            ),
        }
    )


@pytest.fixture(scope="module")
def table() -> pl.DataFrame:
    return shops()


@pytest.fixture(scope="module")
def evaluation(table: pl.DataFrame) -> Evaluation:
    return evaluate_predictions(table, target="y", predictions=["model", "other"])


@pytest.fixture(scope="module")
def summary(evaluation: Evaluation) -> dict[str, Any]:
    return summarise(evaluation, source="shops.csv", target="y")


@pytest.fixture(scope="module")
def page(evaluation: Evaluation, tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("slices") / "page.html"
    place.write_text(render_page(evaluation, source="shops.csv", target="y"), encoding="utf-8")
    return place


def found_in(summary: dict[str, Any], model: int = 0) -> list[dict[str, Any]]:
    return summary["models"][model]["slices"]["slices"]


def test_both_queries_select_the_rows_that_are_told(summary: dict[str, Any], table: pl.DataFrame) -> None:
    frame = table.to_pandas()
    store = sqlite3.connect(":memory:")
    frame.to_sql("shops", store, index=False)
    for model, name in enumerate(["model", "other"]):
        assert len(found_in(summary, model)) >= 2
        for one in found_in(summary, model):
            rows = frame[eval(one["python"], {"df": frame})]
            right = int((rows["y"] == rows[name]).sum())
            assert (one["n"], one["n_agree"]) == (len(rows), right)
            counted = store.execute(
                f'SELECT count(*), sum("y" IS "{name}") FROM shops WHERE {one["sql"]}'
            ).fetchone()
            assert counted == (len(rows), right)


def test_what_the_rows_are_like_can_be_counted_again(summary: dict[str, Any], table: pl.DataFrame) -> None:
    frame = table.to_pandas()
    for one in found_in(summary)[:5]:
        inside = eval(one["python"], {"df": frame})
        for feature in one["rows"]["features"]:
            assert sum(feature["inside"]) == one["n"]
            assert sum(feature["outside"]) == len(frame) - one["n"]
            if feature["name"] == NASTY_COLUMN:
                told = dict(zip(feature["values"], feature["inside"], strict=True))
                assert (
                    told
                    == frame.loc[inside, NASTY_COLUMN].value_counts().reindex(told, fill_value=0).to_dict()
                )
        for pair in one["rows"]["pairs"]:
            same = (frame["y"] == pair["first"]) & (frame["model"] == pair["second"])
            assert (pair["inside"], pair["outside"]) == (
                int((same & inside).sum()),
                int((same & ~inside).sum()),
            )
        assert sum(pair["inside"] for pair in one["rows"]["pairs"]) == one["n"]


def test_differences_say_who_is_right(summary: dict[str, Any], table: pl.DataFrame) -> None:
    frame = table.to_pandas().astype({"other": object})
    apart = summary["differences"]
    assert apart["models"] == ["model", "other"]
    for one in apart["slices"]:
        rows = frame[eval(one["python"], {"df": frame})]
        assert one["n_agree"] == int((rows["model"] == rows["other"]).sum())
        differ = rows[rows["model"] != rows["other"]]
        assert one["first_right"] == int((differ["model"] == differ["y"]).sum())
        assert one["second_right"] == int((differ["other"] == differ["y"]).sum())


def test_findings_name_a_slice_with_its_query(evaluation: Evaluation) -> None:
    told = [found for found in evaluation.findings if found.view == "slices"]
    assert [found.models for found in told] == [("model",), ("other",), ("model", "other")]
    assert "less accurate than average" in told[0].sentence
    assert told[0].evidence["query"].startswith('"')


def test_a_column_of_names_is_left_out_and_said(summary: dict[str, Any]) -> None:
    assert summary["models"][0]["slices"]["left_out"] == ["name"]
    assert not any("shop " in one["conditions"] for one in found_in(summary))


def test_json_holds_everything(summary: dict[str, Any]) -> None:
    assert json.loads(to_json(summary)) == json.loads(to_json(json.loads(to_json(summary))))


def test_no_attributes_no_section() -> None:
    said = pl.DataFrame({"y": ["a", "b"] * 40, "model": ["a", "b"] * 40})
    found = evaluate_predictions(said, target="y", predictions=["model"])
    assert found.models[0].absent["slices"] == "no attributes of the cases are known"
    assert 'id="slices"' not in render_page(found)


def test_attributes_that_cannot_be_read_stop_nothing() -> None:
    said = pl.DataFrame({"y": ["a", "b"] * 40, "model": ["a", "b"] * 40, "when": [[1], [2]] * 40})
    found = evaluate_predictions(said, target="y", predictions=["model"])
    assert "when" in found.models[0].absent["slices"]


class Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.names: set[str] = set()
        self.attributes: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.names.add(tag)
        self.attributes |= {name for name, _ in attrs}


def test_what_no_permutation_reaches_has_a_bound_as_in_its_sentence(
    page: Path, summary: dict[str, Any], evaluation: Evaluation
) -> None:
    shown = [one for model in (0, 1) for one in found_in(summary, model)]
    assert evaluation.differences is not None
    shown += [{"sentence": part.sentence} for part in evaluation.differences.found]
    bounds = sum("p <= 0.00" in one["sentence"] for one in shown)
    assert 0 < bounds == page.read_text(encoding="utf-8").count(">≤ 0.00")


def test_nothing_from_the_data_becomes_markup(page: Path) -> None:
    tags = Tags()
    tags.feed(page.read_text(encoding="utf-8"))
    assert "style" not in tags.attributes
    assert not {name for name in tags.attributes if name.startswith("on")}


def test_a_page_of_slices_alone(table: pl.DataFrame, chromium: Any, tmp_path: Path) -> None:
    X = table.select(NASTY_COLUMN, "size", "open")
    found = find_differences(X, table["model"], table["other"], y_true=table["y"], names=("model", "other"))
    view = view_slices(found, X, table["model"], table["other"], ("model", "other"))
    place = tmp_path / "slices.html"
    place.write_text(render_slices(view, source="shops.csv"), encoding="utf-8")
    chromium.open(place)
    assert chromium.complaints() == []
    assert chromium.run("document.querySelector('h1').textContent") == "Where model and other differ"
    assert 0 < chromium.run(f"{BODIES}.length") <= 6
    show_all(chromium)
    assert chromium.run(f"{BODIES}.length") == min(len(found), 25)
    open_all(chromium)
    assert "no answer" in chromium.run("document.querySelector('.shares').textContent")


def test_opens_by_mouse_and_keyboard(chromium: Any, page: Path) -> None:
    chromium.open(page)
    assert chromium.complaints() == []
    assert chromium.run("typeof window.hacked") == "undefined"
    shown = f"{FIRST_ROWS}.checkVisibility()"
    assert chromium.run(shown) is False
    assert chromium.run("document.querySelectorAll('.shares').length") == 0, "made when opened"
    chromium.run(f"{FIRST_BUTTON}.click()")
    assert chromium.run(shown) is True
    assert chromium.run(f"{FIRST_BUTTON}.getAttribute('aria-expanded')") == "true"
    assert chromium.run(f"{FIRST_ROWS}.querySelector('.shares').checkVisibility()") is True
    chromium.run(f"{FIRST_BUTTON}.focus()")
    chromium.press(*ENTER)
    assert chromium.run(shown) is False
    chromium.press(*SPACE)
    assert chromium.run(shown) is True


def test_shows_the_sentence_and_the_queries_as_they_are(
    chromium: Any, page: Path, summary: dict[str, Any]
) -> None:
    chromium.open(page)
    show_all(chromium)
    open_all(chromium)
    told = chromium.run(
        f"{BODIES}.map(body => [...body.querySelectorAll('code')].map(code => code.textContent))"
    )
    worst_first = sorted(found_in(summary), key=lambda one: one["effect_size"])
    expected = [[one["sql"], f"df[{one['python']}]"] for one in worst_first if one["rows"]]
    # a character that turns the direction of a line is shown by its code
    assert told == [[text.replace("\u202e", "⟨U+202E⟩") for text in pair] for pair in expected]


def test_sorts_slices_with_their_rows(chromium: Any, page: Path, summary: dict[str, Any]) -> None:
    chromium.open(page)
    show_all(chromium)
    chromium.run(
        "[...document.querySelectorAll('.slices th button')].find(b => b.textContent.startsWith('Right')).click()"
    )
    rates = chromium.run(f"{BODIES}.map(body => Number(body.rows[0].cells[4].dataset.sort))")
    assert rates == sorted(one["rate"] for one in found_in(summary) if one["rows"])
    assert chromium.run(f"{BODIES}.every(body => body.rows.length === 2)")
    open_all(chromium)
    assert chromium.run(
        f"{BODIES}.every(body => body.rows[1].querySelector('.caption').textContent"
        ".includes(`these ${body.rows[0].cells[4].lastChild.textContent.split(' of ')[1]} cases`))"
    )


def test_filters(chromium: Any, page: Path, summary: dict[str, Any]) -> None:
    chromium.open(page)
    # the first list is short and has all in sight: it needs no filter
    shown = [one for one in found_in(summary, 1) if one["rows"]]
    listing = "document.querySelector('.listing:has(.sieve)')"
    bodies = f"[...{listing}.querySelectorAll('.slices > tbody:not([hidden])')]"

    def set_to(which: str, value: str) -> None:
        chromium.run(f"window.field = document.querySelector('[data-sieve={which}]')")
        chromium.run(f"window.field.value = {json.dumps(value)}")
        chromium.run("window.field.dispatchEvent(new Event('input', { bubbles: true }))")

    assert chromium.run(f"{bodies}.length") < len(shown), "what is better than average is folded"
    set_to("text", "OPEN true")
    set_to("sign", "")
    wanted = [one for one in shown if all(word in one["conditions"].lower() for word in ("open", "true"))]
    assert 0 < len(wanted) < len(shown)
    assert chromium.run(f"{bodies}.length") == len(wanted)
    assert (
        chromium.run("document.querySelector('.sieve output').textContent")
        == f"{len(wanted)} of {len(shown)} shown"
    )
    set_to("text", "")
    set_to("sign", "less")
    assert chromium.run(f"{bodies}.length") == sum(one["difference"] < 0 for one in shown)
    set_to("sign", "")
    before = sum(one["known_before"] for one in shown)
    assert before < len(shown)
    chromium.run("document.querySelector('[data-sieve=before]').click()")
    assert chromium.run(f"{bodies}.length") == before


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_a_phone_shows_an_open_slice(chromium: Any, page: Path, dark: bool) -> None:
    chromium.open(page, width=360, dark=dark)
    chromium.run(f"{FIRST_BUTTON}.click()")
    assert chromium.run("document.documentElement.scrollWidth") == 360
    right = chromium.run(
        "document.querySelector('.slices .rows.open .profile').getBoundingClientRect().right"
    )
    assert right <= 360
    # "Sort by" stood over each small table, in place of "here" and "elsewhere"
    heads = chromium.run(
        "[...document.querySelectorAll('.slices .rows.open .shares thead th')]"
        ".filter(head => head.checkVisibility()).map(head => head.textContent)"
    )
    assert heads.count("here") == heads.count("elsewhere") > 1
    before = "getComputedStyle(document.querySelector('.rows.open .shares thead tr'), '::before').content"
    assert chromium.run(before) == "none"


def test_without_scripts_the_rows_are_folded_and_can_be_opened(chromium: Any, page: Path) -> None:
    chromium.call("Emulation.setScriptExecutionDisabled", value=True)
    try:
        chromium.open(page)
        assert chromium.run("document.querySelector('.sieve').checkVisibility()") is False
        assert chromium.run("document.querySelector('.slices .rows summary').checkVisibility()") is True
        assert chromium.run("document.querySelector('.slices .rows .shares').checkVisibility()") is False
    finally:
        chromium.call("Emulation.setScriptExecutionDisabled", value=False)


def test_prints(chromium: Any, page: Path) -> None:
    chromium.open(page)
    printed = base64.b64decode(chromium.call("Page.printToPDF", preferCSSPageSize=True)["data"])
    assert printed.startswith(b"%PDF")
    assert chromium.complaints() == []


@pytest.mark.data
def test_adult_with_three_models_stays_small(chromium: Any, tmp_path: Path) -> None:
    from fivefold.data import load
    from fivefold.learners import NaiveBayes, OneR

    train, test = load("adult-train"), load("adult-test")
    rng = np.random.default_rng(0)
    said = {
        "bayes": NaiveBayes().fit(train.X, train.y).predict(test.X),
        "1r": OneR().fit(train.X, train.y).predict(test.X),
        "luck": rng.choice(np.unique(test.y), len(test.y)),
    }
    table = test.X.with_columns(
        salary=pl.Series(test.y), **{name: pl.Series(told) for name, told in said.items()}
    )
    found = evaluate_predictions(table, target="salary", predictions=list(said))
    assert max(len(model.slices.slices) for model in found.models) <= 20
    page = render_page(found)
    assert len(page.encode()) < 1_200_000
    place = tmp_path / "adult.html"
    place.write_text(page, encoding="utf-8")
    chromium.open(place, width=1400)
    assert chromium.run("document.body.innerText.split(/\\s+/).length") <= 4_000
    assert chromium.run("document.querySelector('.scorecard').getBoundingClientRect().bottom") < 900
    assert chromium.run("document.querySelectorAll('*').length") < 8_000, "axe must finish"
    chromium.open(place, width=390)
    assert chromium.run(chromium.BROKEN_WORDS) == []
    assert chromium.run("document.documentElement.scrollWidth") == 390
    chromium.run(f"{FIRST_BUTTON}.click()")
    assert chromium.faults() == []


def test_the_command_line_writes_the_page(table: pl.DataFrame, tmp_path: Path) -> None:
    file = tmp_path / "shops.csv"
    table.drop(NASTY_COLUMN).write_csv(file)
    asked = {
        "slices.html": ["slices", str(file), "-t", "y", "-p", "model", "--drop", "name", "--drop", "other"],
        "diff.html": ["diff", str(file), "-t", "y", "-p", "model", "-p", "other", "--drop", "name"],
        "report.html": ["report", str(file), "-t", "y", "-p", "model", "-p", "other", "--drop", "name"],
    }
    for name, arguments in asked.items():
        ran = CliRunner().invoke(app, [*arguments, "--html", str(tmp_path / name)])
        assert ran.exit_code == 0, ran.output
        page = (tmp_path / name).read_text(encoding="utf-8")
        assert 'table class="slices' in page
        # sizes are read as numbers: their distribution is told in intervals
        assert "<bdi>&lt;= " in page
        assert max(map(len, ran.stdout.splitlines())) <= 80


def test_measures_inside_a_slice_are_those_of_its_rows() -> None:
    table = ff.data.load("adult-test")
    X, y = table.X[:3000], table.y[:3000]
    model = ff.learners.NaiveBayes().fit(X, y)
    prob = model.predict_proba(X)
    said = ff.Predictions.from_probabilities(y, prob, classes=model.classes_, features=X)
    (views,) = evaluate_models([said]).models
    assert views.slices is not None
    one, rows = views.slices.found[0], views.slices.rows[0]
    inside = np.ones(3000, dtype=bool)
    columns = read_columns(X.with_columns(pl.Series("true class", y)))
    for term in one.terms:
        inside &= term.holds(columns)
    assert inside.sum() == one.n
    of_truth = prob[np.arange(3000), np.searchsorted(model.classes_, y)]
    told = {measure.name: (measure.inside, measure.outside) for measure in rows.measures}
    assert told["probability that was given to the truth"] == pytest.approx(
        (of_truth[inside].mean(), of_truth[~inside].mean())
    )
    reward = 1 + np.log2(of_truth)
    assert told["reward of bets on all classes"] == pytest.approx(
        (reward[inside].mean(), reward[~inside].mean())
    )
    share = one.n / 3000
    assert 3000 * np.dot(told["bits saved"], (share, 1 - share)) == pytest.approx(views.bits.saved)
