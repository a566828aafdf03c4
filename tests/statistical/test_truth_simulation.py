"""What estimates of error are worth, by simulation with known truth, as in Bailey and Elkan (1993)."""

from functools import cache

import numpy as np
import pytest
from scipy import stats
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier

from fivefold.data import Concept
from fivefold.learners import Foil
from fivefold.training.repeats import chance_of_repeats, find_seen
from fivefold.truth import estimate_error, multiset_errors, recommend, simulate

pytestmark = pytest.mark.statistical

FOIL = Foil(target=True, info="paper", pruning=False)
WIDE = 3.5  # standard errors


@cache
def foil_at(name, n, n_repeats=100):
    return simulate(FOIL, name, n, methods=("loo", "632", "bootstrap"), n_repeats=n_repeats, random_state=0)


def standard_error(values):
    return values.std(ddof=1) / np.sqrt(values.size)


def differ(one, other):
    """Give the difference of two means in standard errors."""
    return (one.mean() - other.mean()) / np.hypot(standard_error(one), standard_error(other))


@pytest.mark.slow
@pytest.mark.parametrize("name", ["dnf2", "dnf4"])
def test_leaving_one_out_is_unbiased_for_one_case_less(name):
    # exactly E[LOO(n)] = E[Err(n - 1)], whatever the learner and the concept
    left_out = simulate(FOIL, name, 21, methods="loo", n_repeats=250, random_state=0).estimates["loo"]
    truth = simulate(FOIL, name, 20, methods="resubstitution", n_repeats=250, random_state=1).true_error
    assert abs(differ(left_out, truth)) < WIDE


@pytest.mark.slow
@pytest.mark.parametrize(("name", "n"), [("dnf2", 100), ("dnf3", 100), ("dnf4", 100)])
def test_below_fifteen_per_cent_632_is_too_high_and_cross_validation_is_not(name, n):
    found = foil_at(name, n)
    assert found.true_mean < 0.15
    loo, mixed = found.quality["loo"], found.quality["632"]
    assert mixed.bias > WIDE * mixed.bias_standard_error
    assert abs(loo.bias) < WIDE * loo.bias_standard_error
    assert loo.correlation > mixed.correlation


@pytest.mark.slow
@pytest.mark.parametrize(("name", "n"), [("dnf2", 20), ("dnf3", 12), ("dnf4", 12)])
def test_above_thirty_per_cent_632_is_too_low_and_cross_validation_is_not(name, n):
    found = foil_at(name, n)
    assert found.true_mean > 0.3
    loo, mixed = found.quality["loo"], found.quality["632"]
    assert mixed.bias < -WIDE * mixed.bias_standard_error
    # one case less matters at this size: the true error of n - 1 cases is a little higher
    assert abs(loo.bias) < WIDE * loo.bias_standard_error + 0.02


@pytest.mark.slow
def test_632_varies_less_than_cross_validation_while_errors_are_large():
    for n in (20, 40):
        found = foil_at("dnf2", n)
        loo, mixed = found.estimates["loo"], found.estimates["632"]
        # the ratio of the variances has a standard error of about 20 % for 100 training sets
        assert mixed.var(ddof=1) < 0.5 * loo.var(ddof=1)


def test_the_true_error_itself_varies_widely():
    found = simulate(FOIL, "dnf2", 100, methods="resubstitution", n_repeats=100, random_state=0)
    assert found.true_spread > found.true_mean
    assert np.mean(found.true_error == 0) > 0.2
    assert np.mean(found.true_error > 0.1) > 0.05


@pytest.mark.slow
@pytest.mark.parametrize(("n", "distinct"), [(63, 40), (100, 63)])
def test_the_error_out_of_bag_is_the_true_error_of_the_distinct_cases(n, distinct):
    # figure 4; multisets teach FOIL a little less than as many different cases, so that four points are allowed
    outside = foil_at("dnf2", n).estimates["bootstrap"]
    truth = foil_at("dnf2", distinct).true_error
    assert abs(outside.mean() - truth.mean()) < 0.04 + 2 * np.hypot(
        standard_error(outside), standard_error(truth)
    )
    assert abs(differ(outside, foil_at("dnf2", n).true_error)) > WIDE


def test_copies_teach_foil_next_to_nothing():
    # figure 5: 10 training sets, true errors after resamples and after the same without copies
    found = multiset_errors(FOIL, "dnf2", 100, n_repeats=10, n_resamples=20, random_state=0)
    assert found.multisets.mean() > found.whole.mean() + 0.05
    assert abs(found.gain) < 0.03 + WIDE * found.gain_standard_error


@pytest.mark.slow
def test_copies_teach_neighbours_nothing():
    found = multiset_errors(
        KNeighborsClassifier(1), "dnf4", 60, n_repeats=6, n_resamples=6, n_test=4000, random_state=0
    )
    assert abs(found.gain) < WIDE * found.gain_standard_error + 0.002


@pytest.mark.slow
def test_632_is_near_the_truth_for_a_learner_that_heeds_copies():
    # linear discriminants with noisy labels, the kind of problem that .632 was made for
    noisy = Concept.parse("A B | C", n_attributes=8, noise=0.15)
    methods = {"cv": {"method": "cv", "n_splits": 5}, "632": {"method": "632", "n_resamples": 25}}
    found = simulate(LinearDiscriminantAnalysis(), noisy, 80, methods=methods, n_repeats=40, random_state=0)
    assert abs(found.quality["632"].bias) < 0.02
    assert found.quality["632"].rmse < found.quality["cv"].rmse


@pytest.mark.slow
def test_632_plus_does_not_cure_the_failure():
    found = simulate(FOIL, "dnf2", 100, methods=("loo", "632", "632+"), n_repeats=60, random_state=0)
    rmse = {label: quality.rmse for label, quality in found.quality.items()}
    assert rmse["loo"] < rmse["632"] < rmse["632+"]


@pytest.mark.parametrize(
    ("n", "distinct"), [(12, 12), (30, 40), (200, 50), (600, 20), (400, 800), (600, 60_000)]
)
def test_repeats_that_chance_deals_raise_no_alarm(n, distinct):
    # the bound promises at most 1% of alarms: of 200 tables more than 7 come once in 1,000 times
    rng = np.random.default_rng(n + distinct)
    rows = [
        rng.choice(distinct, n, p=rng.dirichlet(np.full(distinct, 0.5))).astype(np.uint64) for _ in range(200)
    ]
    alarms = [chance_of_repeats(row[: n // 3], row[n // 3 :]) < 0.01 for row in rows]
    assert sum(alarms) <= 7


def test_rounding_one_table_raises_no_alarm():
    # 0 and 1 are far more frequent in the rounded table: by exact numbers all of 60 tables had the alarm
    rng = np.random.default_rng(3)
    alarms = 0
    for n in rng.integers(20, 300, 60):
        asked, learned = rng.beta(0.3, 0.3, (n, 1)).round(), rng.beta(0.3, 0.3, (3 * n, 1)).round(3)
        alarms += find_seen(asked, learned)[1] < 0.01
    assert alarms <= 3


@pytest.mark.parametrize(("n", "copied"), [(50, 5), (300, 30), (569, 569), (100_000, 500), (100_000, 50)])
def test_rows_that_were_copied_are_more_than_chance_explains(n, copied):
    rows = np.arange(2 * n, dtype=np.uint64)
    assert chance_of_repeats(rows[n - copied : n], rows[:n]) < 0.01


@pytest.mark.slow
def test_an_estimate_that_is_far_off_is_not_recommended():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 4)), rng.integers(0, 2, 60)
    # of a learner that knows its cases by heart, .632 says 32 % where half of the answers are wrong
    options = {"n_concepts": 9, "n_repeats": 2, "methods": ("632", "632+"), "random_state": 0}
    advice = recommend(DecisionTreeClassifier(random_state=0), X, y, **options)
    assert advice.method == "632+"
    assert advice.quality["632"].bias < -0.1


def ring(rng, n):
    X = rng.normal(size=(n, 2))
    return X, ((X**2).sum(axis=1) + rng.normal(size=n) / 2 > 1.4).astype(int)


def skewed(rng, n):
    X = rng.exponential(size=(n, 3))
    return X, (rng.random(n) < 1 / (1 + np.exp(2 - 2 * X[:, 0]))).astype(int)


def correlated(rng, n):
    y = (rng.random(n) < 0.4).astype(int)
    X = 0.8 * rng.normal(size=(n, 1)) + 0.6 * rng.normal(size=(n, 8))
    X[:, :4] += 0.8 * y[:, None]
    return X, y


def true_distances(learner, draw, n, methods, runs=60):
    """Give how far each estimate is from the true error, in a situation that no concept of `recommend` is."""
    rng = np.random.default_rng(1)
    fresh_X, fresh_y = draw(rng, 5_000)
    off = {method: [] for method in methods}
    for _ in range(runs):
        X, y = draw(rng, n)
        truth = np.mean(learner.fit(X, y).predict(fresh_X) != fresh_y)
        for method in methods:
            more = {"check_duplicates": False} if method.startswith("632") else {}
            off[method].append(
                estimate_error(learner, X, y, method=method, random_state=rng, **more).value - truth
            )
    return {method: np.sqrt(np.mean(np.square(values))) for method, values in off.items()}


@pytest.mark.long
def test_what_is_recommended_is_near_the_best_where_the_data_are_like_no_concept():
    methods, near = ("holdout", "cv", "632", "632+"), 0
    situations = [
        (GaussianNB(), ring, 70),
        (GaussianNB(), skewed, 50),
        (GaussianNB(), correlated, 80),
    ]
    for learner, draw, n in situations:
        off = true_distances(learner, draw, n, methods)
        for seed in range(2):
            X, y = draw(np.random.default_rng(seed), n)
            advice = recommend(learner, X, y, methods=methods, random_state=0)
            near += off[advice.method] <= 1.1 * min(off.values())
    # 80 % within a tenth of the least; of six, one or less have a probability of 0.001
    assert stats.binomtest(near, 6, 0.8, "less").pvalue > 0.001
