"""The message that a tree or graph makes, by what its bits are spent on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from fivefold.results.metric import Direction
from fivefold.results.result import Result

_PARTS = ("structure", "attributes", "cuts", "leaves", "ends", "joins", "alpha")


@dataclass(frozen=True)
class MessageLength(Result):
    """The bits of a tree or graph together with the classes of its training cases.

    Parameters
    ----------
    structure : float
        Where there are tests.
    attributes : float
        Which attributes they test.
    cuts : float
        Where numeric ones are cut.
    leaves : float
        The classes of the cases.
    ends : float
        Which ends are leaves and which are joins; only in graphs.
    joins : float
        Which of them meet in which join; only in graphs.
    alpha : float
        Which alpha was taken, if it was chosen by the length of the message.
    """

    title: ClassVar[str] = "Message length of the model and its training cases"
    unit: ClassVar[str] = "bits"
    direction: ClassVar[Direction] = "lower is better"

    structure: float
    attributes: float
    cuts: float
    leaves: float
    ends: float = 0.0
    joins: float = 0.0
    alpha: float = 0.0

    @property
    def total(self) -> float:
        """All bits together."""
        return float(sum(getattr(self, part) for part in _PARTS))

    @property
    def model(self) -> float:
        """The bits of the model alone, without the classes of the cases."""
        return self.total - self.leaves

    def columns(self) -> Mapping[str, Any]:
        """Give the parts, one a row."""
        return {"part": list(_PARTS), "bits": [getattr(self, part) for part in _PARTS]}

    def __str__(self) -> str:
        spent = ", ".join(f"{part} {getattr(self, part):.1f}" for part in _PARTS if getattr(self, part))
        return f"{self.total:.1f} bits: {spent}"
