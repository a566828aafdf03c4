"""Fast paths give what the learner itself gives, case for case."""

import sys

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.naive_bayes import BernoulliNB, CategoricalNB, GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier

from fivefold.errors import InputError
from fivefold.learners import Foil, NaiveBayes
from fivefold.truth import estimate_error, predict_after_refits

BOOLEAN, WHOLE, REAL = "boolean", "whole", "real"

LEARNERS = {
    "foil": (Foil(target=True), BOOLEAN, 2),
    "foil, other class": (Foil(target=False), BOOLEAN, 2),
    "foil, paper": (Foil(target=True, info="paper", pruning=False, min_accuracy=0.5), BOOLEAN, 2),
    "1-nn": (KNeighborsClassifier(1), REAL, 3),
    "3-nn": (KNeighborsClassifier(3), REAL, 3),
    "2-nn with ties": (KNeighborsClassifier(2), WHOLE, 3),
    "3-nn brute, ties": (KNeighborsClassifier(3, algorithm="brute"), WHOLE, 2),
    "3-nn manhattan": (KNeighborsClassifier(3, p=1), WHOLE, 3),
    "bayes": (NaiveBayes(), BOOLEAN, 3),
    "bayes, k": (NaiveBayes(m="k", class_m=2.0), BOOLEAN, 3),
    "bayes, frequencies": (NaiveBayes(m=0), BOOLEAN, 3),
    "bernoulli": (BernoulliNB(), BOOLEAN, 3),
    "bernoulli, cut": (BernoulliNB(alpha=0.3, binarize=0.4, fit_prior=False), REAL, 3),
    "categorical": (CategoricalNB(min_categories=None), WHOLE, 3),
    "gaussian": (GaussianNB(), REAL, 3),
    "gaussian, ties": (GaussianNB(var_smoothing=1e-3), WHOLE, 3),
}


def table_of(rng, kind, n, d):
    if kind == BOOLEAN:
        return rng.integers(0, 2, (n, d)).astype(bool)
    return rng.integers(0, 3, (n, d)) if kind == WHOLE else rng.normal(size=(n, d))


def classes_of(rng, X, n_classes):
    y = (X[:, 0] > 0).astype(int) + rng.integers(0, 2, len(X)) * rng.integers(0, n_classes, len(X))
    y = np.minimum(y, n_classes - 1)
    y[:n_classes] = np.arange(n_classes)
    return y.astype(bool) if n_classes == 2 else np.array(["a", "b", "c"])[y]


def slow(learner, X, y, counts):
    said = []
    for row in counts:
        rows = np.repeat(np.arange(len(y)), row)
        if len(set(y[rows].tolist())) == 1:
            said.append(np.full(len(y), y[rows[0]]))
        else:
            said.append(clone(learner).fit(X[rows], y[rows]).predict(X))
    return np.array(said)


def sets_of(rng, n):
    drawn = rng.multinomial(n, np.full(n, 1 / n), size=3)
    left_out = 1 - np.eye(n, dtype=int)[:3]
    few = (rng.random((2, n)) < 0.4).astype(int)
    few[:, -3:] = 1
    return np.concatenate([drawn, left_out, few])


@pytest.mark.parametrize("name", LEARNERS)
@given(seed=st.integers(0, 10**6), n=st.integers(8, 25), d=st.integers(1, 6))
@settings(max_examples=8)  # of eight training sets each
def test_same_answers_as_the_learner_itself(name, seed, n, d):
    learner, kind, n_classes = LEARNERS[name]
    rng = np.random.default_rng(seed)
    X = table_of(rng, kind, n, d)
    if isinstance(learner, CategoricalNB):
        X[-3:] = 2  # stands in every training set but the drawn, where scikit-learn may refuse
    y, counts = classes_of(rng, X, n_classes), sets_of(rng, n)
    if isinstance(learner, CategoricalNB):
        counts[:, -1] += counts[:, -1] == 0
    assert predict_after_refits(learner, X, y, counts).tolist() == slow(learner, X, y, counts).tolist()


def left_out(n):
    return 1 - np.eye(n, dtype=int)


@pytest.fixture
def n_fits(monkeypatch):
    """Count the fits of the types of some estimators."""

    def count(learner):
        fit, calls = type(learner).fit, []
        monkeypatch.setattr(type(learner), "fit", lambda self, X, y: calls.append(1) or fit(self, X, y))
        return calls

    return count


@pytest.mark.parametrize("name", [name for name in LEARNERS if "ties" not in name])
def test_they_are_used_and_leave_nothing_to_the_learner_where_nothing_is_tied(name, n_fits):
    learner, kind, n_classes = LEARNERS[name]
    rng = np.random.default_rng(0)
    X = table_of(rng, kind, 60, 10) if kind != WHOLE else rng.integers(0, 10**6, (60, 10))
    if isinstance(learner, CategoricalNB):
        X = rng.integers(0, 3, (60, 10))
    calls = n_fits(learner)
    predict_after_refits(learner, X, classes_of(rng, X, n_classes), left_out(60)[:20])
    assert not calls


@pytest.mark.parametrize(
    ("learner", "X"),
    [
        (KNeighborsClassifier(3, weights="distance"), np.arange(20.0)[:, None]),
        (KNeighborsClassifier(3), np.arange(20, dtype=np.float32)[:, None]),
        (KNeighborsClassifier(3, metric="chebyshev"), np.arange(20.0)[:, None]),
        (NaiveBayes(), np.arange(20.0)[:, None]),
        (Foil(), np.eye(20, dtype=bool)),
        (Foil(target=1), np.arange(20.0)[:, None]),
        (BernoulliNB(class_prior=[0.5, 0.5]), np.eye(20)),
        (GaussianNB(priors=[0.5, 0.5]), np.eye(20)),
        (type("GaussianNB", (GaussianNB,), {})(), np.eye(20)),
    ],
    ids=lambda value: type(value).__name__,
)
def test_no_fast_path_where_the_learner_would_do_something_else(learner, X, n_fits):
    calls = n_fits(learner)
    predict_after_refits(learner, X, np.arange(20) % 2, left_out(20)[:2])
    assert len(calls) == 2


def test_frames_of_booleans_are_fast_too(n_fits):
    X = pl.DataFrame({"a": [True, False] * 8, "b": [True, True, False, False] * 4})
    y = ["yes" if a and not b else "no" for a, b in X.iter_rows()]
    calls = n_fits(Foil())
    answers = predict_after_refits(Foil(target="yes"), X, y, left_out(16))
    assert answers.diagonal().tolist() == y
    assert not calls


def test_our_learners_are_not_loaded_for_others(monkeypatch):
    for name in [name for name in sys.modules if name.startswith("fivefold.learners")]:
        monkeypatch.delitem(sys.modules, name)
    estimate_error(DecisionTreeClassifier(), np.eye(6), [0, 1] * 3, n_splits=2)
    assert not [name for name in sys.modules if name.startswith("fivefold.learners")]


def test_a_category_that_training_did_not_see_is_refused_as_by_scikit_learn():
    X, y = np.array([[0], [1], [0], [2]]), [0, 1, 0, 1]
    with pytest.raises(InputError, match="IndexError from CategoricalNB on a set of 3 rows") as caught:
        predict_after_refits(CategoricalNB(), X, y, [[1, 1, 1, 0]])
    assert isinstance(caught.value.__cause__, IndexError)
