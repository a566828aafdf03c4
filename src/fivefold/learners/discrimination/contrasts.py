"""Which features tell which classes apart."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fivefold.inputs.columns import Column
from fivefold.learners.counting._kernels import count_classes


@dataclass(frozen=True, eq=False)
class Ranges:
    """What a feature is like in each class.

    Parameters
    ----------
    feature : Column
        The feature, without its values.
    seen : ndarray of bool of shape (n_values, n_classes)
        Which values a nominal feature has in which class; empty for a numeric one.
    low, high : ndarray of float
        The least and the greatest number of a numeric feature in each class, NaN where none is known; empty for
        a nominal one.
    contrasts : ndarray of bool of shape (n_classes, n_classes)
        Which classes the feature tells apart.
    """

    feature: Column
    seen: NDArray[np.bool_]
    low: NDArray[np.float64]
    high: NDArray[np.float64]
    contrasts: NDArray[np.bool_]

    @property
    def mask(self) -> int:
        """The contrasted pairs as the bits of a whole number, in the order of `class_pairs`."""
        told = self.contrasts[np.triu_indices(len(self.contrasts), 1)]
        return int.from_bytes(np.packbits(told, bitorder="little").tobytes(), "little")


def class_pairs(n_classes: int) -> list[tuple[int, int]]:
    """Give all pairs of different classes in order."""
    return list(combinations(range(n_classes), 2))


def ranges_of(feature: Column, classes: NDArray[np.int32], n_classes: int, max_overlap: float) -> Ranges:
    """Look at the values of a feature in each class.

    A feature contrasts two classes if no more than `max_overlap` of their cases with a known value have one that
    may as well be of the other: a value that the other has too, or a number within the ranges of both.
    """
    if feature.categories is None:
        low, high = _ends(feature.values, classes, n_classes)
        seen = np.empty((0, n_classes), dtype=bool)
        doubtful = _in_both_ranges(feature.values, classes, low, high)
        known = np.bincount(classes[~feature.missing], minlength=n_classes)
    else:
        n_values, ones = len(feature.categories), np.ones(classes.size)
        counts: Any = count_classes(feature.values, classes, ones, n_values, n_classes)[:n_values]
        low = high = np.empty(0)
        seen = counts > 0
        doubtful = counts.T @ seen
        known = counts.sum(axis=0)
    both = known[:, np.newaxis] + known
    known_in_both = (known[:, np.newaxis] > 0) & (known > 0)
    told = known_in_both & ((doubtful + doubtful.T) / np.maximum(both, 1) <= max_overlap)
    np.fill_diagonal(told, val=False)
    return Ranges(feature.schema(), seen, low, high, told)


def _ends(
    values: NDArray[np.float64], classes: NDArray[np.int32], n_classes: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    ends = np.full((2, n_classes), np.nan)
    np.fmin.at(ends[0], classes, values)
    np.fmax.at(ends[1], classes, values)
    return ends[0], ends[1]


def _in_both_ranges(
    values: NDArray[np.float64],
    classes: NDArray[np.int32],
    low: NDArray[np.float64],
    high: NDArray[np.float64],
) -> NDArray[np.int64]:
    """Count for each class, in rows, its cases that lie within its range and that of another, in columns."""
    inside = np.zeros((low.size, low.size), dtype=np.int64)
    for c in range(low.size):
        own = np.sort(values[(classes == c) & ~np.isnan(values)])
        first = np.searchsorted(own, np.fmax(low, low[c]), side="left")
        last = np.searchsorted(own, np.fmin(high, high[c]), side="right")
        inside[c] = np.maximum(last - first, 0)
    return inside
