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

import fivefold as ff
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
