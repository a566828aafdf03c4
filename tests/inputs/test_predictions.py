"""Predictions keep what was given, refuse what cannot be, and never change."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.tree import DecisionTreeClassifier

import fivefold as ff
from fivefold.errors import InputError, InputTypeError
from fivefold.inputs.answers import AnswerRules
from fivefold.inputs.predictions import predictions_from_table


@st.composite
def answered(draw):
    classes = ["ant", "bee", "cat|dog"][: draw(st.integers(2, 3))]
    n = draw(st.integers(1, 12))
    truth = draw(st.lists(st.sampled_from(classes), min_size=n, max_size=n))
    sets = draw(st.lists(st.sets(st.sampled_from(classes)), min_size=n, max_size=n))
    return classes, truth, sets


@given(answered())
def test_sets_survive_the_round_trip(case):
    classes, truth, sets = case
    said = ff.Predictions.from_answers(truth, sets, classes=classes)
    assert [set(said.classes[row]) for row in said.sets()] == sets
    assert list(said.y_true) == truth


@given(answered())
def test_a_table_of_texts_says_the_same_as_sets(case):
    classes, truth, sets = case
    # A class that holds the separator can only stand alone in a cell.
    sets = [s if len(s) == 1 or "cat|dog" not in s else s - {"cat|dog"} for s in sets]
    table = pl.DataFrame({"y": truth, "m": ["|".join(sorted(s)) for s in sets]})
    (from_table,) = predictions_from_table(table, target="y", predictions=["m"], classes=classes)
    assert np.array_equal(from_table.sets(), ff.Predictions.from_answers(truth, sets, classes=classes).sets())


def test_three_forms_of_one_answer_are_equal():
    truth, labels = ["a", "b", "c"], ["a", None, "b"]
    matrix = np.array([[1, 0, 0], [0, 0, 0], [0, 1, 0]], dtype=bool)
    forms = [labels, matrix, matrix[:, :, None], [{"a"}, set(), ["b"]], pd.Series(labels), pl.Series(labels)]
    told = [ff.Predictions.from_answers(truth, form, classes=["a", "b", "c"]).sets() for form in forms]
    assert all(np.array_equal(one, matrix) for one in told)


def test_probabilities_beside_abstentions_keep_the_class_order_of_named_columns():
    frame = pd.DataFrame({"b": [0.9, 0.2], "a": [0.1, 0.8]})
    said = ff.Predictions.from_answers(["b", "a"], ["b", None], y_prob=frame)
    assert said.probabilities.tolist() == [[0.1, 0.9], [0.8, 0.2]]
    assert said.answers.tolist() == [1, -1]


def test_the_most_probable_class_is_the_answer_and_the_first_of_equals():
    said = ff.Predictions.from_probabilities(["a", "b", "b"], [0.5, 0.51, 0.0])
    assert said.answers.tolist() == [0, 1, 0]
    assert not said.answers_given


def test_nothing_can_be_changed_afterwards():
    truth = np.array([0, 1])
    said = ff.Predictions.from_answers(truth, [0, 1])
    with pytest.raises(ValueError, match="read-only"):
        said.truth[0] = 1
    with pytest.raises(AttributeError):
        said.name = "other"


def test_a_prefix_finds_the_columns_of_every_class():
    table = pl.DataFrame({"y": ["1", "2"], "p1": [0.5, 0.25], "p2": [0.5, 0.75]})
    (said,) = predictions_from_table(table, target="y", probabilities={"m": "p"})
    assert said.probabilities.tolist() == [[0.5, 0.5], [0.25, 0.75]]
    whole = table.with_columns(pl.col("y").cast(pl.Int64))
    (said,) = predictions_from_table(whole, target="y", probabilities={"m": "p"})
    assert said.classes.tolist() == [1, 2]


def test_features_are_what_has_no_other_role():
    table = pl.DataFrame({"y": ["a", "b"], "m": ["a", "b"], "p": [0.1, 0.9], "age": [1, 2]})
    (said,) = predictions_from_table(table, target="y", predictions=["m"], probabilities={"m": "p"})
    assert said.features.columns == ["age"]


TABLE = pl.DataFrame(
    {"y": ["a", "b"], "m": ["a", "c"], "p": ["0.5", "x"], "pa": [0.5, 0.5], "pb": [0.4, 0.5]}
)


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"predictions": ["nope"]}, "'nope'"),
        ({"predictions": ["y"]}, "'y' as both"),
        ({}, "none"),
        ({"predictions": ["m"], "classes": ["a", "b"]}, "'c' 1 time"),
        ({"probabilities": {"m": "p"}}, "'x' in row 1"),
        ({"probabilities": {"m": {"a": "pa", "b": "pb"}}}, "sum 0.9 in row 0"),
        ({"probabilities": {"m": {"a": "pa"}}}, "none for 'b', but 'pa'"),
        ({"probabilities": {"m": "zz"}}, "begin so; got none. Hint: there are 'y', 'm'"),
        ({"probabilities": {"m": ["pa", "pb"]}}, "a mapping such as"),
        ({"predictions": {"one": "m", "two": "m"}}, "['m', 'm']"),
        ({"predictions": {"m": TABLE["m"]}}, "Series, not a name"),
        ({"predictions": ["m"], "features": ["zz"], "classes": ["a", "b", "c"]}, "'zz'"),
    ],
)
def test_bad_tables_are_refused_with_the_offending_value(options, told):
    with pytest.raises((InputError, InputTypeError)) as problem:
        predictions_from_table(TABLE, target="y", **options)
    assert told in str(problem.value)
    assert str(problem.value).startswith("expected ")


def test_no_table_and_no_rows_are_refused():
    with pytest.raises(InputTypeError, match="pandas, polars or pyarrow"):
        predictions_from_table([1, 2], target="y", predictions=["m"])
    with pytest.raises(InputError, match="at least one row"):
        predictions_from_table(TABLE.head(0), target="y", predictions=["m"])


def test_features_of_another_length_are_refused():
    with pytest.raises(InputError, match="one row of features"):
        ff.Predictions.from_answers(["a", "b"], ["a", "b"], features=pl.DataFrame({"x": [1]}))


@pytest.mark.parametrize(
    ("answers", "hint"),
    [(["0", "1"], "translate the one into the other"), (["No", "YES "], "capitals, blanks or type")],
)
def test_answers_in_other_words_than_the_truth_are_refused_with_both_named(answers, hint):
    truth = ["no", "yes"] * 3
    table = pl.DataFrame({"y": truth, "m": answers * 3})
    tree = DecisionTreeClassifier().fit([[0], [1]], answers)
    calls = (
        lambda: predictions_from_table(table, target="y", predictions=["m"]),
        lambda: ff.Predictions.from_answers(truth, answers * 3),
        lambda: ff.evaluate(tree, [[0], [1]] * 3, truth),
        lambda: ff.bits.significance(truth, answers * 3),
        lambda: ff.bits.encode(truth, [{answer} for answer in answers * 3]),
        lambda: ff.slices.find_errors(pl.DataFrame({"x": list("aabbaa")}), truth, answers * 3),
        lambda: ff.truth.mcnemar(truth, truth, answers * 3),
    )
    for call in calls:
        with pytest.raises(InputError, match=hint) as problem:
            call()
        assert "no" in problem.value.expected
        assert answers[1] in problem.value.got


@pytest.mark.parametrize(
    ("answers", "hint"),
    [(["ｎｏ", "ｙｅｓ"], "--normalise"), (["n", "y"], "--map"), ([0.25, 0.75], "if they are probabilities")],
)
def test_the_hint_says_what_makes_answers_meet_the_truth(answers, hint):
    table = pl.DataFrame({"y": ["no", "yes"] * 3, "m": answers * 3})
    with pytest.raises(InputError, match=hint):
        predictions_from_table(table, target="y", predictions=["m"])
    truth = np.array(["No", "Yes"] * 3)
    with pytest.raises(InputError) as problem:
        ff.bits.significance(list(truth), list(np.char.lower(truth)))
    assert "np.str_" not in str(problem.value)


def test_sets_of_numbers_in_words_meet_classes_that_are_numbers():
    table = pl.DataFrame({"y": [0, 1, 2] * 3, "m": ["0|1", "1", "2|0"] * 3})
    with pytest.raises(InputError, match="--normalise"):
        predictions_from_table(table, target="y", predictions=["m"])
    # a KeyError before
    (said,) = predictions_from_table(table, target="y", predictions=["m"], rules=AnswerRules(normalise=True))
    assert said.answers[:3].tolist() == [[True, True, False], [False, True, False], [True, False, True]]


def test_probabilities_of_which_some_are_whole_numbers_are_not_taken_for_classes_written_otherwise():
    table = pl.DataFrame({"y": ["0", "1"] * 3, "m": ["0.0", "1.0", "0.25", "0.75", "0.5", "0.125"]})
    with pytest.raises(InputError, match="if they are probabilities"):
        predictions_from_table(table, target="y", predictions=["m"])


@pytest.mark.parametrize("truth", [["1", "2"], ["1.5", "2.5"]])
def test_amounts_in_place_of_answers_are_not_taken_for_probabilities(truth):
    table = pl.DataFrame({"y": truth * 3, "m": ["1.5", "3.25", "2.75", "1.25", "4.5", "7.5"]})
    with pytest.raises(InputError, match="if they are amounts"):
        predictions_from_table(table, target="y", predictions=["m"], rules=AnswerRules())


def test_probabilities_of_other_classes_than_the_true_ones_are_refused_with_both_named():
    with pytest.raises(InputError, match=r"only the classes 'N', 'Y'; got 'no'"):
        ff.bets.log_score(["no", "yes"], [0.1, 0.9], classes=["N", "Y"])


def test_a_named_class_that_never_occurs_may_be_the_only_answer():
    given = ff.Predictions.from_answers(["a", "b"], ["c", "c"], classes=["a", "b", "c"])
    assert given.n_classes == 3


def test_a_truth_of_one_class_meets_answers_of_two():
    table = pl.DataFrame({"y": ["a", "a"], "m": ["a", "b"]})
    (given,) = predictions_from_table(table, target="y", predictions=["m"])
    assert given.classes.tolist() == ["a", "b"]


@pytest.mark.parametrize(("known", "absent"), [(0, 1), (5, -9), (False, True), (True, False), ("no", "yes")])
@pytest.mark.parametrize("named", [True, False])
def test_a_prefix_names_classes_that_do_not_occur_by_the_type_of_those_that_do(known, absent, named):
    stated = {f"p_{known}": [0.75, 0.5, 1.0], f"p_{absent}": [0.25, 0.5, 0.0]}
    classes = sorted([known, absent]) if named else None
    for frame in (pl.DataFrame({"y": [known] * 3, **stated}), pd.DataFrame({"y": [known] * 3, **stated})):
        (said,) = predictions_from_table(frame, target="y", probabilities={"m": "p_"}, classes=classes)
        assert said.classes.tolist() == sorted([known, absent])
        assert said.probabilities[:, said.classes.tolist().index(known)].tolist() == [0.75, 0.5, 1.0]


@pytest.mark.parametrize("names", [["y", "m", 0], [0, 1, 2], [("a", "y"), ("a", "m"), ("b", "x")]])
def test_names_of_columns_that_are_no_text_are_refused_with_what_to_type(names):
    table = pd.DataFrame([["cat", "cat", 3], ["dog", "cat", 4]])
    table.columns = pd.MultiIndex.from_tuples(names) if isinstance(names[0], tuple) else names
    with pytest.raises(InputTypeError) as problem:
        predictions_from_table(table, target=names[0], predictions=[names[1]])
    exec(problem.value.hint.partition(" makes")[0])  # what it says to type
    target, answers = map(str, names[:2])
    (said,) = predictions_from_table(table, target=target, predictions=[answers])
    assert said.right().tolist() == [True, False]


def test_missing_probabilities_are_counted():
    table = pl.DataFrame({"y": ["a", "b", "a"], "m": ["a", "b", "b"], "p": [0.5, None, None]})
    with pytest.raises(InputError, match=r"a missing value in row 1 \(2 in all\)"):
        predictions_from_table(table, target="y", predictions=["m"], probabilities={"m": "p"})


def test_probabilities_of_nearly_a_models_name_are_asked_about():
    table = pl.DataFrame({"y": ["a", "b"] * 20, "tree": ["a", "b"] * 20, "p": [0.1, 0.9] * 20})

    def asked(probabilities, **predictions):
        read = predictions_from_table(table, target="y", probabilities=probabilities, **predictions)
        return [note for note in read[0].notes if "did you mean" in note]

    assert asked({"treee": "p"}, predictions=["tree"]) == [
        "'treee' has probabilities and no answers, so it is judged as a model of its own: did you mean 'tree'?"
    ]
    assert asked({"tree": "p"}, predictions=["tree"]) == []
    assert asked({"forest": "p"}, predictions=["tree"]) == []
    assert asked({"treee": "p"}) == []
