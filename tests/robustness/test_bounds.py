"""What would take for ever or all memory is refused with the number that is allowed, or costs in proportion."""

import time
from html import escape

import numpy as np
import polars as pl
import pytest

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
def test_the_number_that_is_allowed_is_said(call, allowed):
    start = time.process_time()
    with pytest.raises(InputError, match=allowed):
        call()
    assert time.process_time() - start < 5


def many(n, rows=200):
    rng = np.random.default_rng(0)
    truth = rng.choice(["a", "b"], rows)
    wrong = rng.uniform(size=(n, rows)) < rng.uniform(0.05, 0.5, (n, 1))
    other = np.where(truth == "a", "b", "a")
    answers = {f"m{i}": np.where(wrong[i], other, truth) for i in range(n)}
    return pl.DataFrame({"y": truth, "x": rng.normal(size=rows), **answers}), list(answers)


def test_time_grows_with_the_number_of_models_not_with_its_square():
    """All pairs of 240 models are 28,680; correlations of them all would be a matrix of 800 million cells."""
    seconds = []
    for n in (60, 240):
        table, names = many(n)
        start = time.process_time()
        made = ff.evaluate_predictions(table, target="y", predictions=names)
        seconds.append(time.process_time() - start)
    assert seconds[1] < 8 * seconds[0]
    searched = [model for model in made.models if model.slices]
    assert len(searched) == 100
    least = min(model.bits.accuracy for model in searched)
    others = [model for model in made.models if not model.slices]
    assert all(model.bits.accuracy <= least for model in others)
    assert "100 most accurate" in others[0].absent["slices"]
    assert made.comparisons[0].level == pytest.approx(0.05 / (2 * 240 * 239 / 2))
    assert any(note.startswith("240 models: the best of each view") for note in made.notes)
    assert all(len(finding.sentence) < 1500 for finding in made.findings)


def test_long_names_are_cut_in_charts_and_whole_in_a_tooltip():
    table, _ = many(2)
    long = {"m0": "a<" + "b" * 10_000, "m1": "c" * 10_000}
    made = ff.evaluate_predictions(table.rename(long), target="y", predictions=list(long.values()))
    start = time.process_time()
    page = made.to_html()
    assert time.process_time() - start < 8, "measuring the letters of a label takes a second for each chart"
    tooltip = f"<title>{escape(long['m0'])}</title>"
    assert tooltip in page
    assert f">{escape(long['m0'])}</text>" not in page
