"""Kernels of fast refits: votes of neighbours, naive Bayes on categories and on numbers."""

from __future__ import annotations

from typing import Literal

import cython
import numpy as np
from numpy.typing import NDArray

if not cython.compiled:
    from math import fabs, log

UNSURE = -2
INFINITY, NAN, TWO_PI = np.inf, np.nan, 2 * np.pi


class Neighbours:
    """All cases in order of their distance from each, and how many of the nearest vote."""

    def __init__(
        self, order: NDArray[np.int32], distances: NDArray[np.float64], slack: float, codes: NDArray[np.int32],
        k: int, n_classes: int,
    ) -> None:  # fmt: skip
        self.order, self.distances, self.slack, self.codes, self.k = order, distances, slack, codes, k
        self.votes = np.empty(n_classes, dtype=np.int64)


def vote(near: Neighbours, counts: NDArray[np.int64], asked: NDArray[np.bool_]) -> NDArray[np.int32]:
    """Let the k nearest cases of each training set vote; -2 where rounding or ties could change the vote."""
    answers = np.full((counts.shape[0], counts.shape[1]), UNSURE, dtype=np.int32)
    view = answers
    with cython.nogil:
        for r in range(counts.shape[0]):
            for i in range(counts.shape[1]):
                if asked[r, i]:
                    view[r, i] = _vote(near, counts, r, i)
    return answers


def _vote(near: Neighbours, counts: NDArray[np.int64], r: int, i: int) -> int:
    edge = _edge(near, counts, r, i)
    if edge < 0.0:
        return UNSURE
    for c in range(near.votes.shape[0]):
        near.votes[c] = 0
    inside, only = 0, -1
    for t in range(near.order.shape[1]):
        if near.distances[i, t] > edge + near.slack:
            break
        j = near.order[i, t]
        if counts[r, j] == 0:
            continue
        if near.distances[i, t] < edge - near.slack:
            near.votes[near.codes[j]] += counts[r, j]
            inside += counts[r, j]
        elif only == -1 or only == near.codes[j]:
            only = near.codes[j]
        else:
            return UNSURE
    near.votes[only] += near.k - inside
    best = 0
    for c in range(1, near.votes.shape[0]):
        if near.votes[c] > near.votes[best]:
            best = c
    return best


def _edge(near: Neighbours, counts: NDArray[np.int64], r: int, i: int) -> float:
    """Find the distance at which the k-th copy stands; -1 if there are not so many."""
    seen = 0
    for t in range(near.order.shape[1]):
        seen += counts[r, near.order[i, t]]
        if seen >= near.k:
            return float(near.distances[i, t])
    return -1.0


# How many values an attribute has: those seen in the training set, as many as given, or up to the largest seen.
Sizing = Literal["seen", "given", "largest"]
SEEN, LARGEST = 0, 2
EPS = 2.3e-16
# A sum of logarithms has an error of at most EPS (terms)² (largest term); the learner's and ours, and a margin.
SAFETY = 8


class Categories:
    """Naive Bayes on categories: all cases, how it learns, and what it has learnt from one training set.

    `added` is what is added to the count of every value of an attribute, or, with `spread`, to all of them
    together (-1: as much as it has values). Classes whose logarithms differ by less than `tie` are equal.

    `before` is the training set, `table` its cases of each value and class, `known` those of each attribute
    and class. `logs` are looked up again and again: NaN where not yet reckoned.
    """

    def __init__(
        self, values: NDArray[np.int32], starts: NDArray[np.int64], codes: NDArray[np.int32], n_classes: int,
        sizing: Sizing, least: int, added: float, spread: bool,
        class_added: float, flat_prior: bool, tie: float,
    ) -> None:  # fmt: skip
        self.values, self.starts, self.codes = values, starts, codes
        self.sizing = ("seen", "given", "largest").index(sizing)
        self.least, self.added, self.spread = least, added, spread
        self.class_added, self.flat_prior, self.tie = class_added, flat_prior, tie
        n_attributes, n_cases = values.shape
        self.before = np.zeros(n_cases, dtype=np.int64)
        self.table, self.logs = np.zeros((2, starts[n_attributes], n_classes))
        self.sizes, self.each = np.empty(n_attributes, dtype=np.int64), np.empty(n_attributes)
        self.known = np.empty((n_attributes, n_classes))
        self.totals, self.prior, self.joint = np.empty((3, n_classes))


def classify_categories(
    bayes: Categories, counts: NDArray[np.int64], asked: NDArray[np.bool_]
) -> NDArray[np.int32]:
    """Give the most probable class; -2 where rounding could change it, or where the learner would refuse."""
    answers = np.full((counts.shape[0], counts.shape[1]), UNSURE, dtype=np.int32)
    view, terms = answers, bayes.values.shape[0] + 4
    with cython.nogil:
        for r in range(counts.shape[0]):
            _count(bayes, counts, r)
            noise = SAFETY * EPS * (terms * terms) * _describe(bayes)
            _set_priors(bayes)
            for i in range(counts.shape[1]):
                if asked[r, i]:
                    view[r, i] = _classify_categories(bayes, i, noise)
    return answers


def _count(bayes: Categories, counts: NDArray[np.int64], r: int) -> None:
    """Take the next training set; most of its cases are those of the one before."""
    for c in range(bayes.totals.shape[0]):
        bayes.totals[c] = 0.0
    for i in range(counts.shape[1]):
        bayes.totals[bayes.codes[i]] += counts[r, i]
        change = counts[r, i] - bayes.before[i]
        if change != 0:
            bayes.before[i] = counts[r, i]
            for a in range(bayes.values.shape[0]):
                if bayes.values[a, i] >= 0:
                    bayes.table[bayes.starts[a] + bayes.values[a, i], bayes.codes[i]] += change
    for cell in range(bayes.logs.shape[0]):
        for c in range(bayes.logs.shape[1]):
            bayes.logs[cell, c] = NAN


def _describe(bayes: Categories) -> float:
    """Find the number of values of each attribute and what each is given; return a bound of the logarithms."""
    n_train = _sum(bayes.totals)
    largest = 1.0 + log(n_train + 1.0)
    for a in range(bayes.sizes.shape[0]):
        size = _count_known(bayes, a)
        amount = bayes.added
        if bayes.spread:
            amount = 1.0 if amount < 0 else amount / max(size, 1)
        if amount > 0:
            largest = max(largest, fabs(log(amount / (n_train + size * amount))))
        bayes.sizes[a], bayes.each[a] = size, amount
    return largest


def _count_known(bayes: Categories, a: int) -> int:
    """Count the cases of each class that have a value of an attribute; give the number of its values."""
    size: int = bayes.least
    for c in range(bayes.known.shape[1]):
        bayes.known[a, c] = 0.0
    for cell in range(bayes.starts[a], bayes.starts[a + 1]):
        here = _cell_sum(bayes, cell)
        for c in range(bayes.known.shape[1]):
            bayes.known[a, c] += bayes.table[cell, c]
        if here > 0 and bayes.sizing == SEEN:
            size += 1
        elif here > 0 and bayes.sizing == LARGEST:
            size = max(size, cell - bayes.starts[a] + 1)
    return size


def _cell_sum(bayes: Categories, cell: int) -> float:
    total = 0.0
    for c in range(bayes.table.shape[1]):
        total += bayes.table[cell, c]
    return total


def _sum(numbers: NDArray[np.float64]) -> float:
    total = 0.0
    for place in range(numbers.shape[0]):
        total += numbers[place]
    return total


def _set_priors(bayes: Categories) -> None:
    present, n_train = 0, _sum(bayes.totals)
    for c in range(bayes.totals.shape[0]):
        present += bayes.totals[c] > 0
    for c in range(bayes.totals.shape[0]):
        bayes.prior[c] = 0.0
        if bayes.totals[c] > 0:
            share = (bayes.totals[c] + bayes.class_added / present) / (n_train + bayes.class_added)
            bayes.prior[c] = 1.0 / present if bayes.flat_prior else share


def _classify_categories(bayes: Categories, i: int, noise: float) -> int:
    n_classes = bayes.totals.shape[0]
    for c in range(n_classes):
        bayes.joint[c] = log(bayes.prior[c]) if bayes.totals[c] > 0 else -INFINITY
    for a in range(bayes.values.shape[0]):
        v = bayes.values[a, i]
        if bayes.sizing == LARGEST and v >= bayes.sizes[a]:
            return UNSURE
        cell = bayes.starts[a] + v
        if v < 0 or (bayes.sizing == SEEN and _cell_sum(bayes, cell) == 0):
            continue
        for c in range(n_classes):
            if bayes.totals[c] > 0:
                if bayes.logs[cell, c] != bayes.logs[cell, c]:
                    bayes.logs[cell, c] = _log_share(bayes, a, cell, c)
                bayes.joint[c] += bayes.logs[cell, c]
    return _choose(bayes, noise)


def _log_share(bayes: Categories, a: int, cell: int, c: int) -> float:
    total = bayes.known[a, c] + bayes.sizes[a] * bayes.each[a]
    # a class without a known value and nothing added: all values are equally probable
    share = (bayes.table[cell, c] + bayes.each[a]) / total if total > 0 else 1.0 / bayes.sizes[a]
    return log(share) if share > 0 else -INFINITY


def _choose(bayes: Categories, noise: float) -> int:
    """Take the first class within `tie` of the most probable, if rounding cannot make it another."""
    best = _first_greatest(bayes.joint)
    if bayes.joint[best] == -INFINITY:
        return _first_greatest(bayes.prior)
    chosen = best
    for c in range(bayes.joint.shape[0] - 1, -1, -1):
        gap = bayes.joint[best] - bayes.joint[c]
        if c != best and fabs(gap - bayes.tie) <= noise:
            return UNSURE
        if gap <= bayes.tie:
            chosen = c
    return chosen


def _first_greatest(numbers: NDArray[np.float64]) -> int:
    """Give the place of the first of the greatest; NaN is greater than any number."""
    best = 0
    for place in range(numbers.shape[0]):
        if numbers[place] != numbers[place]:
            return place
        if numbers[place] > numbers[best]:
            best = place
    return best


class Normals:
    """Naive Bayes on numbers: all cases, and sizes, means and variances of the classes of one training set.

    The row after the last class is for all its cases together; `big` is the greatest number without its sign.
    """

    def __init__(
        self, X: NDArray[np.float64], codes: NDArray[np.int32], smoothing: float, n_classes: int
    ) -> None:
        self.X, self.codes, self.smoothing, self.n_classes = X, codes, smoothing, n_classes
        self.big = np.abs(X).max()
        self.totals = np.empty(n_classes + 1)
        self.means, self.variances = np.empty((2, n_classes + 1, X.shape[1]))
        self.joint, self.noise = np.empty((2, n_classes))


def classify_numbers(
    bayes: Normals, counts: NDArray[np.int64], asked: NDArray[np.bool_]
) -> NDArray[np.int32]:
    """Give the most probable class; -2 where rounding could change it."""
    answers = np.full((counts.shape[0], counts.shape[1]), UNSURE, dtype=np.int32)
    view = answers
    with cython.nogil:
        for r in range(counts.shape[0]):
            _set_means(bayes, counts, r)
            _set_variances(bayes, counts, r)
            for i in range(counts.shape[1]):
                if asked[r, i]:
                    view[r, i] = _classify_numbers(bayes, i)
    return answers


def _set_means(bayes: Normals, counts: NDArray[np.int64], r: int) -> None:
    last = bayes.n_classes
    for c in range(last + 1):
        bayes.totals[c] = 0.0
        for a in range(bayes.X.shape[1]):
            bayes.means[c, a] = bayes.variances[c, a] = 0.0
    for i in range(bayes.X.shape[0]):
        copies, c = float(counts[r, i]), bayes.codes[i]
        bayes.totals[c] += copies
        bayes.totals[last] += copies
        for a in range(bayes.X.shape[1]):
            bayes.means[c, a] += copies * bayes.X[i, a]
            bayes.means[last, a] += copies * bayes.X[i, a]
    for c in range(last + 1):
        for a in range(bayes.X.shape[1]):
            bayes.means[c, a] /= max(bayes.totals[c], 1.0)


def _set_variances(bayes: Normals, counts: NDArray[np.int64], r: int) -> None:
    last = bayes.n_classes
    for i in range(bayes.X.shape[0]):
        copies, c = float(counts[r, i]), bayes.codes[i]
        for a in range(bayes.X.shape[1]):
            gap, gap_all = bayes.X[i, a] - bayes.means[c, a], bayes.X[i, a] - bayes.means[last, a]
            bayes.variances[c, a] += copies * (gap * gap)
            bayes.variances[last, a] += copies * (gap_all * gap_all)
    widest = 0.0
    for c in range(last + 1):
        for a in range(bayes.X.shape[1]):
            v = bayes.variances[c, a] = bayes.variances[c, a] / max(bayes.totals[c], 1.0)
            if c == last and (v > widest or v != v):
                widest = v
    for c in range(last + 1):
        for a in range(bayes.X.shape[1]):
            bayes.variances[c, a] += bayes.smoothing * widest


def _classify_numbers(bayes: Normals, i: int) -> int:
    for c in range(bayes.n_classes):
        bayes.joint[c], bayes.noise[c] = -INFINITY, 0.0
        if bayes.totals[c] > 0 and not _add_logs(bayes, i, c):
            return UNSURE
    best = _first_greatest(bayes.joint)
    for c in range(bayes.n_classes):
        gap = bayes.joint[best] - bayes.joint[c]
        if c != best and bayes.totals[c] > 0 and not gap > bayes.noise[best] + bayes.noise[c]:
            return UNSURE
    return best


def _add_logs(bayes: Normals, i: int, c: int) -> bool:
    """Add up the logarithm of a class and its possible error; False where a variance is not above 0."""
    n, d = bayes.totals[bayes.n_classes], bayes.X.shape[1]
    joint, noise = log(bayes.totals[c] / n), 0.0
    # errors of the sums relative to the variance, and of the mean relative to the spread
    inside = (n + d) * EPS
    shift = inside * bayes.big
    for a in range(d):
        v = bayes.variances[c, a]
        if not v > 0:
            return False
        gap = bayes.X[i, a] - bayes.means[c, a]
        joint -= 0.5 * (log(TWO_PI * v) + gap * gap / v)
        noise += 8 * inside * (1 + fabs(log(v)) + gap * gap / v)
        noise += 8 * inside * fabs(gap) * bayes.big / v + shift * shift / v * (1 + gap * gap / v)
    bayes.joint[c], bayes.noise[c] = joint, noise
    return True
