"""JSON follows the schema that the declarations give, which is strict enough to notice when it does not."""

from __future__ import annotations

import copy
import json

import numpy as np
import polars as pl
import pytest
from sklearn.dummy import DummyClassifier
from typer.testing import CliRunner

import fivefold as ff
from fivefold.cli.main import app
from fivefold.evaluation import Evaluation, load_schema

jsonschema = pytest.importorskip("jsonschema", reason="the package jsonschema is not installed")


@pytest.fixture(scope="module")
def validator():
    schema = load_schema()
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)


@pytest.fixture(scope="module")
def iris() -> Evaluation:
    table = ff.data.load("IR")
    models = {"1R": ff.learners.OneR(), "prior": DummyClassifier(strategy="prior")}
    return ff.evaluate(models, table.X, table.y, random_state=0)


def check(validator, text: str) -> dict:
    told = json.loads(text)
    problems = [
        f"{list(error.absolute_path)}: {error.message[:200]}" for error in validator.iter_errors(told)
    ]
    assert not problems
    return told


def test_all_five_views_follow_the_schema(validator, iris):
    told = check(validator, iris.to_json())
    assert all(told["models"][0][view] for view in ("bits", "bets", "truth", "slices", "borders"))
    assert load_schema(told["schema"]) == load_schema()


def test_slices_differences_sets_and_ruin_follow_the_schema(validator):
    rng = np.random.default_rng(0)
    truth = rng.choice(["a", "b", "c"], 600)
    group = rng.choice(["x", "y"], 600)
    wrong = np.where(group == "x", "a", truth)
    several = np.where(rng.random(600) < 0.2, "a|b", np.where(rng.random(600) < 0.1, "", truth))
    prob = np.eye(3)[rng.integers(0, 3, 600)]
    table = pl.DataFrame({"y": truth, "group": group, "m": wrong, "s": several}).with_columns(
        pl.DataFrame(prob, schema=["p_a", "p_b", "p_c"])
    )
    found = ff.evaluate_predictions(table, target="y", predictions=["m", "s"], probabilities={"p": "p_"})
    told = check(validator, found.to_json())
    assert told["models"][0]["slices"]["slices"]
    assert told["models"][2]["bets"]["reward"] == "-Infinity"
    assert told["differences"]["slices"]


def test_the_smallest_evaluation_follows_the_schema(validator):
    table = pl.DataFrame({"y": ["a"], "m": ["b"]})
    found = ff.evaluate_predictions(table, target="y", predictions=["m"], classes=["a", "b"])
    check(validator, found.to_json())


def test_the_command_line_follows_the_schema(validator, tmp_path):
    file = tmp_path / "said.csv"
    pl.DataFrame({"y": ["a", "b"] * 30, "m": ["a", "b", "b"] * 20, "age": range(60)}).write_csv(file)
    done = CliRunner().invoke(app, ["report", str(file), "--target", "y", "--prediction", "m", "--json"])
    assert done.exit_code == 0, done.output
    assert check(validator, done.stdout)["source"] == "said.csv"


@pytest.mark.parametrize(
    "spoil",
    [
        lambda told: told.pop("findings"),
        lambda told: told.update(more=1),
        lambda told: told["models"][0]["bits"].update(accuracy=1.5),
        lambda told: told["findings"][0].update(evidence={}),
        lambda told: told["models"][0]["truth"].update(interval=[0.1]),
        lambda told: told["rankings"][0]["standings"][0].update(place=0),
        lambda told: told.update(schema="1.0"),
    ],
)
def test_the_schema_notices_what_is_wrong(validator, iris, spoil):
    told = copy.deepcopy(json.loads(iris.to_json()))
    spoil(told)
    assert not validator.is_valid(told)
