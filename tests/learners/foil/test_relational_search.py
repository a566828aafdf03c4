"""Inside the search: the worked trace, the argument lists that are tried, and which recursion is allowed."""

from itertools import permutations, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fivefold.learners.foil.kernels.literals import allowance
from fivefold.learners.relational_foil import Relation, RelationalFoil, Relations, Type
from fivefold.learners.relational_foil.draft import Draft, Literal, settings_of
from fivefold.learners.relational_foil.kernels.bindings import LESS, MIXED, MORE, SAME, Calls, recursion_ends
from fivefold.learners.relational_foil.kernels.literals import Walk, advance, count_lists
from fivefold.learners.relational_foil.search import LiteralTrial, SavedClause, shape_of
from fivefold.learners.relational_foil.world import World, start_of

from . import tasks


def draft_of(task, **options):
    world = World.of(task)
    settings = settings_of(RelationalFoil(**options).get_params(), 1.0, len(world.types_of[0]))
    return Draft(world, settings, 0, start_of(world, 0, 1.0, 100_000, np.random.RandomState(0)))


def gains(draft):
    """Try all literals; give the gain and the bits of those on the shortlist."""
    trial = LiteralTrial(draft, SavedClause())
    trial.run()
    names = [relation.name for relation in draft.world.task.relations]
    listed = {}
    for own in map(trial.best.read, range(trial.best.used)):
        literal = trial.literal(own)
        listed[names[literal.relation], tuple(literal.args), literal.sign] = (own.gain, literal.bits)
    return trial, listed


def test_the_worked_trace_of_can_reach():
    draft = draft_of(tasks.can_reach())
    assert (draft.positive, draft.total) == (19, 81)
    assert allowance(draft.logs, 81, 19) == pytest.approx(73.41, abs=0.006)
    _, listed = gains(draft)
    gained, bits = listed["linked_to", (1, 2), 1]
    assert gained == pytest.approx(20.356, abs=6e-4)
    assert bits == pytest.approx(np.log2(12) + 1, abs=1e-3)  # twelve argument lists, and a sign
    assert listed["linked_to", (1, 3), 1][0] == pytest.approx(14.008, abs=6e-4)
    paper = gains(draft_of(tasks.can_reach(), info="paper"))[1]
    assert paper["linked_to", (1, 2), 1][0] == pytest.approx(20.919, abs=6e-4)
    assert paper["linked_to", (1, 3), 1][0] == pytest.approx(14.630, abs=6e-4)


def test_the_second_clause_of_can_reach():
    rest = [pair for pair in tasks.closure(tasks.LINKS) if pair not in tasks.LINKS]
    draft = draft_of(tasks.can_reach())
    draft.add(Literal(1, 1, [1, 2]))
    covered = set(draft.bindings.origin.tolist())
    draft.start = type(draft.start)(
        *(part[[i for i in range(81) if i not in covered]] for part in draft.start[:2]), 9
    )
    draft.restart()
    assert (draft.positive, draft.total) == (len(rest), 71)
    assert allowance(draft.logs, 81, 9) == pytest.approx(48.69, abs=0.006)
    draft.add(Literal(1, 1, [1, 3], bits=np.float32(4.585)))
    draft.count_originals()
    draft.relate_variables()
    trial, listed = gains(draft)
    assert (draft.positive, draft.total, draft.original_positive, draft.original_total) == (18, 72, 9, 44)
    assert listed["can_reach", (3, 2), 1][0] == pytest.approx(35.0, abs=0.05)
    assert trial.state.most == pytest.approx(35.0, abs=0.05)


def listed(shape):
    walk, lists = Walk(shape), []
    while advance(shape, walk):
        lists.append(tuple(walk.args))
    assert count_lists(shape) == len(lists)
    return lists


def in_turn(args, last):
    """Tell whether new variables are numbered as they come."""
    following = last + 1
    for v in args:
        if v > following:
            return False
        following += v == following
    return True


def everything(draft, relation, keys):
    """List all argument lists by what they must be like."""
    world, last, types = draft.world, draft.n_variables, draft.world.types_of[relation]
    rows = world.positive[relation].tolist()
    lists = set()
    for args in product(range(1, last + len(types) + 1), repeat=len(types)):
        kinds = {v: draft.types[v] for v in range(1, last + 1)}
        fitting = all(
            world.compatible[kinds.setdefault(v, kind)][kind] for v, kind in zip(args, types, strict=True)
        )
        twins = [(i, j) for i, j in permutations(range(len(args)), 2) if i < j and args[i] == args[j]]
        possible = all(any(row[i] == row[j] for row in rows) for i, j in twins)
        first = [i for i, v in enumerate(args) if v > last and v not in args[:i]]
        bound = not keys or any(all(key[i] == "-" for i in first) for key in keys)
        turned = world.symmetric[relation] and args[0] > args[1]
        if in_turn(args, last) and min(args) <= last and fitting and possible and bound and not turned:
            lists.add(args)
    return lists


@st.composite
def random_drafts(draw):
    types = [Type("X", "abc"), Type("Y", "cd"), Type("Z", "ef")]  # X and Y share a constant, Z is apart
    names = draw(st.lists(st.sampled_from("XYZ"), min_size=1, max_size=3))
    members = {kind.name: st.sampled_from(kind.constants) for kind in types}
    rows = draw(st.lists(st.tuples(*[members[n] for n in names]), min_size=1, max_size=6, unique=True))
    keys = draw(st.lists(st.text("#-", min_size=len(names), max_size=len(names)), max_size=2))
    target = Relation("t", draw(st.sampled_from(["X", "XZ", "XYZ", "XX"])), [], target=True)
    target = Relation("t", target.types, [tuple({"X": "a", "Y": "c", "Z": "e"}[n] for n in target.types)])
    other = Relation("other", "XZ", [("a", "e"), ("b", "f")])
    draft = draft_of(Relations(types, [target, Relation("r", names, rows, keys=keys), other]))
    if draw(st.booleans()):
        draft.add(Literal(2, 1, [1, draft.n_variables + 1]))
    return draft, keys


@given(random_drafts())
def test_all_argument_lists_are_tried_once(case):
    draft, keys = case
    lists = listed(shape_of(draft, 1))
    assert len(lists) == len(set(lists))
    assert set(lists) == everything(draft, 1, keys)


def test_general_lists_come_before_special_ones():
    pairs = [(a, b) for a in "abc" for b in "abc" if (a, b) != ("a", "b")]
    task = Relations([Type("X", "abc")], [Relation("t", "XX", [("a", "b")]), Relation("r", "XX", pairs)])
    assert listed(shape_of(draft_of(task), 1)) == [
        (1, 3),
        (1, 1),
        (1, 2),
        (2, 3),
        (2, 1),
        (2, 2),
        (3, 1),
        (3, 2),
    ]


def test_a_list_that_leads_nowhere_is_not_made_more_special():
    task = Relations(
        [Type("X", "abc")], [Relation("t", "X", [("a",)]), Relation("r", "XXX", [("a", "a", "a")])]
    )
    shape = shape_of(draft_of(task), 1)
    walk = Walk(shape)
    assert advance(shape, walk)
    assert list(walk.args) == [1, 2, 3]
    walk.pruned = True  # as if it had been given up
    assert advance(shape, walk)
    assert walk.args[0] != 1


@pytest.mark.parametrize(
    ("limits", "expected"),
    [
        ({}, {(1, 1), (1, 2), (2, 1)}),
        ({"max_variables": 1}, {(1, 1)}),
        ({"max_depth": 0}, {(1, 1)}),
    ],
)
def test_limits_of_variables_and_depth(limits, expected):
    task = Relations(
        [Type("X", "ab")], [Relation("t", "X", [("a",)]), Relation("r", "XX", [("a", "b"), ("a", "a")])]
    )
    assert set(listed(shape_of(draft_of(task, **limits), 1))) == expected


cells = st.sampled_from([LESS, SAME, MORE, MIXED])


@given(
    st.integers(1, 3).flatmap(lambda n: st.lists(st.lists(cells, min_size=n, max_size=n), max_size=3)),
    st.data(),
)
def test_recursion_that_is_allowed_goes_down_some_columns_in_turn(calls, data):
    width = len(calls[0]) if calls else 1
    types = data.draw(st.lists(st.integers(0, 2), min_size=width, max_size=width))
    ways = data.draw(st.lists(st.sampled_from([SAME, MORE]), min_size=width, max_size=width))
    table = np.array(calls, dtype=np.int8).reshape(-1, width)
    allowed = recursion_ends(Calls(table, np.array(ways, dtype=np.int8), np.array(types)))
    certified = any(
        goes_down(calls, order, way, types)
        for order in permutations(range(width))
        for way in product(*[(LESS, MORE) if w == SAME else (w,) for w in ways])
    )
    assert certified or not allowed
    if len(set(types)) == width:
        assert allowed == certified


def goes_down(calls, order, ways, types):
    """Take the columns in turn, all of one type in one way; tell whether each call is unequal in one taken."""
    left, used = list(calls), {}
    for column in order:
        way = ways[column]
        fitting = all(call[column] in (SAME, way) for call in left) and used.get(types[column], way) == way
        if left and fitting and any(call[column] == way for call in left):
            used[types[column]] = way
            left = [call for call in left if call[column] == SAME]
    return not left
