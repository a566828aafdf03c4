"""How large a run of a paper is: the whole experiment, or a quick look at it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Settings:
    """What a run of a paper depends on besides the paper.

    Parameters
    ----------
    quick : bool
        Take fewer repetitions and the smaller data sets, to end within two minutes on two cores.
    seed : int
        From which everything random is derived.
    """

    quick: bool = False
    seed: int = 0
