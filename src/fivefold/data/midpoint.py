"""Where to cut between two numbers."""

from __future__ import annotations

from fivefold.data.discretise import tidy


def midpoint(low: float, high: float) -> float:
    """Give a number c with low <= c < high: the middle, unless rounding makes it leave that range.

    Examples
    --------
    >>> midpoint(0.1, 0.2), midpoint(1.0, 1.0000000000000002)
    (0.15, 1.0)
    """
    middle = tidy(low / 2 + high / 2)
    # neighbouring floats have no number between them: then the lower one itself separates, by <=
    return middle if low <= middle < high else low
