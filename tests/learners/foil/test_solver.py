from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fivefold.learners.relational_foil import Clause, Condition, Definition, RelationalFoil, Solver, Variable

from . import tasks

A, B, C = map(Variable, "ABC")
REACH = Definition(
    "reach",
    ("X", "X"),
    (
        Clause("reach", (A, B), (Condition("link", (A, B)),)),
        Clause("reach", (A, B), (Condition("link", (A, C)), Condition("reach", (C, B)))),
    ),
)
LEFT = Definition(
    "reach",
    ("X", "X"),
    (REACH.clauses[0], Clause("reach", (A, B), (Condition("reach", (A, C)), Condition("link", (C, B))))),
)
DOUBLE = Definition(
    "reach",
    ("X", "X"),
    (REACH.clauses[0], Clause("reach", (A, B), (Condition("reach", (A, C)), Condition("reach", (C, B))))),
)
links = st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), max_size=12, unique=True)


@pytest.mark.parametrize("definition", [REACH, LEFT, DOUBLE], ids=["right", "left", "double"])
@given(links=links)
def test_all_ways_to_walk_give_the_closure(definition, links):
    # also where links go in circles, and where a call comes before anything that binds its arguments
    solver = Solver({"reach": definition}, {"link": links}, {"X": range(6)})
    closed = set(tasks.closure(links)) if links else set()
    for pair in product(range(6), repeat=2):
        assert solver.holds("reach", pair) == (pair in closed)


@given(links=links)
def test_negation_is_failure_to_reach(links):
    apart = Definition(
        "apart", ("X", "X"), (Clause("apart", (A, B), (Condition("reach", (A, B), negated=True),)),), 0, 0
    )
    solver = Solver({"reach": LEFT, "apart": apart}, {"link": links}, {"X": range(6)})
    closed = set(tasks.closure(links)) if links else set()
    for pair in product(range(6), repeat=2):
        assert solver.holds("apart", pair) == (pair not in closed)


@given(links=links)
def test_a_variable_of_a_negation_stands_for_any_value(links):
    end = Definition(
        "end", ("X",), (Clause("end", (A,), (Condition("link", (A, Variable("_1")), negated=True),)),), 0, 0
    )
    solver = Solver({"end": end}, {"link": links}, {"X": range(6)})
    for node in range(6):
        assert solver.holds("end", (node,)) == all(a != node for a, _ in links)


def test_a_long_chain():
    n = 2000  # more than Python's own calls could go down
    solver = Solver({"reach": REACH}, {"link": [(i, i + 1) for i in range(n)]}, {"X": range(n + 1)})
    assert solver.holds("reach", (0, n))
    assert not solver.holds("reach", (n, 0))


def test_a_long_chain_of_negations():
    n = 1001
    even = Definition(
        "even",
        ("N",),
        (
            Clause("even", (0,), ()),
            Clause("even", (A,), (Condition("succ", (B, A)), Condition("even", (B,), negated=True))),
        ),
        0,
        0,
    )
    solver = Solver({"even": even}, {"succ": [(i, i + 1) for i in range(n)]}, {"N": range(n + 1)})
    assert not solver.holds("even", (n,))
    assert solver.holds("even", (n - 1,))


literals = st.builds(
    Condition,
    st.sampled_from(["p", "q", "link"]),
    st.tuples(*[st.sampled_from([A, B, C])] * 2),
    st.just(False),
)
bodies = st.lists(st.lists(literals, min_size=1, max_size=3), min_size=1, max_size=3)


@given(bodies, bodies, links)
def test_any_positive_clauses_give_their_least_model(first, second, links):
    # clauses that call themselves and each other in any way, also before anything is bound
    links = [(a % 3, b % 3) for a, b in links]
    definitions = {
        name: Definition(name, ("X", "X"), tuple(Clause(name, (A, B), tuple(body)) for body in own))
        for name, own in (("p", first), ("q", second))
    }
    model = {"link": set(links), "p": set(), "q": set()}
    growing = True
    while growing:  # all values for all variables, until nothing new follows
        implied = {
            (name, (a, b))
            for name, own in definitions.items()
            for clause in own.clauses
            for a, b, c in product(range(3), repeat=3)
            if all(
                tuple({A: a, B: b, C: c}[v] for v in condition.arguments) in model[condition.predicate]
                for condition in clause.body
            )
        }
        growing = any(row not in model[name] for name, row in implied)
        for name, row in implied:
            model[name].add(row)
    solver = Solver(definitions, {"link": links}, {"X": range(3)})
    for name, row in product("pq", product(range(3), repeat=2)):
        assert solver.holds(name, row) == (row in model[name])


@pytest.mark.parametrize(
    "clauses",
    [
        [Clause("p", (A, B), (Condition("p", (A, B), negated=True),))],
        [Clause("p", (A, B), (Condition("p", (B, A), negated=True), Condition("p", (A, C))))],
        [
            Clause("p", (A, B), (Condition("p", (C, Variable("D"))), Condition("p", (B, A), negated=True))),
            Clause("p", (A, A), (Condition("p", (A, Variable("_1")), negated=True),)),
        ],
    ],
)
def test_definitions_that_contradict_themselves_still_end(clauses):
    solver = Solver({"p": Definition("p", ("X", "X"), tuple(clauses))}, {"p": [(0, 1)]}, {"X": range(6)})
    for pair in product(range(6), repeat=2):
        assert solver.holds("p", pair) in (True, False)


def test_arguments_that_must_agree():
    same = Definition("same", ("X", "X"), (Clause("same", (A, A), ()), Clause("same", ("x", B), ())))
    solver = Solver({"same": same}, {}, {"X": "xyz"})
    assert solver.holds("same", ("y", "y"))
    assert solver.holds("same", ("x", "z"))
    assert not solver.holds("same", ("y", "z"))
    assert not solver.holds("same", (None, None))


def test_lists_that_were_not_there_in_learning():
    model = RelationalFoil().fit(tasks.member())
    longer = tasks.member(longest=5)
    background = {"components": longer.relation("components").positive}
    rows = [(x, tasks.written(items)) for items in product((1, 2, 3), repeat=5) for x in (1, 2, 3)]
    implied = model.predict(rows, background=background)
    assert implied.tolist() == [str(x) in items for x, items in rows]


def test_sums_that_were_not_there_in_learning():
    model = RelationalFoil().fit(tasks.plus(6))
    background = {"succ": [(i, i + 1) for i in range(15)]}
    rows = list(product(range(0, 16, 3), repeat=3))
    assert model.predict(rows, background=background).tolist() == [a + b == c for a, b, c in rows]


def test_negated_recursion():
    model = RelationalFoil().fit(tasks.even(6))
    rows = [(i,) for i in range(31)]
    background = {"succ": [(i, i + 1) for i in range(30)]}
    assert model.predict(rows, background=background).tolist() == [i % 2 == 0 for i in range(31)]


@pytest.mark.parametrize("make", [tasks.can_reach, tasks.less, tasks.plus, tasks.member, tasks.append])
def test_clauses_alone_give_the_relation_back(make):
    task = make()
    model = RelationalFoil().fit(task)
    (definition,) = model.definitions_.values()
    relation = task.relation(definition.relation)
    assert model.predict(relation.positive, background=task).all()
    kinds = {kind.name: kind.constants for kind in task.types}
    world = [row for row in product(*(kinds[t] for t in relation.types)) if row not in set(relation.positive)]
    assert not model.predict(world[:300], background=task).any()
