"""Bay and Pazzani's numbers about MC4 on Adult, from their counts and the real group sizes."""

import numpy as np
import pytest

import fivefold as ff
from fivefold.slices import find_errors

pytestmark = pytest.mark.published

TOTAL, RIGHT = 16_281, 13_811

# condition, cases in the file, right answers that give both printed numbers, printed difference and effect
PRINTED = [
    ("salary = >50K", 3846, 2250, "26 points less", "1,596 wrong, 1,013 more"),
    ("sex = Female", 5421, 5022, "8 points more", "399 wrong, 423 fewer"),
    ("marital-status = Never-married and salary = <=50K", 5192, 5191, "15 points more", "1 wrong, 787 fewer"),
]


@pytest.mark.parametrize(("conditions", "n", "right", "difference", "effect"), PRINTED)
def test_numbers_of_the_papers_sentences(conditions, n, right, difference, effect):
    table = ff.data.load("adult-test")
    people = table.X.select("sex", "marital-status")
    salary = np.asarray(table.y)
    inside = np.ones(TOTAL, dtype=bool)
    for condition in conditions.split(" and "):
        name, value = condition.split(" = ")
        inside &= (salary if name == "salary" else people[name].to_numpy()) == value
    assert inside.sum() == n
    rng = np.random.default_rng(0)
    agree = np.zeros(TOTAL, dtype=bool)
    agree[rng.choice(np.flatnonzero(inside), right, replace=False)] = True
    agree[rng.choice(np.flatnonzero(~inside), RIGHT - right, replace=False)] = True
    answers = np.where(agree, salary, np.where(salary == ">50K", "<=50K", ">50K"))
    found = find_errors(people, salary, answers, model="MC4", target="salary", summary="none")
    one = next(one for one in found if one.conditions == conditions)
    assert one.sentence.startswith(
        f"MC4 is {difference} accurate than average on cases with {conditions}: {effect} than on average."
    )
