"""Models as people have them: searches, pipelines, files, classes as numbers; and rows that count twice."""

import importlib.util
import json
import warnings

import joblib
import numpy as np
import polars as pl
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.calibration import CalibratedClassifierCV
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import accuracy_score, f1_score, log_loss
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

import fivefold as ff
from fivefold.errors import InputError, InputTypeError

NAMES = np.array(["ant", "bee", "cow"])


@pytest.fixture(scope="module")
def cases():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, 240)
    return y[:, None] + rng.normal(0, 0.6, (240, 3)), NAMES[y]


class WantsNumbers(ClassifierMixin, BaseEstimator):
    """A tree that complains about labels as XGBoost does."""

    def __init__(self, max_depth=3):
        self.max_depth = max_depth

    def fit(self, X, y):
        found = np.unique(y)
        if not np.array_equal(found, np.arange(len(found))):
            raise ValueError(
                f"Invalid classes inferred from unique values of `y`.  Expected: [0 1], got {found}"
            )
        self.tree_ = DecisionTreeClassifier(max_depth=self.max_depth, random_state=0).fit(X, y)
        self.classes_ = self.tree_.classes_
        return self

    def predict(self, X):
        return self.tree_.predict(X)

    def predict_proba(self, X):
        return self.tree_.predict_proba(X)


def judge(models, cases, **options):
    return ff.evaluate(models, *cases, views=["bits", "bets"], **options)


@pytest.mark.parametrize("wrap", [lambda m: m, lambda m: make_pipeline(StandardScaler(), m)])
def test_a_model_that_wants_numbers_is_told_numbers_and_answers_with_names(cases, wrap):
    told = judge({"numbers": wrap(WantsNumbers()), "names": wrap(DecisionTreeClassifier(max_depth=3))}, cases)
    first, second = told.models
    assert first.bits.accuracy == second.bits.accuracy
    assert first.bets.mean_reward == second.bets.mean_reward
    assert told.classes == NAMES.tolist()
    assert "numbers was told the classes as numbers" in told.protocol
    search = GridSearchCV(WantsNumbers(), {"max_depth": [2, 3]}, cv=3)
    with warnings.catch_warnings(action="ignore"):
        assert judge(search, cases).models[0].bits.accuracy > 0.5


def test_classes_name_the_numbers_of_a_fitted_model(cases):
    X, y = cases
    fitted = WantsNumbers().fit(X, np.searchsorted(NAMES, y))
    with pytest.raises(InputError, match="classes="):
        judge(fitted, cases)
    told = judge(fitted, cases, classes=NAMES)
    assert told.models[0].bits.accuracy == np.mean(NAMES[fitted.predict(X)] == y)
    assert told.models[0].bets is not None
    assert judge(DecisionTreeClassifier(), cases, classes=[*NAMES, "dog"]).classes == [*NAMES, "dog"]


@pytest.mark.parametrize("fitted", [False, True])
def test_searches_pipelines_and_calibrated_models_are_judged_and_named(cases, fitted):
    X, y = cases
    models = [
        GridSearchCV(
            make_pipeline(StandardScaler(), LogisticRegression()), {"logisticregression__C": [0.1, 1]}, cv=3
        ),
        CalibratedClassifierCV(LinearSVC(), cv=3),
        make_pipeline(StandardScaler(), LogisticRegression()),
        RandomForestClassifier(3, random_state=0),
    ]
    models = [model.fit(X[::2], y[::2]) for model in models] if fitted else models
    told = judge(models, (X[1::2], y[1::2]))
    assert [model.name for model in told.models] == [
        "GridSearchCV(LogisticRegression)",
        "CalibratedClassifierCV(LinearSVC)",
        "LogisticRegression",
        "RandomForestClassifier",
    ]
    assert all(model.bets is not None for model in told.models)
    with pytest.raises(InputTypeError, match="refit=True"):
        judge(GridSearchCV(LinearSVC(), {"C": [1]}, refit=False), cases)


def test_a_file_is_loaded_only_if_it_is_trusted(cases, tmp_path):
    model = DecisionTreeClassifier(max_depth=2).fit(*cases)
    path = tmp_path / "forest.v2.joblib"
    joblib.dump(model, path)
    expected = judge(model, cases).models[0].bits.accuracy
    for given in (path, str(path), [path], {"mine": path}, [("mine", path), ("other", model)]):
        with pytest.raises(InputError, match="trust=True"):
            judge(given, cases)
        told = judge(given, cases, trust=True)
        assert told.models[0].bits.accuracy == expected
        assert told.models[0].name in ("forest", "mine")
    with pytest.raises(InputError, match=r"\.skops"):
        judge("model.txt", cases, trust=True)
    with pytest.raises(InputError, match="is there"):
        judge(tmp_path / "no.joblib", cases, trust=True)


def test_files_of_skops(cases, tmp_path):
    path = tmp_path / "m.skops"
    if importlib.util.find_spec("skops") is None:
        path.write_bytes(b"")
        with pytest.raises(ImportError, match="skops"):
            judge(path, cases, trust=True)
        pytest.skip("skops is not installed")
    import skops.io

    model = make_pipeline(StandardScaler(), LogisticRegression()).fit(*cases)
    skops.io.dump(model, path)
    with pytest.raises(InputError, match="trust=True"):
        judge(path, cases)
    assert (
        judge(path, cases, trust=True).models[0].bits.accuracy == judge(model, cases).models[0].bits.accuracy
    )


@pytest.mark.parametrize("wrap", [lambda m: m, lambda m: make_pipeline(StandardScaler(), m)])
def test_xgboost_of_labels_in_words(cases, wrap):
    xgboost = pytest.importorskip("xgboost", reason="xgboost is not installed")
    X, y = cases
    model = wrap(xgboost.XGBClassifier(n_estimators=5, n_jobs=1))
    told = judge(model, cases)
    assert told.models[0].bits.accuracy > 0.7
    assert told.models[0].predictions.classes.tolist() == NAMES.tolist()
    assert "classes as numbers" in told.protocol
    numbers = np.unique(y, return_inverse=True)[1]
    fitted = model.fit(X, numbers)
    with pytest.raises(InputError, match="classes="):
        judge(fitted, cases)
    expected = np.mean(fitted.predict(X) == numbers)
    assert judge(fitted, cases, classes=NAMES).models[0].bits.accuracy == expected


def test_estimates_say_how_to_number_the_classes(cases):
    with pytest.raises(InputError, match="return_inverse"):
        ff.truth.estimate_error(WantsNumbers(), *cases)


@pytest.fixture
def table():
    rng = np.random.default_rng(3)
    y = rng.choice(["a", "b"], 200)
    p = np.clip(np.where(y == "b", 0.65, 0.35) + rng.normal(0, 0.2, 200), 0.02, 0.98)
    columns = {"y": y, "m": np.where(p > 0.5, "b", "a"), "p": p, "x": rng.normal(size=200)}
    return pl.DataFrame({**columns, "w": rng.integers(0, 5, 200)})


def test_weights_agree_with_repeated_rows_and_with_scikit_learn(table):
    options = {"target": "y", "predictions": ["m"], "probabilities": {"m": "p"}}
    told = ff.evaluate_predictions(table, weight="w", **options)
    rows = np.repeat(np.arange(200), table["w"].to_numpy())
    whole = ff.evaluate_predictions(table[rows].drop("w"), **options)
    one, other = (json.loads(evaluation.to_json())["models"][0] for evaluation in (told, whole))
    assert one == other
    weights = table["w"].to_numpy()
    assert told.models[0].bits.accuracy == pytest.approx(
        accuracy_score(table["y"], table["m"], sample_weight=weights)
    )
    f1 = f1_score(table["y"], table["m"], average="macro", sample_weight=weights)
    assert told.models[0].usual.macro.f1 == pytest.approx(f1)
    loss = log_loss(table["y"], table["p"], sample_weight=weights) / np.log(2)
    assert told.models[0].bets.mean_reward == pytest.approx(1 - loss)
    assert {column.column: column.role for column in told.columns}["w"] == "weight"
    assert f"200 rows are {weights.sum()} cases" in told.notes[0]


@pytest.mark.parametrize("library", ["polars", "pandas", "pyarrow"])
def test_rows_that_are_named_are_those_of_the_table_also_where_they_are_counted(library):
    table = pl.DataFrame({"y": ["a", "b", "b", "a"], "p": [0.1, 0.9, 0.0, 0.0], "w": [300, 0, 2, 300]})
    given = {"polars": table, "pandas": table.to_pandas(), "pyarrow": table.to_arrow()}[library]
    found = ff.evaluate_predictions(given, target="y", probabilities={"m": "p"}, weight="w")
    assert "are 0 for the true class in row 2, so" in found.verdict()
    assert found.models[0].bets.first_impossible_rows == [2]
    assert found.models[0].bets.n_impossible == 2


@pytest.mark.parametrize(
    ("weights", "told"),
    [
        ([0.5] * 200, "0.5 in row 0"),
        ([-1] * 200, "-1 in row 0"),
        ([0] * 200, "zeros"),
        (["x"] * 200, "'w'"),
        ([10**7] * 200, "at most"),
    ],
)
def test_weights_that_are_no_counts_are_refused_with_the_reason(table, weights, told):
    with pytest.raises((InputError, InputTypeError)) as problem:
        ff.evaluate_predictions(
            table.with_columns(pl.Series("w", weights)), target="y", predictions=["m"], weight="w"
        )
    assert told in str(problem.value)


def test_evaluate_refuses_weights_and_says_why(cases):
    with pytest.raises(InputError, match="tear"):
        ff.evaluate(DecisionTreeClassifier(), *cases, sample_weight=np.ones(240))
