"""The first screen: which headline, which warnings, and that the marks follow the comparisons."""

import numpy as np
import polars as pl
import pytest

import fivefold as ff


def judge(n=300, *, seed=0, **models):
    """Judge models by how often they are right, and certain ones by probabilities of 0 and 1."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(2, size=n)
    table = {"y": np.array(["no", "yes"])[truth]}
    probabilities = {}
    for name, (share, certain) in models.items():
        said = np.where(rng.random(n) < share, truth, 1 - truth)
        table[name] = np.array(["no", "yes"])[said]
        if certain:
            table[f"p {name}"] = said.astype(float)
            probabilities[name] = f"p {name}"
    return ff.evaluate_predictions(
        pl.DataFrame(table), target="y", predictions=list(models), probabilities=probabilities
    )


def test_the_better_model_is_taken_and_equal_ones_are_not():
    card = judge(good=(0.95, False), fair=(0.7, False)).scorecard
    assert card.headline.kind == "recommendation"
    assert card.headline.sentence == "Take good: by accuracy and bits it is better than fair, beyond chance."
    card = judge(one=(0.8, False), two=(0.79, False)).scorecard
    assert card.headline.kind == "tie"
    assert "cannot be told apart by 300 cases" in card.headline.sentence


def test_alarms_override_the_decision():
    card = judge(coin=(0.5, False), dice=(0.5, False)).scorecard
    assert card.headline.sentence == "No proof that coin and dice learned anything: chance answers as well."
    card = judge(sure=(0.95, True), fair=(0.7, False)).scorecard
    assert card.headline.kind == "alarm"
    assert card.headline.sentence.startswith("sure called impossible what happened in ")
    assert card.headline.detail.startswith("Take sure: ")


def test_cases_seen_in_training_come_before_everything():
    votes = ff.data.load("VO")
    found = ff.evaluate(
        ff.learners.OneR(), votes.X, votes.y, X_test=votes.X, y_test=votes.y, views=["bits", "truth"]
    )
    assert found.scorecard.headline.kind == "alarm"
    assert found.scorecard.headline.sentence.startswith("This is no test: ")


@pytest.mark.parametrize("n", [60, 400])
def test_the_marks_are_those_of_the_comparisons(n):
    found = judge(n, good=(0.9, True), fair=(0.75, True), coin=(0.5, False), other=(0.88, False))
    card = found.scorecard
    assert len(card.warnings) <= 3
    assert [row.baseline for row in card.rows] == [False] * 4 + [True]
    assert all(len(row.scores) == len(card.columns) for row in card.rows)
    for place, column in enumerate(card.columns[:2]):
        pairs = [pair for pair in found.comparisons if pair.view == column.key]
        standing = {row.name: row.scores[place].standing for row in card.rows}
        assert standing[pairs[0].better] == "best"
        for pair in pairs:
            assert standing[pair.worse] == ("worse" if pair.proven else "not told apart from the best")


@pytest.mark.parametrize("shares", [(0.9, 0.7), (0.8, 0.79), (0.5, 0.5)])
def test_sentences_are_short_and_the_text_fits_a_screen(shares):
    card = judge(a=(shares[0], True), b=(shares[1], False)).scorecard
    for remark in (card.headline, *card.warnings, *card.disagreements):
        assert len(remark.sentence.split()) <= 25
    lines = str(card).splitlines()
    assert len(lines) <= 40
    assert max(map(len, lines)) <= 80
