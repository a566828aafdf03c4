"""Options that must be one of a few words, yes or no, or a number within a range."""

from __future__ import annotations

import numbers
from collections.abc import Iterable
from typing import Any

import numpy as np

from fivefold.errors import InputError, InputTypeError, show


def one_of(value: object, allowed: Iterable[str], name: str) -> str:
    """Return ``value`` if it is one of the allowed words."""
    words = list(allowed)
    if isinstance(value, str) and value in words:
        return value
    raise InputError(f"{name} to be one of {', '.join(map(repr, words))}", show(value))


def yes_or_no(value: object, name: str) -> bool:
    """Return ``value`` if it is True or False; nothing else is taken for either."""
    if isinstance(value, (bool, np.bool_)):
        return bool(value)
    raise InputTypeError(f"{name} to be True or False", f"{show(value)} ({type(value).__name__})")


def positive_int(value: object, name: str, *, least: int = 1) -> int:
    """Return ``value`` as an int if it is a whole number that is large enough."""
    if isinstance(value, bool) or not isinstance(value, numbers.Integral):
        raise InputTypeError(f"{name} to be a whole number", f"{show(value)} ({type(value).__name__})")
    if value < least:
        raise InputError(f"{name} to be at least {least}", show(value))
    return int(value)


def fraction(value: object, name: str) -> float:
    """Return ``value`` as a float if it lies in [0, 1]."""
    if isinstance(value, bool) or not isinstance(value, numbers.Real):
        raise InputTypeError(f"{name} to be a number", f"{show(value)} ({type(value).__name__})")
    share: Any = value  # as it is: a whole number may be too large for a float
    if not 0 <= share <= 1:
        raise InputError(f"{name} to lie between 0 and 1", show(value))
    return float(value)
