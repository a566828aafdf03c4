"""Kernels of fast refits: votes of neighbours, naive Bayes on categories and on numbers."""

from __future__ import annotations

import numba
import numpy as np
from numpy.typing import NDArray

UNSURE = -2


@numba.njit(cache=True, nogil=True)
def vote(
    order: NDArray[np.int32],
    distances: NDArray[np.float64],
    slack: float,
    codes: NDArray[np.int32],
    counts: NDArray[np.int64],
    asked: NDArray[np.bool_],
    k: int,
    n_classes: int,
) -> NDArray[np.int32]:
    """Let the k nearest cases of each training set vote; -2 where rounding or ties could change the vote."""
    n_sets, n = counts.shape
    said = np.full((n_sets, n), UNSURE, dtype=np.int32)
    for r in range(n_sets):
        for i in range(n):
            if asked[r, i]:
                said[r, i] = _vote_one(order[i], distances[i], slack, codes, counts[r], k, n_classes)
    return said


@numba.njit(cache=True, nogil=True)
def _vote_one(
    order: NDArray[np.int32],
    distances: NDArray[np.float64],
    slack: float,
    codes: NDArray[np.int32],
    counts: NDArray[np.int64],
    k: int,
    n_classes: int,
) -> int:
    # find the distance at which the k-th copy stands
    seen = 0
    edge = -1.0
    for t in range(order.shape[0]):
        seen += counts[order[t]]
        if seen >= k:
            edge = distances[t]
            break
    if edge < 0.0:
        return UNSURE
    votes = np.zeros(n_classes, dtype=np.int64)
    inside = 0
    only = -1
    for t in range(order.shape[0]):
        j = order[t]
        if distances[t] > edge + slack:
            break
        if counts[j] == 0:
            continue
        if distances[t] < edge - slack:
            votes[codes[j]] += counts[j]
            inside += counts[j]
        elif only == -1 or only == codes[j]:
            only = codes[j]
        else:
            return UNSURE
    votes[only] += k - inside
    return int(np.argmax(votes))


# How many values an attribute has: those seen in the training set, as many as given, or up to the largest seen.
SEEN, GIVEN, LARGEST = 0, 1, 2
EPS_CATEGORIES = 2.3e-16
# A sum of logarithms has an error of at most EPS (terms)² (largest term); the learner's and ours, and a margin.
SAFETY = 8


@numba.njit(cache=True, nogil=True)
def classify_categories(
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
        noise = SAFETY * EPS_CATEGORIES * (n_attributes + 4) ** 2 * largest
        for i in range(n):
            if asked[r, i]:
                said[r, i] = _classify_categories(
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
def _classify_categories(
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


EPS = 2.3e-16


@numba.njit(cache=True, nogil=True)
def classify_numbers(
    X: NDArray[np.float64],
    codes: NDArray[np.int32],
    counts: NDArray[np.int64],
    asked: NDArray[np.bool_],
    smoothing: float,
    n_classes: int,
) -> NDArray[np.int32]:
    """Give the most probable class; -2 where rounding could change it."""
    n_sets, n = counts.shape
    said = np.full((n_sets, n), UNSURE, dtype=np.int32)
    big = np.abs(X).max()
    for r in range(n_sets):
        totals, means, variances = _moments(X, codes, counts[r], smoothing, n_classes)
        for i in range(n):
            if asked[r, i]:
                said[r, i] = _classify_numbers(X[i], totals, means, variances, big)
    return said


@numba.njit(cache=True, nogil=True)
def _moments(
    X: NDArray[np.float64],
    codes: NDArray[np.int32],
    counts: NDArray[np.int64],
    smoothing: float,
    n_classes: int,
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Find size, means and variances of each class; the row after the last is for all cases together."""
    d = X.shape[1]
    totals = np.zeros(n_classes + 1)
    means = np.zeros((n_classes + 1, d))
    variances = np.zeros((n_classes + 1, d))
    for i in range(X.shape[0]):
        totals[codes[i]] += counts[i]
        means[codes[i]] += counts[i] * X[i]
        totals[n_classes] += counts[i]
        means[n_classes] += counts[i] * X[i]
    for c in range(n_classes + 1):
        means[c] /= max(totals[c], 1.0)
    for i in range(X.shape[0]):
        variances[codes[i]] += counts[i] * (X[i] - means[codes[i]]) ** 2
        variances[n_classes] += counts[i] * (X[i] - means[n_classes]) ** 2
    for c in range(n_classes + 1):
        variances[c] /= max(totals[c], 1.0)
    variances += smoothing * variances[n_classes].max()
    return totals, means, variances


@numba.njit(cache=True, nogil=True)
def _classify_numbers(
    x: NDArray[np.float64],
    totals: NDArray[np.float64],
    means: NDArray[np.float64],
    variances: NDArray[np.float64],
    big: float,
) -> int:
    n_classes = totals.shape[0] - 1
    n = totals[n_classes]
    joint = np.full(n_classes, -np.inf)
    noise = np.zeros(n_classes)
    for c in range(n_classes):
        if totals[c] == 0:
            continue
        joint[c] = np.log(totals[c] / n)
        for a in range(x.shape[0]):
            v = variances[c, a]
            if not v > 0:
                return UNSURE
            gap = x[a] - means[c, a]
            joint[c] -= 0.5 * (np.log(2 * np.pi * v) + gap * gap / v)
            # errors of the sums relative to v, and of the mean relative to the spread
            inside = (n + x.shape[0]) * EPS
            noise[c] += 8 * inside * (1 + np.abs(np.log(v)) + gap * gap / v)
            noise[c] += 8 * inside * np.abs(gap) * big / v + (inside * big) ** 2 / v * (1 + gap * gap / v)
    best = int(np.argmax(joint))
    for c in range(n_classes):
        if c != best and totals[c] > 0 and not joint[best] - joint[c] > noise[best] + noise[c]:
            return UNSURE
    return best
