"""Whether a theory pays for itself."""

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier

import fivefold as ff
from fivefold.errors import InputError


@pytest.fixture(scope="module")
def noise():
    rng = np.random.default_rng(0)
    return rng.uniform(size=(200, 5)), rng.integers(2, size=200)


def test_the_account_adds_up():
    X, y = load_iris(return_X_y=True)
    tree = DecisionTreeClassifier(max_depth=2, random_state=0).fit(X, y)
    result = ff.bits.description_gain(tree, X, y)
    assert result.null == pytest.approx(ff.bits.null_code_length(y))
    assert result.answers == pytest.approx(ff.bits.code_length(y, tree.predict(X), classes=tree.classes_))
    assert result.theory == pytest.approx(ff.bits.theory_length(tree, X))
    assert result.gain == pytest.approx(result.null - result.answers - result.theory)
    assert result.proven


def test_a_tree_that_learnt_noise_by_heart_is_not_proven(noise):
    X, y = noise
    tree = DecisionTreeClassifier(random_state=0).fit(X, y)
    result = ff.bits.description_gain(tree, X, y)
    assert result.significance > 150  # perfect on its training set
    assert result.gain < 0
    assert not result.proven
    assert "not proven" in str(result)


def test_shrinkage_is_what_unseen_cases_save_less(noise):
    X, y = noise
    tree = DecisionTreeClassifier(random_state=0).fit(X[:100], y[:100])
    result = ff.bits.description_gain(tree, X[:100], y[:100], X_test=X[100:], y_test=y[100:])
    test = ff.bits.significance(y[100:], tree.predict(X[100:]), classes=[0, 1])
    assert result.shrinkage == pytest.approx(result.significance / 100 - test / 100)
    assert result.shrinkage > 0.5


def test_without_a_code_for_the_theory_there_is_no_account(noise):
    assert ff.bits.description_gain(KNeighborsClassifier().fit(*noise), *noise) is None


@pytest.mark.parametrize("given", ["X_test", "y_test"])
def test_half_a_test_set_is_refused(noise, given):
    X, y = noise
    tree = DecisionTreeClassifier(max_depth=1).fit(X, y)
    with pytest.raises(InputError, match=f"only {given}"):
        ff.bits.description_gain(tree, X, y, **{given: X if given == "X_test" else y})
