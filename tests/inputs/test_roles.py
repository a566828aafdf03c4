"""What each column of a table of predictions is taken for."""

import numpy as np
import polars as pl
import pytest

import fivefold as ff
from fivefold.errors import InputError
from fivefold.inputs.columns import read_columns
from fivefold.inputs.roles import infer_roles, match_columns
from fivefold.slices.attributes import find_twins

N = 400


def flip(rng, truth, labels, rate):
    return np.where(rng.random(truth.size) < rate, rng.choice(labels, truth.size), truth)


@pytest.fixture
def table():
    rng = np.random.default_rng(0)
    labels = ["yes", "no"]
    y = rng.choice(labels, N)
    p = rng.random(N).round(3)
    return pl.DataFrame(
        {
            "y": y,
            "gpt_x": flip(rng, y, labels, 0.3),
            "gpt_z": flip(rng, y, labels, 0.9),
            "other": flip(rng, y, labels, 0.2),
            "p:yes": p,
            "p:no": (1 - p).round(3),
            "prob_gpt_x": rng.random(N),
            "conf_gpt_x": rng.integers(0, 101, N),
            "owner": rng.choice(labels, N),
            "p_value": rng.random(N),
            "rain": rng.random(N),
            "children": rng.integers(0, 2, N),
        }
    )


def roles_of(table, **options):
    roles = infer_roles(table, target="y", answers={"gpt_x": "gpt_x"}, **options)
    return {column.column: column.role for column in roles.columns}


def test_what_models_say_is_told_from_what_cases_are(table):
    assert roles_of(table) == {
        "y": "target",
        "gpt_x": "answers",
        "gpt_z": "answers",
        "other": "answers",
        "p:yes": "probability",
        "p:no": "probability",
        "prob_gpt_x": "probability",
        "conf_gpt_x": "confidence",
        "owner": "attribute",
        "p_value": "attribute",
        "rain": "attribute",
        "children": "attribute",
    }


@pytest.mark.parametrize("library", ["pandas", "pyarrow"])
def test_every_library_gives_the_same_roles(table, library):
    other = table.to_pandas() if library == "pandas" else table.to_arrow()
    assert roles_of(other) == roles_of(table)


def test_numbered_classes_need_more_than_their_values():
    rng = np.random.default_rng(1)
    y = rng.integers(0, 3, N)
    answers = np.where(rng.random(N) < 0.2, rng.integers(0, 3, N), y)
    told = roles_of(
        pl.DataFrame({"y": y, "gpt_x": answers, "b": answers.astype(float), "rooms": rng.integers(0, 3, N)})
    )
    assert (told["b"], told["rooms"]) == ("answers", "attribute")


def test_stated_roles_keep_and_drop_come_before_what_a_column_looks_like(table):
    told = roles_of(table, keep=["p:*", "other"], drop=["p:yes", "r*"], groups="owner")
    assert told["p:yes"] == told["p:no"] == told["other"] == "attribute"
    assert told["rain"] == "left out"
    assert told["owner"] == "groups"
    assert roles_of(table, drop=["*"], keep=["rain"])["p_value"] == "left out"


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"drop": ["rian"]}, "did you mean 'rain'?"),
        ({"keep": ["zzz*"]}, "'zzz*'"),
        ({"drop": ["y"]}, "which is the target"),
        ({"keep": ["gpt_x"]}, "which is the answers"),
    ],
)
def test_patterns_that_name_nothing_are_refused_with_close_names(table, options, told):
    with pytest.raises(InputError) as problem:
        roles_of(table, **options)
    assert told in str(problem.value)


def test_a_column_of_exactly_that_name_comes_before_a_pattern():
    assert match_columns(["a[1]"], ["a[1]", "a1"], "--drop") == ["a[1]"]
    assert match_columns(["a?", "b*"], ["b", "a1", "a"], "--drop") == ["b", "a1"]


def test_evaluation_says_what_each_column_was_taken_for(table):
    evaluation = ff.evaluate_predictions(table, target="y", predictions=["gpt_x"], keep=["p:*"])
    told = {column.column: (column.role, column.why) for column in evaluation.columns}
    assert told["p:yes"][0] == "attribute"
    assert told["p:no"] == ("left out", "the same split of the cases as p:yes")
    assert any("p:no" in note and "gpt_z" in note for note in evaluation.notes)
    model = evaluation.models[0]
    assert model.slices.left_out == ["p:no"]
    assert set(evaluation.models[0].slices.found.cuts) == {"p:yes", "p_value", "rain", "children"}


def test_features_that_were_named_are_all_and_stay():
    rng = np.random.default_rng(2)
    y = rng.choice(["cat", "dog"], 50)
    table = pl.DataFrame({"y": y, "a": y, "b": y, "age": rng.random(50)})
    (said,) = ff.inputs.predictions.predictions_from_table(
        table, target="y", predictions=["a"], features=["b"]
    )
    assert said.features.columns == ["b"]
    assert [column.role for column in said.roles.columns] == ["target", "answers", "attribute", "left out"]


def test_twins_are_exactly_the_columns_that_part_the_cases_alike():
    rng = np.random.default_rng(3)
    p, kind = rng.random(2000), rng.choice(["a", "b", "c"], 2000)
    hole = np.where(np.arange(2000) == 1500, np.nan, 1 - p)
    late = p.copy()
    late[1700] += 0.5
    frame = pl.DataFrame(
        {
            "p": p,
            "mirror": 1 - p,
            "cube": p**3,
            "hole": hole,
            "late": late,
            "scaled": 100 * p - 3,
            "kind": kind,
            "named": pl.Series(kind).replace_strict({"a": "x", "b": "z", "c": "w"}),
            "merged": pl.Series(kind).replace_strict({"a": "x", "b": "x", "c": "w"}),
            "flag": kind == "a",
            "number": (kind == "a") * 7.0,
            "one": np.ones(2000),
            "also": ["x"] * 2000,
        }
    )
    assert find_twins(read_columns(frame)) == {
        "mirror": "p",
        "cube": "p",
        "scaled": "p",
        "named": "kind",
        "number": "flag",
    }


def test_mirrors_are_found_where_rounding_makes_ties_and_the_first_case_is_in_the_middle():
    p = np.concatenate([[0.5], np.random.default_rng(4).random(500) * 1e-17, [0.2, 0.9, 1.0, 0.0]])
    assert find_twins(read_columns(np.column_stack([p, 1.0 - p]))) == {"x1": "x0"}


def test_answers_are_told_by_their_probabilities_and_these_can_be_judged():
    rng = np.random.default_rng(0)
    yes = np.array(["no", "yes"])
    table = pl.DataFrame(
        {
            "churned": yes[rng.integers(0, 2, 60)],
            "logit": yes[rng.integers(0, 2, 60)],
            "boost": yes[rng.integers(0, 2, 60)],
            "smoker": yes[rng.integers(0, 2, 60)],
            "p_logit": rng.random(60),
            "p_boost": rng.random(60),
        }
    )
    roles = infer_roles(table, target="churned", answers={"logit": "logit"})
    assert roles.attributes == ["smoker"]
    assert "p_boost says how sure it is" in str(roles)
    assert roles.say_unjudged(["logit"]) == "--probability logit=p_logit would judge what logit states."
    both = roles.say_unjudged(["logit", "boost"])
    assert both.startswith("--probability logit=p_logit --probability boost=p_boost")
    assert both.endswith("what logit and boost state.")
    assert roles.say_unjudged(["other"]) == ""


@pytest.mark.parametrize("library", ["polars", "pandas"])
def test_a_number_that_parts_a_models_answers_at_one_half_is_what_it_states(library):
    rng = np.random.default_rng(3)
    stated, nearly, rain = rng.random((3, N))
    table = pl.DataFrame(
        {
            "y": rng.choice(["yes", "no"], N),
            "rule": np.where(stated > 0.5, "yes", "no"),
            "bal": stated,
            "mirrored": 1 - stated,
            "nearly": np.where(np.arange(N) == 7, 1 - stated, stated),
            "one_side": nearly / 2,
            "rain": rain,
            "half": np.where(stated > 0.5, 0.75, 0.25),
        }
    )
    given = table if library == "polars" else table.to_pandas()
    roles = infer_roles(given, target="y", answers={"rule": "rule"})
    told = {column.column for column in roles.columns if column.role == "probability"}
    assert told == {"bal", "mirrored"}
    assert "rule answers by whether it is above 0.5" in roles.say_left_out()


def test_a_column_that_says_the_true_class_in_other_words_describes_no_slice():
    """Nobody knows it beforehand, yet all slices were told by it."""
    rng = np.random.default_rng(0)
    truth = np.sort(rng.integers(2, size=2000))  # of sorted rows the first thousand have one class
    said = np.where(rng.random(2000) < 0.9, truth, 1 - truth)
    words = np.array(["no event", "event"])
    columns = {
        "y": truth,
        "m": said,
        "label": words[truth],
        "all that m asks": words[said],
        "nearly": words[truth],
    }
    columns["nearly"] = np.where(np.arange(2000) == 1999, "no event", columns["nearly"])
    why = {
        role.column: role.why
        for role in infer_roles(pl.DataFrame(columns), target="y", answers={"m": "m"}).columns
    }
    assert why["label"] == "it says the same as y in other words"
    assert why["all that m asks"] == "it has no other role", "a model of one attribute answers as it says"
    assert why["nearly"] == "it has no other role"
    few = pl.DataFrame({name: values[990:1010] for name, values in columns.items()})
    roles = infer_roles(few, target="y", answers={"m": "m"})
    assert "label" in roles.attributes
