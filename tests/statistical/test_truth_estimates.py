"""The promises of error estimates, kept in simulated data: coverage, level and power."""

import numpy as np
import pytest
from scipy import stats
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.naive_bayes import GaussianNB

from fivefold.truth import (
    compare,
    estimate_error,
    mcnemar,
    rows_needed_for_difference,
    rows_needed_for_slice,
    rows_needed_to_compare,
)

pytestmark = [pytest.mark.statistical, pytest.mark.slow]


class Same(ClassifierMixin, BaseEstimator):
    """Answers its only column, so that its true error is known."""

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        return X[:, 0].astype(int)


class NearestMean(ClassifierMixin, BaseEstimator):
    """The class with the nearer mean, on some of the columns."""

    def __init__(self, first=0, last=None):
        self.first = first
        self.last = last

    def fit(self, X, y):
        seen = X[:, self.first : self.last]
        self.classes_ = np.unique(y)
        self.means_ = np.array([seen[y == label].mean(axis=0) for label in self.classes_])
        return self

    def predict(self, X):
        gaps = X[:, None, self.first : self.last] - self.means_[None]
        return self.classes_[(gaps**2).sum(axis=2).argmin(axis=1)]


@pytest.mark.parametrize("error", [0.03, 0.3])
def test_the_hold_out_interval_covers_the_error_of_the_fitted_rule(error):
    rng, runs, held = np.random.default_rng(0), 1000, 0
    for _ in range(runs):
        x = rng.integers(0, 2, (90, 1))
        y = np.where(rng.random(90) < error, 1 - x[:, 0], x[:, 0])
        found = estimate_error(Same(), x, y, method="holdout", stratify=False, random_state=rng).interval
        held += found.low <= error <= found.high
    # the exact interval covers at least as often as it says
    assert stats.binomtest(held, runs, 0.95, "less").pvalue > 0.001


def draw_cases(rng, n, d):
    X = rng.normal(size=(n, d))
    return X, (X[:, :3].sum(axis=1) + 1.5 * rng.normal(size=n) > 0).astype(int)


def test_the_nested_interval_covers_where_the_plain_one_does_not():
    rng, runs, nested, plain = np.random.default_rng(0), 150, 0, 0
    fresh_X, fresh_y = draw_cases(rng, 10_000, 20)
    for _ in range(runs):
        X, y = draw_cases(rng, 60, 20)
        truth = float(np.mean(GaussianNB().fit(X, y).predict(fresh_X) != fresh_y))
        options = {"n_splits": 6, "interval": "nested-cv", "nested_repeats": 25, "confidence": 0.9}
        found = estimate_error(GaussianNB(), X, y, random_state=rng, **options)
        nested += found.interval.low <= truth <= found.interval.high
        half = stats.norm.ppf(0.95) * found.per_example.std(ddof=1) / np.sqrt(60)
        plain += abs(found.value - truth) <= half
    # 3.1 standard errors below 90 % in 150 runs is 82 %
    assert stats.binomtest(nested, runs, 0.9, "less").pvalue > 0.001
    assert nested > plain


def test_the_corrected_t_keeps_its_level_and_the_plain_one_does_not():
    rng, runs, corrected, plain = np.random.default_rng(0), 150, 0, 0
    for _ in range(runs):
        X = rng.normal(size=(100, 8))
        # both halves of the columns tell as much about the class: the learners are equal by symmetry
        y = (X[:, 0] + X[:, 4] + rng.normal(size=100) > 0).astype(int)
        found = compare(
            NearestMean(0, 4),
            NearestMean(4, 8),
            X,
            y,
            n_splits=10,
            n_repeats=4,
            stratify=False,
            random_state=rng,
        )
        corrected += found.corrected.p_value < 0.05
        plain += stats.ttest_1samp(found.differences, 0).pvalue < 0.05
    assert stats.binomtest(corrected, runs, 0.05, "greater").pvalue > 0.001
    assert plain / runs > 0.2


@pytest.mark.parametrize("method", ["bootstrap", "632", "632+"])
def test_the_monte_carlo_error_is_the_spread_over_seeds(method):
    X, y = draw_cases(np.random.default_rng(0), 80, 5)
    found = [
        estimate_error(GaussianNB(), X, y, method=method, random_state=seed, check_duplicates=False)
        if method != "bootstrap"
        else estimate_error(GaussianNB(), X, y, method=method, random_state=seed)
        for seed in range(200)
    ]
    spread = np.std([one.value for one in found], ddof=1)
    said = np.sqrt(np.mean([one.standard_error**2 for one in found]))
    # a standard deviation of 200 values is known to 5 %; three times that
    assert said / spread == pytest.approx(1, abs=0.15)


def test_the_rows_for_a_comparison_give_the_power_that_they_promise():
    rng, runs = np.random.default_rng(0), 2000
    n = rows_needed_to_compare(6, 14, 141).n_rows
    hits = 0
    for _ in range(runs):
        which = rng.choice(3, n, p=[6 / 141, 14 / 141, 121 / 141])
        hits += mcnemar(np.zeros(n, int), (which == 0).astype(int), (which == 1).astype(int)).p_value <= 0.05
    assert stats.binomtest(hits, runs, 0.8).pvalue > 0.001


def test_the_rows_for_a_slice_give_the_power_that_they_promise_by_an_exact_test():
    rng, runs = np.random.default_rng(0), 1000
    found = rows_needed_for_slice(100, 30, 400, 60, n_tests=5)
    inside, outside = round(found.n_rows / 5), round(found.n_rows * 4 / 5)
    hits = 0
    for _ in range(runs):
        a, b = rng.binomial(inside, 0.3), rng.binomial(outside, 0.15)
        hits += stats.fisher_exact([[a, inside - a], [b, outside - b]]).pvalue <= 0.01
    # an approximation: 80 % to within 4 points, and 3 standard errors of 1.3
    assert hits / runs == pytest.approx(0.8, abs=0.04 + 3 * np.sqrt(0.16 / runs))


def test_the_rows_for_a_mean_difference_give_the_power_that_they_promise():
    rng, runs = np.random.default_rng(0), 2000
    n = rows_needed_for_difference(0.1, 0.6).n_rows
    drawn = rng.normal(0.1, 0.6, (runs, n))
    hits = int((stats.ttest_1samp(drawn, 0, axis=1).pvalue < 0.05).sum())
    assert stats.binomtest(hits, runs, 0.8).pvalue > 0.001
