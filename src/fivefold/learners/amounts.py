"""Parameters of learners that are amounts: real numbers that are not too small."""

from __future__ import annotations

import math
import numbers

from fivefold.errors import InputError, InputTypeError, show


def amount(value: object, name: str, *, least: float = 0.0) -> float:
    """Return ``value`` as a float if it is a finite number that is large enough.

    Examples
    --------
    >>> amount(6, "small")
    6.0
    """
    if isinstance(value, bool) or not isinstance(value, numbers.Real):
        raise InputTypeError(f"{name} to be a number", f"{show(value)} ({type(value).__name__})")
    if not least <= float(value) < math.inf:
        raise InputError(f"{name} to be a finite number of at least {least:g}", show(value))
    return float(value)
