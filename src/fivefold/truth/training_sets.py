"""Training sets and what is asked after each.

Made when they are needed, since n sets of n cases fill a memory.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from bisect import bisect_right
from dataclasses import dataclass, field
from itertools import accumulate

import numpy as np
from numpy.typing import NDArray

from fivefold.errors import InputError
from fivefold.truth.cases import Ints


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
