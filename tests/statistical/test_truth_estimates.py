"""The promises of error estimates, kept in simulated data: coverage, level and power."""

from functools import cache, partial

import numpy as np
import pytest
from scipy import stats
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.dummy import DummyClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier

from fivefold.formulas import binomial_limits, holm, sign_test
from fivefold.truth import (
    compare,
    corrected_t,
    error_by_size,
    estimate_error,
    rows_needed_for_difference,
    rows_needed_for_slice,
    rows_needed_to_compare,
)
from fivefold.truth.rows_needed import mcnemar_power

pytestmark = pytest.mark.statistical
slow = pytest.mark.slow


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


class TreeOfSome(NearestMean):
    """A tree of some of the columns."""

    def __init__(self, first=0, last=None, depth=2):
        super().__init__(first, last)
        self.depth = depth

    def fit(self, X, y):
        tree = DecisionTreeClassifier(max_depth=self.depth, random_state=0)
        self.tree_ = tree.fit(X[:, self.first : self.last], y)
        self.classes_ = self.tree_.classes_
        return self

    def predict(self, X):
        return self.tree_.predict(X[:, self.first : self.last])


@slow
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


def gaussians(rng, n, apart, d, rare=0.5):
    y = (rng.random(n) < rare).astype(int)
    y[:4] = 0, 0, 1, 1
    X = rng.normal(size=(n, d))
    X[:, 0] += apart * y
    return X, y


def formula(rng, n, d):
    """Cases of A B or C D E, half of them true: a tree finds it or does not."""
    X = rng.integers(0, 2, (9 * n, d))
    holds = (X[:, 0] & X[:, 1]) | (X[:, 2] & X[:, 3] & X[:, 4])
    rows = np.concatenate([np.flatnonzero(holds == side)[: n // 2] for side in (0, 1)])
    return X[rows].astype(float), holds[rows]


def corner(rng, n, d):
    X = rng.random((n, d))
    return X, ((X[:, 0] > 0.3) & (X[:, 1] > 0.3)).astype(int)


def chessboard(rng, n, d):
    """Four fields: a tree that divides greedily may find them in one sample and be lost in the next."""
    X = rng.random((n, d))
    return X, ((X[:, 0] > 0.5) ^ (X[:, 1] > 0.5)).astype(int)


def balanced(rng, n):
    """As many cases of each class as of the other: what a fold has more of, the others have less of."""
    return rng.normal(size=(n, 2)), rng.permutation(np.arange(n) % 2)


TREE = DecisionTreeClassifier(random_state=0)
EASY = (GaussianNB(), lambda rng, n: gaussians(rng, n, 5, 2))
# errors of 0.2 to 50 %, of learners that vary little and much from sample to sample
PROBLEMS = {
    "easy, Bayes, 60": (*EASY, 60),
    "easy, neighbours, 200": (KNeighborsClassifier(5), EASY[1], 200),
    "rare, Bayes, 100": (GaussianNB(), lambda rng, n: gaussians(rng, n, 3, 3, 0.06), 100),
    "corner, neighbours, 60": (KNeighborsClassifier(5), lambda rng, n: corner(rng, n, 2), 60),
    "noise, Bayes, 60": (GaussianNB(), lambda rng, n: gaussians(rng, n, 0, 20), 60),
    "easy, tree, 60": (TREE, EASY[1], 60),
    "corner, tree, 60": (TREE, lambda rng, n: corner(rng, n, 2), 60),
    "formula, tree, 120": (TREE, lambda rng, n: formula(rng, n, 30), 120),
    "chessboard, tree, 250": (TREE, lambda rng, n: chessboard(rng, n, 4), 250),
    "balanced, majority, 400": (DummyClassifier(), balanced, 400),
    "balanced, Bayes, 60": (GaussianNB(), balanced, 60),
    "noise, tree, 60": (TREE, lambda rng, n: gaussians(rng, n, 0, 5), 60),
}


def nested_runs(problem, runs):
    """Give the true errors of learnt rules and the intervals for them."""
    learner, draw, n = PROBLEMS[problem]
    rng, truths, intervals = np.random.default_rng(0), [], []
    fresh_X, fresh_y = draw(rng, 8_000)
    for _ in range(runs):
        X, y = draw(rng, n)
        truths.append(float(np.mean(learner.fit(X, y).predict(fresh_X) != fresh_y)))
        options = {"n_splits": 5, "interval": "nested-cv", "nested_repeats": 4}
        intervals.append(estimate_error(learner, X, y, random_state=rng, **options).interval)
    return np.array(truths), intervals


@pytest.mark.parametrize(
    ("problem", "runs"),
    # a tree is fitted ten times as slowly as the others
    [
        ("easy, Bayes, 60", 40),
        ("balanced, majority, 400", 40),
        *(pytest.param(name, 60, marks=pytest.mark.long if "tree" in name else slow) for name in PROBLEMS),
    ],
)
def test_the_nested_interval_covers_small_errors_and_large_ones(problem, runs):
    truths, intervals = nested_runs(problem, runs)
    low, high = np.array([(interval.low, interval.high) for interval in intervals]).T
    assert np.all(high - low > 0.001)
    held = int(np.sum((low <= truths) & (truths <= high)))
    # it promises 95 %; 50 or less of 60 runs have a probability of 0.001
    assert stats.binomtest(held, runs, 0.95, "less").pvalue > 0.001
    # the readings on as many test cases, and on very many, exclude each other by chance in 1 % at most
    rng, alarms = np.random.default_rng(1), 0.0
    for truth, interval in zip(truths, intervals, strict=True):
        low, high = interval.at(0.99)
        for n_test in (PROBLEMS[problem][2], 5_000):
            least, most = binomial_limits(rng.binomial(n_test, truth), n_test, 0.99)
            alarms += (most < low or high < least) / 2
    assert stats.binomtest(int(alarms), runs, 0.01, "greater").pvalue > 0.001


class LeastSquares(ClassifierMixin, BaseEstimator):
    """The shortest solution; its error peaks where there are as many cases as columns."""

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        self.mean_, side = X.mean(axis=0), 2.0 * y - 1
        self.level_ = side.mean()
        self.weights_ = np.linalg.pinv(X - self.mean_) @ (side - self.level_)
        return self

    def predict(self, X):
        return ((X - self.mean_) @ self.weights_ + self.level_ > 0).astype(int)


@slow
@pytest.mark.parametrize(
    ("learner", "n_columns", "runs"),
    # all cases are before the peak, behind it between the sizes of two training sets, or at it
    [
        (LeastSquares(), 80, 40),
        (LeastSquares(), 10, 40),
        *(pytest.param(LeastSquares(), d, 60, marks=pytest.mark.long) for d in (68, 95, 99, 105)),
        pytest.param(LinearDiscriminantAnalysis(), 98, 60, marks=pytest.mark.long),
    ],
)
def test_the_nested_interval_covers_errors_that_rise_to_a_peak_and_fall(learner, n_columns, runs):
    rng, held, widths = np.random.default_rng(n_columns), 0, []
    for _ in range(runs):
        X = rng.normal(size=(4_100, n_columns))
        y = (X[:, :5].sum(axis=1) + 0.7 * rng.normal(size=4_100) > 0).astype(int)
        truth = float(np.mean(learner.fit(X[:100], y[:100]).predict(X[100:]) != y[100:]))
        options = {"n_splits": 5, "interval": "nested-cv", "nested_repeats": 4}
        found = estimate_error(learner, X[:100], y[:100], random_state=rng, **options).interval
        held += found.low <= truth <= found.high
        widths.append(found.high - found.low)
    assert stats.binomtest(held, runs, 0.95, "less").pvalue > 0.001
    # the price is paid where the error rises
    assert np.mean(widths) < (0.25 if n_columns == 10 else 0.75)


@slow
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


def exclusive_or_of_bits(Z):
    return Z[:, 0] ^ Z[:, 1]


def four_fields(Z):
    return (Z[:, 0] > 0) ^ (Z[:, 1] > 0)


@pytest.mark.parametrize(
    ("says", "depth", "n", "n_repeats", "runs"),
    [
        (exclusive_or_of_bits, 2, 150, 2, 40),
        *(
            pytest.param(*shape, marks=pytest.mark.long)
            for shape in [
                (exclusive_or_of_bits, 2, 80, 10, 150),
                (exclusive_or_of_bits, None, 150, 10, 100),
                (exclusive_or_of_bits, 3, 100, 4, 150),
                (four_fields, 2, 200, 10, 80),
                (four_fields, 4, 150, 2, 150),
            ]
        ),
    ],
)
def test_learners_that_another_sample_turns_are_seldom_called_different(says, depth, n, n_repeats, runs):
    rng, rejected, by_folds = np.random.default_rng(0), 0, 0
    for _ in range(runs):
        X = rng.integers(0, 2, (n, 8)) if says is exclusive_or_of_bits else rng.normal(size=(n, 8))
        # either half of the columns tells half of the classes, to a tree that finds it
        y = np.where(rng.random(n) < 0.5, says(X[:, :4]), says(X[:, 4:]))
        trees = TreeOfSome(0, 4, depth), TreeOfSome(4, 8, depth)
        found = compare(*trees, X, y, n_repeats=n_repeats, random_state=rng)
        rejected += found.corrected.p_value < 0.05
        by_folds += corrected_t(found.differences, test_share=0.1).p_value < 0.05
    # promised where the folds alone reject 7 to 40 %
    assert stats.binomtest(rejected, runs, 0.08, "greater").pvalue > 0.001
    assert by_folds > 2 * rejected


@slow
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


@pytest.mark.parametrize("n_models", [2, 4])
def test_the_rows_for_a_comparison_give_the_power_that_they_promise_at_the_level_of_the_verdict(n_models):
    rng, runs, n_pairs = np.random.default_rng(0), 2000, n_models * (n_models - 1) // 2
    n = rows_needed_to_compare(6, 14, 141, alpha=0.05 / n_pairs).n_rows
    drawn = rng.multinomial(n, [6 / 141, 14 / 141, 121 / 141], size=runs)
    proven = 0
    for only_a, only_b, _ in drawn:
        # the other pairs are as equal as can be, so that Holm's method helps least
        proven += holm(np.array([sign_test(only_a, only_b), *[1.0] * (n_pairs - 1)]))[0] < 0.05
    assert stats.binomtest(proven, runs, 0.8).pvalue > 0.001


@pytest.mark.parametrize(
    ("n", "only_a", "only_b", "alpha"),
    [
        (60, 0.1, 0.02, 0.05),
        (60, 0.06, 0.06, 0.05),
        *(
            pytest.param(*shape, marks=slow)
            for shape in [(300, 0.2, 0.1, 0.05 / 3), (400, 0.05, 0.03, 0.005), (50, 0.5, 0.2, 0.05)]
        ),
    ],
)
def test_the_range_of_rows_holds_those_needed_in_truth(n, only_a, only_b, alpha):
    rng, runs, held, least = np.random.default_rng(0), 100, 0, 1
    ask = cache(partial(rows_needed_to_compare, n_tested=n, alpha=alpha))
    if only_a != only_b:
        while mcnemar_power(least, only_a, only_b, alpha) < 0.8:
            least += 1 + least // 50  # to 2 %
    for b, c, _ in rng.multinomial(n, [only_a, only_b, 1 - only_a - only_b], size=runs):
        found = ask(int(b), int(c))
        assert found.perhaps_never == (sign_test(b, c) >= alpha)
        low, high = found.interval
        held += low <= least <= high if only_a != only_b else found.perhaps_never
    # it promises 1 - alpha, at least 95 %
    assert stats.binomtest(held, runs, 0.95, "less").pvalue > 0.001


@slow
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


@slow
def test_the_rows_for_a_mean_difference_give_the_power_that_they_promise():
    rng, runs = np.random.default_rng(0), 2000
    n = rows_needed_for_difference(0.1, 0.6).n_rows
    drawn = rng.normal(0.1, 0.6, (runs, n))
    hits = int((stats.ttest_1samp(drawn, 0, axis=1).pvalue < 0.05).sum())
    assert stats.binomtest(hits, runs, 0.8).pvalue > 0.001


def exclusive_or(rng, n):
    X = rng.normal(size=(n, 5))
    return X, (X[:, 0] * X[:, 1] > 0).astype(int)


def two_normals(rng, n):
    y = rng.integers(2, size=n)
    return rng.normal(size=(n, 4)) + 0.7 * np.outer(y, [1, 1, 0, 0]), y


@pytest.mark.long
@pytest.mark.statistical
@pytest.mark.parametrize(
    ("learner", "draw", "n"),
    [
        (DecisionTreeClassifier(max_depth=4, random_state=0), exclusive_or, 300),
        (DecisionTreeClassifier(random_state=0), two_normals, 100),
        (GaussianNB(), two_normals, 60),
    ],
)
def test_the_interval_of_what_twice_the_cases_brought_holds_it(learner, draw, n):
    rng, runs = np.random.default_rng(7), 60
    fresh_X, fresh_y = draw(rng, 4_000)

    def true_error(size):
        fits = (learner.fit(*draw(rng, size)).predict(fresh_X) for _ in range(120))
        return np.mean([np.mean(answers != fresh_y) for answers in fits])

    whole = n - n // 5
    gain, held = true_error(round(whole / 2)) - true_error(whole), 0
    for _ in range(runs):
        low, high = error_by_size(learner, *draw(rng, n), random_state=rng).gain_interval
        held += low <= gain <= high
    # at least 93 % are promised; fewer than this are seen once in a thousand times
    assert held >= stats.binom.ppf(0.001, runs, 0.93)
