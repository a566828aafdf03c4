"""What cannot be estimated is refused, with what was wrong and where."""

import numpy as np
import polars as pl
import pytest
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import Perceptron
from sklearn.model_selection import LeaveOneOut
from sklearn.tree import DecisionTreeClassifier

import fivefold as ff
from fivefold.errors import InputError, InputTypeError
from fivefold.truth import compare, duplicate_sensitivity, estimate_error

X, Y = np.arange(20.0)[:, None], np.arange(20) % 2
TREE = DecisionTreeClassifier(random_state=0)

TABLES = {
    "nothing": (np.empty((0, 1)), [], InputError, "at least one case"),
    "one class": (X, ["a"] * 20, InputError, "only 'a'"),
    "no class at all": (X, [None] * 20, InputError, "only missing values"),
    "missing class": (X, [None, *Y[1:].tolist()], InputError, "missing value in row 0"),
    "NaN class": (X, [0.0, np.nan, *Y[2:].tolist()], InputError, "missing value in row 1"),
    "too few classes": (X, Y[:-1], InputError, "19 classes for 20 rows"),
    "numbers as classes": (X, X[:, 0] + 0.5, InputError, "the number 0.5"),
    "mixed classes": (X, ["a", *Y[1:].tolist()], InputTypeError, "text such as 'a' and numbers"),
    "one dimension": (X[:, 0], Y, InputError, "rows and columns"),
    "no table": (7, Y, InputTypeError, "X to be a data frame"),
    "no classes given": (X, None, InputTypeError, "y to be an array"),
    "infinite cell": (np.where(X == 3, np.inf, X), Y, InputError, "infinity"),
}

OPTIONS = {
    "unknown method": ({"method": "jackknife"}, "one of 'resubstitution', 'holdout'"),
    "option of another method": ({"n_resamples": 5}, "n_resamples belongs to '632', '632\\+', 'bootstrap'"),
    "option of none": ({"folds": 5}, "options n_splits, n_repeats, stratify, cv"),
    "no options": ({"method": "loo", "n_splits": 5}, 'no options with method="loo"'),
    "more folds than cases": ({"n_splits": 21}, "21 folds of 20 cases"),
    "one fold": ({"n_splits": 1}, "at least 2"),
    "half a fold": ({"n_splits": 2.5}, "whole number"),
    "no repetition": ({"n_repeats": 0}, "at least 1"),
    "perhaps stratified": ({"stratify": "yes"}, "True or False"),
    "no resample": ({"method": "632", "n_resamples": 0}, "at least 1"),
    "nothing held out": ({"method": "holdout", "test_size": 0.0}, "both sides"),
    "all held out": ({"method": "holdout", "test_size": 20}, "both sides"),
    "held out, in words": ({"method": "holdout", "test_size": "half"}, "share or a number"),
    "certain": ({"method": "holdout", "confidence": 1.0}, "between 0 and 1"),
    "unknown interval": ({"interval": "bootstrap"}, "'nested-cv'"),
    "nested in two folds": ({"interval": "nested-cv", "n_splits": 2}, "at least 3 folds"),
    "nested in single cases": ({"interval": "nested-cv", "n_splits": 11}, "twice as many cases as folds"),
    "interval of another metric": ({"interval": "nested-cv", "metric": "accuracy"}, 'metric="error"'),
    "splits and repetitions": ({"cv": [([0, 1], [2])], "n_repeats": 2}, "cv alone"),
    "overlapping splits": ({"cv": [([0, 1], [1, 2])]}, "row 1 in both, in split 0"),
    "splits out of range": ({"cv": [([0, 1], [99])]}, "rows from 0 to 19"),
    "empty splits": ({"cv": []}, "at least one pair"),
    "splits without a test": ({"cv": [([0, 1], [])]}, "rows from 0 to 19"),
    "no splits": ({"cv": 5}, "a splitter or pairs"),
    "unknown metric": ({"metric": "goodness"}, "got 'goodness'"),
    "number as metric": ({"metric": 3}, "metric to be a name"),
    "metric of the truth": ({"metric": ff.bits.null_code_length}, "reads the truth alone"),
    "632+ of another metric": ({"method": "632+", "metric": "accuracy"}, 'metric="error"'),
    "632 of a sum": ({"method": "632", "metric": ff.bits.code_length}, "a sum over cases"),
    "bad seed": ({"random_state": "seed"}, "random_state"),
}


@pytest.mark.parametrize("name", TABLES)
def test_tables(name):
    table, y, error, message = TABLES[name]
    with pytest.raises(error, match=message):
        estimate_error(TREE, table, y)


@pytest.mark.parametrize("name", OPTIONS)
def test_options(name):
    options, message = OPTIONS[name]
    with pytest.raises((InputError, InputTypeError), match=message):
        estimate_error(TREE, X, Y, **options)


@pytest.mark.parametrize(
    ("learner", "message"),
    [
        (DecisionTreeClassifier, r"write DecisionTreeClassifier\(\)"),
        (object(), "without fit and predict"),
        (type("Half", (), {"fit": lambda self, X, y: self})(), "without predict"),
        (None, "without fit and predict"),
    ],
    ids=["class", "object", "half", "none"],
)
def test_learners(learner, message):
    for call in (
        lambda: estimate_error(learner, X, Y),
        lambda: duplicate_sensitivity(learner, X, Y),
        lambda: compare(TREE, learner, X, Y),
    ):
        with pytest.raises(InputTypeError, match=message):
            call()


def test_a_metric_of_probabilities_needs_them():
    with pytest.raises(InputTypeError, match="Perceptron without"):
        estimate_error(Perceptron(), X, Y, metric=ff.bets.log_score)


def test_a_label_that_is_no_class():
    class Wild(DummyClassifier):
        def predict(self, X):
            return np.full(len(X), "elsewhere")

    with pytest.raises(InputError, match="'elsewhere'"):
        estimate_error(Wild(), X, np.where(Y == 1, "here", "there"))


@pytest.mark.parametrize("said", [1, 5, 0])
def test_too_few_predictions(said):
    class Short(DummyClassifier):
        def predict(self, X):
            return np.zeros(said, dtype=int)

    with pytest.raises(InputError, match="prediction"):
        estimate_error(Short(), X, Y)


def test_resamples_that_leave_no_case_out():
    # the first resample by this seed holds both cases
    with pytest.raises(InputError, match="1 that hold all 2 cases"):
        estimate_error(TREE, [[0.0], [1.0]], [0, 1], method="bootstrap", n_resamples=1, random_state=0)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"X_test": X}, "together"),
        ({"X_test": X, "y_test": Y, "test_size": 0.5}, "both"),
        ({"X_test": X, "y_test": Y[:5]}, "5 classes for 20 rows"),
        ({"X_test": X, "y_test": ["new"] * 20}, "'new' in row 0"),
        ({"rope": -1}, "rope"),
        ({"n_splits": 40}, "40 folds of"),
    ],
)
def test_comparisons(options, message):
    with pytest.raises(InputError, match=message):
        compare(TREE, DummyClassifier(), X, Y, **{"n_repeats": 1, **options})


def test_polars_with_text_that_the_learner_cannot_read():
    with pytest.raises(InputError, match="DecisionTreeClassifier on a set of 18 rows"):
        estimate_error(TREE, pl.DataFrame({"a": ["x", "y"] * 10}), Y)


@pytest.mark.parametrize("kind", [ValueError, RuntimeError, TypeError, KeyError, np.linalg.LinAlgError])
def test_a_learner_that_fails_in_a_fold_is_named_with_its_reason(kind):
    class Failing(DummyClassifier):
        def fit(self, X, y):
            raise kind("too few cats")

    with pytest.raises(InputError, match=f"{kind.__name__} from Failing on a set of 18 rows: .*too few cats"):
        estimate_error(Failing(), X, Y)


def test_a_metric_that_cannot_judge_is_named_and_not_the_learner():
    three = np.arange(20) % 3
    with pytest.raises(
        InputError, match="the metric roc_auc can judge in every test set; got ValueError"
    ) as caught:
        estimate_error(TREE, X, three, metric="roc_auc")
    assert "DecisionTree" not in str(caught.value)


@pytest.mark.parametrize("metric", ["roc_auc", "neg_log_loss", ff.bets.log_score])
def test_a_comparison_by_a_metric_without_a_number_is_refused_by_its_name(metric):
    options = {"cv": LeaveOneOut()} if metric != ff.bets.log_score else {"n_repeats": 1}
    said = getattr(metric, "__name__", metric)
    with pytest.raises(InputError, match=f"{said} (to be a finite number for both|can judge)"):
        compare(TREE, DummyClassifier(), X, Y, metric=metric, **options)


@pytest.mark.parametrize("n_jobs", ["two", 0, 1.5, True])
def test_jobs_are_a_number(n_jobs):
    X, y = np.arange(40.0).reshape(20, 2), np.arange(20) % 2
    with pytest.raises((InputError, InputTypeError), match="n_jobs to be a"):
        estimate_error(DecisionTreeClassifier(), X, y, n_jobs=n_jobs)
