"""Seeds that hang on names and not on order: the same work draws the same numbers wherever it runs."""

from __future__ import annotations

import hashlib
import json
import zlib
from typing import Any

import numpy as np

from fivefold.errors import InputTypeError, show


def derive_seed(*parts: Any) -> int:
    """Make a seed out of names and numbers: the first 32 bits of the SHA-256 of their canonical JSON.

    Parameters
    ----------
    *parts : text and numbers
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
    text = json.dumps(parts, sort_keys=True, separators=(",", ":"), allow_nan=False, default=_plain)
    return hashlib.sha256(text.encode()).digest()


def _plain(value: Any) -> Any:
    if isinstance(value, np.generic):
        return value.item()
    raise InputTypeError("a seed made of text and numbers", f"{show(value)} ({type(value).__name__})")


def stream(seed: int, purpose: str) -> np.random.Generator:
    """Give randomness that depends on the seed and the purpose alone, and not on what else is asked."""
    return np.random.default_rng([seed, zlib.crc32(purpose.encode())])


def draw_seeds(n: int, rng: np.random.Generator, below: int = 2**62) -> list[int]:
    """Draw a seed for each piece of work, so that neither their order nor their number at a time matters."""
    return [int(seed) for seed in rng.integers(0, below, size=n)]


def refuse_class(given: Any, expected: str) -> None:
    """Complain about a class where an object of it is needed."""
    if isinstance(given, type):
        raise InputTypeError(expected, f"the class {given.__name__}", f"write {given.__name__}()")


def unset_seeds(estimator: Any) -> list[str]:
    """Name the parameters of an estimator and its parts that leave a seed open: their own, or a splitter's."""
    params = estimator.get_params(deep=True) if hasattr(estimator, "get_params") else {}
    return sorted(
        name
        for name, value in params.items()
        if shuffles_anew(value) or (value is None and f"__{name}".endswith("__random_state"))
    )


def shuffles_anew(splitter: Any) -> bool:
    """Say whether something is a splitter that deals the rows in another way each time."""
    of_splits = hasattr(splitter, "split") and getattr(splitter, "shuffle", True)
    return bool(of_splits) and getattr(splitter, "random_state", 0) is None


def seeded(estimator: Any, seed: int | None, *, by_name: bool = True) -> Any:
    """Give a copy of an estimator in which no ``random_state`` is None, nor that of a splitter which shuffles.

    Parameters
    ----------
    estimator : scikit-learn estimator
        Is not changed.
    seed : int or None
        From which the seeds are derived; with None the copy is left as it is.
    by_name : bool
        Whether each parameter gets a seed of its own, derived from its name; else all get the same.

    Examples
    --------
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> seeded(DecisionTreeClassifier(random_state=7), 1).random_state
    7
    >>> seeded(DecisionTreeClassifier(), 1).random_state == derive_seed(1, "random_state")
    True
    """
    refuse_class(estimator, "an estimator")
    from sklearn.base import clone

    copy = clone(estimator, safe=False)
    for name in unset_seeds(copy) if seed is not None else ():
        own, given = derive_seed(seed, name) if by_name else seed, copy.get_params(deep=True)[name]
        if given is None:
            copy.set_params(**{name: own})
        else:
            given.random_state = own
    return copy
