"""Which estimate to trust on data like these."""

from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from joblib import parallel_config

from fivefold.data import Concept
from fivefold.errors import InputError, InputTypeError
from fivefold.learners import Foil
from fivefold.truth import Recommendation, Simulation, recommend

KNOWN = Concept.parse("A B ~C | D E", n_attributes=12)
FOIL = Foil(target=True)


@pytest.fixture(scope="module")
def advice():
    X, y = KNOWN.sample(60, random_state=0)
    return recommend(FOIL, X, y, methods=("cv", "632", "resubstitution"), n_repeats=12, random_state=0)


def test_the_concepts_are_like_the_data(advice):
    _, y = KNOWN.sample(60, random_state=0)
    assert (advice.data.n, advice.data.n_columns, advice.data.n_bits) == (60, 12, 12)
    assert advice.data.balance == max(y.mean(), 1 - y.mean())
    for found, noisy in zip(advice.simulations, (False, True, False, True), strict=True):
        assert found.n == 60
        assert found.concept.n_attributes == 12
        assert found.concept.balance == advice.data.balance
        assert (found.concept.noise > 0) == noisy
        assert found.concept.noise < advice.data.difficulty


def test_the_recommended_estimate_is_the_nearest(advice):
    squares = {
        label: np.mean(
            [np.mean((each.estimates[label] - each.true_error) ** 2) for each in advice.simulations]
        )
        for label in advice.quality
    }
    assert advice.method == min(squares, key=squares.get)
    for label, square in squares.items():
        assert advice.quality[label].rmse == pytest.approx(np.sqrt(square))
    assert advice.frame()["estimate"].to_list() == sorted(squares, key=squares.get)
    # FOIL remembers its cases, so that resubstitution tells nothing
    assert advice.quality["resubstitution"].bias < -0.02


def test_what_is_said(advice):
    said = advice.sentence()
    assert said.startswith(f"Use {advice.method}: ")
    for assumption in advice.assumptions:
        assert assumption in said
    assert any("12 fair, independent bits" in assumption for assumption in advice.assumptions)
    assert str(advice).startswith(f"use {advice.method}")


@pytest.mark.slow
def test_the_same_seed_gives_the_same_advice_for_any_number_of_jobs():
    X, y = KNOWN.sample(30, random_state=1)
    with parallel_config(backend="threading"):
        one, two = (
            recommend(FOIL, X, y, methods="cv", n_concepts=1, n_repeats=3, random_state=0, n_jobs=n)
            for n in (None, 2)
        )
    np.testing.assert_array_equal(one.simulations[0].estimates["cv"], two.simulations[0].estimates["cv"])
    assert one.sentence() == two.sentence()


def test_columns_hold_bits():
    rng = np.random.default_rng(0)
    frame = pl.DataFrame(
        {
            "constant": np.ones(40),
            "boolean": rng.integers(0, 2, 40).astype(bool),
            "three": rng.choice(["a", "b", "c"], 40),
            "number": rng.normal(size=40),
        }
    )
    y = np.where(frame["number"].to_numpy() > 0, "up", "down")
    advice = recommend(Foil(), frame, y, methods="resubstitution", n_concepts=1, n_repeats=2, random_state=0)
    assert (advice.data.n_columns, advice.data.n_bits) == (4, 1 + 1 + 2 + 5)


def test_similar_concepts_are_as_hard_as_the_data(advice):
    # the mean of 12 training sets has a standard error of two points or three
    assert all(abs(each.true_mean - advice.data.difficulty) < 0.1 for each in advice.simulations)


def simulated(first, second):
    truth = np.full(4, 0.2)
    estimates = {"first": np.array(first), "second": np.array(second)}
    return Simulation("Foil", KNOWN, 50, truth, np.zeros(4), estimates, dict.fromkeys(estimates, "cv"))


def test_a_winner_must_be_clear(advice):
    clear = Recommendation(advice.data, (simulated([0.21, 0.2, 0.19, 0.2], [0.3, 0.31, 0.29, 0.3]),))
    assert clear.method == "first"
    assert clear.clear
    assert "second, clearly worse" in clear.sentence()
    tie = Recommendation(advice.data, (simulated([0.2, 0.2, 0.2, 0.3], [0.31, 0.2, 0.2, 0.2]),))
    assert not tie.clear
    assert "no clear winner" in str(tie)
    assert "not clearly worse" in tie.sentence()


def test_concepts_that_are_not_as_hard_are_confessed(advice):
    hard = Recommendation(replace(advice.data, difficulty=0.45), (simulated([0.2] * 4, [0.3] * 4),))
    assert "none of the formulas is about as hard" in hard.assumptions[-1]


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"n_concepts": 0}, InputError, "n_concepts to be at least 1"),
        ({"n_concepts": 1000}, InputError, "n_concepts of at most"),
        ({"methods": ()}, InputError, "at least one method"),
        ({"methods": {"a": None}}, InputTypeError, "for 'a'"),
    ],
)
def test_bad_options(options, error, message):
    X, y = KNOWN.sample(20, random_state=0)
    with pytest.raises(error, match=message):
        recommend(FOIL, X, y, **options)


def test_too_few_cases():
    X, y = KNOWN.sample(8, random_state=1)
    with pytest.raises(InputError, match="at least 10 cases; got 8"):
        recommend(FOIL, X, y)
