"""A number is declared once: text, page, notebook, frame, JSON and its schema follow."""

from __future__ import annotations

import io
import json

import numpy as np
import polars as pl
import pytest
from rich.console import Console

import fivefold as ff
from fivefold.evaluation import load_schema
from fivefold.report import render_page, summarise
from fivefold.report.terminal import print_report
from fivefold.results import METRICS, VIEW_NAMES, VIEWS, metric, numbers_of


def answers() -> pl.DataFrame:
    rng = np.random.default_rng(0)
    truth = rng.choice(["cat", "dog", "cow"], 120)
    said = np.where(rng.random(120) < 0.8, truth, "cat")
    stated = rng.random(120)
    return pl.DataFrame({"y": truth, "m": said, "p": np.where(stated < 0.1, "", said), "s": stated})


def judged() -> ff.evaluation.Evaluation:
    return ff.evaluate_predictions(answers(), target="y", predictions=["m", "p"], features=[])


def printed(evaluation: ff.evaluation.Evaluation, width: int = 200) -> str:
    paper = io.StringIO()
    print_report(summarise(evaluation), Console(file=paper, width=width, highlight=False))
    return paper.getvalue()


@pytest.fixture
def recall():
    """A new metric: one registered function, and nothing else."""

    @metric(
        "Balanced accuracy",
        unit="share of cases",
        direction="higher is better",
        reads="answers",
        view="bits",
        format=".1%",
    )
    def balanced_accuracy(y_true, y_pred):
        """Mean share of each class that was answered with it alone."""
        single = y_pred.argmax(axis=1) if y_pred.ndim == 2 else y_pred
        alone = y_pred.sum(axis=1) == 1 if y_pred.ndim == 2 else True
        right = (single == y_true) & alone
        return np.mean([right[y_true == place].mean() for place in np.unique(y_true)])

    yield balanced_accuracy
    del METRICS["balanced_accuracy"]


def test_a_registered_metric_is_seen_wherever_numbers_are(recall):
    evaluation, table = judged(), answers()
    of_class = table.group_by("y").agg((pl.col("m") == pl.col("y")).mean())
    expected = of_class["m"].mean()
    shown = f"{expected:.1%}"
    assert evaluation.frame()["balanced_accuracy"][0] == pytest.approx(expected)
    first = json.loads(evaluation.to_json())["models"][0]["bits"]
    assert first["balanced_accuracy"] == pytest.approx(expected)
    text = printed(evaluation)
    assert "balanced accuracy" in text
    assert shown in text
    page = render_page(evaluation)
    assert page.count('title="Mean share of each class that was answered with it alone."') == 1
    assert f">{shown}<" in page
    described = load_schema()["$defs"]["BitsView"]["properties"]["balanced_accuracy"]
    assert described["title"] == "Balanced accuracy"
    assert described["unit"] == "share of cases"


def test_the_schema_knows_a_registered_metric_and_no_other(recall):
    jsonschema = pytest.importorskip("jsonschema", reason="the package jsonschema is not installed")
    told = json.loads(judged().to_json())
    assert jsonschema.Draft202012Validator(load_schema()).is_valid(told)
    told["models"][0]["bits"]["another"] = 1.0
    assert not jsonschema.Draft202012Validator(load_schema()).is_valid(told)


def test_a_metric_that_is_not_defined_for_the_cases_is_absent():
    @metric("Broken", unit="none", direction="neither", reads="probabilities", view="bits")
    def broken(y_true, y_prob):
        """No probabilities were stated."""
        raise AssertionError

    try:
        evaluation = judged()
        assert evaluation.frame()["broken"].to_list() == [None, None]
        assert "broken" not in printed(evaluation)
    finally:
        del METRICS["broken"]


@pytest.mark.parametrize("view", VIEW_NAMES)
def test_every_number_that_people_see_says_what_it_means(view):
    keys = [number.key for number in numbers_of(VIEWS[view]) if number.key is not None]
    assert len(set(keys)) == len(keys)
    names = {number.name for number in numbers_of(VIEWS[view])}
    for number in numbers_of(VIEWS[view]):
        assert number.meaning or not number.title
        assert bool(number.title) or not number.tables
        assert set(number.below) <= names
        assert set(number.tables) <= {"terminal", "page", "evidence"}


def test_the_frame_has_a_column_for_each_number_that_names_one():
    views = (*VIEW_NAMES, "usual", "confidence")
    declared = [number.column for view in views for number in numbers_of(VIEWS[view]) if number.column]
    columns = judged().frame().columns
    assert columns[0] == "model"
    assert {name.removesuffix("_low").removesuffix("_high") for name in columns[1:]} == set(declared)
