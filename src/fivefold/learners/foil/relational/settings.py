"""The limits of a relational search."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from fivefold.errors import InputError, show
from fivefold.inputs.options import fraction, one_of, positive_int
from fivefold.learners.foil.options import search_options
from fivefold.learners.foil.relational.kernels.joining import ABOVE, ABOVE_NUMBER
from fivefold.learners.foil.structures import Options


@dataclass(frozen=True)
class Settings:
    """What a relational search may do.

    Parameters
    ----------
    options : Options
        What it shares with the search on tables.
    negation : {"all", "comparisons", "none"}
        Which literals may be negated; ``V <= x`` always is there beside ``V > x``.
    determinate : float32
        Determinate literals are taken unless a literal has this share of the greatest possible gain.
    max_depth, max_variables, max_tuples : int
        The greatest depth of a variable, the most variables, and the most bindings.
    """

    options: Options
    negation: str
    determinate: np.float32
    max_depth: int
    max_variables: int
    max_tuples: int

    def __post_init__(self) -> None:
        one_of(self.negation, ("all", "comparisons", "none"), "negation")

    def negatable(self, relation: int) -> bool:
        """Tell whether a literal on a relation may be negated."""
        if self.negation == "all" or relation in (ABOVE, ABOVE_NUMBER):
            return True
        return self.negation == "comparisons" and relation < 0

    def costs_a_sign(self, relation: int) -> bool:
        """Tell whether a literal on a relation pays a bit for its sign."""
        return self.negation == "all" or relation < 0


def settings_of(chosen: Mapping[str, Any], sample: float, arity: int) -> Settings:
    """Check what a user has chosen for a target of so many arguments, of whose negatives a share is taken."""
    if sample <= 0:
        raise InputError("sample to be above 0 and at most 1", show(sample))
    options = search_options(chosen["info"], True, chosen["pruning"], chosen["min_accuracy"])
    least, share = options.min_accuracy, np.float32(sample)
    if sample < 0.99:
        least = np.float32(least / np.float32(least + share * np.float32(np.float32(1) - least)))
    negation = chosen["negation"]
    if isinstance(negation, bool):
        negation = "all" if negation else "none"
    return Settings(
        options._replace(
            min_accuracy=least,
            sample=share,
            fraction=np.float32(fraction(chosen["min_alternative"], "min_alternative")),
            weak=positive_int(chosen["max_weak"], "max_weak", least=0),
            alternatives=positive_int(chosen["alternatives"], "alternatives", least=0),
            checkpoints=positive_int(chosen["checkpoints"], "checkpoints", least=0),
        ),
        str(negation),
        np.float32(fraction(chosen["determinate"], "determinate")),
        positive_int(chosen["max_depth"], "max_depth", least=0),
        max(positive_int(chosen["max_variables"], "max_variables"), arity),
        positive_int(chosen["max_tuples"], "max_tuples"),
    )
