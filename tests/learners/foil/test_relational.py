import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import BaseEstimator, clone, is_classifier
from sklearn.exceptions import NotFittedError

from fivefold.errors import InputError
from fivefold.learners.base import Learner
from fivefold.learners.relational_foil import OUTSIDE, Relation, RelationalFoil, Relations, Type

from . import tasks
from .relational_reference import answers, random_tasks


@pytest.mark.parametrize(
    ("task", "text"),
    [
        (
            tasks.can_reach(),
            "can_reach(A,B) :- linked_to(A,B). can_reach(A,B) :- linked_to(A,C), can_reach(C,B).",
        ),
        (tasks.less(), "less(A,B) :- succ(A,B). less(A,B) :- succ(C,B), less(A,C)."),
        # adding may be turned round: the sum of B and D is that of D and B
        (tasks.plus(), "plus(0,B,B). plus(A,B,C) :- succ(D,A), succ(E,C), plus(B,D,E)."),
        (tasks.even(), "even(0). even(A) :- succ(B,A), not(even(B))."),
        (tasks.member(), "member(A,B) :- components(B,A,C). member(A,B) :- components(B,C,D), member(A,D)."),
        (
            tasks.append(),
            "append([],B,B). append(A,B,C) :- components(A,D,E), components(C,D,F), append(E,B,F).",
        ),
        (tasks.family("grandfather"), "grandfather(A,B) :- father(A,C), parent(C,B)."),
        (
            tasks.family("uncle"),
            "uncle(A,B) :- brother(A,C), parent(C,B). uncle(A,B) :- married(A,C), brother(D,C), parent(D,B).",
        ),
        (tasks.trains(), "eastbound(A) :- has_car(A,B), short(B), closed(B)."),
    ],
)
def test_definitions_that_a_person_would_write(task, text):
    model = RelationalFoil().fit(task)
    assert str(model).replace("\n", " ") == text
    (definition,) = model.definitions_.values()
    assert (definition.n_uncovered, definition.n_wrong) == (0, 0)
    relation = task.relation(definition.relation)
    assert model.predict(relation.positive).all()


def test_recursion_needs_an_order():
    assert RelationalFoil().fit(tasks.can_reach()).definitions_["can_reach"].recursive
    assert not RelationalFoil().fit(tasks.can_reach(order="none")).definitions_["can_reach"].recursive


def test_a_given_order_must_go_down():
    nodes = range(6)
    links = [(a, a + 1) for a in range(5)]
    reach = Relation("reach", "XX", tasks.closure(links), target=True)
    relations = [reach, Relation("link", "XX", links)]
    for constants in (nodes, nodes[::-1]):
        model = RelationalFoil().fit(Relations([Type("X", constants, order="given")], relations))
        recursive = model.definitions_["reach"].clauses[-1]
        call = next(c for c in recursive.body if c.predicate == "reach")
        # the argument that changes is the one that becomes smaller
        assert call.arguments[0 if constants[0] else 1] not in recursive.head


def test_comparisons_of_numbers():
    rng = np.random.default_rng(0)
    rows = [(f"c{i}", float(a), float(b)) for i, (a, b) in enumerate(rng.integers(0, 20, (60, 2)))]
    types = [Type("C", [row[0] for row in rows], order="none"), Type("Age", continuous=True)]
    ages = Relation("ages", ("C", "Age", "Age"), rows)
    for text, concept in (
        ("older(A) :- ages(A,B,C), B>C.", lambda a, b: a > b),
        ("older(A) :- ages(A,B,C), B>11.", lambda a, b: a > 11),
    ):
        older = [(name,) for name, a, b in rows if concept(a, b)]
        model = RelationalFoil().fit(Relations(types, [Relation("older", "C", older, target=True), ages]))
        assert str(model) == text
        new = {"ages": [("x", 12, 3), ("y", 11, 11.5), ("z", None, 1)]}
        assert model.predict([("x",), ("y",), ("z",)], background=new).tolist() == [True, False, False]


def test_keys_bind_arguments():
    succ = [(i, i + 1) for i in range(6)]
    less = Relation("less", "NN", tasks.closure(succ), target=True)
    for key, text in (("#-", "succ(A,C), less(C,B)"), ("-#", "succ(C,B), less(A,C)")):
        task = Relations([Type("N", range(7))], [less, Relation("succ", "NN", succ, keys=[key])])
        assert text in str(RelationalFoil().fit(task))


def test_values_outside_the_world_are_not_bound():
    numbers = [*range(6)]
    succ = [(i, i + 1) for i in range(5)]
    less = Relation("less", "NN", tasks.closure(succ), target=True)
    for after, used in ((OUTSIDE, False), (0, True)):
        extra = Relation("next", "NN", [*succ, (5, after)])
        model = RelationalFoil(negation=False).fit(Relations([Type("N", numbers)], [less, extra]))
        plain = any(
            condition.predicate == "next" and str(condition.arguments[0]) == "A" and len(clause.body) > 1
            for clause in model.definitions_["less"].clauses
            for condition in clause.body
        )
        assert used or not plain


def test_missing_values_satisfy_nothing():
    people = ["a", "b", "c", "d", "e", "f"]
    colour = Relation(
        "likes", "PC", [("a", "red"), ("b", "red"), ("c", "blue"), ("d", None), ("e", "blue"), ("f", "red")]
    )
    types = [
        Type("P", people, order="none"),
        Type("C", ["red", "blue"], theory=["red", "blue"], order="none"),
    ]
    warm = Relation("warm", "P", [("a",), ("b",), ("f",)], target=True)
    model = RelationalFoil().fit(Relations(types, [warm, colour]))
    assert str(model) == "warm(A) :- likes(A,red)."
    assert model.predict([("a",), ("c",), ("d",)]).tolist() == [True, False, False]


@given(random_tasks())
def test_what_a_definition_says_of_the_given_tuples(task):
    model = RelationalFoil(min_accuracy=0.7).fit(task)
    (definition,) = model.definitions_.values()
    target = task.relation("t")
    # an evaluator of its own, with recursive calls looked up among the given tuples
    covered = answers(definition, target.positive, task)
    wrong = answers(definition, target.negative, task)
    assert definition.n_uncovered == covered.count(False)
    assert definition.n_wrong == wrong.count(True)
    for clause in definition.clauses:
        alone = type(definition)("t", definition.types, (clause,), 0, 0)
        right = answers(alone, target.positive, task).count(True)
        assert right >= 0.7 * (right + answers(alone, target.negative, task).count(True)) - 0.01


@given(random_tasks(), st.booleans())
def test_pruning_gives_up_no_tuple(task, negation):
    grown, pruned = (
        RelationalFoil(pruning=pruning, negation=negation).fit(task).definitions_["t"]
        for pruning in (False, True)
    )
    assert sum(len(c.body) for c in pruned.clauses[:1]) <= sum(len(c.body) for c in grown.clauses[:1]) + 3
    text = str(pruned)
    assert negation or ("not(" not in text and "<>" not in text)


def test_a_sample_of_the_closed_world():
    task = tasks.member()
    first, second = (RelationalFoil(sample=0.5, random_state=3).fit(task) for _ in range(2))
    assert first.definitions_ == second.definitions_
    assert str(first).count("member") == str(RelationalFoil().fit(task)).count("member")


def test_several_targets():
    task = tasks.family("uncle")
    relations = [Relation(r.name, r.types, r.positive, target=r.name != "parent") for r in task.relations]
    model = RelationalFoil().fit(Relations(task.types, relations))
    assert set(model.definitions_) == {"uncle", "brother", "sister", "married"}
    assert list(RelationalFoil().fit(task, target="brother").definitions_) == ["brother"]
    with pytest.raises(InputError, match="one of the defined relations"):
        model.predict([("arthur", "colin")])
    assert model.predict([("arthur", "colin"), ("colin", "arthur")], "uncle").tolist() == [True, False]


def test_it_is_an_estimator():
    model = RelationalFoil(min_accuracy=0.9, negation="comparisons")
    assert clone(model).get_params() == model.get_params()
    assert model.set_params(sample=0.5).sample == 0.5
    assert repr(model) == str(model) == "RelationalFoil(min_accuracy=0.9, negation='comparisons', sample=0.5)"
    with pytest.raises(NotFittedError):
        model.predict([(0, 1)])


def test_it_can_be_kept():
    task = tasks.can_reach()
    model = RelationalFoil().fit(task)
    kept = pickle.loads(pickle.dumps(model))
    assert kept.definitions_ == model.definitions_
    rows = task.relation("can_reach").positive
    assert kept.predict(rows).tolist() == model.predict(rows).tolist() == [True] * len(rows)
    assert not hasattr(clone(model), "definitions_")


def test_it_is_no_learner_of_classes():
    # relations are no table of cases, so the laws for those do not apply to it
    assert isinstance(RelationalFoil(), BaseEstimator)
    assert not issubclass(RelationalFoil, Learner)
    assert not is_classifier(RelationalFoil())


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"negation": "some"}, "'some'"),
        ({"sample": 0.0}, "above 0"),
        ({"max_tuples": 50}, "at most 50 tuples"),
        ({"max_depth": -1}, "max_depth"),
        ({"determinate": 2.0}, "determinate"),
    ],
)
def test_bad_options(options, message):
    with pytest.raises(InputError, match=message):
        RelationalFoil(**options).fit(tasks.can_reach())


def test_bad_tasks_and_questions():
    numbers = Relations([Type("A", continuous=True)], [Relation("r", "A", [(1.0,)], target=True)])
    with pytest.raises(InputError, match="no end"):
        RelationalFoil().fit(numbers)
    background = Relations([Type("A", "x")], [Relation("r", "A", [("x",)])])
    with pytest.raises(InputError, match="a relation to define"):
        RelationalFoil().fit(background)
    with pytest.raises(InputError, match="'s'"):
        RelationalFoil().fit(background, target="s")
    model = RelationalFoil().fit(tasks.can_reach())
    with pytest.raises(InputError, match="tuples of 2"):
        model.predict([(1, 2, 3)])
    with pytest.raises(InputError, match="linked_to"):
        model.predict([(1, 2)], background={"roads": []})
