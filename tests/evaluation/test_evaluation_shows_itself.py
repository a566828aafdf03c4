"""An evaluation writes pages, JSON, Markdown and cells of notebooks, whole and harmless; and logs to MLflow."""

from __future__ import annotations

import io
import json
import re
import sys
from types import SimpleNamespace

import numpy as np
import polars as pl
import pytest
from rich.console import Console
from sklearn.naive_bayes import GaussianNB

import fivefold as ff
from fivefold.evaluation import Importance
from fivefold.report import summarise
from fivefold.report.terminal import print_report

HOSTILE = '<script>alert("x")</script> | `*_ $x$'


@pytest.fixture(scope="module")
def found():
    rng = np.random.default_rng(0)
    truth = rng.choice(["a", "b"], 200)
    told = np.where(rng.random(200) < 0.9, truth, "a")
    table = pl.DataFrame({"y": truth, HOSTILE: told, "n": rng.choice(["a", "b"], 200), "p": rng.random(200)})
    return ff.evaluate_predictions(table, target="y", predictions=[HOSTILE, "n"], probabilities={"n": "p"})


def test_pages_and_json_are_returned_or_written(found, tmp_path):
    assert found.to_html().startswith("<!DOCTYPE html>")
    assert found.to_html(tmp_path / "page.html") is None
    assert (tmp_path / "page.html").read_text(encoding="utf-8") == found.to_html()
    assert found.to_json(tmp_path / "all.json") is None
    told = json.loads((tmp_path / "all.json").read_text(encoding="utf-8"))
    assert told == json.loads(found.to_json()) == summarise(found)


def test_a_cell_of_a_notebook_holds_no_script_and_its_own_names(found):
    html = found._repr_html_()
    assert "<script" not in html.lower()
    assert "&lt;script&gt;" in html
    other = ff.evaluate_predictions(
        pl.DataFrame({"y": ["a", "b"], "m": ["a", "a"]}), target="y", predictions=["m"]
    )._repr_html_()
    identity = html.split('id="', 1)[1].split('"', 1)[0]
    assert identity.startswith("fivefold-")
    assert identity not in other


def test_markdown_is_a_table_and_a_list_and_nothing_of_the_data_is_read_as_either(found):
    lines = found._repr_markdown_().splitlines()
    table = [line.replace("\\|", "") for line in lines if line.startswith("|")]
    assert {line.count("|") for line in table} == {len(found.scorecard.columns) + 2}
    assert len(table) == 2 + len(found.models) + 1
    assert lines[0].startswith("**")
    assert "<script>" not in found._repr_markdown_()
    assert sum(line.startswith("1. ") for line in lines) == 1


def test_the_terminal_keeps_within_80_columns(found):
    paper = io.StringIO()
    print_report(summarise(found), Console(file=paper, width=80, highlight=False))
    text = paper.getvalue()
    assert max(map(len, text.splitlines())) <= 80
    assert "Truth: how far can the error be trusted?" in text


def test_every_absent_view_has_its_reason_in_the_verdict(found):
    assert "No borders of" in found.verdict()
    assert "No bets of" in found.verdict()


def test_mlflow_gets_finite_numbers_and_both_files(found, monkeypatch):
    metrics, texts = {}, {}
    fake = SimpleNamespace(log_metrics=metrics.update, log_text=lambda text, name: texts.update({name: text}))
    monkeypatch.setitem(sys.modules, "mlflow", fake)
    found.log_mlflow(prefix="test/")
    assert metrics["test/n/accuracy"] == found.models[1].bits.accuracy
    assert all(np.isfinite(value) for value in metrics.values())
    assert texts["test/evaluation.html"] == found.to_html()
    assert texts["test/evaluation.json"] == found.to_json()


def test_without_mlflow_the_way_to_get_it_is_said(found, monkeypatch):
    monkeypatch.setitem(sys.modules, "mlflow", None)
    with pytest.raises(ImportError, match=r"fivefold\[mlflow\]"):
        found.log_mlflow()


def test_names_for_mlflow_differ(monkeypatch):
    metrics = {}
    fake = SimpleNamespace(log_metrics=metrics.update, log_text=lambda text, name: None)
    monkeypatch.setitem(sys.modules, "mlflow", fake)
    names = ["a:b", "a?b", "a_b", HOSTILE]
    table = pl.DataFrame({"y": ["a", "b"] * 3} | {name: ["a", "b"] * 3 for name in names})
    ff.evaluate_predictions(table, target="y", predictions=names).log_mlflow()
    assert len({key.rsplit("/", 1)[0] for key in metrics}) == 4


def test_one_is_said_in_the_singular():
    table = pl.DataFrame({"m": ["a"], "y": ["a"]})
    found = ff.evaluate_predictions(table, target="y", predictions=["m"], classes=["a", "b"])
    data = ff.data.Table.from_frame(table, "y")
    bins = ff.bets.expected_calibration_error_details(["a"], [[0.7, 0.3]], classes=["a", "b"])
    for shown in (found, bins, data):
        assert not re.search(r"(?<![\d.,])1 \w*[^\Ws]s\b", f"{shown}\n{shown!r}"), shown


def three_models(n=900, seed=4):
    """Cases of three models: one knows but boasts and fails in the north, one deals dice, one is ruined."""
    rng = np.random.default_rng(seed)
    region, truth = rng.choice(["north", "south", "east"], n), rng.integers(0, 2, n)
    right = rng.random(n) < np.where(region == "north", 0.5, 0.95)
    good = np.where(right, truth, 1 - truth)
    stated = {"good": np.where(good == 1, 0.999, 0.001), "dice": np.full(n, truth.mean())}
    stated["ruined"] = np.where(rng.random(n) < 0.02, 1 - truth, np.where(truth == 1, 0.9, 0.1)).astype(float)
    answers = {"good": good, "dice": rng.integers(0, 2, n), "ruined": (stated["ruined"] > 0.5).astype(int)}
    table = {"region": region, "y": truth} | answers | {f"p_{name}": p for name, p in stated.items()}
    return ff.evaluate_predictions(
        pl.DataFrame(table),
        target="y",
        predictions=list(answers),
        probabilities={name: f"p_{name}" for name in answers},
    )


def test_programs_find_what_is_claimed_of_whom():
    evaluation = three_models()
    found = json.loads(evaluation.to_json())
    claimed = {(claim, *row["models"]) for row in found["findings"] for claim in row["claims"]}
    models = {model["name"]: model for model in found["models"]}
    for name, model in models.items():
        assert (("learned", name) in claimed) == bool(model["bits"]["learned"])
        assert (("miscalibrated", name) in claimed) == model["bets"]["miscalibrated"]
        assert (("ruin", name) in claimed) == bool(model["bets"]["n_impossible"])
        assert (("slice", name) in claimed) == bool(model["slices"]["slices"])
    better = {("better", pair["better"], pair["worse"]) for pair in found["comparisons"] if pair["proven"]}
    assert better == {row for row in claimed if row[0] == "better"}
    expected = {("learned", "good"), ("miscalibrated", "good"), ("slice", "good"), ("ruin", "ruined")}
    assert expected <= claimed
    assert not any(
        "dice" in row and row[0] in {"learned", "slice", "miscalibrated", "ruin"} for row in claimed
    )


def test_programs_find_that_test_cases_are_known_and_that_rows_belong_together():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(120, 3)), rng.integers(0, 2, 120)
    known = ff.evaluate(GaussianNB(), X, y, X_test=X, y_test=y, views=["truth"])
    assert [row.claims for row in known.findings if row.importance == Importance.NO_TEST] == [
        ("known cases",)
    ]
    customer = np.repeat(np.arange(100), 10)
    truth, kept = rng.integers(0, 2, 1000), rng.random(100)[customer] < 0.7
    table = pl.DataFrame(
        {"customer": [f"c{k}" for k in customer], "y": truth, "m": np.where(kept, truth, 1 - truth)}
    )
    grouped = ff.evaluate_predictions(table, target="y", predictions=["m"])
    assert any("groups" in row.claims for row in grouped.findings)
