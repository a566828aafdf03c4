"""Naive Bayes on categories, for many training sets of the same cases."""

from __future__ import annotations

import numba
import numpy as np
from numpy.typing import NDArray

from fivefold.truth.fast.kernels.votes import UNSURE

# How many values an attribute has: those seen in the training set, as many as given, or up to the largest seen.
SEEN, GIVEN, LARGEST = 0, 1, 2
EPS = 2.3e-16
# A sum of logarithms has an error of at most EPS (terms)² (largest term); the learner's and ours, and a margin.
SAFETY = 8


@numba.njit(cache=True, nogil=True)
def classify(
    values: NDArray[np.int32],
    starts: NDArray[np.int64],
    codes: NDArray[np.int32],
    counts: NDArray[np.int64],
    asked: NDArray[np.bool_],
    sizing: int,
    least: NDArray[np.int64],
    added: NDArray[np.float64],
    spread: bool,
    class_added: float,
    flat_prior: bool,
    tie: float,
    n_classes: int,
) -> NDArray[np.int32]:
    """Give the most probable class; -2 where rounding could change it, or where the learner would refuse.

    `added` is what each attribute adds to the count of every value, or, with `spread`, to all of them together
    (-1: as much as it has values). Classes whose logarithms differ by less than `tie` are equal.
    """
    n_sets, n = counts.shape
    n_attributes = values.shape[0]
    n_cells = starts[n_attributes]
    table = np.zeros((n_cells, n_classes))
    before = np.zeros(n, dtype=np.int64)
    said = np.full((n_sets, n), UNSURE, dtype=np.int32)
    logs = np.empty((n_cells, n_classes))
    sizes = np.empty(n_attributes, dtype=np.int64)
    each = np.empty(n_attributes)
    known = np.empty((n_attributes, n_classes))
    for r in range(n_sets):
        for i in range(n):
            change = counts[r, i] - before[i]
            if change != 0:
                before[i] = counts[r, i]
                for a in range(n_attributes):
                    if values[a, i] >= 0:
                        table[starts[a] + values[a, i], codes[i]] += change
        totals = np.zeros(n_classes)
        for i in range(n):
            totals[codes[i]] += counts[r, i]
        largest = _describe(table, starts, sizing, least, added, spread, sizes, each, known, totals.sum())
        prior = _priors(totals, class_added, flat_prior)
        logs[:] = np.nan
        noise = SAFETY * EPS * (n_attributes + 4) ** 2 * largest
        for i in range(n):
            if asked[r, i]:
                said[r, i] = _classify_one(
                    i, values, starts, table, logs, sizes, each, known, totals, prior, sizing, tie, noise
                )
    return said


@numba.njit(cache=True, nogil=True)
def _describe(
    table: NDArray[np.float64],
    starts: NDArray[np.int64],
    sizing: int,
    least: NDArray[np.int64],
    added: NDArray[np.float64],
    spread: bool,
    sizes: NDArray[np.int64],
    each: NDArray[np.float64],
    known: NDArray[np.float64],
    n_train: float,
) -> float:
    """Find the number of values of each attribute and what each is given; return a bound of the logarithms."""
    largest = 1.0 + np.log(n_train + 1.0)
    for a in range(sizes.shape[0]):
        size = least[a]
        known[a, :] = 0.0
        for cell in range(starts[a], starts[a + 1]):
            here = table[cell].sum()
            known[a, :] += table[cell]
            if here > 0 and sizing == SEEN:
                size += 1
            elif here > 0 and sizing == LARGEST:
                size = max(size, cell - starts[a] + 1)
        sizes[a] = size
        each[a] = added[a]
        if spread:
            each[a] = 1.0 if added[a] < 0 else added[a] / max(size, 1)
        if each[a] > 0:
            largest = max(largest, np.abs(np.log(each[a] / (n_train + size * each[a]))))
    return float(largest)


@numba.njit(cache=True, nogil=True)
def _priors(totals: NDArray[np.float64], class_added: float, flat: bool) -> NDArray[np.float64]:
    present = (totals > 0).sum()
    prior = np.zeros(totals.shape[0])
    for c in range(totals.shape[0]):
        if totals[c] > 0:
            share = (totals[c] + class_added / present) / (totals.sum() + class_added)
            prior[c] = 1.0 / present if flat else share
    return prior


@numba.njit(cache=True, nogil=True)
def _classify_one(
    i: int,
    values: NDArray[np.int32],
    starts: NDArray[np.int64],
    table: NDArray[np.float64],
    logs: NDArray[np.float64],
    sizes: NDArray[np.int64],
    each: NDArray[np.float64],
    known: NDArray[np.float64],
    totals: NDArray[np.float64],
    prior: NDArray[np.float64],
    sizing: int,
    tie: float,
    noise: float,
) -> int:
    n_classes = totals.shape[0]
    joint = np.full(n_classes, -np.inf)
    for c in range(n_classes):
        if totals[c] > 0:
            joint[c] = np.log(prior[c])
    for a in range(values.shape[0]):
        v = values[a, i]
        if sizing == LARGEST and v >= sizes[a]:
            return UNSURE
        if v < 0 or (sizing == SEEN and table[starts[a] + v].sum() == 0):
            continue
        cell = starts[a] + v
        for c in range(n_classes):
            if totals[c] > 0:
                if np.isnan(logs[cell, c]):
                    total = known[a, c] + sizes[a] * each[a]
                    # a class without a known value and nothing added: all values are equally probable
                    share = (table[cell, c] + each[a]) / total if total > 0 else 1.0 / sizes[a]
                    logs[cell, c] = np.log(share) if share > 0 else -np.inf
                joint[c] += logs[cell, c]
    return _choose(joint, prior, tie, noise)


@numba.njit(cache=True, nogil=True)
def _choose(joint: NDArray[np.float64], prior: NDArray[np.float64], tie: float, noise: float) -> int:
    """Take the first class within `tie` of the most probable, if rounding cannot make it another."""
    best = int(np.argmax(joint))
    if joint[best] == -np.inf:
        return int(np.argmax(prior))
    chosen = best
    for c in range(joint.shape[0] - 1, -1, -1):
        gap = joint[best] - joint[c]
        if c != best and np.abs(gap - tie) <= noise:
            return UNSURE
        if gap <= tie:
            chosen = c
    return chosen
