"""Disagreements are found where they are, with the reason that was put there; rankings keep their order."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import polars as pl
import pytest
from scipy.stats import binomtest

import fivefold as ff
from fivefold.evaluation import Importance, evaluate_models
from fivefold.evaluation.comparisons import _confidence


def sure_of_c(n=3000, seed=0):
    """Two models of three classes: B is right more often, and far too sure where it says "c"."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 3, n)
    honest = np.full((n, 3), 0.1)
    hit = rng.random(n) < 0.8
    honest[np.arange(n), np.where(hit, truth, rng.integers(0, 3, n))] = 0.8
    bold_hit = rng.random(n) < 0.91
    said = np.where(bold_hit, truth, (truth + rng.integers(1, 3, n)) % 3)
    bold = np.full((n, 3), 0.045)
    bold[np.arange(n), said] = 0.91
    c = said == 2
    bold[c] = [1e-9, 1e-9, 1 - 2e-9]
    classes = np.array(["a", "b", "c"])
    return [
        ff.Predictions.from_probabilities(classes[truth], prob, classes=classes, name=name)
        for name, prob in (("A", honest), ("B", bold))
    ]


def test_over_confidence_on_one_class_is_named():
    found = evaluate_models(sure_of_c())
    first = found.findings[0]
    assert first.importance is Importance.DISAGREEMENT
    assert first.sentence.startswith("Accuracy and bits prefer B (accuracy 9")
    assert "but bets prefer A. By bets, A is better by " in first.sentence
    assert ", because B is over-confident where it expects 'c'" in first.sentence
    told = first.evidence["bets"]
    assert told["mean_probability"] == pytest.approx(1.0)
    assert told["happened"] < 0.95


def exact_tail(stated, hits, *, fewer):
    """Give how probable so few (so many) hits are of cases of which each has its own probability."""
    law = np.ones(1)
    for chance in stated:
        law = np.convolve(law, [1 - chance, chance])
    return law[: hits + 1].sum() if fewer else law[hits:].sum()


@pytest.mark.parametrize(("a", "b", "n"), [(99, 1, 5), (60, 1, 10), (20, 1, 40), (3, 2, 30), (1, 8, 12)])
def test_who_states_what_happens_is_seldom_called_over_confident(a, b, n):
    """One miss of five at 99 % was proof by the normal law; by the exact one it happens in one of 20 samples."""
    rng, called = np.random.default_rng(n), 0
    for _ in range(200):
        stated = np.clip(rng.beta(a, b, n), 0.001, 0.999)
        happened = rng.random(n) < stated
        prob = np.column_stack([stated, 1 - stated])
        model = ff.Predictions.from_probabilities(np.where(happened, "x", "y"), prob, classes=["x", "y"])
        judged = SimpleNamespace(name="m", predictions=model, bets=SimpleNamespace(miscalibrated=True))
        words, told = _confidence(judged, 0, np.zeros(n, dtype=int), 1.0)
        hits, fewer = int(happened.sum()), happened.mean() < stated.mean()
        exact = min(1.0, 2 * exact_tail(stated, hits, fewer=fewer))
        # of less than one expected miss, x, the binomial law says 1 - (1 - x / n)^n, and at most x is true
        assert told["p_value"] >= min(exact, 0.05) * 0.98
        called += "confident" in words
    assert called <= 12  # 2.5 % allowed: 5 of 200


def test_a_rare_class_that_is_recognised_is_the_reason_of_bits():
    rng = np.random.default_rng(1)
    truth = np.array(["common"] * 1800 + ["rare"] * 200)
    lazy = np.repeat("common", 2000)
    keen = np.where(truth == "rare", "rare", np.where(rng.random(2000) < 0.14, "rare", "common"))
    table = pl.DataFrame({"y": truth, "lazy": lazy, "keen": keen})
    found = ff.evaluate_predictions(table, target="y", predictions=["lazy", "keen"])
    first = found.findings[0].sentence
    assert first.startswith("Accuracy prefers lazy")
    assert "but bits prefer keen. By bits, keen is better by " in first
    assert ", because on the 200 cases of 'rare' it saves" in first
    assert "in 100.0% of them, lazy in 0.0%" in first


def test_a_view_that_proves_nothing_prefers_nobody():
    """Both models once say 0, so that bets have no limit and prove nothing, whatever their mean."""
    rng = np.random.default_rng(4)
    rare = rng.random(4000) < 0.05
    sharp = rng.normal(0, 1, 4000) + 2.5 * rare
    shy, keen = (1 / (1 + np.exp(-(2.5 * sharp - shift))) for shift in (8.5, 4.0))
    shy[0] = keen[0] = 0.0
    rare[0] = False
    table = pl.DataFrame(
        {"y": rare, "shy": shy > 0.5, "keen": keen > 0.5, "shy:True": shy, "keen:True": keen}
    )
    stated = {"shy": "shy:True", "keen": "keen:True"}
    found = ff.evaluate_predictions(table, target="y", predictions=["shy", "keen"], probabilities=stated)
    bets = next(pair for pair in found.comparisons if pair.view == "bets")
    assert (bets.better, bets.proven) == ("shy", False)
    assert found.findings[0].sentence.startswith("Accuracy prefers shy")


def test_where_all_views_agree_nothing_is_said_of_disagreement():
    truth = np.array(["a", "b"] * 200)
    table = pl.DataFrame({"y": truth, "good": truth, "bad": np.repeat("a", 400)})
    found = ff.evaluate_predictions(table, target="y", predictions=["good", "bad"])
    assert all(finding.view != "views" for finding in found.findings)


def test_rankings_are_sorted_share_places_and_know_what_was_proven():
    rng = np.random.default_rng(2)
    truth = rng.choice(["a", "b"], 400)
    table = pl.DataFrame({"y": truth, "same": truth, "best": truth, "noise": rng.choice(["a", "b"], 400)})
    found = ff.evaluate_predictions(table, target="y", predictions=["noise", "same", "best"])
    for ranking in found.rankings:
        values = [each.value for each in ranking.standings]
        assert values == sorted(values, reverse=True)
        assert [each.place for each in ranking.standings] == [1, 1, 3]
        assert ranking.best == ("best", "same"), "equals by their names"
        assert [each.apart_from_best for each in ranking.standings] == [None, False, True]


def test_the_order_of_the_models_changes_nothing_that_is_said():
    rng = np.random.default_rng(0)
    for n in (40, 60, 80):
        truth, row = rng.choice(list("abc"), n, p=[0.5, 0.3, 0.2]), np.arange(n)
        chance = rng.choice(list("abc"), (3, n))
        tied = [np.where((row + 3 * model) % 10 < 3, chance[model], truth) for model in range(2)]
        columns = {"first": tied[0], "copy": tied[0], "tied": tied[1], "weak": chance[2]}
        customers = np.where(rng.random(n) < 0.5, truth, rng.choice(list("vwxyz"), n))
        table = pl.DataFrame({"y": truth, "who": customers, **columns})
        said = []
        for names in (list(columns), list(columns)[::-1], ["weak", "tied", "first", "copy"]):
            found = ff.evaluate_predictions(table, target="y", predictions=names)
            findings = {(finding.sentence, finding.claims) for finding in found.findings if finding.claims}
            said.append((findings, set(found.comparisons), found.rankings))
        assert said[0] == said[1] == said[2]


@pytest.mark.parametrize(("n_more", "n_fewer"), [(6, 0), (9, 1), (11, 2), (30, 14)])
@pytest.mark.parametrize("beside", [1 - 1e-4, 1 + 1e-4])
def test_an_interval_leaves_0_out_where_the_exact_test_does_and_only_there(
    monkeypatch, n_more, n_fewer, beside
):
    # the law of the interval is approximate, so the two could part only where p lies next to the level
    level = beside * binomtest(n_fewer, n_more + n_fewer).pvalue
    monkeypatch.setattr("fivefold.evaluation.comparisons.joint_level", lambda *_: level)
    truth, row = np.array(["a", "b"] * 30), np.arange(60)
    other = np.where(truth == "a", "b", "a")
    good = np.where((row >= n_more) & (row < n_more + n_fewer), other, truth)
    table = pl.DataFrame({"y": truth, "good": good, "poor": np.where(row < n_more, other, truth)})
    found = ff.evaluate_predictions(table, target="y", predictions=["good", "poor"], features=[])
    (pair,) = [pair for pair in found.comparisons if pair.view == "accuracy"]
    low, high = pair.interval
    assert (pair.better, pair.proven) == ("good", beside > 1)
    assert (low > 0 or high < 0) == pair.proven


def test_what_accuracy_proves_is_claimed():
    truth = ["a", "b"] * 50
    table = pl.DataFrame({"y": truth, "good": truth, "poor": ["a", "b", "b", "a"] * 25})
    found = ff.evaluate_predictions(table, target="y", predictions=["good", "poor"], features=[])
    (told,) = [finding for finding in found.findings if "enough cases to call" in finding.sentence]
    assert (told.models, told.claims) == (("good", "poor"), ("better",))


def test_errors_are_ranked_from_the_least():
    iris = ff.data.load("IR")
    from sklearn.dummy import DummyClassifier

    models = {"prior": DummyClassifier(), "1R": ff.learners.OneR()}
    found = ff.evaluate(models, iris.X, iris.y, views=["truth"], random_state=0)
    (truth,) = [each for each in found.rankings if each.view == "truth"]
    assert truth.best == ("1R",)
    assert truth.standings[0].value < truth.standings[1].value


def test_accuracy_is_compared_by_mcnemars_exact_test():
    truth = np.array(["a", "b"] * 50)
    table = pl.DataFrame(
        {
            "y": truth,
            "m": np.where(np.arange(100) < 9, "z", truth),
            "n": np.where(np.arange(100) > 97, "z", truth),
        }
    )
    found = ff.evaluate_predictions(table, target="y", predictions=["m", "n"], classes=["a", "b", "z"])
    (told,) = [each for each in found.comparisons if each.view == "accuracy"]
    exact = ff.truth.mcnemar(truth, table["m"], table["n"]).p_value
    assert told.adjusted_p_value == pytest.approx(exact * 0.05 / told.level)
    assert told.difference == pytest.approx(7.0)
    assert told.unit == "points"
