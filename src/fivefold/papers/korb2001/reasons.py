"""Why cells differ, where that is known."""

from __future__ import annotations

_ROW_ORDER = ("BC", "HY", "MU", "SE")


def why(what: str, data: str, learner: str) -> str:
    """Give the reason for a difference; "" where it is not known."""
    if what == "Table 6" and (data, learner) == ("BC", "C4.5"):
        return "the sign is a misprint: with it no three variables have these correlations"
    if what == "miscalibration" and learner == "DStump" and data in _ROW_ORDER:
        return "cells are cut through equal probabilities, so the number hangs on the order of rows in their file"
    return ""
