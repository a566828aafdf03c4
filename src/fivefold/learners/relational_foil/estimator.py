"""The FOIL learner for relations."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.exceptions import NotFittedError
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from fivefold.data.dnf_concepts import attribute_name
from fivefold.errors import InputError, show
from fivefold.inputs.options import fraction
from fivefold.learners.foil.training_table import ALTERNATIVE_FRACTION, ALTERNATIVES, CHECKPOINTS, WEAK
from fivefold.learners.relational_foil.clauses import Argument, Clause, Condition, Definition, Variable
from fivefold.learners.relational_foil.draft import Draft, Literal, prover_of, settings_of, simplify, single
from fivefold.learners.relational_foil.kernels import bindings as kernels
from fivefold.learners.relational_foil.kernels.bindings import Bindings, Values
from fivefold.learners.relational_foil.relations import OUTSIDE, Relations, Tuple
from fivefold.learners.relational_foil.search import Growth
from fivefold.learners.relational_foil.solver import Solver
from fivefold.learners.relational_foil.world import World, start_of
from fivefold.plain_text import visible


@dataclass(kw_only=True, eq=False, repr=False)
class RelationalFoil(BaseEstimator):
    r"""FOIL on relations: definitions of a relation in terms of others, and of itself.

    Relations are given as the tuples of constants for which they hold. A clause starts with the head
    :math:`R(V_1, \dots, V_k)` and grows by the literal with the greatest gain :math:`s\,(I - I')`. A binding gives
    each variable of the clause a constant: at first the tuples of the relation, positive and negative. A literal
    :math:`Q(W_1, \dots, W_m)` may have new variables; each binding then gives way to all its extensions, and
    :math:`s` counts the positive ones with at least one. Literals are relations with at least one old variable,
    equalities of variables, equalities with theory constants, comparisons of numbers, and negations.

    A literal that extends every positive binding in exactly one way and no negative one in more is determinate; if
    none gains much, all of these are added. Recursive literals are allowed if arguments go down an order of
    constants, so that calls come to an end; where no order is given, one is sought that the relations suggest.
    Costs, alternatives, pruning and the end of the search are as in :class:`~fivefold.learners.Foil`.

    Parameters
    ----------
    info, pruning, min_accuracy
        As in :class:`~fivefold.learners.Foil`, for tuples instead of cases.
    negation : bool or "comparisons"
        Whether literals may be negated: all, none, or only equalities. For numbers there is always ``<=``
        beside ``>``.
    sample : float
        The share of the negative tuples of a closed world to take, drawn at random.
    determinate : float
        Determinate literals are added unless a literal has this share of the greatest possible gain.
    max_depth, max_variables : int
        The greatest depth of a variable (those of the head have depth 0), and the most variables.
    max_tuples : int
        The most bindings.
    max_weak : int
        The most literals in a row that exclude little.
    alternatives, checkpoints : int
        How many alternatives to a literal are kept, and how many clauses in all the search may go back to.
    min_alternative : float
        The least share of the best gain that an alternative must have.
    random_state : int, RandomState or None
        For `sample`.

    Attributes
    ----------
    definitions_ : dict of str to Definition
        What was learnt about each target.
    task_ : Relations
        What it was learnt from.

    Notes
    -----
    Definitions are those of FOIL 6.4. There is one difference: that program takes a type whose order is to be
    discovered as ordered if an earlier type was, even where no relation suggests an order of it.

    While learning, a recursive literal is looked up among the given tuples. `predict` asks the clauses: it finds
    what follows from them, so that they work for tuples and relations that were not there in learning.

    References
    ----------
    J. R. Quinlan (1990). Learning logical definitions from relations. Machine Learning 5, 239-266.

    J. R. Quinlan (1991). Determinate literals in inductive logic programming. IJCAI-91, 746-750.

    R. M. Cameron-Jones and J. R. Quinlan (1993). Avoiding pitfalls when learning recursive theories. IJCAI-93,
    1050-1055.

    Examples
    --------
    >>> from fivefold.learners import RelationalFoil
    >>> from fivefold.learners.relational_foil import Relation, Relations, Type
    >>> links = [(0, 1), (0, 3), (1, 2), (3, 2), (3, 4), (4, 5), (4, 6), (6, 8), (7, 6), (7, 8)]
    >>> reach = set(links)
    >>> for _ in range(3):
    ...     reach |= {(a, d) for a, b in links for c, d in reach if b == c}
    >>> task = Relations(
    ...     [Type("X", range(9))],
    ...     [Relation("can_reach", "XX", sorted(reach), target=True), Relation("linked_to", "XX", links)],
    ... )
    >>> model = RelationalFoil().fit(task)
    >>> print(model)
    can_reach(A,B) :- linked_to(A,B).
    can_reach(A,B) :- linked_to(A,C), can_reach(C,B).
    >>> model.predict([("x", "z"), ("z", "x")], background={"linked_to": [("x", "y"), ("y", "z")]}).tolist()
    [True, False]
    """

    info: str = "foil6"
    negation: bool | str = True
    pruning: bool = True
    min_accuracy: float = 0.8
    sample: float = 1.0
    determinate: float = 0.8
    max_depth: int = 4
    max_variables: int = 52
    max_tuples: int = 100_000
    max_weak: int = WEAK
    alternatives: int = ALTERNATIVES
    checkpoints: int = CHECKPOINTS
    min_alternative: float = ALTERNATIVE_FRACTION
    random_state: Any = None

    def fit(self, task: Relations | str | Path, target: str | None = None) -> Self:
        """Learn a definition of each target.

        Parameters
        ----------
        task : Relations, or path of a file in FOIL's format
            The types and relations.
        target : str, optional
            The relation to define; by default all that the task names as targets.

        Returns
        -------
        self
        """
        self.task_ = task if isinstance(task, Relations) else Relations.read(task)
        world = World.of(self.task_)
        if target is not None:
            self.task_.relation(target)
        wanted = (target,) if target is not None else self.task_.targets
        if not wanted:
            raise InputError("a relation to define", "none", "pass target=..., or Relation(..., target=True)")
        rng = check_random_state(self.random_state)
        self.definitions_ = {}
        for place in world.simplest_first:
            relation = self.task_.relations[place]
            if relation.name in wanted:
                self.definitions_[relation.name] = self._define(world, place, rng)
        return self

    def _define(self, world: World, place: int, rng: np.random.RandomState) -> Definition:
        relation = world.task.relations[place]
        sample = fraction(self.sample, "sample") if relation.negative is None else 1.0
        settings = settings_of(self.get_params(), sample, len(relation.types))
        draft = Draft(world, settings, place, start_of(world, place, sample, settings.max_tuples, rng))
        learnt = _define(draft)
        clauses = sorted((_decode(world, place, own) for own in learnt), key=lambda clause: clause.recursive)
        return Definition(relation.name, relation.types, tuple(clauses), *_errors(draft, learnt))

    def predict(
        self,
        tuples: Iterable[Tuple],
        relation: str | None = None,
        background: Relations | Mapping[str, Iterable[Tuple]] | None = None,
    ) -> NDArray[np.bool_]:
        """Tell for which tuples a relation holds, by its definition.

        Parameters
        ----------
        tuples : iterable of tuple
            The tuples; None is a missing value, for which no condition holds.
        relation : str, optional
            The relation; may be left out if only one was defined.
        background : Relations, or mapping of str to iterable of tuple, optional
            The tuples of other relations in place of those of learning. What is not given but has a definition is
            asked of it. By default all is as in learning, and recursive calls also find the given tuples.

        Returns
        -------
        ndarray of bool
        """
        check_is_fitted(self)
        name = self._relation_name(relation)
        rows = [tuple(row) for row in tuples]
        definition = self.definitions_[name]
        for row in rows:
            if len(row) != len(definition.types):
                raise InputError(f"tuples of {len(definition.types)} for {show(name)}", show(row))
        solver = self._solver(name, rows, background)
        return np.array([solver.holds(name, row) for row in rows], dtype=bool)

    def _relation_name(self, relation: str | None) -> str:
        if relation is None and len(self.definitions_) == 1:
            return next(iter(self.definitions_))
        if relation not in self.definitions_:
            raise InputError(f"one of the defined relations {show(list(self.definitions_))}", show(relation))
        return relation

    def _solver(
        self, name: str, rows: list[Tuple], background: Relations | Mapping[str, Iterable[Tuple]] | None
    ) -> Solver:
        facts: dict[str, list[Tuple]]
        if background is None:
            facts = {r.name: list(r.positive) for r in self.task_.relations}
        elif isinstance(background, Relations):
            facts = {r.name: list(r.positive) for r in background.relations if r.name != name}
        else:
            facts = {key: [tuple(row) for row in own] for key, own in background.items() if key != name}
        definitions = {key: own for key, own in self.definitions_.items() if key == name or key not in facts}
        self._check_known(definitions, facts)
        return Solver(definitions, facts, self._domains(name, rows, facts))

    def _check_known(self, definitions: Mapping[str, Definition], facts: Mapping[str, Any]) -> None:
        clauses = (clause for definition in definitions.values() for clause in definition.clauses)
        for condition in (condition for clause in clauses for condition in clause.body):
            if condition.predicate not in ("=", ">", *facts, *definitions):
                raise InputError(
                    f"the tuples of {show(condition.predicate)}, which a clause asks for",
                    f"background with {show(list(facts))}",
                )

    def _domains(
        self, name: str, rows: list[Tuple], facts: Mapping[str, list[Tuple]]
    ) -> dict[str, list[Hashable]]:
        """Gather the constants of each type, known and new."""
        domains: dict[str, dict[Hashable, None]] = {
            t.name: dict.fromkeys(t.constants) for t in self.task_.types
        }
        types = {r.name: r.types for r in self.task_.relations}
        for key, own in [*facts.items(), (name, rows)]:
            for row in own:
                for kind, value in zip(types.get(key, ()), row, strict=False):
                    domains[kind].setdefault(value)
        return {
            kind: [v for v in values if v is not None and v is not OUTSIDE]
            for kind, values in domains.items()
        }

    def to_text(self) -> str:
        """Write the definitions in Datalog."""
        check_is_fitted(self)
        return "\n\n".join(definition.to_text() for definition in self.definitions_.values())

    def __str__(self) -> str:
        try:
            return visible(self.to_text())
        except NotFittedError:
            return repr(self)


def _define(draft: Draft) -> list[list[Literal]]:
    """Learn clauses until all positive tuples are covered or no good clause is found; drop those not needed."""
    clauses: list[list[Literal]] = []
    while draft.start.n_positive:
        draft.restart()
        Growth(draft).run()
        if draft.settings.options.pruning:
            simplify(draft)
        least = single(draft.settings.options.min_accuracy * single(draft.original_total))
        if not draft.literals or draft.original_positive + 1e-3 < least:
            break
        clauses.append(draft.literals)
        draft.earlier_orders += draft.own_orders
        _remove_covered(draft)
    return _needed(draft, clauses) if draft.settings.options.pruning else clauses


def _remove_covered(draft: Draft) -> None:
    start, own = draft.start, draft.bindings
    done = np.zeros(draft.seen.size, dtype=bool)
    done[own.origin[: own.n_positive]] = True
    left = ~done[start.origin]
    draft.start = Bindings(start.values[left], start.origin[left], int(left[: start.n_positive].sum()))


def _needed(draft: Draft, clauses: list[list[Literal]]) -> list[list[Literal]]:
    """Drop the last clause that alone covers no positive tuple, and so on."""
    covers = _covers(draft, clauses, draft.whole.positive)
    kept = list(range(len(clauses)))
    while True:
        alone = covers[kept].sum(axis=0) == 1
        idle = [i for i in kept if not (covers[i] & alone).any()]
        if not idle:
            return [clauses[i] for i in kept]
        kept.remove(idle[-1])


def _errors(draft: Draft, clauses: list[list[Literal]]) -> tuple[int, int]:
    """Count the positive tuples that no clause covers, and the negative ones that some clause does."""
    covered_positive = _covers(draft, clauses, draft.whole.positive).any(axis=0)
    covered_negative = _covers(draft, clauses, draft.whole.negative).any(axis=0)
    return int((~covered_positive).sum()), int(covered_negative.sum())


def _covers(draft: Draft, clauses: list[list[Literal]], tuples: Values) -> NDArray[np.bool_]:
    """Tell which clause covers which tuples, with recursive calls looked up among the given tuples."""
    bound = [v for clause in clauses for literal in clause if literal.sign for v in literal.args]
    n_variables = max([draft.arity, *bound])
    table = np.zeros((len(clauses), len(tuples)), dtype=bool)
    for row, clause in zip(table, clauses, strict=True):
        row[:] = kernels.covered(prover_of(draft, clause, n_variables, recording=False), tuples)
    return table


def _decode(world: World, target: int, literals: list[Literal]) -> Clause:
    """Write a clause with names; equalities go into the arguments that they equate."""
    arity = len(world.types_of[target])
    bound_variables = (v for literal in literals if literal.sign for v in literal.args)
    names: dict[int, Argument] = {
        v: Variable(attribute_name(v - 1)) for v in (*range(1, arity + 1), *bound_variables)
    }
    _equate(world, literals, names)
    body, bound = [], arity
    for literal in literals:
        if not (literal.asserts(kernels.EQUAL) or literal.asserts(kernels.EQUALS_CONSTANT)):
            body.append(_condition(world, literal, names, bound))
        if literal.sign:
            bound = max(bound, *literal.args)
    head = tuple(names[v] for v in range(1, arity + 1))
    return Clause(world.task.relations[target].name, head, tuple(body))


def _equate(world: World, literals: list[Literal], names: dict[int, Argument]) -> None:
    for literal in literals:
        if literal.asserts(kernels.EQUAL):
            _replace(names, names[literal.args[1]], names[literal.args[0]])
    for literal in literals:
        if literal.asserts(kernels.EQUALS_CONSTANT):
            _replace(names, names[literal.args[0]], world.constants[literal.other])


def _replace(names: dict[int, Argument], old: Argument, new: Argument) -> None:
    for v, name in names.items():
        if name == old:
            names[v] = new


def _condition(world: World, literal: Literal, names: dict[int, Argument], bound: int) -> Condition:
    negated = not literal.sign
    if literal.relation >= 0:
        free: dict[int, Argument] = {}
        arguments = []
        for v in literal.args:
            if negated and v > bound:
                free.setdefault(v, Variable(f"_{len(free) + 1}"))
            arguments.append(free.get(v, names.get(v)))
        return Condition(world.task.relations[literal.relation].name, tuple(arguments), negated)
    first = names[literal.args[0]]
    sign = "=" if literal.relation in (kernels.EQUAL, kernels.EQUALS_CONSTANT) else ">"
    if literal.relation in (kernels.EQUAL, kernels.ABOVE):
        second = names[literal.args[1]]
    elif literal.relation == kernels.EQUALS_CONSTANT:
        second = world.constants[literal.other]
    else:
        second = float(np.int32(literal.other).view(np.float32))
    return Condition(sign, (first, second), negated)
