"""Determinate literals: all at once, without charge, as they only name what is there anyway."""

from __future__ import annotations

import numpy as np

from fivefold.learners.foil.relational.draft import Draft
from fivefold.learners.foil.relational.kernels.extending import same_on_positive, without_differing
from fivefold.learners.foil.relational.kernels.scanning import Bindings
from fivefold.learners.foil.relational.literal import Literal
from fivefold.learners.foil.relational.recursion import call_orders


def add_determinate(draft: Draft, literals: list[Literal]) -> None:
    """Add determinate literals, but for variables that repeat those of another one among them."""
    known = draft.n_variables
    for literal in literals:
        shift = draft.n_variables - known
        literal.args = [v + shift if v > known else v for v in literal.args]
        if max(literal.args) > draft.settings.max_variables:
            break
        if literal.relation == draft.target:
            literal.orders = call_orders(draft, literal.args)
        bindings = _without_repeats(draft, literal, known)
        if bindings.values.shape[1] > draft.n_variables:
            draft.literals.append(literal)
            draft.accept(literal, bindings)
            draft.n_determinate += 1
            if literal.orders is not None:
                draft.own_orders.append(literal.orders)
    draft.weak += 1


def _without_repeats(draft: Draft, literal: Literal, known: int) -> Bindings:
    """Give the bindings with a literal, without new variables that equal one of its forerunners'."""
    bindings = draft.extended(literal)
    new = draft.n_variables + 1
    while new <= bindings.values.shape[1]:
        twin = next(
            (old for old in range(known + 1, draft.n_variables + 1) if same_on_positive(bindings, new, old)),
            None,
        )
        if twin is None:
            new += 1
            continue
        kept = without_differing(bindings, new, twin)
        bindings = Bindings(np.delete(kept.values, new - 1, axis=1), kept.origin, kept.n_positive)
        literal.args = [twin if v == new else v - 1 if v > new else v for v in literal.args]
    return bindings
