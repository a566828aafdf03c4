"""Literals of a clause in the making."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

NEGATED, PLAIN, DETERMINATE = range(3)


@dataclass(eq=False)
class Literal:
    """A literal of a clause in the making.

    Parameters
    ----------
    relation : int
        The place of its relation, or the number of a comparison.
    sign : int
        Negated, plain, or added because it is determinate.
    args : list of int
        Its variables, from 1 on.
    other : int
        The constant, or the bits of the number, that a comparison is with.
    bits : float32
        What it costs.
    weak : int
        How many weak literals in a row there are up to it.
    orders : ndarray of int, optional
        Of a recursive literal: how each argument of the head stands to that of the call.
    active : bool
        Whether it counts while a clause is simplified.
    """

    relation: int
    sign: int
    args: list[int]
    other: int = 0
    bits: np.float32 = field(default_factory=lambda: np.float32(0))
    weak: int = 0
    orders: NDArray[np.int8] | None = None
    active: bool = True
