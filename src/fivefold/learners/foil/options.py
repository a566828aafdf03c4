"""The options of FOIL: checked, and as the kernels take them."""

from __future__ import annotations

import numpy as np

from fivefold.errors import InputTypeError, show
from fivefold.inputs.options import fraction, one_of
from fivefold.learners.foil.structures import Options

# The program's defaults; its manual says 5 alternatives and 4 weak literals, its code has 4 and 3.
ALTERNATIVES = 4
CHECKPOINTS = 20
WEAK = 3
ALTERNATIVE_FRACTION = 0.8


def yes_or_no(value: object, name: str) -> bool:
    """Return ``value`` if it is True or False."""
    if isinstance(value, bool | np.bool_):
        return bool(value)
    raise InputTypeError(f"{name} to be True or False", f"{show(value)} ({type(value).__name__})")


def search_options(info: object, negation: object, pruning: object, min_accuracy: object) -> Options:
    """Check what a user may choose and write it as the kernels take it."""
    return Options(
        added=int(one_of(info, ("foil6", "paper"), "info") == "foil6"),
        negation=yes_or_no(negation, "negation"),
        pruning=yes_or_no(pruning, "pruning"),
        min_accuracy=np.float32(fraction(min_accuracy, "min_accuracy")),
        fraction=np.float32(ALTERNATIVE_FRACTION),
        weak=WEAK,
        alternatives=ALTERNATIVES,
        checkpoints=CHECKPOINTS,
        sample=np.float32(1.0),
    )
