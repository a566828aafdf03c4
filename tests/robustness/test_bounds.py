"""What would take for ever or all memory is refused with the number that is allowed, or costs in proportion."""

import json
import re
from functools import partial
from html import escape

import numpy as np
import polars as pl
import pytest
import vl_convert

import fivefold as ff
from fivefold.errors import InputError
from fivefold.study import Folds, Holdout, make_plan

X, Y = [[0.0, 1.0], [1.0, 0.0], [2.0, 1.0], [3.0, 0.0]] * 5, ["a", "b", "a", "b"] * 5


@pytest.mark.parametrize(
    ("call", "allowed"),
    [
        (lambda: ff.learners.MMLTree(lookahead=10).fit(X, Y), "lookahead to be at most 4"),
        (lambda: ff.learners.SuperParent(cv=2**63).fit(X, Y), "cv to be at most 20"),
        (lambda: Holdout(n_repeats=100_000_000), "n_repeats to be at most 1,000,000"),
        (lambda: Folds(n_splits=10**9), "n_splits to be at most 1,000,000"),
        (lambda: Folds(n_splits=10, n_repeats=10**6), "n_repeats to be at most 100,000"),
        (
            lambda: make_plan("p", data=["IR"], estimators=["1r"], splits=Holdout(900_000)).jobs(),
            "at most 1,000,000 jobs; got 2,700,000",
        ),
    ],
)
def test_the_number_that_is_allowed_is_said_before_any_work(call, allowed, count_calls):
    def refused():
        with pytest.raises(InputError, match=allowed):
            call()

    refused()  # loads what is loaded once
    assert count_calls(refused) < 20_000


def many(n, rows=200):
    rng = np.random.default_rng(0)
    truth = rng.choice(["a", "b"], rows)
    wrong = rng.uniform(size=(n, rows)) < rng.uniform(0.05, 0.5, (n, 1))
    other = np.where(truth == "a", "b", "a")
    answers = {f"m{i}": np.where(wrong[i], other, truth) for i in range(n)}
    return pl.DataFrame({"y": truth, "x": rng.normal(size=rows), **answers}), list(answers)


def test_work_grows_with_the_number_of_models_not_with_its_square(count_calls):
    """All pairs of 120 models are 7,140; correlations of them all would be a matrix of 50 million cells."""
    work, evaluations = [], []
    for n in (5, 30, 120):  # the first loads what is loaded once
        table, names = many(n, rows=60)
        judge = partial(ff.evaluate_predictions, table, target="y", predictions=names)
        work.append(count_calls(lambda judge=judge: evaluations.append(judge()), of="<code object"))
    assert work[2] < 5 * work[1]
    made = evaluations[-1]
    searched = [model for model in made.models if model.slices]
    assert len(searched) == 100
    least = min(model.bits.accuracy for model in searched)
    others = [model for model in made.models if not model.slices]
    assert all(model.bits.accuracy <= least for model in others)
    assert "100 most accurate" in others[0].absent["slices"]
    assert made.comparisons[0].level == pytest.approx(0.05 / (2 * 120 * 119 / 2))
    assert any(note.startswith("With 120 models, the best of each view") for note in made.notes)
    assert all(len(finding.sentence) < 1500 for finding in made.findings)


def test_long_names_are_cut_in_charts_and_whole_in_a_tooltip(monkeypatch):
    """To measure the 10,000 letters of a label took a second for each chart."""
    drawn, draw = [], vl_convert.vegalite_to_svg
    monkeypatch.setattr(
        vl_convert, "vegalite_to_svg", lambda spec, **more: drawn.append(spec) or draw(spec, **more)
    )
    table, _ = many(2)
    long = {"m0": "a<" + "b" * 10_000, "m1": "c" * 10_000}
    made = ff.evaluate_predictions(table.rename(long), target="y", predictions=list(long.values()))
    page = made.to_html()
    assert drawn
    assert not re.search("b{200}|c{200}", json.dumps(drawn))
    tooltip = f"<title>{escape(long['m0'])}</title>"
    assert tooltip in page
    assert f">{escape(long['m0'])}</text>" not in page


def test_names_that_are_cut_alike_keep_the_whole_in_a_tooltip():
    table, _ = many(3)
    begin = "a model with a rather long name, trained on all of the cases, "
    names = {f"m{i}": f"{begin}<seed {i}>" for i in range(2)} | {"m2": "short"}
    made = ff.evaluate_predictions(table.rename(names), target="y", predictions=list(names.values()))
    page = made.to_html()
    shown = re.findall(r"<text[^>]*>([^<]*)<title>([^<]*)</title></text>", page)
    assert {escape(names["m0"]), escape(names["m1"])} == {whole for _, whole in shown}
    assert all("…" in text for text, _ in shown)
    assert len(shown) == 8, "two names in two charts of two widths"
    assert "aria-label" not in "".join(re.findall(r"<text[^>]*>", page))


def test_a_page_of_very_many_models_shows_the_best_and_says_so(monkeypatch):
    monkeypatch.setattr("fivefold.report.page.MOST_MODELS", 5)
    table, names = many(12, rows=60)
    made = ff.evaluate_predictions(table, target="y", predictions=names)
    page, everything = made.to_html(), json.loads(made.to_json())
    assert "Of 12 models, the 5 most accurate and the best of each view are shown here" in page
    assert len(everything["models"]) == len(everything["scorecard"]["rows"]) - 1 == 12
    accuracy = {model.name: model.bits.accuracy for model in made.models}
    shown = set(re.findall(r"<desc[^>]*>Of .*?</desc>", page)[0].replace(";", " ").split()) & set(names)
    best = {ranking.standings[0].model for ranking in made.rankings}
    assert best <= shown
    assert 5 <= len(shown) <= 5 + len(best)
    assert max(accuracy[name] for name in set(names) - shown) <= min(accuracy[name] for name in shown - best)


def test_a_first_screen_shows_the_most_accurate():
    table, names = many(40, rows=60)
    made = ff.evaluate_predictions(table, target="y", predictions=names)
    accuracy = {model.name: model.bits.accuracy for model in made.models}
    text = str(made.scorecard)
    shown = [name for name in names if re.search(rf"^{name} ", text, re.MULTILINE)]
    assert len(shown) == 15
    assert min(accuracy[name] for name in shown) >= sorted(accuracy.values())[-15]
    assert "and 25 more, none more accurate" in text
