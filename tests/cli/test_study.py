"""`fivefold study` as a user runs it."""

import json
import shutil
import sys
from dataclasses import dataclass
from pathlib import Path

import polars as pl
import pytest

from fivefold.cli import main
from fivefold.study import read_plan

FIVEFOLD = str(Path(sys.executable).with_name("fivefold"))
EXAMPLE = Path(__file__).parents[2] / "examples" / "study.toml"

PLAN = """
name = "first"
data = ["LA", "IR"]
splits = { n_repeats = 3, train = "2/3" }
[estimators]
1r = {}
nb = {}
svm = { class = "sklearn.svm.LinearSVC", encode = true }
[views]
accuracy = {}
bits = {}
bets = { clip = "train" }
"""


@dataclass
class Done:
    code: int
    stdout: str
    stderr: str


@pytest.fixture
def run(monkeypatch, capsys):
    def call(*words):
        monkeypatch.setattr(sys, "argv", ["fivefold", "study", *map(str, words)])
        try:
            main.run()
            code = 0
        except SystemExit as stop:
            code = stop.code or 0
        return Done(code, *capsys.readouterr())

    return call


@pytest.fixture
def plan(tmp_path):
    path = tmp_path / "first.toml"
    path.write_text(PLAN)
    return path


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A plan that was run; its LinearSVC has no probabilities, so that its bets failed."""
    path = tmp_path_factory.mktemp("study") / "first.toml"
    path.write_text(PLAN)
    read_plan(path).study(path.with_suffix(".study")).run(engine="serial")
    return path


@pytest.fixture
def done(made, tmp_path):
    for path in made.parent.iterdir():
        shutil.copy(path, tmp_path)
    return tmp_path / made.name


def test_run_says_what_is_done_and_what_failed(plan, run):
    told = run("run", plan, "--engine", "serial")
    assert told.code == 1
    assert "first: 54 jobs, 48 finished, 6 failed, 0 open" in told.stdout
    assert "failed 6 x, such as data LA, estimator svm, split 0, view bets: InputTypeError" in told.stdout
    assert told.stderr == ""
    assert plan.with_suffix(".study").exists()
    again = run("run", plan, "--engine", "serial", "--json")
    assert json.loads(again.stdout)["finished"] == 48
    assert len(json.loads(again.stdout)["failures"]) == 6


def test_a_whole_study_ends_with_0(plan, run):
    plan.write_text(PLAN.replace("bets", "accuracy2").replace('clip = "train"', 'view = "accuracy"'))
    assert run("run", plan, "--engine", "serial").code == 0


def test_status_of_the_plan_and_of_the_file(done, run):
    told = run("status", done)
    assert told.code == 0
    assert "48 finished, 6 failed" in told.stdout
    assert run("status", done.with_suffix(".study")).stdout == told.stdout
    assert "Traceback" in run("status", done, "--errors").stdout
    assert json.loads(run("status", done, "--json").stdout)["failed"] == 6


def test_show_fits_80_columns(done, run):
    told = run("show", done)
    assert (told.code, told.stderr) == (0, "")
    assert max(map(len, told.stdout.splitlines())) <= 80
    for word in ("accuracy", "bits_mixture", "reward", "LA", "svm", "3/3", "0/3", "±"):
        assert word in told.stdout
    one = run("show", done, "--view", "bits", "--number", "bits_frequency")
    assert "bits_frequency" in one.stdout
    assert "bits_mixture" not in one.stdout


def test_show_json_gives_the_means_of_the_export(done, run, tmp_path):
    told = json.loads(run("show", done, "--view", "accuracy", "--json").stdout)
    (view,) = told["views"]
    assert run("export", done, tmp_path / "out.csv", "--view", "accuracy").code == 0
    frame = pl.read_csv(tmp_path / "out.csv")
    for row in view["rows"]:
        scores = frame.filter(data=row["data"], estimator=row["estimator"])["accuracy"]
        assert row["numbers"]["accuracy"]["mean"] == pytest.approx(scores.mean())
        assert row["numbers"]["accuracy"]["sd"] == pytest.approx(scores.std())


def test_two_exports_are_the_same_bytes(done, run, tmp_path):
    run("run", done, "--store", tmp_path / "other.study", "--engine", "serial")
    for name, store in (("a.csv", done.with_suffix(".study")), ("b.csv", tmp_path / "other.study")):
        assert run("export", store, tmp_path / name).stdout == ""
    assert (tmp_path / "a.csv").read_bytes() == (tmp_path / "b.csv").read_bytes()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("show", "PLAN", "--view", "beauty"), "a view of study 'first'"),
        (("show", "PLAN", "--view", "bits", "--number", "x"), "a number of 'bits'"),
        (("export", "PLAN", "out.xls"), "ends in .csv"),
        (("status", "PLAN", "--study", "second"), "it has first"),
        (("run", "PLAN", "--engine", "spark"), "engine to be one of"),
        (("run", "PLAN", "--address", "tcp://a:1"), "'dask' only"),
        (("run", "absent.toml"), "absent.toml"),
        (("status", "absent.toml"), "run the study first"),
    ],
)
def test_trouble_is_one_sentence(words, message, done, run):
    told = run(*(done if word == "PLAN" else word for word in words))
    assert told.code == 1
    assert told.stdout == ""
    assert message in told.stderr
    assert "Traceback" not in told.stderr


def test_the_example_is_a_plan():
    assert (
        repr(read_plan(EXAMPLE)) == "Plan 'five learners': 3 data sets x 5 estimators x 10 splits x 3 views"
    )
