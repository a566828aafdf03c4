"""ff.evaluate: who learns from what, who is asked about what, and that nobody is asked what it has seen."""

from __future__ import annotations

import inspect
import json

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LinearRegression
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

import fivefold as ff
from fivefold.errors import InputError, InputTypeError
from fivefold.evaluation import Importance
from fivefold.evaluation.findings import CAME_FITTED, NOT_ASKED


class Witness(ClassifierMixin, BaseEstimator):
    """Remembers the first column of what it was fitted to, and refuses to be asked about any of it."""

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        self.seen_ = set(np.asarray(X)[:, 0].tolist())
        return self

    def predict(self, X):
        asked = set(np.asarray(X)[:, 0].tolist())
        assert not asked & self.seen_, "asked about a case that it was fitted to"
        return np.repeat(self.classes_[:1], len(X))


class Ready:
    """A model of no library: it can answer, and nothing else."""

    def __init__(self, answer):
        self.answer = answer

    def predict(self, X):
        return [self.answer] * len(X)


class Stubborn(DummyClassifier):
    """Must not be fitted again."""

    ready = False

    def fit(self, X, y, sample_weight=None):
        assert not self.ready, "a fitted model was fitted again"
        return super().fit(X, y)


def cases(n=120, seed=0):
    rng = np.random.default_rng(seed)
    X = np.column_stack([np.arange(n), rng.normal(size=n)])
    y = np.where(X[:, 1] + rng.normal(scale=0.7, size=n) > 0, "yes", "no")
    return X, y


FAST = ["bits", "bets"]


def test_no_clone_is_asked_about_what_it_was_fitted_to_and_the_given_model_stays_unfitted():
    X, y = cases()
    given = Witness()
    found = ff.evaluate({"w": given}, X, y, views=FAST, random_state=0)
    assert found.n_cases == 40
    assert not hasattr(given, "classes_")
    assert np.array_equal(y[found.models[0].predictions.rows], found.models[0].predictions.y_true)


def test_cross_validation_stays_within_the_training_cases():
    X, y = cases()
    seen = []

    class Spy(Witness):
        def fit(self, X, y):
            seen.append(set(np.asarray(X)[:, 0].tolist()))
            return super().fit(X, y)

    found = ff.evaluate({"w": Spy()}, X, y, views=["truth"], random_state=0)
    asked = set(found.models[0].predictions.rows.tolist())
    assert len(seen) > 100
    assert not set.union(*seen) & asked


def test_fitted_models_are_asked_about_all_cases_and_never_fitted_again():
    X, y = cases()
    model = Stubborn(strategy="prior").fit(X, y)
    model.ready = True
    found = ff.evaluate([model, Ready("yes")], X, y, views=FAST, random_state=0)
    assert found.n_cases == len(y)
    assert found.models[1].bits.accuracy == np.mean(y == "yes")
    assert "came already fitted" in found.protocol
    assert "not trained on them" in found.protocol


def test_a_mix_is_asked_about_the_same_cases_and_the_doubt_is_said_before_any_verdict():
    X, y = cases()
    tree = DecisionTreeClassifier(random_state=0).fit(X, y)
    found = ff.evaluate({"new": DecisionTreeClassifier(max_depth=2), "old": tree}, X, y, random_state=0)
    new, old = (model.predictions for model in found.models)
    assert np.array_equal(new.rows, old.rows)
    doubt = next(each for each in found.findings if "not known here" in each.sentence)
    assert doubt.importance is Importance.ALARM
    assert doubt.models == ("old",)
    assert found.models[1].absent["borders"] == CAME_FITTED
    assert found.models[1].truth.estimate is None
    assert found.models[0].truth.n_trained == 80


def test_given_test_cases_are_asked_after_learning_from_all_others():
    X, y = cases()
    X_test, y_test = cases(30, seed=1)
    X_test[:, 0] += 1000
    found = ff.evaluate({"w": Witness()}, X, y, X_test=X_test, y_test=y_test, views=["bits"], random_state=0)
    assert found.n_cases == 30
    assert found.models[0].predictions.rows is None
    assert "fitted to 120 cases and asked about the 30 given" in found.protocol


def test_same_seed_same_evaluation_and_a_seed_that_was_drawn_is_kept():
    X, y = cases()
    models = {"tree": DecisionTreeClassifier(), "prior": DummyClassifier()}
    first = ff.evaluate(models, X, y, views=FAST)
    again = ff.evaluate(models, X, y, views=FAST, random_state=first.random_state)
    assert first.to_json() == again.to_json()
    generator = ff.evaluate(models, X, y, views=FAST, random_state=np.random.default_rng(5))
    other = ff.evaluate(models, X, y, views=FAST, random_state=np.random.default_rng(5))
    assert generator.to_json() == other.to_json()


@pytest.mark.slow
def test_the_number_of_jobs_changes_nothing():
    X, y = cases()
    models = {"tree": DecisionTreeClassifier(), "prior": DummyClassifier()}
    views = ["bits", "bets", "truth", "slices"]
    one, two = (ff.evaluate(models, X, y, views=views, n_jobs=n, random_state=3) for n in (None, 2))
    assert one.to_json() == two.to_json()


def test_any_kind_of_table_gives_the_same():
    X, y = cases()
    plain = ff.evaluate(DecisionTreeClassifier(max_depth=2), X, y, random_state=0)
    tables = {
        "pandas": (pd.DataFrame(X, columns=["a", "b"]), pd.Series(y)),
        "polars": (pl.DataFrame(X, schema=["a", "b"]), y.tolist()),
        "lists": (X.tolist(), y.tolist()),
    }
    for library, table in tables.items():
        found = ff.evaluate(DecisionTreeClassifier(max_depth=2), *table, random_state=0)
        assert type(found.frame()).__module__.startswith("pandas" if library == "pandas" else "polars")
        frames = [
            evaluation.frame("polars").drop("worst_slice", "worst_slice_is") for evaluation in (found, plain)
        ]
        assert frames[0].equals(frames[1]), library


def test_sparse_cases_are_judged_without_slices_and_borders():
    from scipy.sparse import csr_matrix
    from sklearn.naive_bayes import MultinomialNB

    rng = np.random.default_rng(0)
    counts, y = csr_matrix(rng.poisson(1.0, (90, 4))), rng.choice(["neg", "pos"], 90)
    found = ff.evaluate({"counts": MultinomialNB()}, counts, y, random_state=0)
    assert set(found.models[0].absent) == {"slices", "borders"}
    assert found.models[0].truth.estimate is not None


@pytest.mark.parametrize("kind", [list, np.array, pd.Series, pl.Series])
def test_texts_alone_have_slices_and_no_borders(kind):
    class Reader:
        def predict(self, X):
            return np.array(["pos" if "good" in text else "neg" for text in X])

    rng = np.random.default_rng(0)
    texts = [" ".join(rng.choice(["good", "bad", "film", "plot", "saga"], 3)) for _ in range(300)]
    y = Reader().predict(texts)
    y = np.where(["saga" in text for text in texts], rng.permutation(y), y)
    found = ff.evaluate(Reader(), kind(texts), y)
    assert "borders" in found.models[0].absent
    assert "text" in found.models[0].slices.finding().sentence
    assert "saga" in found.models[0].slices.finding().sentence


def test_the_name_of_the_classes_is_taken_from_their_column():
    X, y = cases()
    named = ff.evaluate(DummyClassifier(), X, pd.Series(y, name="outcome"), views=["bits"], random_state=0)
    assert named.target == "outcome"
    assert ff.evaluate(DummyClassifier(), X, y, views=["bits"], random_state=0).target == ""


def test_views_that_were_not_asked_for_are_left_out_and_not_complained_of():
    X, y = cases()
    found = ff.evaluate(DummyClassifier(), X, y, views=["truth"], random_state=0)
    assert found.models[0].absent["bets"] == found.models[0].absent["slices"] == NOT_ASKED
    assert NOT_ASKED not in found.verdict()
    assert {finding.view for finding in found.findings} == {"bits", "truth"}


def test_a_model_without_probabilities_says_so():
    X, y = cases()
    found = ff.evaluate([LinearSVC(), Ready("yes")], X, y, views=FAST, random_state=0)
    assert "no predict_proba" in found.models[0].absent["bets"]
    assert "No bets of LinearSVC, Ready" in found.verdict()


def test_classes_that_only_a_fitted_model_knows_count():
    X, y = cases()
    wide = DummyClassifier(strategy="prior").fit([[0, 0]] * 3, ["maybe", "no", "yes"])
    found = ff.evaluate(wide, X, y, views=FAST, random_state=0)
    assert found.classes == ["maybe", "no", "yes"]
    assert found.models[0].predictions.probabilities.shape == (len(y), 3)


def test_one_class_among_the_test_cases_is_judged_if_others_are_known():
    X, y = cases()
    tree = DecisionTreeClassifier(max_depth=1).fit(X, y)
    found = ff.evaluate(tree, X, y, X_test=X[:9], y_test=["yes"] * 9, random_state=0)
    assert found.classes == ["no", "yes"]
    assert found.n_cases == 9


def test_answers_of_several_classes_or_none_are_not_held_against_cross_validation():
    table = ff.data.load("BC")
    X, y = table.X[::2], table.y[::2]
    found = ff.evaluate({"prism": ff.learners.Prism()}, X, y, views=["truth"], random_state=0)
    truth = found.models[0].truth
    assert not truth.one_class_each
    assert not truth.at_odds
    assert "made to name one class for every case" in truth.finding().sentence


@pytest.mark.parametrize("n", [2, 3, 30])
def test_few_cases_are_judged_with_what_can_be_said(n):
    X, _ = cases(n)
    y = np.arange(n) % 2 == 0
    found = ff.evaluate(DecisionTreeClassifier(), X, y, random_state=0)
    assert found.models[0].bits.learned is None
    assert json.loads(found.to_json())["n_cases"] == found.n_cases
    assert found.to_html()


def test_models_get_names():
    def names(estimators):
        return [model.name for model in ff.evaluate(estimators, *cases(), views=["bits"]).models]

    first, second = DummyClassifier(), DummyClassifier()
    assert names(first) == ["DummyClassifier"]
    assert names([first, ("x", second)]) == ["DummyClassifier", "x"]
    assert names([first, second]) == ["DummyClassifier 1", "DummyClassifier 2"]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"models": []}, "at least one model"),
        ({"models": {"": DummyClassifier()}}, "a name for every model"),
        ({"models": DummyClassifier}, "write DummyClassifier()"),
        ({"models": {"x": object()}}, "to have predict"),
        ({"models": LinearRegression()}, "to be a classifier"),
        ({"y": ["yes"] * 120}, "at least two classes; got only 'yes'"),
        ({"y": ["yes", "no", None] * 40}, "a missing value in row 2"),
        ({"models": [("x", DummyClassifier()), ("x", DummyClassifier())]}, "different names"),
        ({"y": ["yes"] * 7}, "7 classes for 120 rows"),
        ({"X_test": [[1, 2]]}, "no y_test"),
        ({"views": "bits"}, "to be a list"),
        ({"views": ["bites"]}, "one of 'bits'"),
        ({"views": []}, "at least one"),
        ({"random_state": -1}, "a seed"),
        ({"X": 3}, "a data frame"),
    ],
)
def test_what_cannot_be_done_is_refused_with_what_was_expected(change, message):
    X, y = cases()
    asked = {"models": DummyClassifier(), "X": X, "y": y} | change
    with pytest.raises((InputError, InputTypeError), match=message.replace("(", r"\(").replace(")", r"\)")):
        ff.evaluate(asked.pop("models"), asked.pop("X"), asked.pop("y"), **asked)


def test_a_model_that_fails_is_named():
    class Broken(DummyClassifier):
        def fit(self, X, y, sample_weight=None):
            raise RuntimeError("no luck")

    X, y = cases()
    with pytest.raises(RuntimeError, match="no luck") as caught:
        ff.evaluate({"broken": Broken()}, X, y, random_state=0)
    assert any("'broken'" in note for note in caught.value.__notes__)


def test_a_fitted_model_that_fails_is_named_and_odd_probabilities_are_refused():
    class OneColumn(DummyClassifier):
        def predict_proba(self, X):
            return super().predict_proba(X)[:, 0]

    X, y = cases()
    with pytest.raises(InputError, match="a column of answers for each of the 2 classes") as caught:
        ff.evaluate({"good": DummyClassifier().fit(X, y), "narrow": OneColumn().fit(X, y)}, X, y)
    assert any("'narrow'" in note for note in caught.value.__notes__)


@pytest.mark.parametrize("library", [pd.DataFrame, pl.DataFrame])
@pytest.mark.parametrize("fitted", [True, False])
def test_test_cases_with_columns_in_another_order_are_refused_with_what_to_type(library, fitted):
    X, y = cases()
    names = [f"c{i}" for i in range(X.shape[1])]
    X = library(dict(zip(names, X.T, strict=True)))
    X_test, model = X[names[::-1]], DecisionTreeClassifier(max_depth=2, random_state=0)
    model = model.fit(X, y) if fitted else model
    with pytest.raises(InputError, match="columns of X in their order") as caught:
        ff.evaluate(model, X, y, X_test=X_test, y_test=y, views=["bits"])
    X_test = eval(caught.value.hint.partition(" = ")[2].partition(" puts")[0])
    assert ff.evaluate(model, X, y, X_test=X_test, y_test=y, views=["bits"]).models[0].right.mean() > 0.5


@pytest.mark.parametrize("option", ["features", "drop", "keep"])
def test_a_text_is_no_list_of_columns(option):
    table = pd.DataFrame({"y": ["u", "v"], "m": ["u", "u"], "ab": [1, 2], "a": [3, 4], "b": [5, 6]})
    with pytest.raises(InputTypeError, match=r"write \['ab'\]"):
        ff.evaluate_predictions(table, target="y", predictions=["m"], **{option: "ab"})


@pytest.mark.parametrize("first", [(0, 1), (False, True), (1, 9), (-1.0, 2.0), ("u", "v")])
def test_labels_in_any_container_give_the_same(first):
    X, y = cases()
    labels = np.array(first)[(y == "yes").astype(int)]
    model = DecisionTreeClassifier(max_depth=2, random_state=0)
    expected = ff.evaluate(model, X, labels, views=["bits"])
    for container in (pd.Categorical(labels), pd.Series(labels, dtype=object), labels.tolist()):
        found = ff.evaluate(model, X, container, views=["bits"])
        assert found.classes == expected.classes
        assert found.models[0].right.tolist() == expected.models[0].right.tolist()


def test_evaluate_is_a_function_and_says_the_same_each_time():
    from fivefold.evaluation import evaluate

    assert ff.evaluate is evaluate
    parameters = inspect.signature(ff.evaluate).parameters
    assert {"estimators", "X", "y", "X_test", "y_test", "views", "n_jobs", "random_state"} <= {*parameters}
    assert parameters["random_state"].default == 0


def test_the_number_of_jobs_reaches_the_slices(monkeypatch):
    from fivefold.slices.stucco import Stucco

    asked = []
    keep = Stucco.__init__
    monkeypatch.setattr(
        Stucco,
        "__init__",
        lambda self, *args, **more: asked.append(more["n_jobs"]) or keep(self, *args, **more),
    )
    X, y = cases()
    ff.evaluate(DummyClassifier(), X, y, views=["slices"], n_jobs=2)
    assert set(asked) == {2}
    asked.clear()
    ff.evaluate(DummyClassifier(), X, y, views=["slices"])
    assert set(asked) == {None}


def test_five_views_of_iris_and_findings_in_order_of_importance():
    iris = ff.data.load("IR")
    models = {"1R": ff.learners.OneR(), "tree": ff.learners.C45Tree()}
    found = ff.evaluate(models, iris.X, iris.y, random_state=0)
    for model in found.models:
        assert not model.absent
        assert all((model.bits, model.bets, model.truth, model.slices, model.borders))
    order = [finding.importance for finding in found.findings]
    assert order == sorted(order)
    assert all(finding.evidence for finding in found.findings)
    assert {ranking.view for ranking in found.rankings} >= {"accuracy", "bits", "bets", "truth", "borders"}
    json.loads(found.to_json())


def test_cases_that_do_not_fit_into_memory_are_refused_with_a_hint(monkeypatch):
    monkeypatch.setattr("fivefold.evaluation.five_views.free_memory", lambda: 1000.0)
    table = pl.DataFrame({"y": ["a", "b"] * 40, "m": ["a", "b"] * 40})
    with pytest.raises(InputError, match=r"80 cases, which take about .* Hint: judge a part of the cases"):
        ff.evaluate_predictions(table, target="y", predictions=["m"])
