"""A CSV file of ours runs nothing in the spreadsheet that opens it."""

import csv
import io

import pytest

from fivefold.cli import main
from fivefold.study import Job, Study, task

FORMULAS = ["=cmd|' /C calc'!A0", "+1+1", "-2+3", "@SUM(A1)", "\t=1", "-"]
NUMBERS = ["-1.5", "+3", "-1e-9", "=", "-inf"]


@task("test.text")
def text(params, seed):
    return {"=name": params["text"], "number": -3}


@pytest.fixture
def study(tmp_path):
    jobs = [Job("test.text", {"text": each}, labels={"+label": each}) for each in FORMULAS + NUMBERS]
    made = Study("texts", jobs, tmp_path / "texts.study")
    made.run(engine="serial")
    return made


def export(study, monkeypatch, *words):
    output = study.path.with_suffix(".csv")
    monkeypatch.setattr("sys.argv", ["fivefold", "study", "export", str(study.path), str(output), *words])
    with pytest.raises(SystemExit) as stop:
        main.run()
    assert not stop.value.code
    return list(csv.reader(io.StringIO(output.read_text(encoding="utf-8"))))


def test_cells_that_a_spreadsheet_would_run_are_quoted(study, monkeypatch):
    head, *rows = export(study, monkeypatch)
    assert head[:3] == ["'+label", "'=name", "number"]
    assert [row[1] for row in rows[: len(FORMULAS)]] == [f"'{each}" for each in FORMULAS]
    assert [row[1] for row in rows[len(FORMULAS) :]] == ["-1.5", "+3", "-1e-9", "'=", "-inf"]
    assert {row[2] for row in rows} == {"-3"}


def test_raw_is_for_machines(study, monkeypatch):
    head, *rows = export(study, monkeypatch, "--raw")
    assert head[:2] == ["+label", "=name"]
    assert [row[1] for row in rows] == FORMULAS + NUMBERS
