"""Choosing models by the measure."""

import itertools
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import GridSearchCV, StratifiedKFold, cross_val_score, cross_validate
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier

from fivefold.borders import (
    MeasureWeights,
    TrainingSet,
    choice,
    choose,
    choose_weights,
    measure,
    measure_scorer,
)
from fivefold.errors import InputError, InputTypeError
from fivefold.training.fit_predict import read_labelled_table

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


def test_choose_leaves_groups_whole():
    # five copies of each case: one neighbour finds a copy unless all of them are left out together
    rng = np.random.default_rng(4)
    who = np.repeat(np.arange(30), 5)
    points, labels = rng.normal(size=(30, 2))[who], rng.integers(2, size=30)[who]
    models = {f"k={k}": KNeighborsClassifier(k) for k in (1, 15)}
    assert choose(models, points, labels, n_splits=5).errors[0] == 0
    named = pd.DataFrame({"x": points[:, 0], "y": points[:, 1], "who": who})
    found = choose(models, named, labels, groups="who", n_splits=5)
    assert found.errors[0] > 0.25
    assert np.array_equal(found.errors, choose(models, points, labels, groups=who, n_splits=5).errors)
    weights = choose_weights(models, points, labels, groups=who, n_splits=3)
    assert weights.errors["cv"] > 0.25
    alone = replace(weights, groups=None)
    assert np.diff(weights.interval) >= np.diff(alone.interval)


def test_choose_wants_names_and_classifiers():
    with pytest.raises(InputTypeError, match="names"):
        choose([KNeighborsClassifier()], X, Y)
    with pytest.raises(InputError, match="by to be one of"):
        choose({"k": KNeighborsClassifier()}, X, Y, by="luck")


TREES = {f"depth {d}": DecisionTreeClassifier(max_depth=d, random_state=0) for d in (1, 2, 5)}


def noisy(n, seed=0):
    rng = np.random.default_rng(seed)
    points = rng.uniform(size=(n, 2))
    return points, (points[:, 0] > 0.5) ^ (rng.uniform(size=n) < 0.2)


def weigh_by_hand(points, labels, folds):
    """Try all shares in twentieths, one after the other: the weights whose tree errs least on held-out cases."""
    terms, wrong = [], []
    for train, test in folds:
        models = [clone(tree).fit(points[train], labels[train]) for tree in TREES.values()]
        judged = [measure(model, points[train], labels[train]) for model in models]
        terms.append(
            [(m.fit, 0.5 * m.similarity_right - 0.5 * m.similarity_wrong, -m.border_size) for m in judged]
        )
        wrong.append([int(np.sum(model.predict(points[test]) != labels[test])) for model in models])
    spread = [
        np.sqrt(np.mean([np.var([model[term] for model in fold]) for fold in terms])) or 1
        for term in range(3)
    ]
    lost = {}
    for i, j in itertools.product(range(21), repeat=2):
        shares = (i / 20, j / 20, (20 - i - j) / 20)
        weights = [share / unit for share, unit in zip(shares, spread, strict=True)]
        if i + j <= 20:
            tops = [max(range(3), key=lambda m, fold=fold: np.dot(weights, fold[m])) for fold in terms]
            lost[shares] = sum(fold[top] for fold, top in zip(wrong, tops, strict=True))
    least = [shares for shares, count in lost.items() if count == min(lost.values())]
    middle = min(least, key=lambda shares: np.sum((np.subtract(shares, np.mean(least, axis=0))) ** 2))
    weights = np.divide(middle, spread)
    return weights / weights.max(), np.sum(wrong, axis=0)


def test_weights_are_those_of_a_slow_search_and_no_case_helps_to_choose_what_judges_it():
    points, labels = noisy(60)
    found = choose_weights(TREES, points, labels, n_splits=3)
    rng = np.random.default_rng(0)
    outer = choice._splits(read_labelled_table(points, labels), np.arange(60), 3, rng)
    by_hand, _ = weigh_by_hand(points, labels, outer)
    assert (found.weights.a0, found.weights.a1, found.weights.a2) == pytest.approx(by_hand)
    for train, test in outer:
        inner = choice._splits(read_labelled_table(points, labels), train, 3, rng)
        assert not set(test) & {row for split in inner for rows in split for row in rows}
        within, counts = weigh_by_hand(points, labels, inner)
        models = [clone(tree).fit(points[train], labels[train]) for tree in TREES.values()]
        for way, weights in enumerate((within, (1, 1, 0.025))):
            weighed = {"weights": dict(zip(("a0", "a1", "a2"), weights, strict=True))}
            picked = max(
                models, key=lambda m, w=weighed, t=train: measure(m, points[t], labels[t], **w).value
            )
            assert found.wrong[test, way].tolist() == (picked.predict(points[test]) != labels[test]).tolist()
        picked = models[int(np.argmin(counts))]
        assert found.wrong[test, 2].tolist() == (picked.predict(points[test]) != labels[test]).tolist()


def test_chosen_weights_serve_the_measure():
    leaves = {"simplicity": lambda model, size: -model.get_n_leaves()}
    points, labels = noisy(60, 1)
    found = choose_weights(TREES, points, labels, n_splits=3, **leaves)
    fitted = [clone(tree).fit(points, labels) for tree in TREES.values()]
    by_hand = [measure(tree, points, labels, weights=found.weights, **leaves).value for tree in fitted]
    assert found.measures == pytest.approx(by_hand)
    alone = choose(TREES, points, labels, by="measure", weights=found.weights, **leaves)
    assert alone.best == found.best
    parts = (found.weights.a0, found.weights.a1, found.weights.a2)
    assert max(parts) == 1
    assert min(parts) >= 0
    assert found.errors == dict(zip(("chosen", "paper", "cv"), found.wrong.mean(axis=0), strict=True))
    assert found.interval[0] <= found.errors["chosen"] - found.errors["cv"] <= found.interval[1]
    assert f"{found.errors['paper']:.1%} by the paper's" in str(found)
    assert found.frame()["model"].to_list() == list(TREES)


def test_where_all_models_are_alike_weights_are_still_weights():
    same = {name: DecisionTreeClassifier(max_depth=1, random_state=0) for name in "ab"}
    found = choose_weights(same, *noisy(40), n_splits=2)
    assert found.best == "a"
    assert isinstance(found.weights, MeasureWeights)
    assert np.isfinite(found.measures).all()
    assert found.interval[0] < 0 < found.interval[1]


def test_weights_are_chosen_and_not_given():
    with pytest.raises(InputError, match="no weights among the options"):
        choose_weights(TREES, *noisy(40), weights={"a2": 0.1})
    with pytest.raises(InputTypeError, match="names"):
        choose_weights(list(TREES.values()), *noisy(40))
    with pytest.raises(InputError, match="n_splits"):
        choose_weights(TREES, *noisy(40), n_splits=41)


@pytest.mark.parametrize("seed", [0, 1])
def test_a_term_that_is_the_same_for_all_models_decides_nothing(seed):
    constant = {"simplicity": lambda model, size: 1 / 3}
    found = choose_weights(TREES, *noisy(40, seed), n_splits=2, **constant)
    # of equal models the first is taken; were rounding a spread, the other terms would weigh next to nothing
    assert found.best == "depth 1"
    assert max(found.weights.a0, found.weights.a1) > 1e-3 or np.ptp(found.measures) == 0


@pytest.mark.slow
def test_weights_are_the_same_on_two_cores():
    forests = {str(n): RandomForestClassifier(n, max_depth=2) for n in (1, 5)}
    alone, shared = (choose_weights(forests, *noisy(60), n_splits=2, n_jobs=n) for n in (None, 2))
    assert alone.weights == shared.weights
    assert alone.wrong.tolist() == shared.wrong.tolist()
