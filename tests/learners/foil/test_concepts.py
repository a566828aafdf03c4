import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from fivefold.errors import InputError, InputTypeError
from fivefold.inputs.columns import read_columns
from fivefold.learners.foil import Foil, learn_concepts


@st.composite
def resampled(draw, max_cases=80, max_attributes=70):
    n, d = draw(st.integers(1, max_cases)), draw(st.integers(1, max_attributes))
    X = draw(arrays(bool, (n, d)))
    y = draw(st.one_of(arrays(bool, n), st.just(X[:, 0] & ~X[:, -1])))
    copies = draw(arrays(np.int64, (draw(st.integers(1, 4)), n), elements=st.integers(0, 3)))
    return X, y, copies


@given(resampled(), st.booleans(), st.booleans())
def test_each_concept_is_what_the_estimator_learns_from_the_resample(case, negation, pruning):
    X, y, copies = case
    concepts = learn_concepts(X, y, copies, negation=negation, pruning=pruning)
    assert len(concepts) == len(copies)
    covered = concepts.covers(X)
    for r, own in enumerate(copies):
        rows = np.repeat(np.arange(len(y)), own)
        if len(set(y[rows].tolist())) < 2:
            assert not covered[r].any()
            assert concepts.rules(r) == []
            continue
        model = Foil(target=True, negation=negation, pruning=pruning).fit(X[rows], y[rows])
        assert concepts.rules(r) == model.rules()
        np.testing.assert_array_equal(covered[r], model.predict(X))
        held = [rule.holds(read_columns(X)) for rule in concepts.rules(r)]
        np.testing.assert_array_equal(covered[r], np.any(held, axis=0) if held else np.zeros(len(y), bool))


def test_one_resample_by_default():
    X = np.array([[0, 1], [1, 1], [0, 0], [1, 0]] * 5, dtype=bool)
    assert [str(rule) for rule in learn_concepts(X, X[:, 1]).rules(0)] == ["if x1 = True then True"]


def test_more_cases_than_a_table_of_logarithms_has():
    rng = np.random.default_rng(0)
    X = rng.random((3000, 3)) < 0.5
    y = X[:, 0] & ~X[:, 2]
    assert (learn_concepts(X, y).covers(X)[0] == y).all()


@pytest.mark.parametrize(
    ("X", "y", "copies", "error", "message"),
    [
        (np.ones((2, 2)), [True, False], None, InputTypeError, "float64"),
        (np.ones((2, 2), bool), [1, 0], None, InputError, "y == label"),
        (np.ones((2, 2), bool), [True], None, InputError, "2 booleans"),
        (np.ones((2, 2), bool), [True, False], [[1, 2, 3]], InputError, "rows of 2"),
        (np.ones((2, 2), bool), [True, False], [[1.0, 2.0]], InputError, "float64"),
        (np.ones((2, 2), bool), [True, False], [[1, 1], [1, -2]], InputError, "-2 for case 1 of row 1"),
    ],
)
def test_bad_tables(X, y, copies, error, message):
    with pytest.raises(error, match=message):
        learn_concepts(X, y, copies)


def test_concepts_know_their_attributes():
    concepts = learn_concepts(np.eye(3, dtype=bool), np.array([True, False, False]))
    with pytest.raises(InputError, match="3 attributes"):
        concepts.covers(np.ones((1, 2), bool))
