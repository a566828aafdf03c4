"""Answers, words, rules, theories and errors of MML trees and graphs."""

import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import fivefold as ff
from fivefold.data.conditions import Equals, Rule
from fivefold.errors import InputError, InputTypeError
from fivefold.inputs.columns import read_columns
from fivefold.learners.mml import MMLGraph, MMLTree

from . import mml_reference as reference
from .classic_cases import DECLARED, frame_of, golf, lenses, tables
from .mml_fitted import disjunctions, nodes_of, table_of
from .test_mml_message import disjunction

KINDS = pytest.mark.parametrize("kind", [MMLTree, MMLGraph])


@KINDS
@given(
    data=st.one_of(disjunctions(), tables()),
    empty=st.sampled_from(["parent", "uniform"]),
    alpha=st.sampled_from([1.0, 0.1]),
)
def test_cases_take_their_way_in_parts(kind, data, empty, alpha):
    train, y, test = data
    model = kind(alpha=alpha, empty=empty).fit(frame_of(train, DECLARED), y)
    table, root = table_of(train, y, alpha=alpha), nodes_of(model)
    expected = [reference.probabilities(table, root, row, empty) for row in zip(*test.values(), strict=True)]
    np.testing.assert_allclose(model.predict_proba(frame_of(test, DECLARED)), expected, atol=1e-9)


@KINDS
def test_an_empty_leaf_answers_as_the_node_above(kind):
    X = pl.DataFrame({"a": ["x"] * 30 + ["y"] * 20}, schema={"a": pl.Enum(["x", "y", "z"])})
    y = ["u"] * 30 + ["v"] * 20
    new = pl.DataFrame({"a": ["z"]}, schema={"a": pl.Enum(["x", "y", "z"])})
    np.testing.assert_allclose(kind().fit(X, y).predict_proba(new), [[31 / 52, 21 / 52]])
    np.testing.assert_allclose(kind(empty="uniform").fit(X, y).predict_proba(new), [[0.5, 0.5]])


@KINDS
@given(data=disjunctions())
def test_on_complete_cases_one_rule_holds_and_says_what_is_predicted(kind, data):
    train, y, test = data
    model = kind().fit(frame_of(train, DECLARED), y)
    complete = [row for row in zip(*test.values(), strict=True) if None not in row]
    if not complete:
        return
    X = frame_of(dict(zip(test, map(list, zip(*complete, strict=True)), strict=True)), DECLARED)
    columns, predicted = read_columns(X, like=model.columns_), model.predict(X)
    held = np.array([rule.holds(columns) for rule in model.rules()])
    assert (held.sum(axis=0) == 1).all()
    outcomes = np.array([rule.outcome for rule in model.rules()])
    assert (outcomes[held.argmax(axis=0)] == predicted).all()


@KINDS
@given(data=disjunctions())
def test_a_test_on_a_missing_value_may_fail(kind, data):
    train, y, test = data
    model = kind().fit(frame_of(train, DECLARED), y)
    X = frame_of(test, DECLARED)
    sets = model.predict_sets(X, missing_test="fails")
    columns = read_columns(X, like=model.columns_)
    # a case is answered as the one rule says that holds, all its terms known
    held = np.array([rule.holds(columns) for rule in model.rules()])
    if kind is MMLTree:
        assert (sets.any(axis=1) == held.any(axis=0)).all()
    predicted = model.predict(X)
    followed = model.predict_sets(X)
    assert (model.classes_[followed.argmax(axis=1)] == predicted).all()
    complete = ~np.any([column.missing for column in columns], axis=0)
    assert (sets[complete] == followed[complete]).all()


def test_a_graph_without_an_answer():
    X, y = disjunction(4)
    model = MMLGraph().fit(X, y)
    rows = [[None, True, True, True], [False, None, True, True], [True, True, None, None]]
    new = pl.DataFrame(rows, schema=dict.fromkeys(["x1", "x2", "x3", "x4"], pl.Boolean), orient="row")
    # the first test is of x1; below a false x1 nothing asks for x2; both are true, and nothing else is asked
    assert model.predict_sets(new, missing_test="fails").tolist() == [
        [False, False],
        [False, True],
        [False, True],
    ]


def test_a_graph_in_words():
    X, y = disjunction(4)
    assert MMLGraph().fit(X, y).to_text() == "\n".join(
        [
            "x1 = False: join A",
            "x1 = True:",
            "|   x2 = False: join A",
            "|   x2 = True: True (16) p=0.944",
            "join A, where x1 = False; or x1 = True and x2 = False:",
            "|   x3 = False: join B",
            "|   x3 = True:",
            "|   |   x4 = False: join B",
            "|   |   x4 = True: True (12) p=0.929",
            "join B, where A and x3 = False; or A and x3 = True and x4 = False: False (36) p=0.974",
            "37.3 bits: structure 10.0, attributes 6.2, leaves 13.0, ends 8.1; 31.7 bits shorter than one leaf",
        ]
    )


def test_a_tree_in_words():
    model = MMLTree().fit(*lenses())
    text = (
        "tears = normal:\n"
        "|   astigmatism = no: soft (6/1) p=0.667\n"
        "|   astigmatism = yes: hard (6/2) p=0.556\n"
        "tears = reduced: none (12) p=0.867\n"
        "30.6 bits: structure 4.4, attributes 3.6, leaves 22.6; 7.0 bits shorter than one leaf"
    )
    assert model.to_text() == str(model) == text
    assert "tears = reduced" in model._repr_html_()
    assert Rule((Equals("tears", "reduced"),), "none") in model.rules()


def test_one_leaf_in_words():
    model = MMLTree().fit(*golf())
    assert model.to_text().splitlines()[0] == "yes (14/5) p=0.625"
    assert model.rules() == [Rule((), "yes")]


def test_a_graph_of_numbers_has_rules_without_contradictions():
    rng = np.random.default_rng(0)
    X = rng.integers(0, 6, size=(400, 4)).astype(float)
    y = ((X[:, 0] > 2) & (X[:, 1] > 2)) | ((X[:, 2] > 2) & (X[:, 3] > 2))
    model = MMLGraph().fit(X, y)
    assert model.n_joins_ > 0
    held = np.array([rule.holds(read_columns(X, like=model.columns_)) for rule in model.rules()])
    assert (held.sum(axis=0) == 1).all()
    assert held.any(axis=1).all()
    assert (model.predict(X) == y).all()


@KINDS
def test_theories_have_a_length(kind):
    X, y = disjunction(4)
    model = kind().fit(X, y)
    assert ff.bits.theory_length(model, X) > 10
    assert len(list(model.theory().nodes())) >= 9


@KINDS
def test_parts_of_the_message_as_a_frame(kind):
    model = kind().fit(*lenses())
    message = model.message_
    assert (
        message.total == pytest.approx(sum(message.columns()["bits"])) == pytest.approx(model.message_length_)
    )
    assert message.model == pytest.approx(message.total - message.leaves)
    assert len(message.frame()) == 7


@KINDS
def test_pandas_polars_and_arrays_alike(kind):
    X, y = golf()
    numbers = X.select("temperature", "humidity")
    answers = [
        kind().fit(table, y).predict_proba(table)
        for table in (numbers, numbers.to_pandas(), numbers.to_numpy())
    ]
    np.testing.assert_allclose(answers[1], answers[0])
    np.testing.assert_allclose(answers[2], answers[0])
    frame = pd.DataFrame({"a": pd.Categorical(["x", "y"] * 20), "b": [None, 1.0] * 20})
    model = kind().fit(frame, [0, 1] * 20)
    assert model.predict(frame).tolist() == [0, 1] * 20
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(model)).predict(frame), model.predict(frame))


@KINDS
@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"alpha": 0}, InputError, "alpha above 0; got 0"),
        ({"alpha": -1.5}, InputError, "-1.5"),
        ({"alpha": "best"}, InputError, "'auto'; got 'best'"),
        ({"alpha": None}, InputTypeError, "alpha to be a number; got None"),
        ({"root": "1/n"}, InputError, "'n', 'n\\+1'; got '1/n'"),
        ({"cut_code": "flat"}, InputError, "'hierarchical', 'uniform'; got 'flat'"),
        ({"empty": "zero"}, InputError, "'parent', 'uniform'; got 'zero'"),
    ],
)
def test_bad_options(kind, options, error, words):
    with pytest.raises(error, match=words):
        kind(**options).fit(*golf())


def test_bad_options_of_the_searches():
    with pytest.raises(InputError, match="lookahead to be at least 1; got 0"):
        MMLTree(lookahead=0).fit(*golf())
    with pytest.raises(InputTypeError, match=r"lookahead to be a whole number; got 1.5"):
        MMLTree(lookahead=1.5).fit(*golf())
    with pytest.raises(InputError, match="max_join to be at least 2; got 1"):
        MMLGraph(max_join=1).fit(*golf())


@KINDS
def test_columns_that_cannot_be_tested(kind):
    X = pl.DataFrame(
        {"one": ["x"] * 6, "none": [None] * 6, "same": [1.0] * 6}, schema_overrides={"none": pl.Float64}
    )
    model = kind().fit(X, list("uuuvvv"))
    assert model.nodes_.kind.size == 1
    # they may be named all the same, and so the leaf at the root costs lg 3 bits
    assert model.message_.structure == pytest.approx(np.log2(3))
