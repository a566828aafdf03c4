"""Seeds that hang on names and not on order.

The same job draws the same numbers wherever and whenever it runs.
"""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np

from fivefold.study.job import canonical, encode


def derive_seed(*parts: Any) -> int:
    """Make a seed out of names and numbers: the first 32 bits of the SHA-256 of their canonical JSON.

    Parameters
    ----------
    *parts : values
        What the seed belongs to, such as the study's seed, a data set and the number of a split.

    Returns
    -------
    int
        From 0 to 2^32 - 1, which is what scikit-learn's ``random_state`` takes.

    Examples
    --------
    >>> derive_seed(1, "BC", 0) == derive_seed(1, "BC", 0)
    True
    >>> derive_seed(1, "BC", 0) == derive_seed(1, "BC", 1)
    False
    """
    return int.from_bytes(_hash(parts)[:4], "big")


def generator(*parts: Any) -> np.random.Generator:
    """Give numpy's generator for names and numbers; all 256 bits of their hash go into its seed.

    Examples
    --------
    >>> int(generator(1, "BC", 0).integers(10)) == int(generator(1, "BC", 0).integers(10))
    True
    """
    words = np.frombuffer(_hash(parts), dtype=">u4")
    return np.random.default_rng(np.random.SeedSequence(words.tolist()))


def _hash(parts: tuple[Any, ...]) -> bytes:
    return hashlib.sha256(canonical(encode(list(parts))).encode()).digest()


def seeded(estimator: Any, seed: int) -> Any:
    """Give a copy of an estimator in which every ``random_state`` that is None is a seed of its own.

    Parameters
    ----------
    estimator : scikit-learn estimator
        Is not changed.
    seed : int
        From which the seeds are derived, one for each parameter by its name.

    Examples
    --------
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> seeded(DecisionTreeClassifier(random_state=7), 1).random_state
    7
    >>> seeded(DecisionTreeClassifier(), 1).random_state == derive_seed(1, "random_state")
    True
    """
    from sklearn.base import clone

    copy = clone(estimator)
    free = [
        name
        for name, value in sorted(copy.get_params(deep=True).items())
        if (name == "random_state" or name.endswith("__random_state")) and value is None
    ]
    return copy.set_params(**{name: derive_seed(seed, name) for name in free})
