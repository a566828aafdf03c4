"""How the arguments of recursive calls stand to those of the head, and whether the calls come to an end."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from fivefold.learners.foil.relational.kernels.extending import MIXED, MORE, SAME
from fivefold.learners.foil.relational.kernels.recursing import recursion_ends

if TYPE_CHECKING:
    from fivefold.learners.foil.relational.draft import Draft


Orders = NDArray[np.int8]


def call_orders(draft: Draft, args: Sequence[int]) -> Orders:
    """Give how each argument of the head stands to that of a call."""
    known = draft.n_variables
    return np.array(
        [draft.partial.get((i, v), MIXED) if v <= known else MIXED for i, v in enumerate(args, 1)],
        dtype=np.int8,
    )


def ways_of(draft: Draft) -> Orders:
    """Say which way calls must go along each argument: down where an order is given or denied, else either."""
    types = [draft.world.task.types[t] for t in draft.head_types]
    either = [kind.order == "discover" and not kind.continuous for kind in types]
    return np.where(either, SAME, MORE).astype(np.int8)


def in_order(draft: Draft, calls: Sequence[Orders]) -> bool:
    """Tell whether calls, none or more of them, come to an end together."""
    orders = np.array(calls, dtype=np.int8).reshape(-1, draft.arity)
    return bool(recursion_ends(orders, ways_of(draft), np.array(draft.head_types)))
