"""Randomness enters only through ``random_state``."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np

from fivefold.errors import InputTypeError, show

RandomState: TypeAlias = int | np.random.Generator | np.random.RandomState | None


def as_generator(random_state: Any) -> np.random.Generator:
    """Turn a seed, a generator or scikit-learn's ``RandomState`` into a generator.

    Examples
    --------
    >>> as_generator(7).integers(10) == as_generator(7).integers(10)
    np.True_
    """
    if isinstance(random_state, np.random.Generator):
        return random_state
    if isinstance(random_state, np.random.RandomState):
        return np.random.default_rng(random_state.randint(0, 2**31 - 1, size=4))
    if random_state is None:
        return np.random.default_rng()
    whole = isinstance(random_state, (int, np.integer)) and not isinstance(random_state, bool)
    if whole and int(random_state) >= 0:
        return np.random.default_rng(int(random_state))
    raise InputTypeError(
        "random_state to be a seed (a whole number from 0), a numpy Generator or RandomState, or None",
        f"{show(random_state)} ({type(random_state).__name__})",
    )
