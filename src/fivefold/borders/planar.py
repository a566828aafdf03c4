"""Regions of the plane that are known by the segments between them."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from fivefold.borders.kernels.nearest import nearest_segment
from fivefold.borders.partition import BorderSize, Segments

Floats = NDArray[np.float64]
Codes = NDArray[np.int32]


class PlanarPartition:
    """Regions of the plane, their borders as segments.

    Parameters
    ----------
    borders : Segments
        All borders inside the window.
    size : BorderSize
        Their total length.
    answers : callable
        The class of each point.
    """

    def __init__(self, borders: Segments, size: BorderSize, answers: Callable[[Floats], Codes]) -> None:
        self._borders = borders
        self._size = size
        self._answers = answers
        self.distance_method = size.method.partition(",")[0]

    def answers(self, U: Floats) -> Codes:
        """Give the class of each point."""
        return self._answers(U)

    def size(self) -> BorderSize:
        """Give the length of all borders."""
        return self._size

    def segments(self) -> Segments:
        """Give the borders."""
        return self._borders

    def distances(self, U: Floats, answers: Codes, wanted: Codes) -> Floats:
        """Give the distance to the nearest segment that borders on the wanted class."""
        return nearest_segment(U, self._borders.ends, self._borders.sides, wanted)
