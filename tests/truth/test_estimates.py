"""Estimates of error against scikit-learn, against slow definitions, and against hand calculation."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from joblib import parallel_config
from scipy import sparse, stats
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.datasets import load_iris
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import make_scorer, matthews_corrcoef
from sklearn.model_selection import (
    GridSearchCV,
    LeaveOneOut,
    ShuffleSplit,
    StratifiedKFold,
    cross_val_predict,
    cross_val_score,
)
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier

import fivefold as ff
from fivefold.learners import Foil, OneR
from fivefold.truth import duplicate_sensitivity, estimate_error
from fivefold.truth.bootstrap import weight_632_plus

RNG = np.random.default_rng(7)
X = RNG.normal(size=(60, 4))
Y = np.array(["no", "yes"])[(X[:, 0] + RNG.normal(size=60) > 0.3).astype(int)]
TREE = DecisionTreeClassifier(random_state=0)


class Stubborn(ClassifierMixin, BaseEstimator):
    """Answers the first column of the case, whatever it was taught: its errors are known beforehand."""

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        return np.asarray(X)[:, 0].astype(int)


class Silent(Stubborn):
    """Has no answer to half of the cases."""

    def predict(self, X):
        said = super().predict(X).astype(object)
        said[::2] = None
        return said


# --- against scikit-learn ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "learner", [TREE, GaussianNB(), KNeighborsClassifier(3), LogisticRegression()], ids=str
)
def test_folds_as_in_cross_val_score(learner):
    folds = StratifiedKFold(6, shuffle=True, random_state=1)
    peer = cross_val_score(learner, X, Y, cv=folds)
    ours = estimate_error(learner, X, Y, cv=folds)
    assert np.allclose(ours.scores, 1 - peer)
    assert ours.sd_folds == pytest.approx(peer.std(ddof=1))
    assert ours.value == pytest.approx(np.mean(cross_val_predict(learner, X, Y, cv=folds) != Y))


def test_given_rows_teach_in_the_order_given_as_in_cross_val_score():
    # a search deals its own folds in the order of the rows
    depths = GridSearchCV(TREE, {"max_depth": [1, 2, 4]}, cv=3)
    shuffled = ShuffleSplit(12, test_size=0.3, random_state=2)
    peer = cross_val_score(depths, X, Y, cv=shuffled, error_score="raise")
    assert np.allclose(estimate_error(depths, X, Y, cv=shuffled).scores, 1 - peer)


@pytest.mark.parametrize("kind", ["coo", "dia", "bsr", "csc", "lil", "dok"])
def test_any_kind_of_sparse_matrix_is_as_good_as_another(kind):
    X = sparse.random_array((60, 5), density=0.4, format="csr", rng=0)
    for method in ("cv", "632", "holdout"):
        expected = estimate_error(KNeighborsClassifier(3), X, Y, method=method).scores
        assert (
            estimate_error(KNeighborsClassifier(3), X.asformat(kind), Y, method=method).scores == expected
        ).all()


def test_leave_one_out_as_in_cross_val_score():
    peer = 1 - cross_val_score(TREE, X, Y, cv=LeaveOneOut())
    ours = estimate_error(TREE, X, Y, method="loo")
    assert (ours.per_example == peer).all()
    assert ours.value == peer.mean()
    assert ours.n_fits == 60


@pytest.mark.parametrize("scorer", ["roc_auc", "balanced_accuracy", make_scorer(matthews_corrcoef)], ids=str)
def test_scorers_as_in_cross_val_score(scorer):
    folds = StratifiedKFold(4)
    ours = estimate_error(GaussianNB(), X, Y, metric=scorer, cv=folds)
    peer = cross_val_score(GaussianNB(), X, Y, scoring=scorer, cv=folds)
    assert np.allclose(ours.scores, peer)
    assert ours.value == pytest.approx(peer.mean())
    assert ours.metric_direction == "higher is better"
    assert ours.per_example is None


def test_our_metrics_read_all_answers_of_a_repetition_together():
    folds = StratifiedKFold(4)
    prob = cross_val_predict(GaussianNB(), X, Y, cv=folds, method="predict_proba")
    ours = estimate_error(GaussianNB(), X, Y, metric=ff.bets.log_score, cv=folds)
    assert ours.value == pytest.approx(ff.bets.log_score(Y, prob))
    said = cross_val_predict(GaussianNB(), X, Y, cv=folds)
    bits = estimate_error(GaussianNB(), X, Y, metric=ff.bits.significance, cv=folds)
    assert bits.value == pytest.approx(ff.bits.significance(Y, said))


def test_a_metric_of_probabilities_with_leave_one_out_and_a_class_that_training_lacks():
    y = Y.copy()
    y[0] = "once"
    found = estimate_error(GaussianNB(), X, y, metric="brier_score", method="loo")
    assert 0 < found.value < 2


# --- against definitions -------------------------------------------------------------------------------------


def slow_632(learner, X, y, copies):
    n, ratios, cases = len(y), [], [[] for _ in y]
    for row in copies:
        rows = [i for i in range(n) for _ in range(row[i])]
        out = [i for i in range(n) if row[i] == 0]
        if not out:
            continue
        wrong = clone(learner).fit(X[rows], y[rows]).predict(X[out]) != y[out]
        ratios.append(sum(wrong) / len(out))
        for i, bad in zip(out, wrong, strict=True):
            cases[i].append(bad)
    e_b = sum(ratios) / len(ratios)
    said = clone(learner).fit(X, y).predict(X)
    e_r = sum(said != y) / n
    gamma = sum(np.mean(y == c) * (1 - np.mean(said == c)) for c in set(y.tolist()))
    capped = min(e_b, gamma)
    r = (capped - e_r) / (gamma - e_r) if capped > e_r and gamma > e_r else 0.0
    w = 0.632 / (1 - 0.368 * r)
    return {
        "bootstrap": e_b,
        "632": 0.368 * e_r + 0.632 * e_b,
        "632+": (1 - w) * e_r + w * capped,
        "per_example": [np.mean(one) if one else np.nan for one in cases],
        "gamma": gamma,
    }


@pytest.mark.parametrize(
    "learner", [TREE, DecisionTreeClassifier(max_depth=1, random_state=0), KNeighborsClassifier(1)], ids=str
)
@given(seed=st.integers(0, 10**6))
@settings(max_examples=4)
def test_bootstrap_and_632_by_their_definitions(learner, seed):
    # the resamples are the first thing that is drawn, so that all methods see the same
    copies = np.random.default_rng(seed).multinomial(60, np.full(60, 1 / 60), size=12)
    slow = slow_632(learner, X, Y, copies)
    for method in ("bootstrap", "632", "632+"):
        found = estimate_error(learner, X, Y, method=method, n_resamples=12, random_state=seed)
        assert found.value == pytest.approx(slow[method], abs=1e-12)
        assert np.allclose(found.per_example, slow["per_example"], equal_nan=True)
    assert found.parts["no_information"] == pytest.approx(slow["gamma"])


def test_632_by_hand():
    # always right about 3 of 4 cases, whatever it is taught: e_r is 1/4, and so is e_b on average
    x = np.array([[0], [0], [1], [1]] * 5)
    y = np.array([0, 0, 1, 0] * 5)
    found = estimate_error(Stubborn(), x, y, method="632", n_resamples=200, random_state=0)
    assert found.parts["resubstitution"] == 0.25
    assert found.value == pytest.approx(0.368 * 0.25 + 0.632 * found.parts["bootstrap"])
    assert found.parts["bootstrap"] == pytest.approx(0.25, abs=4 * found.standard_error / 0.632)


def test_the_error_without_information_by_hand():
    x = np.array([[0], [1], [1], [1]] * 5)
    found = estimate_error(Stubborn(), x, [0, 0, 1, 0] * 5, method="632+", random_state=0)
    # the classes 0 and 1 have shares 3/4 and 1/4, the answers 1/4 and 3/4
    assert found.parts["no_information"] == pytest.approx(3 / 4 * 3 / 4 + 1 / 4 * 1 / 4)


def test_632_plus_is_never_worse_than_no_information():
    class Contrary(Stubborn):
        def fit(self, X, y):
            self.known_ = dict(zip(X[:, 1].tolist(), y.tolist(), strict=True))
            return super().fit(X, y)

        def predict(self, X):
            return np.array([self.known_.get(key, 1 - truth) for truth, key in X.tolist()])

    y = np.array([0, 1] * 15)
    found = estimate_error(Contrary(), np.column_stack([y, np.arange(30)]), y, method="632+", random_state=0)
    assert found.parts["bootstrap"] == 1.0
    assert found.parts["resubstitution"] == 0.0
    assert (found.parts["relative_overfitting"], found.parts["weight"]) == pytest.approx((1.0, 1.0))
    assert found.value == pytest.approx(0.5)


@pytest.mark.parametrize(
    ("e_r", "e_b", "gamma", "overfitting", "weight"),
    [
        (0.0, 0.25, 0.5, 0.5, 0.632 / (1 - 0.184)),
        (0.0, 0.7, 0.5, 1.0, 1.0),  # worse than no information: the cap, and all weight out of the bag
        (0.1, 0.05, 0.5, 0.0, 0.632),  # better out of the bag than in it
        (0.6, 0.7, 0.5, 0.0, 0.632),  # no information would be better than memory
    ],
)
def test_weights_of_632_plus_by_hand(e_r, e_b, gamma, overfitting, weight):
    found = weight_632_plus(e_r, e_b, gamma)
    assert found[:2] == pytest.approx((overfitting, weight))


@given(st.floats(0, 0.4), st.floats(0, 0.9), st.floats(0.05, 0.9))
def test_the_slope_of_632_plus_is_its_derivative(e_r, e_b, gamma):
    def value(e):
        _, w, _ = weight_632_plus(e_r, e, gamma)
        return (1 - w) * e_r + w * min(e, gamma)

    near_a_kink = min(abs(e_b - gamma), abs(e_b - e_r), abs(gamma - e_r)) < 1e-3
    if not near_a_kink and gamma > e_r and e_b > e_r:
        slope = (value(e_b + 1e-7) - value(e_b - 1e-7)) / 2e-7
        assert weight_632_plus(e_r, e_b, gamma)[2] == pytest.approx(slope, rel=1e-4, abs=1e-6)


def test_without_duplicates_each_drawn_case_teaches_once():
    majority = DummyClassifier(strategy="prior")
    y = np.array([0] * 3 + [1] * 5)
    copies = np.random.default_rng(2).multinomial(8, np.full(8, 1 / 8), size=30)

    def ratio(row):
        out = np.flatnonzero(row == 0)
        counts = np.bincount(y[row > 0], minlength=2)
        return np.mean(y[out] != counts.argmax()) if out.size else None

    ratios = [r for r in map(ratio, copies) if r is not None]
    options = {"method": "bootstrap", "n_resamples": 30, "random_state": 2}
    found = estimate_error(majority, np.zeros((8, 1)), y, duplicates=False, **options)
    assert found.value == pytest.approx(np.mean(ratios))
    assert found.value != estimate_error(majority, np.zeros((8, 1)), y, **options).value


def test_the_majority_is_always_wrong_when_the_left_out_case_decides():
    # the paper's warning about leave-one-out in its purest form: 50% wrong by nature, 100% by leave-one-out
    y = np.array([0, 1] * 10)
    found = estimate_error(DummyClassifier(), np.zeros((20, 1)), y, method="loo")
    assert found.value == 1.0


def test_spread_between_repetitions_is_apart_from_that_between_folds():
    found = estimate_error(TREE, X, Y, n_splits=5, n_repeats=4, random_state=0)
    scores = found.scores.reshape(4, 5)
    assert found.sd_repetitions == pytest.approx(scores.mean(axis=1).std(ddof=1))
    assert found.sd_folds == pytest.approx(np.sqrt(scores.var(axis=1, ddof=1).mean()))
    assert found.standard_error == pytest.approx(found.sd_repetitions / 2)
    assert found.repetition.tolist() == np.repeat(np.arange(4), 5).tolist()
    assert found.value == pytest.approx(found.per_example.mean())


def test_repetitions_of_a_stubborn_learner_do_not_vary():
    x = np.array([[0], [0], [1], [1]] * 5)
    found = estimate_error(Stubborn(), x, [0, 0, 1, 0] * 5, n_splits=4, n_repeats=3, random_state=0)
    assert found.value == 0.25
    assert found.sd_repetitions == 0.0


class Listening:
    """A scorer that keeps the classes of the rows that were asked after each training set."""

    def __init__(self, classes):
        self.classes, self.heard = classes, []

    def __call__(self, model, X, y):
        self.heard.append([int(np.sum(y == label)) for label in self.classes])
        return 0.0


@given(st.integers(4, 40), st.integers(2, 12), st.integers(2, 4), st.booleans(), st.integers(0, 1000))
def test_folds_are_even_and_so_are_their_classes(n, k, n_classes, stratify, seed):
    y = np.random.default_rng(seed).integers(0, n_classes, n)
    y[:2] = [0, 1]
    listening = Listening(range(n_classes))
    options = {"n_splits": min(k, n), "stratify": stratify, "random_state": seed, "metric": listening}
    estimate_error(Stubborn(), np.zeros((n, 1)), y, **options)
    heard = np.array(listening.heard)
    assert heard.sum(axis=0).tolist() == np.bincount(y, minlength=n_classes).tolist()
    assert np.ptp(heard.sum(axis=1)) <= 1
    if stratify:
        assert np.ptp(heard, axis=0).max() <= 1


@given(st.integers(4, 60), st.floats(0.1, 0.9), st.integers(0, 1000))
def test_hold_out_draws_each_class_in_proportion(n, share, seed):
    y = np.random.default_rng(seed).integers(0, 3, n)
    y[:2] = [0, 1]
    m, listening = min(max(1, round(share * n)), n - 1), Listening(range(3))
    options = {"test_size": m, "random_state": seed, "metric": listening}
    estimate_error(Stubborn(), np.zeros((n, 1)), y, method="holdout", **options)
    (heard,) = listening.heard
    assert sum(heard) == m
    assert np.all(np.abs(heard - np.bincount(y, minlength=3) * m / n) < 1 + 1e-9)


# --- the interval of one fitted rule ---------------------------------------------------------------------------


def test_the_binomial_interval_is_clopper_and_pearsons():
    found = estimate_error(TREE, X, Y, method="holdout", test_size=25, confidence=0.9, random_state=0)
    wrong = round(found.value * 25)
    peer = stats.binomtest(wrong, 25).proportion_ci(0.9, "exact")
    assert (found.interval.low, found.interval.high) == pytest.approx((peer.low, peer.high))
    assert "this one fitted model" in found.interval.reason


@pytest.mark.parametrize(("said", "end"), [([0] * 15 + [1] * 15, 0.0), ([1] * 15 + [0] * 15, 1.0)])
def test_the_binomial_interval_at_the_ends(said, end):
    x = np.array(said)[:, None]
    found = estimate_error(Stubborn(), x, [0] * 15 + [1] * 15, method="holdout", test_size=10, random_state=1)
    # one end is the end of the scale, the other solves (1 - p)^10 = 0.025
    reach = 1 - 0.025 ** (1 / 10)
    expected = (0.0, reach) if end == 0.0 else (1 - reach, 1.0)
    assert (found.interval.low, found.interval.high) == pytest.approx(expected)


def test_no_interval_where_none_is_right():
    for method in ("cv", "loo", "bootstrap", "632", "resubstitution"):
        assert estimate_error(GaussianNB(), X, Y, method=method, random_state=0).interval is None


# --- warnings -------------------------------------------------------------------------------------------------


def has(found, words):
    return sum(words in sentence for sentence in found.warnings)


def test_nearest_neighbours_are_found_to_ignore_duplicates_and_no_other_way_than_in_the_result():
    for method in ("632", "632+"):
        found = estimate_error(KNeighborsClassifier(1), X, Y, method=method, random_state=0)
        assert has(found, "hardly notices repeated cases") == 1
        assert has(found, "no error on its own training cases") == 1
        quiet = estimate_error(
            KNeighborsClassifier(1), X, Y, method=method, random_state=0, check_duplicates=False
        )
        assert has(quiet, "repeated cases") == 0
        assert quiet.value == found.value


def test_a_learner_that_counts_notices_duplicates():
    x = np.random.default_rng(0).integers(0, 2, (60, 8)).astype(bool)
    noisy = np.where(np.random.default_rng(1).random(60) < 0.3, ~x[:, 0], x[:, 0])
    found = duplicate_sensitivity(DecisionTreeClassifier(max_depth=2), x, noisy, random_state=0)
    assert not found.ignores_duplicates
    assert "it notices them" in str(found)


def test_a_random_learner_that_ignores_duplicates_is_not_taken_for_one_that_notices():
    class Whim(Stubborn):
        def __init__(self, random_state=None):
            self.random_state = random_state

        def predict(self, X):
            return np.random.default_rng(self.random_state).integers(0, 2, len(X))

    found = duplicate_sensitivity(Whim(), np.zeros((40, 1)), [0, 1] * 20, random_state=0)
    assert found.disagreement == 0.0


def test_foil_learns_little_from_duplicates():
    rng = np.random.default_rng(0)
    x = rng.integers(0, 2, (100, 20)).astype(bool)
    y = (x[:, 1] & x[:, 2]) | (~x[:, 0] & x[:, 3])
    found = duplicate_sensitivity(Foil(target=True), x, y, random_state=0)
    assert found.out_of_bag > 0
    assert 60 < found.n_distinct < 67


def test_empty_answers_are_wrong_and_reported():
    found = estimate_error(Silent(), np.array([[0], [1]] * 10), [0, 1] * 10, n_splits=5, random_state=0)
    assert found.value == 0.5
    assert has(found, "empty and counted as wrong") == 1


def test_a_column_of_answers_is_read_as_one():
    class Column(Stubborn):
        def predict(self, X):
            return super().predict(X)[:, None]

    found = estimate_error(Column(), np.array([[0], [1]] * 10), [0, 1, 0, 0] * 5, n_splits=4, random_state=0)
    assert found.value == 0.25


def test_training_sets_of_one_class_are_reported():
    y = np.array([0] * 9 + [1])
    found = estimate_error(LogisticRegression(), X[:10], y, method="loo")
    assert found.per_example[9] == 1.0
    assert has(found, "1 training set of 10 held cases of one class only") == 1


def test_resamples_that_hold_every_case_are_skipped_and_reported():
    found = estimate_error(Stubborn(), [[0], [1]], [0, 1], method="bootstrap", n_resamples=40, random_state=0)
    assert has(found, "left none to ask") == 1
    assert found.n_fits == len(found.scores) < 40


def test_a_scorer_without_a_number_is_reported():
    def moody(model, X, y):
        return np.nan if "yes" not in y else 0.5

    found = estimate_error(TREE, X, Y, method="loo", metric=moody)
    assert np.isnan(found.value)
    assert has(found, f"not defined on {np.sum(Y == 'no')} of 60 test sets") == 1


def test_rare_classes_are_reported():
    assert has(
        estimate_error(TREE, X, ["a"] * 57 + ["b"] * 3, random_state=0), "The rarest class has 3 cases"
    )


# --- form -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", ["cv", "holdout", "bootstrap", "632", "632+", "loo"])
def test_the_number_of_jobs_changes_nothing(method):
    # threads share out the work as processes do, and need not load everything anew; test_refits has processes
    with parallel_config(backend="threading"):
        one, two = (
            estimate_error(
                DecisionTreeClassifier(splitter="random"), X, Y, method=method, random_state=5, n_jobs=n_jobs
            )
            for n_jobs in (None, 2)
        )
    assert one.value == two.value
    assert (one.scores == two.scores).all()


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_frames_with_nominal_columns_and_missing_cells(frame):
    table = frame({"colour": ["red", "blue", None, "red"] * 10, "size": [1.0, 2.0, 3.0, 4.0] * 10})
    found = estimate_error(OneR(), table, ["a", "b", "a", "a"] * 10, random_state=0)
    assert 0 <= found.value <= 1


def test_it_prints_in_one_line_and_gives_a_frame():
    X_iris, y_iris = load_iris(return_X_y=True)
    found = estimate_error(TREE, X_iris, y_iris, n_repeats=2, random_state=0)
    assert str(found).startswith("error by stratified 10-fold cross-validation, 2 times: ")
    assert "\n" not in str(found)
    assert found.frame().columns == ["repetition", "n_tested", "error"]
    assert len(found.frame("pandas")) == 20
