"""Tables of predictions as users have them: odd columns, odd names, odd cells."""

import io
import json
from random import Random

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import settings
from rich.console import Console

import fivefold as ff
from fivefold.report.page import render_page
from fivefold.report.summary import summarise, to_json
from fivefold.report.terminal import print_report

from .law import obey
from .odd_values import MOST_ROWS, TEXTS, columns, either, good_labels, labels, lists, shares, texts

N = 60
CALLS = settings().max_examples
TITLES = [text for text in TEXTS if text] + ["🦊y", "a b", "p:a", "é="]


def tell_all(found, target):
    """Write all that the reports hold."""
    summary = summarise(found, source="odd.csv", target=target)
    assert json.loads(to_json(summary))["models"]
    print_report(summary, Console(file=io.StringIO(), width=80))
    assert found.verdict()
    assert len(found.frame()) == len(found.models)


def tables(rng):
    """Draw a table with a column for each role, some of which hold what they should."""
    n = rng.randint(0, MOST_ROWS)
    target, answer, stated, *others = rng.sample(TITLES, rng.randint(3, 6))
    truth = good_labels(rng, n) if rng.random() < 2 / 3 else labels(rng, n)
    said = rng.choice([truth, good_labels(rng, n), lists(rng, lambda rng: either(rng, texts, [None]), n)])
    table = {target: truth, answer: said, stated: lists(rng, rng.choice([shares, [0.0, 1.0]]), n)}
    table |= {name: columns(rng, n).to_list() for name in others}
    make = rng.choice([pl.DataFrame, pd.DataFrame])
    try:
        return make(table), target, answer, stated
    except Exception:  # what no frame can hold cannot be handed over
        return make({target: [], answer: [], stated: []}), target, answer, stated


@pytest.mark.parametrize("roles", ["answers", "probabilities", "both"])
def test_tables_of_predictions(roles):
    for number in range(CALLS):
        frame, target, answer, stated = tables(Random(f"{roles} {number}"))
        try:
            found = obey(
                ff.evaluate_predictions,
                frame,
                target=target,
                predictions=[] if roles == "probabilities" else {"m": answer},
                probabilities=None if roles == "answers" else {"m": stated},
            )
            if found is not None:
                tell_all(found, target)
        except BaseException as error:
            error.add_note(f"This was table {number}, target {target!r}: {frame!r}")
            raise


def odd_table():
    """Give columns that each have broken some program."""
    rng = np.random.default_rng(0)
    truth = rng.choice(["cat", "dog"], N)
    return {
        "y": truth,
        "model": np.where(rng.random(N) < 0.7, truth, "cat"),
        "all missing": [None] * N,
        "constant": ["same"] * N,
        "unique": [f"case {i}" for i in range(N)],
        "unique numbers": np.arange(N) / 7,
        "mixed": [i if i % 2 else f"t{i}" for i in range(N)],
        "infinite": [float("inf") if i % 3 else 1.0 for i in range(N)],
        "numbers and nothing": [None if i % 4 else float(i) for i in range(N)],
        "cat": rng.choice(["cat", "dog"], N),
        "🦊 שלום \u202e <b>&\"'": rng.choice(["é", "e\u0301", "<script>"], N),
        "a = b, c": rng.choice(["x|y", "", " "], N),
    }


@pytest.mark.parametrize(
    "names", [["y", "model", name] for name in list(odd_table())[2:]] + [list(odd_table())]
)
@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_odd_columns(names, library):
    table = {name: list(column) for name, column in odd_table().items() if name in names}
    if library == "polars":
        table = {
            name: list(map(str, column)) if name == "mixed" else column for name, column in table.items()
        }
    frame = pd.DataFrame(table) if library == "pandas" else pl.DataFrame(table)
    found = obey(ff.evaluate_predictions, frame, target="y", predictions=["model"])
    if found is not None:
        tell_all(found, "y")


def test_ten_thousand_categories():
    n = 20_000
    rng = np.random.default_rng(0)
    truth = rng.choice(["a", "b"], n)
    frame = pl.DataFrame({"y": truth, "m": truth[::-1], "code": [f"c{i % 10_000}" for i in range(n)]})
    found = obey(ff.evaluate_predictions, frame, target="y", predictions=["m"])
    assert found is not None
    tell_all(found, "y")


@pytest.mark.slow
def test_ten_thousand_classes():
    frame = pl.DataFrame({"y": [f"c{i % 10_000}" for i in range(20_000)]}).with_columns(
        m=pl.col("y").reverse()
    )
    found = obey(ff.evaluate_predictions, frame, target="y", predictions=["m"])
    assert found is not None
    tell_all(found, "y")


def test_one_name_for_two_columns_is_refused():
    frame = pd.DataFrame([["a", "a", "b"]] * 4, columns=["y", "m", "m"])
    assert obey(ff.evaluate_predictions, frame, target="y", predictions=["m"]) is None


@pytest.mark.parametrize("name", ["y", "cat", "model", "dog", "🦊"])
def test_a_class_named_like_a_column(name):
    truth = [name, "other"] * 30
    frame = pl.DataFrame({"y": truth, "model": truth[::-1], "cat": truth, "p:" + name: 0.5, "p:other": 0.5})
    found = obey(
        ff.evaluate_predictions, frame, target="y", predictions=["model"], probabilities={"model": "p:"}
    )
    assert found is not None
    tell_all(found, "y")
    assert set(found.classes) == {name, "other"}


@pytest.mark.slow
def test_the_page_escapes_all_of_it():
    frame = pl.DataFrame({k: list(map(str, v)) for k, v in odd_table().items()})
    found = ff.evaluate_predictions(frame, target="y", predictions={"<script>alert(1)</script>": "model"})
    page = render_page(found, source="<img src=x>.csv", target="y")
    assert "<script>alert(1)" not in page
    assert "<img src=x>" not in page
    assert page.rstrip().endswith("</html>")
