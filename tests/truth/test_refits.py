"""Many fits: seeds, parallel work, training sets that cannot be learnt from."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from fivefold.errors import InputError, InputTypeError
from fivefold.truth import predict_after_refits

RNG = np.random.default_rng(0)
X = RNG.normal(size=(40, 6))
Y = (X[:, 0] + 0.5 * RNG.normal(size=40) > 0).astype(int)
COUNTS = RNG.multinomial(40, np.full(40, 1 / 40), size=6)


class Remembering(ClassifierMixin, BaseEstimator):
    """Answers with the rows it was fitted to, in the order in which they came."""

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        self.order_ = X[:, 0].tolist()
        assert self.order_ == sorted(self.order_)
        return self

    def predict(self, X):
        return np.where(np.isin(X[:, 0], self.order_), self.classes_[1], self.classes_[0])


def test_rows_are_repeated_in_the_order_of_the_table():
    numbered = np.arange(40.0)[:, None]
    said = predict_after_refits(Remembering(), numbered, Y, COUNTS)
    assert (said == (COUNTS > 0)).all()


def test_the_number_of_jobs_changes_nothing():
    learner = DecisionTreeClassifier(splitter="random")
    alone = predict_after_refits(learner, X, Y, COUNTS, random_state=3)
    assert (alone == predict_after_refits(learner, X, Y, COUNTS, random_state=3, n_jobs=2)).all()
    assert (alone != predict_after_refits(learner, X, Y, COUNTS, random_state=4)).any()


def test_a_learners_own_seed_is_kept():
    learner = make_pipeline(StandardScaler(), DecisionTreeClassifier(splitter="random", random_state=5))
    alone = predict_after_refits(learner, X, Y, COUNTS, random_state=0)
    assert (alone == predict_after_refits(learner, X, Y, COUNTS, random_state=1)).all()


def test_a_training_set_of_one_class_answers_that_class_even_if_the_learner_cannot_learn_it():
    only = np.where(Y == 1, 1, 0)[None, :]
    assert (predict_after_refits(LogisticRegression(), X, Y, only) == 1).all()


@pytest.mark.parametrize("labels", [["no", "yes"], [False, True], [3, 7], [0.0, 1.0]], ids=str)
@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame, np.asarray, lambda x: x.tolist()])
def test_any_table_and_any_labels(frame, labels):
    given = {"x": X[:, 0], "z": X[:, 1]} if frame in (pd.DataFrame, pl.DataFrame) else X[:, :2]
    y = [labels[code] for code in Y]
    said = predict_after_refits(DecisionTreeClassifier(random_state=0), frame(given), y, COUNTS)
    plain = predict_after_refits(DecisionTreeClassifier(random_state=0), X[:, :2], Y, COUNTS)
    assert said.tolist() == [[labels[code] for code in row] for row in plain]


@pytest.mark.parametrize(
    ("counts", "message"),
    [
        ([[1, 2, 3]], "whole numbers in rows of 40"),
        (np.full((1, 40), 0.5), "whole numbers"),
        (np.zeros((2, 40), dtype=int), "none in set 0"),
        (-np.ones((1, 40), dtype=int), "-1 for case 0 of set 0"),
    ],
)
def test_counts_are_checked(counts, message):
    with pytest.raises(InputError, match=message):
        predict_after_refits(KNeighborsClassifier(), X, Y, counts)


def test_a_learner_that_cannot_learn_says_on_what():
    few = np.zeros((1, 40), dtype=int)
    few[0, np.flatnonzero(Y)[0]] = few[0, np.flatnonzero(Y == 0)[0]] = 1
    with pytest.raises(InputError, match="ValueError from KNeighborsClassifier on a set of 2 rows"):
        predict_after_refits(KNeighborsClassifier(5), X, Y, few)


@pytest.mark.parametrize("learner", [DecisionTreeClassifier, object(), "tree"])
def test_what_is_no_learner(learner):
    with pytest.raises(InputTypeError):
        predict_after_refits(learner, X, Y, COUNTS)
