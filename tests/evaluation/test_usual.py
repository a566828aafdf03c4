"""The usual figures: scikit-learn's numbers, columns for answers that are no class, and where they are shown."""

from __future__ import annotations

import io
import json

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console
from sklearn import metrics

import fivefold as ff
from fivefold.errors import InputError
from fivefold.evaluation import UsualView
from fivefold.report import render_page, summarise
from fivefold.report.terminal import print_usual


@st.composite
def answered(draw):
    """Truth and answers of two to four classes, and a probability for each."""
    k, n = draw(st.integers(2, 4)), draw(st.integers(2, 40))
    truth = draw(st.lists(st.integers(0, k - 1), min_size=n, max_size=n))
    said = draw(st.lists(st.integers(0, k - 1), min_size=n, max_size=n))
    stated = draw(st.lists(st.integers(1, 9), min_size=n * k, max_size=n * k))
    stated = np.reshape(stated, (n, k)).astype(float)
    return k, np.array(truth), np.array(said), stated / stated.sum(axis=1, keepdims=True)


@given(answered())
def test_the_figures_are_those_of_scikit_learn(given):
    k, truth, said, _ = given
    usual = UsualView.of(ff.Predictions("m", np.arange(k), truth, said))
    cells = usual.confusion
    matrix = np.zeros((k, k), dtype=int)
    matrix[list(cells.truth), list(cells.answer)] = cells.n
    assert np.array_equal(matrix, metrics.confusion_matrix(truth, said, labels=range(k)))
    expected = metrics.precision_recall_fscore_support(truth, said, labels=range(k), zero_division=0.0)
    got = [[getattr(row, name) or 0.0 for row in usual.classes] for name in ("precision", "recall", "f1")]
    assert np.allclose(got, expected[:3])
    for average, row in (("macro", usual.macro), ("micro", usual.micro)):
        means = metrics.precision_recall_fscore_support(truth, said, average=average, zero_division=0.0)[:3]
        assert np.allclose([row.precision, row.recall, row.f1], means)
    for row in (*usual.classes, usual.macro, usual.micro):
        for name in ("precision", "recall", "f1"):
            value, limits = getattr(row, name), getattr(row, f"{name}_interval")
            assert (value is None) == (limits is None)
            assert value is None or 0 <= limits[0] <= value + 1e-9 <= limits[1] + 2e-9 <= 1 + 3e-9


@pytest.mark.parametrize(
    ("names", "event"),
    [
        (("hypothyroid", "negative"), "hypothyroid"),
        (("no", "yes"), "no"),
        ((0, 1), "1"),
        (("0.0", "1.0"), "1.0"),
        ((False, True), "True"),
        (("False", "True"), "True"),
    ],
)
def test_of_two_words_the_rarer_is_looked_for_of_two_numbers_the_second(names, event):
    rng = np.random.default_rng(0)
    truth = [names[int(place)] for place in rng.random(200) < 0.8]
    stated = rng.uniform(0.01, 0.99, 200)
    table = pl.DataFrame({"y": truth, "m": truth, "p": stated})
    found = ff.evaluate_predictions(table, target="y", predictions=["m"], probabilities={"m": "p"})
    usual = found.models[0].usual
    happened, score = np.array([str(label) == event for label in truth]), stated
    score = score if event == str(names[1]) else 1 - score
    assert usual.curves[0].event == event
    assert usual.average_precision == pytest.approx(metrics.average_precision_score(happened, score))
    assert usual.auc == pytest.approx(metrics.roc_auc_score(happened, score))


@given(answered())
def test_curves_and_areas_are_those_of_scikit_learn(given):
    k, truth, said, stated = given
    usual = UsualView.of(ff.Predictions("m", np.arange(k), truth, said, stated))
    for curve in usual.curves:
        event, score = truth == int(curve.event), stated[:, int(curve.event)]
        assert curve.area == pytest.approx(metrics.roc_auc_score(event, score))
        assert curve.average_precision == pytest.approx(metrics.average_precision_score(event, score))
        alarms, caught, threshold = metrics.roc_curve(event, score, drop_intermediate=False)
        assert np.array_equal(curve.threshold, threshold)
        assert np.allclose(curve.false_alarms / curve.n_others, alarms)
        assert np.allclose(curve.hits / curve.n_events, caught)
        for low, value, high in ((curve.area_interval[0], curve.area, curve.area_interval[1]),):
            assert 0 <= low <= value + 1e-9 <= high + 2e-9 <= 1 + 3e-9
        low, high = curve.recall_band
        assert ((low <= caught + 1e-9) & (caught <= high + 1e-9)).all()


def test_several_classes_and_none_are_columns_of_their_own():
    truth = ["a", "a", "b", "b", "c"]
    said = [{"a"}, {"a", "b"}, {"a", "c"}, set(), {"c"}]
    usual = UsualView.of(ff.Predictions.from_answers(truth, said))
    assert usual.confusion.answers == (
        "a",
        "b",
        "c",
        "several, with the truth",
        "several, without it",
        "no answer",
    )
    assert list(zip(usual.confusion.truth, usual.confusion.answer, usual.confusion.n, strict=True)) == [
        (0, 0, 1),
        (0, 3, 1),
        (1, 4, 1),
        (1, 5, 1),
        (2, 2, 1),
    ]
    first, second, _ = usual.classes
    assert (first.precision, first.recall) == (1.0, 0.5)
    assert (second.precision, second.precision_interval, second.recall, second.f1) == (None, None, 0.0, 0.0)
    assert (usual.micro.precision, usual.micro.recall) == (1.0, 0.4)
    assert usual.curves == ()


def test_costs_are_counted_at_each_threshold():
    truth, stated = [0, 0, 0, 1, 1], [0.1, 0.6, 0.2, 0.4, 0.9]
    curve = ff.bets.threshold_curve(truth, stated)
    for threshold, cost in zip(curve.threshold, curve.cost(2.0, 5.0), strict=True):
        alarm = np.array(stated) >= threshold
        expected = (
            2 * np.sum(alarm & ~np.array(truth, bool)) + 5 * np.sum(~alarm & np.array(truth, bool))
        ) / 5
        assert cost == pytest.approx(expected)
    assert curve.cheapest(2.0, 5.0) == 0.4
    assert ff.bets.threshold_curve(truth, [0.1, 0.9, 0.2, 0.4, 0.6]).cheapest(5.0, 0.1) == np.inf
    with pytest.raises(InputError, match="not below 0"):
        curve.cheapest(miss=-1.0)
    with pytest.raises(InputError, match="one outcome only"):
        ff.bets.threshold_curve([1, 1], [0.2, 0.3], classes=[0, 1])


def table(classes=("no", "yes"), n=300) -> pl.DataFrame:
    rng = np.random.default_rng(0)
    truth = rng.integers(len(classes), size=n)
    stated = rng.dirichlet(np.ones(len(classes)), n) + 0.6 * np.eye(len(classes))[truth]
    stated /= stated.sum(axis=1, keepdims=True)
    names = np.array(classes)
    columns = {f"p_{name}": stated[:, place] for place, name in enumerate(classes)}
    return pl.DataFrame({"y": names[truth], "m": names[stated.argmax(axis=1)], **columns})


def judged(**options) -> ff.evaluation.Evaluation:
    return ff.evaluate_predictions(
        table(**options), target="y", predictions=["m"], probabilities={"m": "p_"}, features=[]
    )


def test_every_model_has_them_and_every_reader_finds_them():
    evaluation = judged()
    usual = evaluation.models[0].usual
    assert usual.frame("pandas")["class"].tolist() == ["no", "yes"]
    row = evaluation.frame().to_dicts()[0]
    assert row["macro_f1_low"] < row["macro_f1"] < row["macro_f1_high"]
    assert row["auc"] == pytest.approx(usual.auc)
    assert row["auc_low"] < row["auc"] < row["auc_high"]
    written = json.loads(evaluation.to_json())["models"][0]["usual"]
    assert written["classes"][1]["label"] == "yes"
    assert len(written["curves"][0]["points"]["hits"]) <= 200
    page = render_page(evaluation)
    assert "The usual figures" in page
    assert "What would a threshold cost?" in page
    paper = io.StringIO()
    print_usual(summarise(evaluation), Console(file=paper, width=80))
    assert "macro average" in paper.getvalue()
    assert max(map(len, paper.getvalue().splitlines())) <= 80


def test_how_often_sets_hold_the_truth_is_printed_class_by_class():
    truth = ["a", "b", "c"] * 20
    rows = {"y": truth, "sets": ["a|b", "b", "b|c", "a|b|c", "a", "c"] * 10, "plain": ["a", "b", "c"] * 20}
    evaluation = ff.evaluate_predictions(
        pl.DataFrame(rows), target="y", predictions=["sets", "plain"], coverage=0.9
    )
    paper = io.StringIO()
    print_usual(summarise(evaluation), Console(file=paper, width=80))
    lines = [line.split() for line in paper.getvalue().splitlines()]
    # of single answers nothing is held, and F1 comes last
    assert [line[-2:] for line in lines if line[:1] == ["b"]] == [["50%", "23–77"], ["100%", "91–100"]]
    assert "models at once" in paper.getvalue()
    assert max(map(len, paper.getvalue().splitlines())) <= 80


def test_many_classes_are_shown_by_their_most_frequent_confusions():
    evaluation = judged(classes=[f"<c{place}>" for place in range(14)], n=900)
    page = render_page(evaluation)
    assert "the most frequent confusions" in page
    assert "What would a threshold cost?" not in page
    assert "&lt;c0&gt;" in page
    assert "<c0>" not in page
    assert len(evaluation.models[0].usual.curves) == 3


def test_a_million_cases_take_as_many_steps_as_few(count_calls):
    rng, work = np.random.default_rng(0), []
    for n in (10**4, 10**4, 10**6):  # the first loads what is loaded once
        truth, stated = rng.integers(2, size=n), rng.random(n)
        predictions = ff.Predictions("m", np.arange(2), truth, (stated > 0.5).astype(np.int32), stated)
        work.append(count_calls(lambda predictions=predictions: UsualView.of(predictions)))
    assert work[2] < 2 * work[1]
    assert UsualView.of(predictions).curves[0].threshold.size <= 200
