"""An evaluator of clauses that tries all values of all variables, and random tasks to try it on."""

from itertools import product

from hypothesis import strategies as st

from fivefold.learners.relational_foil import Relation, Relations, Type, Variable


def answers(definition, rows, task, facts=None):
    """Tell for which tuples some clause holds, with every relation looked up among given tuples."""
    facts = facts or {relation.name: set(relation.positive) for relation in task.relations}
    domain = sorted({c for kind in task.types for c in kind.constants}, key=str)
    return [any(holds(clause, row, facts, domain) for clause in definition.clauses) for row in rows]


def holds(clause, row, facts, domain):
    bound = {}
    for argument, value in zip(clause.head, row, strict=True):
        if isinstance(argument, Variable):
            if bound.setdefault(argument, value) != value:
                return False
        elif argument != value:
            return False
    names = {a for c in clause.body for a in c.arguments if isinstance(a, Variable)}
    free = sorted((v for v in names if v not in bound and not v.name.startswith("_")), key=str)
    return any(
        all(met(c, bound | dict(zip(free, values, strict=True)), facts, domain) for c in clause.body)
        for values in product(domain, repeat=len(free))
    )


def met(condition, values, facts, domain):
    own = [values.get(a, a) if isinstance(a, Variable) else a for a in condition.arguments]
    if condition.predicate == "=":
        return (own[0] == own[1]) != condition.negated
    unnamed = sorted({a for a in own if isinstance(a, Variable)}, key=str)
    some = any(
        tuple(dict(zip(unnamed, filling, strict=True)).get(a, a) for a in own) in facts[condition.predicate]
        for filling in product(domain, repeat=len(unnamed))
    )
    return some != condition.negated


@st.composite
def random_tasks(draw):
    """Draw a target with negatives over at most five constants, and two other relations."""
    constants = "abcde"[: draw(st.integers(2, 5))]
    theory = draw(st.sets(st.sampled_from(constants), max_size=2))
    order = draw(st.sampled_from(["discover", "given", "none"]))
    types = [Type("X", constants, sorted(theory), order)]
    constant = st.sampled_from(constants)

    def rows(arity, most):
        return st.lists(st.tuples(*[constant] * arity), min_size=1, max_size=most, unique=True)

    arity = draw(st.integers(1, 2))
    every = draw(rows(arity, 20))
    others = [Relation(name, "X" * k, draw(rows(k, 10))) for name, k in (("p", 1), ("q", 2))]
    signs = draw(st.lists(st.booleans(), min_size=len(every), max_size=len(every)))
    positive = [row for row, sign in zip(every, signs, strict=True) if sign]
    negative = [row for row, sign in zip(every, signs, strict=True) if not sign]
    return Relations(types, [Relation("t", "X" * arity, positive, negative, target=True), *others])
