"""Clauses and definitions as they are read by people and programs."""

from __future__ import annotations

import re
from collections.abc import Hashable
from dataclasses import dataclass
from typing import TypeAlias

_PLAIN = re.compile(r"[a-z][A-Za-z0-9_]*|[-+]?[0-9.]+(e[-+]?[0-9]+)?|\[[^']*\]")


@dataclass(frozen=True)
class Variable:
    """A variable of a clause.

    A name that starts with an underscore belongs to one negated literal, which says that there is no value at all.
    """

    name: str

    def __str__(self) -> str:
        return self.name


Argument: TypeAlias = Variable | Hashable


@dataclass(frozen=True)
class Condition:
    """A literal of the body of a clause.

    Parameters
    ----------
    predicate : str
        The name of a relation, or one of the comparisons ``=`` and ``>``.
    arguments : tuple
        Variables and constants.
    negated : bool
        Whether it must not hold.

    Examples
    --------
    >>> A, B = Variable("A"), Variable("B")
    >>> print(Condition("linked_to", (A, "x")), Condition(">", (A, 2.5), True), Condition("=", (A, B), True))
    linked_to(A,x) A<=2.5 A<>B
    """

    predicate: str
    arguments: tuple[Argument, ...]
    negated: bool = False

    def __str__(self) -> str:
        if self.predicate in ("=", ">"):
            sign = {"=": "<>", ">": "<="}[self.predicate] if self.negated else self.predicate
            return sign.join(map(write, self.arguments))
        atom = write_atom(self.predicate, self.arguments)
        return f"not({atom})" if self.negated else atom


@dataclass(frozen=True)
class Clause:
    """A clause: the head holds if all conditions of the body do.

    Parameters
    ----------
    relation : str
        The relation that it defines.
    head : tuple
        Variables and constants.
    body : tuple of Condition
        The conditions; a clause without any always holds.

    Examples
    --------
    >>> A, B, C = map(Variable, "ABC")
    >>> print(Clause("less", (A, B), (Condition("succ", (A, C)), Condition("less", (C, B)))))
    less(A,B) :- succ(A,C), less(C,B).
    """

    relation: str
    head: tuple[Argument, ...]
    body: tuple[Condition, ...]

    @property
    def recursive(self) -> bool:
        """Whether the body calls the relation itself."""
        return any(condition.predicate == self.relation for condition in self.body)

    def __str__(self) -> str:
        head = write_atom(self.relation, self.head)
        return f"{head} :- {', '.join(map(str, self.body))}." if self.body else f"{head}."


@dataclass(frozen=True)
class Definition:
    """What was learnt about a relation: it holds if one of the clauses does.

    Parameters
    ----------
    relation : str
        The relation.
    types : tuple of str
        The types of its arguments.
    clauses : tuple of Clause
        The clauses, those without recursion first.
    n_uncovered, n_wrong : int
        How many of the given tuples of the relation no clause covers, and how many of the negative ones some
        clause does, when recursive calls are looked up among the given tuples.
    """

    relation: str
    types: tuple[str, ...]
    clauses: tuple[Clause, ...]
    n_uncovered: int = 0
    n_wrong: int = 0

    @property
    def recursive(self) -> bool:
        """Whether some clause is recursive."""
        return any(clause.recursive for clause in self.clauses)

    def to_text(self) -> str:
        """Write the definition in Datalog."""
        return "\n".join(map(str, self.clauses))

    def __str__(self) -> str:
        return self.to_text()


def write(argument: Argument) -> str:
    """Write a variable, or a constant so that it cannot be taken for one."""
    if isinstance(argument, Variable):
        return argument.name
    text = f"{argument:.9g}" if isinstance(argument, float) else str(argument)
    if _PLAIN.fullmatch(text):
        return text
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


def write_atom(name: str, arguments: tuple[Argument, ...]) -> str:
    """Write a relation with its arguments."""
    return f"{name}({','.join(map(write, arguments))})"
