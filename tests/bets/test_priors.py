"""Information gained over prior probabilities."""

import numpy as np
import pytest
from hypothesis import given

import fivefold as ff
from fivefold.errors import InputError, InputTypeError

from .tables import many_classes


def kononenko_bratko(prior, stated):
    if stated >= prior:
        return np.log2(stated) - np.log2(prior)
    return np.log2(1 - prior) - np.log2(1 - stated)


@given(many_classes())
def test_kononenko_bratko_case_by_case(table):
    truth, stated = table
    k = stated.shape[1]
    priors = np.arange(1, k + 1) / (k * (k + 1) / 2)
    result = ff.bets.kononenko_bratko_score_details(truth, stated, classes=range(k), priors=priors)
    expected = [kononenko_bratko(priors[y], row[y]) for y, row in zip(truth, stated, strict=True)]
    np.testing.assert_allclose(result.per_example, expected, atol=1e-12)
    assert np.all(np.isfinite(result.per_example))


@given(many_classes(positive=True))
def test_entropy_gain_is_what_the_log_score_saves_on_the_priors(table):
    truth, stated = table
    k = stated.shape[1]
    priors = np.full(k, 1 / k)
    result = ff.bets.entropy_gain(truth, stated, classes=range(k), priors=priors)
    assert result == pytest.approx(
        ff.bets.information_reward(truth, stated, classes=range(k), multiclass="log")
    )


def test_the_priors_themselves_gain_nothing():
    truth, priors = [0, 1, 2, 0], np.array([0.5, 0.3, 0.2])
    stated = np.tile(priors, (4, 1))
    assert ff.bets.kononenko_bratko_score(truth, stated, priors=priors) == 0
    assert ff.bets.entropy_gain(truth, stated, priors=priors) == 0


def test_without_priors_the_frequencies_of_the_truth_are_taken():
    truth, stated = [0, 0, 0, 1], [0.1, 0.2, 0.3, 0.9]
    for score in (ff.bets.kononenko_bratko_score, ff.bets.entropy_gain):
        assert score(truth, stated) == pytest.approx(score(truth, stated, priors=[0.75, 0.25]))
        weighted = score(truth, stated, sample_weight=[1, 1, 1, 3])
        assert weighted == pytest.approx(score(truth, stated, priors=[0.5, 0.5], sample_weight=[1, 1, 1, 3]))


def test_an_impossible_answer_ruins_entropy_gain_only():
    assert ff.bets.entropy_gain([0, 1], [0.5, 0.0], priors=[0.5, 0.5]) == -np.inf
    assert ff.bets.kononenko_bratko_score_details([0, 1], [0.5, 0.0], priors=[0.5, 0.5]).per_example[1] == -1


@pytest.mark.parametrize(
    ("priors", "error", "shown"),
    [
        ([0.5, 0.3, 0.2], InputError, r"\(3,\)"),
        ([0.5, 0.6], InputError, "0.6"),
        ([1.5, -0.5], InputError, "-0.5"),
        ([np.nan, 1.0], InputError, "nan"),
        ([1.0, 0.0], InputError, "row 1"),
        (["0.5", "0.5"], InputTypeError, "'0.5'"),
        (0.5, InputTypeError, "0.5"),
    ],
)
def test_bad_priors_are_shown(priors, error, shown):
    with pytest.raises(error, match=shown):
        ff.bets.kononenko_bratko_score([0, 1], [0.2, 0.8], priors=priors)
