"""Random rectangles and boxes, each with a random class."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fivefold.borders.measure_classifier.kernels.painting import TILTED

Ints = NDArray[np.int32]

# Lengths of sides, where the data lie between 0 and 1: some for details, some for whole regions.
SCALES = (0.08, 0.2, 0.5, 1.2)
_MOST_BOUNDED = 3


def draw_rectangles(
    rng: np.random.Generator, number: int, side: int, step: float, n_classes: int, tilted: bool
) -> Ints:
    """Draw rectangles for a lattice of triangles: tilted or not, bounds, class.

    Parameters
    ----------
    rng : Generator
        Source of randomness.
    number : int
        How many.
    side : int
        Squares of the lattice in a row.
    step : float
        Width of a square.
    n_classes : int
        Number of classes.
    tilted : bool
        Whether half of them are turned by 45 degrees.
    """
    centres = rng.uniform(0, side, (number, 2))
    sides = rng.choice(SCALES, (number, 2)) * rng.random((number, 2)) / step
    turned = rng.random(number) < (0.5 if tilted else 0.0)
    classes = rng.integers(n_classes, size=number)
    # In x + y and x - y lengths grow by the root of 2.
    middle = np.where(turned[:, None], np.stack([centres.sum(1), centres[:, 0] - centres[:, 1]], 1), centres)
    half = np.where(turned[:, None], np.sqrt(2.0), 1.0) * sides / 2
    low, high = _bounds(middle, half)
    low, high = (np.where(turned[:, None], ends, np.clip(ends, 0, side)) for ends in (low, high))
    kinds = np.where(turned, TILTED, 0)
    columns = [kinds, low[:, 0], high[:, 0], low[:, 1], high[:, 1], classes]
    return np.stack(columns, axis=1).astype(np.int32)


def draw_boxes(
    rng: np.random.Generator, number: int, side: int, step: float, n_features: int, n_classes: int
) -> Ints:
    """Draw boxes: lower bounds, upper bounds, class.

    A box bounds at most three features, drawn at random, and leaves the others free: one that bounded many would
    hold no case.
    """
    shape = (number, n_features)
    sides = rng.choice(SCALES, shape) * rng.random(shape) / step
    low, high = _bounds(rng.uniform(0, side, shape), sides / 2)
    most = min(n_features, _MOST_BOUNDED)
    ranks = rng.random(shape).argsort(axis=1).argsort(axis=1)
    bounded = ranks < rng.integers(1, most + 1, size=(number, 1))
    low = np.where(bounded, np.clip(low, 0, side), 0)
    high = np.where(bounded, np.clip(high, 0, side), side)
    classes = rng.integers(n_classes, size=(number, 1))
    return np.concatenate([low, high, classes], axis=1).astype(np.int32)


def _bounds(
    middle: NDArray[np.float64], half: NDArray[np.float64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Round bounds to the lattice; every side is one step at least."""
    low = np.rint(middle - half).astype(np.int64)
    return low, np.maximum(np.rint(middle + half).astype(np.int64), low + 1)
