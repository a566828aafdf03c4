"""Who is left out when: random parts of the cases, with or without regard to their classes."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fivefold.errors import InputError, InputTypeError, show
from fivefold.truth.cases import Cases, Codes, Ints
from fivefold.truth.training_sets import TrainingSets


def deal(n_cases: int, n_parts: int, rng: np.random.Generator, codes: Codes | None = None) -> Ints:
    """Deal the cases into parts whose sizes differ by one at most.

    With `codes`, the cases are dealt class by class, so that the cases of a class are spread as evenly, too.
    """
    order = shuffle(n_cases, rng, codes)
    parts = np.empty(n_cases, dtype=np.int64)
    parts[order] = np.arange(n_cases) % n_parts
    return parts


def draw(n_cases: int, n_drawn: int, rng: np.random.Generator, codes: Codes | None = None) -> Ints:
    """Draw some cases; with `codes`, as many of each class as is due, up to rounding."""
    order = shuffle(n_cases, rng, codes)
    if codes is None:
        return np.sort(order[:n_drawn])
    # every (n / drawn)-th case of the classes laid out in a row, from a random start
    places = np.floor((np.arange(n_drawn) + rng.random()) * n_cases / n_drawn).astype(np.int64)
    return np.sort(order[places])


def shuffle(n_cases: int, rng: np.random.Generator, codes: Codes | None) -> Ints:
    """Shuffle the cases; with `codes`, within the classes, which are laid out one after the other."""
    order = rng.permutation(n_cases)
    return order if codes is None else order[np.argsort(codes[order], kind="stable")]


@dataclass(frozen=True, eq=False)
class GivenSplits(TrainingSets):
    """Training and test rows as the caller gave them.

    Parameters
    ----------
    n_cases : int
        The number of rows of the table.
    pairs : tuple of (ndarray, ndarray)
        The rows to learn from and the rows to ask.
    """

    n_cases: int
    pairs: tuple[tuple[Ints, Ints], ...]

    def __len__(self) -> int:
        return len(self.pairs)

    def train(self, place: int) -> Ints:
        """Give the first of a pair."""
        return self.pairs[place][0]

    def test(self, place: int) -> Ints:
        """Give the second of a pair."""
        return self.pairs[place][1]


def read_splits(splits: Any, cases: Cases) -> GivenSplits:
    """Read a splitter of scikit-learn, or pairs of training and test rows."""
    if hasattr(splits, "split"):
        splits = splits.split(np.zeros((len(cases), 1)), cases.classes[cases.codes])
    if not isinstance(splits, Iterable) or isinstance(splits, str):
        raise InputTypeError(
            "splits to be a splitter or pairs of training and test rows",
            f"{show(splits)} ({type(splits).__name__})",
        )
    pairs = tuple(_read_pair(pair, place, len(cases)) for place, pair in enumerate(splits))
    if not pairs:
        raise InputError("splits to hold at least one pair of training and test rows", "none")
    return GivenSplits(len(cases), pairs)


def _read_pair(pair: Any, place: int, n_cases: int) -> tuple[Ints, Ints]:
    try:
        train, test = (_rows(rows, n_cases) for rows in pair)
    except (TypeError, ValueError, IndexError):
        raise InputError(
            f"splits to be pairs of training and test rows from 0 to {n_cases - 1}",
            f"{show(pair)} in place {place}",
        ) from None
    both = np.intersect1d(train, test)
    if both.size or not test.size or not train.size:
        what = f"row {both[0]} in both" if both.size else "no row in one of them"
        raise InputError(
            "training and test rows that are apart, and some of each", f"{what}, in split {place}"
        )
    return train, np.unique(test)


def _rows(rows: Any, n_cases: int) -> Ints:
    given: NDArray[Any] = np.asarray(rows)
    if given.dtype.kind == "b":
        given = np.flatnonzero(given)
    found: Ints = np.sort(np.arange(n_cases)[given])
    return found
