import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fivefold.learners.rule_answers import RuleAnswers

from .rule_reference import Answers


@st.composite
def firings(draw):
    n_rules, n, m = draw(st.integers(0, 6)), draw(st.integers(1, 15)), draw(st.integers(1, 8))
    labels = list(range(draw(st.integers(1, 4))))
    rows = st.lists(st.lists(st.booleans(), min_size=n_rules, max_size=n_rules), min_size=n, max_size=n)
    y = draw(st.lists(st.sampled_from(labels), min_size=n, max_size=n))
    outcomes = draw(st.lists(st.sampled_from(labels), min_size=n_rules, max_size=n_rules))
    new = st.lists(st.lists(st.booleans(), min_size=n_rules, max_size=n_rules), min_size=m, max_size=m)
    return draw(rows), outcomes, y, labels, draw(new)


def _matrix(rows, n_rules):
    return np.array(rows, dtype=bool).reshape(len(rows), n_rules).T


@given(firings())
def test_agrees_with_the_definition(drawn):
    train, outcomes, y, labels, new = drawn
    expected = Answers(train, outcomes, y, labels)
    fired = _matrix(train, len(outcomes))
    found = RuleAnswers.learn(fired, np.array(outcomes, dtype=np.int32), np.array(y), len(labels))
    for rows in (train, new):
        fired = _matrix(rows, len(outcomes))
        sets = [[c in expected.set(own) for c in labels] for own in rows]
        assert found.sets(fired).tolist() == sets
        assert found.choices(fired).tolist() == [expected.choice(own) for own in rows]
        np.testing.assert_allclose(
            found.probabilities(fired), [expected.probabilities(own) for own in rows], rtol=1e-12
        )


def test_precision_then_cover_then_prior_then_order():
    #            a  a  a  b  b  c
    classes = np.array([0, 0, 0, 1, 1, 2])
    fired = np.array(
        [
            [0, 0, 0, 1, 0, 0],  # b, 1 of 1: precision 2/4
            [0, 0, 1, 1, 1, 0],  # b, 2 of 3: precision 3/6, and covers more
            [1, 0, 0, 1, 0, 1],  # a, 1 of 3
            [0, 0, 0, 0, 0, 1],  # c, 1 of 1
        ],
        dtype=bool,
    )
    answers = RuleAnswers.learn(fired, np.array([1, 1, 0, 2], dtype=np.int32), classes, 3)
    assert answers.ranking.tolist() == [1, 0, 3, 2]
    both = np.array([[False], [False], [True], [True]])
    assert answers.choices(both).tolist() == [2]
    assert answers.choices(np.zeros((4, 1), dtype=bool)).tolist() == [0]


def test_probabilities_by_hand():
    classes = np.array([0, 0, 1, 1, 1])
    fired = np.array([[1, 1, 1, 0, 0], [0, 0, 1, 1, 0]], dtype=bool)
    answers = RuleAnswers.learn(fired, np.array([0, 1], dtype=np.int32), classes, 2)
    # rule 0 alone: two of class 0; both: rule 1 decides with 2 of 2; rule 1 alone: one of class 1; none: the prior
    assert answers.probabilities(fired)[[0, 2, 3, 4]] == pytest.approx(
        np.array([[3 / 4, 1 / 4], [1 / 4, 3 / 4], [1 / 3, 2 / 3], [2 / 5, 3 / 5]])
    )


@given(firings())
def test_no_rule_is_the_prior_in_every_answer(drawn):
    train, outcomes, y, labels, _ = drawn
    fired = _matrix(train, len(outcomes))
    found = RuleAnswers.learn(fired, np.array(outcomes, dtype=np.int32), np.array(y), len(labels))
    none = np.zeros((len(outcomes), 1), dtype=bool)
    counts = np.array([y.count(label) for label in labels])
    assert not found.sets(none).any()
    assert found.choices(none).tolist() == [counts.argmax()]
    np.testing.assert_array_equal(found.probabilities(none), [counts / counts.sum()])
