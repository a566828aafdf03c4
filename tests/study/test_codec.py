"""Values as JSON and back, and the keys that follow from them."""

import json
import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.compose import ColumnTransformer
from sklearn.ensemble import RandomForestClassifier
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import OneHotEncoder

import fivefold as ff
from fivefold.errors import InputError, InputTypeError
from fivefold.study import Job, derive_seed, fingerprint, generator, seeded, task
from fivefold.study.job import canonical, decode, digest, encode, import_class

NAMES = st.text(max_size=5).filter(lambda text: not text.startswith("$"))
PLAIN = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5)
VALUES = st.recursive(
    PLAIN,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.lists(inner, max_size=3).map(tuple)
        | st.dictionaries(NAMES, inner, max_size=3)
    ),
    max_leaves=8,
)


@task("test.nothing")
def nothing(params, seed):
    return {}


@given(VALUES)
def test_nothing_is_lost_on_the_way_through_json(value):
    again = decode(json.loads(json.dumps(encode(value), allow_nan=False)))
    assert repr(again) == repr(value)  # types, signs of zero and NaN as well


@given(st.dictionaries(NAMES, VALUES, min_size=2, max_size=4))
def test_the_order_of_names_does_not_matter(value):
    turned = dict(reversed(value.items()))
    assert digest(encode(value)) == digest(encode(turned))


def test_numpy_values_are_plain_values():
    given_, plain = (
        {"a": np.float64(0.1), "b": np.int8(3), "c": np.array([1, 2])},
        {"a": 0.1, "b": 3, "c": [1, 2]},
    )
    assert encode(given_) == plain
    assert encode(np.bool_(True)) is True
    assert decode(encode(np.float32(0.1))) == float(np.float32(0.1))


def test_estimators_come_back_with_all_their_parameters():
    encoder = ColumnTransformer(
        [("n", OneHotEncoder(), ["a"]), ("x", SimpleImputer(missing_values=math.nan), ["b"])]
    )
    model = Pipeline([("encode", encoder), ("forest", RandomForestClassifier(7, max_features=0.3))])
    again = decode(json.loads(canonical(encode(model))), estimators=True)
    assert repr(again) == repr(model)
    assert digest(encode(again)) == digest(encode(model))
    with pytest.raises(InputError, match="plain values"):
        decode(encode(model))


@pytest.mark.parametrize("value", [{1: 2}, {"$type": "os.system"}])
def test_names_that_would_be_misread(value):
    with pytest.raises(InputError, match="names that are text"):
        encode(value)


def test_values_that_have_no_json():
    with pytest.raises(InputTypeError, match=r"the value, model\[1\]") as caught:
        encode({"model": [1, open]})
    assert "open" in str(caught.value)


@pytest.mark.parametrize("path", ["os.system", "nothing.here.Model", "sklearn.tree.Oak", "", "eval", "..x.Y"])
def test_only_classes_are_imported(path):
    with pytest.raises(InputError, match="dotted path"):
        import_class(path)


BASE = {"depth": 3, "model": LogisticRegression(), "data": "abc"}
OTHERS = [
    ({"depth": 4}, {}),
    ({"model": LogisticRegression(C=2.0)}, {}),
    ({"data": "abd"}, {}),
    ({"more": None}, {}),
    ({}, {"seed": 1}),
]


def test_what_changes_a_key_and_what_does_not():
    keys = {Job("test.nothing", BASE | params, **options).key for params, options in OTHERS}
    same = Job("test.nothing", BASE).key
    assert len(keys | {same}) == len(OTHERS) + 1
    assert Job("test.nothing", dict(reversed(BASE.items())), labels={"a": 1}, group="g").key == same
    # a parameter that is said and one that is the default are the same
    assert Job("test.nothing", BASE | {"model": LogisticRegression(C=1.0)}).key == same


def test_learners_keep_the_names_under_which_results_were_stored():
    tree = ff.learners.C45Tree(min_cases=4)
    encoded = encode(tree)
    assert encoded["$estimator"] == "fivefold.learners.c45.tree.C45Tree"
    assert encoded["params"]["min_objs"] == 4
    assert repr(decode(encoded, estimators=True)) == repr(tree)
    for name in ("ID3", "Foil", "Induct", "MMLGraph", "NaiveBayes", "OneR", "Prism", "SuperParent"):
        learner = getattr(ff.learners, name)()
        assert repr(decode(encode(learner), estimators=True)) == repr(learner)


def test_a_new_version_of_a_task_is_a_new_job():
    before = Job("test.nothing", BASE).key
    task("test.nothing", version=2)(nothing)
    after = Job("test.nothing", BASE).key
    task("test.nothing")(nothing)
    assert after != before


def test_unknown_tasks_are_refused():
    with pytest.raises(InputError, match="a registered task"):
        Job("test.missing", {})


def test_fingerprints_follow_the_content():
    table = ff.data.load("LA")
    same = ff.data.Table.from_frame(table.to_polars(), target="class")
    assert fingerprint(same) == fingerprint(table)
    assert fingerprint(replace(table, name="other")) == fingerprint(table)
    y = table.y.copy()
    y[0] = next(label for label in table.classes if label != y[0])
    assert fingerprint(replace(table, y=y)) != fingerprint(table)
    column = table.columns[0]
    values = column.values.copy()
    values[3] = np.nextafter(values[3], np.inf)
    changed = replace(column, values=values)
    assert fingerprint(replace(table, columns=(changed, *table.columns[1:]))) != fingerprint(table)
    renamed = replace(column, name="other")
    assert fingerprint(replace(table, columns=(renamed, *table.columns[1:]))) != fingerprint(table)


def test_seeds_hang_on_names_alone():
    assert derive_seed(0, "a") != derive_seed(0, "b")
    assert derive_seed(1, 2) != derive_seed(12)
    assert 0 <= derive_seed("x") < 2**32
    assert generator(1, "a").random() == generator(1, "a").random()
    assert generator(1, "a").random() != generator(2, "a").random()


def test_seeded_fills_only_what_is_free():
    model = Pipeline([("a", LogisticRegression()), ("b", RandomForestClassifier(random_state=5))])
    filled = seeded(model, 3)
    assert filled.named_steps["b"].random_state == 5
    assert isinstance(filled.named_steps["a"].random_state, int)
    assert model.named_steps["a"].random_state is None
    assert seeded(model, 4).named_steps["a"].random_state != filled.named_steps["a"].random_state
