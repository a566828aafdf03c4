"""What the command line tells a newcomer to type runs as it stands there."""

import json
import shlex
from pathlib import Path

import numpy as np
import polars as pl
import pytest
import typer
from typer.testing import CliRunner

import fivefold as ff
from fivefold.cli.main import FIRST_STEPS, app

PLAN = """
name = "plan"
data = ["IR"]

[splits]
kind = "holdout"
n_repeats = 2

[estimators]
1r = {}

[views]
bits = {}
"""

RELATIONS = """X: 0,1,2,3.

member(X,X)
0,1
0,2
0,3
1,2
1,3
2,3
.
*next(X,X)
0,1
1,2
2,3
.
"""


def commands(command=None, path=()):
    """List all commands with the words that lead to them."""
    command = command or typer.main.get_command(app)
    if hasattr(command, "commands"):
        return [leaf for name, below in command.commands.items() for leaf in commands(below, (*path, name))]
    return [(" ".join(path), command.callback.__doc__ or "")]


def examples(text):
    return [line.split("Example:")[1].strip() for line in text.splitlines() if "Example:" in line]


EXAMPLES = [(name, example) for name, text in commands() for example in examples(text)]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with the files that the examples name."""
    place = tmp_path_factory.mktemp("examples")
    rng = np.random.default_rng(0)
    n, words = 200, np.array(["no", "yes"])
    truth = rng.integers(2, size=n)
    answers = {name: words[np.where(rng.random(n) < 0.8, truth, 1 - truth)] for name in ("a", "b", "model")}
    table = pl.DataFrame(
        {"y": words[truth], **answers, "age": rng.integers(18, 80, n), "colour": ["red", "blue"] * 100}
    )
    for name in ("predictions.csv", "cases.csv"):
        table.write_csv(place / name)
    for run, share in (("runA", 0.8), ("runB", 0.6)):
        (place / run).mkdir()
        lines = [sample(i, bool(rng.random() < share)) for i in range(60)]
        (place / run / "samples_task_2026.jsonl").write_text("\n".join(map(json.dumps, lines)))
    (place / "member.d").write_text(RELATIONS)
    (place / "plan.toml").write_text(PLAN)
    return place


def sample(number, right):
    """Write an item of lm-evaluation-harness's log of samples."""
    return {
        "doc_id": number,
        "doc": {"question": f"question {number}"},
        "target": "4",
        "arguments": [],
        "resps": [["4" if right else "5"]],
        "filtered_resps": ["4" if right else "5"],
        "filter": "none",
        "doc_hash": f"{number:064x}",
        "exact_match": float(right),
    }


def test_every_command_has_an_example():
    assert {name for name, _ in EXAMPLES} == {name for name, _ in commands()}


@pytest.mark.parametrize("group", [[], ["data"], ["papers"], ["study"]], ids=" ".join)
def test_lists_of_commands_are_not_cut_at_80_columns(group):
    shown = CliRunner().invoke(app, [*group, "--help"], terminal_width=80).stdout
    listed = shown.split("Commands:")[1].strip().splitlines()
    assert len(listed) > 2
    assert not [line for line in listed if line.endswith("...")]


# these belong together, in this order: each reads what the one before it wrote
ORDER = ["data export", "study run", "study status", "study show", "study check", "study export"]
SLOW = ("papers run", "papers show")


@pytest.mark.parametrize(
    ("name", "example"),
    [pair for pair in EXAMPLES if pair[0] not in (*ORDER, *SLOW)],
    ids=lambda text: text.replace("fivefold ", ""),
)
def test_examples_run(name, example, folder, monkeypatch):
    monkeypatch.chdir(folder)
    run(example)


def test_examples_that_belong_together_run_in_their_order(folder, monkeypatch):
    monkeypatch.chdir(folder)
    for wanted in ORDER:
        for example in [example for name, example in EXAMPLES if name == wanted]:
            run(example)


@pytest.mark.slow
def test_examples_of_papers_run(folder, monkeypatch):
    monkeypatch.chdir(folder)
    for name, example in EXAMPLES:
        if name in SLOW:
            run(example)


def test_without_a_command_it_says_what_to_type_and_that_runs(folder, monkeypatch):
    monkeypatch.chdir(folder)
    assert CliRunner().invoke(app, []).stdout.strip() == FIRST_STEPS
    steps = [
        line.split("   ")[0].strip() for line in FIRST_STEPS.splitlines() if line.startswith("  fivefold")
    ]
    assert len(steps) == 4
    for step in steps[:3]:
        run(step)
    assert ff.data.read("votes.csv", target=pl.read_csv("votes.csv").columns[-1]).X.height == 435
    run(steps[3].replace("truth", "y"))


def run(example):
    first, *arguments = [
        str(path)
        for word in shlex.split(example)
        for path in (sorted(Path().glob(word)) if "*" in word else [word])
    ]
    assert first == "fivefold"
    done = CliRunner().invoke(app, arguments)
    assert done.exit_code == 0, (example, done.output, done.exception)
    assert done.stdout or "wrote" in done.stderr
