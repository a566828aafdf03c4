"""A definition of a target relation, clause by clause."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fivefold.learners.foil.relational.draft import Draft
from fivefold.learners.foil.relational.growing import Growth
from fivefold.learners.foil.relational.kernels.joining import Values
from fivefold.learners.foil.relational.kernels.proving import covered
from fivefold.learners.foil.relational.kernels.scanning import Bindings
from fivefold.learners.foil.relational.literal import Literal
from fivefold.learners.foil.relational.simplifying import prover_of, simplify


def define(draft: Draft) -> list[list[Literal]]:
    """Learn clauses until all positive tuples are covered or no good clause is found; drop those not needed."""
    clauses: list[list[Literal]] = []
    while draft.start.n_positive:
        draft.restart()
        Growth(draft).run()
        if draft.settings.options.pruning:
            simplify(draft)
        if not draft.literals or not _accurate(draft):
            break
        clauses.append(draft.literals)
        draft.earlier_orders += draft.own_orders
        _remove_covered(draft)
    return _needed(draft, clauses) if draft.settings.options.pruning else clauses


def _accurate(draft: Draft) -> bool:
    least = np.float32(draft.settings.options.min_accuracy * np.float32(draft.original_total))
    return bool(draft.original_positive + 1e-3 >= float(least))


def _remove_covered(draft: Draft) -> None:
    start, own = draft.start, draft.bindings
    done = np.zeros(draft.seen.size, dtype=bool)
    done[own.origin[: own.n_positive]] = True
    left = ~done[start.origin]
    draft.start = Bindings(start.values[left], start.origin[left], int(left[: start.n_positive].sum()))


def _needed(draft: Draft, clauses: list[list[Literal]]) -> list[list[Literal]]:
    """Drop the last clause that alone covers no positive tuple, and so on."""
    if not clauses:
        return []
    n_variables = _n_variables(draft, clauses)
    covers = np.array([cover(draft, clause, draft.whole.positive, n_variables) for clause in clauses])
    kept = list(range(len(clauses)))
    while True:
        alone = covers[kept].sum(axis=0) == 1
        idle = [i for i in kept if not (covers[i] & alone).any()]
        if not idle:
            return [clauses[i] for i in kept]
        kept.remove(idle[-1])


def cover(draft: Draft, clause: list[Literal], tuples: Values, n_variables: int) -> NDArray[np.bool_]:
    """Tell which tuples a clause covers, with recursive calls looked up among the given tuples."""
    prover, body = prover_of(draft, clause, recording=False)
    return np.asarray(covered(draft.tables, body, prover, tuples, n_variables))


def errors_of(draft: Draft, clauses: list[list[Literal]]) -> tuple[int, int]:
    """Count the positive tuples that no clause covers, and the negative ones that some clause does."""
    whole = draft.whole
    n_variables = _n_variables(draft, clauses)
    found = []
    for tuples in (whole.positive, whole.negative):
        own = [cover(draft, clause, tuples, n_variables) for clause in clauses]
        found.append(np.any(own, axis=0) if own else np.zeros(len(tuples), dtype=bool))
    return int((~found[0]).sum()), int(found[1].sum())


def _n_variables(draft: Draft, clauses: list[list[Literal]]) -> int:
    return max([draft.arity, *(v for clause in clauses for one in clause if one.sign for v in one.args)])
