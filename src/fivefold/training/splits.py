"""Training sets and the rows that are asked after each.

Folds, resamples, given pairs; made when they are needed.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import accumulate
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fivefold.errors import InputError, InputTypeError, show
from fivefold.training.labelled_table import Codes, Ints, LabelledTable


class TrainingSets(ABC):
    """A sequence of training sets of rows, each with the rows that are asked after it."""

    n_cases: int

    @abstractmethod
    def __len__(self) -> int:
        """Give the number of training sets."""

    @abstractmethod
    def train(self, place: int) -> Ints:
        """Give the rows of a training set in ascending order, each as often as it stands in it."""

    @abstractmethod
    def test(self, place: int) -> Ints:
        """Give the rows that are asked after it, in ascending order."""

    def counts(self, places: range) -> Ints:
        """Give how often each row stands in each of some training sets."""
        table = np.zeros((len(places), self.n_cases), dtype=np.int64)
        for row, place in enumerate(places):
            table[row] = np.bincount(self.train(place), minlength=self.n_cases)
        return table

    def asked(self, places: range) -> NDArray[np.bool_]:
        """Tell which rows are asked after each of some training sets."""
        table = np.zeros((len(places), self.n_cases), dtype=np.bool_)
        for row, place in enumerate(places):
            table[row, self.test(place)] = True
        return table


@dataclass(frozen=True, eq=False)
class Copies(TrainingSets):
    """Training sets given by how often each row stands in them; every row is asked.

    Parameters
    ----------
    copies : ndarray of int of shape (n_sets, n_cases)
        How often each row stands in each set.
    """

    copies: Ints

    def __post_init__(self) -> None:
        object.__setattr__(self, "n_cases", self.copies.shape[1])

    def __len__(self) -> int:
        return len(self.copies)

    def train(self, place: int) -> Ints:
        """Repeat each row."""
        return np.repeat(np.arange(self.n_cases), self.copies[place])

    def test(self, place: int) -> Ints:
        """Ask every row."""
        return np.arange(self.n_cases)


@dataclass(frozen=True, eq=False)
class OutOfBag(Copies):
    """The same, but only the rows are asked that do not stand in the training set."""

    def test(self, place: int) -> Ints:
        """Ask the rows that were not drawn."""
        return np.flatnonzero(self.copies[place] == 0)

    def without_duplicates(self) -> OutOfBag:
        """Give the same sets with every row once."""
        return OutOfBag((self.copies > 0).astype(np.int64))

    def with_test(self) -> OutOfBag:
        """Give only those sets that leave a row to be asked."""
        asked = self.copies[np.any(self.copies == 0, axis=1)]
        if not len(asked):
            raise InputError(
                "at least one resample that leaves out a case",
                f"{len(self)} that hold all {self.n_cases} cases",
                "ask for more resamples",
            )
        return OutOfBag(asked)


@dataclass(frozen=True, eq=False)
class LeftOut(TrainingSets):
    """Parts of the rows, each of which is left out and asked in its turn.

    Parameters
    ----------
    parts : ndarray of int of shape (n_cases,)
        The part in which each row lies.
    n_parts : int
        The number of parts.
    """

    parts: Ints
    n_parts: int

    def __post_init__(self) -> None:
        object.__setattr__(self, "n_cases", self.parts.shape[0])

    def __len__(self) -> int:
        return self.n_parts

    def train(self, place: int) -> Ints:
        """Take all other parts."""
        return np.flatnonzero(self.parts != place)

    def test(self, place: int) -> Ints:
        """Ask the part itself."""
        return np.flatnonzero(self.parts == place)


@dataclass(frozen=True, eq=False)
class Chain(TrainingSets):
    """Several sequences of training sets of the same rows, one after the other.

    Parameters
    ----------
    links : tuple of TrainingSets
        The sequences.
    """

    links: tuple[TrainingSets, ...]
    ends: list[int] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "n_cases", self.links[0].n_cases)
        object.__setattr__(self, "ends", list(accumulate(map(len, self.links))))

    def __len__(self) -> int:
        return self.ends[-1]

    def _find(self, place: int) -> tuple[TrainingSets, int]:
        which = bisect_right(self.ends, place)
        return self.links[which], place - (self.ends[which - 1] if which else 0)

    def train(self, place: int) -> Ints:
        """Look it up in its sequence."""
        link, own = self._find(place)
        return link.train(own)

    def test(self, place: int) -> Ints:
        """Look it up in its sequence."""
        link, own = self._find(place)
        return link.test(own)


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


def read_splits(splits: Any, cases: LabelledTable) -> GivenSplits:
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
