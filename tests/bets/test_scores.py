"""Agreement with scikit-learn on random data, with and without weights."""

import numpy as np
import pytest
from sklearn.metrics import brier_score_loss, log_loss, roc_auc_score, roc_curve

import fivefold as ff


@pytest.fixture(params=[2, 3, 8], ids=lambda k: f"{k} classes")
def table(request):
    k = request.param
    rng = np.random.default_rng(k)
    stated = rng.dirichlet(np.full(k, 0.7), size=300)
    truth = rng.integers(k, size=300)
    return truth, stated, k


@pytest.fixture(params=["plain", "weighted"])
def weights(request):
    return None if request.param == "plain" else np.random.default_rng(9).exponential(size=300)


def test_log_score_is_log_loss_in_bits(table, weights):
    truth, stated, _ = table
    expected = log_loss(truth, stated, sample_weight=weights) / np.log(2)
    assert ff.bets.log_score(truth, stated, sample_weight=weights) == pytest.approx(expected, rel=1e-12)


def test_brier_score(table, weights):
    truth, stated, k = table
    expected = brier_score_loss(truth, stated if k > 2 else stated[:, 1], sample_weight=weights)
    assert ff.bets.brier_score(truth, stated, sample_weight=weights) == pytest.approx(expected, rel=1e-12)
    if k == 2:
        assert ff.bets.brier_score(truth, stated[:, 1], sample_weight=weights) == pytest.approx(expected)


def test_area_under_the_curve(table, weights):
    truth, stated, k = table
    if k == 2:
        expected = roc_auc_score(truth, stated[:, 1], sample_weight=weights)
    elif weights is None:
        expected = roc_auc_score(truth, stated, multi_class="ovr", average="macro")
    else:
        # scikit-learn's macro average takes weights too, class by class
        expected = np.mean(
            [roc_auc_score(truth == label, stated[:, label], sample_weight=weights) for label in range(k)]
        )
        ovr = roc_auc_score(truth, stated, multi_class="ovr", average="macro", sample_weight=weights)
        assert expected == pytest.approx(ovr)
    assert ff.bets.auc(truth, stated, sample_weight=weights) == pytest.approx(expected, rel=1e-12)


def test_roc_curve():
    rng = np.random.default_rng(1)
    p = rng.integers(10, size=200) / 10
    truth = (rng.uniform(size=200) < p).astype(int)
    result = ff.bets.roc(truth, p)
    false_alarms, hits, _ = roc_curve(truth, p)
    np.testing.assert_allclose(result.false_alarms, false_alarms)
    np.testing.assert_allclose(result.hits, hits)
    assert result.area == pytest.approx(roc_auc_score(truth, p)) == pytest.approx(ff.bets.auc(truth, p))


def test_details_have_the_mean_of_the_plain_function(table, weights):
    truth, stated, _ = table
    for detail, plain in (
        (ff.bets.brier_score_details, ff.bets.brier_score),
        (ff.bets.log_score_details, ff.bets.log_score),
        (ff.bets.information_reward_details, ff.bets.information_reward),
        (ff.bets.kononenko_bratko_score_details, ff.bets.kononenko_bratko_score),
        (ff.bets.entropy_gain_details, ff.bets.entropy_gain),
    ):
        result = detail(truth, stated, sample_weight=weights)
        assert result.mean == pytest.approx(plain(truth, stated, sample_weight=weights), rel=1e-12)
        assert result.mean == pytest.approx(np.average(result.per_example, weights=weights), rel=1e-9)
        assert result.sum == pytest.approx(
            (np.ones(300) if weights is None else weights) @ result.per_example
        )


def test_nothing_is_clipped():
    assert ff.bets.log_score([0, 1], [0.5, 0.0]) == np.inf
    assert ff.bets.log_score_details([0, 1], [0.0, 1.0]).per_example.tolist() == [0.0, 0.0]
    perfect = np.eye(3)[[0, 1, 2] * 7]
    assert ff.bets.log_score([0, 1, 2] * 7, perfect) == 0
    assert ff.bets.brier_score([0, 1, 2] * 7, perfect) == 0


def test_float32_probabilities_are_taken_at_their_word(table):
    truth, stated, _ = table
    small = stated.astype(np.float32)
    for name in ("log_score", "brier_score", "information_reward", "miscalibration", "signed_confidence"):
        score = getattr(ff.bets, name)
        assert score(truth, small) == pytest.approx(score(truth, small.astype(float)), rel=1e-9), name
