"""A sentence with its evidence."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Finding:
    """Something that was found, said in plain English.

    Parameters
    ----------
    view : str
        Which view found it: "bits", "bets", or "views" for a disagreement between them.
    models : tuple of str
        The models it is about.
    sentence : str
        What was found.
    evidence : mapping
        The numbers behind the sentence.
    """

    view: str
    models: tuple[str, ...]
    sentence: str
    evidence: Mapping[str, Any]

    def __str__(self) -> str:
        return self.sentence
