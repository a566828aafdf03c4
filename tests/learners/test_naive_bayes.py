from math import prod

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import load_iris, make_classification
from sklearn.naive_bayes import CategoricalNB, GaussianNB

import fivefold as ff
from fivefold.data.discretise import MDLP
from fivefold.errors import InputError, InputTypeError
from fivefold.learners import NaiveBayes, SuperParent

from .classic_cases import frame_of, tables, tennis


def _day(*values):
    return pl.DataFrame([values], schema=["outlook", "temperature", "humidity", "wind"], orient="row")


@pytest.mark.parametrize(
    ("m", "day", "p_no"),
    [
        (0, ("sunny", "cool", "high", "strong"), 0.795417),
        (1, ("sunny", "cool", "high", "strong"), 0.759002),
        (0, ("overcast", "cool", "high", "strong"), 0.0),
        (1, ("overcast", "cool", "high", "strong"), 0.144995),
    ],
)
def test_mitchells_day(m, day, p_no):
    X, y = tennis()
    assert NaiveBayes(m=m).fit(X, y).predict_proba(_day(*day))[0, 0] == pytest.approx(p_no, abs=5e-7)


@pytest.mark.parametrize(("m", "no", "yes"), [(0, 0.020571, 0.005291), (1, 0.019290, 0.006125)])
def test_mitchells_products(m, no, yes):
    X, y = tennis()
    odds = np.divide(*NaiveBayes(m=m).fit(X, y).predict_proba(_day("sunny", "cool", "high", "strong"))[0])
    assert odds == pytest.approx(no / yes, rel=2e-4)


def _share(values, labels, value, label, m):
    known = [(v, c) for v, c in zip(values, labels, strict=True) if v is not None]
    k = len({v for v, _ in known})
    n_c = sum(c == label for _, c in known)
    if n_c + m == 0:
        return 1 / k
    return (known.count((value, label)) + m / k) / (n_c + m)


def _by_definition(train, labels, case, m, class_m):
    classes = sorted(set(labels))
    prior = [(labels.count(c) + class_m / len(classes)) / (len(labels) + class_m) for c in classes]
    spoken = [name for name, value in case.items() if value is not None and value in train[name]]
    joint = [
        p * prod(_share(train[name], labels, case[name], c, m) for name in spoken)
        for p, c in zip(prior, classes, strict=True)
    ]
    return [j / sum(joint) for j in joint] if sum(joint) else prior


@given(tables(kinds=("nominal",)), st.sampled_from([0, 0.5, 1, 3]), st.sampled_from([0, 1]))
def test_agrees_with_the_definition(table, m, class_m):
    train, y, test = table
    model = NaiveBayes(m=m, class_m=class_m).fit(frame_of(train), y)
    for columns in (train, test):
        cases = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
        expected = np.array([_by_definition(train, y, case, m, class_m) for case in cases])
        found = model.predict_proba(frame_of(columns))
        np.testing.assert_allclose(found, expected, rtol=1e-8, atol=1e-12)
        # of equal classes the first, even where rounding parts them
        first = [next(i for i, p in enumerate(row) if p > max(row) - 1e-9) for row in expected]
        assert model.predict(frame_of(columns)).tolist() == model.classes_[first].tolist()


def test_m_k_is_laplace():
    rng = np.random.default_rng(5)
    X, y = rng.integers(0, 4, (200, 3)), rng.integers(0, 3, 200)
    ours = NaiveBayes(m="k", categorical_features=[0, 1, 2]).fit(X, y)
    np.testing.assert_allclose(ours.predict_proba(X), CategoricalNB(alpha=1).fit(X, y).predict_proba(X))


def test_gaussian():
    X, y = load_iris(return_X_y=True)
    weights = np.random.default_rng(0).uniform(0.5, 2, y.size)
    ours = NaiveBayes(numeric="gaussian").fit(X, y, sample_weight=weights)
    theirs = GaussianNB().fit(X, y, sample_weight=weights)
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), rtol=1e-5, atol=1e-12)


def test_gaussian_skips_what_is_missing():
    X, y = load_iris(return_X_y=True)
    holes = X.copy()
    holes[:, 2] = np.nan
    ours = NaiveBayes(numeric="gaussian").fit(X, y)
    without = NaiveBayes(numeric="gaussian").fit(np.delete(X, 2, axis=1), y)
    np.testing.assert_allclose(ours.predict_proba(holes), without.predict_proba(np.delete(X, 2, axis=1)))
    holes[0, 2] = 1.0
    again = NaiveBayes(numeric="gaussian").fit(holes, y)  # one value alone says nothing
    np.testing.assert_allclose(again.predict_proba(holes), without.predict_proba(np.delete(X, 2, axis=1)))


def test_intervals_are_those_of_mdlp_on_the_training_cases():
    X, y = load_iris(return_X_y=True)
    train = np.arange(y.size) % 2 == 0
    model = NaiveBayes().fit(X[train], y[train])
    bins = MDLP().fit(X[train], y[train])
    assert model.cut_points_ == bins.cut_points_
    assert model.cut_points_ != MDLP().fit(X, y).cut_points_
    before = NaiveBayes().fit(bins.transform(X[train]), y[train])
    np.testing.assert_allclose(
        model.predict_proba(X[~train]), before.predict_proba(bins.transform(X[~train]))
    )


def test_equal_width():
    X = np.array([[0.0], [1.0], [9.0], [10.0], [np.nan]])
    model = NaiveBayes(numeric="equal_width", n_bins=5).fit(X, [0, 0, 1, 1, 1])
    assert model.cut_points_ == {"x0": (2.0, 4.0, 6.0, 8.0)}
    # two values are seen; 5 lies in an interval that no training case has
    first = np.array([2.5 / 3 * 2 / 5, 0.5 / 3 * 3 / 5])
    np.testing.assert_allclose(model.predict_proba([[0.5], [5.0]]), [first / first.sum(), [0.4, 0.6]])


def test_whole_weights_count_cases():
    X, y = make_classification(120, 5, random_state=3)
    weights = np.random.default_rng(1).integers(0, 4, y.size)
    weighted = NaiveBayes().fit(X, y, sample_weight=weights)
    repeated = NaiveBayes().fit(np.repeat(X, weights, axis=0), np.repeat(y, weights))
    assert weighted.cut_points_ == repeated.cut_points_
    np.testing.assert_allclose(weighted.predict_proba(X), repeated.predict_proba(X))


def test_fractional_weights():
    X, y = tennis()
    half = NaiveBayes(m=1).fit(X, y, sample_weight=np.full(14, 0.5))
    np.testing.assert_allclose(half.predict_proba(X), NaiveBayes(m=2).fit(X, y).predict_proba(X))
    with pytest.raises(InputError, match=r"whole numbers as weights.*0\.5 in row 0"):
        NaiveBayes().fit([[1.0], [2.0]], [0, 1], sample_weight=[0.5, 0.5])


def test_ties_go_to_the_first_class_in_spite_of_rounding():
    # both classes have the same factors, in another order
    X = pl.DataFrame([["a", "a", "a"]] * 7 + [["b", "b", "a"]] * 3, schema=["p", "q", "r"], orient="row")
    mirror = X.select(p=pl.col("r"), q=pl.col("p"), r=pl.col("q"))
    model = NaiveBayes().fit(pl.concat([mirror, X]), ["u"] * 10 + ["v"] * 10)
    assert model.predict(pl.DataFrame({"p": ["a"], "q": ["a"], "r": ["a"]})).tolist() == ["u"]


def test_has_no_rules_and_no_theory():
    X, y = tennis()
    model = NaiveBayes().fit(X, y)
    assert not hasattr(model, "rules")
    assert ff.bits.theory_length(model, X) is None
    with pytest.raises(AttributeError, match=r"NaiveBayes has no rules\(\): .* evidence\(\)"):
        _ = model.rules


def test_bad_options():
    X, y = tennis()
    with pytest.raises(InputTypeError, match=r"m, if not .*'laplace'"):
        NaiveBayes(m="laplace").fit(X, y)
    with pytest.raises(InputError, match=r"m, if not .*got -1"):
        NaiveBayes(m=-1).fit(X, y)
    with pytest.raises(InputError, match=r"numeric.*'kernel'"):
        NaiveBayes(numeric="kernel").fit(X, y)
    with pytest.raises(InputError, match=r"n_bins.*1"):
        NaiveBayes(n_bins=1).fit(X, y)
    with pytest.raises(InputError, match=r"class_m.*got -2"):
        NaiveBayes(class_m=-2).fit(X, y)


@given(tables())
def test_n_stands_for_the_number_of_training_cases(drawn):
    train, classes, test = drawn
    X, unseen = frame_of(train), frame_of(test)
    for learner in (NaiveBayes, SuperParent):
        ours = learner(m="n").fit(X, classes).predict_proba(unseen)
        np.testing.assert_array_equal(ours, learner(m=float(len(X))).fit(X, classes).predict_proba(unseen))
