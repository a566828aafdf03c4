"""What every description of a model's regions can say: the class of a point, how far, how large."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol, Self, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from fivefold.borders._kernels import nearest_segment
from fivefold.errors import InputError
from fivefold.results import brief

Floats = NDArray[np.float64]
Codes = NDArray[np.int32]


@dataclass(frozen=True)
class BorderSize:
    """The size of all borders in the window, and how it was found.

    Parameters
    ----------
    value : float
        Length in the plane, area in space, and so on; the number of border points on a line.
    method : str
        How it was found.
    error : float
        Zero if exact; the difference of two resolutions if found by refinement; the standard error if found by
        random lines.
    """

    value: float
    method: str
    error: float = 0.0

    def __str__(self) -> str:
        spread = f" ± {self.error:.2g}" if self.error else ""
        return f"{self.value:.3f}{spread} ({self.method})"


@dataclass(frozen=True, eq=False)
class Segments:
    """Borders in the plane.

    Parameters
    ----------
    ends : ndarray of shape (m, 2, 2)
        Both ends of each segment.
    sides : ndarray of int of shape (m, 2)
        The numbers of the classes on its two sides.
    """

    ends: Floats
    sides: Codes
    __repr__ = brief

    @property
    def lengths(self) -> Floats:
        """The length of each segment."""
        return np.asarray(np.hypot(*(self.ends[:, 1] - self.ends[:, 0]).T))


class Partition(Protocol):
    """Regions of classes in the window, in units of its scale."""

    @property
    def distance_method(self) -> str:
        """How distances are found: exact, to the adaptive grid's polyline, or upper bounds."""

    def answers(self, U: Floats) -> Codes:
        """Give the class of each point."""

    def size(self) -> BorderSize:
        """Give the size of all borders between different classes."""

    def distances(self, U: Floats, answers: Codes, wanted: Codes) -> Floats:
        """Give the distance to the nearest place of a wanted class.

        Wanted is a class, or -1 for any class but the answer. Infinite where there is no such place.
        """


@runtime_checkable
class Drawable(Protocol):
    """Regions of the plane whose borders are known as segments."""

    def segments(self) -> Segments:
        """Give the borders, if this is a plane."""


class PlanarPartition:
    """Regions of the plane, their borders as segments."""

    def __init__(self, borders: Segments, size: BorderSize, answers: Callable[[Floats], Codes]) -> None:
        self._borders = borders
        self._size = size
        self.answers = answers
        self.distance_method = size.method.partition(",")[0]

    @classmethod
    def exact(cls, borders: Segments, how: str, answers: Callable[[Floats], Codes]) -> Self:
        """Take segments that are all borders there are; `how` says how they were found."""
        return cls(borders, BorderSize(float(borders.lengths.sum()), f"exact, {how}"), answers)

    def size(self) -> BorderSize:
        """Give the length of all borders."""
        return self._size

    def segments(self) -> Segments:
        """Give the borders."""
        return self._borders

    def distances(self, U: Floats, answers: Codes, wanted: Codes) -> Floats:
        """Give the distance to the nearest segment that borders on the wanted class."""
        return nearest_segment(U, self._borders.ends, self._borders.sides, wanted)


def require_plane(n_columns: int) -> None:
    """Insist on two columns."""
    if n_columns != 2:
        raise InputError(
            "a model of two columns: borders are curves only in the plane",
            f"{n_columns} column{'s' if n_columns != 1 else ''}",
            "fit the model on two columns",
        )
