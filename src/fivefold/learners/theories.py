"""Theories: what a fitted model says, as plain descriptions that can be read, priced and sent."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Iterator
from dataclasses import dataclass
from typing import Literal, Protocol, TypeAlias, get_args, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from fivefold.data.conditions import Rule, Term, category_code, numeric_values
from fivefold.errors import InputError, show
from fivefold.inputs.columns import Column
from fivefold.inputs.options import instance_of, one_of

Label: TypeAlias = Hashable
Rows: TypeAlias = NDArray[np.intp]


@dataclass(frozen=True)
class Leaf:
    """The end of a branch: the classes that it answers with, usually one."""

    classes: tuple[Label, ...]


@dataclass(frozen=True)
class NumericSplit:
    """Numbers up to the cut go left, larger ones right.

    Parameters
    ----------
    column : str
        The name of the column.
    cut : float
        The largest number that goes left; infinite where known values are told from missing ones.
    left, right : Node
        What follows.
    missing_left : bool or None
        Where cases without a number go; None in a tree that shares them.
    """

    column: str
    cut: float
    left: Node
    right: Node
    missing_left: bool | None = None

    def __post_init__(self) -> None:
        instance_of(self.cut, (int, float, np.number), f"a number to cut {show(self.column)} at")
        if not abs(self.cut) <= math.inf:  # a whole number may be too large for isnan
            raise InputError(f"a number to cut {show(self.column)} at", show(self.cut))

    @property
    def branches(self) -> tuple[Node, ...]:
        """All nodes that may follow."""
        return (self.left, self.right)

    def route(self, column: Column, rows: Rows) -> list[Rows]:
        """Give for each of the branches the rows that take it."""
        values = numeric_values(column)[rows]
        return _route_in_two(values <= self.cut, np.isnan(values), self.missing_left, rows)


@dataclass(frozen=True)
class NominalEquals:
    """One value against all others."""

    column: str
    value: Label
    yes: Node
    no: Node
    missing_yes: bool | None = None

    @property
    def branches(self) -> tuple[Node, ...]:
        """All nodes that may follow."""
        return (self.yes, self.no)

    def route(self, column: Column, rows: Rows) -> list[Rows]:
        """Give for each of the branches the rows that take it."""
        return _route_members(column, (self.value,), self.missing_yes, rows)


@dataclass(frozen=True)
class NominalSubset:
    """Some values against all others."""

    column: str
    values: tuple[Label, ...]
    yes: Node
    no: Node
    missing_yes: bool | None = None

    @property
    def branches(self) -> tuple[Node, ...]:
        """All nodes that may follow."""
        return (self.yes, self.no)

    def route(self, column: Column, rows: Rows) -> list[Rows]:
        """Give for each of the branches the rows that take it."""
        return _route_members(column, self.values, self.missing_yes, rows)


@dataclass(frozen=True)
class NominalMultiway:
    """A branch for each value, and perhaps one for missing values.

    Parameters
    ----------
    column : str
        The name of the column.
    children : tuple of (value, Node)
        What follows each value.
    missing : Node or None
        What follows a missing value; None in a tree that shares such cases.
    """

    column: str
    children: tuple[tuple[Label, Node], ...]
    missing: Node | None = None

    @property
    def branches(self) -> tuple[Node, ...]:
        """All nodes that may follow; the one for missing values last."""
        last = () if self.missing is None else (self.missing,)
        return (*(node for _, node in self.children), *last)

    def route(self, column: Column, rows: Rows) -> list[Rows]:
        """Give for each of the branches the rows that take it."""
        codes = column.values[rows]
        branch_codes = [category_code(column, value) for value, _ in self.children]
        absent = codes < 0
        lost = np.flatnonzero(~np.isin(codes, branch_codes) & ~absent)
        if lost.size:
            raise InputError(
                f"a branch for every value of {show(self.column)} that comes to a test",
                f"none for {show(column.decode()[rows[lost[0]]])} in row {rows[lost[0]]}",
                "pass the cases that the model was fitted on",
            )
        taken = [codes == code for code in branch_codes]
        if self.missing is None:
            return [rows[mask | absent] if mask.any() else rows[:0] for mask in taken]
        return [*(rows[mask] for mask in taken), rows[absent]]


Split: TypeAlias = NumericSplit | NominalEquals | NominalSubset | NominalMultiway
Node: TypeAlias = Leaf | Split


def missing_policy(split: Split) -> str | None:
    """Say which kind of tree a test belongs in: "shared", "placed", or None for either."""
    if isinstance(split, NominalMultiway):
        return None if split.missing is None else "placed"
    side = split.missing_left if isinstance(split, NumericSplit) else split.missing_yes
    return "shared" if side is None else "placed"


def _route_in_two(
    first: NDArray[np.bool_], absent: NDArray[np.bool_], missing_first: bool | None, rows: Rows
) -> list[Rows]:
    if missing_first is not None:
        first = np.where(absent, missing_first, first)
        return [rows[first], rows[~first]]
    second = ~first & ~absent
    return [rows[side | absent] if side.any() else rows[:0] for side in (first, second)]


def _route_members(
    column: Column, values: tuple[Label, ...], missing_yes: bool | None, rows: Rows
) -> list[Rows]:
    codes = column.values[rows]
    member = np.isin(codes, [category_code(column, value) for value in values])
    return _route_in_two(member, codes < 0, missing_yes, rows)


@dataclass(frozen=True)
class DecisionTree:
    """A tree of tests with classes at its leaves.

    Parameters
    ----------
    root : Node
        The first test, or the only leaf.
    classes : tuple of label
        All classes of the problem.
    missing : {"shared", "placed"}
        What a test does with a missing value. ``"shared"``: the case goes down every branch that a known case
        takes, as in C4.5. ``"placed"``: each test says which way such cases go.
    """

    root: Node
    classes: tuple[Label, ...]
    missing: Literal["shared", "placed"] = "shared"

    def __post_init__(self) -> None:
        one_of(self.missing, ("shared", "placed"), "missing")
        leaves = (node for node in self.nodes() if isinstance(node, Leaf))
        _check_classes(self.classes, (label for leaf in leaves for label in leaf.classes))
        for node in self.nodes():
            if not isinstance(node, Leaf) and missing_policy(node) not in (None, self.missing):
                raise InputError(
                    f"every test of this tree to have missing values {self.missing}",
                    f"a test of {show(node.column)} that has them {missing_policy(node)}",
                )

    def nodes(self) -> Iterator[Node]:
        """Go through all nodes, each before its branches, first branch first."""
        waiting: list[Node] = [self.root]
        while waiting:
            node = waiting.pop()
            instance_of(node, get_args(Node), "a tree of leaves and tests")
            yield node
            if not isinstance(node, Leaf):
                waiting.extend(reversed(node.branches))


@dataclass(frozen=True)
class NominalCells:
    """The class of each value."""

    outcomes: tuple[tuple[Label, Label], ...]


@dataclass(frozen=True)
class NumericCells:
    """The classes of intervals: the first up to and including the first cut, and so on."""

    cuts: tuple[float, ...]
    outcomes: tuple[Label, ...]

    def __post_init__(self) -> None:
        instance_of(self.cuts, (tuple, list), "cuts as a tuple")
        instance_of(self.outcomes, (tuple, list), "outcomes as a tuple")
        if len(self.outcomes) != len(self.cuts) + 1:
            raise InputError(
                f"{len(self.cuts) + 1} classes for {len(self.cuts)} cuts", f"{len(self.outcomes)}"
            )
        for cut in self.cuts:
            instance_of(cut, (int, float, np.number), "numbers as cuts")
        if not all(low < high for low, high in zip(self.cuts, self.cuts[1:], strict=False)):
            raise InputError("increasing cuts", show(self.cuts))


@dataclass(frozen=True)
class SingleAttributeRule:
    """One attribute decides.

    Parameters
    ----------
    column : str
        The name of the column.
    cells : NominalCells or NumericCells
        The class of each value or interval.
    classes : tuple of label
        All classes of the problem.
    missing : label or None
        The class of cases without a value; None if the rule gives them no answer.
    """

    column: str
    cells: NominalCells | NumericCells
    classes: tuple[Label, ...]
    missing: Label | None = None

    def __post_init__(self) -> None:
        cells = self.cells
        instance_of(cells, (NominalCells, NumericCells), "cells to be NominalCells or NumericCells")
        named = [label for _, label in cells.outcomes] if isinstance(cells, NominalCells) else cells.outcomes
        _check_classes(self.classes, [*named, *([] if self.missing is None else [self.missing])])


@dataclass(frozen=True)
class RuleSet:
    """Rules without an order: all that hold speak, so that there may be several answers or none.

    Parameters
    ----------
    rules : tuple of Rule
        The rules.
    classes : tuple of label
        All classes of the problem.
    default : label or None
        The class of cases that no rule covers; None if they get no answer.
    target : label or None
        The one class that every rule of such a theory is for, if that is agreed before any rule is learnt, as
        with a concept in disjunctive normal form; None if each rule says its class.
    """

    rules: tuple[Rule, ...]
    classes: tuple[Label, ...]
    default: Label | None = None
    target: Label | None = None

    def __post_init__(self) -> None:
        _check_classes(self.classes, _outcomes(self.rules, self.default))
        for rule in self.rules:
            if self.target not in (None, rule.outcome):
                raise InputError(f"rules for the target {show(self.target)} alone", show(str(rule)))


@dataclass(frozen=True)
class RuleList:
    """Rules in order: the first that holds speaks, or else the default, if there is one."""

    rules: tuple[Rule, ...]
    classes: tuple[Label, ...]
    default: Label | None = None

    def __post_init__(self) -> None:
        _check_classes(self.classes, _outcomes(self.rules, self.default))


@dataclass(frozen=True)
class RippleDownNode:
    """If all terms hold then the outcome, unless the exception speaks; if they do not, then otherwise."""

    terms: tuple[Term, ...]
    outcome: Label
    exception: RippleDownNode | None = None
    otherwise: RippleDownNode | None = None


@dataclass(frozen=True)
class RippleDownTree:
    """Rules with exceptions to any depth."""

    root: RippleDownNode
    classes: tuple[Label, ...]

    def __post_init__(self) -> None:
        _check_classes(self.classes, (node.outcome for node in self.nodes()))

    def nodes(self) -> Iterator[RippleDownNode]:
        """Go through all nodes: each, then its exceptions, then what is otherwise."""
        waiting: list[RippleDownNode] = [self.root]
        while waiting:
            node = waiting.pop()
            instance_of(node, (RippleDownNode,), "a tree of RippleDownNode objects")
            yield node
            waiting.extend(after for after in (node.otherwise, node.exception) if after is not None)


Theory: TypeAlias = DecisionTree | SingleAttributeRule | RuleSet | RuleList | RippleDownTree


@runtime_checkable
class HasTheory(Protocol):
    """A fitted model that can say what it has learnt."""

    def theory(self) -> Theory | None:
        """Describe what the model says, in terms of its columns; None where there is no code for it."""


def _outcomes(rules: tuple[Rule, ...], default: Label | None) -> list[Label]:
    instance_of(rules, (tuple, list), "rules as a tuple")
    for rule in rules:
        instance_of(rule, (Rule,), "rules to be Rule objects")
    return [*(rule.outcome for rule in rules), *([] if default is None else [default])]


def _check_classes(classes: tuple[Label, ...], used: Iterable[Label]) -> None:
    instance_of(classes, (tuple, list), "classes as a tuple")
    answers = list(used)
    for label in (*classes, *answers):
        instance_of(label, (Hashable,), "classes that are texts or numbers")
    known = set(classes)
    if not classes or len(known) < len(classes):
        raise InputError("classes, each once", show(classes))
    for label in answers:
        if label not in known:
            raise InputError(f"answers among the classes {show(classes)}", show(label))
