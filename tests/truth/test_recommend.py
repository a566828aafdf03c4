"""Which estimate to trust on data like these."""

import math
from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from joblib import parallel_config
from sklearn.compose import make_column_transformer
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline

from fivefold.data import Concept
from fivefold.errors import InputError, InputTypeError
from fivefold.learners import Foil
from fivefold.truth import Recommendation, Simulation, recommend
from fivefold.truth.recommendation import LinearConcept

KNOWN = Concept.parse("A B ~C | D E", n_attributes=12)
FOIL = Foil(target=True)


@pytest.fixture(scope="module")
def advice():
    X, y = KNOWN.sample(60, random_state=0)
    methods = ("cv", "632", "resubstitution")
    return recommend(FOIL, X, y, methods=methods, n_concepts=12, n_repeats=4, random_state=0)


def test_the_concepts_are_like_the_data(advice):
    _, y = KNOWN.sample(60, random_state=0)
    assert (advice.data.n, advice.data.n_columns, advice.data.n_bits) == (60, 12, 12)
    assert advice.data.balance == max(y.mean(), 1 - y.mean())
    assert not advice.data.numeric
    assert len(advice.simulations) == 12
    for found in advice.simulations:
        X, answers = found.concept.sample(4000, random_state=0)
        assert found.n == 60
        assert X.shape[1] == 12
        assert set(np.unique(X)) == {False, True}
        assert answers.mean() == pytest.approx(advice.data.balance, abs=0.12)


def test_concepts_count_by_how_well_they_explain_the_errors_on_the_data(advice):
    assert advice.weights.sum() == pytest.approx(1)
    far = [abs(each.estimates["(cv)"].mean() - advice.data.profile[0]) for each in advice.simulations]
    assert far[advice.weights.argmax()] < np.median(far)
    assert far[advice.weights.argmin()] > np.median(far)


def test_the_recommended_estimate_is_the_nearest(advice):
    squares = {
        label: advice.weights
        @ [np.mean((each.estimates[label] - each.true_error) ** 2) for each in advice.simulations]
        for label in advice.quality
    }
    assert set(squares) == {"cv", "632", "resubstitution"}
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


@pytest.mark.long
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
    assert advice.data.numeric


def test_concepts_that_count_are_as_hard_as_the_data(advice):
    hard = advice.weights @ [each.true_mean for each in advice.simulations]
    assert abs(hard - advice.data.profile[0]) < 0.1


def simulated(first, second):
    truth = np.full(4, 0.2)
    estimates = {"first": np.array(first), "second": np.array(second)}
    seen = {label: np.array([0.2, 0.21, 0.19, 0.22]) for label in ("(cv)", "(own cases)", "(out of bag)")}
    estimates |= seen
    return Simulation("Foil", KNOWN, 50, truth, np.zeros(4), estimates, dict.fromkeys(estimates, "cv"))


def test_a_winner_must_be_clear(advice):
    near, far = simulated([0.21, 0.2, 0.19, 0.2], [0.3, 0.31, 0.29, 0.3]), simulated([0.2] * 4, [0.31] * 4)
    clear = Recommendation(advice.data, (near, far) * 6)
    assert clear.method == "first"
    assert clear.clear
    assert clear.rivals == ()
    assert "Clearly worse is second (" in clear.sentence()
    # the same in two concepts alone, which prove nothing about others: (2 + 1) / (2 + 2)
    few = Recommendation(advice.data, (near, far))
    assert few.worse["second"] == pytest.approx(0.75)
    assert not few.clear
    # on one concept the one is better, on another the other
    tie = Recommendation(advice.data, (near, simulated([0.28] * 4, [0.2] * 4), near) * 8)
    assert not tie.clear
    assert "no clear winner" in str(tie)
    assert "second (" in tie.sentence()
    assert "It cannot be told apart from " in tie.sentence()


def test_concepts_that_are_not_as_hard_are_confessed(advice):
    hard = Recommendation(replace(advice.data, difficulty=0.45), (simulated([0.2] * 4, [0.3] * 4),))
    assert "none of the concepts is about as hard" in hard.assumptions[-1]


@pytest.mark.parametrize("boolean", [False, True])
def test_a_hyperplane_has_its_balance_and_its_noise(boolean):
    found = LinearConcept((0.6, 0.8, 0.0), math.tan(math.pi * 0.1), 0.5, boolean)
    X, y = found.sample(20_000, random_state=0)
    assert y.mean() == pytest.approx(0.5, abs=0.015)
    best = np.where(X > 0, 1, -1) if boolean else X
    wrong = np.mean((best @ [0.6, 0.8, 0.0] > 0) != y)
    # the angle between a normal variable and itself with noise; bits are not normal
    assert wrong == pytest.approx(0.1, abs=0.05 if boolean else 0.01)


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"n_concepts": 0}, InputError, "n_concepts to be at least 1"),
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


def test_concepts_that_a_learner_cannot_learn_from_are_left_out_and_counted():
    class OnlyNumbers(GaussianNB):
        def fit(self, X, y):
            if np.unique(np.asarray(X)).size <= 2:
                raise ValueError("no numbers")
            return super().fit(X, y)

    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(40, 3)), np.arange(40) % 2
    options = {"methods": "resubstitution", "n_repeats": 2, "random_state": 0}
    advice = recommend(OnlyNumbers(), X, y, n_concepts=18, **options)
    assert (len(advice.simulations), advice.n_left_out) == (6, 12)
    assert "it failed on 12 further concepts" in advice.sentence()
    with pytest.raises(InputError, match="no numbers"):
        recommend(OnlyNumbers(), X > 0, y, n_concepts=18, **options)


def test_a_learner_that_wants_columns_by_name_is_told_that_concepts_have_none():
    X, y = pl.DataFrame({"a": np.arange(20.0), "b": np.arange(20) % 3}), np.arange(20) % 2
    learner = make_pipeline(make_column_transformer(("passthrough", ["a"])), GaussianNB())
    with pytest.raises(InputError, match="booleans without names of columns"):
        recommend(learner, X, y, methods="resubstitution", n_concepts=2, n_repeats=2)
