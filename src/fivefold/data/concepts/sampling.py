"""Cases of a concept: uniform within each class, by rejection of the attributes that matter."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fivefold.data.concepts.expansion import Conjunction

__all__ = ["draw", "holds"]

BLOCK = 1 << 16
LARGEST_TABLE = 12  # attributes


def holds(formula: tuple[Conjunction, ...], X: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Say for each case whether one of the conjunctions holds."""
    truth = np.zeros(X.shape[0], dtype=bool)
    for true, false in formula:
        truth |= X[:, _places(true)].all(axis=1) & ~X[:, _places(false)].any(axis=1)
    return truth


def draw(
    formula: tuple[Conjunction, ...], truth: NDArray[np.bool_], n_attributes: int, rng: np.random.Generator
) -> NDArray[np.bool_]:
    """Draw a case for each given truth, uniformly among all cases with that truth."""
    X = rng.integers(0, 2, size=(truth.size, n_attributes), dtype=np.uint8).astype(bool)
    relevant = 0
    for true, false in formula:
        relevant |= true | false
    places = _places(relevant)
    pick = _from_table if len(places) <= LARGEST_TABLE else _by_rejection
    for value in (False, True):
        rows = np.flatnonzero(truth == value)
        X[rows[:, np.newaxis], places] = pick(formula, places, value, rows.size, n_attributes, rng)
    return X


def _from_table(
    formula: tuple[Conjunction, ...],
    places: list[int],
    value: bool,
    n: int,
    n_attributes: int,
    rng: np.random.Generator,
) -> NDArray[np.bool_]:
    every = (np.arange(1 << len(places))[:, np.newaxis] >> np.arange(len(places))) & 1 == 1
    wanted = every[_holds_at(formula, places, every, n_attributes) == value]
    return np.asarray(wanted[rng.integers(wanted.shape[0], size=n)])


def _by_rejection(
    formula: tuple[Conjunction, ...],
    places: list[int],
    value: bool,
    n: int,
    n_attributes: int,
    rng: np.random.Generator,
) -> NDArray[np.bool_]:
    found = [np.empty((0, len(places)), dtype=bool)]
    while sum(map(len, found)) < n:
        tried = rng.integers(0, 2, size=(BLOCK, len(places)), dtype=np.uint8).astype(bool)
        found.append(tried[_holds_at(formula, places, tried, n_attributes) == value])
    return np.concatenate(found)[:n]


def _holds_at(
    formula: tuple[Conjunction, ...], places: list[int], values: NDArray[np.bool_], n_attributes: int
) -> NDArray[np.bool_]:
    cases = np.zeros((values.shape[0], n_attributes), dtype=bool)
    cases[:, places] = values
    return holds(formula, cases)


def _places(mask: int) -> list[int]:
    return [place for place in range(mask.bit_length()) if mask >> place & 1]
