"""Definitions at work: whether a relation holds for new tuples, by its clauses as well as by given tuples."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping
from itertools import product
from typing import Final

import numpy as np

from fivefold.learners.relational_foil.clauses import Argument, Condition, Definition, Variable
from fivefold.learners.relational_foil.relations import OUTSIDE, Tuple

Pattern = tuple[Hashable | Variable, ...]
Goal = tuple[str, Pattern]
Values = dict[Variable, Hashable]

_ANY: Final = Variable("_")


class Solver:
    """The tuples that definitions and facts imply, found as far as questions ask for them.

    Parameters
    ----------
    definitions : mapping of str to Definition
        Relations that are asked of their clauses.
    facts : mapping of str to iterable of tuple
        Relations that are given. One that also has a definition holds for both: what is given and what follows.
    domains : mapping of str to iterable
        The constants of each type, which an argument of a head takes where no condition says more of it.

    Notes
    -----
    A question is a relation with some arguments known. It is answered by the questions that its clauses lead to,
    each of which is put but once and answered again when another of which it has asked finds new tuples. This
    ends, as there are only so many tuples of constants, and it is right for relations that go in circles. The
    question of a negated literal is answered to the end first; one that leads back to itself counts as false.

    Examples
    --------
    >>> from fivefold.learners.relational_foil import Clause, Condition, Definition, Variable
    >>> A, B, C = map(Variable, "ABC")
    >>> reach = Definition("reach", ("X", "X"), (
    ...     Clause("reach", (A, B), (Condition("link", (A, B)),)),
    ...     Clause("reach", (A, B), (Condition("link", (A, C)), Condition("reach", (C, B)))),
    ... ))
    >>> solver = Solver({"reach": reach}, {"link": [("a", "b"), ("b", "c")]}, {"X": "abc"})
    >>> solver.holds("reach", ("a", "c")), solver.holds("reach", ("c", "a"))
    (True, False)
    """

    def __init__(
        self,
        definitions: Mapping[str, Definition],
        facts: Mapping[str, Iterable[Tuple]],
        domains: Mapping[str, Iterable[Hashable]],
    ) -> None:
        self.definitions = definitions
        self.facts = {name: {tuple(map(_plain, row)) for row in rows} for name, rows in facts.items()}
        self.domains = {name: list(values) for name, values in domains.items()}
        self.indexes: dict[tuple[str, tuple[int, ...]], dict[Tuple, list[Tuple]]] = {}
        self.decided: dict[Goal, set[Tuple]] = {}
        self.asked: set[Goal] = set()

    def holds(self, relation: str, row: Tuple) -> bool:
        """Tell whether clauses imply that a relation holds for a tuple."""
        goal = (relation, tuple(map(_plain, row)))
        if goal not in self.decided:
            self._decide(goal)
        return bool(self.decided[goal])

    def _decide(self, goal: Goal) -> None:
        """Answer a question, after those of the negated literals on the way to it."""
        rounds = [self._start(goal)]
        while rounds:
            latest = rounds[-1]
            latest.run()
            needed = next((blocked for blocked in latest.blocked if blocked not in self.decided), None)
            if needed is not None:
                rounds.append(self._start(needed))
            elif latest.blocked:
                latest.resume()
            else:
                self.decided.update(latest.answers)
                self.asked.discard(latest.goal)
                rounds.pop()

    def _start(self, goal: Goal) -> _Round:
        self.asked.add(goal)
        return _Round(self, goal)

    def lookup(self, name: str, pattern: Pattern) -> list[Tuple]:
        """Give the given tuples that agree with a pattern where it has no variable."""
        places = tuple(i for i, value in enumerate(pattern) if not isinstance(value, Variable))
        index = self.indexes.get((name, places))
        if index is None:
            index = self.indexes[name, places] = {}
            for row in self.facts.get(name, ()):
                index.setdefault(tuple(row[i] for i in places), []).append(row)
        return index.get(tuple(pattern[i] for i in places), [])


class _Round:
    """A question and all that it leads to, but for those of negated literals, for which it waits."""

    def __init__(self, solver: Solver, goal: Goal) -> None:
        self.solver, self.goal, self.current = solver, goal, goal
        self.answers: dict[Goal, set[Tuple]] = {goal: set()}
        self.callers: dict[Goal, dict[Goal, None]] = {goal: {}}
        self.blocked: dict[Goal, dict[Goal, None]] = {}
        self.agenda: dict[Goal, None] = {goal: None}

    def run(self) -> None:
        """Answer questions until none has anything new to go by; the latest first, as others wait for it."""
        while self.agenda:
            self.current = goal = self.agenda.popitem()[0]
            answers = self.answers[goal]
            before = len(answers)
            single = not any(isinstance(value, Variable) for value in goal[1])
            if single and answers:
                continue
            for row in self._conclusions(*goal):
                answers.add(row)
                if single:
                    break
            if len(answers) > before:
                self.agenda.update(self.callers[goal])

    def resume(self) -> None:
        """Put those questions again that had to wait."""
        self.agenda.update({goal: None for waiting in self.blocked.values() for goal in waiting})
        self.blocked.clear()

    def _conclusions(self, name: str, pattern: Pattern) -> Iterator[Tuple]:
        definition = self.solver.definitions[name]
        for clause in definition.clauses:
            bound = [
                pair for pair in zip(clause.head, pattern, strict=True) if not isinstance(pair[1], Variable)
            ]
            # the variables of the head get the known values of the question, if they fit
            values = _match(tuple(a for a, _ in bound), tuple(value for _, value in bound), {})
            if values is not None:
                for solution in self._solutions(list(clause.body), values):
                    yield from self._heads(clause.head, solution, definition.types)

    def _heads(self, head: tuple[Argument, ...], values: Values, types: tuple[str, ...]) -> Iterator[Tuple]:
        """Give the tuples of a head; what no condition has bound takes every value of its type."""
        free = {
            argument: self.solver.domains[kind]
            for argument, kind in zip(head, types, strict=True)
            if isinstance(argument, Variable) and argument not in values
        }
        for chosen in product(*free.values()):
            known = values | dict(zip(free, chosen, strict=True))
            yield tuple(known[a] if isinstance(a, Variable) else _plain(a) for a in head)

    def _solutions(self, conditions: list[Condition], values: Values) -> Iterator[Values]:
        """Go through the ways to meet all conditions; those that leave the least to try come first."""
        if not conditions:
            yield values
            return
        chosen = min(conditions, key=lambda condition: self._effort(condition, values))
        others = [condition for condition in conditions if condition is not chosen]
        for extended in self._ways(chosen, values):
            yield from self._solutions(others, extended)

    def _effort(self, condition: Condition, values: Values) -> tuple[int, int]:
        free = {a for a in condition.arguments if isinstance(a, Variable) and a not in values}
        if condition.negated or condition.predicate in ("=", ">"):
            # its own variables stay free; any other has to be bound by another condition first
            return (4, 0) if any(not v.name.startswith("_") for v in free) else (0, 0)
        called = condition.predicate in self.solver.definitions
        if not free:
            return (0, 1 + called)
        return (3 if called else 1 if len(free) < len(condition.arguments) else 2, len(free))

    def _ways(self, condition: Condition, values: Values) -> Iterator[Values]:
        pattern = tuple(
            values.get(a, a) if isinstance(a, Variable) else _plain(a) for a in condition.arguments
        )
        if any(value is None for value in pattern):
            return
        if condition.predicate in ("=", ">"):
            first, second = pattern
            equal = condition.predicate == "="
            holds = first == second if equal else first > second  # type: ignore[operator]  # these are numbers
            if holds != condition.negated:
                yield values
        elif condition.negated:
            if self._surely_none(condition.predicate, pattern):
                yield values
        else:
            for row in self._rows(condition.predicate, pattern):
                extended = _match(condition.arguments, row, values)
                if extended is not None:
                    yield extended

    def _surely_none(self, name: str, pattern: Pattern) -> bool:
        """Tell whether a relation holds for no tuple of a pattern; False also if that is not known yet."""
        solver, goal = self.solver, _question(name, pattern)
        if any(_match(pattern, row, {}) is not None for row in solver.lookup(name, pattern)):
            return False
        if name not in solver.definitions or goal in solver.asked:
            return True
        if goal not in solver.decided:
            self.blocked.setdefault(goal, {})[self.current] = None
            return False
        return not any(_match(pattern, row, {}) is not None for row in solver.decided[goal])

    def _rows(self, name: str, pattern: Pattern) -> Iterator[Tuple]:
        """Give the tuples of a pattern that are given, and those found so far."""
        solver, goal = self.solver, _question(name, pattern)
        yield from solver.lookup(name, pattern)
        if name not in solver.definitions:
            return
        if goal not in solver.decided:
            if goal not in self.answers:
                self.answers[goal], self.callers[goal], self.agenda[goal] = set(), {}, None
            self.callers[goal][self.current] = None
        answers = solver.decided[goal] if goal in solver.decided else self.answers[goal]
        yield from [row for row in answers if row not in solver.facts.get(name, ())]


def _question(name: str, pattern: Pattern) -> Goal:
    """Ask for the tuples of a pattern, whatever its variables are called."""
    return name, tuple(_ANY if isinstance(value, Variable) else value for value in pattern)


def _plain(value: Argument) -> Hashable:
    """Give a number as FOIL compares it, in 32 bits; whole numbers of discrete types stay what they are."""
    return float(np.float32(value)) if isinstance(value, float) else value


def _match(pattern: tuple[Argument, ...], row: Tuple, values: Values) -> Values | None:
    """Bind the variables of a pattern to the values of a tuple; None if they do not fit."""
    extended = dict(values)
    for argument, value in zip(pattern, row, strict=True):
        if isinstance(argument, Variable):
            if argument not in extended:
                extended[argument] = value
            elif extended[argument] != value or value is None:
                return None
        elif _plain(argument) != value:
            return None
        if value is OUTSIDE:
            return None
    return extended
