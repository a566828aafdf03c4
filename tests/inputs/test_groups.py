"""Which rows belong together: read once, in any form; and columns that look like it are told."""

from __future__ import annotations

import datetime
from collections import Counter
from typing import Any

import numpy as np
import polars as pl
import pytest
from scipy.special import expit

from fivefold import evaluate_predictions
from fivefold.errors import InputError, InputTypeError
from fivefold.inputs.columns import read_columns
from fivefold.inputs.groups import find_unnamed_groups, intraclass_correlation, read_groups, take_groups
from fivefold.slices import find_errors


@pytest.mark.parametrize(
    "values",
    [
        ["b", "a", "b"],
        np.array([7.5, 2.0, 7.5]),
        pl.Series("who", [3, 1, 3]),
        [datetime.date(2020, 1, 1), datetime.date(2020, 1, 2), datetime.date(2020, 1, 1)],
    ],
)
def test_any_column_is_read(values: Any) -> None:
    groups = read_groups(values, 3)
    assert groups is not None
    assert groups.codes.tolist() == [0, 1, 0]
    assert groups.sizes.tolist() == [2, 1]


def test_a_name_is_kept_and_a_part_is_numbered_anew() -> None:
    groups = read_groups(pl.Series("who", [5, 6, 6, 7]), 4)
    assert groups is not None
    assert str(groups) == "3 groups of who"
    assert groups.part(np.array([1, 3])).codes.tolist() == [0, 1]


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ([1, None, 2], "none in row 1"),
        ([1, 2], "2 values"),
        ([1, 1, 1], "at least two groups"),
        ([[1], [2], [3]], "texts, numbers or dates"),
    ],
)
def test_what_cannot_be_groups_is_refused(values: Any, words: str) -> None:
    with pytest.raises((InputError, InputTypeError), match=words):
        read_groups(values, 3)


def test_a_named_column_is_no_attribute() -> None:
    X, values = take_groups(pl.DataFrame({"who": [1, 2], "age": [3, 4]}), "who")
    assert X.columns == ["age"]
    assert values.to_list() == [1, 2]
    with pytest.raises(InputError, match="'whom'"):
        take_groups(X, "whom")
    with pytest.raises(InputTypeError, match="dataframe"):
        take_groups(np.zeros((2, 2)), "who")


@pytest.mark.parametrize("column", ["y", "m"])
def test_classes_are_no_groups(column: str) -> None:
    table = pl.DataFrame({"y": ["a", "b"] * 20, "m": ["a", "b"] * 20})
    with pytest.raises(InputError, match=r"of their own; got '[ym]', which holds classes"):
        evaluate_predictions(table, target="y", predictions=["m"], groups=column)


def test_correlation_is_that_of_the_model() -> None:
    rng = np.random.default_rng(0)
    codes = np.repeat(np.arange(2000), rng.integers(1, 9, 2000))
    groups = read_groups(codes, codes.size)
    assert groups is not None
    values = rng.normal(size=2000)[codes] * np.sqrt(0.3) + rng.normal(size=codes.size) * np.sqrt(0.7)
    assert intraclass_correlation(values, groups) == pytest.approx(0.3, abs=0.04)


def test_ids_are_told_from_attributes() -> None:
    rng = np.random.default_rng(1)
    who = np.repeat(rng.permutation(5000)[:150], 6)
    age = rng.integers(18, 80, who.size)
    by_person, by_age = rng.beta(0.5, 2.0, 5000)[who], np.where(age > 60, 0.5, 0.1)
    columns = read_columns(pl.DataFrame({"who": who, "age": age, "name": [f"p{i}" for i in who]}))
    wrong = rng.random(who.size) < by_person
    assert [name for name, _ in find_unnamed_groups(columns, wrong)] == ["who", "name"]
    assert find_unnamed_groups(columns, rng.random(who.size) < by_age) == ()
    assert find_unnamed_groups(columns, rng.random(who.size) < 0.2) == ()


def test_of_columns_that_look_like_groups_those_called_as_names_come_first() -> None:
    # the warning names the first: it said "use --groups 'height'" of a table with customers
    rng = np.random.default_rng(0)
    who = np.repeat(np.arange(120), 10)
    table = pl.DataFrame({"height": rng.normal(size=120)[who], "customer": [f"k{i}" for i in who]})
    found = find_unnamed_groups(read_columns(table), rng.random(who.size) < rng.beta(1.2, 2.8, 120)[who])
    assert found == (("customer", 120), ("height", 120))


@pytest.mark.parametrize("words", [True, False])
def test_what_holds_groups_whole_and_makes_them_alike_is_named_before_them(words):
    """Patients in hospitals: who names the patients was not told of the hospitals, which make them alike."""
    rng, told = np.random.default_rng(3), Counter()
    patient, hospital = np.arange(1200) // 3, np.arange(1200) // 30
    names = (lambda codes: [f"name {code:03d}" for code in codes]) if words else (lambda codes: codes)
    columns = read_columns(pl.DataFrame({"patient": names(patient), "hospital": names(hospital)}))
    for _ in range(10):
        person = rng.normal(size=400)[patient]
        for spread in (0.0, 0.7):
            wrong = rng.random(1200) < expit(-1.4 + 0.7 * person + spread * rng.normal(size=40)[hospital])
            told[spread] += find_unnamed_groups(columns, wrong)[:1] == (("hospital", 40),)
            told["known", spread] += bool(find_unnamed_groups(columns, wrong, read_groups(patient, 1200)))
    assert max(told[0.0], told["known", 0.0]) <= 1, told
    assert min(told[0.7], told["known", 0.7]) >= 4, told


def test_a_report_that_respects_groups_warns_of_what_holds_them():
    rng, patient, hospital = np.random.default_rng(0), np.arange(1200) // 3, np.arange(1200) // 30
    truth = rng.integers(2, size=1200)
    answer = truth ^ (rng.random(1200) < rng.beta(1, 3, 40)[hospital])
    table = pl.DataFrame({"patient": patient, "hospital": hospital, "y": truth, "answer": answer})
    judged = evaluate_predictions(table, target="y", predictions=["answer"], groups="patient")
    warned = [
        finding.evidence["looks_like_groups"] for finding in judged.findings if "groups" in finding.claims
    ]
    assert warned == ["hospital"]
    found = find_errors(table.drop("y", "answer"), truth, answer, include_target=False, groups=patient)
    assert "respect 400 groups. Warning: cases with the same hospital have similar outcomes" in found.note


def test_numbers_that_are_names_by_that_of_their_column_need_no_neighbours() -> None:
    # compared with their neighbours alone they looked like groups in half of the tables
    told = {"customer": 0, "customer_id": 0, "age": 0}
    for run in range(12):
        rng = np.random.default_rng([run, 3])
        who = np.repeat(rng.permutation(300), 5)
        wrong = rng.random(1500) < rng.beta(1.35, 7.65, 300)[who]  # correlation 0.1
        for name in told:
            told[name] += bool(find_unnamed_groups(read_columns(pl.DataFrame({name: who})), wrong))
    assert min(told["customer"], told["customer_id"]) >= 11 > told["age"], told


def test_few_odd_values_of_a_number_do_not_make_it_look_like_groups() -> None:
    rng = np.random.default_rng(2)
    told = {"odd": 0, "peak": 0, "who": 0}
    for _ in range(12):
        value = rng.integers(0, 30, 1500)
        person = rng.beta(0.8, 3.2, 30)  # correlation 0.2
        chances = {
            "odd": np.where(value == 15, 0.6, 0.2),
            "peak": 0.1 + 0.6 * np.exp(-(((value - 20) / 1.5) ** 2)),
            "who": person[value],
        }
        for name, chance in chances.items():
            columns = read_columns(pl.DataFrame({"value": value}))
            told[name] += bool(find_unnamed_groups(columns, rng.random(1500) < chance))
    assert told["odd"] + told["peak"] <= 3, told
    assert told["who"] >= 9, told


def test_few_odd_words_do_not_make_a_column_look_like_groups() -> None:
    # a town or two where the model fails were told as groups in nearly all tables
    told = {"town": 0, "patient": 0, "code": 0}
    for run in range(12):
        rng = np.random.default_rng([run, 5])
        place, person = rng.integers(0, 30, 900), rng.beta(0.8, 3.2, 30)  # correlation 0.2
        chances = {"town": np.where(place < 2, 0.6, 0.2), "patient": np.where(place < 2, 0.9, 0.1)}
        for name in told:
            columns = read_columns(pl.DataFrame({name: [f"v{value}" for value in place]}))
            told[name] += bool(
                find_unnamed_groups(columns, rng.random(900) < chances.get(name, person[place]))
            )
    assert told["town"] <= 2, told
    assert min(told["patient"], told["code"]) >= 10, told


def test_an_amount_that_most_cases_have_is_no_name_of_a_group() -> None:
    rng = np.random.default_rng(3)
    gains = np.where(rng.random(1500) < 0.9, 0, 100 * rng.integers(1, 40, 1500))
    chance = np.where(np.arange(4000) == 0, 0.15, rng.beta(0.2, 0.8, 4000))  # nearly every amount tells
    columns = read_columns(pl.DataFrame({"gains": gains, "paid": [f"{gain} euro" for gain in gains]}))
    assert find_unnamed_groups(columns, rng.random(1500) < chance[gains]) == ()


@pytest.mark.parametrize("times", [2, 4])
def test_copies_of_rows_are_told_by_what_was_measured(times: int) -> None:
    # a test set whose rows stand several times had false slices, and nobody was warned
    rng = np.random.default_rng(4)
    height, told = rng.normal(175, 10, 300).round(1), {"measured once": 0, "copied": 0}
    grows = np.clip((height - 150) / 100, 0, 1)
    for _ in range(12):
        wrong = rng.random(300) < grows
        for name, n in (("measured once", 1), ("copied", times)):
            columns = read_columns(pl.DataFrame({"height": np.tile(height, n)}))
            told[name] += bool(find_unnamed_groups(columns, np.tile(wrong, n)))
    assert told["measured once"] <= 1, told
    assert told["copied"] == 12, told


@pytest.mark.parametrize("times", [1, 4])
def test_copies_of_a_rare_class_are_told_though_most_rows_stand_once(times: int) -> None:
    # a test set in which a rare class had been sampled often had false slices, and nobody was warned
    for run in range(12):
        rng = np.random.default_rng([run, times])
        rare, weight = rng.random(400) < 0.1, rng.normal(size=400)
        wrong = rng.random(400) < np.where(rare, 0.4, 0.1)
        rows = np.concatenate([np.arange(400), np.repeat(np.flatnonzero(rare), times)])
        columns = read_columns(pl.DataFrame({"weight": weight[rows]}))
        assert find_unnamed_groups(columns, wrong[rows]) == (("weight", 400),)


def test_few_numbers_that_are_equal_by_rounding_are_no_copies() -> None:
    told = 0
    for run in range(60):
        rng = np.random.default_rng([run, 8])
        n = int(rng.choice([200, 600, 2000]))
        weight = rng.normal(size=n).round(int(rng.integers(2, 4)))
        chance = rng.choice(
            [np.full(n, 0.2), np.where(weight > 0.5, 0.6, 0.1), np.clip(0.3 + 0.2 * weight, 0, 1)]
        )
        told += bool(find_unnamed_groups(read_columns(pl.DataFrame({"w": weight})), rng.random(n) < chance))
    assert told <= 2
