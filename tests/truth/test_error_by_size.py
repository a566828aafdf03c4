"""Errors by the size of the training set, against fits one by one and against known gains."""

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

import fivefold as ff

RNG = np.random.default_rng(0)
X = RNG.normal(size=(103, 3))
Y = np.where(X[:, 0] + RNG.normal(size=103) > 0, "yes", "no")


class Recorder(ClassifierMixin, BaseEstimator):
    """Answer right after more than some cases, and wrong after fewer; keep what it was given."""

    seen = []  # noqa: RUF012 - clones write into the same list

    def __init__(self, enough=50):
        self.enough = enough

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        self.seen.append((X[:, 0].astype(int), np.asarray(y)))
        self.wise_ = len(y) > self.enough
        return self

    def predict(self, X):
        right = X[:, 1].astype(int)
        return np.where(self.wise_, right, 1 - right)


def test_parts_are_class_by_class_and_never_hold_what_is_asked():
    y = np.repeat([0, 1], [70, 30])
    cases = np.column_stack([np.arange(100), y])
    Recorder.seen.clear()
    curve = ff.truth.error_by_size(Recorder(), cases, y, n_splits=5, n_repeats=2)
    assert curve.sizes == (10, 20, 40, 80)
    assert curve.errors == (1.0, 1.0, 1.0, 0.0)
    assert [len(rows) for rows, _ in Recorder.seen] == [size for size in curve.sizes for _ in range(10)]
    for rows, labels in Recorder.seen:
        assert len(set(rows)) == len(rows)
        assert abs(np.mean(labels) - 0.3) < 0.06
    whole = [set(rows) for rows, _ in Recorder.seen[-10:]]
    assert sum(len(set(range(100)) - rows) for rows in whole) == 200


def test_a_gain_that_all_cases_show_is_proven_and_none_is_not():
    y = np.repeat([0, 1], 60)
    cases = np.column_stack([np.arange(120), y])
    wiser = ff.truth.error_by_size(Recorder(50), cases, y)
    assert wiser.gain == 1.0
    assert wiser.gain_interval[0] > 0.9
    assert "took 100.0 points off its error" in wiser.sentence
    same = ff.truth.error_by_size(Recorder(10), cases, y)
    assert same.gain == 0.0
    assert same.gain_interval[0] < 0 < same.gain_interval[1]
    assert "no proven gain" in same.sentence


def test_groups_stay_whole():
    groups = np.repeat(np.arange(20), 6)
    y = np.tile([0, 1], 60)
    cases = np.column_stack([groups, y])
    Recorder.seen.clear()
    ff.truth.error_by_size(Recorder(), cases, y, groups=groups)
    for rows, _ in Recorder.seen:
        assert set(np.bincount(rows)[np.unique(rows)]) == {6}


def test_the_same_seed_gives_the_same_curve():
    first, again = (
        ff.truth.error_by_size(DecisionTreeClassifier(), X, Y, random_state=3, n_jobs=n_jobs)
        for n_jobs in (None, 2)
    )
    assert (first.errors, first.gain_interval) == (again.errors, again.gain_interval)
    assert first.frame()["n"].to_list() == list(first.sizes)


def test_too_few_cases_are_refused():
    with pytest.raises(ff.errors.InputError, match="at least 10 cases in half of a training set"):
        ff.truth.error_by_size(GaussianNB(), X[:20], Y[:20])
