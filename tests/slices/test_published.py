"""Bay and Pazzani's sentences about MC4 on Adult, from their counts and the real group sizes."""

import numpy as np
import pytest

import fivefold as ff
from fivefold.slices import find_errors

pytestmark = pytest.mark.published

TOTAL, RIGHT = 16_281, 13_811

# condition, cases in the file, right answers that give both printed numbers, printed difference and effect
PRINTED = [
    ("salary = >50K", 3846, 2250, "26% less", "1013 misclassified"),
    ("sex = Female", 5421, 5022, "8% more", "423 correctly classified"),
    ("marital-status = Never-married and salary = <=50K", 5192, 5191, "15% more", "787 correctly classified"),
]


@pytest.mark.parametrize(("conditions", "n", "right", "difference", "effect"), PRINTED)
def test_sentences_of_the_paper(conditions, n, right, difference, effect):
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
    found = find_errors(people, salary, answers, model="MC4", target="salary", summarise=False)
    one = next(one for one in found if one.conditions == conditions)
    assert one.sentence.startswith(
        f"MC4 is {difference} accurate than average on cases with {conditions}. "
        f"This represents {effect} instances."
    )
