import numpy as np
import pytest
from hypothesis import given

from fivefold.errors import InputError
from fivefold.inputs.columns import read_columns
from fivefold.learners import NaiveBayes, SuperParent

from .classic_cases import frame_of, golf, tables, tennis


def _added_up(model, X):
    """Class probabilities from the evidence alone: nothing of the model but its terms and bits."""
    columns = read_columns(X, like=model.columns_)
    totals = np.zeros((len(X), len(model.classes_)))
    for part in model.evidence():
        holds = np.logical_and.reduce([np.ones(len(X), bool), *(term.holds(columns) for term in part.terms)])
        totals[holds] += part.bits
    odds = np.exp2(totals - totals.max(axis=1, keepdims=True))
    return odds / odds.sum(axis=1, keepdims=True)


@pytest.mark.parametrize("learner", [NaiveBayes(), NaiveBayes(m="k", class_m=1), SuperParent()], ids=str)
@given(tables())
def test_evidence_adds_up_to_the_probabilities(learner, drawn):
    train, classes, test = drawn
    model = learner.fit(frame_of(train), classes)
    X = frame_of(test)
    np.testing.assert_allclose(_added_up(model, X), model.predict_proba(X), rtol=1e-9, atol=1e-12)


def test_worked_example_by_hand():
    X, y = tennis()
    parts = NaiveBayes(m=0).fit(X, y).evidence()
    sunny = next(part for part in parts if [t.to_text() for t in part.terms] == ["outlook = sunny"])
    np.testing.assert_allclose(sunny.bits, np.log2([3 / 5, 2 / 9]))
    assert str(sunny) == "outlook = sunny: 1.43 bits for no against yes"
    assert parts[0].terms == ()
    assert parts[0].favourite == "yes"


def test_impossible_values_say_so():
    X, y = tennis()
    parts = NaiveBayes(m=0).fit(X, y).evidence()
    overcast = next(part for part in parts if "overcast" in str(part))
    assert str(overcast) == "outlook = overcast: inf bits for yes against no"


def test_normal_distributions_have_no_terms():
    X, y = golf()
    with pytest.raises(InputError, match="temperature"):
        NaiveBayes(numeric="gaussian").fit(X, y).evidence()
