"""Every metric works in scikit-learn's own machinery."""

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import make_scorer
from sklearn.model_selection import GridSearchCV, StratifiedKFold, cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from fivefold.results import METRICS

from .discovered import WITH_A_MODEL


def scorer(name):
    metric = METRICS[name]
    return make_scorer(
        metric.function,
        greater_is_better=metric.direction != "lower is better",
        response_method="predict_proba" if metric.reads == "probabilities" else "predict",
    )


@pytest.fixture(scope="module", params=["two classes", "three classes", "names"])
def problem(request):
    if request.param == "two classes":
        X, y = load_breast_cancer(return_X_y=True)
        return X[:200, :4], y[:200]
    X, y = load_iris(return_X_y=True)
    return X, np.array(["setosa", "versicolor", "virginica"])[y] if request.param == "names" else y


def fits(name, y):
    return np.unique(y).size == 2 or not METRICS[name].two_classes_only


def cross_validated(model, X, y, names):
    scoring = {name: scorer(name) for name in names}
    result = cross_validate(
        model,
        X,
        y,
        scoring=scoring,
        cv=StratifiedKFold(3, shuffle=True, random_state=0),
        error_score="raise",
    )
    return {name: result[f"test_{name}"] for name in names}


def test_cross_validate(problem):
    X, y = problem
    names = [name for name in WITH_A_MODEL if fits(name, y)]
    model = make_pipeline(StandardScaler(), LogisticRegression())
    good = cross_validated(model, X, y, names)
    dull = cross_validated(DummyClassifier(strategy="prior"), X, y, names)
    for name in names:
        assert np.all(np.isfinite(good[name])), name
        assert np.all(np.isfinite(dull[name])), name
        judges_knowledge = METRICS[name].direction != "neither" and "calibration" not in name
        if judges_knowledge:  # a scorer is always "higher is better"
            assert good[name].mean() > dull[name].mean(), name


def test_a_constant_answer_gains_nothing(problem):
    X, y = problem
    dull = cross_validated(DummyClassifier(strategy="prior"), X, y, ["auc", "entropy_gain", "significance"])
    assert dull["auc"].tolist() == [0.5] * 3
    np.testing.assert_allclose(dull["entropy_gain"], 0, atol=0.01)
    assert np.all(dull["significance"] < 1)


@pytest.mark.parametrize("name", ["significance", "information_reward", "miscalibration"])
def test_grid_search(name):
    X, y = load_iris(return_X_y=True)
    grid = {"C": [1e-4, 1.0]}
    search = GridSearchCV(LogisticRegression(max_iter=500), grid, scoring=scorer(name), cv=3).fit(X, y)
    if name == "miscalibration":
        assert np.all(search.cv_results_["mean_test_score"] < 0)
    else:
        assert search.best_params_ == {"C": 1.0}
