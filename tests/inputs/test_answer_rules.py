"""Answers as people and models write them become classes, by one rule for all who read them."""

import unicodedata

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import fivefold as ff
from fivefold.errors import InputError, InputTypeError
from fivefold.inputs.answers import AnswerRules, normalise_text
from fivefold.inputs.labels import read_labels
from fivefold.inputs.predictions import predictions_from_table


@pytest.fixture
def table():
    rng = np.random.default_rng(0)
    truth = rng.choice(["A", "B", "C"], 300)
    said = np.where(rng.random(300) < 0.2, rng.choice(["A", "B", "C"], 300), truth).astype(object)
    said[:9] = [f" {label.lower()}\N{NO-BREAK SPACE}" for label in said[:9]]
    said[9:14] = "I cannot answer"
    said[14:16] = "Ｚ"
    return pl.DataFrame({"y": truth, "m": said.astype(str), "x": rng.normal(size=300)})


def evaluate(table, **options):
    return ff.evaluate_predictions(table, target="y", predictions=["m"], **options)


@pytest.mark.parametrize(
    ("answers", "stated"), [((0.25, 0.75, 1.0), True), ((0, 1, 1), False), ((0.5, 7, 1), False)]
)
def test_probabilities_given_as_answers_are_recognised(answers, stated):
    with pytest.raises(InputError) as problem:
        AnswerRules().clean(read_labels(list(map(str, answers)), "m"), ["no", "yes"], "the answers")
    assert ("--probability" in problem.value.hint) == stated


def test_the_error_counts_by_value_and_names_the_ways_out(table):
    with pytest.raises(InputError) as problem:
        evaluate(table)
    assert "'I cannot answer' 5 times" in problem.value.got
    assert "16 others" in problem.value.got
    for option in ("--normalise", "settles 9", "--unknown-answers", "--map"):
        assert option in problem.value.hint


def test_wrong_and_none_differ_where_answers_are_counted_and_nowhere_else(table):
    wrong, none = (evaluate(table, normalise=True, unknown_answers=rule) for rule in ("wrong", "none"))
    a, b = wrong.models[0], none.models[0]
    assert a.bits.accuracy == b.bits.accuracy
    assert a.bits.saved == b.bits.saved
    right = np.count_nonzero(a.right)
    assert a.usual.micro.precision == right / 300
    assert b.usual.micro.precision == right / 293
    assert a.usual.confusion.answers[-1] == "no class"
    assert b.usual.confusion.answers[-1] == "no answer"
    assert sum("count as wrong" in note for note in wrong.notes) == 1
    assert sum("count as no answer" in note for note in none.notes) == 1


def test_what_was_changed_is_counted_and_gives_what_clean_answers_give(table):
    told = evaluate(table, normalise=True, mapping={"i CANNOT answer": "", "z": "A", "nowhere": "B"})
    tidy = table.with_columns(
        pl.col("m")
        .map_elements(normalise_text, return_dtype=pl.String)
        .replace({"i cannot answer": None, "z": "a"})
    ).with_columns(pl.col("m").str.to_uppercase())
    assert told.models[0].bits.accuracy == evaluate(tidy).models[0].bits.accuracy
    assert told.models[0].usual.confusion == evaluate(tidy).models[0].usual.confusion
    notes = " ".join(told.notes)
    assert "7 were mapped" in notes
    assert "9 were normalised" in notes
    assert "'nowhere'" in notes


def test_true_classes_that_differ_in_capitals_become_one():
    table = pl.DataFrame({"y": ["a", "a", "A ", "b"] * 9, "m": ["A", "a", "a", "B"] * 9})
    told = evaluate(table, normalise=True)
    assert told.classes == ["a", "b"]
    assert told.models[0].bits.accuracy == 1.0
    assert "9 were normalised ('A ' to 'a' 9 times)" in told.notes[0]


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"unknown_answers": "maybe"}, "'wrong'"),
        ({"mapping": {"I cannot answer": "D"}}, "'D'"),
        ({"normalise": True, "classes": ["A", "B", "C", "a"]}, "'A' and 'a'"),
        ({"normalise": 1}, "True or False"),
        ({"mapping": ["a"]}, "translate"),
        ({"mapping": {"": "A"}}, "translate"),
    ],
)
def test_rules_that_cannot_be_followed_are_refused(table, options, told):
    with pytest.raises((InputError, InputTypeError)) as problem:
        evaluate(table, **options)
    assert told in str(problem.value)


def test_several_classes_in_a_cell_are_cleaned_one_by_one():
    rules = AnswerRules("wrong", normalise=True, mapping={"kitty": "cat"})
    labels = read_labels(["Cat|DOG", "kitty|dog", "cat|cow", "a|b"], "m")
    told = rules.clean(labels, ["cat", "dog", "a|b"], "m")
    assert [told.labels.values[code] if code >= 0 else None for code in told.labels.codes] == [
        "cat|dog",
        "cat|dog",
        None,
        "a|b",
    ]
    assert told.unknown.tolist() == [False, False, True, False]


def test_numbers_are_answers_too():
    table = pl.DataFrame({"y": [0, 1] * 20, "m": [0, 1, 7, 1] * 10})
    with pytest.raises(InputError, match="'7' 10 times"):
        evaluate(table)
    assert evaluate(table, unknown_answers="wrong").models[0].bits.accuracy == 0.75
    assert evaluate(table, mapping={"7": "0"}).models[0].bits.accuracy == 1.0


@given(st.lists(st.sampled_from(["a", " A", "B\t", "ｂ", "x", "", None]), min_size=1, max_size=40))
def test_clean_answers_are_classes_or_none_and_notes_count_every_change(answers):
    told, notes = ff.clean_answers(answers, ["a", "b"], unknown_answers="none", normalise=True)
    plain = [
        None if not answer else unicodedata.normalize("NFKC", answer).strip().lower() for answer in answers
    ]
    assert told.tolist() == [answer if answer in ("a", "b") else None for answer in plain]
    changed = sum(answer not in ("a", "b", "", None, "x") for answer in answers)
    assert any(f"Of y_pred, {changed} w" in note for note in notes) == (changed > 0)


def test_whole_numbers_that_a_library_wrote_as_floats_are_normalised():
    table = pl.DataFrame({"y": ["1", "0"] * 10, "m": ["1.0", "0.0", "1.0", None] * 5})
    with pytest.raises(InputError, match="normalise"):
        evaluate(table)
    told = evaluate(table, normalise=True)
    assert told.models[0].bits.accuracy == 0.75
    assert "15 were normalised" in " ".join(told.notes)
    assert (
        evaluate(table.with_columns(pl.col("y").cast(pl.Int64), pl.col("m").cast(pl.Float64)))
        .models[0]
        .bits.accuracy
        == 0.75
    )


def test_shares_among_percentages_are_told():
    table = pl.DataFrame({"y": ["a", "b"] * 6, "m": ["a", "b"] * 6, "c": [0.9, 90, 0.5, 80, 0, 100] * 2})
    options = {"target": "y", "predictions": ["m"], "confidence": {"m": "c"}}
    (said,) = predictions_from_table(table, **options)
    assert said.notes[-1] == "Column 'c' is read as 0 to 100; 4 cells between 0 and 1 count as less than 1%."
    (said,) = predictions_from_table(table.with_columns(pl.col("c") / 100), **options)
    assert said.notes[-1] == "Column 'c' is read as 0 to 1."


def test_words_of_confidence_are_mapped_to_one_scale():
    """Of 0.95, 0.75 and 50 the first two were taken for less than 1 %, without a word."""
    table = pl.DataFrame(
        {"y": ["a", "b"] * 20, "m": ["a", "b"] * 20, "how": ["sure", "maybe", "sure", "no"] * 10}
    )
    how = {"target": "y", "predictions": ["m"], "confidence": {"m": "how"}}
    with pytest.raises(InputError, match=r"mapped to one scale; got 0\.95, 0\.75, 50\.0"):
        ff.evaluate_predictions(table, **how, mapping={"sure": "0.95", "maybe": "0.75", "no": "50%"})
    found = ff.evaluate_predictions(table, **how, mapping={"sure": "95", "maybe": "75", "no": "50"})
    assert found.models[0].predictions.confidence.tolist()[:4] == [0.95, 0.75, 0.95, 0.5]
    assert found.notes[-1] == "Column 'how' is read as 0 to 100 (40 words were mapped to numbers)."
