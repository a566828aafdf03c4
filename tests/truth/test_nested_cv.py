"""The nested cross-validation interval against the formulas written out one by one."""

from math import sqrt
from statistics import NormalDist, mean, stdev, variance
from typing import ClassVar

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

from fivefold.truth import estimate_error
from fivefold.truth.cross_validation import nested_error
from fivefold.truth.error_estimate import error_limits

RNG = np.random.default_rng(3)
X = RNG.normal(size=(53, 3))
Y = (X[:, 0] + RNG.normal(size=53) > 0).astype(int)


def slow_interval(learner, X, y, deals, small, k, confidence):
    """Follow Bates, Hastie and Tibshirani step by step; `deals` gives the fold of each case, -1 for none.

    Folds have the same shares of the classes: errors are counted around the mean of their class. The error after
    all cases is read twice: along the slope of two sizes of training sets, and with `small` folds left out.
    """
    n, everything, plain, runs = len(y), [], [], []

    def errors_without(folds, left_out, asked):
        train = [i for i in range(n) if folds[i] not in left_out]
        test = [i for i in range(n) if folds[i] == asked]
        said = clone(learner).fit(X[train], y[train]).predict(X[test])
        return [(float(a != b), b) for a, b in zip(said, y[test], strict=True)]

    for folds in deals:
        for f in range(k):
            inner = [e for g in range(k) if g != f for e in errors_without(folds, (f, g), g)]
            outer = errors_without(folds, (f,), f)
            runs.append((inner, outer))
            everything += inner
            plain += outer
    errors = [error for error, _ in everything]
    usual = {label: mean(error for error, of in everything if of == label) for label in set(y.tolist())}
    differences = []
    for inner, outer in runs:
        inside, outside = ([error - usual[of] for error, of in part] for part in (inner, outer))
        differences.append((mean(inside) - mean(outside)) ** 2 - variance(outside) / len(outside))
    between = mean((usual[of] - mean(errors)) ** 2 for _, of in everything)
    inflation = (mean(differences) * n * (k - 1) / k + between) / stdev(errors) ** 2
    slope, reach = mean(errors) - mean(error for error, _ in plain), ((k - 2) / k) ** 1.5
    ahead = min(max(mean(errors) - (1 + reach) * slope, 0.0), 1.0)
    nearly = mean(
        error for fold in range(max(small) + 1) for error, _ in errors_without(small, (fold,), fold)
    )
    ends = [wider(error, n / max(inflation, 1.0), confidence) for error in (ahead, nearly)]
    return min(low for low, _ in ends), max(high for _, high in ends)


def wider(error, n, confidence):
    """Give the wider of the exact and the normal limits of a share of n cases."""
    half = NormalDist().inv_cdf(0.5 + confidence / 2) * sqrt(error * (1 - error) / n)
    tail, wrong = (1 - confidence) / 2, error * n
    exact = stats.beta.ppf(tail, wrong, n - wrong + 1), stats.beta.isf(tail, wrong + 1, n - wrong)
    return max(0.0, min(exact[0], error - half)), min(1.0, max(exact[1], error + half))


class Watched(ClassifierMixin, BaseEstimator):
    """Another estimator, of which is kept what rows it did not learn from; the last column numbers the rows."""

    left_out: ClassVar[list[set[int]]] = []

    def __init__(self, inner):
        self.inner = inner

    def fit(self, X, y):
        self.left_out.append(set(range(53)) - set(X[:, -1].astype(int).tolist()))
        self.classes_ = np.unique(y)
        self.inner_ = clone(self.inner).fit(X[:, :-1], y)
        return self

    def predict(self, X):
        return self.inner_.predict(X[:, :-1])


@pytest.mark.parametrize("learner", [DecisionTreeClassifier(max_depth=2, random_state=0), GaussianNB()])
@pytest.mark.parametrize("k", [3, 5])
def test_the_interval_by_its_definition(learner, k):
    Watched.left_out.clear()
    numbered = np.column_stack([X, np.arange(53)])
    options = {"n_splits": k, "interval": "nested-cv", "nested_repeats": 3, "confidence": 0.9}
    found = estimate_error(Watched(learner), numbered, Y, random_state=0, **options).interval
    # first the plain folds, then in each deal the folds and their pairs, then small ones of two cases or more
    per_deal, n_small = k + k * (k - 1) // 2, 53 // 2
    assert len(Watched.left_out) == k + 3 * per_deal + n_small
    folds = []
    for number in range(3):
        singles = Watched.left_out[k + number * per_deal :][:k]
        assert [len(rows) for rows in singles] == [53 // k] * k
        assert len(set.union(*singles)) == 53 - 53 % k
        ones = [sum(Y[row] for row in rows) for rows in singles]
        assert max(ones) - min(ones) <= 1
        folds.append([next((f for f, rows in enumerate(singles) if row in rows), -1) for row in range(53)])
    singles = Watched.left_out[-n_small:]
    assert {len(rows) for rows in singles} == {2, 3}
    small = [next(f for f, rows in enumerate(singles) if row in rows) for row in range(53)]
    assert (found.low, found.high) == pytest.approx(slow_interval(learner, X, Y, folds, small, k, 0.9))
    assert found.low < found.estimate < found.high
    assert found.at(0.9) == (found.low, found.high)


@given(st.integers(0, 10**6), st.integers(3, 6), st.integers(2, 9), st.sampled_from([0.0, 0.02, 0.4, 1.0]))
def test_cases_count_for_no_more_than_they_are_and_for_no_less_than_two(seed, k, m, error):
    rng = np.random.default_rng(seed)
    alone = (rng.random((k, m)) < error).astype(float)
    paired = (rng.random((k, k, m)) < error).astype(float)
    classes = rng.integers(3, size=(1, k, m))
    estimate, n_effective = nested_error(alone[None], paired[None], classes, k * m)
    assert 2 <= n_effective <= k * m
    low, high = error_limits(estimate, n_effective, 0.01, 0.9)
    assert low <= max(0.0, estimate - 0.01) <= min(1.0, estimate + 0.01) <= high
    # with no error at all, or no right answer, the truth is still not known
    assert high - low > 0.01


def test_the_interval_without_errors_is_that_of_so_many_cases():
    found = estimate_error(
        DecisionTreeClassifier(),
        np.repeat([[0.0], [1.0]], 20, axis=0),
        np.repeat([0, 1], 20),
        interval="nested-cv",
        nested_repeats=2,
        n_splits=4,
        random_state=0,
    )
    assert (found.interval.low, found.interval.high) == pytest.approx((0.0, 1 - 0.025 ** (1 / 40)))


def test_it_comes_with_its_reason_and_without_the_warning_that_it_answers():
    found = estimate_error(GaussianNB(), X, Y, interval="nested-cv", nested_repeats=5, random_state=0)
    assert found.interval.kind == "nested-cv"
    assert "folds share training cases" in found.interval.reason
    assert not any("nested-cv" in sentence for sentence in found.warnings)
    assert found.value == estimate_error(GaussianNB(), X, Y, random_state=0).value
