"""The guard as an estimator."""

import numpy as np
import polars as pl
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.estimator_checks import check_estimator

from fivefold.slices import SliceGuard


@pytest.fixture(scope="module")
def crossed():
    """A problem that a linear model gets wrong above 0.75 in the second attribute."""
    rng = np.random.default_rng(0)
    X = rng.random((3000, 2))
    y = np.where((X[:, 0] > 0.5) ^ (X[:, 1] > 0.75), "b", "a")
    return X, y


@pytest.mark.slow
def test_it_keeps_the_estimator_contract():
    check_estimator(SliceGuard(LogisticRegression()), on_skip=None, on_fail="raise")


def test_flagged_cases_are_those_that_go_wrong(crossed):
    X, y = crossed
    guard = SliceGuard(LogisticRegression(), bins={"x0": [0.5], "x1": [0.75]}).fit(X[:2000], y[:2000])
    flagged, wrong = guard.flag(X[2000:]), guard.predict(X[2000:]) != y[2000:]
    assert wrong[flagged].mean() > 3 * wrong[~flagged].mean()
    assert all(bool(why) == mark for why, mark in zip(guard.reasons(X[2000:]), flagged, strict=True))
    assert all(one.difference < 0 for one in guard.slices_)


def test_the_fallback_answers_flagged_cases_only(crossed):
    X, y = crossed
    plain, tree = LogisticRegression(), DecisionTreeClassifier(random_state=0)
    guard = SliceGuard(plain, fallback=tree, bins=4).fit(X[:2000], y[:2000])
    rest = X[2000:]
    flagged = guard.flag(rest)
    assert 0 < flagged.sum() < flagged.size
    for method in ("predict", "predict_proba"):
        told = getattr(guard, method)(rest)
        assert np.array_equal(told[flagged], getattr(guard.fallback_, method)(rest)[flagged])
        assert np.array_equal(told[~flagged], getattr(guard.estimator_, method)(rest)[~flagged])
    assert guard.score(rest, y[2000:]) > guard.estimator_.score(rest, y[2000:]) + 0.1


def test_probabilities_only_where_both_have_them(crossed):
    assert hasattr(SliceGuard(LogisticRegression()), "predict_proba")
    assert not hasattr(SliceGuard(LinearSVC()), "predict_proba")
    assert not hasattr(SliceGuard(LogisticRegression(), fallback=LinearSVC()), "predict_proba")


def test_frames_keep_their_names(crossed):
    X, y = crossed
    frame = pl.DataFrame(X, schema=["left", "right"]).to_pandas()
    guard = SliceGuard(LogisticRegression()).fit(frame, y)
    assert {term.column for one in guard.slices_ for term in one.terms} <= {"left", "right"}
    assert guard.flag(frame).shape == (3000,)
