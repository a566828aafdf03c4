"""Laws that hold for every learner of the package; a new one is found by itself."""

import importlib
import pickle
import pkgutil
from inspect import isabstract

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn import clone
from sklearn.model_selection import GridSearchCV, cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.utils.estimator_checks import parametrize_with_checks

import fivefold as ff
from fivefold import learners
from fivefold.data.conditions import Rule
from fivefold.errors import InputError, InputTypeError
from fivefold.learners.base import Learner, WeightedLearner


def _concrete(kind):
    for below in kind.__subclasses__():
        if not isabstract(below) and not below.__name__.startswith("_"):
            yield below
        yield from _concrete(below)


def discover():
    """Find every learner: the concrete subclasses of the base in any module of the package."""
    for module in pkgutil.walk_packages(learners.__path__, "fivefold.learners."):
        importlib.import_module(module.name)
    found = {kind for kind in _concrete(Learner) if kind.__module__.startswith("fivefold.")}
    return sorted(found, key=lambda kind: kind.__name__)


LEARNERS = discover()


def make(kind, **options):
    """Make a learner; one that draws numbers has a seed."""
    seed = {"random_state": 0} if "random_state" in kind().get_params() else {}
    return kind(**{**seed, **options})


WEIGHTED = [kind for kind in LEARNERS if issubclass(kind, WeightedLearner)]
every_learner = pytest.mark.parametrize("kind", LEARNERS, ids=lambda kind: kind.__name__)
every_weighted_learner = pytest.mark.parametrize("kind", WEIGHTED, ids=lambda kind: kind.__name__)


def mixed_cases(n=120, seed=0, missing=0.0):
    """Make cases with two nominal and two numeric columns, whose class depends on three of them."""
    rng = np.random.default_rng(seed)
    colour, size = rng.choice(["blue", "green", "red"], size=n), rng.choice(["large", "small"], size=n)
    x, z = rng.integers(0, 20, size=(2, n)) / 2
    y = np.where((colour == "red") & (x > 4) | (size == "small") & (x > 7), "yes", "no")
    y = np.where(rng.random(n) < 0.1, "perhaps", y)
    columns = {"colour": colour.astype(object), "x": x, "size": size.astype(object), "z": z}
    for values in columns.values():
        values[rng.random(n) < missing] = None if values.dtype == object else np.nan
    return pd.DataFrame(columns).astype({"colour": "category", "size": "category"}), y


def test_the_learners_are_found():
    assert {"C45Tree", "C45Rules"} <= {kind.__name__ for kind in LEARNERS}


@parametrize_with_checks([make(kind) for kind in LEARNERS])
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
def test_scikit_learn_checks(estimator, check):
    check(estimator)


@every_learner
def test_the_same_answers_from_any_kind_of_table(kind):
    X, y = mixed_cases(missing=0.1)
    expected = make(kind).fit(X, y).predict_proba(X)
    strings = X.astype({"colour": object, "size": object})
    rows = np.array(strings, dtype=object)
    for same in (strings, pl.from_pandas(X), pa.Table.from_pandas(X)):
        np.testing.assert_array_equal(make(kind).fit(same, y).predict_proba(same), expected)
    np.testing.assert_array_equal(
        make(kind, categorical_features=[0, 2]).fit(rows, y).predict_proba(rows), expected
    )


@every_learner
def test_codes_of_categories_do_as_well_as_their_names(kind):
    X, y = mixed_cases()
    codes = X.assign(colour=X["colour"].cat.codes, size=X["size"].cat.codes).to_numpy(dtype=float)
    model = make(kind, categorical_features=[True, False, True, False]).fit(codes, y)
    np.testing.assert_array_equal(model.predict_proba(codes), make(kind).fit(X, y).predict_proba(X))


@every_learner
def test_the_order_of_complete_cases_does_not_matter(kind):
    X, y = mixed_cases()
    shuffled = np.random.default_rng(1).permutation(len(y))
    again = make(kind).fit(X.iloc[shuffled], y[shuffled])
    np.testing.assert_allclose(again.predict_proba(X), make(kind).fit(X, y).predict_proba(X), atol=1e-12)


@every_learner
def test_copies_answer_alike(kind):
    X, y = mixed_cases(missing=0.1)
    model = make(kind).fit(X, y)
    expected = model.predict_proba(X)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(model)).predict_proba(X), expected)
    np.testing.assert_array_equal(clone(model).fit(X, y).predict_proba(X), expected)


@every_weighted_learner
def test_a_weight_is_a_number_of_copies(kind):
    X, y = mixed_cases(missing=0.1)
    copies = np.random.default_rng(2).integers(0, 4, size=len(y))
    rows = np.repeat(np.arange(len(y)), copies)
    weighted = make(kind).fit(X, y, sample_weight=copies)
    repeated = make(kind).fit(X.iloc[rows], y[rows])
    np.testing.assert_allclose(weighted.predict_proba(X), repeated.predict_proba(X), atol=1e-5)


# ID3 has a branch for missing values; a category without a branch gets the classes of the node.
@pytest.mark.parametrize("kind", [kind for kind in LEARNERS if kind.__name__ != "ID3"])
def test_a_new_category_is_a_missing_value(kind):
    X, y = mixed_cases(missing=0.1)
    # FOIL takes a new category as one more constant unless it is told otherwise
    options = {"unknown": "missing"} if "unknown" in make(kind).get_params() else {}
    model = make(kind, **options).fit(X, y)
    blank = X.assign(colour=pd.Categorical([None] * len(X)))
    new = X.assign(colour=pd.Categorical(["mauve"] * len(X)))
    np.testing.assert_array_equal(model.predict_proba(new), model.predict_proba(blank))


@every_learner
def test_probabilities_and_sets(kind):
    X, y = mixed_cases(missing=0.2)
    model = make(kind).fit(X, y)
    shares = model.predict_proba(X)
    assert shares.dtype == np.float64
    assert shares.min() >= 0
    np.testing.assert_allclose(shares.sum(axis=1), 1, atol=1e-6)
    assert set(model.predict(X)) <= set(model.classes_)
    for missing_test in ("follow", "fails"):
        sets = model.predict_sets(X, missing_test=missing_test)
        assert sets.dtype == bool
        assert sets.shape == (len(X), 3)
    complete = X.notna().all(axis=1)
    np.testing.assert_array_equal(
        model.predict_sets(X[complete]), model.predict_sets(X[complete], missing_test="fails")
    )


@every_learner
def test_a_model_can_be_read(kind):
    X, y = mixed_cases()
    assert str(make(kind)) == repr(make(kind))
    model = make(kind).fit(X, y)
    assert str(model) == model.to_text()
    assert any(name in model.to_text() for name in X.columns)
    if hasattr(model, "rules"):
        assert all(isinstance(rule, Rule) and rule.outcome in set(y) for rule in model.rules())
    assert kind.__name__ in model._repr_html_()


@every_learner
def test_a_model_that_has_learned_nothing_says_something(kind):
    nothing = {"same": ["x"] * 12, "unknown": pd.Series([None] * 12, dtype="category"), "one": [1.0] * 12}
    y = ["u", "v", "w"] * 4
    for names in (["same", "one"], ["unknown"], ["one"]):
        X = pd.DataFrame(nothing)[names]
        model = make(kind).fit(X, y)
        assert model.to_text().strip()
        assert set(model.predict(X)) == {"u"}


@every_learner
def test_what_comes_from_the_data_is_escaped(kind):
    X, y = mixed_cases()
    page = make(kind).fit(X, np.where(y == "yes", "<script>alert(1)", y))._repr_html_()
    assert "<script>alert" not in page


@every_learner
def test_a_model_has_a_length_in_bits(kind):
    X, y = mixed_cases()
    length = ff.bits.theory_length(make(kind).fit(X, y), X)
    assert length is None or 0 < length < 1000


@every_learner
def test_in_a_pipeline_and_a_search(kind):
    X, y = mixed_cases(missing=0.1)
    steps = make_pipeline(FunctionTransformer(lambda frame: frame.drop(columns="z")), make(kind))
    assert cross_validate(steps, X, y, cv=3, error_score="raise")["test_score"].mean() > 0.5
    grid = {"categorical_features": ["from_dtype", ["colour", "size"]]}
    search = GridSearchCV(make(kind), grid, cv=2, error_score="raise").fit(X, y)
    assert search.best_score_ > 0.5


@pytest.mark.slow
@every_learner
def test_in_parallel(kind):
    X, y = mixed_cases(missing=0.1)
    alone, together = (cross_validate(make(kind), X, y, cv=2, n_jobs=n)["test_score"] for n in (None, 2))
    np.testing.assert_array_equal(alone, together)


@every_learner
@pytest.mark.parametrize(
    ("X", "y", "error", "message"),
    [
        ([["a"], ["b"]], ["u", None], InputError, "missing value in row 1"),
        ([["a"], ["b"]], ["u", 3.5], InputTypeError, "3.5"),
        ([["a"], ["b"]], ["u"], InputError, "1 classes for 2 cases"),
        ([[1.0], [np.inf]], ["u", "v"], InputError, "inf"),
        ([1.0, 2.0], ["u", "v"], InputError, "Reshape your data"),
    ],
)
def test_bad_cases(kind, X, y, error, message):
    if isinstance(X[0], list) and isinstance(X[0][0], str):
        X = pl.DataFrame(X, schema=["a"], orient="row")
    with pytest.raises(error, match=message):
        make(kind).fit(X, np.array(y, dtype=object))


@every_learner
def test_bad_weights_and_columns(kind):
    X, y = mixed_cases()
    model = make(kind).fit(X, y)
    with pytest.raises(ValueError, match="feature names"):
        model.predict(X.drop(columns="z"))
    if issubclass(kind, WeightedLearner):
        with pytest.raises(InputError, match="not negative"):
            make(kind).fit(X, y, sample_weight=[-1.0] * len(y))


@pytest.mark.parametrize(
    ("kind", "option"),
    [
        (learners.ID3, "allow_zero_gain"),
        (learners.C45Tree, "prune"),
        (learners.C45Rules, "quirks"),
        (learners.C5Rules, "global_pruning"),
    ],
)
@pytest.mark.parametrize("value", ["yes", "False", 1, None])
def test_switches_are_true_or_false_and_nothing_else(kind, option, value):
    with pytest.raises(InputTypeError, match=f"{option} to be True or False; got"):
        make(kind, **{option: value}).fit([[0], [1]], ["a", "b"])
