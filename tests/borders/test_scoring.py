"""Choosing models by the measure."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.model_selection import GridSearchCV, StratifiedKFold, cross_val_score, cross_validate
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier

from fivefold.borders import TrainingSet, choose, measure, measure_scorer
from fivefold.errors import InputError, InputTypeError

X, Y = load_iris(return_X_y=True)
X = X[:, 2:]


@pytest.mark.parametrize(
    ("model", "grid"),
    [
        (KNeighborsClassifier(), {"n_neighbors": [1, 5, 10, 40]}),
        (DecisionTreeClassifier(random_state=0), {"max_depth": [1, 2, 3, 5]}),
    ],
)
def test_alone_it_chooses_the_model_of_the_largest_measure(model, grid):
    search = GridSearchCV(model, grid, cv=TrainingSet(), scoring=measure_scorer(), error_score="raise").fit(
        X, Y
    )
    ((name, values),) = grid.items()
    result = [measure(clone(model).set_params(**{name: v}).fit(X, Y), X, Y).value for v in values]
    assert search.cv_results_["mean_test_score"] == pytest.approx(result)
    assert search.best_params_ == {name: values[int(np.argmax(result))]}
    assert measure(search, X, Y).value == pytest.approx(max(result))
    assert measure(search, X, Y).method.startswith("exact")


def test_with_folds_the_cases_are_held_out_and_the_scale_is_common():
    folds = StratifiedKFold(3)
    tree = DecisionTreeClassifier(max_depth=3, random_state=0)
    result = cross_validate(tree, X, Y, cv=folds, scoring=measure_scorer(reference=X, weights={"a2": 0.1}))
    for score, (train, test) in zip(result["test_score"], folds.split(X, Y), strict=True):
        fitted = clone(tree).fit(X[train], Y[train])
        by_hand = measure(fitted, X[test], Y[test], reference=X, weights={"a2": 0.1})
        assert score == by_hand.value
        assert by_hand.b == pytest.approx(np.sqrt(150))
        assert by_hand.window.low == pytest.approx(X.min(axis=0) - 0.1 * np.ptp(X, axis=0))


def test_beside_accuracy():
    scoring = {"measure": measure_scorer(), "accuracy": "accuracy"}
    result = cross_validate(KNeighborsClassifier(5), X, Y, cv=TrainingSet(), scoring=scoring)
    assert result["test_accuracy"][0] == KNeighborsClassifier(5).fit(X, Y).score(X, Y)
    assert result["test_measure"][0] == measure(KNeighborsClassifier(5).fit(X, Y), X, Y).value


def test_a_scorer_says_what_it_is():
    assert repr(measure_scorer(reference=X)) == "MeasureScorer(reference)"
    assert (TrainingSet().get_n_splits(), repr(TrainingSet())) == (1, "TrainingSet()")


def test_choose_has_the_errors_of_cross_validation_and_the_measures_of_the_fitted_models():
    models = {f"k={k}": KNeighborsClassifier(k) for k in (1, 10, 60)}
    found = choose(models, X, Y, n_splits=5)
    fitted = [clone(model).fit(X, Y) for model in models.values()]
    assert found.measures == pytest.approx([measure(model, X, Y).value for model in fitted])
    folds = StratifiedKFold(5, shuffle=True, random_state=0)
    peers = [1 - cross_val_score(model, X, Y, cv=folds).mean() for model in models.values()]
    # other folds of the same cases
    assert found.errors == pytest.approx(peers, abs=0.03)
    assert found.best == found.by_cv == found.names[int(found.errors.argmin())]
    assert found.estimator.n_neighbors == int(found.best[2:])
    alone = choose(models, X, Y, by="measure", n_splits=5)
    assert alone.best == found.by_measure == alone.names[int(alone.measures.argmax())]


def test_of_equal_errors_the_measure_decides():
    models = {"deep": DecisionTreeClassifier(random_state=0), "one": DecisionTreeClassifier(random_state=0)}
    models["flat"] = DecisionTreeClassifier(max_depth=1)
    found = choose(models, X[:100], Y[:100])
    assert found.errors.tolist() == [0, 0, 0]
    assert found.best == found.by_measure
    assert "by both" in str(found)


def test_choose_wants_names_and_classifiers():
    with pytest.raises(InputTypeError, match="names"):
        choose([KNeighborsClassifier()], X, Y)
    with pytest.raises(InputError, match="by to be one of"):
        choose({"k": KNeighborsClassifier()}, X, Y, by="luck")
