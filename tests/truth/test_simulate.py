"""The laboratory: estimates of error beside the truth."""

import math

import numpy as np
import polars as pl
import pytest
from joblib import parallel_config
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.dummy import DummyClassifier
from sklearn.tree import DecisionTreeClassifier

from fivefold.data import Concept, concept
from fivefold.errors import InputError, InputTypeError
from fivefold.learners import Foil
from fivefold.truth import Simulation, learning_curve, multiset_errors, simulate

SMALL = Concept.parse("A B | ~C", n_attributes=6)
FOIL = Foil(target=True)


class Knowing(ClassifierMixin, BaseEstimator):
    """Knows the concept before it has seen a case."""

    def __init__(self, known=SMALL):
        self.known = known

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        return self.known.label(X)


class Remembering(ClassifierMixin, BaseEstimator):
    """Says True for cases of the concept that it has seen, and makes nothing of copies."""

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        self.seen_ = {case.tobytes() for case in X[y]}
        return self

    def predict(self, X):
        return np.array([case.tobytes() in self.seen_ for case in X])


def same(one, other):
    np.testing.assert_array_equal(one.true_error, other.true_error)
    assert one.estimates.keys() == other.estimates.keys()
    for label in one.estimates:
        np.testing.assert_array_equal(one.estimates[label], other.estimates[label])


@pytest.mark.parametrize(
    "learner", [FOIL, DecisionTreeClassifier(max_features=2)], ids=["foil", "random tree"]
)
def test_the_same_seed_gives_the_same_numbers(learner):
    options = {"methods": ("cv", "632+"), "n_repeats": 2, "random_state": 3}
    alone = simulate(learner, SMALL, 20, **options)
    same(alone, simulate(learner, SMALL, 20, **options))
    other = simulate(learner, SMALL, 20, **options | {"random_state": 4})
    assert not np.array_equal(alone.true_error, other.true_error)


def test_any_number_of_jobs_gives_the_same_numbers():
    options = {"n_repeats": 4, "random_state": 0}
    with parallel_config(backend="threading"):
        one, two = (simulate(FOIL, SMALL, 20, n_jobs=n, methods=("cv", "632+"), **options) for n in (None, 2))
    same(one, two)
    with parallel_config(backend="threading"):
        one, two = (multiset_errors(FOIL, SMALL, 20, n_jobs=n, n_resamples=4, **options) for n in (None, 2))
    np.testing.assert_array_equal(one.multisets, two.multisets)
    np.testing.assert_array_equal(one.sets, two.sets)


def test_an_estimate_does_not_depend_on_what_else_is_asked_or_on_its_name():
    options = {"n_repeats": 5, "random_state": 0}
    many = simulate(FOIL, SMALL, 20, methods=("holdout", "cv", "loo", "bootstrap", "632", "632+"), **options)
    for label in many.estimates:
        alone = simulate(FOIL, SMALL, 20, methods={"mine": label}, **options)
        np.testing.assert_array_equal(alone.estimates["mine"], many.estimates[label])
        np.testing.assert_array_equal(alone.true_error, many.true_error)


def test_the_family_of_the_bootstrap_shares_its_resamples():
    found = simulate(
        DecisionTreeClassifier(max_depth=1, random_state=0),
        SMALL,
        25,
        methods=("resubstitution", "bootstrap", "632", "632+"),
        n_repeats=6,
        random_state=1,
    ).estimates
    inside, outside = found["resubstitution"], found["bootstrap"]
    assert inside.any()
    np.testing.assert_allclose(found["632"], 0.368 * inside + 0.632 * outside)
    assert np.all(found["632+"] >= found["632"] - 1e-12)


def test_options_reach_the_estimate():
    found = simulate(
        FOIL,
        SMALL,
        20,
        methods={
            "few": {"method": "bootstrap", "n_resamples": 2},
            "sets": {"method": "bootstrap", "duplicates": False},
            "halves": {"method": "cv", "n_splits": 2},
            "loo": "loo",
        },
        n_repeats=4,
        random_state=0,
    )
    assert found.methods == {"few": "bootstrap", "sets": "bootstrap", "halves": "cv", "loo": "loo"}
    halves = found.estimates["halves"] * 20
    np.testing.assert_allclose(halves, halves.round(), atol=1e-9)


def test_the_true_error_is_that_of_the_concept():
    found = simulate(FOIL, SMALL, 30, methods="resubstitution", n_repeats=3, random_state=5)
    assert found.exact
    shares = found.true_error * 2 * 24 * 40
    np.testing.assert_allclose(
        shares, shares.round(), atol=1e-9
    )  # 40 of 64 cases are of the concept, 24 are not


def test_one_who_knows_makes_no_errors():
    found = simulate(Knowing(), SMALL, 30, methods=("cv", "632"), n_repeats=3, random_state=0)
    assert not found.true_error.any()
    assert found.true_spread == 0
    for quality in found.quality.values():
        assert (quality.bias, quality.spread, quality.rmse) == (0, 0, 0)
        assert math.isnan(quality.correlation)
    assert "correlation" not in found.sentence()


def test_noise_is_what_one_who_knows_cannot_avoid():
    noisy = Concept.parse(str(SMALL), n_attributes=6, noise=0.25)
    found = simulate(Knowing(), noisy, 200, methods="resubstitution", n_repeats=40, random_state=0)
    np.testing.assert_allclose(found.true_error, 0.25)
    quality = found.quality["resubstitution"]
    assert abs(quality.bias) < 4 * quality.bias_standard_error
    # 200 labels, each wrong with probability 1/4; the s.d. of 40 values has a relative error of 11%
    assert quality.spread == pytest.approx(math.sqrt(0.25 * 0.75 / 200), rel=0.45)


def test_a_guesser_is_wrong_about_one_class():
    guess = DummyClassifier(strategy="constant", constant=True)
    found = simulate(guess, Concept.parse("A", n_attributes=3, balance=0.8), 50, n_repeats=5, random_state=0)
    np.testing.assert_allclose(found.true_error, 0.2)


def test_qualities_by_hand():
    truth, estimate = np.array([0.1, 0.2, 0.3]), {"mine": np.array([0.2, 0.2, 0.5])}
    found = Simulation("Foil", SMALL, 50, truth, np.zeros(3), estimate, {"mine": "cv"}).quality["mine"]
    assert found.mean == pytest.approx(0.3)
    assert found.bias == pytest.approx(0.1)
    assert found.bias_standard_error == pytest.approx(0.1 / math.sqrt(3))
    assert found.spread == pytest.approx(math.sqrt(0.03))
    assert found.rmse == pytest.approx(math.sqrt(0.05 / 3))
    assert found.correlation == pytest.approx(math.sqrt(3) / 2)


def by_hand(**estimates):
    truth = np.array([0.1, 0.2, 0.3, 0.2])
    arrays = {label: np.array(values) for label, values in estimates.items()}
    return Simulation("Foil", SMALL, 50, truth, np.zeros(4), arrays, dict.fromkeys(arrays, "cv"))


def test_what_the_result_says():
    found = by_hand(near=[0.1, 0.2, 0.3, 0.22], far=[0.4, 0.41, 0.39, 0.4])
    assert found.best == "near"
    assert found.columns().keys() == {"repeat", "true_error", "near", "far"}
    assert found.frame().shape == (4, 4)
    summary = found.summary()
    assert summary["estimate"].to_list() == ["near", "far"]
    assert summary.filter(pl.col("estimate") == "far")["bias"].item() == pytest.approx(0.2)
    said = found.sentence()
    assert "Over 4 training sets of 50 cases the true error of Foil is 20.0% on average" in said
    assert "The estimate near shows no bias beyond chance (+0.5 points" in said
    assert "The estimate far is too high by 20.0 points (standard error 4.3)" in said
    assert str(found).startswith("true error 20.0 ± 8.2%; near: bias +0.5")


@pytest.mark.parametrize("n_sets", [2, 4, 10])
def test_a_bias_is_claimed_of_at_most_one_estimate_in_twenty_without_one(n_sets):
    rng = np.random.default_rng(n_sets)
    estimates = {f"e{i}": rng.normal(0.3, 0.05, n_sets) for i in range(2000)}
    truth = np.full(n_sets, 0.3)
    said = Simulation("Foil", SMALL, 50, truth, np.zeros(n_sets), estimates, {}).sentence()
    # by two standard errors 590, 278 and 153 are called biased
    assert said.count("is too ") < 100 + 4 * np.sqrt(2000 * 0.05 * 0.95)


def test_a_training_set_has_both_classes():
    class Counting(Knowing):
        n_fits = 0

        def fit(self, X, y):
            Counting.n_fits += 1
            assert y.sum() == 1
            return super().fit(X, y)

    simulate(Counting(), SMALL, 2, methods="resubstitution", n_repeats=50, random_state=0)
    assert Counting.n_fits == 100  # an estimator is not asked to learn one class alone


def test_curves():
    curve = learning_curve(FOIL, SMALL, (10, 40), methods=("cv", "bootstrap"), n_repeats=5, random_state=0)
    assert curve.sizes == (10, 40)
    frame = curve.frame()
    assert frame["measure"].to_list() == ["true_error", "cv", "bootstrap"] * 2
    assert frame["n"].to_list() == [10] * 3 + [40] * 3
    at = dict(zip(frame["measure"][3:], frame["distinct"][3:], strict=True))
    assert at == {"true_error": 40, "cv": 40, "bootstrap": pytest.approx(40 * (1 - (39 / 40) ** 40))}
    first = curve.simulations[0]
    row = frame.row(1, named=True)
    assert row["mean"] == pytest.approx(first.estimates["cv"].mean())
    assert row["spread"] == pytest.approx(first.estimates["cv"].std(ddof=1))
    assert "% at 10, " in str(curve)


def test_distinct_cases_by_drawing():
    rng = np.random.default_rng(0)
    drawn = [len(np.unique(rng.integers(30, size=30))) for _ in range(4000)]
    curve = learning_curve(Knowing(), SMALL, (30,), methods="bootstrap", n_repeats=2, random_state=0)
    distinct = curve.frame()["distinct"][1]
    assert abs(np.mean(drawn) - distinct) < 4 * np.std(drawn) / math.sqrt(4000)


def test_copies_teach_one_who_remembers_nothing():
    found = multiset_errors(Remembering(), SMALL, 30, n_repeats=4, n_resamples=6, random_state=0)
    np.testing.assert_allclose(found.multisets, found.sets, atol=0.02)  # simulated with different cases
    assert found.multisets.shape == (4, 6)
    assert found.whole.mean() < found.multisets.mean()
    assert found.frame().columns == ["whole", "multisets", "sets"]
    assert "without the copies" in str(found)


def test_the_gain_from_copies():
    found = multiset_errors(FOIL, SMALL, 20, n_repeats=3, n_resamples=4, random_state=0)
    assert found.gain == pytest.approx(np.mean(found.sets) - np.mean(found.multisets))
    assert found.gain_standard_error > 0


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: simulate(FOIL, "dnf9", 50), InputError, "dnf9"),
        (lambda: simulate(FOIL, 5, 50), InputTypeError, "a Concept or the name of one; got 5"),
        (lambda: simulate(Foil, SMALL, 50), InputTypeError, "the class Foil"),
        (lambda: simulate(FOIL, SMALL, 1), InputError, "n to be at least 2"),
        (lambda: simulate(FOIL, SMALL, 50, n_repeats=1), InputError, "n_repeats to be at least 2"),
        (lambda: simulate(FOIL, SMALL, 50, methods=()), InputError, "at least one method"),
        (lambda: simulate(FOIL, SMALL, 50, methods="magic"), InputError, "magic"),
        (lambda: simulate(FOIL, SMALL, 50, methods={"a": 3}), InputTypeError, "for 'a'; got 3"),
        (lambda: simulate(FOIL, SMALL, 50, methods={3: "cv"}), InputTypeError, "named by text; got 3"),
        (
            lambda: simulate(FOIL, SMALL, 50, methods={"a": {"method": "cv", "metric": "f1"}}),
            InputError,
            "estimates of error only; got metric='f1'",
        ),
        (lambda: learning_curve(FOIL, SMALL, ()), InputError, "at least one size"),
        (lambda: learning_curve(FOIL, SMALL, (10.5,)), InputTypeError, "10.5"),
    ],
)
def test_bad_input(call, error, message):
    with pytest.raises(error, match=message):
        call()


def test_the_name_of_a_concept_will_do():
    found = simulate(FOIL, "dnf3", 20, methods="resubstitution", n_repeats=2, random_state=0)
    assert found.concept == concept("dnf3")
