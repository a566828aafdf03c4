"""What was found: a sentence with its evidence, or the reason why there is none."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import IntEnum
from typing import Any


class Importance(IntEnum):
    """How soon a reader must hear of it; what is more important is lower."""

    DISAGREEMENT = 0
    ALARM = 1
    VERDICT = 2
    DETAIL = 3


@dataclass(frozen=True)
class Finding:
    """Something that was found, said in plain English.

    Parameters
    ----------
    view : str
        Which view found it: "bits", "bets", "truth", "slices", "borders", or "views" for a disagreement between
        them.
    models : tuple of str
        The models it is about.
    sentence : str
        What was found.
    evidence : mapping
        The numbers behind the sentence.
    importance : Importance
        How soon it must be heard.
    """

    view: str
    models: tuple[str, ...]
    sentence: str
    evidence: Mapping[str, Any]
    importance: Importance = Importance.VERDICT

    def __str__(self) -> str:
        return self.sentence


ANSWERS_ONLY = "only answers are known, not the model itself"
CAME_FITTED = "a model that comes fitted does not tell on which cases it was trained"
NOT_ASKED = "it was not asked for"
