"""Engines: who proposes the slices. The miner is one; any object that proposes conjunctions is another."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from fivefold.data.conditions import Term
from fivefold.errors import InputTypeError, show
from fivefold.inputs.columns import Column
from fivefold.slices.stucco import Stucco


@runtime_checkable
class Engine(Protocol):
    """What an engine of one's own must do.

    It need not test anything: it sees one part of the cases, and what it proposes is tested on the other part,
    with Holm's correction for the number of proposals. So its findings are as honest as the miner's.
    """

    def propose(self, columns: Sequence[Column], agree: NDArray[np.bool_]) -> Iterable[Sequence[Term]]:
        """Propose conjunctions, each a sequence of terms from `fivefold.data.conditions`.

        Parameters
        ----------
        columns : sequence of Column
            The attributes of the cases, as `fivefold.inputs.columns.read_columns` gives them.
        agree : ndarray of bool
            Whether the answer agrees, for each case.
        """
        ...


def as_engine(engine: object, stucco: Stucco) -> Stucco | Engine:
    """Give an engine by its name, or as it is; `stucco` is the one that the other options describe."""
    if isinstance(engine, Stucco | Engine):
        return engine
    if engine == "stucco":
        return stucco
    if engine in ("c5", "discrimination"):
        from fivefold.slices.learner_engines import C5Engine, DiscriminationEngine

        return C5Engine() if engine == "c5" else DiscriminationEngine()
    raise InputTypeError(
        "engine to be 'stucco', 'c5', 'discrimination', a Stucco, or an object with propose(columns, agree)",
        f"{show(engine)} ({type(engine).__name__})",
    )
